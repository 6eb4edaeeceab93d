"""A run of mdtest, and the lines above its summary: banner, command, dates, items."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.options import command_params, open_params, read_command
from ingest.parsers import _shell_command as shell
from ingest.parsers._shell_command import read_wrapped_words
from ingest.plugin_api import CommandOptions
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue, Value

BANNER = lazy(r"^[\s>|#+]*mdtest-(\d\S*) was launched with (\d+) total task\(s\) on (\d+) node(?:\(s\)|s)?")
STARTED = lazy(r"^[\s>|#+]*-- started at (\d\d/\d\d/\d{4} \d\d:\d\d:\d\d) --")
SHELL_COMMAND = shell.command_pattern("mdtest")
_FINISHED = lazy(r"^[\s>|#+]*-- finished at ")
ECHOED_COMMAND = lazy(r"^[\s>|#+]*Command line used:\s*(\S.*)?$")
_ITEMS = lazy(r"^[\s>|#+]*(\d+) tasks, (\d+) (files/directories|files|directories)\b")
_ALL_PHASES = {"mdtest.-C", "mdtest.-T", "mdtest.-E", "mdtest.-r"}
_COUNT_OPTIONS = {"-w": "file_size", "-e": "read_bytes", "-z": "levels", "-b": "dirs_per_dir", "-I": "files_per_dir"}


# What -v prints of the options: the name there and that of the command line. `barriers` is the opposite of its option, and
# `remove_only` has the value of another one (mdtest.c).
_DUMP = lazy(r"^[\s>|#+]*(?:V-\d+: Rank +\d+ Line +\d+ )?([a-z_]{4,26})\s*: (True|False|\d{1,18})\s*$")
_DUMPED = {
    "collective_creates": "-c", "create_only": "-C", "dirs_only": "-D", "read_bytes": "-e", "read_only": "-E", "files_only": "-F",
    "global_dir_layout": "-g", "leaf_only": "-L", "nstride": "-N", "pre_delay": "-p", "shared_file": "-S", "stat_only": "-T",
    "time_unique_dir_overhead": "-t", "stone_wall_timer_seconds": "-W", "call_sync": "-Y", "make_node": "-k",
}  # fmt: skip
_DUMPED_PHASES = {"mdtest.-C", "mdtest.-T", "mdtest.-E"}
_DUMPED_COUNTS = {"write_bytes": "file_size", "depth": "levels", "items_per_dir": "files_per_dir"}


@dataclass(slots=True)
class MdtestRun:
    """One run, and how far its summary was read."""

    start: int
    version: str | None = None
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)  # what was read -> its line
    is_finished: bool = False
    is_repeated: bool = False  # by the command (-i)
    command_line: int = 0  # of a command above an output without head
    single: list[tuple[int, str, str, str]] = field(default_factory=list)  # iterations: line, operation, seconds, rate
    has_summary: bool = False
    is_announced: bool = False  # a SUMMARY line stands above the titles
    quantity: str = "rate"
    iterations: int | None = None
    titles: int = 0
    titles_text: str = ""
    columns: list[tuple[str, str]] = field(default_factory=list)  # stat and part
    torn_titles: int = 0  # line of the titles whose end is known to be missing
    pending: tuple[str, list[tuple[str, int]]] | None = None  # a row that the next line may complete: operation, cells
    params_of: dict[tuple[Hashable, ...], dict[str, Any]] = field(default_factory=dict)  # shared by values with equal ones
    last_depends: tuple[int, ...] = ()  # of the value before


def read_run_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> None:
    """Read a line outside the summary into the run; a command may go on below it."""
    run.params_of = {}
    if banner := BANNER.match(line):
        run.version = banner[1]
        run.params |= {"processes": int(banner[2]), "nodes": int(banner[3])}
        run.start = run.start or number
        run.depends["banner"] = number
    elif started := STARTED.match(line):
        run.started = _parse_date(started[1])
        run.depends["started"] = number
    elif _FINISHED.match(line):
        run.is_finished = True
    elif command := ECHOED_COMMAND.match(line):
        rest = read_wrapped_words(lines, number)
        _set_command(run, " ".join([*([command[1]] if command[1] else []), *rest]))
        run.depends |= {f"command {line}": line for line in range(number, number + len(rest) + 1)}
    elif items := _ITEMS.match(line):
        kinds = {"files": ("files",), "directories": ("dirs",)}.get(items[3], ("files", "dirs"))
        run.params |= dict.fromkeys(kinds, int(items[2])) | {"processes": int(items[1])}
        run.depends["items"] = number
    elif run.version and "command" not in run.params and (dumped := _DUMP.match(line)):
        _read_dumped(run, dumped[1], dumped[2], number)
    else:
        _read_shell_line(run, lines, line, number)


def _read_dumped(run: MdtestRun, name: str, value: str, number: int) -> None:
    """An option as -v prints it, in an output without its command; what is off and no number is as if it were not there."""
    run.depends[f"option {name}"] = number
    if name == "unique_dir_per_task":
        run.params["access"] = "directory per task" if value == "True" else "shared directory"
    elif name == "sync_file" and value == "True":
        run.params["fsync"] = "on"
    elif name in _DUMPED_COUNTS and value.isdecimal() and value != "0":
        run.params[_DUMPED_COUNTS[name]] = int(value)
    elif name == "barriers" and value == "False":
        run.params |= open_params("mdtest", {"-B": "1"})
    elif name in _DUMPED and value not in ("False", "0"):
        run.params |= open_params("mdtest", {_DUMPED[name]: "1" if value == "True" else value})
        if run.params.keys() >= _DUMPED_PHASES:  # all phases, as without any of these
            run.params = {key: value for key, value in run.params.items() if key not in _DUMPED_PHASES}


def _read_shell_line(run: MdtestRun, lines: Sequence[str], line: str, number: int) -> None:
    """A command above an output without head, or the line that ends its output."""
    has_head = run.version or run.has_summary
    if not has_head and (command := shell.read_shell_command(SHELL_COMMAND, lines, number)):
        words, tasks, last = command
        run.params, run.command_line = {"processes": tasks} if tasks is not None else {}, number
        _set_command(run, words)
        run.depends = {f"command {line}": line for line in range(number, last + 1)}
    elif run.command_line and not run.version and shell.COMMAND_ENDS.match(line):
        run.params, run.depends, run.command_line, run.is_repeated = {}, {}, 0, False


def _parse_date(printed: str) -> str | None:
    """`11/21/2026 04:39:10`, month first (mdtest.c: strftime "%m/%d/%Y %T"), in ISO 8601; None for another text."""
    try:
        return datetime.strptime(printed, "%m/%d/%Y %H:%M:%S").isoformat()
    except ValueError:
        return None


def _set_command(run: MdtestRun, command: str) -> None:
    words = [word.strip("'\"") for word in command.split()]
    if not any(word.endswith("mdtest") for word in words[:1]):
        return
    options = command_params("mdtest", command)
    if options.keys() >= _ALL_PHASES:  # as without any of them
        options = {name: value for name, value in options.items() if name not in _ALL_PHASES}
    run.params |= {"command": command, **options}
    given = read_command("mdtest", command)
    run.params["access"] = "directory per task" if "-u" in given else "shared directory"
    run.params |= {name: int(given[word]) for word, name in _COUNT_OPTIONS.items() if given.get(word, "").isdecimal()}
    if given.get("-i", "").isdecimal():
        run.is_repeated = int(given["-i"]) > 1
    if given.get("-a", "").isalnum():
        run.params["api"] = given["-a"]
    if "-y" in given:
        run.params["fsync"] = "on"


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output."""
    run, shown = MdtestRun(0, version), shell.read_shell_command(SHELL_COMMAND, [command], 1)
    if shown is None:
        return ()
    _set_command(run, shown.text)
    return [CommandOptions(run.params | ({"processes": shown.tasks} if shown.tasks else {}))]


# Rows of mdtest's summary, and values of a run.

OPERATIONS = {
    "directory creation": "dir_create", "directory stat": "dir_stat", "directory removal": "dir_remove",
    "directory rename": "dir_rename", "file creation": "file_create", "file stat": "file_stat", "file read": "file_read",
    "file removal": "file_remove", "tree creation": "tree_create", "tree removal": "tree_remove",
}  # fmt: skip
_STATS = {"Max": "max", "Min": "min", "Mean": "mean", "Std Dev": "stddev"}
_SWITCHES = lazy(r"-[A-Za-z]+")
_PHASE_SWITCHES = {"creation": "C", "stat": "T", "read": "E", "removal": "r"}
_COMPLETE_NUMBER = lazy(r"[.,]\d{3}\Z")
NUMBER = lazy(r"\d+(?:\.\d+|,\d{3})?\Z")
_DECIMAL_COMMA = lazy(r"(?:0|\d{4,}),")  # no separator of thousands stands there


def parse_columns(titles: str) -> list[tuple[str, str]]:
    """Stat and part of each column; 4.1 may print figures per rank before those per iteration."""
    columns, part = [], ""
    for word in re.findall(r"per Rank|per Iteration|Std Dev|Max|Min|Mean", titles):
        if word.startswith("per "):
            part = "rank" if word == "per Rank" else ""
        else:
            columns.append((_STATS[word], part))
    return columns


MdtestFigure = tuple[str, str, str, int]  # a cell of a row: stat and part of its column, its text, its line


def read_row(run: MdtestRun, name: str, cells: list[tuple[str, int]]) -> Iterator[Found]:
    """The figures of a row; `cells`: each with its line."""
    number = cells[0][1]
    if doubt := _check_row(run, name, number):
        yield doubt
        return
    if all(stat != "stddev" for stat, _ in run.columns) and run.torn_titles != run.titles:
        run.torn_titles = run.titles
        yield Doubt(run.titles, "cut", "the column headings are cut off; values after the last heading were not read")
    if len(cells) != len(run.columns):
        code = "short-row" if len(cells) < len(run.columns) else "long-row"
        yield Doubt(number, code, f"{name}: {len(cells)} values for {len(run.columns)} columns; none were recorded")
        return
    figures = []
    for (stat, part), (raw, line) in zip(run.columns, cells, strict=True):
        if NUMBER.match(raw):
            figures.append((stat, part, raw, line))
        else:
            yield Doubt(line, "bad-number", f"{name}, {stat}: {raw[:40]!r} is not a number")
    if any("," in raw for _, _, raw, _ in figures) and not any(_DECIMAL_COMMA.match(raw) for _, _, raw, _ in figures):
        yield Doubt(number, "ambiguous", f"{name}: commas that may separate thousands or decimals; no value was recorded")
        return
    row_lines = (number, cells[-1][1]) if cells[-1][1] != number else ()
    yield from _read_figures(run, name, figures, number, row_lines)


def _check_row(run: MdtestRun, name: str, number: int) -> Doubt | None:
    """Why the columns of the row are unknown."""
    if name.lower() not in OPERATIONS:
        return Doubt(number, "unread", f"{name!r} is an unknown operation")
    if not run.columns:
        return Doubt(number, "no-header", f"{name}: the column headings are missing; no value was recorded")
    return None


def _read_figures(
    run: MdtestRun, name: str, figures: list[MdtestFigure], number: int, row_lines: tuple[int, ...]
) -> Iterator[Found]:
    """The values of a row: of a phase that was run and whose iterations are not printed. `row_lines`: those of a wrapped row."""
    if figures and all(_parse_number(raw) == 0 for _, _, raw, _ in figures):
        if is_asked(run, name):
            values = (make_value(run, name, figure, {"part": figure[1]} if figure[1] else {}, row_lines) for figure in figures)
            yield from (MissingValue.instead_of(value, ZERO_TIME) for value in values if value.stat != "stddev")
            yield Doubt(number, "unmeasured", f"{name}: mdtest prints 0")
            return
        yield Doubt(number, "unmeasured", f"{name}: mdtest prints 0 for a phase that was not run")
        for figure in figures:
            if figure[:2] == ("mean", "") and run.quantity == "rate":
                yield make_value(run, name, figure, {"phase": "not run"}, row_lines)
        return
    rates = [float(rate) for _, iterated, _, rate in run.single if iterated == name]
    if not (rates and has_iterations(run) and run.quantity == "rate"):
        for figure in figures:
            yield make_value(run, name, figure, {"part": figure[1]} if figure[1] else {}, row_lines)
    elif len(rates) == run.iterations:
        yield from _check_aggregates(rates, [figure for figure in figures if not figure[1]], name, number)
    else:
        yield Doubt(number, "cut", f"{name}: {len(rates)} of {run.iterations} iterations are printed above")


def is_asked(run: MdtestRun, name: str) -> bool:
    """Whether the run was to have that phase: without -C, -T, -E and -r it has all of them (mdtest.c, valid_tests)."""
    words = (word.strip("'\"") for word in str(run.params.get("command", "")).split())
    letters = {letter for word in words if _SWITCHES.fullmatch(word) for letter in word}
    asked = letters & set(_PHASE_SWITCHES.values())
    return not asked or _PHASE_SWITCHES.get(name.lower().split()[-1], "") in asked


def _parse_number(raw: str) -> float:
    """A figure with a decimal point, or with a comma as some locales print it."""
    return float(raw.replace(",", "."))


def read_cut_row(run: MdtestRun, name: str, cells: list[tuple[str, int]]) -> Iterator[Found]:
    """The row with which the text ends: figures with all their decimals are complete (mdtest prints %.3f)."""
    complete = [cell for cell in cells if _COMPLETE_NUMBER.search(cell[0])]
    if run.columns and complete and complete == cells[: len(complete)] and len(cells) - len(complete) < 2:
        message = f"{name}: the text ends inside this row; its {len(complete)} complete values were recorded"
        yield Doubt(cells[0][1], "cut", message)
        columns, run.columns = run.columns, run.columns[: len(complete)]
        yield from read_row(run, name, complete)
        run.columns = columns
    else:
        yield from read_row(run, name, cells)


def read_stonewall(run: MdtestRun, raw: str, number: int) -> Iterator[Found]:
    """Items over seconds until the first process stopped; the seconds are summed over the iterations (mdtest.c)."""
    if not NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"File create (stonewall): {raw[:40]!r} is not a number")
    elif run.quantity == "elapsed" and run.iterations != 1:
        yield Doubt(number, "unread", f"File create (stonewall): {raw} s is the sum over the iterations, not the time of one")
    else:
        yield make_value(run, "File creation", ("mean", "", raw, number), {"part": "stonewall"})


def has_iterations(run: MdtestRun) -> bool:
    """Whether the run had several iterations, by its command, its summary or its lines."""
    names = [name for _, name, *_ in run.single]
    return run.is_repeated or (run.iterations or 0) > 1 or len(names) > len(set(names))


def _check_aggregates(rates: list[float], figures: list[MdtestFigure], name: str, number: int) -> Iterator[Doubt]:
    """Warnings where aggregates, which are not recorded, disagree with the iterations printed above (within two digits)."""
    computed = {"max": max(rates), "min": min(rates), "mean": sum(rates) / len(rates)}
    for stat, _, raw, _ in figures:
        value = _parse_number(raw)
        if stat in computed and abs(computed[stat] - value) > 0.002 + 1e-6 * value:
            yield Doubt(number, "disagree", f"{name}, {stat}: {value:g} here, {computed[stat]:g} of the iterations above")


def make_value(
    run: MdtestRun,
    name: str,
    figure: MdtestFigure,
    params: dict[str, Any],
    row_lines: tuple[int, ...] = (),
    *,
    quantity: str | None = None,
) -> Value:
    stat, _, raw, line = figure
    quantity = quantity or run.quantity
    unit = "s" if quantity == "elapsed" else "1/s"
    return Value(
        line=line,
        tool="mdtest",
        tool_version=run.version,
        metric=intern(f"{OPERATIONS[name.lower()]}.{quantity}"),
        native=intern(name),
        value=_parse_number(raw),
        unit=unit,
        raw=raw,
        raw_unit="s" if unit == "s" else "ops/s",
        run=run.start,
        stat=stat,
        params=_params(run, params),
        started_at=run.started,
        depends=_depends(run, row_lines),
    )


def _params(run: MdtestRun, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a value, one dictionary for all values with the same ones."""
    key = run.iterations, *params.items()
    shared = run.params_of.get(key)
    if shared is None:
        iterations = {"iterations": run.iterations} if run.iterations else {}
        shared = run.params_of[key] = {**run.params, **iterations, **params}
    return shared


def _depends(run: MdtestRun, row_lines: tuple[int, ...]) -> tuple[int, ...]:
    """The lines of head, titles and wrapped row, one tuple for consecutive values with the same ones."""
    depends = tuple(sorted({*run.depends.values(), run.titles, *row_lines} - {0}))
    if depends != run.last_depends:
        run.last_depends = depends
    return run.last_depends
