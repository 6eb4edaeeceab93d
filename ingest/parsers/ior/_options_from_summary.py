"""Options of a run from the summary below its table, where the list of options is missing (`[...]`, `tail -f`, a log's end).

A row gets them only where exactly one full row of the summary is of its operation and sizes and has its bandwidth between Min and
Max, and no other run begins between the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._options import BANNER, HEAD_PATTERNS, IorTest, parse_option
from ingest.parsers.ior._summary import SummaryTitles
from ingest.records import Found, Value

_OPTIONS = ("api", "tasks", "clients", "xfersize")
_MAX_DISTANCE = 100_000  # lines from a row to the summary
_MAX_ROWS = 4  # lines below the titles


@dataclass(frozen=True, slots=True)
class _SummaryRow:
    """Operation and cells; workload; range of bandwidth in MiB/s; the lines of the titles and of the row."""

    access: str
    cells: tuple[str, ...]
    workload: dict[str, Any]
    least: float
    most: float
    lines: tuple[int, int]

    def includes(self, access: str, value: Value) -> bool:
        """Whether the bandwidth may be one of the repetitions of the row."""
        sizes = ("block_size", "transfer_size")
        same_sizes = all(value.params.get(name, self.workload.get(name)) == self.workload.get(name) for name in sizes)
        tolerance = 0.002 * self.most + 0.02
        return self.access == access and same_sizes and self.least - tolerance <= float(value.raw) <= self.most + tolerance


class _SummaryBelow:
    """The summary below the last line asked for; kept until a line beyond it is asked for."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._first = self._end = 0
        self._rows: list[_SummaryRow] = []
        self._match: _SummaryRow | None = None
        self._access = ""

    def find(self, value: Value) -> _SummaryRow | None:
        """The row of the summary that includes the value, or included the bandwidth of its row; None where that is uncertain."""
        words = value.native.lower().split()
        is_maximum = words[0] == "max" and value.stat == "max"
        if not (is_maximum or value.stat == "sample") or not isinstance(value.line, int):
            return None
        access = words[1 if is_maximum else 0]
        if not self._first <= value.line < self._end:
            self._first, self._match = value.line, None
            self._end, self._rows = _read_summary_below(self._lines, value.line)
        if is_maximum or words[1] == "bw(mib/s)":
            matches, self._access = [row for row in self._rows if row.includes(access, value)], access
            self._match = matches[0] if len(matches) == 1 else None
        return self._match if access in (self._access, "remove") else None


def add_summary_options(lines: Sequence[str], items: Iterator[Found]) -> Iterator[Found]:
    """The items in their order; values of a run without options get those of its summary."""
    below = _SummaryBelow(lines)
    for item in items:
        if isinstance(item, Value) and "processes" not in item.params and "rank" not in item.params and (row := below.find(item)):
            workload = {name: value for name, value in row.workload.items() if name not in item.params}
            depends = tuple(dict.fromkeys((*item.depends, *row.lines)))
            yield replace(item, params={**item.params, **workload}, depends=depends)
        else:
            yield item


def _read_summary_below(lines: Sequence[str], start: int) -> tuple[int, list[_SummaryRow]]:
    """The first line of the summary below line `start` or the line where the search ended, and its distinct rows."""
    titles = SummaryTitles(0, "")
    distinct: dict[tuple[str, ...], _SummaryRow] = {}
    number = start
    for number in range(start + 1, min(len(lines), start + _MAX_DISTANCE) + 1):
        line = lines[number - 1].replace("|", " ").rstrip()
        if not titles.line and summary.HEADER.match(line):
            titles = SummaryTitles(number, line)
        elif (titles.line and number > titles.line + _MAX_ROWS) or _begins_run(line) or summary.HEADER.match(line):
            break
        elif titles.line and (row := _read_row(line, number, titles)):
            distinct.setdefault((row.access, *row.cells), row)
    return titles.line or number + 1, [*distinct.values()]


def _read_row(line: str, number: int, titles: SummaryTitles) -> _SummaryRow | None:
    row = summary.ROW.match(line)
    cells = row[2].split() if row else []
    if row is None or len(cells) != titles.row_width:
        return None
    by_column = dict(zip(titles.columns, cells, strict=False))
    least, most = (by_column.get(name, "") for name in ("Min(MiB)", "Max(MiB)"))
    if not (rows.NUMBER.match(least) and rows.NUMBER.match(most)):
        return None
    workload = summary.read_workload(IorTest(0), titles.text, cells[len(titles.columns) :])
    return _SummaryRow(row[1], tuple(cells), workload, float(least), float(most), (titles.line, number))


def _begins_run(line: str) -> bool:
    """Whether the line may be of another run."""
    option = parse_option(line)
    is_head = any(pattern.match(line) for pattern in (BANNER, *HEAD_PATTERNS))
    return bool(rows.HEADER.match(line)) or is_head or (option is not None and option[0] in _OPTIONS)
