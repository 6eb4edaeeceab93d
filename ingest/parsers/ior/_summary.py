"""IOR's aggregates: `Max Write: 865.20 MiB/sec (907.23 MB/sec)` and the rows of `Summary of all tests`.

IOR computes them from the repetitions. Where the table shows those, the aggregates are only checked against them; without a table
(2.x without -v, the end of a log) they are recorded as aggregates; of a maximum that is printed twice the `Max` line, which has all
its digits, is the record and the rounded cell of the summary its duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.options import open_params
from ingest.parsers.ior._option_lists import TOOL, IorTest, PrintedAggregate
from ingest.parsers.ior._result_rows import MIB, NUMBER
from ingest.records import Doubt, Found, Value

MAXIMUM = lazy(r"^[\s>|#+]*Max (Write|Read)\s*:\s+(\S+) MiB/sec(?: \((\S+) MB/sec\)|\s*$)")
TORN_MAXIMUM = lazy(r"^[\s>|#+]*Max (?:Wr|Re|W\x00|R\x00)")
HEADER = lazy(r"^[\s>|#+]*Operation\s+Max ?\(MiB\)\s+Min ?\(MiB\)")
ROW = lazy(r"^[\s>|#+]*(write|read)\s+(\S.*)$")

# Column -> stat, quantity, factor, base unit, raw unit, part, column of the table with the repetitions.
_BW, _OPS = ("throughput", MIB, "B/s", "MiB/s", "", "bw(MiB/s)"), ("rate", 1, "1/s", "1/s", "", "IOPS")
_COLUMNS = {
    "Max(MiB)": ("max", *_BW), "Min(MiB)": ("min", *_BW), "Mean(MiB)": ("mean", *_BW), "StdDev(MiB)": ("stddev", *_BW),
    "Max(OPs)": ("max", *_OPS), "Min(OPs)": ("min", *_OPS), "Mean(OPs)": ("mean", *_OPS), "StdDev(OPs)": ("stddev", *_OPS),
    "Mean(s)": ("mean", "elapsed", 1, "s", "s", "total", "total(s)"),
    "Stonewall(s)": ("mean", "elapsed", 1, "s", "s", "stonewall", ""),
    "Stonewall(MiB)": ("mean", "throughput", MIB, "B/s", "MiB/s", "stonewall", ""),
}  # fmt: skip
_WORKLOAD = {
    "#Tasks": "processes",
    "tPN": "tasks_per_node",
    "reps": "repetitions",
    "segcnt": "segments",
    "blksiz": "block_size",
    "xsize": "transfer_size",
}
_OPTIONS = {
    "reord": "reorderTasks",
    "reordoff": "taskPerNodeOffset",
    "reordrand": "reorderTasksRandom",
    "seed": "reorderTasksRandomSeed",
}
_TITLES = lazy(
    r"(?:Max|Min|Mean|Std|Dev|StdDev|\((?:MiB|OPs|s)\)|(?:Max|Min|Mean|Stonewall)\((?:MiB|OPs|s)\)|Op|grep|Test#|#Tasks|tPN|reps|fPP|"
    r"reord|reordoff|reordrand|seed|segcnt|blksiz|xsize|aggs\(MiB\)|aggsize|API|RefNum)\Z"
)
_CELL = lazy(r"-?\d[\d.eE+-]*\Z|-|NA\Z|[A-Z][A-Z0-9_-]{2,11}\Z")
_MAX_BELOW = 12  # lines from a row of the summary to the maxima below it
_NUMBERED = lazy(r"Max\((?:MiB|OPs)\)|Min\((?:MiB|OPs)\)|Mean\((?:MiB|OPs|s)\)|StdDev|Stonewall\((?:s|MiB)\)")


class SummaryTitles(NamedTuple):
    """The titles of a summary: their line, 0 where none stand above the rows, and text."""

    line: int
    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with figures, `StdDev` named by the unit of those before it; then `Test#`."""
        return _parse_titles(self.text)[0]

    @property
    def row_width(self) -> int:
        """The number of cells of a full row."""
        return _parse_titles(self.text)[1]


@lru_cache(100)
def _parse_titles(titles: str) -> tuple[tuple[str, ...], int]:
    """Columns and width of the rows. 2.x prints three more cells than titles: RefNum, API and a keyword to find rows by."""
    columns = _NUMBERED.findall(re.sub(r" \(", "(", titles).replace("Std Dev", "StdDev"))
    for index, name in enumerate(columns):
        if name == "StdDev":
            columns[index] = "StdDev(OPs)" if index and "OPs" in columns[index - 1] else "StdDev(MiB)"
    if "Test#" in titles:
        columns.append("Test#")
    extra = 3 if "grep" in titles and "API" not in titles else 0
    workload = len(titles.split("#Tasks", 1)[1].split()) + 1 + extra if "#Tasks" in titles else 0
    return tuple(columns), len(columns) + workload


def continued_titles(line: str) -> str:
    """The titles on the line below wrapped ones; empty where the line is something else."""
    words = line.strip(" \t>|#+").split()
    return " ".join(words) if all(_TITLES.match(word) for word in words) else ""


def continued_cells(line: str) -> list[str]:
    """The cells on the line below a wrapped row; empty where the line is something else."""
    words = line.strip(" \t>|#+").split()
    return words if all(_CELL.match(word) for word in words) else []


def read_workload(test: IorTest, titles: str, cells: list[str]) -> dict[str, object]:
    """The parameters in the columns from `#Tasks` on that the options of the test lack. `cells`: those of these columns."""
    names = ["#Tasks", *titles.split("#Tasks", 1)[1].split()] if "#Tasks" in titles else []
    by_name = dict(zip(names, cells, strict=False))
    params: dict[str, object] = {
        name: int(by_name[column])
        for column, name in _WORKLOAD.items()
        if name not in test.params and by_name.get(column, "").isdecimal()
    }
    options = {option: by_name[column] for column, option in _OPTIONS.items() if by_name.get(column, "").isdecimal()}
    params |= {name: value for name, value in open_params(TOOL, options).items() if name not in test.params}
    if "access" not in test.params and by_name.get("fPP") in ("0", "1"):
        params["access"] = "file-per-process" if by_name["fPP"] == "1" else "single-shared-file"
    if "api" not in test.params and by_name.get("API", "").isalnum() and not by_name["API"].isdecimal():
        params["api"] = by_name["API"]
    return params


def read_maximum(test: IorTest, line: str, number: int) -> Iterator[Found]:
    """A `Max Write` or `Max Read` line, checked against the table, or recorded where there is none."""
    maximum = MAXIMUM.match(line)
    if not maximum:
        yield Doubt(number, "bad-number", "a Max line that cannot be read")
        return
    access, raw, decimal = maximum[1].lower(), maximum[2], maximum[3]
    if not (NUMBER.match(raw) and NUMBER.match(decimal or "0")):
        yield Doubt(number, "bad-number", f"Max {maximum[1]}: {raw[:40]!r}, {decimal!r}")
        return
    test.printed_maxima.add(access)
    if decimal and abs(float(raw) * MIB / 1e6 - float(decimal)) > 0.02 + 1e-4 * float(decimal):
        yield Doubt(number, "disagree", f"Max {maximum[1]}: {raw} MiB/sec is not {decimal} MB/sec")
    yield from _read_aggregate(test, access, "Max(MiB)", raw, number, native=f"Max {maximum[1]}")


def find_maximum_below(test: IorTest, titles: SummaryTitles, lines: Sequence[str], line: str, number: int) -> None:
    """Take the exact `Max` line below a summary row with a rounded maximum as 2.x prints them; `number`: the row's last line."""
    row = ROW.match(line)
    if test.has_table or row is None or (row[1], "Max(MiB)") in test.aggregates:
        return
    rounded, *cells = row[2].split()
    for below in range(number + 1, min(len(lines), number + _MAX_BELOW) + 1):
        if HEADER.match(lines[below - 1]):
            return
        maximum = MAXIMUM.match(lines[below - 1]) if "Max" in lines[below - 1] else None
        if maximum and maximum[1].lower() == row[1]:
            if NUMBER.match(maximum[2]) and NUMBER.match(rounded):
                workload = read_workload(test, titles.text, cells[len(titles.columns) - 1 :])
                exact = PrintedAggregate(maximum[2], below, (titles.line, number) if workload else (), workload)
                if exact.is_finer_than(rounded) and exact.agrees_with(rounded):
                    test.aggregates[row[1], "Max(MiB)"] = exact
            return


def read_summary_row(test: IorTest, titles: SummaryTitles, line: str, numbers: list[int]) -> Iterator[Found]:
    """A row of the summary of the test. `numbers`: the line of each cell, of which a wrapped row has several."""
    row = ROW.match(line)
    assert row is not None
    access, cells, number, columns = row[1], row[2].split(), numbers[0], titles.columns
    is_wrapped = numbers[-1] != number
    depends = tuple(filter(None, dict.fromkeys((titles.line, *(numbers if is_wrapped else ())))))
    if len(cells) < len(columns) or (is_wrapped and len(cells) != titles.row_width):
        yield Doubt(number, "short-row", f"summary of {access}: {len(cells)} values for {len(columns)} columns; none were recorded")
        return
    workload = read_workload(test, titles.text, cells[len(columns) :])
    for index, (column, raw) in enumerate(dict(zip(columns, cells, strict=False)).items()):
        if column == "Test#" or raw in ("NA", "-"):
            continue
        if not NUMBER.match(raw):
            yield Doubt(numbers[index], "bad-number", f"summary of {access}, {column}: {raw[:40]!r} is not a number")
            continue
        for item in _read_aggregate(test, access, column, raw, numbers[index], native=f"{access} {column}", depends=depends):
            if isinstance(item, Value):
                item.params = {**item.params, **workload}
            yield item


def _read_aggregate(
    test: IorTest, access: str, column: str, raw: str, number: int, *, native: str, depends: tuple[int, ...] = ()
) -> Iterator[Found]:
    """The value of an aggregate where the table lacks its rows; a warning where it disagrees with them or with an equal one."""
    stat, quantity, factor, unit, raw_unit, part, source = _COLUMNS[column]
    repetitions = test.repetitions.get((access, source), [])
    if repetitions and quantity != "rate":  # summed rates are the bandwidth over the transfer size, those of rows are not
        values = [value for value, _ in repetitions]
        yield from check_aggregate(stat, values, float(raw), number, native, test.params.get("repetitions"))
    is_operation_without_rows = test.has_untitled_rows and float(raw) > 0 and all(access != shown for shown, _ in test.repetitions)
    if test.has_table and not is_operation_without_rows:  # of rows picked from a log the others may be missing
        return
    taken = test.aggregates.setdefault((access, column), PrintedAggregate(raw, number, depends))
    if not taken.agrees_with(raw):
        yield Doubt(number, "disagree", f"{native}: {raw} here, {taken.raw} on line {taken.line}; the latter was used")
        return
    same_as = taken.line if taken.line != number else None
    depends = (*depends, *taken.depends, *(() if same_as is None else (same_as,)))
    yield Value(
        line=number,
        tool=TOOL,
        tool_version=test.version,
        metric=f"{test.operation(access)}.{quantity}",
        native=native,
        value=float(raw) * factor,
        unit=unit,
        raw=raw,
        raw_unit=raw_unit,
        run=test.start,
        stat=stat,
        params={**test.params, **(taken.params if same_as is None else {}), **({"part": part} if part else {})},
        printed_config=test.configuration,
        started_at=test.started,
        same_as=same_as,
        depends=tuple(sorted({*test.depends.values(), *depends} - {0})),
    )


def check_aggregate(stat: str, values: list[float], printed: float, line: int, native: str, repetitions: object) -> Iterator[Doubt]:
    """A warning where the aggregate is not that of the repetitions (to the digits of the table)."""
    if isinstance(repetitions, int) and len(values) != repetitions:
        if stat == "max":
            yield Doubt(line, "disagree", f"{native}: the table shows {len(values)} of {repetitions} repetitions")
        return
    if stat == "stddev":
        return
    computed = {"max": max(values), "min": min(values), "mean": sum(values) / len(values)}[stat]
    if abs(computed - printed) > 0.002 * abs(computed) + 0.02:
        yield Doubt(line, "disagree", f"{native}: {printed:g} printed, {computed:g} by the table's {len(values)} repetitions")
