"""The number that rises with every change of what a reader can see."""

from __future__ import annotations

import math
import threading

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import Error as PsycopgError

from webapp.models import DataVersion

_VERSION = f"SELECT number FROM {DataVersion._meta.db_table}"  # noqa: S608 names and conditions are constants of the code; values are parameters
_thread = threading.local()


def data_version() -> int:
    """The number that rises with every change of what a reader can see. One query."""
    number = _query_directly()
    if number is not None:
        return number
    with connection.cursor() as cursor:
        cursor.execute(_VERSION)
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
        row = _thread.cursor.execute(_VERSION).fetchone()
    except PsycopgError:
        return None
    return row[0] if row else None


def measure_lag(primary: BaseDatabaseWrapper, replica: BaseDatabaseWrapper) -> float:
    """Seconds since the last change that the replica replayed, 0 where it has all that readers can see; infinite where it has
    replayed none since it started. One query of each, the primary's first. Raises django.db.Error."""
    with primary.cursor() as cursor:
        cursor.execute(_VERSION)
        (wanted,) = cursor.fetchone() or (0,)
    with replica.cursor() as cursor:
        cursor.execute(f"SELECT ({_VERSION}), extract(epoch FROM now() - pg_last_xact_replay_timestamp())")  # noqa: S608 a constant
        number, seconds = cursor.fetchone()
    if (number or 0) >= wanted:
        return 0.0
    return math.inf if seconds is None else float(seconds)
