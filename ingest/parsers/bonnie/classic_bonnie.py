"""Bonnie, the program of Tim Bray that bonnie++ was made of: one row of a report for a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest import units
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

TOOL = "bonnie"
_DASH = r"[-\u2013\u2014]"  # typesetters make one dash of two hyphens
_TITLES = lazy(rf"{_DASH}Per Char{_DASH}+[^\S\n]+{_DASH}+Block{_DASH}+[^\S\n]+{_DASH}+Rewrite{_DASH}")
ANCHOR = lazy(_TITLES.pattern + r"|\bdone:[^\S\n]{0,9}\d{1,9} kB/s[^\S\n]{1,9}[\d.]{1,9} %CPU")
_HEAD = lazy(r"\b(?:MB\s+K/sec\s+%CPU\s+K|GB\s+(M)/sec\s+%CPU\s+M)/sec\s+%CPU")
_OTHER = lazy(r"-Per Chr-|-Create--")  # titles of bonnie++
_DONE = lazy(r"(?:putc\(\)|Rewriting|intelligently|getc\(\))\.{3}\s*done:\s*\d+ kB/s\s+[\d.]+ %CPU")
_QUOTED = lazy(r"\s*(?:\w{0,6}[>|]\s?){1,8}|[\s#*]+")
_REST = lazy(r"[\s>|]*(?:-Rewrite-+|-Per Char-+|-+Block-+|-+Seeks-+|-+Sequential|Input-+|-+Random-+|K?/sec|%CPU|\s)+\Z")
_NUMBER = lazy(r"\d{1,12}(?:\.\d{1,3})?\Z")
_BARE = lazy(r"\d{1,12}\.\Z")  # `100.`: posters cut it down to the width of its column; never the last, which may be torn
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
_ENOUGH = 8  # numbers that make a line look like a row
_FAR = 6

Word = tuple[str, int]  # text and its line


@dataclass
class _Table:
    """The titles of an open report, and what stood in it; `letter`: what its columns of bytes count.

    `away`: written lines since its last row. People put a label between rows, so that only much other text ends a table.
    """

    head: list[int] = field(default_factory=list)
    open: bool = False
    rows: int = 0
    away: int = 0
    letter: str = "K"


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every row of every report."""
    table, skip, done = _Table(), 0, 0
    for number, line in enumerate(text.lines, 1):
        if number <= skip or not line.strip():
            continue
        if _DONE.search(line):
            done = number
        elif _TITLES.search(line):
            yield from _ended(table, number)
            table, done = _Table([number]), 0
        elif table.head and not table.open and _BY_HAND.search(line):
            yield Doubt(number, "unread", "a table that was made by hand of figures of Bonnie; none of it was taken")
            table = _Table()
        elif table.head and (titles := _HEAD.search(line)):
            table.head.append(number)
            table.open, table.letter = True, titles[1] or "K"
        elif table.open and not _REST.match(line):
            below = text.lines[number] if number < len(text.lines) else ""
            words, used = _row(line, below, number)
            skip = number + used
            if words:
                table.rows, table.away = table.rows + 1, 0
                yield from _values(words, table, number)
            elif not table.away and sum(bool(_NUMBER.match(word)) for word in _words(line)) >= _ENOUGH:
                table.rows += 1
                yield Doubt(number, "short-row", "a row of Bonnie that does not have size and twelve numbers; none was taken")
            elif table.rows:
                table.away += 1
                if table.away > _FAR or _OTHER.search(line):
                    table = _Table()
    yield from _ended(table, len(text.lines))
    if done:
        yield Doubt(done, "cut", "Bonnie tells how its tests went, the table of them is missing; nothing was taken")


def _ended(table: _Table, number: int) -> Iterator[Doubt]:
    if table.open and not table.rows:
        yield Doubt(number, "cut", "the report of Bonnie ends before its row")


def _words(line: str) -> list[str]:
    quoted = _QUOTED.match(line)
    return line[quoted.end() if quoted else 0 :].split()


def _row(line: str, below: str, number: int) -> tuple[list[Word], int]:
    """The words of a row, its size the last but twelve, and how many more lines it takes: mailers break long ones."""
    words = [(word, number) for word in _words(line)]
    if _whole(words):
        return words, 0
    words += [(word, number + 1) for word in _words(below)]
    return (words, 1) if _whole(words) and words[-_CELLS - 1][1] == number else ([], 0)


def _whole(words: list[Word]) -> bool:
    cells = words[-_CELLS:]
    return (
        len(words) > _CELLS
        and bool(_SIZE.match(words[-_CELLS - 1][0]))
        and all(_NUMBER.match(cell) for cell, _ in cells[-1:])
        and all(_NUMBER.match(cell) or _BARE.match(cell) for cell, _ in cells[:-1])
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
    cells = words[-_CELLS:]
    for at, (operation, native, is_bytes) in enumerate(_COLUMNS):
        (rate, place), (cpu, there) = cells[2 * at], cells[2 * at + 1]
        metric, unit, raw_unit = ("throughput", "B/s", f"{table.letter}/sec") if is_bytes else ("rate", "1/s", "/sec")
        value = float(rate) * (factor if is_bytes else 1)
        depends = tuple(table.head)
        yield Value(
            place, TOOL, f"{operation}.{metric}", native, value, unit, rate, raw_unit, line, None, "sample", params, depends=depends
        )
        yield Value(
            there,
            TOOL,
            f"{operation}.cpu",
            f"{native} %CPU",
            float(cpu),
            "%",
            cpu,
            "%",
            line,
            None,
            "sample",
            params,
            depends=depends,
        )


PARSER = Parser(
    name="bonnie",
    version=5,
    anchor=Anchor(ANCHOR, "per char", "%cpu"),
    parse=parse,
    shapes=(
        Shape(
            "report",
            "Tim Bray's, 1990 to 2.0.6; 1.4 and 1.5 with volumes",
            "K/sec = 1024 B/s, MB = 1024 K, %CPU with a decimal",
            "no version in it; people put labels between its rows",
        ),
        Shape("report in M/sec", "Bonnie64", "M/sec = 1024² B/s, GB = 1000 MB of 1024² B, rounded down", "as above"),
    ),
    source="Bonnie.c (textuality.com/bonnie), report()",
)
