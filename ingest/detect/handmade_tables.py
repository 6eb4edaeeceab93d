"""Tables and lists of rates that were typed by hand or written by the user's own script (`summary.csv`, `Read IOPS: 1234`).

No known tool printed them, so no value is taken; the warning explains how to enter them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.records import Doubt
from ingest.text.lines import Text

_UNIT = r"(?:[kKMGT]i?B ?/ ?s(?:ec)?|[kKMGT]i?Bps|k?IOPS|IOP/s|ops/s(?:ec)?)(?![\w/])"
_RATE_CELL = lazy(rf"[~<>*_]{{0,3}}\d[\d.,]{{0,15}} ?{_UNIT}[^\n]{{0,14}}\Z", re.I)
_UNIT_PATTERN = lazy(_UNIT, re.I)
_CELLS = lazy(r"[|│┃║]|\t| {2,}")
TABLE_RULE = lazy(r"(?=[\s|:+=-]*?(?:--|:-|-:|\|\s?-\s?\|))[\s|:+=-]*\Z|[\s│┃║]*[─━═┌┏╔├┣╠└┗╚╒╞╘][─-╿]+\s*\Z")
_BARS = lazy(r"[|│┃║]")
_NUMBER = lazy(r"[~<>]?\d[\d.,' ]{0,15}\**\Z")
_WORD = lazy(r"[^\W\d_]")
_HOW_TO_ENTER = "nothing was recorded. To enter them, write a results table with metric, value, unit and tool (docs/manifest.md)."
_WORDS = ("/s", "/ s", "bps", "iops", "bw", "bandwidth", "throughput", "ior-", "mdtest-")  # every rate has one of them
_MIN_ROWS = 2
_MAX_JSON = 1 << 20  # characters of a JSON document
_MAX_LINE, _MAX_CSV_LINE = 400, 2000  # characters
_RATE_TITLE = lazy(  # in titles of columns: `read_bw`, `Write IOPS`, `MB/s`, the phases of IO500
    r"(?<![A-Za-z])(?:bw|bandwidth|throughput|iops|[kMGT]i?B(?: ?/ ?s(?:ec)?|ps)"
    r"|(?:ops|seeks|files)/s(?:ec)?|(?:ior|mdtest)-(?:easy|hard)[\w-]*)(?![A-Za-z])",
    re.I,
)
_PLAIN_NUMBER = lazy(r"""['"]?-?\d[\d.]*(?:[eE][+-]?\d+)?['"]?\Z""")
_DELIMITERS = "\t;,"
_LABELLED_RATE = lazy(
    rf"[ \t]*(?:[-*•+][ \t]+)?(?P<label>[A-Za-z][\w ()/.-]{{1,50}}?)[ \t]*[:=][ \t]*~?\d[\d.,]{{0,15}}"
    rf"(?:[ \t]*(?P<unit>{_UNIT})|[ \t]*\Z)",
    re.I,
)
# In JSON, measured values have decimals, settings have none.
_JSON_MEMBER = lazy(r'"(?P<label>[^"\n]{1,60})"[ \t]*:[ \t]*\d{1,15}\.\d{3,}')
_OPERATION = lazy(r"(?i)\b(?:read|write|rewrite|seq|sequential|rand|random|bandwidth|throughput|iops|speed)\b")
# Files of other types are settings, which have rates too.
_RESULT_SUFFIXES = ("txt", "log", "out", "md", "rst", "result", "results", "res", "report", "summary")


def find_handmade_tables(text: Text) -> Sequence[Doubt]:
    """Doubts about a text in which no parser found anything: about its tables, else its CSV tables, else its lists, else JSON."""
    if not isinstance(text.lines, list) or not any(map(text.body.lower().__contains__, _WORDS)):
        return []
    return [*find_tables(text)] or [*find_csv_tables(text)] or [*find_lists(text)] or [*find_json_members(text)]


def find_tables(text: Text) -> Iterator[Doubt]:
    """One warning for each table whose rows have a name and a rate, or numbers below a title with the unit of a rate."""
    if not _UNIT_PATTERN.search(text.body):
        return
    first_line, rows, has_title = 0, 0, False
    for number, line in enumerate([*text.lines, ""], 1):
        cells = _cells(line)
        is_rate_row = any(_RATE_CELL.match(cell) for cell in cells[1:]) and _WORD.search(cells[0])
        if is_rate_row or (has_title and any(_NUMBER.match(cell) for cell in cells[1:])):
            rows += 1
        elif not TABLE_RULE.match(line) or not line.strip():
            if rows >= _MIN_ROWS:
                yield _table_doubt(first_line, rows)
            has_title = len(cells) > 1 and bool(_BARS.search(line)) and any(_UNIT_PATTERN.search(cell) for cell in cells)
            first_line, rows = number + has_title, 0
            continue
        first_line = first_line if rows > 1 or has_title else number


def find_csv_tables(text: Text) -> Iterator[Doubt]:
    """One warning for each CSV or TSV table with a title of a rate."""
    first_line, rows, delimiter, width, rate_columns = 0, 0, "", 0, frozenset[int]()
    for number, line in enumerate([*text.lines, ""], 1):
        cells = line.split(delimiter) if delimiter and len(line) <= _MAX_CSV_LINE else []
        if width and len(cells) == width and any(_PLAIN_NUMBER.match(cells[column].strip()) for column in rate_columns):
            rows += 1
            continue
        if rows >= _MIN_ROWS:
            yield _table_doubt(first_line, rows)
        first_line, rows, (delimiter, width, rate_columns) = number, 0, _csv_titles(line)


def _csv_titles(line: str) -> tuple[str, int, frozenset[int]]:
    """(delimiter, number of cells, indices of rates) of the titles of a CSV table; ('', 0, empty) for any other line."""
    delimiter = max(_DELIMITERS, key=line.count)
    if delimiter in line[:_MAX_CSV_LINE] and len(line) <= _MAX_CSV_LINE and not line[0].isdecimal() and _RATE_TITLE.search(line):
        cells = [cell.strip() for cell in line.split(delimiter)]
        rate_columns = frozenset(column for column, cell in enumerate(cells) if _RATE_TITLE.search(cell) and len(cell) <= 60)
        if len(cells) > 1 and rate_columns and not any(map(_PLAIN_NUMBER.match, cells)):
            return delimiter, len(cells), rate_columns
    return "", 0, frozenset()


def find_lists(text: Text) -> Iterator[Doubt]:
    """One warning for all lines that name a rate, in a text of results or notes."""
    name = text.name.rsplit("/", 1)[-1].lower()
    if "." in name and not name.endswith(_RESULT_SUFFIXES):
        return
    lines = [number for number, line in enumerate(text.lines, 1) if len(line) <= _MAX_LINE and _names_rate(line)]
    if len(lines) >= _MIN_ROWS:
        yield Doubt(lines[0], "by-hand", f"{len(lines)} lines with rates that no known tool printed; {_HOW_TO_ENTER}")


def find_json_members(text: Text) -> Iterator[Doubt]:
    """One warning for all rates of a JSON document written by the user's own script."""
    if text.body.lstrip()[:1] in ("{", "["):
        offsets = [
            match.start()
            for match in _JSON_MEMBER.finditer(text.body[:_MAX_JSON])
            if _RATE_TITLE.search(match["label"].replace("_", " "))
        ]
        if len(offsets) >= _MIN_ROWS:
            yield Doubt(
                text.line_at(offsets[0]),
                "by-hand",
                f"{len(offsets)} JSON members with rates that no known tool wrote; {_HOW_TO_ENTER}",
            )


def _names_rate(line: str) -> bool:
    match = _LABELLED_RATE.match(line)
    if not match or not _OPERATION.search(match["label"]):
        return False
    return bool(match["unit"] or _RATE_TITLE.search(match["label"]))


def _cells(line: str) -> Sequence[str]:
    """The cells of a line of a table; none for any other line."""
    if len(line) > _MAX_LINE or not _CELLS.search(line.strip()):
        return ()
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|│┃║")) if cell.strip()]


def _table_doubt(line: int, rows: int) -> Doubt:
    return Doubt(line, "by-hand", f"a table of {rows} rows with rates that no known tool printed; {_HOW_TO_ENTER}")
