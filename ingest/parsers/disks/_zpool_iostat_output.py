"""The output of one zpool iostat command while it is read, and what the values of a row share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.parsers._printed_number import PrintedNumber
from ingest.records import Value

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
            number.raw,
            number.raw_unit,
            self.run,
            None,
            stat,
            params,
            self.configuration,
            "measured",
            None,
            None,
            None,
            self.depends,
        )
