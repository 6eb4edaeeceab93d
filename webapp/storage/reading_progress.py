"""The progress of reading an archive, in its row."""

from __future__ import annotations

from datetime import datetime

from django.db import connection


def write_progress(archive_id: int, **columns: int | str | datetime) -> None:
    """Set columns of the archive's row without waiting for the disk.

    If the database server crashes within the second, the row has its previous values, which loses no bytes or values: an
    archive that is `received` is read all the same. What the reading stores waits for the disk.
    """
    assignments = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in columns)
    with connection.cursor() as cursor:  # one statement, since it is executed very often
        cursor.execute(
            "WITH soon AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"  # noqa: S608 names and conditions are constants of the code; values are parameters
            f" UPDATE webapp_archive SET {assignments} FROM soon WHERE id = %s",
            [*columns.values(), archive_id],
        )
