"""Rows of IOR's summary collected from many runs (`grep -h ^write *.out`), below one title line or none.

Without titles the number of cells gives the columns: IOR prints 20 up to 3.1, 24 in 3.2 and 26 from 3.3 on, the last two always API
and RefNum (ior-output.c, PrintShortSummary and PrintLongSummaryOneOperation).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ingest.lazy_regex import lazy
from ingest.parsers.ior._options import BANNER, IorTest
from ingest.parsers.ior._result_rows import HEADER, NUMBER
from ingest.parsers.ior._summary import SummaryTitles
from ingest.records import Doubt
from ingest.text.lines import Text

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
