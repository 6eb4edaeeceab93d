"""The head of an IOR log: version, command, machine, and the list of options as workload parameters.

`key = value` with a tab before it up to 3.1, `key : value` from 3.2 on (IOR's ShowTest, ShowSetup, PrintKeyVal).
Sizes are printed in powers of 1024, rounded to two decimals; a rounded size is not taken, the exact one of the command
or the table is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.lazy_regex import lazy

TOOL = "ior"
BANNER = lazy(r"^[\s>|#+]*IOR-(\d[\w.+-]*): MPI Coordinated Test of Parallel I/O")
_BEGAN = lazy(r"^[\s>|#+]*(?:Run began|Began|StartTime|Test \d+ started)\s*:\s*(\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4})")
_COMMAND = lazy(r"^[\s>|#+]*Command line(?: used)?\s*:\s*(\S.*)$")
_MACHINE = lazy(r"^[\s>|#+]*Machine\s*:\s*(\w+) ([\w.-]+)(?: (\S+) (.*))?$")
_TEST = lazy(r"^[\s>|#+]*(?:TestID\s*:\s*(\d+)|Test (\d+) started:)")
_OPTION = lazy(r"^[\s>|#+]*([A-Za-z][\w ]{2,24}?)\s*[=:]\s*(\S.*)$")
HEAD_PATTERNS = (_BEGAN, _COMMAND, _MACHINE, _TEST)  # what the lines above the options say
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
_SHOWN = {"type": "type", "ordering inter file": "ordering_inter_file", "stonewallingTime": "stonewall_time"}


@dataclass(slots=True)
class IorTest:
    """One test of an IOR run: what its values share."""

    start: int
    version: str | None = None
    number: int = 0
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    told: dict[str, tuple[Any, int]] = field(default_factory=dict)
    random: bool = False
    depends: dict[str, int] = field(default_factory=dict)
    tabled: bool = False
    naked: bool = False  # rows stand without their titles
    printed: set[str] = field(default_factory=set)
    shown: dict[str, int] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[tuple[float, int]]] = field(default_factory=dict)
    maxima: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)

    def operation(self, access: str) -> str:
        """The operation of the catalogue for `read`, `write` or `remove`."""
        if access == "remove":
            return "file_remove"
        return f"random_{access}" if self.random else access

    def next(self, number: int, line: int) -> IorTest:
        """Another test of the same run."""
        shared = {k: v for k, v in self.params.items() if k in ("command", "fsync", "direct")}
        return IorTest(
            line,
            self.version,
            number,
            self.started,
            shared,
            dict(self.told),
            depends={k: v for k, v in self.depends.items() if k.split()[0] in ("version", "command", "began", "machine")},
        )


def read_test_line(test: IorTest, line: str, number: int) -> bool:
    """Takes what the line says of the test; whether it said anything."""
    if found := _BEGAN.match(line):
        test.started = parse_date(found[1])
        test.depends["began"] = number
    elif found := _COMMAND.match(line):
        set_command(test, found[1])
        test.depends["command"] = number
    elif found := _MACHINE.match(line):
        set_machine(test, found.groups(), number)
        test.depends["machine"] = number
    elif told := option(line):
        return set_option(test, *told, number)
    else:
        return False
    return True


def option(line: str) -> tuple[str, str] | None:
    """Key and value of a line that may be one of the option list."""
    found = _OPTION.match(line)
    return (found[1].strip(), found[2]) if found else None


def repeats_option(test: IorTest, line: str) -> bool:
    """Whether the line is an option that the test has told before its results: another test, though nothing says so."""
    if not (test.maxima or test.rows):
        return False
    found = option(line)
    return found is not None and found[0] in test.depends


def find_test_number(line: str) -> int | None:
    """The number of the test that begins on the line."""
    found = _TEST.match(line)
    return int(found[1] or found[2]) if found else None


def parse_date(printed: str) -> str | None:
    """`Sat Nov 21 04:39:02 2026` in ISO 8601, without offset, since none is printed."""
    try:
        return datetime.strptime(" ".join(printed.split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None


def set_command(test: IorTest, command: str) -> None:
    """The command, and of its options those that the list does not show exactly (-b, -t, -e, -B)."""
    test.params["command"] = command
    words = command.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("-b", "-t") and (size := _ARGUMENT.match(following)):
            name = {"-b": "block_size", "-t": "transfer_size"}[word]
            test.params.setdefault(name, int(size[1]) * 1024 ** _LETTERS[size[2].lower()])
        elif word in ("-e", "-Y"):
            test.params["fsync"] = "on" if word == "-e" else "per write"
        elif word in ("-B", "--posix.odirect"):
            test.params["direct"] = "on"
        elif word == "-z":
            test.random = True


def set_shell_command(test: IorTest, command: str, tasks: int | None) -> None:
    """A command that stands above a result without head: also what the option list would show."""
    set_command(test, command)
    words = command.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("-s", "-i") and following.isdecimal():
            test.params[{"-s": "segments", "-i": "repetitions"}[word]] = int(following)
        elif word == "-a" and following.isalnum():
            test.params["api"] = following
    test.params["access"] = "file-per-process" if "-F" in words else "single-shared-file"
    if tasks is not None:
        test.params["processes"] = tasks


def set_machine(test: IorTest, words: tuple[str | None, ...], number: int) -> None:
    """`Linux vm`, from 2.x and 3.0 on with release, version and machine of uname."""
    family, host, kernel, rest = words
    test.told["os.family"], test.told["host"] = (family, number), (host, number)
    if kernel:
        test.told["kernel"] = (kernel, number)
    if rest and (arch := _ARCH.search(rest)):
        test.told["arch"] = (arch[1], number)


def set_option(test: IorTest, key: str, value: str, number: int) -> bool:
    """One line of the option list; whether the key is one of it."""
    if key in _COUNTS and value.isdecimal():
        test.params[_COUNTS[key]] = int(value)
    elif key in _SIZES:
        take_size(test, _SIZES[key], value)
    elif key == "api":
        test.params["api"] = re.split(r"[\s(]", value)[0]
    elif key == "access":
        access, _, kind = value.partition(", ")
        test.params["access"] = value if kind == "collective" else access
    elif key == "ordering in a file":
        test.random = value.startswith("random")
        test.params["pattern"] = "random" if test.random else "sequential"
    elif key == "clients":
        _take_clients(test, value)
    elif key == "pattern" and (found := re.search(r"\((\d+) segments?\)", value)):
        test.params["segments"] = int(found[1])
    elif key in _SHOWN:
        test.params[_SHOWN[key]] = value
        if key == "type" and value == "collective" and "access" in test.params:
            test.params["access"] += ", collective"
    else:
        return False
    test.depends[key] = number
    return True


def take_size(test: IorTest, name: str, printed: str) -> None:
    """`1 MiB` -> 1048576. A rounded size (`9.46 TiB`) is left to an exact source."""
    found = _SIZE.match(printed)
    if found and "." not in found[1]:
        test.params[name] = int(found[1]) * 1024 ** _POWERS[found[2]]


def _take_clients(test: IorTest, value: str) -> None:
    found = re.match(r"(\d+) \((\d+) per node\)", value)
    if found:
        test.params["processes"], test.params["tasks_per_node"] = int(found[1]), int(found[2])
