"""One pass over the lines of an output of iozone: runs, tables, blocks of throughput mode, reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ingest.lazy_regex import lazy
from ingest.parsers.iozone import _auto_table as auto_table
from ingest.parsers.iozone import _excel_grids as excel_grids
from ingest.parsers.iozone import _markdown_tables
from ingest.parsers.iozone import _markdown_tables as markdown_tables
from ingest.parsers.iozone import _throughput_mode as throughput_mode
from ingest.parsers.iozone._run_header import (
    BANNER,
    INVALID_MODE,
    ONCE_PER_RUN,
    IozoneRun,
    find_command,
    read_header_line,
    set_command,
)
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_TABLE_END = lazy(r"^[\s>|#/*]*(?:iozone test complete|Excel output is below|```|</pre>)", re.I)
_WORD, _PROSE = lazy(r"[^\W\d_]{3,}"), 3  # words that make a line beginning with a number prose
_EMPTY_COMMAND = lazy(r"Command line used:\s*\Z")  # the command is on the next line, where mail wrapped it
_FIGURE = lazy(r"=\s*\S+\s+\S|%")
_MAX_INTERRUPTION = 20  # lines of other text within a table
_NEXT_OUTPUT = lazy(r'(?:Children|Parent) sees? throughput|"Throughput report Y-axis', re.I)
_READABLE = lazy(
    r"iozone|throughput|reclen|xfer|Child|CPU utili|report|^[\s>|#/*]*\d|^[\s>|#/*]*\""
    r"|Version|Run began|size set|Record Size|Output is|Mode"
    r"|Machine =|Each |Include|O_DIRECT|mmap|^```|</pre>|\x00"
    r"|No retest|Multi_buffer|Lock file|Disrupted|Write sync|locking|Think time|Percent read|Madvise|Delay \d|Dedup|Rate control"
    r"|Sequential Mixed|Short circuit|old data sets|Binding of proc",
    re.I,
)


_Items = Iterable[Found]


class IozoneOutput:
    """One pass over the lines. At most one of `_table`, `_block`, `_report` and `_markdown` is open."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._run = IozoneRun(0)
        self._table: auto_table.AutoTable | None = None
        self._block: throughput_mode.ThroughputBlock | None = None
        self._report: excel_grids.ExcelReport | None = None
        self._markdown: markdown_tables.MarkdownTable | None = None
        self._untitled: list[int] = []
        self._interrupted: tuple[auto_table.AutoTable, int] | None = None  # a table, and the line of other text within it
        self._skip = 0  # the last line that was read with one above it
        self._last_untitled_report = -9

    def read(self) -> Iterator[Found]:
        """Values and warnings of all lines."""
        last = len(self._text.lines)
        readable = {index + 1 for index in self._text.find_lines(_READABLE.search)}
        for number, line in enumerate(map(str.rstrip, self._text.lines), 1):
            if number <= self._skip:
                continue
            if self._markdown and (cells := markdown_tables.read_row(self._run, self._markdown, line, number)) is not None:
                yield from cells
                continue
            self._markdown = None
            table = self._table
            if table and not table.wrapped and (row := auto_table.read_plain_row(self._run, table, line, number)):
                yield from row
            elif number in readable and line:
                yield from self._read_joined_line(line, number, last)
            elif table and line.strip():
                yield from self._read_stray_line(table, line, number)
            elif not line.strip() and self._report and self._report.ends():
                yield from self._close()
        yield from self._finish_run(last)
        if len(self._untitled) > 1:
            yield Doubt(
                self._untitled[0],
                "no-header",
                f"{len(self._untitled)} rows look like iozone's table but have no column headings; nothing was recorded",
            )

    def _read_joined_line(self, line: str, number: int, last: int) -> Iterator[Found]:
        """A line without a console message, joined with the end that a mailer or a message put on the next line.

        Its number is that of the line with its figure.
        """
        below = self._text.lines[number] if number < last else ""
        if "[" in line and not self._table and (message := auto_table.CONSOLE_MESSAGE.search(line)):
            line = line[: message.start()].rstrip()
        if joined := throughput_mode.join_wrapped_line(line, below):
            self._skip = number + 1
            yield from self._read_line(joined[0], number if joined[1] else number + 1, False)
            if self._block:
                self._block.wrapped_lines[number] = number + 1
        else:
            yield from self._read_line(line, number, number == last)
            opens_block = self._block and self._block.line == number
            if number == last and not opens_block and throughput_mode.is_line_start(line) and not _FIGURE.search(line):
                yield Doubt(number, "cut", "the text ends before the value on this line")

    def _read_line(self, line: str, number: int, is_last: bool) -> Iterator[Found]:
        if parts := throughput_mode.split_joined_lines(line):
            for part in parts:
                yield from self._read_line(part, number, is_last)
            return
        if BANNER.match(line):
            yield from self._begin_run(number)
            self._run.has_banner = True
        elif self._is_of_next_run(line):
            yield from self._begin_run(number)
        for step in _STEPS:
            items = step(self, line, number, is_last)
            if items is not None:
                yield from items
                return

    # Steps: each gives the items of the line, or None where it is something else

    def _titles(self, line: str, number: int, is_last: bool) -> _Items | None:
        """The titles of a table; a mailer may have put their end on the next line."""
        if "reclen" not in line or not auto_table.HEADER.match(line) or auto_table.ONE_LINE_TABLE.search(line):
            return None
        closed = list(self._close())
        lines = self._text.lines
        above, below = lines[number - 2] if number > 1 else "", lines[number] if number < len(lines) else ""
        self._table = auto_table.read_titles(line, above, number, below)
        if self._table.wrapped:
            self._skip = number + 1
        return closed

    def _markdown_titles(self, line: str, number: int, is_last: bool) -> _Items | None:
        table = markdown_tables.open_table(line, number) if any(map(line.__contains__, "|,;")) else None
        if not table:
            return None
        closed = list(self._close())
        self._markdown = table
        return closed

    def _table_row(self, line: str, number: int, is_last: bool) -> _Items | None:
        return self._read_row(self._table, line, number, is_last) if self._table and auto_table.ROW.match(line) else None

    def _throughput_titles(self, line: str, number: int, is_last: bool) -> _Items | None:
        opened = throughput_mode.open_block(line, number, self._block) if "throughput" in line else None
        if opened is None:
            return None
        if isinstance(opened, Doubt):
            return [opened]
        closed = list(self._close()) if opened is not self._block else []
        self._block = opened
        return closed

    def _throughput_line(self, line: str, number: int, is_last: bool) -> _Items | None:
        taken = throughput_mode.continue_block(self._block, line, number) if "=" in line or ":" in line else False
        if taken is False:
            return None
        return [taken] if isinstance(taken, Doubt) else ()

    def _report_title(self, line: str, number: int, is_last: bool) -> _Items | None:
        report = excel_grids.open_report(line, number) if '"' in line else None
        if report is None:
            return None
        closed = list(self._close())
        if isinstance(report, Doubt):
            return [*closed, report]
        self._report = report
        return closed

    def _report_line(self, line: str, number: int, is_last: bool) -> _Items | None:
        report = (self._report or self._open_untitled_report(line, number)) if '"' in line else None
        if report is None:
            return None
        rest = excel_grids.continued_figures(report, line, self._text.lines, number)
        self._skip = number + len(rest)
        is_cut = self._skip == len(self._text.lines) if rest else is_last
        return excel_grids.read_line(self._run, report, line, number, is_cut, rest)

    def _invalid_mode(self, line: str, number: int, is_last: bool) -> _Items | None:
        if not INVALID_MODE.match(line):
            return None
        return [Doubt(number, "invalid-mode", "iozone says that the results of this run are invalid: every byte was verified")]

    def _one_line_table(self, line: str, number: int, is_last: bool) -> _Items | None:
        is_table = "reclen" in line and auto_table.ONE_LINE_TABLE.search(line)
        return _markdown_tables.read_tables(line, number, self._run) if is_table else None

    def _header_line(self, line: str, number: int, is_last: bool) -> _Items | None:
        return () if read_header_line(self._run, line, number) else None

    def _table_end(self, line: str, number: int, is_last: bool) -> _Items | None:
        if not _TABLE_END.match(line):
            return None
        self._table = None
        if "complete" in line:
            self._run.complete = number
        return ()

    def _command(self, line: str, number: int, is_last: bool) -> _Items | None:
        """A command, which begins a run unless iozone itself prints it on a line of its own."""
        command = find_command(line)
        if not command:
            return None
        above = self._text.lines[number - 2 : number - 1]
        doubts = [] if above and _EMPTY_COMMAND.search(above[0]) else list(self._begin_run(number, keeps_command=False))
        set_command(self._run, command, number)
        return doubts

    def _other(self, line: str, number: int, is_last: bool) -> _Items:
        """Rows without titles, damage inside a table."""
        if self._table:
            return self._read_stray_line(self._table, line, number)
        if auto_table.is_untitled_row(line):
            return self._read_untitled_row(line, number)
        if excel_grids.is_untitled_line(line, bool(self._run.has_values or self._run.complete)):
            return self._report_untitled(number)
        return ()

    # What the steps read

    def _open_untitled_report(self, line: str, number: int) -> excel_grids.ExcelReport | None:
        """The report of throughput mode without its title, opened at its first row below a command."""
        if "command" not in self._run.depends or not excel_grids.is_label_row(line):
            return None
        self._report = excel_grids.ExcelReport(number, "throughput", unit=self._run.unit, is_untitled=True)
        return self._report

    def _is_of_next_run(self, line: str) -> bool:
        """Whether the line cannot be of the current run, which has values or is complete."""
        if once := ONCE_PER_RUN.search(line):
            is_repeated = once[1] and once[1].lower() in self._run.depends
            return bool(self._run.has_values or self._run.complete or is_repeated)
        return self._run.complete > 0 and bool(auto_table.HEADER.match(line) or _NEXT_OUTPUT.search(line))

    def _read_row(self, table: auto_table.AutoTable, line: str, number: int, is_last: bool) -> Iterator[Found]:
        """A row of the table, joined where a mailer or a console message broke it."""
        if table.wrapped and not is_last:
            below = self._text.lines[number].rstrip()
            if auto_table.is_row_rest(self._run, table, line, below):
                self._skip = number + 1
                yield from auto_table.read_wrapped_row(self._run, table, (line, below), number)
                return
        if self._has_message(number) and (parts := auto_table.join_broken_row(self._run, table, self._text.lines, number)):
            self._skip = parts[-1][1]
            yield from auto_table.read_broken_row(self._run, table, parts)
            return
        yield from auto_table.read_row(self._run, table, line, number, is_last)

    def _has_message(self, number: int) -> bool:
        """Whether a console message stands in the line, or at the beginning of the next one."""
        line = self._text.lines[number - 1]
        below = self._text.lines[number].lstrip() if number < len(self._text.lines) else ""
        message = auto_table.CONSOLE_MESSAGE
        return bool("[" in line and message.search(line)) or bool(below[:1] == "[" and message.match(below))

    def _read_untitled_row(self, line: str, number: int) -> Iterator[Found]:
        """A row below lines that interrupted its table (of a kernel, a scheduler, a person), or one without titles."""
        table, interruption = self._interrupted or (None, 0)
        width = len(line.lstrip("> ").split())
        if not table or number - interruption > _MAX_INTERRUPTION or width != 2 + len(table.filled):
            self._untitled.append(number)
            return
        self._table, self._interrupted = table, None
        yield from auto_table.read_row(self._run, table, line, number, number == len(self._text.lines))

    def _report_untitled(self, number: int) -> Iterator[Doubt]:
        """One warning for each report without a title."""
        if number > self._last_untitled_report + 2:
            yield Doubt(
                number, "no-header", "the heading that names the operation of this report is missing; nothing in it was recorded"
            )
        self._last_untitled_report = number

    def _read_stray_line(self, table: auto_table.AutoTable, line: str, number: int) -> Iterator[Found]:
        """A line inside a table that is no plain row: a labelled row, damage with digits or NUL, else the table's end."""
        if labelled := auto_table.split_label(line):
            yield from auto_table.read_row(self._run, table, labelled[1], number, False, labelled[0])
        elif "\x00" in line or "\ufffd" in line:
            yield Doubt(number, "bad-number", "damaged bytes where a row of the table should be")
        elif re.match(r"^[\s>|#/*]*[\d*]", line):
            if len(_WORD.findall(line)) < _PROSE:
                yield Doubt(number, "short-row", f"a row of the table that cannot be read: {line.strip()[:60]!r}")
        else:
            self._interrupted = (table, number) if table.filled and not table.wrapped else None
            self._table = None

    # Runs

    def _begin_run(self, number: int, keeps_command: bool = True) -> Iterator[Found]:
        """Finish the current run and begin another; the banner's run keeps a command just above it (`keeps_command`)."""
        yield from self._finish_run(number)
        above = self._run
        is_command_only = keeps_command and not (above.has_values or above.version or above.complete)
        command = above.params.get("command") if is_command_only else None
        command_line = above.depends.get("command", number)
        line, count = above.start if isinstance(above.start, tuple) else (above.start, 0)
        self._run = IozoneRun(number)
        if line == number:  # several stand on one line
            self._run.start = (number, count + 1)
        if above.complete:
            self._run.depends["after"] = above.complete
        if command:
            set_command(self._run, command, command_line)

    def _finish_run(self, number: int) -> Iterator[Found]:
        """The end of a run; a warning where one with a banner does not say that it is complete."""
        yield from self._close()
        yield from excel_grids.check_grids(self._run, number)
        if self._run.has_banner and not self._run.complete:
            start = self._run.start[0] if isinstance(self._run.start, tuple) else self._run.start
            yield Doubt(number, "cut", f"the iozone run that begins on line {start} does not say that it is complete")

    def _close(self) -> Iterator[Found]:
        """Values of the open block; nothing is open afterwards."""
        if self._block:
            yield from throughput_mode.finish_block(self._run, self._block)
        if self._report and self._report.kind == "grid":
            self._run.grids.append((self._report.line, self._report.title, self._report.rows))
        self._block = self._table = self._report = self._markdown = self._interrupted = None


_STEPS: tuple[Callable[[IozoneOutput, str, int, bool], _Items | None], ...] = (
    IozoneOutput._titles, IozoneOutput._markdown_titles, IozoneOutput._table_row, IozoneOutput._throughput_titles,
    IozoneOutput._throughput_line, IozoneOutput._report_title, IozoneOutput._report_line, IozoneOutput._invalid_mode,
    IozoneOutput._one_line_table, IozoneOutput._header_line, IozoneOutput._table_end, IozoneOutput._command,
    IozoneOutput._other,
)  # fmt: skip
