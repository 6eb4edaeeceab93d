"""Where the runs of an archive went that is read again: from which configuration to which."""

from __future__ import annotations

from django.db import connection

_CAPTURE = """CREATE TEMP TABLE previous_runs ON COMMIT DROP AS
SELECT f.path, r.first_line, r.tool, r.configuration_id FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id
WHERE r.archive_id = %s"""
_WRITE = """INSERT INTO webapp_configurationmove (archive_id, previous_id, current_id)
SELECT DISTINCT r.archive_id, p.configuration_id, r.configuration_id FROM previous_runs p
JOIN webapp_file f ON f.archive_id = %s AND f.path = p.path
JOIN webapp_run r ON r.archive_id = f.archive_id AND r.file_id = f.id AND r.first_line = p.first_line AND r.tool = p.tool
WHERE r.configuration_id <> p.configuration_id ON CONFLICT DO NOTHING"""


def capture(archive_id: int) -> None:
    """Keep the configurations of the archive's runs, to the end of the transaction, before their rows are deleted."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS previous_runs")
        cursor.execute(_CAPTURE, [archive_id])


def write(archive_id: int) -> None:
    """Store which configurations the new runs are on that stand where captured ones stood."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE previous_runs")
        cursor.execute(_WRITE, [archive_id])
