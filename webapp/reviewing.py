"""What the review page of an archive shows: configurations with the line behind each key, gaps, runs, history."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet, Sum

from ingest import keys
from webapp.completeness import Completeness, asked, completeness
from webapp.described import heading, shown_as
from webapp.models import Archive, Configuration, ConfigurationCount, Run, System
from webapp.paging import page_of
from webapp.rawtext import line_address, place_address

CONFIGURATIONS = 40  # on one page
RUNS = 100
_KNOWN, _FILES = 25, 300
PLACES = ("os.family", "os.name", "cpu.model", "fs.type")
"""A run of whose configuration none of these is told could not be placed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One key of one configuration: `text` is '' where it is not told; `address` is that of the line that tells it."""

    label: str
    text: str
    place: str = ""
    address: str = ""


@dataclass(slots=True)
class Row:
    """A configuration of the archive, with runs and measurements on it, and the keys in which they differ."""

    configuration: Configuration
    runs: int
    measurements: int
    first: Run | None = None
    cells: list[Cell] = field(default_factory=list)
    heading: str = ""

    def value(self, key: str) -> Any:
        return getattr(self.configuration, keys.KEYS[key].column)


def rows_of(archive: Archive) -> list[Row]:
    """Every configuration of the archive, the most measured first. Two queries."""
    counts = (Run.objects.filter(archive_id=archive.pk).values_list("configuration_id")
              .annotate(runs=Count("id"), total=Sum("measurements")).order_by("-total", "configuration_id"))
    found = list(counts)
    rows = Configuration.objects.in_bulk([row[0] for row in found])
    return [Row(rows[pk], runs, total) for pk, runs, total in found if pk in rows]


def order(row: Row) -> tuple[int, int]:
    """By what `rows_of` is in order."""
    return -row.measurements, row.configuration.pk


def complete(rows: Iterable[Row]) -> Completeness:
    """How much of what the runs are on is told."""
    return completeness([(row.value, row.measurements) for row in rows])


def missing_keys(rows: Iterable[Row]) -> list[str]:
    return asked((row.value, row.measurements) for row in rows)


def laid_out(archive: Archive, rows: list[Row], every: list[Row]) -> tuple[list[keys.Key], list[tuple[str, list[Cell]]]]:
    """The keys in which the archive's configurations differ, and what all have alike, by part; fills `rows`' cells.

    `rows` are those of this page, `every` all of the archive.
    """
    firsts = first_runs(archive, [row.configuration.pk for row in rows])
    apart = [key for key in keys.KEYS.values() if len({row.value(key.name) for row in every}) > 1]
    for row in rows:
        row.first = firsts.get(row.configuration.pk)
        row.heading = heading(row.configuration)
        row.cells = [_cell(row, key) for key in apart]
    alike = [key for key in keys.KEYS.values() if rows and key not in apart and rows[0].value(key.name) is not None]
    return apart, [(part, [_cell(rows[0], key) for key in alike if key.part == name])
                   for name, part in (("system", "Hardware"), ("os", "Operating system"), ("pool", "File system and pool"),
                                      ("shown", "Names")) if any(key.part == name for key in alike)]


def first_runs(archive: Archive, configurations: list[int]) -> dict[int, Run]:
    """Configuration -> its first run in the archive."""
    runs = (Run.objects.filter(archive_id=archive.pk, configuration_id__in=configurations)
            .order_by("configuration_id", "id").distinct("configuration_id").select_related("provenance"))
    return {run.configuration_id: run for run in runs}


def _cell(row: Row, key: keys.Key) -> Cell:
    run = row.first
    value = row.value(key.name) if run is None else run.config_exact.get(key.name, row.value(key.name))
    if value is None:
        return Cell(key.label, "")
    place = run.config_from.get(key.name, "") if run else ""
    return Cell(key.label, shown_as(key.type, value), place, place_address(run.archive_id, place) if run else "")


def unplaced(rows: Iterable[Row]) -> list[int]:
    """Configurations of which nothing tells where it was measured."""
    return [row.configuration.pk for row in rows if all(row.value(key) is None for key in PLACES)]


def runs_of(archive: Archive, configurations: list[int], after: str | None) -> tuple[list[Run], str | None]:
    """Runs on these configurations with `address`, in the order of the archive, and the mark of the next page."""
    query = Run.objects.filter(archive_id=archive.pk, configuration_id__in=configurations).select_related("file")
    runs, further = page_of(query, after, ("id",), size=RUNS, rising=True)
    for run in runs:
        run.address = line_address(archive.pk, run.file.path, run.first_line)
    return runs, further


def selected(archive: Archive, ids: Iterable[int | None]) -> list[tuple[str, str]]:
    """(path, first line) of those of the runs that are the archive's."""
    runs = Run.objects.filter(archive_id=archive.pk, pk__in=[pk for pk in ids if pk is not None])
    return list(runs.order_by("id").values_list("file__path", "first_line"))


def carried(archive: Archive) -> dict[str, int]:
    """Key -> how many runs carry a stated value of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT k.key, count(*) FROM webapp_run r JOIN webapp_provenance p ON p.id = r.provenance_id"
                       " CROSS JOIN LATERAL jsonb_each_text(p.told) k"
                       " WHERE r.archive_id = %s AND k.value = 'stated' GROUP BY k.key", [archive.pk])
        return dict(cursor.fetchall())


def known_values(user, wanted: Iterable[str]) -> tuple[dict[str, list[str]], list[System]]:
    """Values of these keys, and the systems, that measurements which the user may see were taken on. Three queries."""
    seen = _seen(user)
    rows = list(Configuration.objects.filter(pk__in=seen.values("configuration_id")).order_by("-pk")[:2000])
    found = {name: _distinct(keys.KEYS[name], rows) for name in wanted}
    systems = System.objects.filter(pk__in={row.system_id for row in rows}, cpu_model__isnull=False)
    return found, list(systems.order_by("cpu_model", "memory", "pk")[:60])


def _distinct(key: keys.Key, rows: Iterable[Configuration]) -> list[str]:
    values = {getattr(row, key.column) for row in rows} - {None}
    return [_typed(key, value) for value in sorted(values)[:_KNOWN]]


def _typed(key: keys.Key, value: Any) -> str:
    """As a person would type it: sizes with a unit where that loses nothing."""
    if key.type == keys.SIZE:
        unit, factor = next((u, f) for u, f in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1)) if value % f == 0)
        return f"{value // factor} {unit}"
    return str(value)


def _seen(user) -> QuerySet:
    return ConfigurationCount.objects.filter(scope__in=Archive.objects.scopes_of(user))


def of_system(user, pk: int) -> dict[str, str]:
    """The keys of a known system as typed texts; nothing where it is none that the user may see."""
    system = System.objects.filter(pk=pk, pk__in=_seen(user).values("configuration__system_id")).first()
    told = {key: getattr(system, key.column, None) for key in keys.KEYS.values() if key.part == "system"} if system else {}
    return {key.name: _typed(key, value) for key, value in told.items() if value is not None}


def places_of(archive: Archive) -> tuple[list[str], list[str]]:
    """Folders and files of the archive with measurements, the first few hundred."""
    files = list(archive.files.filter(measurements__gt=0).order_by("path").values_list("path", flat=True)[:_FILES])
    folders = {path.rsplit("/", n)[0] for path in files for n in range(1, path.count("/") + 1)}
    return sorted(folders), files


def example(key: keys.Key) -> str:
    """What a value of the key looks like, for whoever typed something else."""
    words: Mapping[str, str] = {
        keys.SIZE: "a size such as 16 GiB or 128K", keys.COUNT: "a whole number", keys.WORD: "a word such as on or lz4",
        keys.TEXT: "a text of at most 200 characters"}
    return words[key.type] + (f", not above {key.high:,.0f}" if key.type == keys.COUNT and key.high else "")
