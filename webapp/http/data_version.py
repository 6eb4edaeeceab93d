"""The number that rises with every change of what a reader can see."""

from __future__ import annotations

import threading

from django.db import connection
from psycopg import Error as PsycopgError

from webapp.models import DataVersion

VERSION = f"SELECT number FROM {DataVersion._meta.db_table}"  # noqa: S608 names and conditions are constants of the code; values are parameters
_thread = threading.local()


def data_version() -> int:
    """The number that rises with every change of what a reader can see. One query."""
    number = _query_directly()
    if number is not None:
        return number
    with connection.cursor() as cursor:
        cursor.execute(VERSION)
        row = cursor.fetchone()
    return row[0] if row else 0


def _query_directly() -> int | None:
    """The same by a psycopg cursor that each thread keeps, which costs less than a cursor of Django's.

    None where Django has to connect, keep to a transaction, log queries or handle an error.
    """
    driver_connection = connection.connection
    if driver_connection is None or connection.in_atomic_block or connection.queries_logged or connection.execute_wrappers:
        return None
    try:
        if getattr(_thread, "cursor", None) is None or _thread.cursor.connection is not driver_connection:
            _thread.cursor = driver_connection.cursor()
        row = _thread.cursor.execute(VERSION).fetchone()
    except PsycopgError:
        return None
    return row[0] if row else None
