"""mdtest 1.8 to 4.1: the summary over iterations of both generations, and the lines of single iterations (-v).

Rates are operations per second, times are seconds (mdtest documentation; `SUMMARY rate` and `SUMMARY time`, -P). The
tool prints aggregates over its iterations: max, min, mean and standard deviation. A row of zeros is a phase that was
not run: it is kept apart as `phase: not run`, with a warning. A row that mail has wrapped is put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.ior._mdtest_per_rank import HEADER as RANKS
from ingest.parsers.ior._mdtest_per_rank import read_rank_tables
from ingest.parsers.ior._mdtest_run import BANNER, ECHOED_COMMAND, SHELL_COMMAND, STARTED, MdtestRun, read_run_line
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

# A row whose titles somebody left out, as grep picks it from logs.
_NAKED = (
    r"^[ \t>|#+]*(?:Directory|File|Tree) (?:creation|stat|read|removal|rename)[ \t]*:?"
    r"(?:[ \t]+\d{1,12}\.\d{3}){3,7}[ \t]*$"
)
ANCHOR = lazy(
    rf"mdtest-\d|SUMMARY(?: (?:rate|time))?[^\n]{{0,20}}: \(of \d+ iterations\)|{RANKS}"
    rf"|^[ \t>|#+]*Operation[ \t]+Max[ \t]+Min[ \t]+Mean\b|{_NAKED}",
    re.M,
)
_OPERATIONS = {
    "directory creation": "dir_create",
    "directory stat": "dir_stat",
    "directory removal": "dir_remove",
    "directory rename": "dir_rename",
    "file creation": "file_create",
    "file stat": "file_stat",
    "file read": "file_read",
    "file removal": "file_remove",
    "tree creation": "tree_create",
    "tree removal": "tree_remove",
}
_STATS = {"Max": "max", "Min": "min", "Mean": "mean", "Std Dev": "stddev"}
_SUMMARY = lazy(r"^[\s>|#+]*SUMMARY(?: (rate|time))?(?: \(in [\w/]+\))?: \(of (\d+) iterations?\)")
_WRAPPED = lazy(r"^[\s>|#+]*(?:(?:per|Rank:|Iteration:|Max|Min|Mean|Std|Dev)(?:\s+|$))+$")  # titles that go on
_TITLES = lazy(r"^[\s>|#+]*Operation\s+(?=.*\bMax\b(?!\())")
_ROW = lazy(r"^[\s>|#+]*((?:Directory|File|Tree) [a-z]+)(?:\s*:\s*|\s+)(?=\S)(.*)$")
# Rates and times at the moment when the first process stopped (-W), of all iterations together: 3.2 and 3.3
_STONEWALL = lazy(r"^[\s>|#+]*File create \(stonewall\)\s*:?\s+NA\s+NA\s+(\d\S*)\s+NA\s*$")
_ITERATION = lazy(
    r"^(?:[\s>|#+]*|.*?V-\d+:.*?)((?:Directory|File|Tree) (?:creation|stat|read|removal|rename))\s*:\s+"
    r"(\d+\.\d+) sec,\s+(\d+\.\d+) ops/sec\s*$"
)
# With -v every file may be listed between two of these; what stands below a summary may be a row of it.
_FAR = lazy(
    r" sec,[^\S\n]+\d+\.\d+ ops/sec|"
    r"^(?:[^\S\n]|[>|#+])*(?:(?:Directory|File|Tree) [a-z]|-- (?:started|finished) at |Command line used:|\d+ tasks, \d+ )",
    re.M,
)
_NAKED_ROW = lazy(_NAKED)
_WHOLE = lazy(r"[.,]\d{3}\Z")
_NUMBER = lazy(r"\d+(?:\.\d+|,\d{3})?\Z")
_COMMA = lazy(r"(?:0|\d{4,}),")  # no thousands are grouped so
_TIMED = {"-P", "-Z"}  # options with which a table of times is printed, too or instead
_LONGEST = 500


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every mdtest summary, and of single iterations where the command asks for several; of its ranks."""
    return by_line(chain(_found(text), read_rank_tables(text.lines, _OPERATIONS) if "rank,items," in text.body else ()))


def _found(text: Text) -> Iterator[Value | Doubt]:
    run, naked = MdtestRun(0), list[int]()
    for number, line in enumerate(text.lines, 1):
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of somebody's table
        if run.half and line:
            name, cells = run.half
            run.half = None
            more = [(word, number) for word in line.strip(" \t>|#+").split()]
            whole = len(cells) + len(more) == len(run.columns) and all(_NUMBER.match(word) for word, _ in more)
            yield from _row(run, name, cells + more if whole else cells)
            if whole:
                continue
        if _begins(run, line):
            yield from _iterations(run, number)
            run = MdtestRun(number)
        if not (run.summed or run.titles) and _NAKED_ROW.match(line):
            naked.append(number)
        elif line and not line.isspace():
            yield from _line(run, text.lines, line, number)
    if run.half:
        yield from _cut_row(run, *run.half)
    yield from _iterations(run, len(text.lines))
    if naked:
        message = f"{len(naked)} rows without their titles may be rates or times; none was taken"
        yield Doubt(naked[0], "no-header", message)


def _begins(run: MdtestRun, line: str) -> bool:
    """Whether the line opens another run than the one that is being read."""
    if BANNER.match(line):
        return bool(run.version or run.summed)
    if STARTED.match(line):
        return bool(run.version or run.summed)
    return run.summed and bool(ECHOED_COMMAND.match(line) or ("mdtest" in line and SHELL_COMMAND.match(line)))


def _line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> Iterator[Value | Doubt]:
    if " sec," in line and len(line) < _LONGEST and (single := _ITERATION.match(line)):
        run.single.append((number, single[1], single[2], single[3]))
    elif summary := _SUMMARY.match(line):
        run.quantity = "elapsed" if summary[1] == "time" else "rate"
        run.iterations, run.columns, run.summed, run.announced = int(summary[2]), [], True, True
        run.depends["summary"] = number
        if run.quantity == "elapsed" and (unit := re.search(r"\(in (ms/op|ops/sec)\)", line)):
            yield Doubt(number, "mislabelled-unit", f"mdtest prints the seconds of each phase under the name {unit[1]}")
    elif _TITLES.match(line):
        # titles that no SUMMARY line announces could stand over rates or times
        known = run.announced or _prints_rates_alone(run)
        run.columns, run.titles, run.announced, run.summed = _columns(line) if known else [], number, False, run.summed or known
        run.shown = line
    elif run.columns and (wall := _STONEWALL.match(line)):
        yield from _stonewall(run, wall[1], number)
    elif (run.summed or run.titles) and (row := _ROW.match(line)):
        cells = [(word, number) for word in row[2].split()]
        if len(cells) < len(run.columns) and all(_NUMBER.match(word) for word, _ in cells):
            run.half = (row[1], cells)
        else:
            yield from _row(run, row[1], cells)
    elif run.columns and 0 < number - run.titles <= 2 and _WRAPPED.match(line):
        run.shown = f"{run.shown} {line.strip(' >|#+')}"
        run.columns = _columns(run.shown)
        run.depends["titles"] = number
    elif "\x00" in line and run.summed:
        yield Doubt(number, "bad-number", "damaged bytes inside mdtest's summary")
    else:
        read_run_line(run, lines, line, number)


def _prints_rates_alone(run: MdtestRun) -> bool:
    """Whether the first table below a command that somebody showed without the output's head can hold nothing but rates."""
    headless = run.shown_at and not (run.version or run.summed or run.titles)
    return bool(headless and not _TIMED & set(str(run.params.get("command", "")).split()))


def _columns(titles: str) -> list[tuple[str, str]]:
    """Stat and part of each column; 4.1 may print figures per rank before those per iteration."""
    columns, part = [], ""
    for word in re.findall(r"per Rank|per Iteration|Std Dev|Max|Min|Mean", titles):
        if word.startswith("per "):
            part = "rank" if word == "per Rank" else ""
        else:
            columns.append((_STATS[word], part))
    return columns


def _row(run: MdtestRun, name: str, cells: list[tuple[str, int]]) -> Iterator[Value | Doubt]:
    """The figures of a row; `cells`: each with the line on which it stands."""
    number = cells[0][1]
    operation = _OPERATIONS.get(name.lower())
    if operation is None:
        yield Doubt(number, "unread", f"{name!r} is an operation that is not known")
        return
    if not run.columns:
        yield Doubt(number, "no-header", f"{name}: the titles of the columns are missing; no figure was taken")
        return
    if all(stat != "stddev" for stat, _ in run.columns) and run.torn != run.titles:
        run.torn = run.titles
        yield Doubt(run.titles, "cut", "the titles of the columns break off; what stands behind the last of them was not read")
    if len(cells) != len(run.columns):
        code = "short-row" if len(cells) < len(run.columns) else "long-row"
        yield Doubt(number, code, f"{name}: {len(cells)} figures for {len(run.columns)} columns; none was taken")
        return
    good = []
    for (stat, part), (raw, line) in zip(run.columns, cells, strict=True):
        if _NUMBER.match(raw):
            good.append((stat, part, raw, line))
        else:
            yield Doubt(line, "bad-number", f"{name}, {stat}: {raw[:40]!r} is not a number")
    rest = (number, cells[-1][1]) if cells[-1][1] != number else ()
    if any("," in raw for _, _, raw, _ in good) and not any(_COMMA.match(raw) for _, _, raw, _ in good):
        yield Doubt(number, "ambiguous", f"{name}: commas that may part thousands or decimals; no figure was taken")
        return
    if good and all(_float(raw) == 0 for _, _, raw, _ in good):
        yield Doubt(number, "unmeasured", f"{name}: mdtest prints 0 for a phase that was not run")
        for stat, part, raw, line in good:
            if stat == "mean" and not part and run.quantity == "rate":
                yield _value(run, line, name, raw, stat, {"phase": "not run"}, rest)
        return
    told = [float(rate) for _, single, _, rate in run.single if single == name]
    if told and _several(run) and run.quantity == "rate":
        if len(told) == run.iterations:
            yield from _check(told, [(stat, _float(raw)) for stat, part, raw, _ in good if not part], name, number)
        else:
            yield Doubt(number, "cut", f"{name}: {len(told)} of {run.iterations} iterations are printed above")
        return
    for stat, part, raw, line in good:
        yield _value(run, line, name, raw, stat, {"part": part} if part else {}, rest)


def _float(raw: str) -> float:
    """A figure with the point or, where a library set the locale of the process, the comma of its decimals."""
    return float(raw.replace(",", "."))


def _cut_row(run: MdtestRun, name: str, cells: list[tuple[str, int]]) -> Iterator[Value | Doubt]:
    """The row with which the text ends: figures that have all their decimals are whole (mdtest prints %.3f)."""
    whole = [cell for cell in cells if _WHOLE.search(cell[0])]
    if run.columns and whole and whole == cells[: len(whole)] and len(cells) - len(whole) < 2:
        yield Doubt(cells[0][1], "cut", f"{name}: the text ends inside this row; its {len(whole)} whole figures were taken")
        columns, run.columns = run.columns, run.columns[: len(whole)]
        yield from _row(run, name, whole)
        run.columns = columns
    else:
        yield from _row(run, name, cells)


def _stonewall(run: MdtestRun, raw: str, number: int) -> Iterator[Value | Doubt]:
    """Items over seconds until the first process stopped; the seconds are summed over the iterations (mdtest.c)."""
    if not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"File create (stonewall): {raw[:40]!r} is not a number")
    elif run.quantity == "elapsed" and run.iterations != 1:
        yield Doubt(number, "unread", f"File create (stonewall): {raw} s are the sum over the iterations, and no one's time")
    else:
        yield _value(run, number, "File creation", raw, "mean", {"part": "stonewall"})


def _several(run: MdtestRun) -> bool:
    """Whether the run had several iterations, as its command, its summary or its lines tell."""
    names = [name for _, name, *_ in run.single]
    return run.repeated or (run.iterations or 0) > 1 or len(names) > len(set(names))


def _check(told: list[float], shown: list[tuple[str, float]], name: str, number: int) -> Iterator[Doubt]:
    """Aggregates of iterations that are printed as well: not recorded, but they must agree (within two digits)."""
    own = {"max": max(told), "min": min(told), "mean": sum(told) / len(told)}
    for stat, value in shown:
        if stat in own and abs(own[stat] - value) > 0.002 + 1e-6 * value:
            yield Doubt(number, "disagree", f"{name}, {stat}: {value:g} here, {own[stat]:g} of the iterations above")


def _value(
    run: MdtestRun,
    number: int,
    name: str,
    raw: str,
    stat: str,
    params: dict[str, Any],
    rest: tuple[int, ...] = (),
    quantity: str | None = None,
) -> Value:
    """`rest`: the lines of a wrapped row."""
    quantity = quantity or run.quantity
    unit = "s" if quantity == "elapsed" else "1/s"
    return Value(
        line=number,
        tool="mdtest",
        tool_version=run.version,
        metric=intern(f"{_OPERATIONS[name.lower()]}.{quantity}"),
        native=intern(name),
        value=_float(raw),
        unit=unit,
        raw=raw,
        raw_unit="s" if unit == "s" else "ops/s",
        run=run.start,
        stat=stat,
        params=_told(run, params),
        started_at=run.started,
        depends=_depends(run, rest),
    )


def _told(run: MdtestRun, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a figure."""
    key = run.iterations, *params.items()
    known = run.told.get(key)
    if known is None:
        known = run.told[key] = {**run.params, **({"iterations": run.iterations} if run.iterations else {}), **params}
    return known


def _depends(run: MdtestRun, rest: tuple[int, ...]) -> tuple[int, ...]:
    depends = tuple(sorted({*run.depends.values(), run.titles, *rest} - {0}))
    if depends != run.last:
        run.last = depends
    return run.last


def _iterations(run: MdtestRun, end: int) -> Iterator[Value | Doubt]:
    """Single iterations where the command asks for several: they are the repetitions (else they are the summary)."""
    if run.version and not run.summed:
        yield Doubt(end, "cut", f"the mdtest run that begins on line {run.start} shows no summary")
    elif run.started and not run.finished:
        yield Doubt(end, "cut", f"the mdtest run that begins on line {run.start} does not say that it finished")
    for number, name, seconds, rate in run.single if _several(run) else ():
        if float(rate) > 0:
            yield _value(run, number, name, seconds, "sample", {}, quantity="elapsed")
            yield _value(run, number, name, rate, "sample", {}, quantity="rate")


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
    version=14,
    anchor=Anchor(
        ANCHOR,
        "mdtest-0",
        " iterations)",
        "rank,items,rate-",
        "operation",
        "creation",
        " stat",
        " removal",
        " rename",
        "directory read",
        "file read",
        "tree read",
    ),
    parse=parse,
    shapes=(
        Shape(
            "summary over iterations",
            "1.8 to 4.1",
            "operations/s; seconds in `SUMMARY time`, also where 4.x calls them ms/op",
            "with and without the colon after the operation; zeros are phases that were not run",
        ),
        Shape(
            "single iterations (-v)",
            "1.9",
            "seconds and operations/s",
            "taken where the command asks for several iterations",
        ),
        Shape("rank details", "3.3 to 4.1", "seconds and operations/s", "a row of all ranks, one for each; no version inside"),
    ),
    brief=True,
    follows=_FAR,
    source="mdtest documentation of the IOR project; mdtest.c, SummarizeResults; mdtest 3.3.0 and 4.0.0's own output",
)
