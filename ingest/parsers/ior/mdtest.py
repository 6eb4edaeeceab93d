"""mdtest 1.8 to 4.1: the summary over iterations of both generations, and the lines of single iterations (-v).

Rates are operations per second, times are seconds (mdtest documentation; `SUMMARY rate` and `SUMMARY time`, -P). The
tool prints aggregates over its iterations: max, min, mean and standard deviation. A row of zeros is a phase that was
not run: it is recorded as `phase: not run`, with a warning. Rows wrapped by mail are joined.

Shapes of mdtest (name | versions | units | traps):
    summary over iterations | 1.8 to 4.1 | operations/s; seconds in `SUMMARY time`, also where 4.x calls them ms/op | with and
        without the colon after the operation; zeros are phases that were not run
    single iterations (-v) | 1.9 | seconds and operations/s | recorded where the command asks for several iterations
    rank details | 3.3 to 4.1 | seconds and operations/s | a row of all ranks, one for each; no version inside

Source: mdtest documentation of the IOR project; mdtest.c, SummarizeResults; mdtest 3.3.0 and 4.0.0's own output
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.ior._mdtest_run import (
    BANNER,
    ECHOED_COMMAND,
    NUMBER,
    OPERATIONS,
    SHELL_COMMAND,
    STARTED,
    MdtestRun,
    has_iterations,
    is_asked,
    make_value,
    parse_columns,
    read_command_line,
    read_cut_row,
    read_row,
    read_run_line,
    read_stonewall,
)
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import NO_PARAMS, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.spill import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

# Rank details of mdtest (--saveRankPerformanceDetails), which IO500 writes to a file beside the output of each phase.

HEADER = r"^rank,items,rate-"
_HEADER = lazy(HEADER)
_RANK = lazy(r"(?:all|\d{1,7})\Z")
_FIGURE = lazy(r"\d\.\d{10}e[+-]\d\d\Z")
_KINDS = {"rate": ("rate", "1/s", "ops/s"), "time": ("elapsed", "s", "s")}
_TREE_COLUMNS = 4  # columns that the rows of ranks do not have


def read_rank_tables(lines: Sequence[str], operations: Mapping[str, str]) -> Iterator[Found]:
    """Every figure of such tables. `operations`: mdtest's name of a phase, in lower case -> operation of the catalogue."""
    for index, line in enumerate(lines):
        if line.startswith("rank,items,rate-") and _HEADER.match(line):
            yield from _read_table(lines, index, line.strip().split(","), operations)


def _read_table(lines: Sequence[str], index: int, titles: list[str], operations: Mapping[str, str]) -> Iterator[Found]:
    rows = []
    for number, line in enumerate(lines[index + 1 :], index + 2):
        cells = line.strip().split(",")
        if len(cells) < 3 or not _RANK.match(cells[0]):
            break
        rows.append((number, cells))
    ranks = [cells[0] for _, cells in rows]
    is_repeated = len(set(ranks)) < len(ranks)
    for number, cells in rows:
        is_total = cells[0] == "all"
        if len(cells) != len(titles) - (0 if is_total else _TREE_COLUMNS):
            yield Doubt(number, "short-row", f"mdtest's row of {cells[0]}: {len(cells)} fields; nothing was recorded")
        elif is_total and is_repeated:
            yield Doubt(number, "unread", "mdtest's row of all ranks covers one of several iterations; not recorded")
        else:
            yield from _read_row(index + 1, number, titles, cells, operations)


def _read_row(header: int, number: int, titles: list[str], cells: list[str], operations: Mapping[str, str]) -> Iterator[Found]:
    params: dict[str, Any] = {"part": f"rank {cells[0]}", "rank": int(cells[0])} if cells[0] != "all" else {"iterations": 1}
    run = header if "rank" in params else number  # the figures of all ranks are compared with those of the report beside
    for title, raw in zip(titles[2:], cells[2:], strict=False):
        kind, _, name = title.partition("-")
        if not raw:
            continue
        operation = operations.get(name.lower())
        if operation is None or kind not in _KINDS:
            yield Doubt(number, "unread", f"{title[:40]!r} is an unknown column")
        elif not _FIGURE.match(raw):
            yield Doubt(number, "bad-number", f"{title}: {raw[:40]!r} is not a number as mdtest prints it")
        else:
            quantity, unit, raw_unit = _KINDS[kind]
            yield Value(
                number,
                "mdtest",
                intern(f"{operation}.{quantity}"),
                intern(title),
                float(raw),
                unit,
                raw=raw,
                raw_unit=raw_unit,
                run=run,
                stat="sample" if "rank" in params else "mean",
                params=params,
                printed_config=NO_PARAMS,
                depends=(header,),
            )


# A row without its titles, as grep picks it from logs.
_UNTITLED = (
    r"^[ \t>|#+]*(?:Directory|File|Tree) (?:creation|stat|read|removal|rename)[ \t]*:?"
    r"(?:[ \t]+\d{1,12}\.\d{3}){3,7}[ \t]*$"
)
ANCHOR = lazy(
    rf"mdtest-\d|SUMMARY(?: (?:rate|time))?[^\n]{{0,20}}: \(of \d+ iterations\)|{HEADER}"
    rf"|^[ \t>|#+]*Operation[ \t]+Max[ \t]+Min[ \t]+Mean\b|{_UNTITLED}",
    re.M,
)
_SUMMARY = lazy(r"^[\s>|#+]*SUMMARY(?: (rate|time))?(?: \(in [\w/]+\))?: \(of (\d+) iterations?\)")
_WRAPPED_TITLES = lazy(r"^[\s>|#+]*(?:(?:per|Rank:|Iteration:|Max|Min|Mean|Std|Dev)(?:\s+|$))+$")
_TITLES = lazy(r"^[\s>|#+]*Operation\s+(?=.*\bMax\b(?!\())")
_ROW = lazy(r"^[\s>|#+]*((?:Directory|File|Tree) [a-z]+)(?:\s*:\s*|\s+)(?=\S)(.*)$")
# Rates and times when the first process stopped (-W), over all iterations: 3.2 and 3.3
_STONEWALL = lazy(r"^[\s>|#+]*File create \(stonewall\)\s*:?\s+NA\s+NA\s+(\d\S*)\s+NA\s*$")
_ITERATION = lazy(
    r"^(?:[\s>|#+]*|.*?V-\d+:.*?)((?:Directory|File|Tree) (?:creation|stat|read|removal|rename))\s*:\s+"
    r"(\d+\.\d+) sec,\s+(\d+\.\d+) ops/sec\s*$"
)
# Lines of a run far below an anchor, since -v lists every file: iterations, rows of a summary, head.
_RUN_LINES = lazy(
    r" sec,[^\S\n]+\d+\.\d+ ops/sec|"
    r"^(?:[^\S\n]|[>|#+])*(?:(?:Directory|File|Tree) [a-z]|-- (?:started|finished) at |Command line used:|\d+ tasks, \d+ )",
    re.M,
)
_UNTITLED_ROW = lazy(_UNTITLED)
_TIME_OPTIONS = {"-P", "-Z"}  # they print a table of times, in addition or instead
_MAX_ITERATION = 500  # characters of the line of an iteration


def parse(text: Text) -> Iterator[Found]:
    """Every figure of summaries and rank details, and of single iterations where the command asks for several."""
    per_rank = read_rank_tables(text.lines, OPERATIONS) if "rank,items," in text.body else ()
    return by_line(chain(_read_runs(text), per_rank))


def _read_runs(text: Text) -> Iterator[Found]:
    run, untitled = MdtestRun(0), list[int]()
    for number, line in enumerate(text.lines, 1):
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of a Markdown table
        if run.pending and line:
            operation, cells = run.pending
            run.pending = None
            rest = [(word, number) for word in line.strip(" \t>|#+").split()]
            completes = len(cells) + len(rest) == len(run.columns) and all(NUMBER.match(word) for word, _ in rest)
            yield from read_row(run, operation, cells + rest if completes else cells)
            if completes:
                continue
        if _begins_run(run, line):
            yield from _finish_run(run, text.lines, number)
            run = MdtestRun(number)
        if not (run.has_summary or run.titles) and _UNTITLED_ROW.match(line):
            untitled.append(number)
        elif line and not line.isspace():
            yield from _read_line(run, text.lines, line, number)
    if run.pending:
        yield from read_cut_row(run, *run.pending)
    yield from _finish_run(run, text.lines, len(text.lines))
    if untitled:
        message = f"{len(untitled)} rows without headings may be rates or times; none were recorded"
        yield Doubt(untitled[0], "no-header", message)


def _begins_run(run: MdtestRun, line: str) -> bool:
    """Whether the line begins another run than the current one."""
    if BANNER.match(line) or STARTED.match(line):
        return bool(run.version or run.has_summary)
    return run.has_summary and bool(ECHOED_COMMAND.match(line) or ("mdtest" in line and SHELL_COMMAND.match(line)))


def _read_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> Iterator[Found]:
    if " sec," in line and len(line) < _MAX_ITERATION and (iteration := _ITERATION.match(line)):
        run.single.append((number, iteration[1], iteration[2], iteration[3]))
    elif summary := _SUMMARY.match(line):
        yield from _begin_summary(run, summary, number)
    elif _TITLES.match(line):
        # Titles without a SUMMARY line may stand over rates or times.
        is_known = run.is_announced or _prints_rates_only(run)
        run.columns, run.titles, run.is_announced = parse_columns(line) if is_known else [], number, False
        run.has_summary, run.titles_text = run.has_summary or is_known, line
    elif run.columns and (stonewall := _STONEWALL.match(line)):
        yield from read_stonewall(run, stonewall[1], number)
    elif (run.has_summary or run.titles) and (row := _ROW.match(line)):
        cells = [(word, number) for word in row[2].split()]
        if len(cells) < len(run.columns) and all(NUMBER.match(word) for word, _ in cells):
            run.pending = (row[1], cells)
        else:
            yield from read_row(run, row[1], cells)
    elif run.columns and 0 < number - run.titles <= 2 and _WRAPPED_TITLES.match(line):
        run.titles_text = f"{run.titles_text} {line.strip(' >|#+')}"
        run.columns = parse_columns(run.titles_text)
        run.depends["titles"] = number
    elif "\x00" in line and run.has_summary:
        yield Doubt(number, "bad-number", "damaged bytes inside mdtest's summary")
    else:
        read_run_line(run, lines, line, number)


def _begin_summary(run: MdtestRun, summary: re.Match[str], number: int) -> Iterator[Doubt]:
    run.quantity = "elapsed" if summary[1] == "time" else "rate"
    run.iterations, run.columns, run.has_summary, run.is_announced = int(summary[2]), [], True, True
    run.depends["summary"] = number
    if run.quantity == "elapsed" and (unit := re.search(r"\(in (ms/op|ops/sec)\)", summary.string)):
        yield Doubt(number, "mislabelled-unit", f"mdtest prints the seconds of each phase under the name {unit[1]}")


def _prints_rates_only(run: MdtestRun) -> bool:
    """Whether the first table below a shell command, in an output without head, can only be of rates."""
    is_first = run.command_line and not (run.version or run.has_summary or run.titles)
    return bool(is_first and not _TIME_OPTIONS & set(str(run.params.get("command", "")).split()))


def _phases_without_results(run: MdtestRun, lines: Sequence[str]) -> Iterator[MissingValue]:
    """The phases that the command of an interrupted run asks for; they refer to the line on which it begins."""
    raw, words = lines[run.start - 1].strip()[:80], str(run.params.get("command", "")).replace("'", "").split()
    kinds = [kind for kind, switch in (("directory", "-D"), ("file", "-F")) if switch in words] or ["directory", "file"]
    for name in OPERATIONS if words else ():
        kind, phase = name.split()
        if kind in kinds and phase != "rename" and is_asked(run, name):
            value = make_value(run, name, ("mean", "", "0", run.start), {}, quantity="rate")
            value.raw, value.native = raw, name.capitalize()
            yield MissingValue.instead_of(value, NOT_FINISHED)


def _finish_run(run: MdtestRun, lines: Sequence[str], end: int) -> Iterator[Found]:
    """Single iterations where the run has several: these are its repetitions (of one, the summary is). A cut run is reported."""
    if run.version and not run.has_summary:
        yield from _phases_without_results(run, lines)
        yield Doubt(end, "cut", f"the mdtest run that begins on line {run.start} shows no summary")
    elif run.started and not run.is_finished:
        yield Doubt(end, "cut", f"the mdtest run that begins on line {run.start} does not say that it finished")
    for number, name, seconds, rate in run.single if has_iterations(run) else ():
        elapsed = make_value(run, name, ("sample", "", seconds, number), {}, quantity="elapsed")
        value = make_value(run, name, ("sample", "", rate, number), {}, quantity="rate")
        if float(rate) > 0:
            yield elapsed
            yield value
        elif is_asked(run, name):
            yield MissingValue.instead_of(value, ZERO_TIME)
            yield Doubt(number, "unmeasured", f"{name}: mdtest printed 0 in {seconds} s")


# Lines wider than many terminals.
_WIDE = (
    WideLine(lazy(r"\s*Operation\s+(?:per Rank: )?\s*Max\s"), lazy(r"\s*Operation\s+(?:per Rank: )?\s*Max\s.*\bMean\s+Std Dev\s*")),
    WideLine(
        lazy(r"\s*(?:Directory|File|Tree) [a-z]+\s*:?\s+\d"),
        lazy(r"\s*(?:Directory|File|Tree) [a-z]+\s*:?(?:\s+\d+\.\d{3}){4,7}\s*"),
    ),
)

PARSER = Parser(
    wide=_WIDE,
    name="mdtest",
    commands=CommandReader("mdtest", ("mdtest",), read_command_line),
    version=16,
    anchor=Anchor(
        ANCHOR,
        "mdtest-0| iterations)|rank,items,rate-|operation|creation| stat| removal| rename|directory read|file read|tree read",
    ),
    parse=parse,
    brief=True,
    follows=_RUN_LINES,
)
