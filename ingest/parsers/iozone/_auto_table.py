"""The automatic mode table of iozone: fixed-width columns under two lines of titles.

Columns that were not measured are blank, so a figure belongs to the title over it. Rows whose number of figures is
that of the titles need no positions; every other row is read by right edges, relative to the `reclen` column, which
survives indentation. A row that fits neither way is refused with a warning: columns are never shifted.
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
from ingest.records import Doubt, Value

HEADER = lazy(r"^[\s>|#/*]*[kK][bB]\s+reclen\s+\S")
ONE_LINE_TABLE = lazy(r"\b[kK][bB]\s+reclen\s+write\s+rewrite\b.{0,200}?\s\d{2,12}\s+\d{1,6}(?:\s+\d{2,12}){2}")
ROW = lazy(r"^[\s>|#/*]*\d+\s+\d+\s+[\d*+?\x00-\x08.a-zA-Z-]")
NAKED_ROW = lazy(r"^[\s>|#/*]*(\d{2,12})[ \t]+(\d{1,6})((?:[ \t]+\d{2,12}){2,13})[ \t]*$")
_LABELLED = lazy(
    r"^[\s>|#/*]*(?P<label>(?=\S*[A-Za-z.])[A-Za-z0-9][\w.+:-]{0,40})(?P<row>\s+\d{1,12}\s+\d{1,6}(?:\s+\d{1,12}){2,16})\s*$"
)
# A message of the kernel or of a logger, which a console puts wherever the cursor stands.
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
    """The titles of one table: operation and right edge of each column relative to that of `reclen`."""

    line: int
    columns: list[str | None]
    edges: list[int]
    filled: tuple[str, ...] = ()
    wrapped: bool = False
    last: dict[int, int] = field(default_factory=dict)  # column -> where its figure ended in the row above
    whole: str = ""  # the row above where that had a figure under every title, before anybody asked where they ended


def read_titles(header: str, above: str, number: int, below: str = "") -> AutoTable:
    """The columns under the title line; unknown titles give None.

    A mailer breaks long lines. Where the line below holds the rest of the titles, in iozone's order, the table is
    `wrapped`: its rows are read only where both halves give a figure for every title.
    """
    rest = below.strip("> \t").split()
    if rest and set(rest) <= set(LOWER_TITLES):
        both = (*header.split("reclen", 1)[1].split(), *rest)
        if both == LOWER_TITLES[: len(both)]:
            return AutoTable(number, list(COLUMNS[: len(both)]), [], wrapped=True)
    words = list(_WORD.finditer(header))
    at = next(i for i, word in enumerate(words) if word.group() == "reclen")
    origin, titles = words[at].end(), words[at + 1 :]
    lower = tuple(word.group() for word in titles)
    if lower == LOWER_TITLES[: len(lower)]:
        columns: list[str | None] = list(COLUMNS[: len(lower)])
    else:
        whole = set(above.split()) <= _UPPER and above.strip() != ""
        columns = [
            TITLES.get((_over(above, word.start(), word.end()) if whole else "", word.group()))
            if whole or word.group() not in lower[:at]
            else None  # without the upper line a second `read` may be random, backward or strided
            for at, word in enumerate(titles)
        ]
        _name_extensions(columns, lower)
    return AutoTable(number, columns, [word.end() - origin for word in titles])


def _name_extensions(columns: list[str | None], titles: tuple[str, ...]) -> None:
    """Option -E: what stands behind pwrite, pread, pwritev and preadv is the same operation again."""
    for at in range(1, len(titles)):
        first = titles[at - 1]
        if first in EXTENSIONS and titles[at] in ("rewrite", "reread", f"re{first}", f"re-{first}"):
            columns[at] = f"re{first}"


def _over(above: str, start: int, end: int) -> str:
    """The word of the upper title line that stands over columns start to end."""
    return next((w.group() for w in _WORD.finditer(above) if w.start() < end and start < w.end()), "")


def split_label(line: str) -> tuple[str, str] | None:
    """The label that a poster put before a row (a kernel, a file system), and the row with blanks in its place."""
    found = _LABELLED.match(line)
    if not found or not is_untitled_row(found["row"]):
        return None
    return found["label"], " " * found.start("row") + found["row"]


def read_row(
    run: IozoneRun, table: AutoTable, line: str, number: int, cut: bool, label: str | None = None
) -> Iterator[Value | Doubt]:
    """The figures of one row. `cut`: the file ends inside this line, so figures or digits are missing.

    What a poster put before the row (`label`) tells its runs apart: it is kept as the part, so that they are not pooled.
    """
    if label is None and (whole := _whole_row(run, table, line, number)):
        yield from whole
        return
    words = _words(line)
    size, record, figures = words[0].group(), words[1].group(), words[2:]
    if not _possible(size, record):
        yield Doubt(number, "bad-number", f"no record of {record[:20]} kB fits a file of {size[:20]} kB: this row is damaged")
        return
    placed = _place(run, table, words[1].end(), figures)
    if placed is None:
        yield Doubt(
            number,
            "ambiguous",
            f"{len(figures)} figures for {len(table.columns)} columns do not stand under their titles; none was taken",
        )
        return
    names = tuple(str(table.columns[column]) for column in placed)
    if cut and len(names) < len(table.filled or table.columns):
        yield Doubt(number, "cut", f"the file ends inside this row, after {len(names)} figures; none of them was taken")
        return
    ends = {column: word.end() for column, word in zip(placed, figures, strict=True)}
    if table.whole:
        table.last, table.whole = {at: word.end() for at, word in enumerate(_words(table.whole)[2:])}, ""
    if len(names) < len(table.filled):
        if any(ends[column] != table.last.get(column, ends[column]) for column in placed[:-1]):
            # A cell was deleted with its blanks: what stands behind it moved below the titles of others.
            yield Doubt(
                number,
                "short-row",
                f"{len(names)} figures where the rows before have {len(table.filled)}, and not where those stand; none was taken",
            )
            return
        yield Doubt(number, "short-row", f"{len(names)} figures where the rows before have {len(table.filled)}")
        if placed and ends[placed[-1]] < table.last.get(placed[-1], 0):
            yield Doubt(number, "cut", f"the row ends in {figures[-1].group()[:20]!r}, short of its column; it was not taken")
            figures, placed = figures[:-1], placed[:-1]
    else:
        table.filled, table.last = names, ends
    params: dict[str, Any] = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    if label:
        params["part"] = label
    depends = _titles(table)
    for word, column in zip(figures, placed, strict=True):
        yield _figure(run, table, number, params, word.group(), column, depends)


def read_plain_row(run: IozoneRun, table: AutoTable, line: str, number: int) -> list[Value] | None:
    """A row of nothing but whole numbers, one under every title, which is nothing else that iozone prints."""
    return _whole_row(run, table, line, number) if line[:1] == " " and line.replace(" ", "").isdecimal() else None


def _whole_row(run: IozoneRun, table: AutoTable, line: str, number: int) -> list[Value] | None:
    """A row with a whole number under every title, as nearly all are; None for any other."""
    words = line.lstrip(_MARGIN).split()
    raws = words[2:]
    columns = tuple(filter(None, table.columns))
    if not len(raws) == len(columns) == len(table.columns) or not "".join(raws).isdecimal():
        return None
    figures = list(map(float, raws))
    if 0.0 in figures:
        return None
    size, record = words[:2]
    if not _possible(size, record):
        return None
    names = _named(columns)
    params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    for (operation, _), figure in zip(names, figures, strict=True):
        run.cells[operation, params["file_size"], params["record_size"]] = figure, number, table.line
    table.filled, table.whole = columns, line
    return run.row_of(number, names, list(zip(figures, raws, strict=True)), params, _titles(table))


def _possible(size: str, record: str) -> bool:
    """Whether a file and a record may have such sizes in kB: the loops of iozone never make a record larger than its file."""
    return size.isdecimal() and record.isdecimal() and 0 < int(record) <= int(size)


@lru_cache(100)
def _named(columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each operation with iozone's own name of it."""
    return [(operation, NATIVE_NAMES.get(operation, operation)) for operation in columns]


def _words(line: str) -> list[re.Match[str]]:
    """The words of a row, where they stand in the line, without what a margin put before it."""
    return list(_WORD.finditer(line.lstrip(_MARGIN).rjust(len(line))))


def _titles(table: AutoTable) -> tuple[int, ...]:
    """The lines of the titles."""
    return (table.line, table.line - 1) if table.line > 1 else (table.line,)


def is_row_rest(run: IozoneRun, table: AutoTable, line: str, below: str) -> bool:
    """Whether the line below ends the row: figures alone, and both halves fill the titles, or the tests of the command."""
    first, second = line.strip("> \t").split(), below.strip("> \t").split()
    figures = (*first[2:], *second)
    return (
        bool(second)
        and (len(figures) == len(table.columns) or _by_tests(run, table, len(figures)) is not None)
        and all(_NUMBER.match(word) for word in figures)
        and not is_untitled_row(below)
    )


def read_wrapped_row(run: IozoneRun, table: AutoTable, halves: tuple[str, str], number: int) -> Iterator[Value | Doubt]:
    """The figures of a row that a mailer broke in two."""
    parts = [(raw, number + at) for at, half in enumerate(halves) for raw in half.strip("> \t").split()]
    yield from _parts(run, table, parts, (table.line, table.line + 1, number, number + 1))


def join_broken_row(run: IozoneRun, table: AutoTable, lines: Sequence[str], number: int) -> list[tuple[str, int]]:
    """The figures of a row into which messages broke, with their lines; empty where they do not fill the titles.

    `37211[ 83.194629] axfs: ...` / `     55090      51222`: what was printed goes on where the message ended its line.
    """
    parts: list[tuple[str, int]] = []
    for at in range(number - 1, min(number + _BROKEN_BY, len(lines))):
        line = lines[at]
        message = CONSOLE_MESSAGE.search(line)
        words = (line[: message.start()] if message else line).split()
        another = parts and (_begins_row(words, parts[0][0]) or (not message and is_untitled_row(line)))
        if another or not all(map(_NUMBER.match, words)):
            return []
        parts += [(word, at + 1) for word in words]
        count = len(parts) - 2
        if count > len(table.columns):
            return []
        if count == len(table.columns) or _by_tests(run, table, count):
            return [] if _goes_on(lines, at + 1) else parts
    return []


def _begins_row(words: Sequence[str], kilobytes: str) -> bool:
    """Whether figures stand as kB and record size of a further row do, below one of that many kB."""
    size, record = (int(word) if word.isdecimal() else 0 for word in (*words[:2], "", "")[:2])
    return 0 < record <= size and not record & (record - 1) and (words[0] == kilobytes or not size & (size - 1))


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether figures that are no row come next: the message broke into the last figure, or the row has more of them."""
    for line in lines[at : at + _BROKEN_BY]:
        if not CONSOLE_MESSAGE.match(line.lstrip()):
            words = line.split()
            return bool(words) and all(map(_NUMBER.match, words)) and not is_untitled_row(line)
    return False


def read_broken_row(run: IozoneRun, table: AutoTable, parts: list[tuple[str, int]]) -> Iterator[Value | Doubt]:
    """The figures of such a row."""
    return _parts(run, table, parts, (*_titles(table), *dict.fromkeys(at for _, at in parts)))


def _parts(run: IozoneRun, table: AutoTable, parts: list[tuple[str, int]], depends: tuple[int, ...]) -> Iterator[Value | Doubt]:
    """A row whose figures stand on several lines, each with its own."""
    (size, _), (record, _), *figures = parts
    params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
    full = len(figures) == len(table.columns)
    placed = range(len(figures)) if full else _by_tests(run, table, len(figures)) or []
    for column, (raw, at) in zip(placed, figures, strict=True):
        yield _figure(run, table, at, params, raw, column, depends)


def _figure(
    run: IozoneRun, table: AutoTable, number: int, params: dict[str, Any], raw: str, column: int, depends: tuple[int, ...]
) -> Value | Doubt:
    operation = table.columns[column]
    if operation is None:
        return Doubt(number, "unread", f"{raw} stands under a title that is not known")
    if not _NUMBER.match(raw):
        return Doubt(number, "bad-number", f"{NATIVE_NAMES.get(operation, operation)}: {raw[:40]!r} is not a number")
    if float(raw) == 0:
        return Doubt(number, "unmeasured", f"{NATIVE_NAMES.get(operation, operation)}: iozone printed 0")
    key = (operation, params["file_size"], params["record_size"])
    run.cells[key] = (float(raw), number, table.line)
    return run.value(
        number,
        operation,
        NATIVE_NAMES.get(operation, operation),
        raw,
        params,
        depends=depends,
    )


def _place(run: IozoneRun, table: AutoTable, origin: int, figures: list[re.Match[str]]) -> list[int] | None:
    """The column of each figure, or None where that cannot be told."""
    if len(figures) == len(table.columns):
        return list(range(len(figures)))
    if figures and "\t" in figures[-1].string[:origin].lstrip() + figures[-1].string[origin:]:
        return _by_tests(run, table, len(figures))  # what a tab stands for is not told: nothing stands in its column
    places = []
    for figure in figures:
        edge = figure.end() - origin
        near = [i for i, e in enumerate(table.edges) if abs(e - edge) <= _NEAR]
        if len(near) != 1 or len(figure.group()) > _WIDEST + 1:
            return _by_tests(run, table, len(figures))
        places.append(near[0])
    if places == sorted(set(places)):
        return places
    return _by_tests(run, table, len(figures))


def _by_tests(run: IozoneRun, table: AutoTable, count: int) -> list[int] | None:
    """Where blanks were lost, the tests that the command names (`-i 0 -i 1`), if they give just as many columns."""
    filled = {operation for test in run.tests for operation in TEST_OPERATIONS.get(test, ())}
    places = [i for i, column in enumerate(table.columns) if column in filled]
    return places if places and len(places) == count else None


def is_untitled_row(line: str) -> bool:
    """Whether the line has the make of a table row: kB, a record size that is a power of two, then figures."""
    found = NAKED_ROW.match(line)
    if not found:
        return False
    size, record = int(found.group(1)), int(found.group(2))
    return 0 < record <= size and record & (record - 1) == 0 and size % record == 0
