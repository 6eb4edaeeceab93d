"""The lock of an archive that is being read, which PostgreSQL releases when the process that has it dies."""

from __future__ import annotations

from contextlib import AbstractContextManager

from webapp.storage.session_lock import try_lock

_CLASS = 0x504D  # "PM": first half of the advisory lock's key, apart from other locks of the database


def lock_archive(archive_id: int) -> AbstractContextManager[bool]:
    """Lock the archive for reading, as a context manager; yields False at once where another session has the lock."""
    return try_lock(_CLASS, archive_id)


def is_archive_locked(archive_id: int) -> bool:
    """Whether the archive is being read right now."""
    with lock_archive(archive_id) as is_free:
        return not is_free
