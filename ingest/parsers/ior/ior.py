"""IOR 2.x, 3.0 to 4.1: text, JSON and CSV. Each row of the results table is one repetition.

Shapes of ior (name | versions | units | traps):
    text log | 2.8 to 4.1 | MiB = 2^20 B, KiB = 1024 B, MB = 10^6 B | rows are repetitions; Max and Summary lines are only
        checked where the rows are there
    -O summaryFormat=JSON | 3.2 to 4.1 | bwMiB in 2^20 B/s
    -O summaryFormat=CSV, rank details | 3.2 to 4.1 | as the headings say | no version inside

Source: IOR user documentation, chapters Options and Output; IOR 2.10.3, 3.0.1, 3.3.0 and 4.0.0's own output
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._shell_command import read_wrapped_words
from ingest.parsers.ior import _result_rows as rows
from ingest.parsers.ior import _summary as summary
from ingest.parsers.ior._option_lists import (
    BANNER,
    HEAD_PATTERNS,
    IorTest,
    parse_date,
    parse_option,
    read_command_line,
    set_command,
    set_machine,
    set_option,
)
from ingest.parsers.ior._result_rows import NUMBER, WIDE_LINES, make_value
from ingest.parsers.ior._summary import SummaryTitles, check_aggregate
from ingest.parsers.ior._text_log import TextLog
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import LOST, Doubt, Found, Value
from ingest.spill import by_line
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents

# IOR's `-O summaryFormat=JSON` (3.2 and later): `tests[].Results[]` are repetitions, `summary[]` aggregates.

_FIGURES = {
    "bwMiB": "bw(MiB/s)",
    "iops": "IOPS",
    "latency": "Latency(s)",
    "openTime": "open(s)",
    "wrRdTime": "wr/rd(s)",
    "closeTime": "close(s)",
    "totalTime": "total(s)",
}
_PARAMETERS = {
    "segmentCount": "segments",
    "transferSize": "transfer_size",
    "blockSize": "block_size",
    "nodes": "nodes",
    "repetitions": "repetitions",
}
_SUMMARY = {
    "bwMaxMIB": ("max", "bwMiB"),
    "bwMinMIB": ("min", "bwMiB"),
    "bwMeanMIB": ("mean", "bwMiB"),
    "MeanTime": ("mean", "totalTime"),
}


def read_document(document: LocatedDocument) -> Iterator[Found]:
    """The values of one JSON log, then a warning for each place that cannot be parsed (five at most)."""
    root = document.root
    tests: dict[str, IorTest] = {}
    for node in (root.get("tests") or LocatedValue(0, "", [])).items():
        if not node.raw:
            yield Doubt(node.line, "no-header", "the beginning of this test is missing; none of its results were recorded")
            continue
        test = _read_test(root, node)
        tests[node.text("TestID") or ""] = test
        for result in _results(node.get("Results") or node.get("Options", "Results")):  # some builds leave Options open
            yield from _read_result(test, result)
    for node in (root.get("summary") or LocatedValue(0, "", [])).items():
        summed_up = tests.get(node.text("TestID") or "")
        if summed_up is not None:
            yield from _check_summary(summed_up, node)
    for line, message in document.faults[:5]:
        yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")


def _results(node: LocatedValue | None) -> Iterator[LocatedValue]:
    """Results in a list, or in lists of a list."""
    for item in node.items() if node else []:
        if isinstance(item.value, list):
            yield from _results(item)
        else:
            yield item


def _read_test(root: LocatedValue, node: LocatedValue) -> IorTest:
    test = IorTest(node.line, version=root.text("Version"))
    for part in (root.get("Version"), root.get("Began"), node.get("StartTime"), root.get("Machine"), root.get("tests")):
        if part:
            test.depends[f"line {part.line}"] = part.line
    test.started = parse_date(node.text("StartTime") or root.text("Began") or "")
    _read_run(test, root)
    for name in ("Options", "Parameters"):
        if section := node.get(name):
            test.depends[f"{name} "] = section.line
            test.depends |= {f"{name} {key}": value.line for key, value in _members(section)}
    for key, value in _members(node.get("Options")):
        if not isinstance(value.value, dict | list):
            set_option(test, key, str(value.value) if isinstance(value.value, str) else value.raw, value.line, is_listed=True)
    _read_parameters(test, node)
    return test


def _members(node: LocatedValue | None) -> Iterable[tuple[str, LocatedValue]]:
    """The members of an object; none of any other value."""
    return node.value.items() if node and isinstance(node.value, dict) else ()


def _read_run(test: IorTest, root: LocatedValue) -> None:
    """Command line and machine, which all tests of a run share."""
    if command := root.get("Command line"):
        set_command(test, str(command.value))
        test.depends["command"] = command.line
    machine = root.get("Machine")
    if machine and (words := str(machine.value).split()) and len(words) > 1:
        rest = (words[2], " ".join(words[3:])) if len(words) > 2 else (None, None)
        set_machine(test, (words[0], words[1], *rest), machine.line)


def _read_parameters(test: IorTest, node: LocatedValue) -> None:
    """The exact values of the section Parameters, and the options that stand nowhere else."""
    for key, value in _members(node.get("Parameters")):
        if key not in _PARAMETERS and not isinstance(value.value, dict | list):
            set_option(test, key, str(value.value) if isinstance(value.value, str) else value.raw, value.line, is_listed=True)
    for key, name in _PARAMETERS.items():
        raw = node.text("Parameters", key)
        if raw and raw.isdecimal():
            test.params[name] = int(raw)
    if node.text("Parameters", "randomOffset") not in (None, "0"):
        test.random = True
    if node.text("Parameters", "fsync") == "1":
        test.params["fsync"] = "on"


def _read_result(test: IorTest, node: LocatedValue) -> Iterator[Found]:
    access = node.text("access")
    if access not in ("read", "write", "remove"):
        yield Doubt(node.line, "short-row", "a result without its access (read or write); nothing in it was recorded")
        return
    access_node = node.get("access")
    depends = tuple(sorted({*test.depends.values(), *((access_node.line,) if access_node else ())}))
    for key, column in _FIGURES.items():
        cell = node.get(key)
        if cell is None:
            continue
        if not NUMBER.match(cell.raw):
            yield Doubt(cell.line, "bad-number", f"{access} {key}: {cell.raw[:40]!r} is not a number")
            continue
        yield make_value(test, access, column, cell.raw, cell.line, test.params, depends=depends, native=key)


def _check_summary(test: IorTest, node: LocatedValue) -> Iterator[Doubt]:
    access = node.text("operation") or ""
    for key, (stat, source) in _SUMMARY.items():
        cell = node.get(key)
        values = [value for value, _ in test.repetitions.get((access, _FIGURES[source]), [])]
        if cell is not None and NUMBER.match(cell.raw) and values:
            repetitions = test.params.get("repetitions")
            yield from check_aggregate(stat, values, float(cell.raw), cell.line, f"{access} {key}", repetitions)


# Options of a run from the summary below its table, where the list of options is missing (`[...]`, `tail -f`, a log's end).

_OPTIONS = ("api", "tasks", "clients", "xfersize")
_MAX_DISTANCE = 100_000  # lines from a row to the summary
_MAX_ROWS = 4  # lines below the titles


@dataclass(frozen=True, slots=True)
class _SummaryRow:
    """Operation and cells; workload; range of bandwidth in MiB/s; the lines of the titles and of the row."""

    access: str
    cells: tuple[str, ...]
    workload: dict[str, Any]
    least: float
    most: float
    lines: tuple[int, int]

    def includes(self, access: str, value: Value) -> bool:
        """Whether the bandwidth may be one of the repetitions of the row."""
        sizes = ("block_size", "transfer_size")
        same_sizes = all(value.params.get(name, self.workload.get(name)) == self.workload.get(name) for name in sizes)
        tolerance = 0.002 * self.most + 0.02
        return self.access == access and same_sizes and self.least - tolerance <= float(value.raw) <= self.most + tolerance


class _SummaryBelow:
    """The summary below the last line asked for; kept until a line beyond it is asked for."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._first = self._end = 0
        self._rows: list[_SummaryRow] = []
        self._match: _SummaryRow | None = None
        self._access = ""

    def find(self, value: Value) -> _SummaryRow | None:
        """The row of the summary that includes the value, or included the bandwidth of its row; None where that is uncertain."""
        words = value.native.lower().split()
        is_maximum = words[0] == "max" and value.stat == "max"
        if not (is_maximum or value.stat == "sample") or not isinstance(value.line, int):
            return None
        access = words[1 if is_maximum else 0]
        if not self._first <= value.line < self._end:
            self._first, self._match = value.line, None
            self._end, self._rows = _read_summary_below(self._lines, value.line)
        if is_maximum or words[1] == "bw(mib/s)":
            matches, self._access = [row for row in self._rows if row.includes(access, value)], access
            self._match = matches[0] if len(matches) == 1 else None
        return self._match if access in (self._access, "remove") else None


def add_summary_options(lines: Sequence[str], items: Iterator[Found]) -> Iterator[Found]:
    """The items in their order; values of a run without options get those of its summary."""
    below = _SummaryBelow(lines)
    for item in items:
        if isinstance(item, Value) and "processes" not in item.params and "rank" not in item.params and (row := below.find(item)):
            workload = {name: value for name, value in row.workload.items() if name not in item.params}
            depends = tuple(dict.fromkeys((*item.depends, *row.lines)))
            yield replace(item, params={**item.params, **workload}, depends=depends)
        else:
            yield item


def _read_summary_below(lines: Sequence[str], start: int) -> tuple[int, list[_SummaryRow]]:
    """The first line of the summary below line `start` or the line where the search ended, and its distinct rows."""
    titles = SummaryTitles(0, "")
    distinct: dict[tuple[str, ...], _SummaryRow] = {}
    number = start
    for number in range(start + 1, min(len(lines), start + _MAX_DISTANCE) + 1):
        line = lines[number - 1].replace("|", " ").rstrip()
        if not titles.line and summary.HEADER.match(line):
            titles = SummaryTitles(number, line)
        elif (titles.line and number > titles.line + _MAX_ROWS) or _begins_run(line) or summary.HEADER.match(line):
            break
        elif titles.line and (row := _read_row(line, number, titles)):
            distinct.setdefault((row.access, *row.cells), row)
    return titles.line or number + 1, [*distinct.values()]


def _read_row(line: str, number: int, titles: SummaryTitles) -> _SummaryRow | None:
    row = summary.ROW.match(line)
    cells = row[2].split() if row else []
    if row is None or len(cells) != titles.row_width:
        return None
    by_column = dict(zip(titles.columns, cells, strict=False))
    least, most = (by_column.get(name, "") for name in ("Min(MiB)", "Max(MiB)"))
    if not (rows.NUMBER.match(least) and rows.NUMBER.match(most)):
        return None
    workload = summary.read_workload(IorTest(0), titles.text, cells[len(titles.columns) :])
    return _SummaryRow(row[1], tuple(cells), workload, float(least), float(most), (titles.line, number))


def _begins_run(line: str) -> bool:
    """Whether the line may be of another run."""
    option = parse_option(line)
    is_head = any(pattern.match(line) for pattern in (BANNER, *HEAD_PATTERNS))
    return bool(rows.HEADER.match(line)) or is_head or (option is not None and option[0] in _OPTIONS)


# Sizes that IOR uses where its command sets none: the same in 2.10, 3 and 4 (docs/evidence.md).

# Parameter -> letter of its option, its directive (`-O blockSize=1g`, in any case), and the size in bytes or the count.
_DEFAULTS = {
    "transfer_size": ("t", "transfersize", 262144),
    "block_size": ("b", "blocksize", 1048576),
    "segments": ("s", "segmentcount", 1),
}
_VERSIONS = lazy(r"(?:2\.10|3|4)\.\d")
_COMMAND = lazy(r'^[\s>|#+]*(?:\d{1,6}: )?"?Command line\b')
_MACHINE = lazy(r'^[\s>|#+]*(?:\d{1,6}: )?"?Machine\b')
_CUT = lazy(rf"\.\.\.|[…\\$`\x00{LOST}]|\s-[aAbdDfGijJlMNoOQstTUX]?\Z")  # the last: an option that lacks its argument
_OPTION_LETTERS = lazy(r"(?<!\S)-([a-zA-Z]\S*)")


def imply_defaults(lines: Sequence[str], items: Iterator[Found]) -> Iterator[Found]:
    """The items; a value whose parameters lack a size that its command does not set gets the default."""
    last: tuple[Any, dict[str, Any], dict[str, int]] | None = None  # parameters, those with defaults, what was added
    for item in items:
        if isinstance(item, Value) and "command" in item.params and not _DEFAULTS.keys() <= item.params.keys():
            if last is None or last[0] is not item.params:
                added = _find_defaults(lines, item)
                last = item.params, {**item.params, **{name: _DEFAULTS[name][2] for name in added}}, added
            if last[2]:
                item.params, item.implied = last[1], last[2]
        yield item


def _find_defaults(lines: Sequence[str], value: Value) -> dict[str, int]:
    """The parameters that follow from the value's command, with its line."""
    command = str(value.params["command"])
    number = next((line for line in value.depends if _COMMAND.match(lines[line - 1])), 0)
    if (
        not number
        or not _VERSIONS.match(value.tool_version or "")
        or _CUT.search(command)
        or not _ends_above_machine(lines, number)
    ):
        return {}
    letters = "".join(_OPTION_LETTERS.findall(command.partition(" ")[2]))
    if "f" in letters:
        return {}  # a script may set anything
    folded = command.lower()
    return {
        name: number
        for name, (letter, directive, _) in _DEFAULTS.items()
        if name not in value.params and letter not in letters and directive not in folded
    }


def _ends_above_machine(lines: Sequence[str], number: int) -> bool:
    """Whether all lines between that of the command and that of the machine are part of the command."""
    end = number + len(read_wrapped_words(lines, number))
    return bool(lines[end : end + 1]) and bool(_MACHINE.match(lines[end]))


ANCHOR = Anchor(
    lazy(
        r"IOR-\d[^\n]{0,60}MPI Coordinated|access(?:[^\S\n]|\|)+bw\(MiB/s\)|access,bw\(MiB/s\)|access,rank,runtime"
        r"|\b(?:read|write|remove),\d"  # every row of CSV, so that none is skipped as noise of a long log
        r'|Max (?:Write|Read):|"bwMiB"|access(?:"[,;]"|;)bw\(MiB/s\)|Operation[^\S\n]+Max ?\(MiB\)'
    ),
    'mpi coordinated|bw(mib/s)|access,rank|read,0|write,0|remove,0|max write:|max read:|"bwmib"|operation',
) | Anchor(
    lazy(r"(?:^[ \t>|#+]*|[\w.]:)(?:read|write)(?:[ \t]+(?:\d[\d.]*|NA)){6,24}(?:[ \t]+[A-Z][\w-]{2,11}[ \t]+\d+)?[ \t]*$", re.M),
    "read |read\t|write |write\t",
)


def parse(text: Text) -> Iterator[Found]:
    """Every repetition of every IOR test in the text, in line order."""
    documents = find_documents(text, "tests", "Version") if '"bwMiB"' in text.body else ()
    logged = add_summary_options(text.lines, TextLog(text).read())
    found = chain(logged, chain.from_iterable(map(read_document, documents)))
    return by_line(imply_defaults(text.lines, found))


PARSER = Parser(
    wide=WIDE_LINES,
    brief=True,
    name="ior",
    commands=CommandReader("ior", ("ior", "IOR"), read_command_line),
    version=25,
    anchor=ANCHOR,
    parse=parse,
)
