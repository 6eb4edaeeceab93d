"""Head of an IOR log: version, command, machine, and the list of options as workload parameters.

`key = value` after a tab up to 3.1, `key : value` from 3.2 on (IOR: ShowTest, ShowSetup, PrintKeyVal). Sizes are printed in
powers of 1024, rounded to two decimals; a rounded size is skipped in favour of the exact one in the command or the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.options import TOOLS, command_params, count_kinds, open_params, read_command
from ingest.parsers._shell_command import command_pattern, read_shell_command
from ingest.plugin_api import CommandOptions

TOOL = "ior"
SHELL_COMMAND = command_pattern(r"ior|IOR")
BANNER = lazy(r"^[\s>|#+]*IOR-(\d[\w.+-]*): MPI Coordinated Test of Parallel I/O")
_BEGAN = lazy(r"^[\s>|#+]*(?:Run began|Began|StartTime|Test \d+ started)\s*:\s*(\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})")
_COMMAND = lazy(r"^[\s>|#+]*Command line(?: used)?\s*:\s*(\S.*)$")
_MACHINE = lazy(r"^[\s>|#+]*Machine\s*:\s*(\w+) ([\w.-]+)(?: (\S+) (.*))?$")
_TEST = lazy(r"^[\s>|#+]*(?:TestID\s*:\s*(\d+)|Test (\d+) started:)")
_OPTION = lazy(r"^[\s>|#+]*([A-Za-z][\w ]{2,24}?)\s*[=:]\s*(\S.*)$")
_SECTION = lazy(r"^[\s>|#+]*(?:Options|Parameters|Summary)\s*:\s*$")  # heads of the lists of options
HEAD_PATTERNS = (_BEGAN, _COMMAND, _MACHINE, _TEST)  # lines above the options
_SIZE = lazy(r"^(\d+(?:\.\d+)?) (bytes|[KMGTPE]iB)$")
_ARGUMENT = lazy(r"^(\d+)([kKmMgGtT]?)$")
_ARCH = lazy(r"\b(x86_64|aarch64|ppc64le|ppc64|i[3-6]86|riscv64|s390x)\b")
_POWERS = {"bytes": 0, "KiB": 1, "MiB": 2, "GiB": 3, "TiB": 4, "PiB": 5, "EiB": 6}
_LETTERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_COUNTS = {
    "nodes": "nodes",
    "tasks": "processes",
    "segments": "segments",
    "repetitions": "repetitions",
    "clients per node": "tasks_per_node",
}
_SIZES = {"xfersize": "transfer_size", "blocksize": "block_size", "aggregate filesize": "total_size"}
_OPEN = {"stonewallingTime"}  # shown by a descriptive parameter as well
_PATHS = {"test filename", "testFileName"}
_TEXTS = {"type": "type", "ordering inter file": "ordering_inter_file", "stonewallingTime": "stonewall_time"}


class PrintedAggregate(NamedTuple):
    """A figure over repetitions as printed: its text, its line, further lines that it depends on, parameters that these tell."""

    raw: str
    line: int
    depends: tuple[int, ...] = ()
    params: Mapping[str, object] = MappingProxyType({})

    def agrees_with(self, raw: str) -> bool:
        """Whether another print of the figure is the same one, within half a unit of the last digit of the coarser."""
        one, other = Decimal(self.raw), Decimal(raw)
        exponent = max(_last_place(one), _last_place(other))
        return abs(one - other) <= Decimal(f"0.501e{exponent}") if one != other else True

    def is_finer_than(self, raw: str) -> bool:
        """Whether it has more decimals than another print."""
        return _last_place(Decimal(self.raw)) < _last_place(Decimal(raw))


def _last_place(number: Decimal) -> int:
    """The exponent of the last digit: -2 for 12.34."""
    return int(number.as_tuple().exponent)


@dataclass(slots=True)
class IorTest:
    """One test of an IOR run: what its values share, and what was read of it so far."""

    start: int
    version: str | None = None
    number: int = 0
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, tuple[Any, int]] = field(default_factory=dict)  # configuration key -> value, line
    random: bool = False
    depends: dict[str, int] = field(default_factory=dict)  # what was read -> its line
    section: int = 0  # last line of the list of options, of which this may be the next
    has_error: bool = False
    has_table: bool = False
    has_untitled_rows: bool = False
    printed_maxima: set[str] = field(default_factory=set)  # operations with a `Max Write` or `Max Read` line
    row_counts: dict[str, int] = field(default_factory=dict)  # operation -> rows of the table
    repetitions: dict[tuple[str, str], list[tuple[float, int]]] = field(default_factory=dict)  # (operation, column) -> value, line
    aggregates: dict[tuple[str, str], PrintedAggregate] = field(default_factory=dict)  # (operation, column) -> the one taken

    def operation(self, access: str) -> str:
        """The operation of the catalogue for `read`, `write` or `remove`."""
        if access == "remove":
            return "file_remove"
        return f"random_{access}" if self.random else access

    def next_test(self, number: int, line: int) -> IorTest:
        """Another test of the same run, beginning on `line`."""
        of_command = {"command", "fsync", "direct", "contents", *command_params(TOOL, self.params.get("command", ""), self.version)}
        params = {key: value for key, value in self.params.items() if key in of_command}
        shared_lines = ("version", "command", "began", "machine")
        return IorTest(
            line,
            self.version,
            number,
            self.started,
            params,
            dict(self.configuration),
            depends={name: at for name, at in self.depends.items() if name.split()[0] in shared_lines},
        )


def read_test_line(test: IorTest, line: str, number: int) -> bool:
    """Read a line of the head or of the option list into the test; False where it is neither."""
    if began := _BEGAN.match(line):
        test.started = parse_date(began[1])
        test.depends["began"] = number
    elif command := _COMMAND.match(line):
        set_command(test, command[1])
        test.depends["command"] = number
    elif machine := _MACHINE.match(line):
        set_machine(test, machine.groups(), number)
        test.depends["machine"] = number
    elif pair := parse_option(line):
        return set_option(test, *pair, number)
    else:
        return False
    return True


def parse_option(line: str) -> tuple[str, str] | None:
    """Key and value of a line with the form of an option; None for another line."""
    pair = _OPTION.match(line)
    return (pair[1].strip(), pair[2]) if pair else None


def repeats_option(test: IorTest, line: str) -> bool:
    """Whether the line repeats an option of the test after results: another test begins without a heading."""
    if not (test.aggregates or test.repetitions):
        return False
    pair = parse_option(line)
    return pair is not None and pair[0] in test.depends


def find_test_number(line: str) -> int | None:
    """The number of the test that begins on the line; None for another line."""
    heading = _TEST.match(line)
    return int(heading[1] or heading[2]) if heading else None


def parse_date(printed: str) -> str | None:
    """`Sat Nov 21 04:39:02 2026` in ISO 8601, without offset, since none is printed; None for another text."""
    try:
        return datetime.strptime(" ".join(printed.split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None


def set_command(test: IorTest, command: str) -> Mapping[str, str]:
    """Set the command, and from its options those that the list lacks or rounds: sizes, fsync, direct, random. All options."""
    test.params |= {"command": command, **command_params(TOOL, command, test.version)}
    _drop_default_phases(test)
    given = read_command(TOOL, command)
    for option, name in (("blockSize", "block_size"), ("transferSize", "transfer_size")):
        if size := _ARGUMENT.match(given.get(option, "")):
            test.params.setdefault(name, int(size[1]) * 1024 ** _LETTERS[size[2].lower()])
    if given.get("segmentCount", "").isdecimal():
        test.params.setdefault("segments", int(given["segmentCount"]))
    modes = [value for option, value in (("fsync", "on"), ("fsyncPerWrite", "per write")) if _is_on(given, option)]
    if modes:
        test.params["fsync"] = ", ".join(modes)
    if _is_on(given, "useO_DIRECT"):
        test.params["direct"] = "on"
    if given.get("dataPacketType", "").lower() in ("r", "random", "i", "incompressible"):
        test.params["contents"] = "random"
    test.random = test.random or _is_on(given, "randomOffset")
    return given


def _is_on(given: Mapping[str, str], *options: str) -> bool:
    """Whether one of the switches is given, and not as 0."""
    return any(given.get(option, "0") != "0" for option in options)


def set_shell_command(test: IorTest, command: str, tasks: int | None) -> None:
    """Set a command shown above a result without head: also what the option list would show."""
    given = set_command(test, command)
    if given.get("repetitions", "").isdecimal():
        test.params["repetitions"] = int(given["repetitions"])
    if given.get("api", "").isalnum():
        test.params["api"] = given["api"]
    access = "file-per-process" if _is_on(given, "filePerProc") else "single-shared-file"
    test.params["access"] = f"{access}, collective" if _is_on(given, "collective") else access
    if tasks is not None:
        test.params["processes"] = tasks


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output; a script of IOR's own (-f) may set anything."""
    test, shown = IorTest(0, version), read_shell_command(SHELL_COMMAND, [command], 1)
    if shown is None:
        return ()
    set_shell_command(test, shown.text, shown.tasks)
    return () if "ior.scriptFile" in test.params else [CommandOptions(test.params)]


def set_machine(test: IorTest, words: tuple[str | None, ...], number: int) -> None:
    """Set system, host, kernel and architecture from `Linux vm`, in 2.x and from 3.0 on with release, version and machine of
    uname."""
    family, host, kernel, rest = words
    test.configuration["os.family"], test.configuration["host"] = (family, number), (host, number)
    if kernel:
        test.configuration["kernel"] = (kernel, number)
    if rest and (arch := _ARCH.search(rest)):
        test.configuration["arch"] = (arch[1], number)


def begin_section(test: IorTest, line: str, number: int) -> bool:
    """Whether the line is the head of a list of options, all lines of which count."""
    is_head = _SECTION.match(line) is not None
    if is_head:
        test.section = number
    return is_head


def set_option(test: IorTest, key: str, value: str, number: int, *, is_listed: bool = False) -> bool:
    """Set one line of the option list; False where the key is none of it. `is_listed`: it stands in such a list."""
    if test.section and number == test.section + 1:
        test.section, is_listed = number, True
    is_known = _set_named(test, key, value, number)
    if key == "ordering inter file":
        _set_open(test, _read_task_order(value))
    elif is_listed and (not is_known or key in _OPEN):
        _set_open(test, {key: count_kinds([value]) if key in _PATHS else value})
        test.depends[key] = number
    return is_known or is_listed


def _set_open(test: IorTest, options: Mapping[str, str]) -> None:
    """The options of a dump that have no parameter of ours and are not off; those of the command are more exact."""
    given = {_usual_name(key): value for key, value in options.items() if value not in ("0", "(null)", "")}
    test.params = {**open_params(TOOL, given, test.version), **test.params}
    _drop_default_phases(test)


def _usual_name(key: str) -> str:
    """The name of a dump's option as that of the directive: `task offset`, `fsyncperwrite`."""
    known = key.lower().replace(" ", "_")
    return known if known in TOOLS[TOOL].synonyms else key


def _read_task_order(value: str) -> dict[str, str]:
    """`constant task offsets = 1` and `random task offsets >= 1, seed=0`: which tasks read what others wrote."""
    kind, offset, seed = value.partition(" ")[0], re.search(r"=\s*(\d+)", value), re.search(r"seed\s*=\s*(\d+)", value)
    order = {"constant": "reorderTasks", "random": "reorderTasksRandom"}.get(kind)
    if order is None:
        return {}
    return {order: "1", "task offset": offset[1] if offset else "", "reorder random seed": seed[1] if seed else ""}


def _drop_default_phases(test: IorTest) -> None:
    """Writing and reading is what IOR does without -w and -r."""
    if {"ior.writeFile", "ior.readFile"} <= test.params.keys():
        test.params = {key: value for key, value in test.params.items() if key not in ("ior.writeFile", "ior.readFile")}


def _set_named(test: IorTest, key: str, value: str, number: int) -> bool:
    """Set an option that has a parameter of ours; False for another."""
    if key in _COUNTS and value.isdecimal():
        test.params[_COUNTS[key]] = int(value)
    elif key in _SIZES:
        _set_size(test, _SIZES[key], value)
    elif key == "api":
        test.params["api"] = re.split(r"[\s(]", value)[0]
    elif key == "access":
        access, _, kind = value.partition(", ")
        test.params["access"] = value if kind == "collective" else access
    elif key == "ordering in a file":
        test.random = value.startswith("random")
        test.params["pattern"] = "random" if test.random else "sequential"
    elif key == "clients":
        _set_clients(test, value)
    elif key == "pattern" and (segments := re.search(r"\((\d+) segments?\)", value)):
        test.params["segments"] = int(segments[1])
    elif key in _TEXTS:
        test.params[_TEXTS[key]] = value
        if key == "type" and value == "collective" and "access" in test.params:
            test.params["access"] += ", collective"
    else:
        return False
    test.depends[key] = number
    return True


def _set_size(test: IorTest, name: str, printed: str) -> None:
    """`1 MiB` -> 1048576. A rounded size (`9.46 TiB`) is skipped: an exact source may follow."""
    size = _SIZE.match(printed)
    if size and "." not in size[1]:
        test.params[name] = int(size[1]) * 1024 ** _POWERS[size[2]]


def _set_clients(test: IorTest, value: str) -> None:
    clients = re.match(r"(\d+) \((\d+) per node\)", value)
    if clients:
        test.params["processes"], test.params["tasks_per_node"] = int(clients[1]), int(clients[2])
