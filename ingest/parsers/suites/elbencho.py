"""elbencho: throughput, IOPS, metadata rates and latencies of files, block devices and objects, phase by phase.

Three forms of the same results: the table of the console and of --resfile, --csvfile, --jsonfile. LAST DONE is the
result of a phase; FIRST DONE, the work done until the first thread had finished, is kept apart by `part`.

Shapes of elbencho (name | versions | units | traps):
    table (console, --resfile) | 1.0 to 3.1 | MiB = 2^20 B, MB/s of --base10 = 10^6 B, ms, us | whole numbers cut off: a rate of
        0 is unmeasured; FIRST DONE is part `first done`; percentiles are upper bounds of buckets; histograms are skipped
    CSV (--csvfile) | 1.0 to 3.1 | MiB = 2^20 B, ms, us | --livecsv is progress and skipped with a warning
    JSON (--jsonfile) | 3.0, 3.1 | bytes/s, ms, us | one object a phase, numbers as strings

Source: Statistics.cpp of elbencho 1.0 to 3.1 (printPhaseResultsToStream, ...ToStringVec, ...AsJSON), docs/csv-docs.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.parsers.suites._elbencho_command import (
    FIRST_DONE,
    PHASE_NAME,
    STAT_NAMES,
    ElbenchoPhase,
    RunGrouping,
    parse_command,
    parse_date,
    read_workload,
)
from ingest.parsers.suites._elbencho_table import (
    LIST_ROW,
    PARTIAL_ROW,
    TABLE_HEADER,
    TABLE_ROW,
    TABLE_RULE,
    Cell,
    PhaseTable,
    read_rate,
)
from ingest.plugin_api import Anchor, Parser
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue
from ingest.spill import by_line
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents, json_fault_warnings

ANCHOR = lazy(
    r"RESULT TYPE[^\S\n]{1,40}FIRST DONE|Elapsed (?:ms|time)[^\S\n]{0,12}:|Throughput Mi?B/s[^\S\n]{0,4}:|"
    r"MiB/s \[last\]|\"phase_type\"|ISO Date,Label,Phase,RuntimeMS,"
)
_COMMAND = lazy(
    r"(?:(?:^|[\s;|&(/])elbencho(?::[\w.-]{1,40})?\s+(?=[-/~\w\"'])|^\s*COMMAND LINE:\s*\"[^\"\n]{0,200}elbencho\"\s+)"
    r"([^\n|>]{1,2000})"
)
_OPTION = lazy(r"(?:^|[\s\"])--?[a-zA-Z]")
_STARTED = lazy(r"^\W{0,20}ISO DATE(?: start)?\s*:\s*(\S{19,35})\s*$")
_LABEL = lazy(r"^\W{0,20}LABEL: (\S[^\n]{0,100})$")
_VERSION = lazy(r"^\W{0,20}Version: (\d{1,3}\.\d{1,3}\S{0,12})\s*$")
_FAILURE = lazy(r"^\W{0,20}(?:ERROR: |Phase: \S+: Skipping stats print)")
_MAX_DISTANCE = 6  # lines from the word elbencho to its version


@dataclass(slots=True)
class _Head:
    """Lines before a table that hold for it: each value with its line. `wrapped`: further lines of the command."""

    command: tuple[str, int] = ("", 0)
    started: tuple[str | None, int] = (None, 0)
    label: tuple[str, int] = ("", 0)
    is_used: bool = False
    wrapped: tuple[int, ...] = ()

    def lines(self) -> tuple[int, ...]:
        return (*(line for _, line in (self.command, self.started, self.label) if line), *self.wrapped)


@dataclass(slots=True)
class _ElbenchoScan:
    """One pass over the lines of tables.

    `header_line`: that of the current table; `run`: the first line of the current execution; `names`: its phases so far;
    `program_line`: the last line that names elbencho; `version`: with its line, `version_program_line`: `program_line` before it.
    """

    text: Text
    head: _Head = field(default_factory=_Head)
    version: tuple[str | None, int] = (None, 0)
    version_program_line: tuple[int, ...] = ()
    table: PhaseTable | None = None
    header_line: int = 0
    run: int = 0
    names: set[str] = field(default_factory=set)
    program_line: int = -_MAX_DISTANCE

    def items(self) -> Iterator[Found]:
        for number, line in enumerate(self.text.lines, 1):
            if ":" in line and (row := TABLE_ROW.match(line) or LIST_ROW.match(line)):
                yield from self.take_row(row, number)
            elif ":" in line and "lat" not in line and self.table and not self.table.closed and PARTIAL_ROW.match(line):
                yield Doubt(number, "short-row", f"a row of elbencho without both its columns: {line.strip()[:80]!r}")
            elif "FIRST DONE" in line and TABLE_HEADER.search(line):
                yield from self.end_phase()
                self.begin_table(number)
            elif "---" in line and TABLE_RULE.match(line):
                if self.table:
                    self.table.closed = True
                yield from self.end_phase()
            else:
                yield from self.take_other_line(line, number)
        yield from self.end_phase()

    def take_other_line(self, line: str, number: int) -> Iterator[Doubt]:
        """Commands, dates, labels, versions and errors."""
        if "elbencho" in line:
            self.program_line = number
            if (command := _COMMAND.search(line)) and _OPTION.search(command[0]):
                rest, wrapped = self.wrapped_command(line, number)
                self.next_head().command = f"elbencho {command[1].strip()}{rest}", number
                self.head.wrapped = wrapped
        if "ISO DATE" in line and (started := _STARTED.match(line)):
            self.next_head().started = parse_date(started[1]), number
        elif "LABEL" in line and (label := _LABEL.match(line)):
            self.next_head().label = label[1], number
        elif "Version" in line and number - self.program_line <= _MAX_DISTANCE and (version := _VERSION.match(line)):
            self.version, self.version_program_line = (version[1], number), (self.program_line,)
        elif self.header_line and self.header_line == self.run and ("ERROR" in line or "Skipping" in line) and _FAILURE.match(line):
            yield Doubt(number, "failed-run", f"elbencho reports: {line.strip()[:160]}")

    def wrapped_command(self, line: str, number: int) -> tuple[str, tuple[int, ...]]:
        """The rest of a quoted command that was wrapped and the lines of it: they begin with a quoted word."""
        rest, numbers = "", []
        if "COMMAND LINE:" in line:
            for below, wrapped in enumerate(self.text.lines[number : number + _MAX_DISTANCE], number + 1):
                words = wrapped.strip(" >\t")
                if not words.startswith('"'):
                    break
                rest += f" {words}"
                numbers.append(below)
        return rest, tuple(numbers)

    def next_head(self) -> _Head:
        """The head of the next table."""
        if self.head.is_used:
            self.head = _Head()
        return self.head

    def begin_table(self, number: int) -> None:
        """Take a header: the head of the table before holds no longer."""
        self.next_head().is_used = True
        self.header_line = self.run = number
        self.names = set()

    def take_row(self, row: re.Match[str], number: int) -> Iterator[Found]:
        """Add a row to its phase; one with the name of another phase, or of a further iteration, begins that."""
        name, label = row[1], row[2]
        is_first = label in ("Elapsed time", "Elapsed ms", "time ms")
        is_repeated = self.table and name == self.table.phase.name and self.table.rows[1:] == [] and self.table.has(label)
        if name and not is_repeated and (is_first or self.table is None or name != self.table.phase.name):
            yield from self.end_phase()
            yield from self.begin_phase(name, number)
        if self.table is None or (is_first and not name):
            yield Doubt(number, "no-header", f"the phase of this elbencho row is unknown: {row[0].strip()[:80]!r}")
        elif self.table.has(label):
            yield Doubt(number, "long-row", f"{self.table.phase.name} {label} appears twice; the first was used")
        elif row.re == TABLE_ROW:
            self.table.rows.append((number, label, row[3], row[4]))
        else:
            self.table.lists.append((number, label, row[3], bool(row[4])))

    def begin_phase(self, name: str, number: int) -> Iterator[Doubt]:
        if not self.header_line:
            yield Doubt(number, "no-header", "a phase of elbencho without the header of its table; its columns never vary")
        if name in self.names:  # a further iteration (-i)
            self.run, self.names = number, set()
        self.names.add(name)
        self.table = PhaseTable(self.make_phase(name, number))

    def make_phase(self, name: str, number: int) -> ElbenchoPhase:
        (command, _), (started, _) = self.head.command, self.head.started
        if not command and (shown := self.text.command_for(number)) and (words := _COMMAND.search(shown.text)):
            command = f"elbencho {words[1].strip()}"
            self.head.command = command, shown.line
        params = parse_command(command)
        if self.head.label[0]:
            params["label"] = self.head.label[0]
        lines = (*self.head.lines(), self.header_line, self.version[1], *self.version_program_line)
        depends = tuple(line for line in lines if line)
        return ElbenchoPhase(name, number, self.run or number, self.version[0], started, params, depends=depends)

    def end_phase(self) -> Iterator[Found]:
        table, self.table = self.table, None
        if table:
            yield from table.items()


def parse(text: Text) -> Iterator[Found]:
    """The values of every phase in the text, in whichever form, in line order."""
    return by_line(chain(_ElbenchoScan(text).items(), _csv_parse(text), _json_parse(text)))


# elbencho's --csvfile: a line of labels, then one row a phase; commas in the command are printed as blanks.
#
# Columns: docs/csv-docs.md of elbencho and printPhaseResultsToStringVec(). Reads of a mixed phase stand in columns of
# their own (`rwmix read ...`), and the columns without that are its writes.

# elbencho's --jsonfile: one object a phase, every number a string (boost's property tree prints no others).

_JSON_INTEGER = lazy(r"\d{1,18}\Z")
_RATES = {"entries/s": ("rate", "1/s"), "iops": ("rate", "1/s"), "bytes/s": ("throughput", "B/s")}
_COUNT_KEYS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file_size": "file_size",
           "block_size": "block_size", "io_depth": "iodepth"}  # fmt: skip


class _Quantity(NamedTuple):
    """The unit of a cell: as printed, the base unit, and how many of the former make one of the latter."""

    raw_unit: str
    unit: str
    per_base_unit: int = 1


_MILLISECONDS, _MICROSECONDS = _Quantity("ms", "s", 1000), _Quantity("us", "s", 1_000_000)
_PERCENT = _Quantity("%", "%")


def _json_parse(text: Text) -> Iterator[Found]:
    """The values of every object in the text."""
    if '"phase_type"' not in text.body:
        return
    runs = RunGrouping()
    for document in find_documents(text, "phase_type"):
        name = document.root.text("phase_type")
        if name is not None:
            run = runs.add(name, document.root.text("config", "command"), document.root.line)
            yield from _document(document, name, run)


def _document(document: LocatedDocument, name: str, run: int) -> Iterator[Found]:
    root = document.root
    config = root.get("config")
    version = config.text("version") if config else None
    lines = {node.line for node in (config.value.values() if config and isinstance(config.value, dict) else ())}
    started = parse_date(root.text("iso_start_date") or "")
    phase = ElbenchoPhase(name, root.line, run, version, started, _json_params(root), depends=tuple(lines))
    for key, part in (("first_done", FIRST_DONE), ("last_done", "")):
        if (results := root.get(key)) is not None:
            yield from _results(phase, results, key, part)
    if root.get("last_done") is None:
        yield Doubt(root.line, "cut", f"the phase {name} ends before its results")
    yield from json_fault_warnings(document)


def _json_params(root: LocatedValue) -> dict[str, Any]:
    random_offsets = root.text("config", "random_offsets")
    return read_workload(
        root.text("config", "command"),
        {name: root.text("config", key) for key, name in _COUNT_KEYS.items()},
        is_random=None if random_offsets is None else random_offsets in ("1", "true"),
        is_direct=root.text("config", "direct_io") in ("1", "true"),
        words={"label": root.text("label"), "path_type": root.text("config", "path_type")},
    )


def _results(phase: ElbenchoPhase, results: LocatedValue, key: str, part: str) -> Iterator[Found]:
    """The values of `first_done` or `last_done`; reads of a mixed phase stand in an object of their own."""
    operation = phase.operation(entries=False)
    elapsed = _Cell(phase, results.get("elapsed_time_ms"), f"{operation}.elapsed", f"{key} elapsed_time_ms", part)
    yield from elapsed.items(_MILLISECONDS)
    yield from _Cell(phase, results.get("cpu%"), f"{operation}.cpu", f"{key} cpu%", part).items(_PERCENT)
    mixed_reads = results.get("rwmix_read")
    for node, direction, prefix in ((results, "write" if mixed_reads else "", key), (mixed_reads, "read", f"{key} rwmix_read")):
        for name, (quantity, unit) in _RATES.items():
            metric = f"{phase.operation(name == 'entries/s', direction)}.{quantity}"
            cell = node.get(name) if node else None
            yield from _Cell(phase, cell, metric, f"{prefix} {name}", part).items(_Quantity(unit, unit))
    for kind in ("entries", "IO"):
        table = results.get("latency", kind)
        reads = table.get("rwmix_read") if table else None
        for node, direction in ((table, "write" if reads or mixed_reads else ""), (reads, "read")):
            metric = f"{phase.operation(kind == 'entries', direction)}.latency"
            for name, stat in STAT_NAMES.items():
                cell = node.get(f"{name}_us") if node else None
                yield from _Cell(phase, cell, metric, f"latency {kind} {name}_us", part).items(_MICROSECONDS, stat)


class _Cell(NamedTuple):
    """One number of an object, if it is there."""

    phase: ElbenchoPhase
    node: LocatedValue | None
    metric: str
    native: str
    part: str

    def items(self, quantity: _Quantity, stat: str = "sample") -> Iterator[Found]:
        """Its value, or a warning."""
        if self.node is None:
            return
        phase, line, native = self.phase, self.node.line, self.native
        raw = self.node.value if isinstance(self.node.value, str) else self.node.raw
        if not _JSON_INTEGER.match(raw):
            yield Doubt(line, "bad-number", f"{phase.name} {native}: {raw[:40]!r} is not a whole number")
            return
        number = PrintedNumber(int(raw) / quantity.per_base_unit, quantity.unit, raw, quantity.raw_unit)
        if self.metric.endswith(".elapsed"):
            yield from phase.elapsed(line, native, number, self.part)
        elif int(raw) == 0 and self.metric.endswith((".rate", ".throughput")):
            value = phase.value(line, self.metric, native, number, part=self.part)
            if phase.moves or not self.metric.endswith(".throughput"):
                yield MissingValue.instead_of(value, ZERO_TIME)
            yield phase.zero_rate(line, native)
        else:
            yield phase.value(line, self.metric, native, number, stat=stat, part=self.part)


_LABEL_LINE = lazy(r"(?:^|[,;\t\"])operation\"?[,;\t].*MiB/s \[last\]")
_LIVE_LABELS = lazy(r"^ISO Date,Label,Phase,RuntimeMS,")
_UNLABELLED_ROW = lazy(
    rf"^\d{{4}}-\d\d-\d\dT[^,]{{8,24}},[^,]{{0,80}},(?:dir|file|blockdev|bdev|bucket),(?:[^,]{{0,30}},){{13}}{PHASE_NAME},"
)
_INTEGER = lazy(r"\d{1,18}\Z")
_RATE_COLUMN = lazy(r"(rwmix read )?(time ms|entries/s|IOPS|MiB/s|CPU%) \[(first|last)\]\Z")
_LATENCY_COLUMN = lazy(r"(rwmix read )?(Ent|IO) lat us \[?(min|avg|max)\]?\Z")
_COUNT_COLUMNS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file size": "file_size",
           "block size": "block_size", "IO depth": "iodepth"}  # fmt: skip


@dataclass(slots=True)
class _Labels:
    """The line of labels: its line number, the names of the columns, the separator."""

    line: int
    names: list[str]
    separator: str


def _csv_parse(text: Text) -> Iterator[Found]:
    """The values of every CSV in the text."""
    labels: _Labels | None = None
    runs = RunGrouping()
    for number, line in enumerate(text.lines, 1):
        if "MiB/s" in line and _LABEL_LINE.search(line):
            labels = _labels(number, line)
        elif "RuntimeMS" in line and _LIVE_LABELS.match(line):
            yield Doubt(number, "progress", "--livecsv prints the progress of a running phase, not results")
        elif labels and labels.separator in line and (cells := _cells(line, labels)):
            row = dict(zip(labels.names, cells, strict=False))
            name = row.get("operation", "")
            if re.fullmatch(PHASE_NAME, name):
                run = runs.add(name, row.get("command", ""), number)
                yield from _row(row, number, run, labels)
                yield from _width_warning(len(cells), len(labels.names), number)
        elif not labels and line[:2] == "20" and _UNLABELLED_ROW.match(line):
            yield Doubt(number, "no-header", "the header line of this elbencho CSV row is missing; nothing in it was recorded")


def _width_warning(width: int, expected: int, number: int) -> Iterator[Doubt]:
    if width < expected:
        yield Doubt(number, "short-row", f"{width} fields of {expected}; the last may be cut off and was not recorded")
    elif width > expected + 1:
        yield Doubt(number, "long-row", f"{width} fields, {expected} labels")


def _labels(number: int, line: str) -> _Labels | None:
    """The labels; None if the line is damaged and lacks that of the operation, without which no row can be read."""
    separator = next(separator for separator in ",;\t" if f"operation{separator}" in line.replace('"', ""))
    names = [cell.strip(' \t"\ufeff') for cell in line.split(separator)]
    return _Labels(number, names, separator) if "operation" in names else None


def _cells(line: str, labels: _Labels) -> list[str]:
    """The fields of a row, without the last of one that is cut; none if the row ends before its operation."""
    fields = (cell.strip() for cell in line.split(labels.separator))
    cells = [cell if name == "command" else cell.strip('"') for name, cell in zip_longest(labels.names, fields, fillvalue="")]
    cells = cells[: line.count(labels.separator) + 1]
    if len(cells) < len(labels.names):
        cells = [*cells[:-1], ""] if cells[-1] else cells
    return cells if len(cells) > labels.names.index("operation") + 1 else []


def _row(row: dict[str, str], number: int, run: int, labels: _Labels) -> Iterator[Found]:
    version, started = row.get("version") or None, parse_date(row.get("ISO date", ""))
    phase = ElbenchoPhase(row["operation"], number, run, version, started, _params(row), depends=(labels.line,))
    is_mixed = any(label.startswith("rwmix read") and cell for label, cell in row.items())
    for label, raw in row.items():
        column = _RATE_COLUMN.match(label) or _LATENCY_COLUMN.match(label)
        if not column or not raw:
            continue
        if not _INTEGER.match(raw):
            yield Doubt(number, "bad-number", f"{phase.name} {label}: {raw[:40]!r} is not a whole number")
            continue
        direction = "read" if column[1] else "write" if is_mixed else ""
        if column.re == _LATENCY_COLUMN:
            metric = f"{phase.operation(column[2] == 'Ent', direction)}.latency"
            microseconds = PrintedNumber(int(raw) / 1e6, "s", raw, "us")
            yield phase.value(number, metric, label, microseconds, stat=STAT_NAMES[column[3]])
        else:
            cell = Cell(number, label, raw, FIRST_DONE if column[3] == "first" else "")
            yield from _result(phase, cell, column[2], direction)


def _result(phase: ElbenchoPhase, cell: Cell, quantity: str, direction: str) -> Iterator[Found]:
    """A time, a share of the processor or a rate; the label names the column, so that the part is not added to it."""
    line, label, raw, part = cell
    if quantity == "time ms":
        yield from phase.elapsed(line, label, PrintedNumber(int(raw) / 1000, "s", raw, "ms"), part)
    elif quantity == "CPU%":
        yield phase.value(line, f"{phase.operation(False)}.cpu", label, PrintedNumber(float(raw), "%", raw, "%"), part=part)
    else:
        for item in read_rate(phase, cell, quantity, direction):
            if not isinstance(item, Doubt):
                item.native = f"{phase.name} {label}"
            yield item


def _params(row: dict[str, str]) -> dict[str, Any]:
    """The workload by the columns, else by the command."""
    params = read_workload(
        row.get("command"),
        {name: row.get(column) for column, name in _COUNT_COLUMNS.items()},
        is_random={"0": False, "1": True}.get(row.get("random", "")),
        is_direct=row.get("direct IO") == "1",
        words={"label": row.get("label"), "path_type": row.get("path type")},
    )
    for column, name, factor in (("entries [last]", "entries", 1), ("MiB [last]", "moved", 2**20)):
        if _INTEGER.match(row.get(column, "")):
            params[name] = int(row[column]) * factor
    return params


PARSER = Parser(
    name="elbencho",
    version=6,
    anchor=Anchor(ANCHOR, 'result type|elapsed ms|elapsed time|throughput m|[last]|"phase_type"|iso date,label'),
    parse=parse,
)
