"""What the review page of an archive shows: configurations with the line behind each key, gaps, runs, history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from ingest import keys
from webapp.archives.completeness import Completeness, find_missing_keys, measure_completeness
from webapp.files.addresses import line_address, place_address
from webapp.http.pagination import decode_page_token, paginate
from webapp.models import Archive, ArchiveConfiguration, Configuration, Run, System
from webapp.storage.profile import ArchiveProfile
from webapp.systems import system_queries
from webapp.systems.describe import configuration_heading, format_value

CONFIGURATIONS = 40  # on one page
RUNS = 100
_KNOWN, _LATEST = 25, 500  # values offered for a key, and configurations that they are taken from
_FILES, _LOOKED_AT = 300, 1000  # files offered, and those that they are taken from


@dataclass(frozen=True, slots=True)
class KeyCell:
    """One key of one configuration: `text` is '' where it is not told; `address` is that of the line that tells it."""

    label: str
    text: str
    place: str = ""
    address: str = ""


@dataclass(slots=True)
class ReviewRow:
    """A configuration of the archive, with runs and measurements on it, and the keys in which they differ."""

    configuration: Configuration
    runs: int
    measurements: int
    first_run: int
    first: Run | None = None
    cells: list[KeyCell] = field(default_factory=list)
    heading: str = ""

    def value(self, key: str) -> Any:
        return getattr(self.configuration, keys.KEYS[key].column)


def read_configuration_page(archive: Archive, after: str | None, size: int) -> tuple[list[ReviewRow], str | None]:
    """A page of the archive's configurations, the most measured first, and the mark of the next. One query."""
    rows, further = paginate(_shares(archive), after, ("-measurements", "configuration_id"), size, rising=True)
    return [_row(row) for row in rows], further


def find_configuration(archive: Archive, configuration: int) -> ReviewRow | None:
    """One of the archive's configurations."""
    found = _shares(archive).filter(configuration=configuration)[:1]
    return next(map(_row, found), None)


def _shares(archive: Archive) -> QuerySet:
    return ArchiveConfiguration.objects.filter(archive=archive).select_related("configuration")


def _row(share: ArchiveConfiguration) -> ReviewRow:
    return ReviewRow(
        share.configuration, share.runs, share.measurements, share.first_run, heading=configuration_heading(share.configuration)
    )


def archive_completeness(told: ArchiveProfile) -> Completeness:
    """How much of what the runs are on is told."""
    return measure_completeness([(group.get, group.measurements) for group in told.groups])


def archive_missing_keys(told: ArchiveProfile) -> list[str]:
    return find_missing_keys((group.get, group.measurements) for group in told.groups)


def lay_out_configurations(rows: list[ReviewRow], told: ArchiveProfile) -> tuple[list[keys.Key], list[tuple[str, list[KeyCell]]]]:
    """The keys in which the archive's configurations differ, and what all have alike, by part; fills the cells of `rows`."""
    firsts = Run.objects.select_related("provenance").in_bulk([row.first_run for row in rows])
    apart = [key for key in keys.KEYS.values() if key.name in told.differing_keys]
    for row in rows:
        row.first = firsts.get(row.first_run)
        row.cells = [_cell(row, key) for key in apart]
    alike = [key for key in keys.KEYS.values() if rows and key not in apart and rows[0].value(key.name) is not None]
    return apart, [
        (part, [_cell(rows[0], key) for key in alike if key.part == name])
        for name, part in (("system", "Hardware"), ("os", "Operating system"), ("pool", "File system and pool"), ("shown", "Names"))
        if any(key.part == name for key in alike)
    ]


def _cell(row: ReviewRow, key: keys.Key) -> KeyCell:
    run = row.first
    value = row.value(key.name) if run is None else run.config_exact.get(key.name, row.value(key.name))
    if value is None:
        return KeyCell(key.label, "")
    place = run.config_from.get(key.name, "") if run else ""
    return KeyCell(key.label, format_value(key.type, value), place, place_address(run.archive_id, place) if run else "")


def read_run_page(archive: Archive, configuration: int | None, after: str | None) -> tuple[list[Run], str | None]:
    """Runs on this configuration, else those that could not be placed, with `address`; and the mark of the next page."""
    wanted = [configuration] if configuration else _unplaced(archive, after)
    query = Run.objects.filter(archive_id=archive.pk, configuration_id__in=wanted).select_related("file")
    runs, further = paginate(query, after, ("configuration_id", "id"), size=RUNS, rising=True)
    for run in runs:
        run.address = line_address(archive.pk, run.file.path, run.first_line)
    return runs, further


def _unplaced(archive: Archive, after: str | None) -> list[int]:
    """Configurations of which nothing tells where it was measured: as many as can have runs on the page."""
    mark = decode_page_token(after, 2)
    first = mark[0] if mark and isinstance(mark[0], int) else 0
    lost = ArchiveConfiguration.objects.filter(archive=archive, placed=False, configuration_id__gte=first)
    return list(lost.order_by("configuration_id").values_list("configuration_id", flat=True)[: RUNS + 1])


def find_run_lines(archive: Archive, ids: Iterable[int | None]) -> list[tuple[str, str]]:
    """(path, first line) of those of the runs that are the archive's."""
    runs = Run.objects.filter(archive_id=archive.pk, pk__in=[pk for pk in ids if pk is not None])
    return list(runs.order_by("id").values_list("file__path", "first_line"))


def suggest_values(user, wanted: Iterable[str]) -> tuple[dict[str, list[str]], list[System]]:
    """Values of these keys, and the systems, of the latest configurations that the user may see. Three queries."""
    rows = system_queries.read_newest_configurations(Archive.objects.scopes_of(user), _LATEST)
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


def read_system_values(user, pk: int) -> dict[str, str]:
    """The keys of a known system as typed texts; nothing where it is none that the user may see."""
    system = System.objects.filter(pk=pk, counts__scope__in=Archive.objects.scopes_of(user)).first()
    told = {key: getattr(system, key.column, None) for key in keys.KEYS.values() if key.part == "system"} if system else {}
    return {key.name: _typed(key, value) for key, value in told.items() if value is not None}


def list_statement_paths(archive: Archive) -> tuple[list[str], list[str]]:
    """Folders and files of the archive with measurements, the first few hundred."""
    first = archive.files.order_by("path").values_list("path", "measurements")[:_LOOKED_AT]
    files = [path for path, measurements in first if measurements][:_FILES]
    folders = {path.rsplit("/", n)[0] for path in files for n in range(1, path.count("/") + 1)}
    return sorted(folders), files


def example(key: keys.Key) -> str:
    """What a value of the key looks like, for whoever typed something else."""
    words: Mapping[str, str] = {
        keys.SIZE: "a size such as 16 GiB or 128K",
        keys.COUNT: "a whole number",
        keys.WORD: "a word such as on or lz4",
        keys.TEXT: "a text of at most 200 characters",
    }
    return words[key.type] + (f", not above {key.high:,.0f}" if key.type == keys.COUNT and key.high else "")
