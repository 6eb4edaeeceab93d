"""The lock of an archive that is being read, which PostgreSQL releases when the process that has it dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webapp.infrastructure.direct_connection import find_direct

_CLASS = 0x504D  # "PM": first half of the advisory lock's key, apart from other locks of the database


@contextmanager
def lock_archive(archive_id: int) -> Iterator[bool]:
    """Lock the archive for reading, as a context manager; yields False at once where another session has the lock."""
    connection = find_direct()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_CLASS, archive_id])
        (is_locked,) = cursor.fetchone()
    try:
        yield is_locked
    finally:
        if is_locked:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_CLASS, archive_id])


def is_archive_locked(archive_id: int) -> bool:
    """Whether the archive is being read right now."""
    with lock_archive(archive_id) as is_free:
        return not is_free
