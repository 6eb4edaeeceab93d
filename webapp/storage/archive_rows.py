"""The bulk rows of an archive that are there: their ids, their summary, their deletion. `bulk_insert` writes them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import connection

from webapp.storage.deduplication import FileKey
from webapp.storage.summary_writer import Aggregate, SummaryKey, aggregate


@dataclass(slots=True)
class InsertedRows:
    """Ids `first` to `end - 1` of the new measurements, the keys of the files, and the values that count with their ids."""

    first: int
    end: int
    file_keys: set[FileKey] = field(default_factory=set)
    # Arrays of values and of ids, 8 bytes each: a list of pairs takes seven times as much.
    counted: dict[SummaryKey, tuple[array, array]] = field(default_factory=lambda: defaultdict(lambda: (array("d"), array("q"))))

    def aggregate(self, without: Sequence[tuple[int, int]] = ()) -> dict[SummaryKey, Aggregate]:
        """The archive's own summary; measurements in the ranges of ids (first, beyond) are left out."""
        summary = {}
        for key, (value_array, id_array) in self.counted.items():
            values, ids = value_array.tolist(), id_array.tolist()
            if without:
                pairs = [
                    (value, pk)
                    for value, pk in zip(values, ids, strict=True)
                    if not any(first <= pk < beyond for first, beyond in without)
                ]
                values, ids = [value for value, _ in pairs], [pk for _, pk in pairs]
            if ids:
                summary[key] = aggregate(values, ids)
        return summary


class FileIds(NamedTuple):
    """A file with measurements: its path, the id of the first, and their number."""

    path: str
    first: int
    measurements: int


def id_range(archive_id: int) -> tuple[int, int]:
    """First id of the archive's measurements and the one after the last; no other archive has ids between."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(first_measurement), max(first_measurement + measurements) FROM webapp_file"
            " WHERE archive_id = %s AND measurements > 0",
            [archive_id],
        )
        first, beyond = cursor.fetchone()
    return (first, beyond) if first is not None else (0, 0)


def read_file_ids(archive_id: int) -> list[FileIds]:
    """The archive's files with measurements, in the order of their ids."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT path, first_measurement, measurements FROM webapp_file WHERE archive_id = %s AND measurements > 0"
            " ORDER BY first_measurement",
            [archive_id],
        )
        return [FileIds(*row) for row in cursor.fetchall()]


def find_summary_keys(first: int, beyond: int) -> set[SummaryKey]:
    """The summary keys of the measurements of these ids, whether they count or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT m.metric_id, r.configuration_id, m.workload_id FROM webapp_measurement m"
            " JOIN webapp_run r ON r.id = m.run_id WHERE m.id >= %s AND m.id < %s",
            [first, beyond],
        )
        return set(cursor.fetchall())


def delete_rows(archive_id: int) -> None:
    """Delete every bulk row of the archive. The caller updates `duplicate_of` of other archives' files."""
    first, beyond = id_range(archive_id)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_measurement WHERE id >= %s AND id < %s", [first, beyond])
        for table in (
            "webapp_compressedvalues",
            "webapp_timeseries",
            "webapp_seriesconfiguration",
            "webapp_unmeasuredvalue",
            "webapp_run",
            "webapp_session",
            "webapp_provenance",
            "webapp_note",
            "webapp_evidencerow",
            "webapp_file",
            "webapp_archiveconfiguration",
            "webapp_profile",
        ):
            cursor.execute(f"DELETE FROM {table} WHERE archive_id = %s", [archive_id])  # noqa: S608 names and conditions are constants of the code; values are parameters
