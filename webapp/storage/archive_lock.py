"""Who reads an archive: a lock that PostgreSQL releases by itself when the process that holds it dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_CLASS = 0x504D  # "PM": the first half of the lock's name, so that other locks of the database do not collide


@contextmanager
def lock_archive(archive_id: int) -> Iterator[bool]:
    """Hold the archive for reading; gives False at once where somebody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_CLASS, archive_id])
        (mine,) = cursor.fetchone()
    try:
        yield mine
    finally:
        if mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_CLASS, archive_id])


def is_archive_locked(archive_id: int) -> bool:
    """Whether somebody reads the archive right now."""
    with lock_archive(archive_id) as mine:
        return not mine
