"""Rows of IOR's results table, as text or CSV: one row is one repetition of one operation.

`access bw(MiB/s) [IOPS Latency(s)] block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) [total(s)] iter`. MiB is 2^20 bytes,
KiB 1024 (IOR user documentation, "Understanding the output"). Times of phases are parts of
the operation's elapsed time. Columns that somebody put before `access` are kept as a label of the row; a row or the
titles that mail has wrapped are put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ingest.lazy_regex import lazy
from ingest.parsers.ior._options import TOOL, IorTest
from ingest.records import Doubt, Value
from ingest.text.line_wrap import WideLine

MIB = 2**20
HEADER = lazy(r"^[\s>|#+]*((?:[^\s>|][^>|]{0,60}?)?(?<![^\s>|#+]))access\s+bw\(MiB/s\)\s")
ROW = lazy(r"^[\s>|#+]*(write|read|remove)\s+(\S.*)$")
PLAIN_ROW = lazy(r"(write|read) {1,12}(\d+(?:\.\d+)?(?: +\d+(?:\.\d+)?)+)\s*\Z")  # plain figures alone, as nearly all are
LABELLED_ROW = lazy(r"^[\s>|#+]*([^\s>|][^>|]{0,60}?)\s+(write|read|remove)\s+(\S.*)$")
CSV_HEADER = lazy(r"^[\s>|#+]*((?:[^,\s][^,\n]{0,40},){0,8})access,bw\(MiB/s\),")
RANK_HEADER = lazy(r"^[\s>|#+]*access,rank,runtime")
CSV_ROW = lazy(r"^[\s>|#+]*((?:[^,\n]{0,40},){0,8}?)(write|read|remove),(\S.*)$")
_WHOLE = lazy(r"\d+(?:\.0+)?")
NUMBER = lazy(r"\d{1,40}(?:\.\d+)?(?:[eE][+-]?\d{1,2})?\Z")

# Column -> quantity, part, factor to the base unit, base unit, the unit that the tool means.
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
_Column = tuple[int, str, str, str, str, int, str, str]  # cell, column, metric, native name, and as in FIGURES
_ABOUT_A_CELL = lazy(r'(?<![^\s;,>|])"|"(?=\s*(?:[;,]|\Z))')
_FILLED = lazy(r"(?:\d[\d.eE+-]*|-|inf|nan|NA)\Z")
COMMENT_MARK = lazy(r"^[ \t]*//+[ \t]*", re.M)  # the mark of a comment
_ROUNDED = 1.1  # the list of options rounds sizes to two decimals, and some people print other units
COLUMNS_3_0 = ["bw(MiB/s)", "block(KiB)", "xfer(KiB)", "open(s)", "wr/rd(s)", "close(s)", "total(s)", "iter"]
COLUMNS_3_3 = [
    "bw(MiB/s)",
    "IOPS",
    "Latency(s)",
    "block(KiB)",
    "xfer(KiB)",
    "open(s)",
    "wr/rd(s)",
    "close(s)",
    "total(s)",
    "iter",
]

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


def infer_columns(words: list[str]) -> list[str] | None:
    """The columns of a row without titles, by their number: 3.0 to 3.2 have 8, 3.3 and later 10."""
    columns = {len(COLUMNS_3_0): COLUMNS_3_0, len(COLUMNS_3_3): COLUMNS_3_3}.get(len(words))
    fits = columns and words[-1].isdecimal() and all(NUMBER.match(word) or word == "-" for word in words)
    sizes = [words[columns.index(name)] for name in ("block(KiB)", "xfer(KiB)")] if columns and fits else []
    return columns if fits and (words[0] == "-" or "-" not in sizes) else None  # every transfer has them


def is_untitled_row(line: str) -> bool:
    """Whether a row below a summary is one of a table without titles: its blocks are not smaller than its transfers, as the
    least of several bandwidths is than their mean, nor the bandwidth itself, as all three are of a single repetition."""
    words = line.split()[1:]
    columns = infer_columns(words)
    if not columns or words[0] == "-":
        return False
    block, transfer = (float(words[columns.index(name)]) for name in ("block(KiB)", "xfer(KiB)"))
    return block >= transfer and float(words[0]) not in (block, transfer)


def normalise_csv_row(line: str) -> str:
    """A row of CSV that a spreadsheet wrote again, as IOR had written it; a quotation mark within a cell stays."""
    return _ABOUT_A_CELL.sub("", line).replace(";", ",")


def is_csv_row(line: str) -> bool:
    """Whether the line is a row of CSV: every one has at least six figures."""
    found = CSV_ROW.match(line) if "," in line else None
    cells = found[3].split(",") if found else []
    return len(cells) > 5 and all(_FILLED.match(cell) for cell in cells)


def continued_titles(columns: list[str], line: str) -> list[str] | None:
    """The titles that a wrapped line adds, or None where the line is something else."""
    words = line.strip(" \t>|#+").split()
    return words if columns[-1] != "iter" and words and all(w in VALUE_COLUMNS or w in COLUMNS_3_0 for w in words) else None


def continued_cells(columns: list[str], words: list[str], line: str) -> list[str] | None:
    """The cells that a wrapped line adds to a row, or None where the line cannot go on with it."""
    more = line.strip(" \t>|#+").split()
    tail = more and more[-1] in ("XXCEL", "EXCEL")  # a word of 2.x for finding rows again
    fits = len(words) + len(more) - bool(tail) <= len(columns) and all(_FILLED.match(word) for word in more[: -1 if tail else None])
    return more if more and fits else None


@lru_cache(200)
def _plan(columns: tuple[str, ...], operation: str, access: str) -> tuple[_Column, ...]:
    """What the values of a row have alike by column, of those that hold figures."""
    return tuple(
        (at, column, f"{operation}.{VALUE_COLUMNS[column][0]}", f"{access} {column}", *VALUE_COLUMNS[column][1:])
        for at, column in enumerate(columns)
        if column in VALUE_COLUMNS
    )


def read_plain_row(test: IorTest, header: int, columns: list[str], access: str, words: list[str], number: int) -> list[Value]:
    """The figures of a row of the table's full width whose every word is a plain figure, as `read_row` gives them; none of
    any other row."""
    if len(words) != len(columns) or columns[0] == "rank" or (columns[-1] == "iter" and not words[-1].isdecimal()):
        return []
    cells = dict(zip(columns, words, strict=True))
    params = _params(test, cells)
    if len(cells) != len(columns) or "rank" in params:
        return []
    depends, found = _depends(test, header), []
    for at, column, metric, native, part, factor, unit, meant in _plan(tuple(columns), test.operation(access), access):
        raw = words[at]
        value = float(raw)
        test.rows.setdefault((access, column), []).append((value, number))
        found.append(
            Value(
                number,
                TOOL,
                metric,
                native,
                value * factor,
                unit,
                raw,
                meant,
                test.start,
                test.version,
                "sample",
                params | {"part": part} if part else params,
                test.told,
                "measured",
                None,
                test.started,
                None,
                depends,
            )
        )
    return found


def _depends(test: IorTest, header: int) -> tuple[int, ...]:
    return tuple(sorted({*test.depends.values(), *((header,) if header else ())}))


def read_row(
    test: IorTest,
    header: int,
    columns: list[str],
    access: str,
    words: list[str],
    number: int,
    lines: list[int] | None = None,
) -> Iterator[Value | Doubt]:
    """The figures of one row. Too few words: nothing is taken, since what is missing cannot be told.

    `lines`: of a wrapped row the line of each cell.
    """
    if len(words) < len(columns):
        code = "short-row"
        yield Doubt(number, code, f"{access}: {len(words)} figures for {len(columns)} columns; none was taken")
        return
    many = len(words) > len(columns) + words[-1].isalpha()  # a word of 2.x for finding rows again may follow
    if many or not (words[len(columns) - 1].isdecimal() or columns[-1] != "iter"):
        yield Doubt(number, "long-row", f"{access}: {len(words)} figures for {len(columns)} columns; none was taken")
        return
    cells = dict(zip(columns, words, strict=False))
    if len(cells) < len(columns):  # which of the figures is whose cannot be told
        yield Doubt(number, "no-header", f"{access}: the titles name a column twice; none was taken")
        return
    if columns[0] == "rank" and "e" in words[1] and "e" not in words[-1]:  # every figure of a rank is printed by %.10e
        yield Doubt(number, "cut", f"{access} {columns[-1]}: {words[-1][:40]!r} has lost its exponent")
        cells[columns[-1]] = "-"
    params = _params(test, cells)
    depends = _depends(test, header)
    if lines:
        depends = tuple(dict.fromkeys((*depends, *lines)))
    for at, (column, raw) in enumerate(cells.items()):
        line = lines[at] if lines else number
        if column not in VALUE_COLUMNS or raw == "-":
            continue
        if not NUMBER.match(raw):
            yield Doubt(line, "bad-number", f"{access} {column}: {raw[:40]!r} is not a number")
            continue
        yield make_value(test, access, column, raw, line, params, depends)


def make_value(
    test: IorTest,
    access: str,
    column: str,
    raw: str,
    number: int,
    params: dict[str, object],
    depends: tuple[int, ...] = (),
    native: str | None = None,
) -> Value:
    """One figure of a row with all its parameters; also remembered for checking the aggregates that follow."""
    quantity, part, factor, unit, meant = VALUE_COLUMNS[column]
    if "rank" in params:
        part = f"rank {params['rank']}" + (f", {part}" if part else "")
    operation = test.operation(access)
    test.rows.setdefault((access, column), []).append((float(raw), number))
    return Value(
        number,
        TOOL,
        f"{operation}.{quantity}",
        f"{access} {native or column}",
        float(raw) * factor,
        unit,
        raw,
        meant,
        test.start,
        test.version,
        "sample",
        params | {"part": part} if part else params,
        test.told,
        "measured",
        None,
        test.started,
        None,
        depends,
    )


def _params(test: IorTest, cells: dict[str, str]) -> dict[str, object]:
    """The workload of a row: what it tells itself (exact sizes where the option list had rounded ones, tasks, iteration) and
    the options of its test, unless its sizes are not theirs: it is then of a test whose options were not kept."""
    params: dict[str, object] = {}
    others = False
    for column, name in (("block(KiB)", "block_size"), ("xfer(KiB)", "transfer_size")):
        if _WHOLE.fullmatch(cells.get(column, "")):
            size, told = int(float(cells[column])) * 1024, test.params.get(name)
            if told is None:
                params[name] = size
            elif isinstance(told, int) and size and not 1 / _ROUNDED < told / size < _ROUNDED:
                params[name], others = size, True
    for column, name in (("numTasks", "processes"), ("iter", "iteration"), ("rank", "rank")):
        if cells.get(column, "").isdecimal():
            params[name] = int(cells[column])
    return params if others else {**test.params, **params}
