"""The outputs of one tool in a file, and the tables of each."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.plugin_api import SeriesContext
from ingest.points import CellParser, PointColumn, PointTable, parse_number
from ingest.records import Doubt, FoundSeries
from ingest.series._clock import DAY, DayClock, ReportTime, format_start
from ingest.series_catalogue import SERIES_METRICS

_MAX_DOUBTS = 200  # of one kind in one file
_MAX_TABLES = 20_000  # of one file


@dataclass(slots=True)
class Output:
    """What one call of the tool printed. `start`: the moment of a time in ticks, None if no date is printed. `began`: the time of
    its begin, None for its first point.
    """

    number: int = 0
    line: int = 0
    tables: dict[Any, PointTable] = field(default_factory=dict)
    subjects: dict[Any, str] = field(default_factory=dict)
    ticks: int = 1
    began: int | None = None
    start: Callable[[int], str | None] = lambda time: None
    printed_config: Mapping[str, tuple[Any, int]] = field(default_factory=dict)


class Outputs:
    """Collects what a reader finds."""

    def __init__(self, context: SeriesContext, tool: str) -> None:
        self.tool, self.context = tool, context
        self.outputs: list[Output] = []
        self.doubts: list[Doubt] = []
        self._counts: dict[str, int] = {}
        self._tables = 0

    def begin(self, line: int) -> Output:
        """Another output, which begins on this line."""
        self.outputs.append(Output(len(self.outputs), line))
        return self.outputs[-1]

    @property
    def current(self) -> Output:
        """The last output; a first one where none has begun."""
        return self.outputs[-1] if self.outputs else self.begin(0)

    def table(
        self, key: Any, subject: str, columns: Iterable[PointColumn], parse: CellParser = parse_number, has_times: bool = True
    ) -> PointTable | None:
        """The table of the current output for this key, created where it is missing; None if there are far too many."""
        output = self.current
        table = output.tables.get(key)
        if table is None:
            if self._tables >= _MAX_TABLES:
                self.doubt(
                    output.line, "limit", f"There are more than {_MAX_TABLES} devices or processes; the others were not read."
                )
                return None
            self._tables += 1
            table = output.tables[key] = self.context.store.new_table(columns, parse, has_times)
            output.subjects[key] = subject
        return table

    def doubt(self, line: int, code: str, message: str) -> None:
        """Warn, but not without end."""
        count = self._counts[code] = self._counts.get(code, 0) + 1
        if count <= _MAX_DOUBTS:
            self.doubts.append(Doubt(line, code, message))

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        """All series, by output, table and column, then the doubts."""
        self.context.store.flush()
        for output in self.outputs:
            yield from self._series(output)
        yield from self.doubts

    def _series(self, output: Output) -> Iterator[FoundSeries | Doubt]:
        states = [state for table in output.tables.values() for state in table.states if state.count]
        began = output.began if output.began is not None else min((state.first_time for state in states), default=0)
        for key, table in output.tables.items():
            for index, column in enumerate(table.columns if table.states else ()):
                state = table.states[index]
                if not state.count:
                    continue
                yield FoundSeries(
                    state.first_line,
                    self.tool,
                    column.metric,
                    _join(output.subjects[key], column.suffix),
                    SERIES_METRICS[column.metric].unit,
                    table.points(index),
                    ticks=output.ticks,
                    began=began,
                    started_at=output.start(state.first_time) if table.has_times else None,
                    printed_config=output.printed_config,
                )
            for line, native, cell in table.bad_cells:
                yield Doubt(line, "bad-number", f"{native}: {cell!r} is not a number as {self.tool} prints it here")


def _join(subject: str, suffix: str) -> str:
    return f"{subject}/{suffix}" if subject and suffix else subject or suffix


@cache
def parse_columns(text: str) -> dict[str, PointColumn]:
    """`%usr=cpu.user rkB/s=disk.read.throughput*1024 await=disk.latency/1000` -> the columns by the tool's names."""
    columns = {}
    for item in text.split():
        native, _, metric = item.partition("=")
        name, _, multiplier = metric.partition("*")
        name, _, divisor = name.partition("/")
        columns[native] = PointColumn(name, native, int(multiplier or 1), int(divisor or 1))
    return columns


# Tools that print a report at every interval, of which the first is an average since boot.
#
# The time of a report is what is printed with it; else its number times the interval of the command; else it is unknown.

TICKS = 1000  # in a second
_MAX_LINES_BEFORE = 6  # between the time of a report and its first row
_NUMBER = lazy(r"\d{1,6}(?:\.\d{1,3})?\Z")


def interval_of(command: str, tool: str, counted: Collection[str] = ()) -> int | None:
    """The interval in ticks of a command like `iostat -x sda 5 100`, its first number; None if it shows none.

    `counted`: options whose argument is another number.
    """
    _, found, arguments = f" {command}".rpartition(f"{tool} ")
    words = arguments.split("|")[0].split(">")[0].split() if found else []
    for option, word in zip(["", *words], words, strict=False):
        if _NUMBER.match(word) and option not in counted:
            return round(float(word) * TICKS) or None
    return None


def has_option(command: str, letter: str) -> bool:
    """Whether a command has this option of one letter, alone or among others."""
    return any(word.startswith("-") and not word.startswith("--") and letter in word for word in command.split()[1:])


class Reports:
    """The reports of one tool: outputs, tables, times."""

    def __init__(
        self,
        context: SeriesContext,
        tool: str,
        has_boot_report: bool = True,
        counted: Collection[str] = (),
        has_interval: bool = True,
    ) -> None:
        """`has_interval`: whether a number in the command can be an interval."""
        self.tool, self._context, self._counted, self._has_interval = tool, context, counted, has_interval
        self._outputs = Outputs(context, tool)
        self._has_boot_report = has_boot_report
        self.command = ""
        self.is_begun = False
        self.report = 0
        self.is_since_boot = False
        self._interval: int | None = None
        self._clock = DayClock()
        self._base: datetime.date | None = None
        self._stamp: ReportTime | None = None
        self._is_stamped = False
        self.has_own_stamp = False  # whether the time of the current report was printed
        self._stamp_line = 0
        self._times = self._is_lost = False  # is_lost: the time of the current report is unknown among known ones
        self._time = 0
        self._warned = False
        self._subjects: set[Hashable] = set()  # of the current report

    def begin_output(self, number: int, printed_config: Mapping[str, tuple[Any, int]] | None = None, command: str = "") -> None:
        """Another output begins on this line. `command`: if the output itself shows it."""
        output = self._outputs.begin(number)
        output.ticks, output.printed_config = TICKS, printed_config or {}
        self.command = command or self._context.command(number)
        self._interval = interval_of(self.command, self.tool, self._counted) if self._has_interval else None
        self._clock, self._base, self.report = DayClock(), None, 0
        if number - self._stamp_line > _MAX_LINES_BEFORE:
            self._stamp = None  # of something else
        self._is_stamped = self._times = self._warned = self._is_lost = False
        self.is_begun = True
        self._subjects.clear()

    def end_output(self) -> None:
        """What follows is another output."""
        self.is_begun, self._stamp = False, None

    def take_stamp(self, stamp: ReportTime, number: int = 0) -> None:
        """The time of the next report. `number`: its line, where no output may have begun."""
        self._stamp, self._stamp_line = stamp, number

    @property
    def has_stamp(self) -> bool:
        """Whether the time of the next report was printed."""
        return self._stamp is not None

    def begin_report(self, number: int) -> None:
        """The next report of the output begins on this line."""
        self.report += 1
        self.is_since_boot = self._has_boot_report and self.report == 1 and not has_option(self.command, "y")
        stamp, self._stamp = self._stamp, None
        self.has_own_stamp = stamp is not None
        if self._is_stamped and stamp is None and self.report == 2 and not self._interval:
            self._is_stamped = self._times = False  # the time before the first report was not of this tool
        self._is_lost = self._is_stamped and stamp is None and not self._interval
        if stamp is not None:
            self._take_time(stamp, number)
        elif self._is_lost:
            self._outputs.doubt(number, "no-clock", "The time of this report is not shown: it is not recorded.")
        elif self._is_stamped:
            self._time += self._interval or 0  # a damaged line in place of the time, or the date of the first report alone
        elif self._interval:
            self._time, self._times = (self.report - 1) * self._interval, True
        if self.is_since_boot:
            message = "The first report is the average since boot: it is no point of the curve."
            self._outputs.doubt(number, "since-boot", message)
        elif not self._times and not self._warned:
            self._warned = True
            message = f"Neither a time nor the interval of {self.tool} is shown: the points have an order and no times."
            self._outputs.doubt(number, "no-clock", message)

    def begin_report_of(self, subject: Hashable, number: int, printed_config: Mapping[str, tuple[Any, int]] | None = None) -> bool:
        """A report has one table, or row, of each subject: begins the next one where the subject comes again or a time was printed,
        and an output where none has begun. Returns whether an output began."""
        is_first = not self.is_begun
        if is_first:
            self.begin_output(number, printed_config)
        if self.has_stamp or subject in self._subjects or not self._subjects:
            self._subjects.clear()
            self.begin_report(number)
        self._subjects.add(subject)
        return is_first

    def skip_report(self) -> None:
        """A report that cannot be read: its time has passed."""
        self.report += 1

    def _take_time(self, stamp: ReportTime, number: int) -> None:
        turns = self._clock.turns
        if not self._is_stamped:
            self._base = stamp.date
            base, zone = self._base, stamp.zone
            self._outputs.current.start = lambda time: format_start(base, time // TICKS, zone)
            if stamp.is_ambiguous:
                self._outputs.doubt(number, "ambiguous", "The date of this report could be two; the series have no start.")
        if self._base is not None and stamp.date is not None:
            seconds = (stamp.date - self._base).days * DAY + stamp.seconds
            if seconds < self._clock.last:
                self._clock.turns += 1
            self._clock.last, self._clock.day = seconds, seconds // DAY
        else:
            seconds = self._clock.at(stamp.seconds)
        if self._clock.turns > turns:
            self._outputs.doubt(number, "clock-set", "The clock goes back here, so a new series begins.")
        self._is_stamped = self._times = True
        self._time = seconds * TICKS

    def add(
        self,
        key: Any,
        subject: str,
        columns: Iterable[PointColumn],
        number: int,
        cells: Sequence[str],
        parse: CellParser = parse_number,
    ) -> None:
        """A row of the current report; nothing where the report is since boot or at an unknown time."""
        if self.is_since_boot or self._is_lost:
            return
        table = self._outputs.table((key, self._clock.turns, self._times), subject, columns, parse, self._times)
        if table is not None:
            table.add(self._time, number, cells)

    def doubt(self, number: int, code: str, message: str) -> None:
        self._outputs.doubt(number, code, message)

    @property
    def outputs(self) -> list[Output]:
        return self._outputs.outputs

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        yield from self._outputs.finish()


class ReportReader:
    """A reader of series that finds what its reports hold."""

    _reports: Reports

    def finish(self) -> Iterator[FoundSeries | Doubt]:
        return self._reports.finish()
