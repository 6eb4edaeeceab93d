"""The outputs of one tool in a file, and the tables of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ingest.plugin_api import SeriesContext
from ingest.records import Doubt, FoundSeries
from ingest.series_catalogue import SERIES_METRICS
from ingest.spill.points import CellParser, PointColumn, PointTable, parse_number

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
                    output.ticks,
                    began,
                    output.start(state.first_time) if table.has_times else None,
                    output.printed_config,
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
