"""Reading of stored series: those of an archive, of a file, of a run; their points.

A run's series are those that overlap it in time, where both have a start; of the others those that stand beside it: in its own
file, else in files that share a part of their name with it, else in files of the nearest folder that are of no other result.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from ingest import PackedSeries, SpillFile, name_parts, pack_series, same_host, unpack_series
from ingest.open_keys import is_bulk
from ingest.records import SeriesRecord
from webapp.models import Measurement, Run, TimeSeries
from webapp.storage.pg_copy import cell, to_json
from webapp.storage.sessions import longest_printed

# The series of one archive while its records are gathered: packed, in a temporary file where they are many; then rows.

MAX_IN_MEMORY = 8 << 20  # bytes of packed columns
SERIES_COLUMNS = (
    "archive_id", "file_id", "configuration_id", "tool", "metric", "subject", "unit", "first_line", "points", "started_at",
    "span", '"offset"', "times", '"values"', "lines",
)  # fmt: skip
CONFIGURATION_COLUMNS = ("id", "archive_id", "config", "config_from")
_NULL = "\\N"


class _Row(NamedTuple):
    file: str
    configuration: int
    cells: str
    packed: PackedSeries | int


class SeriesBatch:
    """Gathers the series of an archive."""

    def __init__(self) -> None:
        self.configurations: dict[str, int] = {}
        """`config` and `config_from` as two JSON texts in one line each -> number."""
        self._rows: list[_Row] = []
        self._known: dict[tuple[int, int, frozenset[str]], tuple[Mapping[str, Any], Mapping[str, str], int]] = {}
        self._in_memory = 0
        self._file = SpillFile()

    def __bool__(self) -> bool:
        return bool(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, series: SeriesRecord) -> None:
        """Take a series; its points are read now, since the record may be gone afterwards."""
        points: Any = series.points
        packed: PackedSeries = pack_series(points, series.ticks)
        span = None if packed.times is None else (points.last_time - points.first_time) / series.ticks
        texts = (cell(text) for text in (series.tool, series.metric, series.subject, series.unit))
        numbers = (_NULL if number is None else repr(number) for number in (span, series.offset))
        cells = "\t".join((*texts, str(series.line), str(packed.points), cell(series.started_at), *numbers))
        self._in_memory += len(packed.values) + len(packed.lines) + len(packed.times or b"")
        place = self._file.put(tuple(packed)) if self._in_memory > MAX_IN_MEMORY else None
        self._rows.append(_Row(series.file, self._configuration(series), cells, place or packed))

    def _configuration(self, series: SeriesRecord) -> int:
        key = id(series.config), id(series.config_from), series.chosen
        known = self._known.get(key)
        if known is None:
            parts = [
                {name: item for name, item in mapping.items() if name in series.chosen or not is_bulk(name)}
                for mapping in (series.config, series.config_from)
            ]
            text = "\t".join(cell(to_json(part)) for part in parts)
            number = self.configurations.setdefault(text, len(self.configurations))
            known = self._known[key] = series.config, series.config_from, number  # referenced, so that the id() stay unique
        return known[2]

    def configuration_lines(self, archive_id: int, first: int) -> Iterator[str]:
        """Rows of SeriesConfiguration for COPY."""
        for text, number in self.configurations.items():
            yield f"{first + number}\t{archive_id}\t{text}"

    def lines(self, archive_id: int, files: Mapping[str, int], first: int) -> Iterator[str]:
        """Rows of TimeSeries for COPY."""
        for row in self._rows:
            packed = row.packed if isinstance(row.packed, PackedSeries) else PackedSeries(*self._file.get(row.packed))
            times = _NULL if packed.times is None else f"\\\\x{packed.times.hex()}"
            yield (
                f"{archive_id}\t{files[row.file]}\t{first + row.configuration}\t{row.cells}\t{times}"
                f"\t\\\\x{packed.values.hex()}\t\\\\x{packed.lines.hex()}"
            )


_FIO = "fio"
_NUMBER = re.compile(r"(?:\A|\.)\d+\Z")
_UNTELLING = frozenset(("", "log", "fio", "run", "test", "bench", "output", "result"))
"""Names of logs that are not those of jobs."""
_MOST_THREADS = 4096
_LONGEST = 1e8  # seconds of a run
_YEARS = range(1970, 2200)
_WITHOUT_POINTS = ("times", "values", "lines")


@dataclass(frozen=True, slots=True)
class StoredPoints:
    """Columns of a series: seconds since its first point (None where the output has no time), values, lines."""

    t: list[float] | None
    v: list[float]
    lines: list[int]


def of_archive(archive_id: int) -> QuerySet[TimeSeries]:
    """The series of an archive without their points, by file and line; not those of withdrawn files."""
    return _of_archives([archive_id])


def _of_archives(ids: Iterable[int]) -> QuerySet[TimeSeries]:
    rows = TimeSeries.objects.filter(archive__in=list(ids), file__withdrawn=False)
    return rows.select_related("file", "configuration").defer(*_WITHOUT_POINTS).order_by("file__path", "first_line", "id")


def for_run(run: Run) -> list[TimeSeries]:
    """The series of a run, without their points (`iter_blocks`)."""
    return for_runs([run])[run.pk]


def for_runs(runs: Sequence[Run]) -> dict[int, list[TimeSeries]]:
    """The series of each run, by its id. At most six queries, however many archives the runs are of."""
    rows: dict[int, list[TimeSeries]] = {run.archive_id: [] for run in runs}
    for row in _of_archives(rows):
        rows[row.archive_id].append(row)
    asked = [run for run in runs if rows[run.archive_id]]
    results, elapsed = _result_paths({run.archive_id for run in asked}), _elapsed(asked)
    found = {
        run.pk: _of_run(run, rows[run.archive_id], results[run.archive_id], elapsed[run.pk]) if run.pk in elapsed else []
        for run in runs
    }
    numbers = _threads([run for run in runs if run.tool == _FIO and any(row.tool == _FIO for row in found[run.pk])])
    return {run.pk: of_jobs(found[run.pk], jobs, _source(run), numbers.get(run.pk)) for run, jobs in _jobs(runs, found).items()}


def with_points(ids: Iterable[int]) -> dict[int, TimeSeries]:
    """These series with their points, in one query."""
    return {row.pk: row for row in TimeSeries.objects.filter(pk__in=list(ids)).select_related("file")}


def _result_paths(archives: Collection[int]) -> dict[int, dict[str, str]]:
    """The files of each archive that have results, with the tool of one of them."""
    paths: dict[int, dict[str, str]] = {archive: {} for archive in archives}
    found = Run.objects.filter(archive__in=paths).values_list("archive_id", "file__path", "tool").distinct()
    for archive, path, tool in found:
        paths[archive][path] = tool
    return paths


def _of_run(run: Run, rows: list[TimeSeries], results: Mapping[str, str], elapsed: float) -> list[TimeSeries]:
    """Of the series of its archive those of a run that took at least so many seconds."""
    host = run.configuration.host
    logged = {*results.values()} - {run.tool}  # the logs of a benchmark are of its own runs, where there are any
    rows = [row for row in rows if _is_of_host(row, host) and row.tool not in logged]
    start = parse_moment(run.started_at)
    end = None if start is None else add_seconds(start, elapsed)
    timed = [(row, known) for row in rows if (known := _overlaps(row, start, end)) is not None]
    overlapping = [row for row, overlaps in timed if overlaps]
    decided = {row.pk for row, _ in timed}
    beside = _beside(run, [row for row in rows if row.pk not in decided], results)
    chosen = {row.pk for row in (*overlapping, *beside)}
    return [row for row in rows if row.pk in chosen]


def iter_blocks(row: TimeSeries) -> Iterator[StoredPoints]:
    """The points of a series, some at once."""
    times = None if row.times is None else bytes(row.times)
    for block in unpack_series(PackedSeries(row.points, times, bytes(row.values), bytes(row.lines))):
        yield StoredPoints(block.times, block.values, block.lines)


@dataclass(frozen=True, slots=True)
class _Threads:
    """What fio numbers in the names of logs: the threads of an output, of all of its jobs in their order. `own`: those of a run,
    none where it is the sum of all; `jobs`: the names of all; `has_sum`: whether the output has that sum."""

    own: frozenset[int]
    total: int
    jobs: frozenset[str]
    has_sum: bool

    def choose(self, logs: Mapping[int, tuple[str, int]], own: Collection[int]) -> set[int]:
        """The logs of the run. `logs`: by id (prefix, number, 0 without one); `own`: those of its name.

        Where numbers are those of all threads, they decide: a prefix of `write_lat_log` may be one for all jobs, and two jobs may
        have one name. A log without a number beside several jobs (`per_job_logs=0`) is of their sum.
        """
        numbers: dict[str, set[int]] = {}
        for prefix, number in logs.values():
            numbers.setdefault(prefix, set()).add(number)
        every = {*range(1, self.total + 1)}
        named = self.jobs.intersection(numbers)
        shared = {prefix for prefix, some in numbers.items() if some - {0} == every and (named <= {prefix} or prefix not in named)}
        decides = {number for prefix in named for number in numbers[prefix]} - {0} == every
        made = {pk for pk in own if logs[pk][0] not in shared and (not decides or logs[pk][1] in (0, *self.own))}
        made |= {pk for pk, (prefix, number) in logs.items() if prefix in shared and number in self.own}
        if self.has_sum:
            of_sum = {pk for pk, (prefix, number) in logs.items() if not number and prefix not in self.jobs}
            made = made - of_sum if self.own else of_sum
        return made


def _threads(runs: Sequence[Run]) -> dict[int, _Threads]:
    """The threads of each of these runs of fio that is one of several of its output, or has several. Two queries."""
    beside = Run.objects.filter(file__in={run.file_id for run in runs}, tool=_FIO).order_by("pk")
    found = list(beside.values_list("pk", "file_id", "first_measurement", "details__job", "details__part")) if runs else []
    processes = dict(Measurement.objects.filter(pk__in=[row[2] for row in found]).values_list("pk", "workload__params__processes"))
    outputs: dict[int, list[tuple[int, frozenset[int], str]]] = {}
    for pk, file, first, job, part in found:
        rows = outputs.setdefault(file, [])
        last = max((number for _, some, _ in rows for number in some), default=0)
        own = frozenset() if part else frozenset(range(last + 1, last + 1 + min(int(processes.get(first) or 1), _MOST_THREADS)))
        rows.append((pk, own, "" if part else job or ""))
    made: dict[int, _Threads] = {}
    for rows in outputs.values():
        total, jobs = sum(len(own) for _, own, _ in rows), frozenset(job for *_, job in rows if job)
        if total > 1:
            made |= {pk: _Threads(own, total, jobs, any(not other for _, other, _ in rows)) for pk, own, _ in rows}
    return made


def of_jobs(rows: list[TimeSeries], jobs: Collection[str], source: str = "", threads: _Threads | None = None) -> list[TimeSeries]:
    """Without logs of fio of other jobs: `seqread.1` is the first of the job `seqread`. Where none bears the name of these jobs,
    those whose name is that of no job, or stands in path or command (`source`); where `threads` are known, by their numbers."""
    logs = {row.pk: _prefix_and_number(row.subject) for row in rows if row.tool == _FIO} if jobs else {}
    own = {pk for pk, (name, _) in logs.items() if name in jobs}
    own = own or {pk for pk, (name, _) in logs.items() if name in _UNTELLING or _words(name) <= _words(source)}
    own = threads.choose(logs, own) if threads else own
    return [row for row in rows if row.pk not in logs or row.pk in own]


def _prefix_and_number(subject: str) -> tuple[str, int]:
    match = _NUMBER.search(subject)
    return (subject[: match.start()], int(match[0].lstrip("."))) if match else (subject, 0)


def _jobs(runs: Sequence[Run], found: Mapping[int, list[TimeSeries]]) -> dict[Run, set[str]]:
    """The jobs of each run, where logs stand beside it; of several jobs each value has its own."""
    jobs = {run: {job} if (job := run.details.get("job")) else set() for run in runs}
    asked = [run for run in runs if run.tool == _FIO and not jobs[run] and any(row.tool == _FIO for row in found[run.pk])]
    ranges = [Q(id__gte=run.first_measurement, id__lt=run.first_measurement + run.measurements) for run in asked]
    values = Measurement.objects.filter(reduce(or_, ranges, Q(id__in=())), details__job__isnull=False)
    of_runs = {run.pk: jobs[run] for run in asked}
    for pk, job in values.values_list("run_id", "details__job").distinct() if asked else ():
        of_runs[pk].add(job)
    return jobs


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def _source(run: Run) -> str:
    """What may name the logs of a run: its file and its command."""
    return f"{run.file.path} {run.details.get('command') or ''}"


def _is_of_host(row: TimeSeries, host: str | None) -> bool:
    own = row.configuration.config.get("host")
    return not own or not host or same_host(own, host)


def parse_moment(text: str | None) -> datetime | None:
    """The moment of an ISO 8601 text; None where it has no time of day, is none, or is of no year that a benchmark was run in."""
    try:
        moment = datetime.fromisoformat(text) if text and len(text) > len("2026-11-24") else None
    except ValueError:
        return None
    return moment if moment is not None and moment.year in _YEARS else None


def add_seconds(moment: datetime, seconds: float) -> datetime:
    """That many seconds later or earlier, bounded by the longest run."""
    return moment + timedelta(seconds=max(-_LONGEST, min(seconds, _LONGEST)))


def _elapsed(runs: Sequence[Run]) -> dict[int, float]:
    """Seconds that each run took at least: as stated or printed of it, else the longest elapsed time among its values."""
    seconds = {run.pk: printed_seconds(run) for run in runs}
    ranges = [
        Q(id__gte=run.first_measurement, id__lt=run.first_measurement + run.measurements)
        for run in runs
        if seconds[run.pk] is None and run.started_at and run.measurements
    ]
    longest = dict.fromkeys(seconds, 0.0)
    values = Measurement.objects.filter(reduce(or_, ranges, Q(id__in=())), metric__name__endswith=".elapsed")
    for pk, value in values.values_list("run_id", "value"):
        longest[pk] = max(longest.get(pk, 0.0), value)
    return {pk: min(longest[pk], _LONGEST) if found is None else found for pk, found in seconds.items()}


def printed_seconds(run: Run) -> float | None:
    """Seconds that the run took, where its manifest or its tool says so."""
    return longest_printed([run.details])


def _overlaps(row: TimeSeries, start: datetime | None, end: datetime | None) -> bool | None:
    """Whether they overlap in time; None where that is not known: a time without zone is of the same machine's clock."""
    first = parse_moment(row.started_at)
    if first is None or start is None or end is None:
        return None
    if (first.tzinfo is None) != (start.tzinfo is None):
        return None
    return first <= end and add_seconds(first, row.span or 0) >= start


def _beside(run: Run, rows: list[TimeSeries], results: Iterable[str]) -> list[TimeSeries]:
    """Of series whose time does not decide, those of the nearest scope."""
    path = run.file.path
    if own := [row for row in rows if row.file.path == path]:
        return own
    if not rows:
        return []
    parts = name_parts(path)
    of_others = frozenset[str]().union(*(name_parts(other) for other in results if other != path)) - parts
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        inside = [row for row in rows if row.file.path.rpartition("/")[0] == folder]
        if named := [row for row in inside if name_parts(row.file.path) & parts]:
            return named
        if free := [row for row in inside if not name_parts(row.file.path) & of_others]:
            return free
    return []
