"""IOR 2.x, 3.0 to 4.1: text, JSON and CSV. Each row of the results table is one repetition."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers import _shell_command as shell
from ingest.parsers._wrapped_command import read_wrapped_words
from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._collected_rows import GREP_PREFIX, CollectedRows, infer_titles
from ingest.parsers.ior._json import read_document
from ingest.parsers.ior._options import (
    BANNER,
    HEAD_PATTERNS,
    IorTest,
    find_test_number,
    option,
    read_test_line,
    repeats_option,
    set_option,
    set_shell_command,
)
from ingest.parsers.ior._options_from_summary import add_summary_options
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.lines import Text
from ingest.text.located_json import find_documents

ANCHOR = Anchor(
    lazy(
        r"IOR-\d[^\n]{0,60}MPI Coordinated|access(?:[^\S\n]|\|)+bw\(MiB/s\)|access,bw\(MiB/s\)|access,rank,runtime"
        r"|\b(?:read|write|remove),\d"  # every row of a CSV, so that none is taken for noise of a long log
        r'|Max (?:Write|Read):|"bwMiB"|access(?:"[,;]"|;)bw\(MiB/s\)|Operation[^\S\n]+Max ?\(MiB\)'
    ),
    "mpi coordinated",
    "bw(mib/s)",
    "access,rank",
    "read,0",
    "write,0",
    "remove,0",
    "max write:",
    "max read:",
    '"bwmib"',
    "operation",
) | Anchor(
    lazy(r"(?:^[ \t>|#+]*|[\w.]:)(?:read|write)(?:[ \t]+(?:\d[\d.]*|NA)){6,24}(?:[ \t]+[A-Z][\w-]{2,11}[ \t]+\d+)?[ \t]*$", re.M),
    "read ",
    "read\t",
    "write ",
    "write\t",
)
LAST = "iter"  # the last title of every table
_FOREIGN = lazy(r'access(?:"[,;]"|;)bw\(MiB/s\)')
# srun -l on one line alone
_RANKED = lazy(r"^[\s>#+]*\d{1,6}: {1,4}(?=(?:write|read|remove|access|Operation|Max (?:Write|Read):)\s)")
_CALLED = shell.command_pattern(r"ior|IOR")
_ERROR = lazy(r"^[\s>|#+]*(?:ior )?ERROR(?:\s*:|\s)", re.I)
_SAID = (
    BANNER,
    *HEAD_PATTERNS,
    _RANKED,
    GREP_PREFIX,
    _ERROR,
    _CALLED,
    shell.COMMAND_ENDS,
    rows.HEADER,
    rows.CSV_HEADER,
    rows.RANK_HEADER,
    rows.ROW,
    rows.LABELLED_ROW,
    rows.CSV_ROW,
    summary.HEADER,
    summary.ROW,
    summary.MAXIMUM,
    summary.TORN_MAXIMUM,
    lazy("[\x00\ufffd]|Command line"),
)


def _may_say_more(kind: str) -> bool:
    """Whether lines of that kind may be more than an option of the list, or nothing."""
    line = rows.COMMENT_MARK.sub("", kind.rstrip().replace("|", " "))
    return any(said.search(line) for said in _SAID)


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every repetition of every IOR test in the text, in line order."""
    told = find_documents(text, "tests", "Version") if '"bwMiB"' in text.body else ()
    return by_line(chain(add_summary_options(text.lines, _Reading(text).all()), chain.from_iterable(map(read_document, told))))


class _Reading:
    """The state of one pass over the lines of a text log."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.test = IorTest(0)
        self.tests: dict[int, IorTest] = {}
        self.columns: list[str] = []
        self.header = self.titled = 0  # line of the titles, and the last one where they are wrapped
        self.told = 0  # line of the titles of which it was told that they break off
        self.comma = False
        self.sums: list[str] = []
        self.sums_header = (0, "")
        self.results = 0
        self.naked, self.naked_csv = list[int](), list[int]()
        self.labelled = self.shell = False
        # A row that next lines may complete, since mail wraps: access, cells, line of each cell, label.
        self.half: tuple[str, list[str], list[int], str] | None = None
        self.row_of_sums: tuple[str, list[int]] | None = None  # a row of the summary that goes on, the line of each cell
        self.spaced = self.paused = False
        self.torn: tuple[str, list[str], int] | None = None  # a row without titles that the next line may complete
        self.gathered = CollectedRows(text)
        self.commented = "//" in text.body and rows.COMMENT_MARK.search(text.body) is not None
        self.foreign = bool(_FOREIGN.search(text.body))  # a spreadsheet wrote the CSV again

    def all(self) -> Iterator[Value | Doubt]:
        more = None if self.foreign or not isinstance(self.text.lines, list) else set(self.text.where(_may_say_more))
        for number, line in enumerate(map(str.rstrip, self.text.lines), 1):
            line = rows.COMMENT_MARK.sub("", line) if self.commented else line
            if more is not None and number - 1 not in more and not self.open(number):
                if line:
                    self.option(line.replace("|", " ") if "|" in line else line, number)
                    continue
            elif self.plain and not self.half and (values := self.plain_row(line, number)):
                yield from values
                continue
            if line.strip():
                line = line.replace("|", " ") if "|" in line else line
                line = GREP_PREFIX.sub("", _RANKED.sub("", line))
                line = rows.normalise_csv_row(line) if self.foreign else line
                for item in self.line(line, number):
                    self.results += isinstance(item, Value)
                    yield item
            elif self.comma:
                self.paused = True
        yield from self.short()
        yield from self.completed("")
        yield from self.sum_up()
        if self.naked:
            yield Doubt(
                self.naked[0],
                "no-header",
                f"{len(self.naked)} rows without the titles of their columns; "
                "only the bandwidth, which every layout has first, was taken",
            )
        yield from self.gathered.doubts()
        if self.naked_csv:
            message = f"{len(self.naked_csv)} rows of CSV without the titles of their columns; none of their figures was taken"
            yield Doubt(self.naked_csv[0], "no-header", message)
        yield from self.unfinished(len(self.text.lines))

    def open(self, number: int) -> bool:
        """Whether a line may go on with what lines before it have begun."""
        begun = self.row_of_sums or self.half or self.sums or self.paused or self.torn
        return bool(begun or (self.columns and number - self.titled <= 2))

    def option(self, line: str, number: int) -> None:
        """A line of which nothing but an option can be told."""
        found = option(line)
        if found and (self.test.maxima or self.test.rows) and found[0] in self.test.depends:
            self.test = self.test.next(self.test.number, number)
        if found:
            set_option(self.test, *found, number)

    def plain_row(self, line: str, number: int) -> list[Value]:
        """The values of a row of plain figures; none of any other line."""
        found = rows.PLAIN_ROW.match(line)
        if found is None:
            return []
        access = found[1]
        values = rows.read_plain_row(self.test, self.header, self.columns, access, found[2].split(), number)
        if values:
            self.test.shown[access] = self.test.shown.get(access, 0) + 1
            self.results += len(values)
        return values

    def line(self, line: str, number: int) -> Iterator[Value | Doubt]:
        if self.row_of_sums:
            begun, numbers = self.row_of_sums
            short = len(numbers) < summary.row_width(self.sums, self.sums_header[1])
            if short and number - numbers[-1] <= 2 and (cells := summary.continued_cells(line)):
                self.row_of_sums = (f"{begun} {' '.join(cells)}", [*numbers, *[number] * len(cells)])
                return
            yield from self.sum_up()
        if self.paused:  # a blank line ends a table of CSV, unless its rows go on below
            self.paused = False
            row = rows.CSV_ROW.match(line)
            if not row or len(row[3].split(",")) != len(self.columns):
                self.columns = []
        if self.torn and (yield from self.completed(line)):
            return
        if self.half:
            access, words, lines, label = self.half
            if number - lines[-1] <= 2 and (more := rows.continued_cells(self.columns, words, line)):
                words, lines = [*words, *more], [*lines, *[number] * len(more)]
                self.half = (access, words, lines, label)
                if len(words) >= len(self.columns):
                    self.half = None
                    yield from self.read(access, words, number, label, lines)
                return
            yield from self.short()
        if self.plain and (found := rows.PLAIN_ROW.match(line)):
            yield from self.row(found[1], found[2].split(), number)
        elif banner := BANNER.match(line):
            yield from self.unfinished(number)
            self.test = IorTest(number, version=banner[1], depends={"version": number})
            self.tests, self.columns, self.sums, self.results = {}, [], [], 0
        elif (started := find_test_number(line)) is not None:
            yield from self.begin_test(started, line, number)
        elif titles := rows.HEADER.match(line):
            if self.test.printed and self.test.tabled:  # the maxima close a table: this one is of another test
                self.test = self.test.next(self.test.number, number)
            self.columns, self.header, self.comma, self.sums = line[titles.end(1) :].split()[1:], number, False, []
            self.titled = number
            self.test.tabled, self.labelled = True, bool(titles[1])
        elif self.columns and 0 < number - self.titled <= 2 and (more := rows.continued_titles(self.columns, line)):
            self.columns += more
            self.titled = number
            self.test.depends["titles"] = number
        elif (titles := rows.CSV_HEADER.match(line)) or rows.RANK_HEADER.match(line):
            self.columns = line[titles.end(1) if titles else 0 :].strip().split(",")[1:]
            self.header, self.comma, self.spaced, self.labelled = number, True, False, bool(titles and titles[1])
        elif summary.HEADER.match(line):
            self.sums, self.sums_header = summary.parse_columns(line), (number, line)
        elif self.sums and number - self.sums_header[0] <= 6 and (titles_more := summary.continued_titles(line)):
            self.sums_header = (self.sums_header[0], f"{self.sums_header[1]} {titles_more}")
            self.sums = summary.parse_columns(self.sums_header[1])
            self.test.depends[f"sums {number}"] = number
        else:
            yield from self.figures(line, number)

    @property
    def plain(self) -> bool:
        """Whether a table is open whose rows begin with the operation, and nothing else has begun since its titles."""
        whole = bool(self.columns) and self.columns[-1] == LAST
        return whole and not (self.comma or self.labelled or self.sums or self.row_of_sums)

    def sum_up(self) -> Iterator[Value | Doubt]:
        """What the row of the summary tells, now that it is known to be whole."""
        if self.row_of_sums:
            line, numbers = self.row_of_sums
            self.row_of_sums = None
            yield from self.summed(line, numbers, self.sums_header)

    def summed(self, line: str, numbers: list[int], titles: tuple[int, str]) -> Iterator[Value | Doubt]:
        """What a row of the summary tells of its test."""
        names = summary.parse_columns(titles[1])
        test = self.gathered.test_of(self.tests, self.test, titles, names, line, numbers)
        if not self.tests:
            self.test = test
        yield from summary.read_summary_row(test, names, titles, line, numbers)

    def begin_test(self, started: int, line: str, number: int) -> Iterator[Doubt]:
        if self.tests and started not in self.tests:
            yield from self.unfinished(number)
        if self.tests:
            self.test = self.test.next(started, number)
        self.test.number = started
        self.tests[started] = self.test
        self.columns = []
        read_test_line(self.test, line, number)

    def begin_shown(self, number: int) -> Iterator[Doubt]:
        """A text without heads shows a command, or what ends one: the results below are of another run."""
        yield from self.unfinished(number)
        found = shell.read_shell_command(_CALLED, self.text.lines, number)
        self.test, self.tests, self.columns, self.sums, self.shell = IorTest(number), {}, [], [], found is not None
        if found:
            command, tasks, last = found
            set_shell_command(self.test, command, tasks)
            self.test.depends = {f"command {at}": at for at in range(number, last + 1)}

    def figures(self, line: str, number: int) -> Iterator[Value | Doubt]:
        if self.sums and summary.ROW.match(line) and not rows.is_untitled_row(line):
            self.row_of_sums = (line, [number] * (len(line.strip(" \t>").split()) - 1))
        elif summary.MAXIMUM.match(line) or (self.test.start and summary.TORN_MAXIMUM.match(line)):
            found = summary.MAXIMUM.match(line)
            if found and not (self.test.version or self.test.tabled) and found[1].lower() in self.test.printed:
                self.test = self.test.next(self.test.number, number)  # a list of results, one of each run
            yield from summary.read_maximum(self.test, line, number)
        elif self.columns and self.comma and (found := rows.CSV_ROW.match(line)) and bool(found[1]) == self.labelled:
            yield from self.read(found[2], found[3].split(","), number, found[1].rstrip(",").replace(",", ", "))
        elif self.columns and self.labelled and not self.comma and (found := rows.LABELLED_ROW.match(line)):
            yield from self.row(found[2], found[3].split(), number, " ".join(found[1].split()))
        elif found := rows.ROW.match(line):
            yield from self.row(found[1], found[2].split(), number)
        elif "\x00" in line or "\ufffd" in line:
            if self.test.start:
                yield Doubt(number, "bad-number", "damaged bytes inside an IOR log")
        elif _ERROR.match(line) and self.test.start:
            yield Doubt(number, "failed-run", line.strip()[:200])
        elif not self.columns and rows.is_csv_row(line):
            self.naked_csv.append(number)
        elif not self.test.version and (_CALLED.match(line) or (self.shell and shell.COMMAND_ENDS.match(line))):
            yield from self.begin_shown(number)
        else:
            if repeats_option(self.test, line):
                self.test = self.test.next(self.test.number, number)
            more = read_wrapped_words(self.text.lines, number) if "Command line" in line else []
            read_test_line(self.test, " ".join([line, *more]), number)
            self.test.depends |= {f"command {at}": number + at for at in range(1, len(more) + 1)}

    def row(self, access: str, words: list[str], number: int, label: str = "") -> Iterator[Value | Doubt]:
        if self.columns and not self.comma:
            if words and (words[0][0].isdecimal() or words[0] in ("-", "inf", "nan", "-nan", "NA") or "\x00" in words[0]):
                self.test.shown[access] = self.test.shown.get(access, 0) + 1
                if len(words) < len(self.columns):
                    self.half = (access, words, [number] * len(words), label)
                else:
                    yield from self.read(access, words, number, label)
                if self.columns[-1] not in (LAST, *rows.VALUE_COLUMNS, *rows.COLUMNS_3_0) and self.told != self.header:
                    self.told = self.header
                    message = f"the titles break off after {self.columns[-1][:40]!r}; what is behind was not read"
                    yield Doubt(self.header, "cut", message)
        elif columns := rows.infer_columns(words):
            self.naked.append(number)
            self.test.tabled = self.test.naked = True
            if access != "remove" and rows.NUMBER.match(words[0]):
                yield rows.make_value(self.test, access, columns[0], words[0], number, dict(self.test.params))
        elif titles := infer_titles(words):
            if not self.gathered.is_copy(line := f"{access} {' '.join(words)}", number):
                yield from self.summed(line, [number] * len(words), (0, titles))
        elif len(words) > 3 and all(rows.NUMBER.match(word) or word == "-" for word in words):
            self.torn = (access, words, number)

    def completed(self, line: str) -> Generator[Value | Doubt, None, bool]:
        """The row without titles that mail wrapped, whose rest this line is; a warning where it is not. Whether it is."""
        if not self.torn:
            return False
        access, words, number = self.torn
        self.torn, self.test.tabled = None, True
        whole = [*words, *line.strip(" \t>|#+").split()]
        if rows.infer_columns(whole):
            yield from self.row(access, whole, number)
            return True
        yield Doubt(number, "no-header", f"{access}: figures without the titles of their columns; none was taken")
        return False

    def read(
        self, access: str, words: list[str], number: int, label: str = "", lines: list[int] | None = None
    ) -> Iterator[Value | Doubt]:
        for item in rows.read_row(self.test, self.header, self.columns, access, words, number, lines):
            if label and isinstance(item, Value):
                item.params = {**item.params, "phase": label}
            yield item

    def short(self) -> Iterator[Value | Doubt]:
        """The warning of a row that no line completes."""
        if self.half:
            access, words, lines, _ = self.half
            self.half = None
            yield from self.read(access, words, lines[0])

    def unfinished(self, number: int) -> Iterator[Doubt]:
        """A test that shows its options and no result, or fewer rows than repetitions, was interrupted."""
        test, planned = self.test, self.test.params.get("repetitions")
        if test.version and not self.results and self.tests:
            yield Doubt(number, "cut", f"the IOR test that begins on line {test.start} shows no result")
        elif test.tabled and isinstance(planned, int) and not self.naked:
            words = str(test.params.get("command", "")).split()
            asked = {name for name, flag in (("write", "-w"), ("read", "-r")) if flag in words} or set(test.shown) - {"remove"}
            for access in sorted(asked):
                if test.shown.get(access, 0) < planned:
                    yield Doubt(number, "cut", f"{access}: the table shows {test.shown.get(access, 0)} of {planned} repetitions")


PARSER = Parser(
    wide=rows.WIDE_LINES,
    brief=True,
    name="ior",
    version=22,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "text log",
            "2.8 to 4.1",
            "MiB = 2^20 B, KiB = 1024 B, MB = 10^6 B",
            "rows are repetitions; Max and Summary lines are only checked where the rows are there",
        ),
        Shape("-O summaryFormat=JSON", "3.2 to 4.1", "bwMiB in 2^20 B/s"),
        Shape("-O summaryFormat=CSV, rank details", "3.2 to 4.1", "as the titles say", "no version inside"),
    ),
    source="IOR user documentation, chapters Options and Output; IOR 2.10.3, 3.0.1, 3.3.0 and 4.0.0's own output",
)
