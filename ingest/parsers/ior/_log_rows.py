"""Rows of a text log of IOR: the tests, the open titles and the pending row that they are read with."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.lazy_regex import lazy
from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._option_lists import BANNER, TOOL, IorTest
from ingest.parsers.ior._result_rows import HEADER, LAST_COLUMN, NUMBER, IorResults, ResultRow
from ingest.parsers.ior._summary import SummaryTitles
from ingest.records import FAILED, NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

# Rows of IOR's summary collected from many runs (`grep -h ^write *.out`), below one title line or none.
#
# Without titles the number of cells gives the columns: IOR prints 20 up to 3.1, 24 in 3.2 and 26 from 3.3 on, the last two
# always API and RefNum (ior-output.c, PrintShortSummary and PrintLongSummaryOneOperation).

_BW, _OPS = "Max(MiB) Min(MiB) Mean(MiB) StdDev", "Max(OPs) Min(OPs) Mean(OPs) StdDev"
_TEST = "Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize"
_TITLES = {
    20: f"Operation {_BW} Mean(s) {_TEST} aggsize API RefNum",
    24: f"Operation {_BW} {_OPS} Mean(s) {_TEST} aggs(MiB) API RefNum",
    26: f"Operation {_BW} {_OPS} Mean(s) Stonewall(s) Stonewall(MiB) {_TEST} aggs(MiB) API RefNum",
}
_WORKLOAD_CELLS = 15  # cells from Test# on
_API = lazy(r"[A-Z][A-Z0-9_-]{2,11}\Z")
_API_AT_END = lazy(r"\s[A-Z][A-Z0-9_-]{2,11}\s+\d+\s*\Z")
_TITLE_LINE = lazy(r"Operation[^\S\n]+Max ?\(MiB\)")
_MARGIN = " \t>|#+"
GREP_PREFIX = lazy(r"^[\w./+@%-]{1,160}:(?=(?:read|write)\s+\d)")  # the file name that grep puts before a line


def infer_titles(cells: Sequence[str]) -> str:
    """The titles of a summary row without them, by the number of its cells; empty where it is another row."""
    titles = _TITLES.get(len(cells), "")
    if not titles or not (_API.match(cells[-2]) and cells[-1].isdecimal()):
        return ""
    figures, counts = cells[:-_WORKLOAD_CELLS], cells[-_WORKLOAD_CELLS:-3]
    fits = all(count.isdecimal() for count in counts) and counts[4] in ("0", "1")
    return titles if fits and all(NUMBER.match(cell) or cell == "NA" for cell in figures) else ""


class CollectedRows:
    """Assigns rows of a summary to tests, where the logs of the tests are missing or several rows follow one title line."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._titles = SummaryTitles(0, "")
        self._figures: dict[tuple[str, str], list[str]] = {}  # (operation, test number) -> cells, of the rows of one test
        self._is_ambiguous = False  # rows of one operation follow each other: a row of the other may belong to any of them
        self._workload: list[str] = []  # cells of the row above from #Tasks on
        self._lines_above: list[int] = []
        self._seen: set[str] = set()
        self._untitled: list[int] = []

    @cached_property
    def _titled_rows(self) -> set[str]:
        """The rows of summaries that stand below titles."""
        if not _TITLE_LINE.search(self._text.body):
            return set()
        rows, is_titled = set(), False
        for line in self._text.lines:
            if _TITLE_LINE.search(line):
                is_titled = True
            elif is_titled and _API_AT_END.search(line):
                rows.add(" ".join(GREP_PREFIX.sub("", line.strip(_MARGIN)).split()))
            elif is_titled and (BANNER.match(line) or HEADER.match(line)):
                is_titled = False
        return rows

    def find_test(
        self, tests: dict[int, IorTest], latest: IorTest, titles: SummaryTitles, line: str, numbers: list[int]
    ) -> IorTest:
        """The test that a row sums up: one of the run, by its number, the latest one, or a new one. `numbers`: lines of the row."""
        columns = titles.columns
        access, *cells = line.strip(_MARGIN).split()
        number = cells[len(columns) - 1] if "Test#" in columns and len(cells) >= len(columns) else ""
        numbered = tests.get(int(number)) if number.isdecimal() and titles.line else None
        if len(cells) != titles.row_width:
            return numbered or latest
        if self._is_of_new_test(numbered, latest, titles, (access, number), (cells, cells[len(columns) :])):
            self._figures = {(access, number): cells}
            test = IorTest(numbers[0], depends={f"row {line}": line for line in (*self._lines_above, *numbers)})
        else:
            self._figures[access, number] = cells
            test = numbered or latest
        self._lines_above, self._workload = numbers, cells[len(columns) :]
        return test

    def _is_of_new_test(
        self,
        numbered: IorTest | None,
        latest: IorTest,
        titles: SummaryTitles,
        key: tuple[str, str],
        row: tuple[list[str], list[str]],
    ) -> bool:
        """Whether the row sums up none of the tests above. `row`: its cells, and those from #Tasks on."""
        cells, workload = row
        access = key[0]
        has_new_titles = titles != self._titles
        # Rows without titles belong to none of the logs around them.
        is_separate = has_new_titles and (not titles.line or (not self._titles.line and bool(self._titles.text)))
        # Summaries picked by grep with their titles: a second row of an operation is of another run.
        is_summed = (access, "Mean(MiB)") in latest.aggregates and not (numbered or latest.version or latest.printed_maxima)
        is_repeated = self._figures.get(key, cells) != cells and (not has_new_titles or is_summed)
        if has_new_titles:
            self._titles, self._figures, self._workload, self._is_ambiguous = titles, {}, [], False
        differs = bool(self._workload) and workload != self._workload
        is_new = numbered is None and (is_separate or differs or (self._is_ambiguous and key not in self._figures))
        self._is_ambiguous = is_repeated and len(self._figures) == 1
        maximum = latest.aggregates.get((access, "Max(MiB)"))
        if access in latest.printed_maxima and maximum and NUMBER.match(cells[0]) and maximum.agrees_with(cells[0]):
            return False  # it has the value of the Max line above
        return is_repeated or is_new

    def is_copy(self, line: str, number: int) -> bool:
        """Whether an equal row without titles was read before, or stands below titles."""
        row = " ".join(line.strip(_MARGIN).split())
        is_copy = row in self._seen or row in self._titled_rows
        self._seen.add(row)
        if not is_copy:
            self._untitled.append(number)
        return is_copy

    def doubts(self) -> Iterator[Doubt]:
        """One warning for all rows whose columns follow from the number of their cells."""
        if self._untitled:
            message = f"{len(self._untitled)} summary rows without column headings; read by the number of columns"
            yield Doubt(self._untitled[0], "no-header", message)


MAX_GAP = 2  # lines between the parts of wrapped titles or of a wrapped row
_MAX_MISSING = 1000  # repetitions of a test that were not printed
_NOT_A_FIGURE = ("-", "inf", "nan", "-nan", "NA")


@dataclass(slots=True)
class PendingSummaryRow:
    """A pending row of the summary, and the line of each cell."""

    line: str
    numbers: list[int]


@dataclass(slots=True)
class PendingUntitledRow:
    """A pending row of a table without titles."""

    access: str
    cells: list[str]
    number: int


class LogRows:
    """Reads the rows of one pass over a text."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._test = IorTest(0)
        self._tests: dict[int, IorTest] = {}  # of the run, by number
        self._table: IorResults | None = None
        self._summary: SummaryTitles | None = None
        self._pending: ResultRow | PendingSummaryRow | PendingUntitledRow | None = None
        self._values = 0  # of the run
        self._untitled_rows, self._untitled_csv = list[int](), list[int]()
        self._collected = CollectedRows(text)

    def _begin_next_test(self, number: int) -> None:
        self._test = self._test.next_test(self._test.number, number)

    def _count_row(self, access: str) -> None:
        self._test.row_counts[access] = self._test.row_counts.get(access, 0) + 1

    def _read_cells(self, access: str, cells: list[str], number: int, label: str = "") -> Iterator[Found]:
        """A row of text: of the open table, or without titles."""
        if self._table and not self._table.csv:
            first = cells[0]
            if first[0].isdecimal() or first in _NOT_A_FIGURE or "\x00" in first:
                yield from self._read_table_row(self._table, ResultRow(access, cells, number, label))
        elif columns := rows.infer_columns(cells):
            self._untitled_rows.append(number)
            self._test.has_table = self._test.has_untitled_rows = True
            if access != "remove" and rows.NUMBER.match(cells[0]):
                yield rows.make_value(self._test, access, columns[0], cells[0], number, dict(self._test.params))
        elif titles := infer_titles(cells):
            line = f"{access} {' '.join(cells)}"
            if not self._collected.is_copy(line, number):
                yield from self._read_summary_row(line, [number] * len(cells), SummaryTitles(0, titles))
        elif len(cells) > 3 and all(rows.NUMBER.match(cell) or cell == "-" for cell in cells):
            self._pending = PendingUntitledRow(access, cells, number)

    def _read_table_row(self, table: IorResults, row: ResultRow) -> Iterator[Found]:
        self._count_row(row.access)
        if len(row.cells) < len(table.columns):
            self._pending = row._replace(lines=[row.number] * len(row.cells))
        else:
            yield from self._read_row(row)
        last = table.columns[-1]
        if last not in (LAST_COLUMN, *rows.VALUE_COLUMNS, *rows.COLUMNS_3_0) and not table.torn_reported:
            table.torn_reported = True
            yield Doubt(
                table.header, "cut", f"the column headings are cut off after {last[:40]!r}; the columns after it were not read"
            )

    def _read_row(self, row: ResultRow) -> Iterator[Found]:
        assert self._table is not None
        for item in rows.read_row(self._test, self._table, row):
            if row.label and isinstance(item, Value):
                item.params = {**item.params, "phase": row.label}
            yield item

    def _read_summary_row(self, line: str, numbers: list[int], titles: SummaryTitles) -> Iterator[Found]:
        test = self._collected.find_test(self._tests, self._test, titles, line, numbers)
        if not self._tests:
            self._test = test
        summary.find_maximum_below(test, titles, self._text.lines, line, numbers[-1])
        yield from summary.read_summary_row(test, titles, line, numbers)

    def _untitled_doubts(self) -> Iterator[Doubt]:
        if self._untitled_rows:
            yield Doubt(
                self._untitled_rows[0],
                "no-header",
                f"{len(self._untitled_rows)} rows without column headings; "
                "only the bandwidth, which comes first in every layout, was recorded",
            )
        yield from self._collected.doubts()
        if self._untitled_csv:
            message = f"{len(self._untitled_csv)} CSV rows without column headings; nothing in them was recorded"
            yield Doubt(self._untitled_csv[0], "no-header", message)

    def _unfinished(self, number: int) -> Iterator[MissingValue | Doubt]:
        """A test with options and no result, or fewer rows than repetitions, was interrupted."""
        test, planned = self._test, self._test.params.get("repetitions")
        if test.version and not self._values and self._tests:
            asked = _asked_accesses(test) or ({"read", "write"} if test.params.get("command") else set())  # IOR's default is both
            yield from self._missing(test, dict.fromkeys(sorted(asked), 1))
            yield Doubt(number, "cut", f"the IOR test that begins on line {test.start} shows no result")
        elif test.has_table and isinstance(planned, int) and not self._untitled_rows:
            for access in sorted(_asked_accesses(test) or set(test.row_counts) - {"remove"}):
                shown = test.row_counts.get(access, 0)
                if shown < planned:
                    yield from self._missing(test, {access: planned - shown})
                    yield Doubt(number, "cut", f"{access}: the table shows {shown} of {planned} repetitions")

    def _missing(self, test: IorTest, counts: Mapping[str, int]) -> Iterator[MissingValue]:
        """The throughputs, so many of each access, that a test did not print; they refer to the line on which it begins."""
        raw = self._text.lines[test.start - 1].strip()[:80] if test.start else ""
        version, started = test.version, test.started
        reason = FAILED if test.has_error else NOT_FINISHED
        for access, count in counts.items() if raw else ():
            metric, native = f"{test.operation(access)}.throughput", f"{access} bw(MiB/s)"
            for _ in range(min(count, _MAX_MISSING)):
                yield MissingValue(
                    test.start,
                    TOOL,
                    metric,
                    native,
                    "B/s",
                    raw,
                    run=test.start,
                    reason=reason,
                    tool_version=version,
                    params=dict(test.params),
                    printed_config=test.configuration,
                    started_at=started,
                )

    def _read_plain_row(self, line: str, number: int) -> list[Value]:
        """The values of a row of plain numbers; empty for any other line."""
        row = rows.PLAIN_ROW.match(line)
        if row is None or self._table is None:
            return []
        access = row[1]
        values = rows.read_plain_row(self._test, self._table, access, row[2].split(), number)
        if values:
            self._count_row(access)
            self._values += len(values)
        return values

    def _continue_row(self, line: str, number: int) -> Generator[Found, None, bool]:
        """Add the line to the pending row, or close that; whether the line is part of it."""
        row = self._pending
        if isinstance(row, ResultRow):
            return (yield from self._continue_result_row(row, line, number))
        if isinstance(row, PendingUntitledRow):
            return (yield from self._close_untitled_row(row, line))
        assert isinstance(row, PendingSummaryRow) and self._summary
        is_short = len(row.numbers) < self._summary.row_width
        is_near = number - row.numbers[-1] <= MAX_GAP
        if is_short and is_near and (cells := summary.continued_cells(line)):
            row.line = f"{row.line} {' '.join(cells)}"
            row.numbers += [number] * len(cells)
            return True
        yield from self._close_row()
        return False

    def _continue_result_row(self, row: ResultRow, line: str, number: int) -> Generator[Found, None, bool]:
        assert self._table is not None and row.lines is not None
        columns = self._table.columns
        is_near = number - row.lines[-1] <= MAX_GAP
        if is_near and (cells := rows.continued_cells(columns, row.cells, line)):
            row = row._replace(cells=[*row.cells, *cells], lines=[*row.lines, *[number] * len(cells)])
            if len(row.cells) < len(columns):
                self._pending = row
            else:
                self._pending = None
                yield from self._read_row(row._replace(number=number))
            return True
        yield from self._close_row()
        return False

    def _close_untitled_row(self, row: PendingUntitledRow, line: str) -> Generator[Found, None, bool]:
        """Read the row if the line completes it, else warn; whether the line is part of it."""
        self._pending, self._test.has_table = None, True
        cells = [*row.cells, *line.strip(" \t>|#+").split()]
        if rows.infer_columns(cells):
            yield from self._read_cells(row.access, cells, row.number)
            return True
        yield Doubt(row.number, "no-header", f"{row.access}: values without column headings; none were recorded")
        return False

    def _close_row(self) -> Iterator[Found]:
        """Values or warning of the pending row, which no line completes."""
        row = self._pending
        self._pending = None
        if isinstance(row, ResultRow):
            yield from self._read_row(ResultRow(row.access, row.cells, row.number))
        elif isinstance(row, PendingUntitledRow):
            yield from self._close_untitled_row(row, "")
        elif row and self._summary:
            yield from self._read_summary_row(row.line, row.numbers, self._summary)


def _asked_accesses(test: IorTest) -> set[str]:
    """What the options of the command ask for; empty where they name neither."""
    words = str(test.params.get("command", "")).split()
    return {name for name, flag in (("write", "-w"), ("read", "-r")) if flag in words}
