"""State machine over the lines of a text log of IOR: heads, options, tables, CSV and summaries.

The state is given by the titles above; it decides what a line can be, and in which order that is tried. Beside it a row may be
pending that the next line completes, since mail wraps rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from ingest.lazy_regex import lazy
from ingest.parsers import _shell_command as shell
from ingest.parsers._shell_command import read_wrapped_words
from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._log_rows import GREP_PREFIX, MAX_GAP, LogRows, PendingSummaryRow, PendingUntitledRow
from ingest.parsers.ior._option_lists import (
    BANNER,
    HEAD_PATTERNS,
    SHELL_COMMAND,
    IorTest,
    begin_section,
    find_test_number,
    parse_option,
    read_test_line,
    repeats_option,
    set_option,
    set_shell_command,
)
from ingest.parsers.ior._result_rows import LAST_COLUMN, IorResults, ResultRow
from ingest.parsers.ior._summary import SummaryTitles
from ingest.records import Doubt, Found, Value
from ingest.text.lines import Text

_SPREADSHEET_HEADER = lazy(r'access(?:"[,;]"|;)bw\(MiB/s\)')
_RANK_PREFIX = lazy(r"^[\s>#+]*\d{1,6}: {1,4}(?=(?:write|read|remove|access|Operation|Max (?:Write|Read):)\s)")  # of srun -l
_ERROR = lazy(r"^[\s>|#+]*(?:ior )?ERROR(?:\s*:|\s)", re.I)
_PATTERNS = (
    BANNER, *HEAD_PATTERNS, _RANK_PREFIX, GREP_PREFIX, _ERROR, SHELL_COMMAND, shell.COMMAND_ENDS, rows.HEADER,
    rows.CSV_HEADER, rows.RANK_HEADER, rows.ROW, rows.LABELLED_ROW, rows.CSV_ROW, summary.HEADER, summary.ROW,
    summary.MAXIMUM, summary.TORN_MAXIMUM, lazy("[\x00\ufffd]|Command line"),
)  # fmt: skip
_MAX_SUMMARY_TITLES = 6  # lines over which the titles of a summary are wrapped

_Items = Iterable[Found]


class _State(Enum):
    """The titles that stand above a line."""

    OPTIONS = "none: heads, options, other text"
    TITLES = "those of a table without the last of them, which the next line may hold"
    TABLE = "those of a table whose rows begin with the operation"
    LABELLED_TABLE = "those of a table whose rows begin with columns of a person"
    CSV = "those of a table of CSV"
    SUMMARY = "those of the summary; the table above it may go on"


def _is_more_than_option(shape: str) -> bool:
    """Whether lines of that shape can be anything but an option of the list or other text."""
    line = rows.COMMENT_MARK.sub("", shape.rstrip().replace("|", " "))
    return any(pattern.search(line) for pattern in _PATTERNS)


class TextLog(LogRows):
    """One pass over the lines of a text; `read` gives its values and warnings."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._enter(None, None)
        self._follows_command = False
        self._is_commented = "//" in text.body and rows.COMMENT_MARK.search(text.body) is not None
        self._is_spreadsheet = bool(_SPREADSHEET_HEADER.search(text.body))

    def read(self) -> Iterator[Found]:
        """Values and warnings of all lines."""
        lines = self._text.lines
        others = None if self._is_spreadsheet or not isinstance(lines, list) else set(self._text.find_lines(_is_more_than_option))
        for number, line in enumerate(map(str.rstrip, lines), 1):
            line = rows.COMMENT_MARK.sub("", line) if self._is_commented else line
            if others is not None and number - 1 not in others and not self._is_open(number):
                if line:
                    self._read_option(line.replace("|", " ") if "|" in line else line, number)
                    continue
            elif self._state is _State.TABLE and not self._pending and (values := self._read_plain_row(line, number)):
                yield from values
                continue
            if line.strip():
                for item in self._read_line(self._strip_prefixes(line), number):
                    self._values += isinstance(item, Value)
                    yield item
            elif self._table and self._table.csv:
                self._table.paused = True
        yield from self._close_row()
        yield from self._untitled_doubts()
        yield from self._unfinished(len(lines))

    def _strip_prefixes(self, line: str) -> str:
        line = line.replace("|", " ") if "|" in line else line
        line = GREP_PREFIX.sub("", _RANK_PREFIX.sub("", line))
        return rows.normalise_csv_row(line) if self._is_spreadsheet else line

    def _is_open(self, number: int) -> bool:
        """Whether the line may continue what lines above it began."""
        if self._pending or self._summary:
            return True
        table = self._table
        return table is not None and (table.paused or number - table.last_title <= MAX_GAP)

    def _read_option(self, line: str, number: int) -> None:
        """A line that can be nothing but an option."""
        if line.rstrip().endswith(":") and begin_section(self._test, line, number):
            return
        option = parse_option(line)
        if option and (self._test.aggregates or self._test.repetitions) and option[0] in self._test.depends:
            self._begin_next_test(number)
        if option:
            set_option(self._test, *option, number)

    def _read_line(self, line: str, number: int) -> Iterator[Found]:
        if isinstance(self._pending, PendingUntitledRow):
            self._resume_csv(line)
        if self._pending and (yield from self._continue_row(line, number)):
            return
        self._resume_csv(line)
        for step in self._steps:
            items = step(self, line, number)
            if items is not None:
                yield from items
                return

    def _enter(self, table: IorResults | None, titles: SummaryTitles | None) -> None:
        """Change to the state of the titles of a table and of a summary."""
        self._table, self._summary = table, titles
        if titles:
            self._state = _State.SUMMARY
        elif table is None:
            self._state = _State.OPTIONS
        elif table.csv:
            self._state = _State.CSV
        elif table.labelled:
            self._state = _State.LABELLED_TABLE
        else:
            self._state = _State.TABLE if table.columns[-1] == LAST_COLUMN else _State.TITLES
        self._steps = _STEPS[self._state]

    def _resume_csv(self, line: str) -> None:
        """A blank line ends a table of CSV, unless its rows continue below."""
        if not (self._table and self._table.paused):
            return
        self._table.paused = False
        row = rows.CSV_ROW.match(line)
        if not row or len(row[3].split(",")) != len(self._table.columns):
            self._enter(None, self._summary)

    # Steps: each gives the items of the line, or None where it is something else

    def _plain_row(self, line: str, number: int) -> _Items | None:
        row = rows.PLAIN_ROW.match(line)
        return self._read_cells(row[1], row[2].split(), number) if row else None

    def _banner(self, line: str, number: int) -> _Items | None:
        banner = BANNER.match(line)
        if not banner:
            return None
        doubts = list(self._unfinished(number))
        self._test = IorTest(number, version=banner[1], depends={"version": number})
        self._tests, self._values = {}, 0
        self._enter(None, None)
        return doubts

    def _test_heading(self, line: str, number: int) -> _Items | None:
        test_number = find_test_number(line)
        if test_number is None:
            return None
        doubts = list(self._unfinished(number)) if self._tests and test_number not in self._tests else []
        if self._tests:
            self._test = self._test.next_test(test_number, number)
        self._test.number = test_number
        self._tests[test_number] = self._test
        self._enter(None, self._summary)
        read_test_line(self._test, line, number)
        return doubts

    def _table_titles(self, line: str, number: int) -> _Items | None:
        titles = rows.HEADER.match(line)
        if not titles:
            return None
        if self._test.printed_maxima and self._test.has_table:  # the maxima end a table
            self._begin_next_test(number)
        self._test.has_table = True
        columns = tuple(line[titles.end(1) :].split()[1:])
        self._enter(IorResults(number, columns, number, labelled=bool(titles[1])), None)
        return ()

    def _continued_titles(self, line: str, number: int) -> _Items | None:
        table = self._table
        if not table or not 0 < number - table.last_title <= MAX_GAP:
            return None
        titles = rows.continued_titles(table.columns, line)
        if not titles:
            return None
        table.columns = (*table.columns, *titles)
        table.last_title = number
        self._test.depends["titles"] = number
        self._enter(table, self._summary)
        return ()

    def _csv_titles(self, line: str, number: int) -> _Items | None:
        titles = rows.CSV_HEADER.match(line)
        if not titles and not rows.RANK_HEADER.match(line):
            return None
        columns = tuple(line[titles.end(1) if titles else 0 :].strip().split(",")[1:])
        is_labelled = bool(titles and titles[1])
        self._enter(IorResults(number, columns, csv=True, labelled=is_labelled), self._summary)
        return ()

    def _summary_titles(self, line: str, number: int) -> _Items | None:
        if not summary.HEADER.match(line):
            return None
        self._enter(self._table, SummaryTitles(number, line))
        return ()

    def _continued_summary_titles(self, line: str, number: int) -> _Items | None:
        titles = self._summary
        if not titles or number - titles.line > _MAX_SUMMARY_TITLES or not (words := summary.continued_titles(line)):
            return None
        self._enter(self._table, SummaryTitles(titles.line, f"{titles.text} {words}"))
        self._test.depends[f"sums {number}"] = number
        return ()

    def _summary_row(self, line: str, number: int) -> _Items | None:
        if not summary.ROW.match(line) or rows.is_untitled_row(line):
            return None
        self._pending = PendingSummaryRow(line, [number] * (len(line.strip(" \t>").split()) - 1))
        return ()

    def _maximum(self, line: str, number: int) -> _Items | None:
        test, maximum = self._test, summary.MAXIMUM.match(line)
        if not maximum and not (test.start and summary.TORN_MAXIMUM.match(line)):
            return None
        if maximum and not (test.version or test.has_table) and maximum[1].lower() in test.printed_maxima:
            self._begin_next_test(number)  # a list of results, one of each run
        return summary.read_maximum(self._test, line, number)

    def _csv_row(self, line: str, number: int) -> _Items | None:
        table = self._table
        row = rows.CSV_ROW.match(line) if table and table.csv else None
        if not table or not row or bool(row[1]) != table.labelled:
            return None
        return self._read_row(ResultRow(row[2], row[3].split(","), number, row[1].rstrip(",").replace(",", ", ")))

    def _labelled_row(self, line: str, number: int) -> _Items | None:
        table = self._table
        row = rows.LABELLED_ROW.match(line) if table and table.labelled and not table.csv else None
        return self._read_cells(row[2], row[3].split(), number, " ".join(row[1].split())) if row else None

    def _row(self, line: str, number: int) -> _Items | None:
        row = rows.ROW.match(line)
        return self._read_cells(row[1], row[2].split(), number) if row else None

    def _damage(self, line: str, number: int) -> _Items | None:
        if "\x00" not in line and "\ufffd" not in line:
            return None
        return [Doubt(number, "bad-number", "damaged bytes inside an IOR log")] if self._test.start else ()

    def _error(self, line: str, number: int) -> _Items | None:
        if not (_ERROR.match(line) and self._test.start):
            return None
        self._test.has_error = True
        return [Doubt(number, "failed-run", line.strip()[:200])]

    def _untitled_csv_row(self, line: str, number: int) -> _Items | None:
        if self._table or not rows.is_csv_row(line):
            return None
        self._untitled_csv.append(number)
        return ()

    def _shell_command(self, line: str, number: int) -> _Items | None:
        """A command in a text without heads, or a line that ends its output: the results below are of another run."""
        is_end = self._follows_command and shell.COMMAND_ENDS.match(line)
        if self._test.version or not (SHELL_COMMAND.match(line) or is_end):
            return None
        doubts = list(self._unfinished(number))
        command = shell.read_shell_command(SHELL_COMMAND, self._text.lines, number)
        self._test, self._tests, self._follows_command = IorTest(number), {}, command is not None
        self._enter(None, None)
        if command:
            words, tasks, last = command
            set_shell_command(self._test, words, tasks)
            self._test.depends = {f"command {line}": line for line in range(number, last + 1)}
        return doubts

    def _option(self, line: str, number: int) -> _Items:
        if begin_section(self._test, line, number):
            return ()
        if repeats_option(self._test, line):
            self._begin_next_test(number)
        rest = read_wrapped_words(self._text.lines, number) if "Command line" in line else []
        read_test_line(self._test, " ".join([line, *rest]), number)
        self._test.depends |= {f"command {offset}": number + offset for offset in range(1, len(rest) + 1)}
        return ()


_Step = Callable[[TextLog, str, int], _Items | None]
_BEGINNINGS: tuple[_Step, ...] = (TextLog._banner, TextLog._test_heading, TextLog._table_titles)
_TITLES: tuple[_Step, ...] = (TextLog._csv_titles, TextLog._summary_titles)
_OTHERS: tuple[_Step, ...] = (TextLog._damage, TextLog._error, TextLog._untitled_csv_row, TextLog._shell_command, TextLog._option)
_STEPS: dict[_State, tuple[_Step, ...]] = {
    _State.OPTIONS: (*_BEGINNINGS, *_TITLES, TextLog._maximum, TextLog._row, *_OTHERS),
    _State.TITLES: (*_BEGINNINGS, TextLog._continued_titles, *_TITLES, TextLog._maximum, TextLog._row, *_OTHERS),
    _State.TABLE: (TextLog._plain_row, *_BEGINNINGS, *_TITLES, TextLog._maximum, TextLog._row, *_OTHERS),
    _State.LABELLED_TABLE: (
        *_BEGINNINGS,
        TextLog._continued_titles,
        *_TITLES,
        TextLog._maximum,
        TextLog._labelled_row,
        TextLog._row,
        *_OTHERS,
    ),
    _State.CSV: (TextLog._csv_row, *_BEGINNINGS, *_TITLES, TextLog._maximum, TextLog._row, *_OTHERS),
    _State.SUMMARY: (
        *_BEGINNINGS,
        TextLog._continued_titles,
        *_TITLES,
        TextLog._continued_summary_titles,
        TextLog._summary_row,
        TextLog._maximum,
        TextLog._csv_row,
        TextLog._labelled_row,
        TextLog._row,
        *_OTHERS,
    ),
}
