"""Locks of writers, released at the commit. Their order is in `archive_transaction`."""

from __future__ import annotations

from django.db import connection


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
