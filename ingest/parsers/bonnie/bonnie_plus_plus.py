"""bonnie++: CSV lines and reports of 1.0x, 1.9x and 2.00, in any mixture.

Shapes of bonnie++ (name | versions | units | traps):
    CSV line, 27 fields | 1.00 to 1.03 | K/sec = 1024 B/s, files in units of 1024 | no version in the line
    CSV line, 32 fields | 1.03 | as its 27 fields | given the head of 1.9x by hand
    CSV line, 45 fields | 1.9x before 1.92 (format 2) | K/sec = 1024 B/s, latencies us, ms, s | no concurrency, seed nor chunk
        size of small files
    CSV line, 46 fields | 1.92 | K/sec = 1024 B/s, latencies us, ms, s | no concurrency nor chunk size of the large file
    CSV line, 48 fields | 1.93 to 1.97 | K/sec = 1024 B/s, latencies us, ms, s | empty fields where -f skipped a test
    CSV line, 50 fields | 2.00 (format 1.98) | K/sec = 1024 B/s | seeks and seekers after the chunk size
    report | 1.0x, 1.9x | K/sec = 1024 B/s | blank columns (-f); +++++ means too fast to measure
    report on one line | all | as the reports | pages that lost line ends, with or without their spaces
    bon_csv2txt | all | as the reports | several rows under one header, file part after all of them, 0k for +++++
    bon_csv2html | 1.03 to 2.00 | K/sec, M/sec since 2.00 | whole M/sec: less precise than the CSV line
    report | 1.98, 2.00 | bytes/s with k, m, g = powers of 1024 | its file rates are wrong and not recorded

Source: bonnie++.8, bon_csv2txt.1, readme.html and bon_time.cpp of the bonnie++ distribution
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from ingest.lazy_regex import lazy
from ingest.options import command_params, read_command
from ingest.parsers._shell_command import command_pattern, read_shell_command
from ingest.parsers.bonnie._columns import (
    FILE_COLUMNS,
    IO_COLUMNS,
    MAX_DEPENDS,
    METRICS,
    TOOL,
    BonnieRun,
    is_host,
    is_same_run,
    parse_count,
    parse_size,
)
from ingest.parsers.bonnie._csv import CsvRow, read_rows
from ingest.parsers.bonnie._text_report import read_reports
from ingest.plugin_api import Anchor, CommandOptions, CommandReader, Parser
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.spill import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

# Reports of bonnie++ on one line, where a page or its reader lost the line ends: the lines that they were.
#
# A line end may have become a blank (`... /sec %CP box 8G 900 98 ...`) or nothing (`... /sec %CPbox   8G   900  98 ...`). The
# beginning of each line follows from the output: titles, six columns under them, twelve figures of a row, its CSV line
# (bon_time.cpp, DoReport). A line is looked at only where titles of two lines stand on it.

_CELL = r"[ \t]+(?:\d[\d.]{0,12}[kmgt]?|\+{3,5})"
_UNITS = r"(?:K?/sec[ \t]+%CP[ \t]+){5}K?/sec[ \t]+%CP"
_FLAT = lazy(r"-Per Chr-.{0,200}?K?/sec[ \t]+%CP|-Create--.{0,200}?/sec[ \t]+%CP")
_BEGINS = lazy(  # a line begins where one of these does
    r"(?:Version[ \t]+@?[\w.]{1,10}[ \t]+)?-{4,}Sequential (?:Output|Create)-|Concurrency[ \t]+\d{1,6}[ \t]+-Per Chr-"
    r"|(?:Machine[ \t]+Size|Name:Size etc)[ \t:]|files(?::max)?(?::min)?[ \t]+/sec[ \t]+%CP|Latency[ \t]+(?=[\d+])"
    r"|(?:Writing |Rewriting|Reading |start 'em|(?:Create|Stat|Delete) files in )"
    r"|(?<![\w.])1\.9\d\w?,(?:1\.9|2\.)\d{1,2}\w?,|(?<![\w.,-])[\w.-]{1,60},\d{1,9}[MG](?::\w{1,8})?,(?=[\d+]*,[\d+]*,)"
)
_ENDS = lazy(  # and where one of these has ended
    rf"--Random-(?=[ \t]*(?:Concurrency|-Per|[ \t]))|Random Create-{{4,}}|--Seeks--(?=[ \t]*(?:Machine|Name|Size))|{_UNITS}"
    rf"|-Delete--(?=[ \t]*files)|Latency(?:[ \t]+(?:\d{{1,12}}[nmu]?s|\+{{3,5}})){{1,6}}"
    rf"|(?<=%CP)[ \t]+\d{{1,9}}(?::[\w:/]{{1,30}})?(?:{_CELL}){{11}}[ \t]+(?:\d{{1,3}}|\+{{3}})"
    r"|,(?:[\d.+]{0,12}(?:[mu]?s)?,){20,50}[\d.+]{0,12}(?:[mu]?s)?"
)


def split_joined_lines(lines: Sequence[str]) -> tuple[Sequence[str], list[int] | None]:
    """The lines with such ones parted, and the line of the text of each and of what may follow them, on which a row that is cut
    depends; the lines themselves and None where there is none."""
    flat = {at for at, line in enumerate(lines) if "%CP" in line and _FLAT.search(line)}
    if not flat:
        return lines, None
    out, origins = list[str](), list[int]()
    for at, line in enumerate(lines):
        parts = list(_parts(line)) if at in flat else [line]
        out += parts
        origins += [at + 1] * len(parts)
    return out, [*origins, len(lines) + 1]


def _parts(line: str) -> Iterator[str]:
    ends = [found.span() for found in _ENDS.finditer(line)]
    begins = (found.start() for found in _BEGINS.finditer(line))  # one may touch the last figure of a row: `3131  38box,2G,...`
    cuts = {cut for cut in begins if not _within(ends, cut)} | {end for _, end in ends}
    begun = 0
    for cut in sorted({*cuts, len(line)} - {0}):
        if line[begun:cut].strip():
            yield line[begun:cut]
            begun = cut


def _within(spans: list[tuple[int, int]], cut: int) -> bool:
    """Whether it lies inside one of the spans, which stand in order and apart."""
    before = bisect_left(spans, (cut, 0)) - 1
    return before >= 0 and cut < spans[before][1]


def restore_line_numbers(items: Iterator[Found], origins: list[int]) -> Iterator[Found]:
    """The items of the parts, with the line numbers of the text."""
    for item in items:
        if isinstance(item, Value):
            item.depends = tuple(dict.fromkeys(origins[line - 1] for line in item.depends))
        if isinstance(item, Value | MissingValue):
            item.run = (origins[item.run - 1], item.run)
            item.printed_config = {key: (value, origins[line - 1]) for key, (value, line) in item.printed_config.items()}
            item.same_as = item.same_as and _origin(item.same_as, origins)
        item.line = _origin(item.line, origins)
        yield item


def _origin(line: int | str, origins: list[int]) -> int | str:
    return origins[line - 1] if isinstance(line, int) else line


_ANCHOR = lazy(
    r"[-\u2013\u2014]Sequential (?:Output|Create)[-\u2013\u2014]|-Per Chr-+[^\S\n]+-+Block-|\bMachine[^\S\n]+Size[^\S\n]+K/sec|"
    r"class=\"?rowheader|[;\t]\"?\d{1,12}[kKMGT]?\"?[;\t](?:[^;\t\n]{0,32}+[;\t]){12}|,(?:[^,\n]{0,32}+,){8}|"
    r"^[^\S\n]*(?:Re)?[Ww]riting (?:with putc|intelligently|a byte)",
    re.M,
)
_COMMAND = command_pattern(r"bonnie(?:\+\+)?")
_NAMED = lazy(r"bonnie(?:\+\+)?[^\n]{0,300}?[^\S\n]-m[^\S\n]*\S")
# What bonnie++ prints before each phase (bonnie++.cpp); 1.9x writes and reads "a byte at a time".
_PHASES = {
    "writing with putc": "write_char", "writing a byte at a time": "write_char", "writing intelligently": "write",
    "rewriting": "rewrite", "reading with getc": "read_char", "reading a byte at a time": "read_char",
    "reading intelligently": "read", "start 'em": "seek", "create files in sequential order": "create_seq",
    "stat files in sequential order": "stat_seq", "delete files in sequential order": "delete_seq",
    "create files in random order": "create_rand", "stat files in random order": "stat_rand",
    "delete files in random order": "delete_rand",
}  # fmt: skip
_PHASE = lazy(
    r"^\s*(Writing (?:with putc|a byte at a time|intelligently|(?=[a-z ]{0,16}\Z))|Rewriting"
    r"|Reading (?:with getc|a byte at a time|intelligently|(?=[a-z ]{0,16}\Z))"
    r"|start 'em|(?:Create|Stat|Delete) files in (?:sequential order|random order|))"
)

_Run = TypeVar("_Run", BonnieRun, CsvRow)


def parse(text: Text) -> Iterator[Found]:
    """Every run of bonnie++ in the text. A report beside the CSV line of its run is marked as the same values."""
    lines, origins = split_joined_lines(text.lines)
    items = _read(text, lines, [] if origins else _read_pages(text))
    yield from restore_line_numbers(items, origins) if origins else items


def _read(text: Text, lines: Sequence[str], pages: Iterable[BonnieRun | Doubt]) -> Iterator[Found]:
    """`pages`: the runs of pages of bon_csv2html."""
    doubts: list[Doubt] = []
    csv, reports = _sort(read_rows(lines), doubts), _sort(read_reports(lines), doubts)
    reports = sorted(reports + _sort(pages, doubts), key=lambda run: run.line)
    labelled = bool(_NAMED.search(text.body))
    for run in chain[BonnieRun | CsvRow](reports, csv):
        run.has_host = run.has_host and not labelled
    _compared(reports)
    _compared(csv)
    _take_commands(text, lines, sorted(chain[BonnieRun | CsvRow](reports, csv), key=lambda run: run.line))
    twins = _pair(reports, csv)
    values = chain((run.values(twins.get(run.line)) for run in reports), (row.run().values() for row in csv))
    last = max((run.last for run in chain[BonnieRun | CsvRow](csv, reports)), default=0)
    yield from by_line(chain(doubts, chain.from_iterable(values), _unfinished(lines, last)))


def _take_commands(text: Text, lines: Sequence[str], runs: Sequence[BonnieRun | CsvRow]) -> None:
    """Give each run the command whose output it is, else the nearest above, where no further ones stand between."""
    if not runs or "bonnie" not in text.body:
        return
    commands = [number for number, line in enumerate(lines, 1) if "bonnie" in line and _COMMAND.match(line)]
    before, command = 0, ""
    for run in runs:
        between = commands[bisect_left(commands, before) : bisect_left(commands, run.line)]
        shown = text.command_for(run.line) if lines is text.lines else None
        if between:
            found = read_shell_command(_COMMAND, lines, between[0])
            command = found.text if found and len(between) == 1 else ""
        if command and (shown is None or "bonnie" in shown.text):
            run.command, run.command_line = command, commands[bisect_left(commands, run.line) - 1]
        before = run.line


def _sort(items: Iterable[_Run | Doubt], doubts: list[Doubt]) -> list[_Run]:
    runs: list[_Run] = []
    for item in items:
        if isinstance(item, Doubt):
            doubts.append(item)
        else:
            runs.append(item)
    return runs


def _compared(runs: Sequence[BonnieRun] | Sequence[CsvRow]) -> None:
    """Rows right below each other compare what their names tell: where one is no host's (`dm_crypt`), none is."""
    table: list[BonnieRun | CsvRow] = []
    for run in [*runs, None]:
        if table and (run is None or run.line != table[-1].line + 1):
            hosts = all(not one.name or is_host(one.name) for one in table)
            lines = tuple(one.line for one in table[:MAX_DEPENDS]) if len(table) > 1 else ()
            for one in table:
                one.has_host = one.has_host and hosts
                one.depends = (*one.depends, *lines) if one.depends else lines
            table = []
        table += [run] if run else []


def _pair(reports: list[BonnieRun], csv: list[CsvRow]) -> dict[int, BonnieRun]:
    """Report (by its line) -> CSV row of the same run: the next row before the next report, else the row before it."""
    twins, free, at = dict[int, BonnieRun](), {row.line for row in csv}, 0
    for place, report in enumerate(reports):
        until = reports[place + 1].line if place + 1 < len(reports) else float("inf")
        while at < len(csv) and csv[at].line < report.line:
            at += 1
        near = [row for row in csv[at : at + 4] if row.line < until] + csv[max(0, at - 1) : at] + csv[at : at + 1]
        runs = ((row, row.run()) for row in near if row.line in free)
        row, twin = next(((row, run) for row, run in runs if is_same_run(report, run)), (None, None))
        if row and twin:
            free.discard(twin.line)
            twins[report.line] = row.shared = twin
            _share(report, twin)
    return twins


def _share(report: BonnieRun, twin: BonnieRun) -> None:
    """Copy to the CSV run what only the report has (1.03's CSV has no version); drop warnings that the CSV line settles."""
    twin.version, twin.depends = twin.version or report.version, twin.lines(report)
    twin.command, twin.command_line = report.command, report.command_line
    for key, value in report.params.items():
        twin.params.setdefault(key, value)
    report.doubts = [doubt for doubt in report.doubts if doubt.code != "unmeasured"]


def _unfinished(lines: Sequence[str], after: int) -> Iterator[MissingValue | Doubt]:
    """A run whose progress stops before its report: no phase that it began has a value."""
    last = next((n for n in range(len(lines), after, -1) if _PHASE.match(lines[n - 1])), None)
    if not last or re.search(r"done(?:\.?\s*\Z|:\s)", lines[last - 1]):
        return
    yield from _begun_phases(lines, after, last)
    yield Doubt(last, "cut", "bonnie++ stopped in this phase; its report is missing")


def _begun_phases(lines: Sequence[str], after: int, last: int) -> Iterator[MissingValue]:
    """The phases of the run whose last progress is on line `last`; each has its line once in a run."""
    phases: dict[str, tuple[int, re.Match[str]]] = {}
    for number in range(last, after, -1):
        phase = _PHASE.match(lines[number - 1])
        operation = _PHASES.get(phase[1].lower()) if phase else None
        if phase and operation in phases:
            break
        if phase and operation:
            phases[operation] = number, phase
    columns = {column[0]: column for column in IO_COLUMNS + FILE_COLUMNS}
    run = min((number for number, _ in phases.values()), default=last)
    for operation, (number, phase) in reversed(phases.items()):
        is_bytes = columns[operation][3]
        metric, unit = METRICS[operation][0 if is_bytes else 1], "B/s" if is_bytes else "1/s"
        yield MissingValue(number, TOOL, metric, columns[operation][2], unit, phase[1], run=run, reason=NOT_FINISHED)


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output: `bonnie++ -d /tank -s 8g -n 16 -f`."""
    given, run = read_command(TOOL, command), BonnieRun(0, "", version, csv=False)
    if "-s" in given:
        run.sizes(given["-s"])
    if given.get("-n", "0") != "0":
        run.file_counts(given["-n"])
    run.set("threads", parse_count(given.get("-c", "")))
    return [CommandOptions({**run.params, **command_params(TOOL, command, version)})]


# Lines wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*Version\s+[\w.]+\s+-"),
        lazy(
            r"\s*Version\s+[\w.]+\s+-{4,}Sequential "
            r"(?:Output-+ -+Sequential Input-+ -+Random|Create-+ -+Random Create)-+\s*"
        ),
    ),
    WideLine(
        lazy(r"\s*(?:Concurrency\s+\d+|\s)\s+-Per Chr- "),
        lazy(r"\s*(?:Concurrency\s+\d+|\s)\s+-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\s*"),
    ),
    WideLine(lazy(r"\s*Machine\s+Size"), lazy(r"\s*Machine\s+Size(?::chnk)?(?:\s+K/sec %CP){5}\s+/sec %CP\s*")),
    WideLine(lazy(r"\s*Latency\s+\d+[mu]?s\s"), lazy(r"\s*Latency(?:\s+\d+[mu]?s){6}\s*")),
    WideLine(lazy(r"[01]\.[09]\d\w?,[012]\.\d{1,2}\w?,"), lazy(r"1\.9\d\w?,(?:1\.9|2\.)\d{1,2}\w?,[^,]*(?:,[\w:./+]*){45,47}")),
    WideLine(lazy(r"[\w.-]+,\d+[MG](?::\w+)?,\d*,"), lazy(r"[\w.-]+,\d+[MG](?::\w+)?(?:,[\d.+]*){12},\d[\d:/]*(?:,[\d+]*){12}")),
)


# The page that bon_csv2html makes of CSV lines: one row of cells for a run, one for its latencies.
#
# Layout: bon_csv2html.cpp (header, print_vals). Since 2.00 its rates are in whole M/sec (2^20), before in K/sec; those
# per character stayed in K/sec under the heading M/sec. A cell that was too fast is +++++, or 0 beside +++.

_PAGE_MARK = lazy(r"class=\"?rowheader", re.I)
_ROW = lazy(r"<tr[^<>]{0,80}>(.{0,20000}?)</tr>", re.I | re.S)
_PAGE_CELL = lazy(r"<td([^<>]{0,120})>(.{0,300}?)</td>", re.I | re.S)
_TAG = lazy(r"<[^<>]{1,120}>")
_VERSION = lazy(r"Version\s+(\d[\w.]{1,9})")
_LEAD = {"size": "sizes", "chunk size": "chunk_size", "concurrency": "threads"}
_MIDDLE = {
    "num files": "files",
    "max size": "file_size_max",
    "min size": "file_size_min",
    "num dirs": "dirs",
    "chunk size": "file_chunk_size",
}

_PageCells = list[tuple[str, int, str]]  # text, line, attributes


def _read_pages(text: Text) -> Iterator[BonnieRun | Doubt]:
    """The runs of every bon_csv2html table in a text."""
    body = text.body
    if not _PAGE_MARK.search(body):
        return
    lead, middle, per_second = ["size"], ["num files"], 1024
    version: str | None = None
    run: BonnieRun | None = None
    titles: list[int] = []
    for row in _ROW.finditer(body):
        line = text.line_at(row.start())
        cells = _cells(row, text)
        texts = [c[0].lower() for c in cells]
        if found := _VERSION.search(cells[0][0] if cells else ""):
            version = found[1]
            titles.append(line)
        if "per char" in texts and "rewrite" in texts:
            titles.append(line)
            lead = [t for t in texts[: texts.index("per char")] if t]
            middle = [
                t
                for t in texts[texts.index("rewrite") :]
                if t and t not in ("rewrite", "per char", "block", "create", "read", "delete")
            ]
        if "m/sec" in texts or "k/sec" in texts:
            per_second = 2**20 if "m/sec" in texts else 1024
            titles.append(line)
        elif cells and _PAGE_MARK.search(cells[0][2]):
            read = _page_run(cells, line, lead, middle, version, per_second)
            run = read if isinstance(read, BonnieRun) else None
            if run:
                run.depends = tuple(titles)
            yield read
        else:
            if texts and texts[0] == "latency" and run:
                yield from _latency(run, cells, line)
            run = None  # a row of latencies that stands below another one is of a run whose own row is lost


def _cells(row: re.Match[str], text: Text) -> _PageCells:
    """The cells of a row; `?` where tags or a line end break a text, so that it stands nowhere as a whole."""
    out = []
    for cell in _PAGE_CELL.finditer(row[1]):
        shown, lead = _TAG.sub("", cell[2]).strip(), re.match(r"(?:\s|<[^<>]{1,120}>)*", cell[2])
        line = min(text.line_at(row.start(1) + cell.start(2) + (lead.end() if lead else 0)), len(text.lines))
        out.append((shown if shown in text.lines[line - 1] else "?", line, cell[1]))
    return out


def _page_run(
    cells: _PageCells, line: int, lead: list[str], middle: list[str], version: str | None, per_second: int
) -> BonnieRun | Doubt:
    """A row of a run: name, sizes, six pairs, file counts, six pairs."""
    flat = _flat(cells[1:])
    wanted = len(lead) + 12 + len(middle) + 12
    if len(flat) != wanted:
        return Doubt(
            line,
            "long-row" if len(flat) > wanted else "short-row",
            f"{len(flat)} cells where the header has {wanted}; nothing was recorded",
        )
    run = BonnieRun(line, cells[0][0], version, False)
    run.set("machine", cells[0][0] or None)
    keys = [_LEAD.get(name) for name in lead] + [_MIDDLE.get(name) for name in middle]
    for key, (text, _) in zip(keys, flat[: len(lead)] + flat[len(lead) + 12 : len(lead) + 12 + len(middle)], strict=False):
        if key == "sizes":
            run.sizes(text)
        elif key == "files":
            run.file_counts(text)
        elif key:
            run.set(key, parse_count(text) if key in ("threads", "dirs") else parse_size(text))
    _pairs(run, flat[len(lead) : len(lead) + 12], IO_COLUMNS, per_second)
    _pairs(run, flat[-12:], FILE_COLUMNS, 1)
    run.last = line
    return run


def _flat(cells: _PageCells) -> list[tuple[str, int]]:
    """One entry per column: a cell over two columns is a value without its %CPU."""
    flat = []
    for text, line, attributes in cells:
        span = re.search(r"colspan=\"?(\d)", attributes, re.I)
        flat += [(text, line), *[("", line)] * (int(span[1]) - 1 if span else 0)]
    return flat


def _pairs(run: BonnieRun, flat: list[tuple[str, int]], columns: tuple[tuple[str, str, str, bool], ...], per_second: int) -> None:
    for column, at in zip(columns, range(0, len(flat), 2), strict=False):
        (raw, line), (cpu, place) = flat[at], flat[at + 1]
        if raw == "0" and cpu.startswith("+"):
            run.rate_too_fast(line, column, raw)
            run.cpu(place, column, cpu)
            continue
        chars = per_second == 2**20 and column[0].endswith("_char")
        if chars and raw and not raw.startswith("+"):
            run.doubts.append(
                Doubt(line, "mislabelled-unit", f"{column[2]}: the page says M/sec, but bon_csv2html 2.00 prints K/sec here")
            )
        run.rate(line, column, raw, 1024 if chars else per_second if column[3] else 1)
        run.cpu(place, column, cpu)


def _latency(run: BonnieRun, cells: _PageCells, line: int) -> Iterator[Doubt]:
    labels = [at for at, (text, _, _) in enumerate(cells) if text.lower() == "latency"]
    groups = [[(text, place) for text, place, _ in cells[at + 1 : at + 7]] for at in labels]
    values = [cell for group in groups for cell in group]
    if len(labels) != 2 or [len(group) for group in groups] != [6, 6] or labels[1] < 7:
        yield Doubt(line, "short-row", f"{len(values)} latencies where 12 are expected; nothing was recorded")
        return
    for column, (raw, place) in zip(IO_COLUMNS + FILE_COLUMNS, values, strict=False):
        run.latency(place, column, raw)
    run.last = line


PARSER = Parser(
    wide=_WIDE,
    brief=True,
    name="bonnie++",
    version=26,
    commands=CommandReader("bonnie++", ("bonnie++",), read_command_line, streams=("stdout", "stderr")),
    anchor=Anchor(_ANCHOR),
    parse=parse,
)
