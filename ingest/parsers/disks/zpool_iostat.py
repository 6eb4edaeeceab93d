"""`zpool iostat [-v] [-y] [INTERVAL]`: operations and bandwidth of pools and vdevs per interval.

Operations are per second, bandwidth bytes per second; K, M, G are powers of 1024, of operations too (zpool-iostat(8);
zfs_nicenum in libzutil divides by 1024); the decimal point is the locale's (`1,34T`). The first report shows the average
since boot unless -y is given: it is kept apart as such. The workload of the pool is not part of the output: `pattern: unknown`.

Shapes of zpool-iostat (name | versions | units | traps):
    reports of zpool iostat, with and without -v, -l, -p, -q | illumos, FreeBSD, OpenZFS | K, M, G are powers of 1024; waiting
        times ns to s, with -p ns | the first report is the average since boot unless -y was given
    rows of -H, or picked by grep | OpenZFS | as above | only below their command; they have no headings

Source: zpool-iostat(8) of OpenZFS
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

# The output of one zpool iostat command while it is read, and what the values of a row share.

_MAX_FIRST_LINES = 50


@dataclass(slots=True)
class IostatOutput:
    """One command and the reports below it; line numbers are 0 where the line is not shown.

    `has_interval_only`: the command leaves out the report since boot. `in_rows`: rows may follow. `indent`: of the titles;
    names of vdevs are indented further. `report`, `rows`: ordinal of the report, and how many rows of it were read.
    `names`: those of its pools, or of all rows where there are no titles. `first_lines`: rows by which the first report is
    distinguished from later ones.
    """

    command: str | None = None
    command_line: int = 0
    has_interval_only: bool = False
    in_rows: bool = False
    in_histogram: bool = False  # of -w and -r: counts since boot, no rates
    title_line: int = 0
    report: int = 0
    names: set[str] = field(default_factory=set)
    pool: str = ""
    indent: int = 0
    rows: int = 0
    is_tabbed: bool = False  # -H: tabs, no titles
    command_words: frozenset[str] = frozenset()  # of a command without -v: rows of other names are pools
    is_excerpt: bool = False  # by grep: no titles
    waits: list[tuple[str, str]] = field(default_factory=list)  # -l: metric and part of each column of waiting times
    groups_line: int = 0
    first_lines: list[int] = field(default_factory=list)
    # Objects that many rows share: a dict for each value would take more memory than the value.
    params: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    depends: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    run: tuple[int, int] = (0, 0)

    def begin_report(self) -> None:
        """Begin the next report of the command."""
        self.report += 1
        self.names, self.rows = set(), 0

    def add_first_line(self, number: int) -> None:
        """Take a line of the first two reports, unless there are many."""
        if self.report < 2 and len(self.first_lines) < _MAX_FIRST_LINES:
            self.first_lines.append(number)

    def shared_run(self) -> tuple[int, int]:
        """The run of the current report, one object for all its values."""
        if self.run != (self.command_line, self.report):
            self.run = self.command_line, self.report
        return self.run

    def shared_depends(self) -> tuple[int, ...]:
        """The lines without which a row would read otherwise, one object until one is added."""
        key = (self.command_line, self.title_line, self.groups_line, len(self.first_lines))
        if self.depends[0] != key:
            self.depends = key, tuple(sorted({*key[:3], *self.first_lines} - {0}))
        return self.depends[1]

    def shared_params(self, *parts: str) -> dict[str, Any]:
        """The parameters of values of the current pool, or of a part of it."""
        key = (self.pool, *parts)
        params = self.params.get(key)
        if params is None:
            params = {"pattern": "unknown", "pool": self.pool} | ({"part": ", ".join(parts)} if parts else {})
            if self.command:
                params["command"] = self.command
            self.params[key] = params
        return params


class IostatRow(NamedTuple):
    """Fields that the values of one row share."""

    line: int
    configuration: dict[str, tuple[Any, int]]
    run: tuple[int, int]
    depends: tuple[int, ...]

    def value(self, metric: str, native: str, number: PrintedNumber, params: dict[str, Any], stat: str) -> Value:
        """A value of the row; positional, since a long log has millions."""
        return Value(
            self.line,
            "zpool iostat",
            metric,
            native,
            number.value,
            number.unit,
            raw=number.raw,
            raw_unit=number.raw_unit,
            run=self.run,
            stat=stat,
            params=params,
            printed_config=self.configuration,
            depends=self.depends,
        )


_GAP = r"[^\S\n]+"
_TITLE = lazy(rf"^[ \t>|#]*(?:pool|name){_GAP}(?:alloc|used){_GAP}(?:free|avail){_GAP}read{_GAP}write{_GAP}read{_GAP}write\b")
_TITLE_START = lazy(r"^[\s>|#]*(?:pool|name|latency|req_size|capacity|--)")  # of every line of titles, and of rules
_HISTOGRAM = lazy(rf"^[ \t>|#]*(?:latency{_GAP}read{_GAP}write|req_size{_GAP}ind{_GAP}agg)\b")
ANCHOR = (
    Anchor(lazy(_TITLE.pattern, re.M), "alloc|used")
    | Anchor(lazy(_HISTOGRAM.pattern, re.M), "latency|req_size")
    | Anchor(lazy(r"\bzpool iostat[^\S\n][^\n]{0,100}?(?:-[a-zA-Z]{0,6}H|\|[ \t]?(?:[ef]?grep|tail|sed)\b)"), "zpool iostat")
)
_COMMAND = lazy(r"\bzpool iostat\b(.*)$")
_MIN_FIGURES = 3
_MAX_COMMAND = 400  # characters; text beyond them is not part of a typed command
_EXCERPT = lazy(r"\|\s*(?:[ef]?grep|tail|sed)\b")  # a command whose output lacks the titles
_LAST_REPORT = lazy(r"\s\d+(?:\.\d+)?(?:\s+(\d+))?\s*\|(?!.*\b(?:head|sed)\b).*\btail\s+(?:-n ?|--lines=|-)1(?:\s|\Z)")
_GROUP_TITLES = lazy(r"^[\s>|#]*capacity\s+operations\s+bandwidth((?:\s+\w+){0,12})\s*$")
_TABBED_ROW = lazy(r"^ *(\S[^\t\n]{0,200})\t(\S+)\t(\S+)\t(\S+)\t(\S+)\t(\S+)\t(\S+)((?:\t\S+){0,30})$")
_JOINED_TITLES = lazy(r"\s{2,}(capacity\s+operations\s+bandwidth(?:\s+\w+){0,12})\s*$")  # the line feed behind the command was lost
_BETWEEN_ROWS = lazy(
    r"^[\s>|]*(?:capacity\s+operations\s+bandwidth|(?:logs|cache|special|dedup|spares)(?:\s+-){0,40}$)"
    r"|(?P<time>(?=[^\n]{0,60}\b(?:19|20)\d\d\b)[^\n]{0,60}\d:\d\d:\d\d|^1\d{9}$)"  # of a report (-T d, -T u)
)
_MARKUP_RULE = lazy(r"^[\s>|]*-{3,}$")  # the rule below the titles, as web pages render it
_RULE = lazy(r"^[\s>|#]*-{2,}(?:\s+-+){6}")
_DASHES = str.maketrans("\u2013\u2014", "--")  # dashes that typesetting made of two hyphens, and of one
_ROW = lazy(r"^(?:[>|#]+ ?)?( *)([^\s>|#]\S*)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)((?:\s+\S+){0,30})\s*$")
_INDENT = lazy(r"^[>|#]+ ?")
_NUMBER_CELL = lazy(r"(\d+(?:[.,]\d{1,2})?)([KMGTPE]?)\Z")
_CAPACITY_CELL = lazy(r"(?:-|0|\d+(?:[.,]\d{1,2})?[KMGTPE])\Z")
_FIGURES = lazy(r"(?:[^\S\n]+(?:-|\d+(?:[.,]\d{1,2})?[KMGTPE]?)){4}(?=\s|\Z)")  # rows far below their titles
_WAIT_CELL = lazy(r"(\d+(?:[.,]\d+)?)(ns|us|ms|s)?\Z")
_SECONDS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, None: 1e9}  # divisors; -p prints nanoseconds
_FACTORS = {letter: 1024**power for power, letter in enumerate(["", "K", "M", "G", "T", "P", "E"])}
_RAW_UNITS = {
    (letter, unit): f"{letter}i{unit.removeprefix('1')}" if letter else unit for letter in _FACTORS for unit in ("1/s", "B/s")
}
_COLUMNS = (
    ("read.rate", "1/s", "operations read"),
    ("write.rate", "1/s", "operations write"),
    ("read.throughput", "B/s", "bandwidth read"),
    ("write.throughput", "B/s", "bandwidth write"),
)


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every report, in line order. `-` is a figure that does not exist."""
    output = IostatOutput()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if line[:1] == "\t" and not output.is_tabbed:
            line = line.expandtabs()  # an indented listing
        if not line.isascii():
            line = line.translate(_DASHES)
        if command := _COMMAND.search(line):
            output = _begin_output(command[1], number)
            _take_joined_titles(output, command[1], number)
        elif output.is_tabbed and "\t" in line and (row := _TABBED_ROW.match(line)) and _is_row(row.groups()[1:7]):
            yield from _untitled_row(output, row, number, first_rate=3)
        elif output.is_excerpt and (row := _excerpt_row(line)):
            yield from _untitled_row(output, row, number, first_rate=4)
        elif _TITLE_START.match(line) and (warnings := _take_titles(output, line, number)) is not None:
            yield from warnings
        elif line and not _take_between_rows(output, line):
            if output.in_rows and not _MARKUP_RULE.match(line):
                yield from _titled_row(output, line, number)
            else:
                output.is_excerpt = False


def _take_between_rows(output: IostatOutput, line: str) -> bool:
    """Whether a line may stand between the rows. Behind the time of a report, a vdev without the row of its pool is of no pool."""
    between = _BETWEEN_ROWS.match(line)
    if between and between["time"] is not None:
        output.pool = ""
    return between is not None


def _begin_output(arguments: str, number: int) -> IostatOutput:
    """The output of a command with the options that decide how its rows are read."""
    last = _LAST_REPORT.search(arguments[:_MAX_COMMAND])  # `tail -1` of several reports; of one it is the average since boot
    output = IostatOutput("zpool iostat" + arguments, number)
    output.has_interval_only = bool(re.search(r"\s-[a-zA-Z]*y", arguments) or (last and last[1] != "1"))
    output.is_tabbed = bool(re.search(r"\s-[a-zA-Z]*H", arguments))
    if output.is_tabbed and not re.search(r"\s-[a-zA-Z]*v", arguments):
        output.command_words = frozenset(arguments.split()) | {""}
    output.is_excerpt = not output.is_tabbed and bool(_EXCERPT.search(arguments))
    return output


def _take_joined_titles(output: IostatOutput, arguments: str, number: int) -> None:
    """Take the first line of titles where it follows the command on the same line."""
    if (joined := _JOINED_TITLES.search(arguments)) and (groups := _GROUP_TITLES.match(joined[1])):
        output.command = "zpool iostat" + arguments[: joined.start()]
        _take_groups(output, groups[1].split(), number)


def _excerpt_row(line: str) -> re.Match[str] | None:
    """The row of a pool or vdev, if every cell of the line has the form of its column."""
    row = _ROW.match(line)
    if row and not row[9] and all(map(_CAPACITY_CELL.match, row.groups()[2:4])) and all(map(_NUMBER_CELL.match, row.groups()[4:8])):
        return row
    return None


def _take_titles(output: IostatOutput, line: str, number: int) -> Iterable[Doubt] | None:
    """Warnings about a line of titles or a rule, which decides what follows; None for other lines."""
    if _HISTOGRAM.match(line):
        output.in_rows, output.in_histogram = False, True
        if "req_size" not in line:
            return ()  # -w, whose reports are a curve
        return [Doubt(number, "unread", "a histogram of zpool iostat -r counts requests; its rows are not recorded")]
    if groups := _GROUP_TITLES.match(line):
        _take_groups(output, groups[1].split(), number)
        return ()
    if _TITLE.match(line):
        output.add_first_line(number)
        output.in_rows, output.title_line, output.pool, output.in_histogram, output.is_excerpt = True, number, "", False, False
        output.indent = len(_INDENT.sub("", line[: line.index(line.lstrip(" >|#"))]))
        if output.rows or not output.report:
            output.begin_report()
        return ()
    if not output.in_histogram and _RULE.match(line):
        output.add_first_line(number)
        output.in_rows, output.pool = True, ""  # ends a pool; another one, or the next report, follows
        return ()
    return None


def _take_groups(output: IostatOutput, names: list[str], number: int) -> None:
    """Take the waiting times of -l: two columns, read and write, for each group, one for scrub, trim and rebuild.

    The queue lengths of -q are no results; as curves they are read by `ingest.series`.
    """
    output.waits, output.groups_line = [], number if names else 0
    for name in names:
        if name.endswith("_wait"):
            part = "" if name == "total_wait" else name.replace("_", " ")
            output.waits += [("read.latency", part), ("write.latency", part)]
        elif name in ("scrub", "trim", "rebuild"):
            output.waits.append((f"{'trim' if name == 'trim' else 'read'}.latency", f"{name} wait"))
        else:
            output.waits += [("", name)] * 2  # pend, activ


def _untitled_row(output: IostatOutput, row: re.Match[str], number: int, *, first_rate: int) -> Iterator[Found]:
    """A row without titles: of -H, where vdevs are not indented, or an excerpt. `first_rate`: index of its first rate."""
    is_excerpt, name = first_rate == 4, row[first_rate - 2]
    is_vdev = is_excerpt and bool(row[1] or row[3] == "-")  # pools have a capacity, also where the indentation was lost
    output.add_first_line(number)
    if not is_vdev and (not output.report or name in output.names):
        output.begin_report()
        output.pool = name
    elif not is_vdev and (is_excerpt or (output.command_words and name not in output.command_words)):
        output.pool = name
    output.names.add(name)
    output.rows += 1
    if not output.pool:
        yield Doubt(number, "no-header", f"{name}: a row of zpool iostat without the row of its pool")
        return
    yield from _cells(output, name, row.groups()[first_rate:], number, is_vdev=name != output.pool)


def _titled_row(output: IostatOutput, line: str, number: int) -> Iterator[Found]:
    """A row below titles; a line that is none ends the report."""
    row = _ROW.match(line)
    if not row or not _is_row(row.groups()[2:8]):
        words = line.split()
        if len(words) in (5, 6) and _is_row(words[1:]):
            yield Doubt(number, "short-row", f"a row that does not have seven columns: {line.strip()[:60]!r}")
        else:
            output.in_rows, output.title_line = False, 0
        return
    name, is_vdev = row[2], len(row[1]) > output.indent
    if not is_vdev:
        output.add_first_line(number)
        if name in output.names:
            output.begin_report()
        output.names.add(name)
        output.pool = name
    output.rows += 1
    if not output.title_line or not output.pool:
        missing = "its column headings" if output.pool else "the row of its pool"
        yield Doubt(number, "no-header", f"{name}: a row of zpool iostat without {missing}")
        return
    yield from _cells(output, name, row.groups()[4:], number, is_vdev=is_vdev)


def _is_row(cells: Sequence[str]) -> bool:
    """Whether enough cells are figures, and few enough words, for the others to be damaged figures."""
    figures = sum([cell == "-" or _NUMBER_CELL.match(cell) is not None for cell in cells])
    return figures >= _MIN_FIGURES and sum(map(str.isalpha, cells)) < 2


def _cells(output: IostatOutput, name: str, cells: Sequence[str], number: int, *, is_vdev: bool) -> Iterator[Found]:
    """The figures of a row: four cells, then the waiting times."""
    parts = [] if output.has_interval_only or output.report > 1 else ["since boot"]
    if is_vdev:
        parts.append(name)
    row = IostatRow(number, {"pool.name": (output.pool, number)}, output.shared_run(), output.shared_depends())
    params = output.shared_params(*parts)
    for (metric, unit, native), raw in zip(_COLUMNS, cells[:4], strict=True):
        if raw == "-":
            continue
        cell = _NUMBER_CELL.match(raw)
        if not cell:
            yield Doubt(number, "bad-number", f"{name} {native}: {raw[:40]!r} is not a number")
            continue
        value = float(cell[1].replace(",", ".")) * _FACTORS[cell[2]]
        yield row.value(metric, native, PrintedNumber(value, unit, raw, _RAW_UNITS[cell[2], unit]), params, "sample")
    waits = cells[4].split()
    if waits and len(waits) != len(output.waits):
        yield Doubt(number, "no-header", f"{name}: {len(waits)} extra cells whose headings are missing or unknown")
        return
    for (metric, part), raw in zip(output.waits, waits, strict=False):
        if not metric:
            continue
        cell = _WAIT_CELL.match(raw)
        if raw != "-" and not cell:
            yield Doubt(number, "bad-number", f"{name} {part}: {raw[:40]!r} is not a time")
        elif cell:
            seconds = float(cell[1].replace(",", ".")) / _SECONDS[cell[2]]
            native = intern(f"{part or 'total wait'} {metric.split('.')[0]}")
            params = output.shared_params(*parts, *([part] if part else []))
            yield row.value(metric, native, PrintedNumber(seconds, "s", raw, cell[2] or "ns"), params, "mean")


# The titles of -l and -q, wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*capacity\s+operations\s+bandwidth\s+(?:total_wait|syncq_read)\b"),
        lazy(
            r"\s*capacity\s+operations\s+bandwidth(?:\s+total_wait\s+disk_wait\s+syncq_wait\s+asyncq_wait\s+scrub"
            r"(?:\s+trim)?(?:\s+rebuild)?)?(?:\s+syncq_read\s+syncq_write\s+asyncq_read\s+asyncq_write\s+scrubq_read"
            r"(?:\s+trimq_write)?(?:\s+rebuildq_write)?)?\s*"
        ),
    ),
)

PARSER = Parser(wide=_WIDE, name="zpool-iostat", version=15, anchor=ANCHOR, parse=parse, brief=True, follows=_FIGURES)
