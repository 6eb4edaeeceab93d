"""Locks: of writers, until their commit (their order is in `archive_transaction`); of an archive that is read and of the scheduler,
which PostgreSQL releases when the process that has them dies."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, connection

from webapp.infrastructure.direct_connection import find_direct, open_direct
from webapp.models.sql import fetch_rows

# The lock of the one scheduler of a site. Another one has it once PostgreSQL sees the session of its holder end.

_SCHEDULER = 0x5343_4845  # "SCHE": key of the advisory lock


class SchedulerLock:
    """Held by a connection of its own, for as long as that lives. A host that vanishes without a word is noticed after half a
    minute, by probes of the connection."""

    def __init__(self) -> None:
        self._connection = open_direct()
        self.is_held = False

    def hold(self) -> bool:
        """Take the lock where it is free; returns whether this process has it. Raises DatabaseError, InterfaceError."""
        try:
            with self._connection.cursor() as cursor:
                if self.is_held:
                    cursor.execute("SELECT 1")
                else:
                    cursor.execute(
                        "SELECT set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),"
                        " set_config('tcp_keepalives_count', '3', false), pg_try_advisory_lock(%s)",
                        [_SCHEDULER],
                    )
                    self.is_held = cursor.fetchone()[-1]
        except (DatabaseError, InterfaceError):
            self.release()
            raise
        return self.is_held

    def release(self) -> None:
        self.is_held = False
        self._connection.close()


# Advisory locks of a session, which PostgreSQL releases when the process that has them dies.


@contextmanager
def try_lock(*key: int) -> Iterator[bool]:
    """Hold a lock, as a context manager; yields False at once where another session has it. `key`: one number of 64 bits, or two of
    32; the two kinds are apart.

    Meanwhile the session has the name of this process behind its own, by which `find_readers` finds it.
    """
    direct, marks = find_direct(), ", ".join(["%s"] * len(key))
    with direct.cursor() as cursor:
        cursor.execute(
            f"SELECT current_setting('application_name'), CASE WHEN pg_try_advisory_lock({marks}) THEN set_config("
            "'application_name', left(concat_ws(': ', nullif(current_setting('application_name'), ''), %s), 63), false) END",
            [*key, f"process {os.getpid()} on {platform.node()}"],
        )
        name, taken = cursor.fetchone()
    is_locked = taken is not None
    try:
        yield is_locked
    finally:
        if is_locked:
            with direct.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({marks}), set_config('application_name', %s, false)", [*key, name])


def lock_writes() -> None:
    """Wait until no other writer is between here and its commit, and raise the data version."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO webapp_dataversion (id, number) VALUES (1, 1)"
            " ON CONFLICT (id) DO UPDATE SET number = webapp_dataversion.number + 1"
        )


def lock_uploads_of(user_id: int) -> None:
    """Wait until no other transaction takes an upload of this person. Taken after `lock_bytes`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"uploads of {user_id}"])


def lock_bytes(sha256: str) -> None:
    """Wait until no other transaction names, publishes, blocks or deletes these bytes. Taken before any row is locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [sha256])


# The lock of an archive that is being read, which PostgreSQL releases when the process that has it dies.

_CLASS = 0x504D  # "PM": first half of the advisory lock's key, apart from other locks of the database


@contextmanager
def lock_archive(archive_id: int) -> Iterator[bool]:
    """Lock the archive for reading, as a context manager; yields False at once where another session has the lock."""
    with try_lock(_CLASS, archive_id) as is_locked:
        yield is_locked


def is_archive_locked(archive_id: int) -> bool:
    """Whether the archive is being read right now."""
    with try_lock(_CLASS, archive_id) as is_free:
        return not is_free


def find_readers() -> dict[int, str]:
    """Id of each archive that is being read -> the process that reads it, and its session of the database."""
    rows = fetch_rows(
        "SELECT objid, coalesce(application_name, ''), pid FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)"
        " WHERE locktype = 'advisory' AND granted AND classid = %s AND objsubid = 2"
        " AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        [_CLASS],
    )
    return {archive: f"{name or 'a process'} (database session {pid})" for archive, name, pid in rows}


def try_lock_request(token_id: int, key: str) -> bool:
    """Lock the requests of a token with an Idempotency-Key until the end of the transaction; False where another has the lock."""
    return bool(fetch_rows("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 2))", [f"{token_id} {key}"])[0][0])
