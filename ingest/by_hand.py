"""Tables of rates that somebody typed. No tool printed them, so that nothing is taken; the report says how to enter them."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.records import Doubt
from ingest.text import Text

_UNIT = r"(?:[kKMGT]i?B ?/ ?s(?:ec)?|[kKMGT]i?Bps|k?IOPS|ops/s(?:ec)?)(?![\w/])"
_RATE = re.compile(rf"[~<>*_]{{0,3}}\d[\d.,]{{0,15}} ?{_UNIT}[^\n]{{0,14}}\Z", re.I)
_MEANT = re.compile(_UNIT, re.I)
_CELLS = re.compile(r"[|│┃║]|\t| {2,}")
_RULE = re.compile(r"[\s|:+=-]*(?:--|:-|-:)[\s|:+=-]*\Z|[\s│┃║]*[─━═┌┏╔├┣╠└┗╚╒╞╘][─-╿]+\s*\Z")
_BARS = re.compile(r"[|│┃║]")
_NUMBER = re.compile(r"[~<>]?\d[\d.,' ]{0,15}\**\Z")
_WORD = re.compile(r"[^\W\d_]")
_FEWEST = 2  # rows of a table
_LONGEST = 400


def tables(text: Text) -> Iterator[Doubt]:
    """One warning for each table whose rows give names rates, or numbers below a title with the unit of a rate."""
    if not isinstance(text.lines, list) or not _MEANT.search(text.body):
        return
    begun, rows, titled = 0, 0, False
    for number, line in enumerate([*text.lines, ""], 1):
        cells = _cells(line)
        rated = any(_RATE.match(cell) for cell in cells[1:]) and _WORD.search(cells[0])
        if rated or (titled and any(_NUMBER.match(cell) for cell in cells[1:])):
            rows += 1
        elif not _RULE.match(line) or not line.strip():
            if rows >= _FEWEST:
                yield _told(begun, rows)
            titled = len(cells) > 1 and bool(_BARS.search(line)) and any(_MEANT.search(cell) for cell in cells)
            begun, rows = number + titled, 0
            continue
        begun = begun if rows > 1 or titled else number


def _cells(line: str) -> Sequence[str]:
    """The cells of a line of a table; none of any other line."""
    if len(line) > _LONGEST or not _CELLS.search(line.strip()):
        return ()
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|│┃║")) if cell.strip()]


def _told(line: int, rows: int) -> Doubt:
    return Doubt(line, "by-hand", f"a table of {rows} rows with rates that no known tool printed; nothing was taken. To enter them "
                                  "write a results table, which names metric, value, unit and tool (docs/results-table.md).")
