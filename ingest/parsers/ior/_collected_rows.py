"""Rows of IOR's summary that somebody gathered of many runs (`grep -h ^write *.out`), below one title or none.

How many cells a row has tells its columns where no title does: IOR prints 20 of them up to 3.1, 24 in 3.2 and 26 from 3.3
on, the last two always the API and RefNum (ior-output.c, PrintShortSummary and PrintLongSummaryOneOperation).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ingest.lazy_regex import lazy
from ingest.parsers.ior._options import BANNER, IorTest
from ingest.parsers.ior._result_rows import HEADER, NUMBER
from ingest.parsers.ior._summary import row_width
from ingest.records import Doubt
from ingest.text.lines import Text

_BW, _OPS = "Max(MiB) Min(MiB) Mean(MiB) StdDev", "Max(OPs) Min(OPs) Mean(OPs) StdDev"
_TEST = "Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize"
_TITLES = {
    20: f"Operation {_BW} Mean(s) {_TEST} aggsize API RefNum",
    24: f"Operation {_BW} {_OPS} Mean(s) {_TEST} aggs(MiB) API RefNum",
    26: f"Operation {_BW} {_OPS} Mean(s) Stonewall(s) Stonewall(MiB) {_TEST} aggs(MiB) API RefNum",
}
_AFTER = 15  # cells from Test# on
_API = lazy(r"[A-Z][A-Z0-9_-]{2,11}\Z")
_API_AT_END = lazy(r"\s[A-Z][A-Z0-9_-]{2,11}\s+\d+\s*\Z")
_TITLED = lazy(r"Operation[^\S\n]+Max ?\(MiB\)")
_MARGIN = " \t>|#+"
GREP_PREFIX = lazy(r"^[\w./+@%-]{1,160}:(?=(?:read|write)\s+\d)")  # the file's name that grep puts before a line


def infer_titles(words: Sequence[str]) -> str:
    """The titles of a row that stands without them, by the number of its cells; nothing where it is another row."""
    titles = _TITLES.get(len(words), "")
    if not titles or not (_API.match(words[-2]) and words[-1].isdecimal()):
        return ""
    figures, counts = words[:-_AFTER], words[-_AFTER:-3]
    fits = all(count.isdecimal() for count in counts) and counts[4] in ("0", "1")
    return titles if fits and all(NUMBER.match(word) or word == "NA" for word in figures) else ""


class CollectedRows:
    """Which test each row sums up, where the tests themselves are not in the text or several rows follow one title."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._titles = (0, "")
        self._rows: dict[tuple[str, str], list[str]] = {}
        self._piled = False  # rows of one operation follow each other: a row of the other may belong to any of them
        self._seen: set[str] = set()
        self._last: list[str] = []
        self._above: list[int] = []  # the lines of that row
        self.untitled: list[int] = []

    @cached_property
    def _shown(self) -> set[str]:
        """The rows of summaries that stand below titles."""
        if not _TITLED.search(self._text.body):
            return set()
        found, titled = set(), False
        for line in self._text.lines:
            if _TITLED.search(line):
                titled = True
            elif titled and _API_AT_END.search(line):
                found.add(" ".join(GREP_PREFIX.sub("", line.strip(_MARGIN)).split()))
            elif titled and (BANNER.match(line) or HEADER.match(line)):
                titled = False
        return found

    def test_of(
        self, tests: dict[int, IorTest], latest: IorTest, titles: tuple[int, str], names: list[str], line: str, numbers: list[int]
    ) -> IorTest:
        """The test that a row sums up. `titles`: their line, 0 where none stand, and text; `names`: columns up to Test#;
        `numbers`: the lines of the row."""
        access, *words = line.strip(_MARGIN).split()
        named = words[len(names) - 1] if "Test#" in names and len(words) >= len(names) else ""
        known = tests.get(int(named)) if named.isdecimal() and titles[0] else None
        if len(words) != row_width(names, titles[1]):
            return known or latest
        # Rows without titles belong to none of the logs around them.
        apart = titles != self._titles and (not titles[0] or (not self._titles[0] and bool(self._titles[1])))
        told, mark = words[len(names) :], (access, named)
        # Of logs of which grep left the summaries, each with its titles, the same row again is another run's.
        summed = (access, "Mean(MiB)") in latest.maxima and not (known or latest.version or latest.printed)
        again = self._rows.get(mark, words) != words and (titles == self._titles or summed)
        if titles != self._titles:
            self._titles, self._rows, self._last, self._piled = titles, {}, [], False
        other = again or (
            known is None and (apart or (bool(self._last) and told != self._last) or (self._piled and mark not in self._rows))
        )
        self._piled = again and len(self._rows) == 1
        most = latest.maxima.get((access, "Max(MiB)"))
        if access in latest.printed and most and NUMBER.match(words[0]) and most[0] == float(words[0]):
            other = False  # the line Max Write or Max Read above tells whose it is
        self._rows = {mark: words} if other else {**self._rows, mark: words}
        above, self._above, self._last = self._above, numbers, told
        return IorTest(numbers[0], depends={f"row {at}": at for at in (*above, *numbers)}) if other else known or latest

    def is_copy(self, line: str, number: int) -> bool:
        """Whether the very row without titles was read before, or is read below its titles."""
        row = " ".join(line.strip(_MARGIN).split())
        copy = row in self._seen or row in self._shown
        self._seen.add(row)
        self.untitled += [] if copy else [number]
        return copy

    def doubts(self) -> Iterator[Doubt]:
        """That rows were read by the number of their cells."""
        if self.untitled:
            message = f"{len(self.untitled)} rows of a summary without the titles of their columns; read by their number"
            yield Doubt(self.untitled[0], "no-header", message)
