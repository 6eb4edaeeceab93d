"""The automatic mode table of iozone: fixed-width columns under two lines of titles.

Columns that were not measured are blank, so a figure belongs to the title over it. Rows with a figure for each title need no
positions; every other row is read by right edges relative to the `reclen` column, which indentation does not change. A row that
fits neither way is left out with a warning: columns are never shifted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import COLUMNS, EXTENSIONS, LOWER_TITLES, NATIVE_NAMES, TEST_OPERATIONS, TITLES
from ingest.parsers.iozone._run_header import KIB, IozoneRun
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue, Value

HEADER = lazy(r"^[\s>|#/*]*[kK][bB]\s+reclen\s+\S")
ONE_LINE_TABLE = lazy(r"\b[kK][bB]\s+reclen\s+write\s+rewrite\b.{0,200}?\s\d{2,12}\s+\d{1,6}(?:\s+\d{2,12}){2}")
ROW = lazy(r"^[\s>|#/*]*\d+\s+\d+\s+[\d*+?\x00-\x08.a-zA-Z-]")
NAKED_ROW = lazy(r"^[\s>|#/*]*(\d{2,12})[ \t]+(\d{1,6})((?:[ \t]+\d{2,12}){2,13})[ \t]*$")
_LABELLED = lazy(
    r"^[\s>|#/*]*(?P<label>(?=\S*[A-Za-z.])[A-Za-z0-9][\w.+:-]{0,40})(?P<row>\s+\d{1,12}\s+\d{1,6}(?:\s+\d{1,12}){2,16})\s*$"
)
# A message of the kernel or of a logger, which a console prints at the cursor.
CONSOLE_MESSAGE = lazy(r"\[ {0,8}\d{1,9}\.\d{3,9}[ \]]|\[(?:ERROR|WARN|INFO|DEBUG|TRACE)\b")
_UPPER = {"random", "bkwd", "record", "stride"}
_WORD = lazy(r"\S+")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_WIDEST = 9  # the field width of a column; a longer run of digits may be two figures
_MARGIN = ">|#/* \t"
_BROKEN_BY = 20  # lines of messages within one row
_NEAR = 4  # columns are 8 to 10 wide, so a right edge within 4 of a title's belongs to that title alone


@dataclass(slots=True)
class AutoTable:
    """The titles of one table: operation (None: unknown) and right edge of each column, relative to that of `reclen`.

    `filled`: operations with a figure in the rows above. `wrapped`: a mailer broke the titles in two lines.
    """

    line: int
    columns: list[str | None]
    edges: list[int]
    filled: tuple[str, ...] = ()
    wrapped: bool = False
    last: dict[int, int] = field(default_factory=dict)  # column -> where its figure ended in the row above
    full_row: str = ""  # the row above if it had a figure under every title; its `last` is computed on demand


def read_titles(header: str, above: str, number: int, below: str = "") -> AutoTable:
    """The columns under the title line; unknown titles give None.

    Where the line below has the rest of the titles in iozone's order, a mailer broke them and the table is `wrapped`: its rows are
    read only where both halves have a figure for every title.
    """
    rest = below.strip("> \t").split()
    if rest and set(rest) <= set(LOWER_TITLES):
        both = (*header.split("reclen", 1)[1].split(), *rest)
        if both == LOWER_TITLES[: len(both)]:
            return AutoTable(number, list(COLUMNS[: len(both)]), [], wrapped=True)
    words = list(_WORD.finditer(header))
    index = next(i for i, word in enumerate(words) if word.group() == "reclen")
    origin, titles = words[index].end(), words[index + 1 :]
    lower = tuple(word.group() for word in titles)
    if lower == LOWER_TITLES[: len(lower)]:
        columns: list[str | None] = list(COLUMNS[: len(lower)])
    else:
        has_upper_titles = set(above.split()) <= _UPPER and above.strip() != ""
        columns = [
            TITLES.get((_upper_title(above, word.start(), word.end()) if has_upper_titles else "", word.group()))
            if has_upper_titles or word.group() not in lower[:index]
            else None  # without the upper line a second `read` may be random, backward or strided
            for index, word in enumerate(titles)
        ]
        _name_extensions(columns, lower)
    return AutoTable(number, columns, [word.end() - origin for word in titles])


def _name_extensions(columns: list[str | None], titles: tuple[str, ...]) -> None:
    """Option -E: the title after pwrite, pread, pwritev or preadv is the same operation again."""
    for index in range(1, len(titles)):
        first = titles[index - 1]
        if first in EXTENSIONS and titles[index] in ("rewrite", "reread", f"re{first}", f"re-{first}"):
            columns[index] = f"re{first}"


def _upper_title(above: str, start: int, end: int) -> str:
    """The word of the upper title line over the characters from start to end; empty where none is."""
    return next((w.group() for w in _WORD.finditer(above) if w.start() < end and start < w.end()), "")


def split_label(line: str) -> tuple[str, str] | None:
    """The label that a person put before a row (a kernel, a file system), and the row with blanks in its place; else None."""
    match = _LABELLED.match(line)
    if not match or not is_untitled_row(match["row"]):
        return None
    return match["label"], " " * match.start("row") + match["row"]


def read_row(run: IozoneRun, table: AutoTable, line: str, number: int, is_cut: bool, label: str | None = None) -> Iterator[Found]:
    """The figures of one row. `is_cut`: the file ends inside this line, so figures or digits are missing.

    The label that a person put before the row (`label`) is kept as the part, so that rows with different labels are not pooled.
    """
    if label is None and (values := _read_full_row(run, table, line, number)):
        yield from values
        return
    words = _words(line)
    size, record, figures = words[0].group(), words[1].group(), words[2:]
    if not _are_possible_sizes(size, record):
        yield Doubt(
            number, "bad-number", f"a record of {record[:20]} kB does not fit into a file of {size[:20]} kB: this row is damaged"
        )
        return
    placed = _find_columns(run, table, words[1].end(), figures)
    if placed is None:
        yield Doubt(
            number,
            "ambiguous",
            f"{len(figures)} values for {len(table.columns)} columns are not under their headings; none were recorded",
        )
        return
    if is_cut and len(placed) < len(table.filled or table.columns):
        yield Doubt(number, "cut", f"the file ends inside this row, after {len(placed)} values; none of them were recorded")
        return
    kept, doubts = _check_width(table, figures, placed, number)
    yield from doubts
    params: dict[str, Any] = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    if label:
        params["part"] = label
    depends = _title_lines(table)
    for word, column in zip(figures[:kept], placed[:kept], strict=True):
        yield from _read_figure(run, table, word.group(), number, column, params=params, depends=depends)


def _check_width(table: AutoTable, figures: list[re.Match[str]], placed: list[int], number: int) -> tuple[int, list[Doubt]]:
    """How many figures of a row can be read, and warnings where it has fewer than the rows above. `placed`: column of each."""
    names = tuple(str(table.columns[column]) for column in placed)
    ends = {column: word.end() for column, word in zip(placed, figures, strict=True)}
    if table.full_row:
        table.last, table.full_row = {column: word.end() for column, word in enumerate(_words(table.full_row)[2:])}, ""
    if len(names) >= len(table.filled):
        table.filled, table.last = names, ends
        return len(figures), []
    message = f"{len(names)} values where the rows before have {len(table.filled)}"
    if any(ends[column] != table.last.get(column, ends[column]) for column in placed[:-1]):
        # A cell was deleted with its blanks: the figures behind it moved below the titles of others.
        return 0, [Doubt(number, "short-row", f"{message}, and in other columns; none were recorded")]
    doubts = [Doubt(number, "short-row", message)]
    if not placed or ends[placed[-1]] >= table.last.get(placed[-1], 0):
        return len(figures), doubts
    cut = f"the row ends in {figures[-1].group()[:20]!r}, before its column ends; not recorded"
    return len(figures) - 1, [*doubts, Doubt(number, "cut", cut)]


def read_plain_row(run: IozoneRun, table: AutoTable, line: str, number: int) -> list[Value] | None:
    """The values of a row of integers alone, one under every title; None for another line."""
    return _read_full_row(run, table, line, number) if line[:1] == " " and line.replace(" ", "").isdecimal() else None


def _read_full_row(run: IozoneRun, table: AutoTable, line: str, number: int) -> list[Value] | None:
    """The values of a row with an integer under every title, the usual case; None for another row."""
    words = line.lstrip(_MARGIN).split()
    raws = words[2:]
    columns = tuple(filter(None, table.columns))
    if not len(raws) == len(columns) == len(table.columns) or not "".join(raws).isdecimal():
        return None
    figures = list(map(float, raws))
    if 0.0 in figures:
        return None
    size, record = words[:2]
    if not _are_possible_sizes(size, record):
        return None
    names = _native_names(columns)
    params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    for (operation, _), figure in zip(names, figures, strict=True):
        run.cells[operation, params["file_size"], params["record_size"]] = figure, number, table.line
    table.filled, table.full_row = columns, line
    depends = _title_lines(table)
    return [run.value(number, *name, raw, params, depends=depends) for name, raw in zip(names, raws, strict=True)]


def _are_possible_sizes(size: str, record: str) -> bool:
    """Whether a file and a record can have such sizes in kB: no record is larger than its file."""
    return size.isdecimal() and record.isdecimal() and 0 < int(record) <= int(size)


@lru_cache(100)
def _native_names(columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each operation with iozone's name of it."""
    return [(operation, NATIVE_NAMES.get(operation, operation)) for operation in columns]


def _words(line: str) -> list[re.Match[str]]:
    """The words of a row without margin, at their positions in the line."""
    return list(_WORD.finditer(line.lstrip(_MARGIN).rjust(len(line))))


def _title_lines(table: AutoTable) -> tuple[int, ...]:
    """The lines of the titles."""
    return (table.line, table.line - 1) if table.line > 1 else (table.line,)


def is_row_rest(run: IozoneRun, table: AutoTable, line: str, below: str) -> bool:
    """Whether the line below completes the row: figures alone, as many as the titles or the tests of the command need."""
    first, second = line.strip("> \t").split(), below.strip("> \t").split()
    figures = (*first[2:], *second)
    return (
        bool(second)
        and (len(figures) == len(table.columns) or _columns_of_tests(run, table, len(figures)) is not None)
        and all(_NUMBER.match(word) for word in figures)
        and not is_untitled_row(below)
    )


def read_wrapped_row(run: IozoneRun, table: AutoTable, halves: tuple[str, str], number: int) -> Iterator[Found]:
    """The figures of a row that a mailer broke in two."""
    parts = [(raw, number + offset) for offset, half in enumerate(halves) for raw in half.strip("> \t").split()]
    yield from _read_parts(run, table, parts, (table.line, table.line + 1, number, number + 1))


def join_broken_row(run: IozoneRun, table: AutoTable, lines: Sequence[str], number: int) -> list[tuple[str, int]]:
    """The figures of a row that console messages interrupted, with their lines; empty where they do not fill the titles.

    `37211[ 83.194629] axfs: ...` / `     55090      51222`: the row continues where the message ended its line.
    """
    parts: list[tuple[str, int]] = []
    for index in range(number - 1, min(number + _BROKEN_BY, len(lines))):
        line = lines[index]
        message = CONSOLE_MESSAGE.search(line)
        words = (line[: message.start()] if message else line).split()
        another = parts and (_begins_row(words, parts[0][0]) or (not message and is_untitled_row(line)))
        if another or not all(map(_NUMBER.match, words)):
            return []
        parts += [(word, index + 1) for word in words]
        count = len(parts) - 2
        if count > len(table.columns):
            return []
        if count == len(table.columns) or _columns_of_tests(run, table, count):
            return [] if _continues(lines, index + 1) else parts
    return []


def _begins_row(words: Sequence[str], kilobytes: str) -> bool:
    """Whether the words begin a further row: file size and record size in kB, below a row of that file size."""
    size, record = (int(word) if word.isdecimal() else 0 for word in (*words[:2], "", "")[:2])
    return 0 < record <= size and not record & (record - 1) and (words[0] == kilobytes or not size & (size - 1))


def _continues(lines: Sequence[str], start: int) -> bool:
    """Whether figures that are no row follow: the message interrupted the last figure, or the row has more."""
    for line in lines[start : start + _BROKEN_BY]:
        if not CONSOLE_MESSAGE.match(line.lstrip()):
            words = line.split()
            return bool(words) and all(map(_NUMBER.match, words)) and not is_untitled_row(line)
    return False


def read_broken_row(run: IozoneRun, table: AutoTable, parts: list[tuple[str, int]]) -> Iterator[Found]:
    """The values of a row from `join_broken_row`."""
    return _read_parts(run, table, parts, (*_title_lines(table), *dict.fromkeys(number for _, number in parts)))


def _read_parts(run: IozoneRun, table: AutoTable, parts: list[tuple[str, int]], depends: tuple[int, ...]) -> Iterator[Found]:
    """The values of a row on several lines. `parts`: its words with their lines."""
    (size, _), (record, _), *figures = parts
    params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    full = len(figures) == len(table.columns)
    placed = range(len(figures)) if full else _columns_of_tests(run, table, len(figures)) or []
    for column, (raw, number) in zip(placed, figures, strict=True):
        yield from _read_figure(run, table, raw, number, column, params=params, depends=depends)


def _read_figure(
    run: IozoneRun, table: AutoTable, raw: str, number: int, column: int, *, params: dict[str, Any], depends: tuple[int, ...]
) -> Iterator[Found]:
    operation = table.columns[column]
    if operation is None:
        yield Doubt(number, "unread", f"{raw} is under an unknown heading")
        return
    native = NATIVE_NAMES.get(operation, operation)
    if not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{native}: {raw[:40]!r} is not a number")
        return
    value = run.value(number, operation, native, raw, params, depends=depends)
    if float(raw) == 0:
        yield MissingValue.instead_of(value, ZERO_TIME)
        yield Doubt(number, "unmeasured", f"{native}: iozone printed 0")
        return
    run.cells[operation, params["file_size"], params["record_size"]] = (float(raw), number, table.line)
    yield value


def _find_columns(run: IozoneRun, table: AutoTable, origin: int, figures: list[re.Match[str]]) -> list[int] | None:
    """The column of each figure; None where it is uncertain."""
    if len(figures) == len(table.columns):
        return list(range(len(figures)))
    if figures and "\t" in figures[-1].string[:origin].lstrip() + figures[-1].string[origin:]:
        return _columns_of_tests(run, table, len(figures))  # the width of a tab is unknown, so positions are too
    places = []
    for figure in figures:
        edge = figure.end() - origin
        near = [i for i, e in enumerate(table.edges) if abs(e - edge) <= _NEAR]
        if len(near) != 1 or len(figure.group()) > _WIDEST + 1:
            return _columns_of_tests(run, table, len(figures))
        places.append(near[0])
    if places == sorted(set(places)):
        return places
    return _columns_of_tests(run, table, len(figures))


def _columns_of_tests(run: IozoneRun, table: AutoTable, count: int) -> list[int] | None:
    """The columns of the tests in the command (`-i 0 -i 1`), for rows that lost blanks; None unless they are `count`."""
    filled = {operation for test in run.tests for operation in TEST_OPERATIONS.get(test, ())}
    places = [i for i, column in enumerate(table.columns) if column in filled]
    return places if places and len(places) == count else None


def is_untitled_row(line: str) -> bool:
    """Whether the line has the form of a table row: kB, a record size that is a power of two, then figures."""
    row = NAKED_ROW.match(line)
    if not row:
        return False
    size, record = int(row.group(1)), int(row.group(2))
    return 0 < record <= size and record & (record - 1) == 0 and size % record == 0
