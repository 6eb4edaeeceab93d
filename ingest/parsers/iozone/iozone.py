"""iozone 3.x: automatic table, throughput mode, and the spreadsheet reports that -R prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.iozone import _auto_table as tables
from ingest.parsers.iozone import _csv_grids as csv
from ingest.parsers.iozone import _excel_grids as excel
from ingest.parsers.iozone import _markdown_tables as markdown
from ingest.parsers.iozone import _one_line_tables as flat
from ingest.parsers.iozone import _throughput_mode as throughput
from ingest.parsers.iozone._run_header import (
    BANNER,
    INVALID_MODE,
    ONCE_PER_RUN,
    IozoneRun,
    find_command,
    read_header_line,
    set_command,
)
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

ANCHOR = Anchor(
    lazy(
        r"(?i:Iozone: Performance Test)|(?i:(?:Children|Parent) sees? throughput)|(?i:throughput per (?:process|thread))"
        r"|(?i:kb[`*\"]*[^\S\n|]*[|,;]?[^\S\n]*[`*\"]*reclen)"
        r"|(?:Children|Parent) sees? t[a-z]{0,9}[^\S\n]*$|(?:Min|Max|Avg) throughput per ?[a-z]{0,7}[^\S\n]*$"
        r'|(?i:"[a-z -]{3,30} report")|(?i:"Throughput report Y-axis)|"[ ]{1,12}Initial write "'
        rf"|{csv.TITLE}",
        re.M,
    ),
    "iozone:",
    "children see",
    "parent see",
    "throughput per",
    "reclen",
    " report",
    "initial write",
) | Anchor(lazy(r"^[^\w\n\"]*\d{2,12}[ \t]+\d{1,5}(?:[ \t]+\d{2,12}){2,13}[ \t]*$", re.M))
_SHEET = lazy(rf"{csv.TITLE}\n{csv.SIZES_BELOW}", re.M)
_END = lazy(r"^[\s>|#/*]*(?:iozone test complete|Excel output is below|```|</pre>)", re.I)
_WORD, _PROSE = lazy(r"[^\W\d_]{3,}"), 3  # so many words make a line that begins with a number prose
_WRAPPED = lazy(r"Command line used:\s*\Z")  # the command is on the next line, where mail wrapped it
_FIGURE = lazy(r"=\s*\S+\s+\S|%")
_BROKEN_IN = 20  # lines of something else within a table
_AFTER = lazy(r'(?:Children|Parent) sees? throughput|"Throughput report Y-axis', re.I)
_INTERESTING = lazy(
    r"iozone|throughput|reclen|xfer|Child|CPU utili|report|^[\s>|#/*]*\d|^[\s>|#/*]*\""
    r"|Version|Run began|size set|Record Size|Output is|Mode"
    r"|Machine =|Each |Include|O_DIRECT|mmap|^```|</pre>|\x00",
    re.I,
)


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every iozone run in the text, in line order."""
    if _SHEET.search(text.body):
        return by_line(chain(_Reading(text).all(), csv.read_sheets(text)))
    return _Reading(text).all()


class _Reading:
    """The state of one pass over the lines."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.run = IozoneRun(0)
        self.table: tables.AutoTable | None = None
        self.block: throughput.ThroughputBlock | None = None
        self.report: excel.ExcelReport | None = None
        self.sheet: markdown.MarkdownTable | None = None
        self.naked: list[int] = []
        self.lapsed: tuple[tables.AutoTable, int] | None = None  # a table that a line of something else broke into, and where
        self.skip = 0
        self.lost = -9

    def all(self) -> Iterator[Value | Doubt]:
        last = len(self.text.lines)
        interesting = {at + 1 for at in self.text.find_lines(_INTERESTING.search)}
        for number, line in enumerate(map(str.rstrip, self.text.lines), 1):
            if number <= self.skip:
                continue
            if self.sheet and (cells := markdown.read_row(self.run, self.sheet, line, number)) is not None:
                yield from cells
                continue
            self.sheet = None
            if self.table and not self.table.wrapped and (row := tables.read_plain_row(self.run, self.table, line, number)):
                yield from row
            elif number in interesting and line:
                yield from self.whole(line, number, last)
            elif self.table and line.strip():
                yield from self.stray(line, number)
            elif not line.strip() and self.report and self.report.ends():
                yield from self.close()
        yield from self.finish(last)
        if len(self.naked) > 1:
            yield Doubt(
                self.naked[0],
                "no-header",
                f"{len(self.naked)} rows that look like iozone's table stand without the titles of their columns; none was taken",
            )

    def whole(self, line: str, number: int, last: int) -> Iterator[Value | Doubt]:
        """A line without a message of the console, with the end that a mailer or a message put on the next one.

        Its number is that of the line with its figure.
        """
        below = self.text.lines[number] if number < last else ""
        if "[" in line and not self.table and (message := tables.CONSOLE_MESSAGE.search(line)):
            line = line[: message.start()].rstrip()
        if mended := throughput.join_wrapped_line(line, below):
            self.skip = number + 1
            yield from self.line(mended[0], number if mended[1] else number + 1, False)
            if self.block:
                self.block.broken[number] = number + 1
        else:
            yield from self.line(line, number, number == last)
            begun = not self.block or self.block.line != number
            if number == last and begun and throughput.is_line_start(line) and not _FIGURE.search(line):
                yield Doubt(number, "cut", "the text ends before the figure of this line")

    def line(self, line: str, number: int, last: bool) -> Iterator[Value | Doubt]:
        if parts := throughput.split_joined_lines(line):
            for part in parts:
                yield from self.line(part, number, last)
            return
        if BANNER.match(line):
            yield from self.restart(number)
            self.run.banner = True
        elif self.ended(line):
            yield from self.restart(number)
        if tables.HEADER.match(line) and not tables.ONE_LINE_TABLE.search(line):
            yield from self.close()
            self.take_titles(line, number)
        elif sheet := markdown.open_table(line, number):
            yield from self.close()
            self.sheet = sheet
        elif self.table and tables.ROW.match(line):
            yield from self.row(line, number, last)
        elif (opened := throughput.open_block(line, number, self.block)) is not None:
            yield from self.take_block(opened)
        elif (more := throughput.continue_block(self.block, line, number)) is not False:
            if isinstance(more, Doubt):
                yield more
        elif (report := excel.open_report(line, number)) is not None:
            yield from self.take_report(report)
        elif '"' in line and (shown := self.report or self.labelled(line, number)) is not None:
            rest = excel.continued_figures(shown, line, self.text.lines, number)
            self.skip = number + len(rest)
            cut = self.skip == len(self.text.lines) if rest else last
            yield from excel.read_line(self.run, shown, line, number, cut, rest)
        elif INVALID_MODE.match(line):
            yield Doubt(number, "invalid-mode", "iozone says that the figures of this run are invalid: every byte was verified")
        elif "reclen" in line and tables.ONE_LINE_TABLE.search(line):
            yield from flat.read_tables(line, number, self.run)
        elif not read_header_line(self.run, line, number):
            yield from self.other(line, number)

    def labelled(self, line: str, number: int) -> excel.ExcelReport | None:
        """The report of throughput mode, opened at its first row where a poster left its title out but the command in."""
        if "command" not in self.run.depends or not excel.is_label_row(line):
            return None
        self.report = excel.ExcelReport(number, "throughput", unit=self.run.unit, posted=True)
        return self.report

    def ended(self, line: str) -> bool:
        """Whether the line cannot be of the run that was read so far, whose figures were shown or which is complete."""
        if begins := ONCE_PER_RUN.search(line):
            again = begins[1] and begins[1].lower() in self.run.depends
            return bool(self.run.used or self.run.complete or again)
        return self.run.complete > 0 and bool(tables.HEADER.match(line) or _AFTER.search(line))

    def take_titles(self, line: str, number: int) -> None:
        """The titles of a table; a mailer may have put the end of the line on the next one."""
        lines = self.text.lines
        above, below = lines[number - 2] if number > 1 else "", lines[number] if number < len(lines) else ""
        self.table = tables.read_titles(line, above, number, below)
        if self.table.wrapped:
            self.skip = number + 1

    def row(self, line: str, number: int, last: bool) -> Iterator[Value | Doubt]:
        """A row of the table, with its second half where the table is wrapped."""
        assert self.table is not None
        if self.table.wrapped and not last:
            below = self.text.lines[number].rstrip()
            if tables.is_row_rest(self.run, self.table, line, below):
                self.skip = number + 1
                yield from tables.read_wrapped_row(self.run, self.table, (line, below), number)
                return
        if self.is_broken(number) and (parts := tables.join_broken_row(self.run, self.table, self.text.lines, number)):
            self.skip = parts[-1][1]
            yield from tables.read_broken_row(self.run, self.table, parts)
            return
        yield from tables.read_row(self.run, self.table, line, number, last)

    def is_broken(self, number: int) -> bool:
        """Whether a message of the console stands in the row, or at the beginning of the next line."""
        line = self.text.lines[number - 1]
        below = self.text.lines[number].lstrip() if number < len(self.text.lines) else ""
        return bool("[" in line and tables.CONSOLE_MESSAGE.search(line)) or bool(
            below[:1] == "[" and tables.CONSOLE_MESSAGE.match(below)
        )

    def other(self, line: str, number: int) -> Iterator[Value | Doubt]:
        """Commands that start a run, ends of tables, rows without titles, damage inside a table."""
        if _END.match(line):
            self.table = None
            if "complete" in line:
                self.run.complete = number
        elif command := find_command(line):
            if not self.text.lines[number - 2 : number - 1] or not _WRAPPED.search(self.text.lines[number - 2]):
                yield from self.restart(number, above=False)
            set_command(self.run, command, number)
        elif self.table:
            yield from self.stray(line, number)
        elif tables.is_untitled_row(line):
            yield from self.resumed(line, number)
        elif excel.is_untitled_line(line, bool(self.run.used or self.run.complete)):
            yield from self.titleless(number)

    def resumed(self, line: str, number: int) -> Iterator[Value | Doubt]:
        """A row behind lines that broke into its table (of a kernel, a scheduler, a person), or one without titles."""
        table, broken = self.lapsed or (None, 0)
        if not table or number - broken > _BROKEN_IN or len(line.lstrip("> ").split()) != 2 + len(table.filled):
            self.naked.append(number)
            return
        self.table, self.lapsed = table, None
        yield from tables.read_row(self.run, table, line, number, number == len(self.text.lines))

    def titleless(self, number: int) -> Iterator[Doubt]:
        """Once for each report without a title."""
        if number > self.lost + 2:
            yield Doubt(number, "no-header", "a report without the title that names the operation; none of it was taken")
        self.lost = number

    def stray(self, line: str, number: int) -> Iterator[Value | Doubt]:
        """A line inside a table that is no plain row: one with a label, damage if it holds digits or NUL, else the table's end."""
        assert self.table is not None
        if found := tables.split_label(line):
            yield from tables.read_row(self.run, self.table, found[1], number, False, found[0])
        elif "\x00" in line or "\ufffd" in line:
            yield Doubt(number, "bad-number", "damaged bytes where a row of the table should stand")
        elif re.match(r"^[\s>|#/*]*[\d*]", line):
            if len(_WORD.findall(line)) < _PROSE:
                yield Doubt(number, "short-row", f"a row of the table that cannot be read: {line.strip()[:60]!r}")
        else:
            self.lapsed = (self.table, number) if self.table.filled and not self.table.wrapped else None
            self.table = None

    def take_block(self, opened: throughput.ThroughputBlock | Doubt) -> Iterator[Value | Doubt]:
        if isinstance(opened, Doubt):
            yield opened
        elif opened is not self.block:
            yield from self.close()
            self.block = opened

    def take_report(self, report: excel.ExcelReport | Doubt) -> Iterator[Value | Doubt]:
        yield from self.close()
        if isinstance(report, Doubt):
            yield report
        else:
            self.report = report

    def restart(self, number: int, above: bool = True) -> Iterator[Value | Doubt]:
        """A new run. A command just above the banner is the command of the run that the banner opens; one above another
        command (`above` is false) is that of neither."""
        yield from self.finish(number)
        shown = above and not (self.run.used or self.run.version or self.run.complete)
        command = self.run.params.get("command") if shown else None
        line = self.run.depends.get("command", number)
        after = self.run.complete
        before, self.run = self.run.start, IozoneRun(number)
        line, count = before if isinstance(before, tuple) else (before, 0)
        if line == number:  # several stand on one line
            self.run.start = (number, count + 1)
        if after:
            self.run.depends["after"] = after
        if command:
            set_command(self.run, command, line)

    def finish(self, number: int) -> Iterator[Value | Doubt]:
        """The end of a run: one that showed its banner says when it is complete."""
        yield from self.close()
        yield from excel.check_grids(self.run, number)
        if self.run.banner and not self.run.complete:
            begun = self.run.start[0] if isinstance(self.run.start, tuple) else self.run.start
            yield Doubt(number, "cut", f"the iozone run that begins on line {begun} does not say that it is complete")

    def close(self) -> Iterator[Value | Doubt]:
        if self.block:
            yield from throughput.finish_block(self.run, self.block)
        if self.report and self.report.kind == "grid":
            self.run.grids.append((self.report.line, self.report.title, self.report.rows))
        self.block = self.table = self.report = self.sheet = self.lapsed = None


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
    wide=_WIDE,
    brief=True,
    name="iozone",
    version=25,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "automatic table (-a, -s, -i)",
            "3.x",
            "kBytes/sec = 1024 B/s; -O operations/s; -N microseconds/operation",
            "blank columns keep their place; figures are never shifted; a table that a mailer broke is read where full; "
            "what a poster put before a row is its part",
        ),
        Shape("automatic table in Markdown or CSV", "3.x", "kBytes/sec = 1024 B/s", "titles as iozone's two lines of them, joined"),
        Shape(
            "throughput mode (-t, -+m)",
            "3.x",
            "kB/sec = 1024 B/s; ops/sec; usec/op",
            "Children is the result; Parent, Min and Max are parts; Avg is only checked",
        ),
        Shape(
            "spreadsheet (-b) saved as CSV",
            "3.x",
            "as the run: kBytes/sec = 1024 B/s",
            "blank or 0 where a record is larger than the file",
        ),
        Shape("spreadsheet report as text (-R)", "3.x", "as the run", "repeats the table of the same run"),
    ),
    source="iozone documentation (IOzone_msword_98), options -a -R -O -N -t; iozone 3.471's own output",
)
