"""Rows of IOR's results table, as text or CSV: one row is one repetition of one operation.

`access bw(MiB/s) [IOPS Latency(s)] block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) [total(s)] iter`. MiB is 2^20 bytes, KiB 1024
(IOR user documentation, "Understanding the output"). Times of phases are parts of the operation's elapsed time. Columns that a
person put before `access` become a label of the row; rows and titles wrapped by mail are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.ior._option_lists import TOOL, IorTest
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.line_wrap import WideLine

MIB = 2**20
HEADER = lazy(r"^[\s>|#+]*((?:[^\s>|][^>|]{0,60}?)?(?<![^\s>|#+]))access\s+bw\(MiB/s\)\s")
ROW = lazy(r"^[\s>|#+]*(write|read|remove)\s+(\S.*)$")
PLAIN_ROW = lazy(r"(write|read) {1,12}(\d+(?:\.\d+)?(?: +\d+(?:\.\d+)?)+)\s*\Z")  # the usual row: plain numbers only
LABELLED_ROW = lazy(r"^[\s>|#+]*([^\s>|][^>|]{0,60}?)\s+(write|read|remove)\s+(\S.*)$")
CSV_HEADER = lazy(r"^[\s>|#+]*((?:[^,\s][^,\n]{0,40},){0,8})access,bw\(MiB/s\),")
RANK_HEADER = lazy(r"^[\s>|#+]*access,rank,runtime")
CSV_ROW = lazy(r"^[\s>|#+]*((?:[^,\n]{0,40},){0,8}?)(write|read|remove),(\S.*)$")
_WHOLE = lazy(r"\d+(?:\.0+)?")
NUMBER = lazy(r"\d{1,40}(?:\.\d+)?(?:[eE][+-]?\d{1,2})?\Z")

# Column -> quantity, part, factor to the base unit, base unit, raw unit.
VALUE_COLUMNS = {
    "bw(MiB/s)": ("throughput", "", MIB, "B/s", "MiB/s"),
    "IOPS": ("rate", "", 1, "1/s", "1/s"),
    "Latency(s)": ("latency", "", 1, "s", "s"),
    "Latency": ("latency", "", 1, "s", "s"),
    "open(s)": ("elapsed", "open", 1, "s", "s"),
    "wr/rd(s)": ("elapsed", "access", 1, "s", "s"),
    "close(s)": ("elapsed", "close", 1, "s", "s"),
    "total(s)": ("elapsed", "total", 1, "s", "s"),
    "runtime-with-openclose": ("elapsed", "with open and close", 1, "s", "s"),
    "runtime": ("elapsed", "", 1, "s", "s"),
    "throughput-withopenclose": ("throughput", "with open and close", 1, "B/s", "B/s"),
    "throughput": ("throughput", "", 1, "B/s", "B/s"),
}
_CELL_QUOTES = lazy(r'(?<![^\s;,>|])"|"(?=\s*(?:[;,]|\Z))')
_CELL = lazy(r"(?:\d[\d.eE+-]*|-|inf|nan|NA)\Z")
_NO_TIME = ("inf", "nan", "-nan")  # what C prints of a division by zero
COMMENT_MARK = lazy(r"^[ \t]*//+[ \t]*", re.M)  # of a line comment
_ROUNDED = 1.1  # ratio: sizes in the options are rounded, or changed to other units (KB for KiB)
LAST_COLUMN = "iter"
COLUMNS_3_0 = ("bw(MiB/s)", "block(KiB)", "xfer(KiB)", "open(s)", "wr/rd(s)", "close(s)", "total(s)", "iter")
COLUMNS_3_3 = tuple("bw(MiB/s) IOPS Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) total(s) iter".split())

# Lines wider than many terminals.
WIDE_LINES = (
    WideLine(
        lazy(r"[\s>|#+]*(?:[\w-]+:?\s+){0,4}access\s+bw\(MiB/s\)"),
        lazy(r"[\s>|#+]*(?:[\w-]+:?\s+){0,4}access\s+bw\(MiB/s\)(?:\s+(?:IOPS|numTasks|[\w/]+\((?:s|KiB)\))){5,9}\s+iter[\s|]*"),
    ),
    WideLine(
        lazy(r"\s*(?:read|write|remove)\s+(?:\d|-|inf|nan)"),
        lazy(r"\s*(?:read|write|remove)(?:\s+(?:\d+\.\d+|\d+|-|inf|nan)){7,10}\s+\d{1,4}\s*"),
    ),
    WideLine(
        lazy(r"\s*Operation\s+Max ?\(MiB\)\s"),
        lazy(r"\s*Operation\s+Max ?\(MiB\)\s.*(?:\sAPI\s+RefNum|\sblksiz\s+xsize\s+aggsize)\s*"),
    ),
    WideLine(lazy(r"access,bw\(MiB/s\),"), lazy(r"access,bw\(MiB/s\),[^\s]*,iter\s*")),
)


@dataclass(slots=True)
class IorResults:
    """The titles of a results table: columns after `access`, 1-based lines of the first and the last of them."""

    header: int
    columns: tuple[str, ...]
    last_title: int = 0
    csv: bool = False
    labelled: bool = False  # columns of a person stand before `access`
    paused: bool = False  # a blank line stood below the last row of CSV
    torn_reported: bool = False


class ResultRow(NamedTuple):
    """A row: operation, cells after it, its first line and, of a wrapped row, the line of each cell."""

    access: str
    cells: list[str]
    number: int
    label: str = ""
    lines: list[int] | None = None


def infer_columns(cells: list[str]) -> tuple[str, ...] | None:
    """The columns of a row without titles, by the number of its cells: 3.0 to 3.2 have 8, 3.3 and later 10."""
    columns = {len(COLUMNS_3_0): COLUMNS_3_0, len(COLUMNS_3_3): COLUMNS_3_3}.get(len(cells))
    if not (columns and cells[-1].isdecimal() and all(NUMBER.match(cell) or cell == "-" for cell in cells)):
        return None
    sizes = [cells[columns.index(name)] for name in ("block(KiB)", "xfer(KiB)")]
    return columns if cells[0] == "-" or "-" not in sizes else None  # every transfer has sizes


def is_untitled_row(line: str) -> bool:
    """Whether a row below a summary is of a table without titles, not of the summary.

    Its block is not smaller than its transfer, as the Min of several bandwidths is than their Mean; its bandwidth is neither of
    them, as the Max, Min and Mean of a single repetition are equal.
    """
    cells = line.split()[1:]
    columns = infer_columns(cells)
    if not columns or cells[0] == "-":
        return False
    block, transfer = (float(cells[columns.index(name)]) for name in ("block(KiB)", "xfer(KiB)"))
    return block >= transfer and float(cells[0]) not in (block, transfer)


def normalise_csv_row(line: str) -> str:
    """A row of CSV saved by a spreadsheet, with commas and without the quotation marks around cells."""
    return _CELL_QUOTES.sub("", line).replace(";", ",")


def is_csv_row(line: str) -> bool:
    """Whether the line is a row of CSV: each has at least six figures."""
    row = CSV_ROW.match(line) if "," in line else None
    cells = row[3].split(",") if row else []
    return len(cells) > 5 and all(_CELL.match(cell) for cell in cells)


def continued_titles(columns: tuple[str, ...], line: str) -> list[str]:
    """The titles on the line below wrapped ones; empty where the line is something else."""
    words = line.strip(" \t>|#+").split()
    return words if columns[-1] != LAST_COLUMN and all(word in VALUE_COLUMNS or word in COLUMNS_3_0 for word in words) else []


def continued_cells(columns: tuple[str, ...], cells: list[str], line: str) -> list[str]:
    """The cells on the line below a wrapped row; empty where the line cannot be part of the row."""
    rest = line.strip(" \t>|#+").split()
    has_keyword = bool(rest) and rest[-1] in ("XXCEL", "EXCEL")  # 2.x ends rows with it, to find them by
    fits = len(cells) + len(rest) - has_keyword <= len(columns)
    return rest if fits and all(_CELL.match(word) for word in rest[: -1 if has_keyword else None]) else []


def read_plain_row(test: IorTest, table: IorResults, access: str, cells: list[str], number: int) -> list[Value]:
    """The values of a full row of plain numbers, equal to those of `read_row`; empty for any other row."""
    columns = table.columns
    if len(cells) != len(columns) or columns[0] == "rank" or (columns[-1] == LAST_COLUMN and not cells[-1].isdecimal()):
        return []
    by_column = dict(zip(columns, cells, strict=True))
    params = _params(test, by_column)
    if len(by_column) != len(columns) or "rank" in params:
        return []
    depends, plain = _depends(test, table), [(column, raw) for column, raw in by_column.items() if column in VALUE_COLUMNS]
    return [make_value(test, access, column, raw, number, params, depends=depends) for column, raw in plain]


def _depends(test: IorTest, table: IorResults) -> tuple[int, ...]:
    return tuple(sorted({*test.depends.values(), table.header}))


def read_row(test: IorTest, table: IorResults, row: ResultRow) -> Iterator[Found]:
    """The values of a row. Of a row with too few or too many cells none is read, since their columns are unknown."""
    access, cells, number, _, lines = row
    columns = table.columns
    if len(cells) < len(columns):
        yield Doubt(number, "short-row", f"{access}: {len(cells)} values for {len(columns)} columns; none were recorded")
        return
    many = len(cells) > len(columns) + cells[-1].isalpha()  # 2.x may end a row with a keyword
    if many or not (cells[len(columns) - 1].isdecimal() or columns[-1] != LAST_COLUMN):
        yield Doubt(number, "long-row", f"{access}: {len(cells)} values for {len(columns)} columns; none were recorded")
        return
    by_column = dict(zip(columns, cells, strict=False))
    if len(by_column) < len(columns):
        yield Doubt(number, "no-header", f"{access}: two columns have the same heading; nothing was recorded")
        return
    if columns[0] == "rank" and "e" in cells[1] and "e" not in cells[-1]:  # rows of ranks print every figure by %.10e
        yield Doubt(number, "cut", f"{access} {columns[-1]}: {cells[-1][:40]!r} has lost its exponent")
        by_column[columns[-1]] = "-"
    params, depends = _params(test, by_column), _depends(test, table)
    if lines:
        depends = tuple(dict.fromkeys((*depends, *lines)))
    for index, (column, raw) in enumerate(by_column.items()):
        line = lines[index] if lines else number
        if column not in VALUE_COLUMNS or raw == "-":
            continue
        if not NUMBER.match(raw):
            if raw in _NO_TIME:
                yield _missing(test, access, column, raw, line, params)
            yield Doubt(line, "bad-number", f"{access} {column}: {raw[:40]!r} is not a number")
            continue
        yield make_value(test, access, column, raw, line, params, depends=depends)


def _missing(test: IorTest, access: str, column: str, raw: str, line: int, params: dict[str, object]) -> MissingValue:
    """A figure that IOR divided by a time of zero."""
    value = make_value(test, access, column, raw, line, params)
    test.repetitions[access, column].pop()
    return MissingValue.instead_of(value, ZERO_TIME)


def make_value(
    test: IorTest,
    access: str,
    column: str,
    raw: str,
    number: int,
    params: dict[str, object],
    *,
    depends: tuple[int, ...] = (),
    native: str | None = None,
) -> Value:
    """The value of one cell; it is added to the repetitions that the aggregates are checked against."""
    quantity, part, factor, unit, raw_unit = VALUE_COLUMNS[column]
    if "rank" in params:
        part = f"rank {params['rank']}" + (f", {part}" if part else "")
    operation = test.operation(access)
    test.repetitions.setdefault((access, column), []).append((float(raw), number))
    return Value(
        number,
        TOOL,
        f"{operation}.{quantity}",
        f"{access} {native or column}",
        float(raw) * factor,
        unit,
        raw=raw,
        raw_unit=raw_unit,
        run=test.start,
        tool_version=test.version,
        params=params | {"part": part} if part else params,
        printed_config=test.configuration,
        started_at=test.started,
        depends=depends,
    )


def _params(test: IorTest, by_column: dict[str, str]) -> dict[str, object]:
    """The workload of a row: its own sizes, tasks and iteration, and the options of its test.

    The sizes of the row fill in for options that were rounded or missing. A row whose sizes differ from the options is of another
    test, whose options are unknown.
    """
    params: dict[str, object] = {}
    is_other_test = False
    for column, name in (("block(KiB)", "block_size"), ("xfer(KiB)", "transfer_size")):
        if _WHOLE.fullmatch(by_column.get(column, "")):
            size, option = int(float(by_column[column])) * 1024, test.params.get(name)
            if option is None:
                params[name] = size
            elif isinstance(option, int) and size and not 1 / _ROUNDED < option / size < _ROUNDED:
                params[name], is_other_test = size, True
    for column, name in (("numTasks", "processes"), ("iter", "iteration"), ("rank", "rank")):
        if by_column.get(column, "").isdecimal():
            params[name] = int(by_column[column])
    return params if is_other_test else {**test.params, **params}
