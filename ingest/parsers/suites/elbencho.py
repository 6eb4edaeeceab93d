"""elbencho: throughput, IOPS, metadata rates and latencies of files, block devices and objects, phase by phase.

Three forms of the same results: the table of the console and of --resfile, --csvfile, --jsonfile. LAST DONE is the
result of a phase; FIRST DONE, what was done until the first thread was through, is kept apart by `part`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.suites import _elbencho_csv, _elbencho_json
from ingest.parsers.suites._elbencho_phase import ElbenchoPhase, parse_command, parse_date
from ingest.parsers.suites._elbencho_table import LIST_ROW, PARTIAL_ROW, TABLE_HEADER, TABLE_ROW, TABLE_RULE, PhaseTable
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
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
_LABELLED = lazy(r"^\W{0,20}LABEL: (\S[^\n]{0,100})$")
_VERSION = lazy(r"^\W{0,20}Version: (\d{1,3}\.\d{1,3}\S{0,12})\s*$")
_FAILED = lazy(r"^\W{0,20}(?:ERROR: |Phase: \S+: Skipping stats print)")
_ABOUT = 6  # lines from the word elbencho to its version


@dataclass(slots=True)
class _Head:
    """What stands before a table and holds for it."""

    command: tuple[str, int] = ("", 0)
    started: tuple[str | None, int] = (None, 0)
    label: tuple[str, int] = ("", 0)
    taken: bool = False
    wrapped: tuple[int, ...] = ()  # lines into which the command goes on

    def lines(self) -> tuple[int, ...]:
        return (*(line for _, line in (self.command, self.started, self.label) if line), *self.wrapped)


@dataclass(slots=True)
class _Reading:
    """One pass over the lines."""

    text: Text
    head: _Head = field(default_factory=_Head)
    version: tuple[str | None, int] = (None, 0)
    table: PhaseTable | None = None
    header: int = 0
    run: int = 0
    names: set[str] = field(default_factory=set)
    named: tuple[int, ...] = ()
    about: int = -_ABOUT  # the line that names elbencho, before its version

    def items(self) -> Iterator[Value | Doubt]:
        for number, line in enumerate(self.text.lines, 1):
            if ":" in line and (row := TABLE_ROW.match(line) or LIST_ROW.match(line)):
                yield from self.row(row, number)
            elif ":" in line and "lat" not in line and self.table and not self.table.closed and PARTIAL_ROW.match(line):
                yield Doubt(number, "short-row", f"a row of elbencho without both its columns: {line.strip()[:80]!r}")
            elif "FIRST DONE" in line and TABLE_HEADER.search(line):
                yield from self.close()
                self.begin(number)
            elif "---" in line and TABLE_RULE.match(line):
                if self.table:
                    self.table.closed = True
                yield from self.close()
            else:
                yield from self.around(line, number)
        yield from self.close()

    def around(self, line: str, number: int) -> Iterator[Doubt]:
        """Lines that are no rows: commands, dates, versions, errors."""
        if "elbencho" in line:
            self.about = number
            if (found := _COMMAND.search(line)) and _OPTION.search(found[0]):
                rest, lines = self.more(line, number)
                self.fresh().command = f"elbencho {found[1].strip()}{rest}", number
                self.head.wrapped = lines
        if "ISO DATE" in line and (found := _STARTED.match(line)):
            self.fresh().started = parse_date(found[1]), number
        elif "LABEL" in line and (found := _LABELLED.match(line)):
            self.fresh().label = found[1], number
        elif "Version" in line and number - self.about <= _ABOUT and (found := _VERSION.match(line)):
            self.version, self.named = (found[1], number), (self.about,)
        elif self.header and self.header == self.run and ("ERROR" in line or "Skipping" in line) and _FAILED.match(line):
            yield Doubt(number, "failed-run", f"elbencho reports: {line.strip()[:160]}")

    def more(self, line: str, number: int) -> tuple[str, tuple[int, ...]]:
        """What follows of a quoted command that was wrapped: lines that begin with a quoted word, and their numbers."""
        rest, lines = "", []
        for at in range(number, min(number + _ABOUT, len(self.text.lines))):
            following = self.text.lines[at].strip(" >\t")
            if "COMMAND LINE:" not in line or not following.startswith('"'):
                break
            rest += f" {following}"
            lines.append(at + 1)
        return rest, tuple(lines)

    def fresh(self) -> _Head:
        """The head of the table to come."""
        if self.head.taken:
            self.head = _Head()
        return self.head

    def begin(self, number: int) -> None:
        """A header: what stood before it holds for it, what held for the table before no longer."""
        if self.head.taken:
            self.head = _Head()
        self.head.taken = True
        self.header = self.run = number
        self.names = set()

    def row(self, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
        name, label = found[1], found[2]
        opens = label in ("Elapsed time", "Elapsed ms", "time ms")
        again = self.table and name == self.table.phase.name and self.table.rows[1:] == [] and self.table.has(label)
        if name and not again and (opens or self.table is None or name != self.table.phase.name):
            yield from self.close()
            if not self.header:
                yield Doubt(number, "no-header", "a phase of elbencho without the header of its table; its columns never vary")
            if name in self.names:  # a further iteration (-i)
                self.run, self.names = number, set()
            self.names.add(name)
            self.table = PhaseTable(self.phase(name, number))
        if self.table is None or (opens and not name):
            yield Doubt(number, "no-header", f"a row of elbencho whose phase is lost: {found[0].strip()[:80]!r}")
        elif self.table.has(label):
            yield Doubt(number, "long-row", f"{self.table.phase.name} {label} stands twice; the first was taken")
        elif found.re == TABLE_ROW:
            self.table.rows.append((number, label, found[3], found[4]))
        else:
            self.table.lists.append((number, label, found[3], bool(found[4])))

    def phase(self, name: str, number: int) -> ElbenchoPhase:
        (command, _), (started, _) = self.head.command, self.head.started
        if not command and (shown := self.text.command_for(number)) and (given := _COMMAND.search(shown.text)):
            command = f"elbencho {given[1].strip()}"
            self.head.command = command, shown.line
        params = parse_command(command)
        if self.head.label[0]:
            params["label"] = self.head.label[0]
        lines = (*self.head.lines(), self.header, self.version[1], *self.named)
        return ElbenchoPhase(
            name, number, self.run or number, self.version[0], started, params, tuple(line for line in lines if line)
        )

    def close(self) -> Iterator[Value | Doubt]:
        table, self.table = self.table, None
        if table:
            yield from table.items()


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every phase in the text, in whichever form, in line order."""
    return by_line(chain(_Reading(text).items(), _elbencho_csv.parse(text), _elbencho_json.parse(text)))


PARSER = Parser(
    name="elbencho",
    version=4,
    anchor=Anchor(ANCHOR, "result type", "elapsed ms", "elapsed time", "throughput m", "[last]", '"phase_type"', "iso date,label"),
    parse=parse,
    shapes=(
        Shape(
            "table (console, --resfile)",
            "1.0 to 3.1",
            "MiB = 2^20 B, MB/s of --base10 = 10^6 B, ms, us",
            "whole numbers cut off: a rate of 0 is unmeasured; FIRST DONE is part `first done`; percentiles are upper bounds of "
            "buckets; histograms are passed over",
        ),
        Shape("CSV (--csvfile)", "1.0 to 3.1", "MiB = 2^20 B, ms, us", "--livecsv is progress and passed over with a warning"),
        Shape("JSON (--jsonfile)", "3.0, 3.1", "bytes/s, ms, us", "one object a phase, numbers as strings"),
    ),
    source="Statistics.cpp of elbencho 1.0 to 3.1 (printPhaseResultsToStream, ...ToStringVec, ...AsJSON), docs/csv-docs.md",
)
