"""The progress of reading an archive, in its row."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection

from webapp.models import Archive

_BEGAN = """greatest(clock_timestamp(), (
    SELECT began_at + interval '1 microsecond' FROM webapp_archive WHERE began_at IS NOT NULL ORDER BY began_at DESC LIMIT 1
))"""
"""After every reading that began before, also where a clock was ahead then: whose turn is next follows from the order."""


def write_beginning(archive_id: int, attempts: int) -> None:
    """Say in the archive's row that its reading begins. One that begins at the same moment may have the same time."""
    _write(
        archive_id,
        {"state": Archive.State.READING, "attempts": attempts, "files_done": 0, "files_total": 0},
        f", began_at = {_BEGAN}",
    )


def write_progress(archive_id: int, **columns: int | str) -> None:
    """Set columns of the archive's row without waiting for the disk.

    If the database server crashes within the second, the row has its previous values, which loses no bytes or values: an
    archive that is `received` is read all the same. What the reading stores waits for the disk.
    """
    _write(archive_id, columns)


def _write(archive_id: int, columns: Mapping[str, int | str], more: str = "") -> None:
    assignments = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in columns) + more
    with connection.cursor() as cursor:  # one statement, since it is executed very often
        cursor.execute(
            "WITH soon AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"  # noqa: S608 names and conditions are constants of the code; values are parameters
            f" UPDATE webapp_archive SET {assignments} FROM soon WHERE id = %s",
            [*columns.values(), archive_id],
        )
