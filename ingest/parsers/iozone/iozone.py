"""iozone 3.x: automatic table, throughput mode, and the spreadsheet reports that -R prints.

Shapes of iozone (name | versions | units | traps):
    automatic table (-a, -s, -i) | 3.x | kBytes/sec = 1024 B/s; -O operations/s; -N microseconds/operation | blank columns keep
        their place; values are never shifted; a table that a mailer wrapped is read where complete; text before a row becomes
        its part
    automatic table in Markdown or CSV | 3.x | kBytes/sec = 1024 B/s | headings as iozone's two header lines, joined
    throughput mode (-t, -+m) | 3.x | kB/sec = 1024 B/s; ops/sec; usec/op | Children is the result; Parent, Min and Max are
        parts; Avg is only checked
    spreadsheet (-b) saved as CSV | 3.x | as the run: kBytes/sec = 1024 B/s | blank or 0 where a record is larger than the file
    spreadsheet report as text (-R) | 3.x | as the run | repeats the table of the same run

Source: iozone documentation (IOzone_msword_98), options -a -R -O -N -t; iozone 3.471's own output
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._excel_grids import is_grid
from ingest.parsers.iozone._operation_names import REPORT_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, read_command_line, set_command
from ingest.parsers.iozone._text_output import IozoneOutput
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import Doubt, Found
from ingest.spill import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

# The spreadsheet of iozone -b (`Writer Report`, record sizes across, file sizes down) saved as CSV or pasted with tabs.

_NAMED = r"\"?[A-Z][A-Za-z -]{2,30} [Rr]eport\"?"
TITLE = rf"^{_NAMED}(?:[,;\t]{{1,40}}{_NAMED}){{0,8}}(?:[,;][,; \t]*|\t[\t ]*)?$"
SIZES_BELOW = r"(?:(?:\"\")?[,;\t]\"?\d|\d{1,5} \d{1,5}(?: \d{1,5})*[ \t]*$)"  # the beginning of the line below the title
_TITLE = lazy(r'"?([A-Z][A-Za-z -]{2,30}) [Rr]eport"?([,;\t]?)[,;\t ]*\Z')
_TITLES = lazy(rf"{_NAMED}([,;\t])\1{{0,39}}{_NAMED}(?:\1{{1,40}}{_NAMED}){{0,7}}\1*\Z")
_SIZES = lazy(r'(?:"")?([,;\t])"?\d{1,6}"?(?:\1"?\d{1,6}"?){0,40}[,;\t ]*\Z')
_SEVERAL_SIZES = lazy(r'(?:"")?[,;\t][\d"]{1,8}[\d,;\t"]{0,400}\Z')
_BLANKS = lazy(r"\d{1,5}(?: \d{1,5}){1,24}[ \t]*\Z")  # record sizes, which iozone doubles
_ROW = lazy(r'"?\d{1,12}"?[,;\t ]')
_SEVERAL_ROWS = lazy(r'[,;\t]{0,60}"?\d{1,12}"?[,;\t]')
_CELL = lazy(r"\d{1,12}(?:\.\d{1,6})?\Z")
_ABOVE = 3  # lines above the titles that may hold labels


@dataclass(slots=True)
class _Sheet:
    """One sheet: line of its title, slice of a line's cells, record sizes; label by a person with its lines.

    `blanks`: cells are separated by blanks instead of tabs.
    """

    line: int
    title: str
    cells: slice
    records: list[str]
    label: str = ""
    label_lines: tuple[int, ...] = ()
    blanks: bool = False

    @property
    def operation(self) -> str | None:
        return REPORT_OPERATIONS.get(self.title.lower())


def read_sheets(text: Text) -> Iterator[Found]:
    """Every figure of such sheets in the text."""
    run, lines = IozoneRun(1), text.lines
    index, sheets_above = 0, list[_Sheet]()
    while index < len(lines):
        if "iozone" in lines[index] and (command := find_command(lines[index].replace('"', " ").rstrip(",;\t "))):
            run, sheets_above = IozoneRun(index + 1), []
            set_command(run, command, index + 1)
        separator, opened = _open_sheets(lines, index, sheets_above)
        if not opened:
            index += 1
            continue
        yield from (
            Doubt(index + 1, "unread", f"unknown report {sheet.title!r}; nothing in it was recorded")
            for sheet in opened
            if sheet.operation is None
        )
        row, sheets_above = _ROW if len(opened) == 1 else _SEVERAL_ROWS, opened
        index += 2
        while index < len(lines) and row.match(lines[index]) and separator in lines[index]:
            cells = _cells(lines[index], separator)
            for sheet in opened:
                yield from _read_row(run, sheet, cells[sheet.cells], index + 1)
            index += 1


def _open_sheets(lines: Sequence[str], index: int, sheets_above: list[_Sheet]) -> tuple[str, list[_Sheet]]:
    """The separator of cells, and the sheets with their titles on that line; none where no record sizes stand below it."""
    if index + 1 == len(lines) or "eport" not in lines[index]:
        return "", []
    if title := _TITLE.match(lines[index]):
        sizes = _SIZES.match(lines[index + 1])
        if not sizes and _doubles(lines[index + 1]):
            return " ", [_Sheet(index + 1, title[1], slice(0, None), lines[index + 1].split(), blanks=True)]
        if not sizes or is_grid(list(lines[index : index + 3])):
            return "", []
        return sizes[1], [_Sheet(index + 1, title[1], slice(0, None), _cells(lines[index + 1], sizes[1])[1:])]
    titles = _TITLES.match(lines[index])
    if not titles or not _SEVERAL_SIZES.match(lines[index + 1].rstrip()):
        return "", []
    separator = titles[1]
    cells, sizes_of = _cells(lines[index], separator), _cells(lines[index + 1], separator)
    starts = [column for column, cell in enumerate(cells) if cell]
    if any(sizes_of[start : start + 1] != [""] for start in starts):
        return "", []
    labels, label_lines = _labels(lines, index, separator, starts)
    if not labels and [sheet.cells.start for sheet in sheets_above] == starts:
        first = sheets_above[0]
        labels = [sheet.label for sheet in sheets_above]
        label_lines = first.label_lines if len(first.label_lines) != 1 else (*first.label_lines, first.line, first.line + 1)
    sheets = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True)):
        name = re.sub(" [Rr]eport$", "", cells[start])
        label = labels[number] if labels else ""
        sheets.append(_Sheet(index + 1, name, slice(start, end), sizes_of[start + 1 : end], label, label_lines))
    return separator, sheets


def _doubles(line: str) -> bool:
    records = [int(word) for word in line.split()] if _BLANKS.match(line) else []
    return bool(records) and all(next_record == 2 * record for record, next_record in pairwise(records))


def _labels(lines: Sequence[str], index: int, separator: str, starts: list[int]) -> tuple[list[str], tuple[int, ...]]:
    """The labels on the nearest line that has one over each sheet and nothing else, and that line."""
    for number in range(index, max(0, index - _ABOVE), -1):
        cells = _cells(lines[number - 1], separator) if not _TITLES.match(lines[number - 1]) else []
        if [column for column, cell in enumerate(cells) if cell] == starts and not any(map(_CELL.match, filter(None, cells))):
            return [cells[start] for start in starts], (number,)
    return [], ()


def _cells(line: str, separator: str) -> list[str]:
    # a sheet that went through two programs may have two separators
    return [cell.strip(' \t",;') for cell in (line.rstrip() if separator == " " else line).split(separator)]


def _read_row(run: IozoneRun, sheet: _Sheet, cells: list[str], number: int) -> Iterator[Found]:
    """The values of a sheet on one line."""
    if sheet.operation is None or not any(cells):
        return
    if doubt := _check_row(run, sheet, cells, number):
        yield doubt
        return
    size, records, figures = int(cells[0]), sheet.records, cells[1:]
    due = _due(records, size)
    if len(figures) < due:
        last = figures.pop() if figures else ""
        yield Doubt(number, "short-row", f"the row ends in {last[:20]!r}, before the last record size; that value was not recorded")
    for record, raw in zip(records, figures, strict=False):
        if not record or not raw.strip("0."):
            continue  # no record is larger than its file; a spreadsheet fills those with blanks or zeros
        if not _CELL.match(raw) or not record.isdecimal() or not 0 < int(record) <= size:
            reason = f"{raw[:40]!r} is not a value for records of {record[:20]} kB; not recorded"
            yield Doubt(number, "bad-number", f"{sheet.title} Report: {reason}")
            continue
        params: dict[str, object] = {"file_size": size * KIB, "record_size": int(record) * KIB}
        if sheet.label:
            params["part"] = sheet.label
        depends = (sheet.line, sheet.line + 1, *sheet.label_lines)
        yield run.value(number, sheet.operation, f"{sheet.title} Report", raw, params, depends=depends)


def _check_row(run: IozoneRun, sheet: _Sheet, cells: list[str], number: int) -> Doubt | None:
    """Why no figure of the row can be read."""
    records, figures = sheet.records, cells[1:]
    if not cells[0].isdecimal():
        return Doubt(
            number, "bad-number", f"{sheet.title} Report: {cells[0][:40]!r} is not a file size; nothing in this row was recorded"
        )
    size = int(cells[0])
    if any(figures[len(records) :]):
        return Doubt(number, "long-row", f"{len(figures)} values for {len(records)} record sizes; none were recorded")
    if size * KIB != run.sizes.get("file_size", size * KIB):
        message = f"{size} kB is not the size in the command; iozone -b stores it in 16 bits. Nothing was recorded"
        return Doubt(number, "wrapped", message)
    due = _due(records, size)
    if sheet.blanks and len(figures) not in (due, len(records)):
        return Doubt(number, "short-row", f"{len(figures)} values for {due} record sizes; none were recorded")
    return None


def _due(records: list[str], size: int) -> int:
    """The number of record sizes that are not larger than the file, in kB."""
    return sum(record.isdecimal() and int(record) <= size for record in records)


ANCHOR = Anchor(
    lazy(
        r"(?i:Iozone: Performance Test)|(?i:(?:Children|Parent) sees? throughput)|(?i:throughput per (?:process|thread))"
        r"|(?i:kb[`*\"]*[^\S\n|]*[|,;]?[^\S\n]*[`*\"]*reclen)"
        r"|(?:Children|Parent) sees? t[a-z]{0,9}[^\S\n]*$|(?:Min|Max|Avg) throughput per ?[a-z]{0,7}[^\S\n]*$"
        r'|(?i:"[a-z -]{3,30} report")|(?i:"Throughput report Y-axis)|"[ ]{1,12}Initial write "'
        rf"|{TITLE}",
        re.M,
    ),
    "iozone:|children see|parent see|throughput per|reclen| report|initial write",
) | Anchor(lazy(r"^[^\w\n\"]*\d{2,12}[ \t]+\d{1,5}(?:[ \t]+\d{2,12}){2,13}[ \t]*$", re.M))
_CSV_GRID = lazy(rf"{TITLE}\n{SIZES_BELOW}", re.M)


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every iozone run in the text, in line order."""
    if _CSV_GRID.search(text.body):
        return by_line(chain(IozoneOutput(text).read(), read_sheets(text)))
    return IozoneOutput(text).read()


# Lines wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*[kK]B\s+reclen\s+write\b"),
        lazy(r"\s*[kK]B\s+reclen(?:\s+(?:re)?(?:write|read)|\s+f(?:re)?(?:write|read)|\s+p(?:write|read)v?){3,24}\s*"),
    ),
    WideLine(lazy(r'\s{5,}"\d+"\s+"\d'), lazy(r'\s*"\d+"(?:\s+"\d+"){4,40}\s*')),
    WideLine(lazy(r"\s{20,}random"), lazy(r"\s{20,}random\s+random\s+bkwd\s+record\s+stride\s*")),
    WideLine(
        lazy(r"\s*CPU [Uu]tilization: Wall time"),
        lazy(r"\s*CPU [Uu]tilization: Wall time\s+[\d.]+\s+CPU time\s+[\d.]+\s+CPU utilization\s+\d+\.\d\d\s*%\s*"),
    ),
    WideLine(
        lazy(r"\s*Child\[\d+\] xfer count"),
        lazy(r"\s*Child\[\d+\] xfer count =[^=]*= [^=]*/(?:sec|op), wall=[^=]*, cpu=[^=]*, %=\s*\d+\.\d\d\s*"),
    ),
)

PARSER = Parser(
    commands=CommandReader("iozone", ("iozone", "iozone3"), read_command_line, ("-b",)),
    wide=_WIDE,
    brief=True,
    name="iozone",
    version=27,
    anchor=ANCHOR,
    parse=parse,
)
