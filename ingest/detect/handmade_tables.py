"""Tables and lists of rates that somebody typed, or that a script of somebody's own wrote (`summary.csv`, `Read IOPS: 1234`).

No known tool printed them, so that nothing is taken; the report says how to enter them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.records import Doubt
from ingest.text.lines import Text

_UNIT = r"(?:[kKMGT]i?B ?/ ?s(?:ec)?|[kKMGT]i?Bps|k?IOPS|IOP/s|ops/s(?:ec)?)(?![\w/])"
_RATE = lazy(rf"[~<>*_]{{0,3}}\d[\d.,]{{0,15}} ?{_UNIT}[^\n]{{0,14}}\Z", re.I)
_MEANT = lazy(_UNIT, re.I)
_CELLS = lazy(r"[|│┃║]|\t| {2,}")
TABLE_RULE = lazy(r"(?=[\s|:+=-]*?(?:--|:-|-:|\|\s?-\s?\|))[\s|:+=-]*\Z|[\s│┃║]*[─━═┌┏╔├┣╠└┗╚╒╞╘][─-╿]+\s*\Z")
_BARS = lazy(r"[|│┃║]")
_NUMBER = lazy(r"[~<>]?\d[\d.,' ]{0,15}\**\Z")
_WORD = lazy(r"[^\W\d_]")
_ENTER = "nothing was taken. To enter them write a results table, which names metric, value, unit and tool (docs/results-table.md)."
_WORDS = ("/s", "/ s", "bps", "iops", "bw", "bandwidth", "throughput", "ior-", "mdtest-")  # any of which a rate's name has
_FEWEST = 2  # rows of a table
_MOST = 1 << 20  # characters of a document of JSON
_LONGEST, _WIDEST = 400, 2000  # characters of a line of a table, and of one of CSV
_RATED = lazy(  # in titles of columns: `read_bw`, `Write IOPS`, `MB/s`, the phases of IO500
    r"(?<![A-Za-z])(?:bw|bandwidth|throughput|iops|[kMGT]i?B(?: ?/ ?s(?:ec)?|ps)"
    r"|(?:ops|seeks|files)/s(?:ec)?|(?:ior|mdtest)-(?:easy|hard)[\w-]*)(?![A-Za-z])",
    re.I,
)
_PLAIN = lazy(r"""['"]?-?\d[\d.]*(?:[eE][+-]?\d+)?['"]?\Z""")
_DELIMITERS = "\t;,"
_LABELLED = lazy(
    rf"[ \t]*(?:[-*•+][ \t]+)?(?P<label>[A-Za-z][\w ()/.-]{{1,50}}?)[ \t]*[:=][ \t]*~?\d[\d.,]{{0,15}}"
    rf"(?:[ \t]*(?P<unit>{_UNIT})|[ \t]*\Z)",
    re.I,
)
# Of JSON: what was measured has decimals, settings have none.
_MEMBER = lazy(r'"(?P<label>[^"\n]{1,60})"[ \t]*:[ \t]*\d{1,15}\.\d{3,}')
_SPEAKS = lazy(r"(?i)\b(?:read|write|rewrite|seq|sequential|rand|random|bandwidth|throughput|iops|speed)\b")
_WRITTEN = ("txt", "log", "out", "md", "rst", "result", "results", "res", "report", "summary")  # settings hold rates, too


def find_handmade_tables(text: Text) -> Sequence[Doubt]:
    """What is told of a text of which nothing was read: its tables, else its tables of CSV, else its lists."""
    if not isinstance(text.lines, list) or not any(map(text.body.lower().__contains__, _WORDS)):
        return []
    return [*tables(text)] or [*delimited(text)] or [*listed(text)] or [*members(text)]


def tables(text: Text) -> Iterator[Doubt]:
    """One warning for each table whose rows give names rates, or numbers below a title with the unit of a rate."""
    if not _MEANT.search(text.body):
        return
    begun, rows, titled = 0, 0, False
    for number, line in enumerate([*text.lines, ""], 1):
        cells = _cells(line)
        rated = any(_RATE.match(cell) for cell in cells[1:]) and _WORD.search(cells[0])
        if rated or (titled and any(_NUMBER.match(cell) for cell in cells[1:])):
            rows += 1
        elif not TABLE_RULE.match(line) or not line.strip():
            if rows >= _FEWEST:
                yield _told(begun, rows)
            titled = len(cells) > 1 and bool(_BARS.search(line)) and any(_MEANT.search(cell) for cell in cells)
            begun, rows = number + titled, 0
            continue
        begun = begun if rows > 1 or titled else number


def delimited(text: Text) -> Iterator[Doubt]:
    """One warning for each table of CSV or TSV with a title that is a rate's."""
    begun, rows, mark, width, rated = 0, 0, "", 0, frozenset[int]()
    for number, line in enumerate([*text.lines, ""], 1):
        cells = line.split(mark) if mark and len(line) <= _WIDEST else []
        if width and len(cells) == width and any(_PLAIN.match(cells[at].strip()) for at in rated):
            rows += 1
            continue
        if rows >= _FEWEST:
            yield _told(begun, rows)
        begun, rows, (mark, width, rated) = number, 0, _titles(line)


def _titles(line: str) -> tuple[str, int, frozenset[int]]:
    """Delimiter, number of cells and the rates among the titles of a table of CSV; nothing of any other line."""
    mark = max(_DELIMITERS, key=line.count)
    if mark in line[:_WIDEST] and len(line) <= _WIDEST and not line[0].isdecimal() and _RATED.search(line):
        cells = [cell.strip() for cell in line.split(mark)]
        rated = frozenset(at for at, cell in enumerate(cells) if _RATED.search(cell) and len(cell) <= 60)
        if len(cells) > 1 and rated and not any(map(_PLAIN.match, cells)):
            return mark, len(cells), rated
    return "", 0, frozenset()


def listed(text: Text) -> Iterator[Doubt]:
    """One warning for all lines that give a rate a name, in a text of results or notes."""
    name = text.name.rsplit("/", 1)[-1].lower()
    if "." in name and not name.endswith(_WRITTEN):
        return
    lines = [number for number, line in enumerate(text.lines, 1) if len(line) <= _LONGEST and _names_rate(line)]
    if len(lines) >= _FEWEST:
        yield Doubt(lines[0], "by-hand", f"{len(lines)} lines that name rates, which no known tool printed; {_ENTER}")


def members(text: Text) -> Iterator[Doubt]:
    """One warning for all rates of a document in JSON that a script of somebody's own wrote."""
    if text.body.lstrip()[:1] in ("{", "["):
        at = [found.start() for found in _MEMBER.finditer(text.body[:_MOST]) if _RATED.search(found["label"].replace("_", " "))]
        if len(at) >= _FEWEST:
            yield Doubt(text.line_at(at[0]), "by-hand", f"{len(at)} members that name rates, which no known tool wrote; {_ENTER}")


def _names_rate(line: str) -> bool:
    found = _LABELLED.match(line)
    if not found or not _SPEAKS.search(found["label"]):
        return False
    return bool(found["unit"] or _RATED.search(found["label"]))


def _cells(line: str) -> Sequence[str]:
    """The cells of a line of a table; none of any other line."""
    if len(line) > _LONGEST or not _CELLS.search(line.strip()):
        return ()
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|│┃║")) if cell.strip()]


def _told(line: int, rows: int) -> Doubt:
    return Doubt(line, "by-hand", f"a table of {rows} rows with rates that no known tool printed; {_ENTER}")
