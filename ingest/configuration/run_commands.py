"""The command that made each output, from the scripts and job files beside it: its options become parameters of the run.

A command may have made an output if it is of the same tool, writes to a file of that name (or to none, as a script whose output
was redirected by hand), and contradicts nothing that the output shows. Where several may have, with unlike options, their order
in the one script decides if it has as many as the file has runs; else nothing is taken, and a warning says what is to be decided.
What an output shows is never overridden. A run whose options are unknown has a parameter for display.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from glob import escape
from itertools import chain, zip_longest
from operator import itemgetter
from typing import Any

from ingest.detect.detect import command_readers
from ingest.detect.findings import FileFindings
from ingest.detect.script_commands import UNKNOWN, ScriptCommand
from ingest.keys import NOT_RECORDED, OPTIONS_UNKNOWN, is_identity, needed_params
from ingest.options import is_option, programs_beside
from ingest.plugin_api import CommandOptions, CommandReader
from ingest.records import Doubt, MissingValue, Value
from ingest.spill import SpilledValues, iter_chunks

WHICH_COMMAND = "which-command"
"""Code of the warning about an output that several commands with unlike options may have made."""
_MAX_SHOWN, _MAX_COMMAND = 3, 400  # commands in a warning, characters of one
_MAX_SAMPLES = 64  # values of a run that are looked at
_MAX_HELD = 50_000  # values of a file in memory for it; the commands of one with more are not looked for
_OF_VALUES = frozenset(("part", "phase", "mix", "pattern", "operation"))
"""Parameters of single values, which say nothing about their command."""
_DIRECTIONS = frozenset(f"{random}{direction}" for random in ("", "random_") for direction in ("read", "write", "trim")) | {
    "transfer"
}
_PRINTED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("bonnie", "bonnie++", "dd", "iozone"), frozenset()),
    "fio": frozenset(("block_size", "engine", "iodepth", "processes")),
}
"""Tools with outputs that show no options. Of fio: what its header shows; more is known from its JSON, a job file or command."""
_BELOW_COMMANDS: Mapping[str, frozenset[str]] = {
    "dd": frozenset(("file_size",)),
    "bonnie++": frozenset(("file_size", "files", "chunk_size", "seeks", "seekers", "threads")),
}
"""Tools whose parsers take options from the command above an output, with the parameters that the output itself prints."""
_MIN_COMMAND = 60
_Item = Value | MissingValue


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A command, or one job of it. `unknown`: parameters whose values the script does not show."""

    path: str
    command: ScriptCommand
    options: CommandOptions
    unknown: frozenset[str]

    @property
    def place(self) -> str:
        """FILE:LINE of what gives its options."""
        folder = self.path.rpartition("/")[0]
        name = self.options.file and (f"{folder}/{self.options.file}" if folder else self.options.file)
        return f"{name}:{self.options.line}" if name else f"{self.path}:{self.command.line}"

    def additions(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """What it says of the workload beyond what the output shows."""
        return {
            name: value
            for name, value in self.options.params.items()
            if name not in shown and name not in self.unknown and is_identity(name)
        }


@dataclass(slots=True)
class _Run:
    """The first values of one run, and the parameters that they all show."""

    tool: str
    number: Any
    items: list[_Item] = field(default_factory=list)
    shown: dict[str, Any] = field(default_factory=dict)
    copy_of: str = ""
    """The line that shows its figures too, as the CSV line below the text; '' for a run that counts."""
    lines: set[str] = field(default_factory=set)
    """Its lines that others are copies of."""

    def add(self, item: _Item) -> int:
        """Add a value; how many more are held."""
        before = len(self.items)
        self.items.append(item)
        if len(self.items) >= 2 * _MAX_SAMPLES:
            self.keep_first()
        return len(self.items) - before

    def keep_first(self) -> None:
        self.items.sort(key=lambda item: item.line if isinstance(item.line, int) else 0)
        del self.items[_MAX_SAMPLES:]

    @property
    def line(self) -> int | str:
        return self.items[0].line

    def may_be_of(self, candidate: _Candidate) -> bool:
        """Whether the command contradicts nothing that the output shows, and leaves open nothing that counts."""
        options, shown = candidate.options, self.shown
        if options.job and shown.get("job", options.job) != options.job:
            return False
        if any(options.params[name] != shown[name] for name in options.params.keys() & shown.keys() if _decides(name, candidate)):
            return False
        if any(is_option(name) and name not in options.params for name in shown):
            return False
        needed = {name for item in self.items for name in needed_params(self.tool, item.metric)}
        if not candidate.unknown <= shown.keys() | needed:
            return False
        operations = {item.metric.partition(".")[0] for item in self.items} & _DIRECTIONS - {"transfer"}
        return not options.operations or operations <= options.operations


def _decides(name: str, candidate: _Candidate) -> bool:
    return is_identity(name) and name not in _OF_VALUES and name not in candidate.unknown


class RunCommands:
    """The scripts and job files of one upload."""

    def __init__(self, findings_list: Sequence[FileFindings], copies: Mapping[int, str] | None = None) -> None:
        """`copies`: by identity, values that repeat another one, with its FILE:LINE."""
        self._copies = copies or {}
        self._copied_lines = {place.rpartition(":")[2] for place in self._copies.values()}
        scripts = [(findings.path, findings.script) for findings in findings_list if findings.script is not None]
        self._readers = command_readers()
        self._job_files = {path.rpartition("/")[2]: script.job_lines for path, script in scripts if script.job_lines}
        self._commands: list[tuple[str, ScriptCommand]] = []
        for path, script in scripts:
            self._commands += [(path, command) for command in script.commands]
        named = "\n".join(command.text for _, command in self._commands)
        for path, script in scripts:
            if script.job_lines and (name := path.rpartition("/")[2]) not in named:
                self._commands.append((path, ScriptCommand(1, "fio", f"fio {name}", None, None)))
        self._tools = {command.tool for _, command in self._commands}
        self._read: dict[tuple[str, str, str | None], list[tuple[CommandOptions, frozenset[str]]]] = {}

    def apply(self, findings: FileFindings) -> None:
        """Give the values of a file the parameters of their commands."""
        if self._commands:
            self._take_commands(findings)
        if findings.commands:
            findings.change(lambda items: self._place_commands(findings, items))
            findings.change(lambda items: _mark_programs(findings, items))
        findings.change(_mark_unknown_options)

    def _place_commands(self, findings: FileFindings, items: Iterable[_Item]) -> None:
        """Where the parameters stand that a command at a prompt gives, above the output, and the output does not show."""
        lines = [command.line for command in findings.commands]
        placed: dict[tuple[int, int], tuple[Mapping[str, Any], dict[str, str]]] = {}
        for item in items:
            if item.tool not in _BELOW_COMMANDS or "command" not in item.params or not isinstance(item.line, int):
                continue
            key = id(item.params), bisect_right(lines, item.line) - 1
            if key not in placed:
                shown = findings.commands[key[1]] if key[1] >= 0 else None
                text = str(item.params["command"])
                is_shown = (
                    shown is not None and shown.text and (shown.text[:_MIN_COMMAND] in text or text[:_MIN_COMMAND] in shown.text)
                )
                place = f"{findings.path}:{shown.line}" if shown and is_shown else ""
                given = self._readers[item.tool].read(text, item.tool_version, {}) if place else ()
                names = {name for one in given for name, value in one.params.items() if item.params.get(name) == value}
                names -= _BELOW_COMMANDS[item.tool]
                placed[key] = item.params, dict.fromkeys(sorted({*names, "command"}), place) if place else {}
            item.params_from = placed[key][1] or None

    def _take_commands(self, findings: FileFindings) -> None:
        doubts: list[Doubt] = []
        taken: dict[tuple[str, Any], _Taken] = {}
        for tool, runs in self._runs(findings).items():
            for run, candidates in self._candidates_of_runs(findings.path, tool, runs):
                if candidates and len({repr(sorted(one.additions(run.shown).items())) for one in candidates}) == 1:
                    taken[tool, run.number] = _Taken(run, candidates)
                elif candidates:
                    doubts.append(_which_command(run, candidates))
        if taken:
            findings.change(lambda items: _take(taken, items))
            directed = {line for one in taken.values() for line in one.directed}
            findings.doubts = [doubt for doubt in findings.doubts if doubt.code != "no-command" or doubt.line not in directed]
        for message, count in Counter(doubt.message for doubt in doubts).items():
            first = next(doubt for doubt in doubts if doubt.message == message)
            first.message += f" So may {count - 1} more of the file's runs." if count > 1 else ""
            findings.doubts = [*findings.doubts, first]

    def _runs(self, findings: FileFindings) -> dict[str, list[_Run]]:
        """Tool -> the runs of a file in line order, but for those whose command stands in the output."""
        found: dict[tuple[str, Any], _Run] = {}
        copies: dict[tuple[str, Any], tuple[int, str]] = {}
        held = 0
        chunks: Iterator[tuple[Sequence[int] | None, Sequence[_Item]]] = chain(
            iter_chunks(findings.values), [(None, findings.missing)]
        )
        for ids, items in chunks:
            for at, item in enumerate(items):
                if not _is_open(item) or item.tool not in self._tools:
                    continue
                key = item.tool, item.run
                run = found.setdefault(key, _Run(*key))
                held += run.add(item)
                if held > _MAX_HELD and isinstance(findings.values, SpilledValues):
                    return {}
                if str(item.line) in self._copied_lines:
                    run.lines.add(str(item.line))
                if place := self._copies.get(ids[at] if ids else id(item)):
                    line = item.line if isinstance(item.line, int) else 0
                    copies[key] = min(copies.get(key, (line, place)), (line, place), key=itemgetter(0))
        runs: dict[str, list[_Run]] = {}
        for key, run in found.items():
            run.keep_first()
            run.shown = dict(run.items[0].params)
            for item in run.items[1:]:
                run.shown = {name: value for name, value in run.shown.items() if item.params.get(name) == value}
            run.copy_of = copies.get(key, (0, ""))[1].rpartition(":")[2]
            runs.setdefault(run.tool, []).append(run)
        for of_tool in runs.values():
            of_tool.sort(key=lambda run: run.line if isinstance(run.line, int) else 0)
        return runs

    def _candidates_of_runs(self, path: str, tool: str, runs: Sequence[_Run]) -> Iterator[tuple[_Run, list[_Candidate]]]:
        """The commands that may have made each run of a file: of the nearest scripts that have any."""
        levels = list(self._levels(path, tool, runs[0].items[0].tool_version))
        open_runs = list(runs)
        for level in levels:
            possible = [[one for one in level if run.may_be_of(one)] for run in open_runs]
            if any(len({one.command.text for one in candidates}) > 1 for candidates in possible):
                possible = _in_order(open_runs, level) or possible
            left = []
            for run, candidates in zip(open_runs, possible, strict=True):
                if candidates:
                    yield run, candidates
                else:
                    left.append(run)
            open_runs = left
            if not open_runs:
                return

    def _levels(self, path: str, tool: str, version: str | None) -> Iterator[list[_Candidate]]:
        """The commands of the tool that may write to the file, the likeliest first: by the file that they name, by folder."""
        reader = self._readers[tool]
        levels: dict[tuple[int, int], list[_Candidate]] = {}
        for script, command in self._commands:
            if command.tool == tool and script != path and (rank := _rank(path, script, command, reader)) is not None:
                levels.setdefault(rank, []).extend(
                    _Candidate(script, command, options, unknown) for options, unknown in self._options(reader, command, version)
                )
        return (levels[rank] for rank in sorted(levels, reverse=True))

    def _options(
        self, reader: CommandReader, command: ScriptCommand, version: str | None
    ) -> list[tuple[CommandOptions, frozenset[str]]]:
        """What each job of the command gives, and the parameters of which it is unknown: they change with what is unknown."""
        key = command.text, repr(command.variables) if self._job_files else "", version
        if key not in self._read:
            variants = []
            for probe in ("7", "9") if UNKNOWN in command.text or self._job_files else ("",):
                files = {name: _substitute(lines, command.variables, probe) for name, lines in self._job_files.items()}
                read = reader.read(command.text.replace(UNKNOWN, probe), version, files)
                beside = programs_beside(command.tool, command.text)
                variants.append([replace(one, params={**one.params, **beside}) for one in read])
            pairs = zip(variants[0], variants[-1], strict=True) if len(variants[0]) == len(variants[-1]) else ()
            self._read[key] = [(one, _unlike(one.params, other.params)) for one, other in pairs]
        return self._read[key]


def _unlike(one: Mapping[str, Any], other: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _substitute(lines: Sequence[str], variables: Mapping[str, str], probe: str) -> list[str]:
    """A job file with the variables of its environment (fio documentation, "Environment variables")."""
    return [
        re.sub(r"\$\{(\w+)\}", lambda match: variables.get(match[1], probe).replace(UNKNOWN, probe), line) if "$" in line else line
        for line in lines
    ]


def _is_open(item: _Item) -> bool:
    """Whether a command apart from the output may say more of a value."""
    return "command" not in item.params and item.origin == "measured"


def _rank(path: str, script: str, command: ScriptCommand, reader: CommandReader) -> tuple[int, int] | None:
    """How likely a command writes to the file: components of the path that it names, then folders that both are in. None: no."""
    file, folder = path.split("/"), script.split("/")[:-1]
    shared = next(
        (index for index, (a, b) in enumerate(zip(file, folder, strict=False)) if a != b), min(len(file) - 1, len(folder))
    )
    streams = [getattr(command, stream) for stream in reader.streams]
    named = (*streams, *_reports(command.text, reader.reports))
    if matched := max((_matching_components(file, sink) for sink in named if sink), default=0):
        return matched, shared
    is_open = any(sink is None or not sink.strip(UNKNOWN + "/") for sink in streams)
    return (0, shared) if is_open and shared >= len(folder) - 1 else None


def _reports(text: str, options: Sequence[str]) -> Iterator[str]:
    """The files that options of a command name for its report."""
    for option in options:
        for match in re.finditer(rf"(?:^|\s){re.escape(option)}(?:=|\s+)(\S+)", text):
            yield match[1]


def _matching_components(file: Sequence[str], sink: str) -> int:
    """How many components from the end of a path are those of the file; 0 where nothing of its name is known."""
    count = 0
    for own, named in zip(reversed(file), reversed(sink.split("/")), strict=False):
        pattern = "*".join(map(escape, named.split(UNKNOWN)))  # in linear time, other than an expression of our own
        if not named.replace(UNKNOWN, "") or not fnmatchcase(own.lower(), pattern.lower()):
            break
        count += 1
    return count


def _in_order(runs: Sequence[_Run], candidates: Sequence[_Candidate]) -> list[list[_Candidate]] | None:
    """The command of each run by order, where one script, run once or several times, has as many; None where none or two have."""
    found = []
    counted = [run for run in runs if not run.copy_of]
    at = {line: index for index, run in enumerate(counted) for line in (*run.lines, str(run.line))}
    places = [at.get(run.copy_of or str(run.line)) for run in runs]
    for script in dict.fromkeys(one.path for one in candidates) if None not in places else ():
        steps = [one for one in candidates if one.path == script]
        steps *= len(counted) // len(steps)
        if len(steps) == len(counted):
            pairs = [(run, steps[place]) for run, place in zip(runs, places, strict=True) if place is not None]
            if all(step.command.is_sure and run.may_be_of(step) for run, step in pairs):
                found.append([[step] for _, step in pairs])
    return found[0] if len(found) == 1 else None


class _Taken:
    """What a command gives the values of its run: parameters, where they stand, and the direction where the output shows none."""

    def __init__(self, run: _Run, candidates: Sequence[_Candidate]) -> None:
        """`candidates`: alike but for paths and names, of which only those that all of them have are taken."""
        candidate, options = candidates[0], candidates[0].options
        self.params = {
            name: value
            for name, value in options.params.items()
            if name not in candidate.unknown and all(one.options.params.get(name) == value for one in candidates)
        }
        if UNKNOWN not in candidate.command.text and not options.file:
            self.params.setdefault("command", _common_words([one.command.text for one in candidates])[:_MAX_COMMAND])
        self.places = dict.fromkeys((name for name in self.params if name not in run.shown), candidate.place)
        self.operation = next(iter(options.operations)) if len(options.operations) == 1 else ""
        self.directed: set[int | str] = set()
        """Lines of the values whose direction it gave, which the output did not show."""


def _common_words(texts: Sequence[str]) -> str:
    """The command that several are, with `...` for each word in which they differ."""
    words = zip_longest(*(text.split(" ") for text in dict.fromkeys(texts)), fillvalue="")
    return " ".join(one[0] if len({*one}) == 1 else "..." for one in words)


def _take(taken: Mapping[tuple[str, Any], _Taken], items: Iterable[_Item]) -> None:
    """Add the parameters of their command to values."""
    merged: dict[tuple[int, int], tuple[Mapping[str, Any], dict[str, Any]]] = {}
    for item in items:
        one = taken.get((item.tool, item.run))
        if one is None or not _is_open(item):
            continue
        key = id(item.params), id(one)
        if key not in merged:
            own = {name: value for name, value in item.params.items() if name != OPTIONS_UNKNOWN}
            merged[key] = item.params, {**one.params, **own}
        item.params, item.params_from = merged[key][1], one.places
        if one.operation and item.metric.startswith("transfer."):
            item.metric = f"{one.operation}.{item.metric.partition('.')[2]}"
            one.directed.add(item.line)


def _mark_programs(findings: FileFindings, items: Iterable[_Item]) -> None:
    """Give values the parameter of the programs on their command line, which is above them or known from the output."""
    lines = [command.line for command in findings.commands]
    marked: dict[tuple[int, int], tuple[Mapping[str, Any], Mapping[str, Any], str]] = {}
    for item in items:
        at = bisect_right(lines, item.line) - 1 if isinstance(item.line, int) else -1
        key = id(item.params), at
        if key not in marked:
            shown = findings.commands[at] if at >= 0 else None
            texts = str(item.params.get("command", "")), shown.text if shown else ""
            beside = next(filter(None, (programs_beside(item.tool, text) for text in texts)), {})
            params = {**item.params, **beside} if beside else item.params
            marked[key] = item.params, params, f"{findings.path}:{shown.line}" if shown and beside else ""
        _, params, place = marked[key]
        if params is not item.params:
            item.params = params
            item.params_from = {**(item.params_from or {}), f"{item.tool}.under": place} if place else item.params_from


def _mark_unknown_options(items: Iterable[_Item]) -> None:
    """Say of values whose output shows no options of the tool, and whose command is not known, that they are not recorded."""
    marked: dict[int, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for item in items:
        params = item.params
        found = marked.get(id(params))
        if found is None:
            is_unknown = item.tool in _PRINTED and item.origin == "measured" and _shows_no_options(item)
            found = marked[id(params)] = params, {**params, OPTIONS_UNKNOWN: NOT_RECORDED} if is_unknown else params
        if found[1] is not params:
            item.params = found[1]


def _shows_no_options(item: _Item) -> bool:
    """Whether nothing but what the tool prints in any case is known of its options."""
    if item.implied or "command" in item.params:
        return False
    printed = _PRINTED[item.tool]
    return not printed or not any(is_identity(name) and name not in printed and name not in _OF_VALUES for name in item.params)


def _which_command(run: _Run, candidates: Sequence[_Candidate]) -> Doubt:
    """The warning about a run that several commands may have made."""
    places = Counter(one.place for one in candidates)
    texts = [f"{place} ({_unlike_options(run, candidates, place)})" for place in list(places)[:_MAX_SHOWN]]
    more = f" and {len(places) - _MAX_SHOWN} more" if len(places) > _MAX_SHOWN else ""
    return Doubt(
        run.line,
        WHICH_COMMAND,
        f"{run.tool}: {', '.join(texts)}{more} may have made this, with unlike options; the options of none are used.",
    )


def _unlike_options(run: _Run, candidates: Sequence[_Candidate], place: str) -> str:
    """The options of the command there that not all of them give."""
    additions = [one.additions(run.shown) for one in candidates]
    common = [item for item in additions[0].items() if all(other.get(item[0]) == item[1] for other in additions)]
    own = next(one for one in candidates if one.place == place).additions(run.shown)
    return ", ".join(f"{name} {value}" for name, value in own.items() if (name, value) not in common) or "without them"
