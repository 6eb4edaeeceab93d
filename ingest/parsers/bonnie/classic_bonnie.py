"""Bonnie, the program of Tim Bray on which bonnie++ is based: a run is one row of a report.

Shapes of bonnie (name | versions | units | traps):
    report | Tim Bray's, 1990 to 2.0.6; 1.4 and 1.5 with volumes | K/sec = 1024 B/s, MB = 1024 K, %CPU with a decimal | no
        version in it; people put labels between its rows
    report in M/sec | Bonnie64 | M/sec = 1024² B/s, GB = 1000 MB of 1024² B, rounded down | as above

Source: Bonnie.c (textuality.com/bonnie), report()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ingest import units
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found, Value
from ingest.text.lines import Text

TOOL = "bonnie"
_DASH = r"[-\u2013\u2014]"  # typesetting replaces two hyphens by a dash
_TITLES = lazy(rf"{_DASH}Per Char{_DASH}+[^\S\n]+{_DASH}+Block{_DASH}+[^\S\n]+{_DASH}+Rewrite{_DASH}")
ANCHOR = lazy(_TITLES.pattern + r"|\bdone:[^\S\n]{0,9}\d{1,9} kB/s[^\S\n]{1,9}[\d.]{1,9} %CPU")
_HEAD = lazy(r"\b(?:MB\s+K/sec\s+%CPU\s+K|GB\s+(M)/sec\s+%CPU\s+M)/sec\s+%CPU")
_OTHER = lazy(r"-Per Chr-|-Create--")  # titles of bonnie++
_DONE = lazy(r"(?:putc\(\)|Rewriting|intelligently|getc\(\))\.{3}\s*done:\s*\d+ kB/s\s+[\d.]+ %CPU")
_QUOTED = lazy(r"\s*(?:\w{0,6}[>|]\s?){1,8}|[\s#*]+")
_REST = lazy(r"[\s>|]*(?:-Rewrite-+|-Per Char-+|-+Block-+|-+Seeks-+|-+Sequential|Input-+|-+Random-+|K?/sec|%CPU|\s)+\Z")
_NUMBER = lazy(r"\d{1,12}(?:\.\d{1,3})?\Z")
_WITHOUT_DECIMAL = lazy(r"\d{1,12}\.\Z")  # `100.`: cut to the width of its column; never in the last cell, which may be incomplete
_SIZE = lazy(r"(?:(\d{1,4})\*)?(\d{1,9})\Z")  # MB, since 1.4 with the number of volumes of that size before it
_VOLUMES = lazy(r"\d{1,4}\*\Z")
# Operation, how the two lines of titles name it, whether it counts bytes (Bonnie.c, report).
_COLUMNS = (
    ("write_char", "Sequential Output Per Char", True),
    ("write", "Sequential Output Block", True),
    ("rewrite", "Sequential Output Rewrite", True),
    ("read_char", "Sequential Input Per Char", True),
    ("read", "Sequential Input Block", True),
    ("seek", "Random Seeks", False),
)
_CELLS = 2 * len(_COLUMNS)
_BY_HAND = lazy(r"\b[MK]B/s(?:ec)?\s+%?CPU")  # titles that no Bonnie prints
_FEWEST_NUMBERS = 8  # numbers that make a line look like a row
_MAX_LABEL_LINES = 6

Word = tuple[str, int]  # text and its line


@dataclass
class _Table:
    """An open report. `title_lines`: lines of its titles; `letter`: unit of its columns of bytes (K or M).

    `lines_since_row`: lines of text since its last row. People put labels between rows, so only much other text ends a table.
    """

    title_lines: list[int] = field(default_factory=list)
    is_open: bool = False
    rows: int = 0
    lines_since_row: int = 0
    letter: str = "K"


class _Output:
    """One pass over the lines of a text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._table = _Table()
        self._skip = 0  # last line that was read with one above it
        self._progress_line = 0  # of a test whose figures no table repeats

    def read(self) -> Iterator[Found]:
        """Every row of every report."""
        for number, line in enumerate(self._lines, 1):
            if number > self._skip and line.strip() and (items := self._read_line(line, number)):
                yield from items
        yield from self._close(len(self._lines))
        if self._progress_line:
            message = "progress of Bonnie's tests, but its table of results is missing; nothing was recorded"
            yield Doubt(self._progress_line, "cut", message)

    def _read_line(self, line: str, number: int) -> Iterable[Found]:
        table = self._table
        if _DONE.search(line):
            self._progress_line = number
        elif _TITLES.search(line):
            doubts = list(self._close(number))
            self._table, self._progress_line = _Table([number]), 0
            return doubts
        elif table.title_lines and not table.is_open and _BY_HAND.search(line):
            self._table = _Table()
            return [Doubt(number, "unread", "a hand-made table of Bonnie's values; nothing in it was recorded")]
        elif table.title_lines and (units_line := _HEAD.search(line)):
            table.title_lines.append(number)
            table.is_open, table.letter = True, units_line[1] or "K"
        elif table.is_open and not _REST.match(line):
            return self._read_body(table, line, number)
        return ()

    def _read_body(self, table: _Table, line: str, number: int) -> Iterator[Found]:
        """A row, a label, or text that ends the table."""
        below = self._lines[number] if number < len(self._lines) else ""
        words, rest = _row(line, below, number)
        self._skip = number + rest
        if words:
            table.rows, table.lines_since_row = table.rows + 1, 0
            yield from _values(words, table, number)
        elif not table.lines_since_row and sum(bool(_NUMBER.match(word)) for word in _words(line)) >= _FEWEST_NUMBERS:
            table.rows += 1
            yield Doubt(number, "short-row", "a row of Bonnie without a size and twelve numbers; nothing in it was recorded")
        elif table.rows:
            table.lines_since_row += 1
            if table.lines_since_row > _MAX_LABEL_LINES or _OTHER.search(line):
                self._table = _Table()

    def _close(self, number: int) -> Iterator[Doubt]:
        if self._table.is_open and not self._table.rows:
            yield Doubt(number, "cut", "Bonnie's report ends before its row of results")


def parse(text: Text) -> Iterator[Found]:
    """Every row of every report."""
    yield from _Output(text.lines).read()


def _words(line: str) -> list[str]:
    quoted = _QUOTED.match(line)
    return line[quoted.end() if quoted else 0 :].split()


def _row(line: str, below: str, number: int) -> tuple[list[Word], int]:
    """The words of a row, its size the thirteenth from the end, and the number of further lines (mailers wrap rows); else empty."""
    words = [(word, number) for word in _words(line)]
    if _is_row(words):
        return words, 0
    words += [(word, number + 1) for word in _words(below)]
    return (words, 1) if _is_row(words) and words[-_CELLS - 1][1] == number else ([], 0)


def _is_row(words: list[Word]) -> bool:
    cells = words[-_CELLS:]
    return (
        len(words) > _CELLS
        and bool(_SIZE.match(words[-_CELLS - 1][0]))
        and all(_NUMBER.match(cell) for cell, _ in cells[-1:])
        and all(_NUMBER.match(cell) or _WITHOUT_DECIMAL.match(cell) for cell, _ in cells[:-1])
        and not any(_NUMBER.match(word) for word, _ in words[: -_CELLS - 1])
    )


def _values(words: list[Word], table: _Table, line: int) -> Iterator[Value]:
    """The figures of a row. K is 1024 bytes and MB 1024 K, as Bonnie.c divides by them."""
    before = [word for word, _ in words[: -_CELLS - 1]]
    volumes = before.pop()[:-1] if before and _VOLUMES.match(before[-1]) else None
    params: dict[str, object] = {"machine": " ".join(before)} if before else {}
    if size := _SIZE.match(words[-_CELLS - 1][0]):
        params["file_size"] = int(size[2]) * units.M * (1 if table.letter == "K" else 1000)
        if volumes or size[1]:
            params["volumes"] = int(volumes or size[1])
    factor = units.K if table.letter == "K" else units.M
    cells = iter(words[-_CELLS:])
    for operation, native, is_bytes in _COLUMNS:
        rate = ("throughput", native, "B/s", f"{table.letter}/sec") if is_bytes else ("rate", native, "1/s", "/sec")
        for metric, name, unit, raw_unit in (rate, ("cpu", f"{native} %CPU", "%", "%")):
            raw, number = next(cells)
            yield Value(
                number,
                TOOL,
                f"{operation}.{metric}",
                name,
                float(raw) * (factor if metric == "throughput" else 1),
                unit,
                raw=raw,
                raw_unit=raw_unit,
                run=line,
                params=params,
                depends=tuple(table.title_lines),
            )


PARSER = Parser(name="bonnie", version=5, anchor=Anchor(ANCHOR, "per char|%cpu"), parse=parse)
