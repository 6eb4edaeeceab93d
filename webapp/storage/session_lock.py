"""Advisory locks of a session, which PostgreSQL releases when the process that has them dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webapp.infrastructure.direct_connection import find_direct


@contextmanager
def try_lock(*key: int) -> Iterator[bool]:
    """Hold a lock, as a context manager; yields False at once where another session has it. `key`: one number of 64 bits, or two of
    32; the two kinds are apart."""
    direct, marks = find_direct(), ", ".join(["%s"] * len(key))
    with direct.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({marks})", key)
        (is_locked,) = cursor.fetchone()
    try:
        yield is_locked
    finally:
        if is_locked:
            with direct.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({marks})", key)
