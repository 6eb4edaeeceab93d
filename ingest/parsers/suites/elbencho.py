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
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.suites import _elbencho_csv
from ingest.parsers.suites._elbencho_command import ElbenchoPhase, parse_command, parse_date
from ingest.parsers.suites._elbencho_table import LIST_ROW, PARTIAL_ROW, TABLE_HEADER, TABLE_ROW, TABLE_RULE, PhaseTable
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.spill import by_line
from ingest.text.lines import Text

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
    return by_line(chain(_ElbenchoScan(text).items(), _elbencho_csv.parse(text), _elbencho_csv.json_parse(text)))


PARSER = Parser(
    name="elbencho",
    version=6,
    anchor=Anchor(ANCHOR, 'result type|elapsed ms|elapsed time|throughput m|[last]|"phase_type"|iso date,label'),
    parse=parse,
)
