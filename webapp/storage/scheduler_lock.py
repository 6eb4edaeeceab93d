"""The lock of the one scheduler of a site. Another one has it once PostgreSQL sees the session of its holder end."""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError

from webapp.infrastructure.direct_connection import open_direct

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
