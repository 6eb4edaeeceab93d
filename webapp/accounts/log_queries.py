"""The lock of the public log."""

from __future__ import annotations

from django.db import connection

_LOCK = 0x706F6F6C6C6F67
"""Key of the advisory lock that lets one transaction at a time add entries."""


def lock_log() -> None:
    """Wait until no other transaction is between here and its commit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
