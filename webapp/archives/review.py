"""Data of an archive's review page: configurations with the source line of each key, missing keys, runs, known values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ingest import keys, run_commands
from ingest.records import TAKE
from webapp.archives.completeness import Completeness, find_missing_keys, measure_completeness
from webapp.files.addresses import line_address, place_address
from webapp.http.pagination import decode_page_token, paginate
from webapp.models import Archive, ArchiveConfiguration, Configuration, ConfigurationCount, Note, Run, System
from webapp.storage.archive_rows import ArchiveProfile
from webapp.storage.machines import STATED as MACHINE
from webapp.systems import system_queries
from webapp.systems.describe import CONFIGURATION_PARTS, configuration_heading, format_value

CONFIGURATIONS_PER_PAGE = 40
RUNS_PER_PAGE = 100
_SUGGESTED_VALUES = 25  # for a key
_SUGGESTION_SOURCES = 500  # configurations from which they are taken
_SUGGESTED_SYSTEMS = 60
_LISTED_FILES = 300
_LISTED_OUTPUTS = 20
_SEARCHED_FILES = 1000  # from which those with measurements are listed


@dataclass(frozen=True, slots=True)
class KeyCell:
    """One key of one configuration: `text` is '' where it is unknown; `address` is that of its source line."""

    label: str
    text: str
    place: str = ""
    address: str = ""


@dataclass(slots=True)
class ReviewRow:
    """A configuration of the archive, with runs and measurements on it, and the keys in which they differ.

    `counted`: how many of the measurements a comparison of the archive counts.
    """

    configuration: Configuration
    runs: int
    measurements: int
    first_run: int
    counted: int = 0
    first: Run | None = None
    cells: list[KeyCell] = field(default_factory=list)
    heading: str = ""

    def value(self, key: str) -> Any:
        return self.configuration.known.get(key)


def read_configuration_page(archive: Archive, after: str | None, size: int) -> tuple[list[ReviewRow], str | None]:
    """A page of the archive's configurations, the most measured first, and the token of the next. One query."""
    rows, next_token = paginate(_configurations(archive), after, ("-measurements", "configuration_id"), size, rising=True)
    return [_review_row(row) for row in rows], next_token


def find_configuration(archive: Archive, configuration: int) -> ReviewRow | None:
    """One of the archive's configurations."""
    entries = _configurations(archive).filter(configuration=configuration)[:1]
    return next(map(_review_row, entries), None)


def _configurations(archive: Archive) -> QuerySet:
    counts = ConfigurationCount.objects.filter(scope=OuterRef("archive"), configuration=OuterRef("configuration"))
    entries = ArchiveConfiguration.objects.filter(archive=archive).select_related("configuration__open")
    return entries.annotate(counted=Coalesce(Subquery(counts.values("n")[:1]), 0))


def _review_row(entry: Any) -> ReviewRow:
    """Of a row of `_configurations`."""
    return ReviewRow(
        entry.configuration,
        entry.runs,
        entry.measurements,
        entry.first_run,
        entry.counted,
        heading=configuration_heading(entry.configuration),
    )


def archive_completeness(profile: ArchiveProfile) -> Completeness:
    """How much of the configurations of the archive's runs is known."""
    return measure_completeness([(group.get, group.measurements) for group in profile.groups])


def archive_missing_keys(profile: ArchiveProfile) -> list[str]:
    return find_missing_keys((group.get, group.measurements) for group in profile.groups)


def lay_out_configurations(rows: list[ReviewRow], names: Iterable[str]) -> tuple[list[keys.Key], list[tuple[str, list[KeyCell]]]]:
    """The keys of these names, in which configurations differ, and the cells of common keys by part; fills the cells of `rows`."""
    firsts = Run.objects.select_related("provenance").in_bulk([row.first_run for row in rows])
    differing = [key for name in dict.fromkeys(names) if (key := keys.find_key(name)) is not None]
    for row in rows:
        row.first = firsts.get(row.first_run)
        row.cells = [_cell(row, key) for key in differing]
    known = rows[0].configuration.known if rows else {}
    common = [key for name in known if (key := keys.find_key(name)) is not None and key not in differing]
    return differing, [
        (part, [_cell(rows[0], key) for key in common if key.part == name])
        for name, part in CONFIGURATION_PARTS
        if any(key.part == name for key in common)
    ]


def _cell(row: ReviewRow, key: keys.Key) -> KeyCell:
    run = row.first
    value = row.value(key.name) if run is None else run.config_exact.get(key.name, row.value(key.name))
    if value is None:
        return KeyCell(key.label, "")
    place = run.config_from.get(key.name, "") if run else ""
    address = place_address(run.archive_id, place) if run else ""
    return KeyCell(key.label, format_value(key.type, value), "entered by hand" if place == "stated" else place, address)


def read_run_page(archive: Archive, configuration: int | None, after: str | None) -> tuple[list[Run], str | None]:
    """Runs on this configuration, else the unplaced ones, with `address`; and the token of the next page."""
    wanted = [configuration] if configuration else _unplaced(archive, after)
    query = Run.objects.filter(archive_id=archive.pk, configuration_id__in=wanted).select_related("file")
    runs, next_token = paginate(query, after, ("configuration_id", "id"), size=RUNS_PER_PAGE, rising=True)
    for run in runs:
        run.address = line_address(archive.pk, run.file.path, run.first_line)
    return runs, next_token


def _unplaced(archive: Archive, after: str | None) -> list[int]:
    """Ids of configurations without an identifying key (see `storage.archive_rows`): as many as can have runs on the page."""
    position = decode_page_token(after, 2)
    first = position[0] if position and isinstance(position[0], int) else 0
    unplaced = ArchiveConfiguration.objects.filter(archive=archive, placed=False, configuration_id__gte=first)
    return list(unplaced.order_by("configuration_id").values_list("configuration_id", flat=True)[: RUNS_PER_PAGE + 1])


def find_run_lines(archive: Archive, ids: Iterable[int | None]) -> list[tuple[str, str]]:
    """(path, first line) of those of the runs that belong to the archive."""
    runs = Run.objects.filter(archive_id=archive.pk, pk__in=[pk for pk in ids if pk is not None])
    return list(runs.order_by("id").values_list("file__path", "first_line"))


def find_lines_of(archive: Archive, configurations: Iterable[int]) -> list[tuple[str, str]]:
    """(path, first line) of each run of the archive on these configurations."""
    runs = Run.objects.filter(archive=archive, configuration_id__in=list(configurations))
    return list(runs.order_by("id").values_list("file__path", "first_line"))


def read_chosen_runs(archive: Archive, ids: Iterable[int | None]) -> list[Run]:
    """The runs of the archive with these ids, with their file. No query without ids."""
    wanted = [pk for pk in ids if pk is not None]
    return list(Run.objects.filter(archive=archive, pk__in=wanted).select_related("file").order_by("id")) if wanted else []


def suggest_values(user, wanted: Iterable[str]) -> tuple[dict[str, list[str]], list[System]]:
    """Values of these keys, and the systems, of the latest configurations that the user may see. Three queries."""
    rows = system_queries.read_newest_configurations(Archive.objects.scopes_of(user), _SUGGESTION_SOURCES)
    suggestions = {name: _distinct(keys.KEYS[name], rows) for name in wanted}
    systems = System.objects.filter(pk__in={row.system_id for row in rows}, cpu_model__isnull=False)
    return suggestions, list(systems.order_by("cpu_model", "memory", "pk")[:_SUGGESTED_SYSTEMS])


def _distinct(key: keys.Key, rows: Iterable[Configuration]) -> list[str]:
    values = {getattr(row, key.column) for row in rows} - {None}
    return [_typed(key, value) for value in sorted(values)[:_SUGGESTED_VALUES]]


def _typed(key: keys.Key, value: Any) -> str:
    """As a person would type it: sizes with the largest exact unit."""
    if key.type == keys.SIZE:
        unit, factor = next((u, f) for u, f in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1)) if value % f == 0)
        return f"{value // factor} {unit}"
    return str(value)


def read_system_values(user, pk: int) -> dict[str, str]:
    """The keys of a known system as typed texts; empty where the user may not see it."""
    system = System.objects.filter(pk=pk, counts__scope__in=Archive.objects.scopes_of(user)).first()
    values = {key: getattr(system, key.column, None) for key in keys.KEYS.values() if key.part == "system"} if system else {}
    return {key.name: _typed(key, value) for key, value in values.items() if value is not None}


def list_statement_paths(archive: Archive) -> tuple[list[str], list[str]]:
    """Folders and files of the archive with measurements, at most 300 files."""
    first = archive.files.order_by("path").values_list("path", "measurements")[:_SEARCHED_FILES]
    files = [path for path, measurements in first if measurements][:_LISTED_FILES]
    folders = {path.rsplit("/", n)[0] for path in files for n in range(1, path.count("/") + 1)}
    return sorted(folders), files


STATED_PARAMS = ("file_size", "record_size", "block_size", "threads", "processes", "direct", "fsync", "contents")
"""Workload parameters with a field of their own; all others are entered by name."""


def definition_of(name: str) -> keys.Key | keys.Param:
    """The key or workload parameter that a statement is about."""
    if name == TAKE:
        return keys.Param(TAKE, keys.TEXT, "Taken as results")
    if name == MACHINE:
        return keys.Param(name, keys.TEXT, "Machine")
    return keys.KEYS.get(name) or keys.find_param(name) or keys.Param(name, keys.TEXT, name)


def read_unlike_commands(archive: Archive, counts: Mapping[str, int]) -> list[Note]:
    """The outputs that several commands may have made, with `address`. `counts`: warnings by code. No query without any."""
    notes = (
        list(archive.notes.filter(code=run_commands.WHICH_COMMAND).order_by("id")[:_LISTED_OUTPUTS])
        if counts.get(run_commands.WHICH_COMMAND)
        else []
    )
    for note in notes:
        note.address = line_address(archive.pk, note.path, note.line)
    return notes


def describe_expected_value(key: keys.Key | keys.Param) -> str:
    """What a value of the key or parameter looks like, for a message about another text."""
    if isinstance(key, keys.Param) and key.name not in keys.PARAMS:
        return f"a value with which {key.name} would count: it is the default one, or has no effect"
    words: Mapping[str, str] = {
        keys.SIZE: "a size such as 16 GiB or 128K",
        keys.COUNT: "a whole number",
        keys.WORD: "a word such as on or lz4",
        keys.TEXT: "text of at most 200 characters",
    }
    high = key.high if isinstance(key, keys.Key) else None
    return words[key.type] + (f", not above {high:,.0f}" if key.type == keys.COUNT and high else "")
