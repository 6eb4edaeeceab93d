"""What the summary below a table tells of a run whose list of options was not kept (`[...]`, `tail -f`, a log's end).

It is lent to a row only where one row of the summary, whole, is of that operation, of the row's sizes and with the row's
bandwidth between its Min and Max, and nothing between the two begins another run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._options import BANNER, HEAD_PATTERNS, IorTest, option
from ingest.records import Doubt, Value

_OPTIONS = ("api", "tasks", "clients", "xfersize")
_FAR = 100_000  # lines from a row to the summary
_ROWS = 4  # lines below its titles


@dataclass(frozen=True, slots=True)
class _Row:
    access: str
    told: dict[str, Any]
    least: float
    most: float
    lines: tuple[int, int]  # its titles and itself

    def sums_up(self, access: str, item: Value) -> bool:
        """Whether the bandwidth may be one of those that the row sums up."""
        same = all(item.params.get(name, self.told.get(name)) == self.told.get(name) for name in ("block_size", "transfer_size"))
        near = 0.002 * self.most + 0.02
        return self.access == access and same and self.least - near <= float(item.raw) <= self.most + near


def add_summary_options(lines: Sequence[str], items: Iterator[Value | Doubt]) -> Iterator[Value | Doubt]:
    """The items in their order; those of a run without options with what its summary tells."""
    first, end, below, lent, whose = 0, 0, list[_Row](), None, ""
    for item in items:
        if not isinstance(item, Value) or "processes" in item.params or "rank" in item.params:
            yield item
            continue
        words = item.native.lower().split()
        of_row, maximum = item.stat == "sample", words[0] == "max" and item.stat == "max"
        access, line = words[1 if maximum else 0], item.line
        if not (of_row or maximum) or not isinstance(line, int):
            yield item
            continue
        if not first <= line < end:
            first, (end, below), lent = line, _below(lines, line), None
        if maximum or words[1] == "bw(mib/s)":
            of_item, whose = [row for row in below if row.sums_up(access, item)], access
            lent = of_item[0] if len(of_item) == 1 else None
        yield _with(item, lent) if lent and access in (whose, "remove") else item


def _with(item: Value, row: _Row) -> Value:
    told = {name: value for name, value in row.told.items() if name not in item.params}
    return replace(item, params={**item.params, **told}, depends=tuple(dict.fromkeys((*item.depends, *row.lines))))


def _below(lines: Sequence[str], at: int) -> tuple[int, list[_Row]]:
    """The line with which the summary below line `at` begins, or on which the search ended, and its rows, each once."""
    titles, names, header, found = 0, list[str](), "", dict[str, _Row]()
    number = at
    for number in range(at + 1, min(len(lines), at + _FAR) + 1):
        line = lines[number - 1].replace("|", " ").rstrip()
        if not titles and summary.HEADER.match(line):
            titles, names, header = number, summary.parse_columns(line), line
        elif (titles and number > titles + _ROWS) or _begins(line) or summary.HEADER.match(line):
            break
        elif titles and (row := summary.ROW.match(line)) and len(words := row[2].split()) == summary.row_width(names, header):
            cells = dict(zip(names, words, strict=False))
            least, most = (cells.get(name, "") for name in ("Min(MiB)", "Max(MiB)"))
            if rows.NUMBER.match(least) and rows.NUMBER.match(most):
                told = summary.read_workload(IorTest(0), header, words[len(names) :])
                found.setdefault(f"{row[1]} {words}", _Row(row[1], told, float(least), float(most), (titles, number)))
    return titles or number + 1, [*found.values()]


def _begins(line: str) -> bool:
    """Whether the line may be of another run."""
    said = option(line)
    return bool(
        rows.HEADER.match(line) or any(head.match(line) for head in (BANNER, *HEAD_PATTERNS)) or (said and said[0] in _OPTIONS)
    )
