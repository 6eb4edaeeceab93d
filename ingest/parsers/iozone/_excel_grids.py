"""The spreadsheet reports that iozone -R prints as text: `"Writer report"` grids and the throughput report.

A grid has record sizes (kB) across and file sizes (kB) down; short rows are filled from the left, since records larger
than the file do not exist. After a table of the same run its figures repeat those of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import LABEL_OPERATIONS, REPORT_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue

GRID_TITLE = lazy(r'^[\s>|#/*]*"([A-Za-z][A-Za-z -]{2,30}?) report"\s*$', re.I)
CPU_TITLE = lazy(r'^[\s>|#/*]*"([A-Za-z -]{3,40}?) CPU utilization report', re.I)
THROUGHPUT_TITLE = lazy(
    r'^[\s>|#/*]*"(Throughput|CPU utilization) report Y-axis is type of test X-axis is number of (processes|threads)"'
)
_SIZES = lazy(r'^[\s>|#/*]*(?:"\d+"\s*){1,64}$')
_GRID_ROW = lazy(r'^[\s>|#/*]*"(\d+)"\s+(\S.*)$')
_LABEL_ROW = lazy(r'^[\s>|#/*]*"\s*([A-Z][A-Za-z -]{2,24}?)\s*"\s+(\S.*)$')
_RECORD = lazy(r'^[\s>|#/*]*"Record size = (\d+) [kK]bytes', re.I)
_OUTPUT = lazy(r'^[\s>|#/*]*"Output is in (kbytes/sec|ops/sec|microseconds/op|CPU%)', re.I)
_FOLDS = 4  # lines that the widest row of thirteen figures may take
_DECIMALS = lazy(r"\d+\.\d\d\Z")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_UNIT = {"kbytes/sec": "kbytes", "ops/sec": "ops", "microseconds/op": "usec", "cpu%": "cpu"}


@dataclass(slots=True)
class ExcelReport:
    """An open report: a grid (with `operation`), the same of CPU use (`unit` is cpu), or throughput.

    `is_untitled`: the title was left out; the columns are then runs of a person, not counts of workers. `spaced`: blank lines stand
    between its lines.
    """

    line: int
    kind: str
    title: str = ""
    operation: str | None = None
    sizes: list[int] = field(default_factory=list)
    sizes_line: int = 0
    workers: str = "processes"
    record: int | None = None
    unit: str | None = None
    rows: int = 0
    heads: list[int] = field(default_factory=list)
    is_untitled: bool = False
    blanks: int = 0
    spaced: bool = False

    def ends(self) -> bool:
        """Whether a blank line ends the report: one does, or two where the lines since the title alternate with blank ones."""
        self.blanks += 1
        if not self.sizes and not self.rows and self.blanks == 1:
            self.spaced = True  # iozone prints the record sizes right below the title
        return self.kind != "throughput" and (self.blanks > 1 or not self.spaced)


def open_report(line: str, number: int) -> ExcelReport | Doubt | None:
    """The report whose title the line is."""
    if title := GRID_TITLE.match(line):
        operation = REPORT_OPERATIONS.get(title[1].lower())
        if operation is None:
            return Doubt(number, "unread", f"report of an unknown operation, {title[1]!r}")
        return ExcelReport(number, "grid", title[1] + " report", operation)
    if title := THROUGHPUT_TITLE.match(line):
        return ExcelReport(number, "throughput", workers=title[2], unit="cpu" if title[1].startswith("CPU") else None)
    if title := CPU_TITLE.match(line):
        operation = REPORT_OPERATIONS.get(title[1].lower())
        if operation is None:
            return Doubt(number, "unread", f"CPU use of an unknown operation, {title[1]!r}")
        return ExcelReport(number, "cpu", title[1] + " CPU utilization report", operation, unit="cpu")
    return None


def continued_figures(report: ExcelReport, line: str, lines: Sequence[str], number: int) -> list[list[str]]:
    """The figures of a grid's row on the lines below, where a mailer wrapped it; empty where the row is complete."""
    row = _GRID_ROW.match(line) if report.kind != "throughput" and report.sizes else None
    if not row:
        return []
    missing = sum(record <= int(row[1]) for record in report.sizes) - len(row[2].split())
    rest: list[list[str]] = []
    for below in lines[number : number + _FOLDS] if missing > 0 else ():
        words = below.strip(" \t>|#/*").split()
        if missing < 1 or not words or len(words) > missing or not all(map(_NUMBER.match, words)):
            break
        rest.append(words)
        missing -= len(words)
    return rest


def read_line(
    run: IozoneRun, report: ExcelReport, line: str, number: int, is_cut: bool, rest: Sequence[Sequence[str]] = ()
) -> Iterator[Found]:
    """The figures of one line of an open report. `rest`: figures of the lines below that belong to it."""
    report.blanks = 0
    if report.kind == "throughput":
        yield from _throughput_line(run, report, line, number, is_cut)
    elif _SIZES.match(line):
        sizes = [int(word) for word in re.findall(r"\d+", line)]
        follows = number == (report.heads or [report.sizes_line])[-1] + 1
        if follows and not report.rows and report.sizes and sizes[0] > report.sizes[-1]:
            report.sizes += sizes  # wrapped by a mailer
            report.heads.append(number)
            return
        if report.rows:
            report.sizes = []
            yield Doubt(
                number,
                "no-header",
                "the heading that names the operation of these record sizes is missing; their rows were not recorded",
            )
            return
        report.sizes, report.sizes_line = sizes, number
    elif row := _GRID_ROW.match(line):
        words = [(word, number) for word in row[2].split()]
        words += [(word, line_number) for line_number, below in enumerate(rest, number + 1) for word in below]
        if is_cut and len(words) < sum(record <= int(row[1]) for record in report.sizes):
            yield Doubt(number, "cut", f"the file ends inside this row, after {len(words)} values; none of them were recorded")
            return
        yield from _grid_row(run, report, int(row[1]), words, number)
    elif any(letter.isdecimal() for letter in line):
        yield Doubt(number, "bad-number", "a row of the report without its quoted file size")


def is_grid(lines: list[str]) -> bool:
    """Whether title, sizes and first row are a grid of -R, with any blanks or tabs between its columns."""
    return len(lines) == 3 and all(shape.match(line) for shape, line in zip((GRID_TITLE, _SIZES, _GRID_ROW), lines, strict=True))


def is_label_row(line: str) -> bool:
    """Whether the line is a row of throughput mode's report: the operation in quotes, figures with two decimals."""
    row = _LABEL_ROW.match(line)
    return bool(row and row[1].lower() in LABEL_OPERATIONS and all(map(_DECIMALS.match, row[2].split())))


def is_untitled_line(line: str, within: bool) -> bool:
    """Whether the line is of a report whose title is missing; `within`: there are figures of iozone above."""
    row = _GRID_ROW.match(line)
    return is_label_row(line) or (within and bool(_SIZES.match(line) or (row and all(map(_NUMBER.match, row[2].split())))))


def _grid_row(run: IozoneRun, report: ExcelReport, size: int, words: list[tuple[str, int]], number: int) -> Iterator[Found]:
    """`words`: each figure with its line."""
    if not report.sizes:
        yield Doubt(number, "no-header", "a row without the line of record sizes")
        return
    due = sum(record <= size for record in report.sizes)
    if len(words) > len(report.sizes) or any(word.strip("0.") for word, _ in words[due:]):
        yield Doubt(number, "long-row", f"{len(words)} values for {due} record sizes; none were recorded")
        return
    report.rows += 1
    for record, (raw, line) in zip(report.sizes, words, strict=False):
        params = {"file_size": size * KIB, "record_size": record * KIB}
        yield from _cell(run, report, raw, params, line, number)


def _cell(run: IozoneRun, report: ExcelReport, raw: str, params: dict[str, int], number: int, row: int) -> Iterator[Found]:
    """`row`: the line on which the row of the figure begins."""
    operation = str(report.operation)
    if not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{report.title}: {raw[:40]!r} is not a number")
        return
    if float(raw) == 0:
        if params["record_size"] <= params["file_size"]:
            yield Doubt(number, "unmeasured", f"{report.title}: 0 for records of {params['record_size']} B")
        return
    earlier = run.cells.get((operation, params["file_size"], params["record_size"])) if report.unit is None else None
    if earlier and earlier[0] != float(raw):
        yield Doubt(number, "disagree", f"{report.title}: {raw} here, {earlier[0]:g} on line {earlier[1]}; the table was used")
        return
    above = (report.line, report.sizes_line, *report.heads, earlier[2] if earlier else 0, row if row != number else 0)
    depends = tuple(n for n in above if n)
    same_as = earlier[1] if earlier else None
    yield run.value(number, operation, report.title, raw, params, depends=depends, same_as=same_as, unit=report.unit)


def _throughput_line(run: IozoneRun, report: ExcelReport, line: str, number: int, is_cut: bool) -> Iterator[Found]:
    if match := _RECORD.match(line):
        report.record = int(match[1]) * KIB
        report.heads.append(number)
    elif match := _OUTPUT.match(line):
        report.unit = _UNIT[match[1].lower()]
        report.heads.append(number)
    elif match := _LABEL_ROW.match(line):
        operation = LABEL_OPERATIONS.get(match[1].lower())
        if operation is None:
            yield Doubt(number, "unread", f"unknown row {match[1]!r} in the throughput report")
            return
        words = match[2].split()
        if is_cut and not re.search(r"\.\d\d\Z", words[-1]):
            yield Doubt(number, "cut", f"the file ends inside the value {words[-1][:20]!r}; not recorded")
            return
        for column, raw in enumerate(words):
            yield from _throughput_cell(run, report, (operation, match[1]), raw, column, number)


def _throughput_cell(
    run: IozoneRun, report: ExcelReport, name: tuple[str, str], raw: str, column: int, number: int
) -> Iterator[Found]:
    operation, title = name
    if not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{title}: {raw[:40]!r} is not a number")
        return
    if float(raw) == 0:
        if report.unit != "cpu":
            yield from _throughput_zero(run, report, name, raw, number)
        return
    earlier = run.children.get(f"{operation} cpu" if report.unit == "cpu" else operation, [])
    if column < len(earlier) and earlier[column][0] != float(raw):
        yield Doubt(
            number, "disagree", f"{title}: {raw} here, {earlier[column][0]:.2f} on line {earlier[column][1]}; the latter was used"
        )
        return
    same_as = earlier[column][1] if column < len(earlier) else None
    if report.unit is None and same_as is None and "unit" not in run.depends:
        yield Doubt(number, "no-header", f"{title}: no line gives the unit of this report; {raw} was not recorded")
        return
    params: dict[str, object] = {k: v for k, v in run.sizes.items() if k != "processes"}
    if report.record:
        params["record_size"] = report.record
    if "processes" in run.sizes and (column == 0 or report.is_untitled):
        params[report.workers] = run.sizes["processes"]
    if same_as is None and (column or "processes" not in run.sizes):
        params["part" if report.is_untitled else "column"] = f"column {column + 1}" if report.is_untitled else column + 1
    yield run.value(number, operation, title, raw, params, depends=(report.line, *report.heads), same_as=same_as, unit=report.unit)


def _throughput_zero(run: IozoneRun, report: ExcelReport, name: tuple[str, str], raw: str, number: int) -> Iterator[Found]:
    """A throughput of 0: the same as the next one that the blocks above show, if they have one."""
    operation, title = name
    above = run.zeros.get(operation)
    same_as = above.pop(0) if above else None
    params = {k: v for k, v in run.sizes.items() if k != "processes"}
    yield MissingValue.instead_of(run.value(number, operation, title, raw, params, same_as=same_as, unit=report.unit), ZERO_TIME)
    yield Doubt(number, "unmeasured", f"{title}: iozone printed 0")


def check_grids(run: IozoneRun, number: int) -> Iterator[Doubt]:
    """A grid with fewer rows than the first, or fewer grids than the table has columns: the reports were cut."""
    if not run.grids:
        return
    most = max(rows for _, _, rows in run.grids)
    for line, title, rows in run.grids:
        if rows < most:
            yield Doubt(line, "cut", f"{title} has {rows} rows, others have {most}")
    missing = {operation for operation, *_ in run.cells} - {
        REPORT_OPERATIONS[title.lower().removesuffix(" report")] for _, title, _ in run.grids
    }
    if missing:
        yield Doubt(number, "cut", f"the spreadsheet reports of {', '.join(sorted(missing))} are missing")
