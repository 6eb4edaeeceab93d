"""The head of an iozone run, and lines about it between its tables.

The lines are those that iozone.c prints at start-up (iozone 3.x, `Output is in kBytes/sec`, `Record Size ...`, ...);
kBytes are 1024 bytes throughout (iozone documentation, "Output is in kBytes/sec").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.lazy_regex import lazy
from ingest.options import command_params, open_params, read_command
from ingest.plugin_api import CommandOptions
from ingest.records import Value

TOOL = "iozone"
KIB = 1024

# Unit of every figure of a run -> (quantity, base unit, factor to it, raw unit).
UNITS = {
    "kbytes": ("throughput", "B/s", float(KIB), "KiB/s"),
    "ops": ("rate", "1/s", 1.0, "ops/s"),
    "usec": ("latency", "s", 1e-6, "us"),
    "cpu": ("cpu", "%", 1.0, "%"),
}

BANNER = lazy(r"^[\s>|#/*]*Iozone: Performance Test of File I/O", re.I)
_VERSION = lazy(r"Version \$Revision: (\d+(?:\.\d+)*) ?\$|Version\s+V?(\d+\.\d+)\b")
_BEGAN = lazy(r"Run began:\s+(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})")
_COMMAND = lazy(r"Command line used:\s*(\S.*)$")
# Lines that stand once in a run, before its figures.
ONCE_PER_RUN = lazy(r"(?:Run (?=began:)|^[\s>|#/*]*(?=Machine = \S)|(?=Command line used:))(began|Machine)?")
_SHELL = lazy(r"(?:^|[\s$#%>;])((?:\S{0,200}/)?iozone(?:\.exe)?\s+-\S.*)$|`((?:[^\s`]{0,200}/)?iozone\s+-[^`]{1,300})`")
_FILE_SIZE = lazy(r"^[\s>|#/*]*File size set to (\d+) [kK][bB]")
_RECORD = lazy(r"^[\s>|#/*]*Record Size (\d+) [kK][bB]")
_EACH = lazy(r"Each (?:process|thread) writes a (\d+) k[bB]yte file in (\d+) k[bB]yte records", re.I)
_TEST = lazy(r"Throughput test with (\d+) (process|thread)(?:es|s)?\b")
_MACHINE = lazy(r"^[\s>|#/*]*Machine = (\S+) (\S+) (\S+)(.*)$")
_ARCH = lazy(r"\b(x86_64|amd64|i[3-6]86|aarch64|arm64|armv\dl?|ppc64(?:le)?|s390x|riscv64|sparc64|ia64)\b")
_UNIT = lazy(r"^[\s>|#/*]*(?:Output is in ([kK]bytes)/sec|(OPS) Mode\.|(Microseconds)/op Mode\.)", re.I)
_SWITCHES = (
    (lazy(r"^[\s>|#/*]*Include fsync in write timing"), "fsync", "on"),
    (lazy(r"^[\s>|#/*]*O_DIRECT feature enabled", re.I), "direct", "on"),
    (lazy(r"^[\s>|#/*]*SYNC Mode\."), "sync_mode", "o_sync"),
    (lazy(r"^[\s>|#/*]*Verify Mode\. Pattern"), "verify", "every byte"),
    (lazy(r"^[\s>|#/*]*I/O Diagnostic mode enabled"), "verify", "diagnostic"),
)
# Options that the head names besides its command: text -> option, with the number behind it where it has one.
_HEAD_OPTIONS = {
    "Include fsync": "-e", "Include close": "-c", "Using mmap files": "-B", "Auto Mode": "-a", "No retest option": "-+n",
    "Multi_buffer": "-m", "Purge Mode On": "-p", "Enable mmap & file": "-Z", "Lock file when": "-W", "Disrupted read": "-K",
    "Using msync(MS_ASYNC)": "-D", "Using msync(MS_SYNC)": "-G", "Read & Write sync": "-+r", "O_DSYNC mode": "-+D",
    "Record locking mode": "-+l", "Record locking, shared": "-+L", "Think time is": "-+J", "Shared file mode": "-+V",
    "Sequential Mixed": "-+B", "No Verify mode": "-+E", "Short circuit mode": "-+X", "Using old data sets": "-+Z",
}  # fmt: skip
_HEAD_NUMBERS = {
    "Percent read in mix": "-+p", "Madvise enabled": "-+A", "Delay": "-+q", "Dedup activated": "-+w",
    "Dedup within & across": "-+y", "Dedup within": "-+C", "Rate control active": "-+O", "Binding of processors": "-P",
}  # fmt: skip
_NAMED, _NUMBERED = ("|".join(map(re.escape, names)) for names in (_HEAD_OPTIONS, _HEAD_NUMBERS))
HEAD_OPTION = rf"^[\s>|#/*]*(?:({_NAMED})|({_NUMBERED})\D{{1,40}}(\d{{1,9}})\b)"
_HEAD_OPTION = lazy(HEAD_OPTION)
# Printed with -V and -+d, which verify every byte within the measured time (iozone.c, verify_buffer).
INVALID_MODE = lazy(r"^[\s>|#/*]*Performance measurements are invalid in this mode\.")
# Options that the head of the output, where it was kept, shows as well (iozone documentation).
_SWITCHES_OF_COMMAND = {
    "-I": ("direct", "on"),
    "-e": ("fsync", "on"),
    "-o": ("sync_mode", "o_sync"),
    "-V": ("verify", "every byte"),
    "-+d": ("verify", "diagnostic"),
}
_SIZE_ARGUMENT = lazy(r"^(\d+)([kKmMgG]?)$")
_SCALE = {"": KIB, "k": KIB, "m": KIB**2, "g": KIB**3}
_Shared = tuple[dict[str, Any], dict[str, tuple[Any, int]], tuple[int, ...]]  # parameters, configuration, lines


@dataclass(slots=True)
class IozoneRun:
    """One execution of iozone; `cells` and `children` are its figures so far.

    `start`: the line on which it begins, with its index among several of one line. `complete`: the line that says so, else 0.
    """

    start: int | tuple[int, int]
    version: str | None = None
    started: str | None = None
    unit: str = "kbytes"
    params: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, tuple[Any, int]] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[str, int, int], tuple[float, int, int]] = field(default_factory=dict)
    children: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    zeros: dict[str, list[int]] = field(default_factory=dict)  # operation -> lines of throughputs that were printed as 0
    tests: list[str] = field(default_factory=list)
    grids: list[tuple[int, str, int]] = field(default_factory=list)
    threaded: bool = False
    has_banner: bool = False
    complete: int = 0
    has_values: bool = False
    row: tuple[Mapping[str, Any], tuple[int, ...], _Shared] | None = None

    def value(
        self,
        line: int | str,
        operation: str,
        native: str,
        raw: str,
        params: Mapping[str, Any],
        *,
        depends: tuple[int, ...] = (),
        same_as: int | str | None = None,
        unit: str | None = None,
        configuration: Mapping[str, tuple[Any, int]] | None = None,
    ) -> Value:
        """A figure of this run in its unit (KiB/s, operations/s or microseconds per operation).

        Consecutive figures with the identical `params` object are of one row and share the merged parameters.
        """
        quantity, base, factor, meant = UNITS[unit or self.unit]
        self.has_values = True
        if configuration is None and same_as is None and self.row and self.row[0] is params and self.row[1] == depends:
            params, configuration, depends = self.row[2]
        else:
            extra_lines = (same_as,) if isinstance(same_as, int) else ()
            shared = self.shared(params, (*depends, *extra_lines), configuration or {})
            self.row = (params, depends, shared) if configuration is None and same_as is None else None
            params, configuration, depends = shared
        figure = float(raw) * factor if factor >= 1 else float(raw) / round(1 / factor)
        return Value(
            line,
            TOOL,
            f"{operation}.{quantity}",
            native,
            figure,
            base,
            raw=raw,
            raw_unit=meant,
            run=self.start,
            tool_version=self.version,
            params=params,
            printed_config=configuration,
            started_at=self.started,
            same_as=same_as,
            depends=depends,
        )

    def shared(self, params: Mapping[str, Any], depends: tuple[int, ...], configuration: Mapping[str, tuple[Any, int]]) -> _Shared:
        """What the figures of one row share: parameters, configuration, and the lines on which they depend."""
        return {**self.params, **params}, {**self.configuration, **configuration}, tuple(sorted({*self.depends.values(), *depends}))


def read_header_line(run: IozoneRun, line: str, number: int) -> bool:
    """Read a line of the head into the run; False where it is none."""
    return any(step(run, line, number) for step in (_read_start, _read_sizes, _read_unit))


def find_command(line: str) -> str | None:
    """The iozone command in a shell line, a script or a heading; None without one."""
    command = _SHELL.search(line)
    return command.group(1) or command.group(2) if command else None


def set_command(run: IozoneRun, command: str, number: int) -> None:
    """Set the command as parameter, with its options and the sizes and tests that they give (`-s 64m -r 1m -i 0 -t 4`)."""
    for name in command_params(TOOL, run.params.get("command", "")):
        run.params.pop(name, None)  # of an earlier mention of the command
    run.params |= {"command": command, **command_params(TOOL, command)}
    run.depends["command"] = number
    given = read_command(TOOL, command)
    run.tests = [test for test in given.get("-i", "").split(",") if test.isdecimal()]
    records = [size for word in given.get("-r", "").split(",") if (size := _size(word))]
    if size := _size(given.get("-s", "").rpartition(",")[2]):
        run.sizes["file_size"] = size
    if (processes := given.get("-t", "").rpartition(",")[2]).isdecimal():
        run.sizes["processes"] = int(processes)
    run.unit = "ops" if "-O" in given else "usec" if "-N" in given else run.unit
    run.params |= {name: value for option, (name, value) in _SWITCHES_OF_COMMAND.items() if option in given}
    if (duplicated := given.get("-+w", "")).isdecimal() and int(duplicated):
        run.params["contents"] = f"duplicated {duplicated} %"
    if len(records) == 1:
        run.sizes["record_size"] = records[0]


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line gives that stands apart from the output."""
    run = IozoneRun(0, version)
    set_command(run, command, 0)
    return [CommandOptions({**run.params, **run.sizes})]


def _size(argument: str) -> int | None:
    """`64m` -> bytes; a bare number is kBytes (iozone -s, -r)."""
    size = _SIZE_ARGUMENT.match(argument)
    return int(size.group(1)) * _SCALE[size.group(2).lower()] if size else None


def _read_start(run: IozoneRun, line: str, number: int) -> bool:
    if match := _VERSION.search(line):
        run.version = match.group(1) or match.group(2)
        run.depends["version"] = number
    elif match := _BEGAN.search(line):
        run.started = _moment(match.group(1))
        run.depends["began"] = number
    elif match := _COMMAND.search(line):
        set_command(run, match.group(1), number)
    elif match := _MACHINE.match(line):
        run.depends["machine"] = number
        run.configuration["os.family"], run.configuration["host"], run.configuration["kernel"] = (
            (match.group(i), number) for i in (1, 2, 3)
        )
        if arch := _ARCH.search(match.group(4)):
            run.configuration["arch"] = (arch.group(1), number)
    else:
        return False
    return True


def _moment(printed: str) -> str | None:
    try:
        return datetime.strptime(" ".join(printed.split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None


def _read_sizes(run: IozoneRun, line: str, number: int) -> bool:
    if match := _EACH.search(line):
        run.sizes |= {"file_size": int(match.group(1)) * KIB, "record_size": int(match.group(2)) * KIB}
    elif match := _FILE_SIZE.match(line):
        run.sizes["file_size"] = int(match.group(1)) * KIB
    elif match := _RECORD.match(line):
        run.sizes["record_size"] = int(match.group(1)) * KIB
    elif match := _TEST.search(line):
        run.sizes["processes"] = int(match.group(1))
        run.threaded = match.group(2) == "thread"
    else:
        return False
    run.depends[f"size:{match.re.pattern}"] = number
    return True


def _read_unit(run: IozoneRun, line: str, number: int) -> bool:
    if unit := _UNIT.match(line):
        run.unit = "kbytes" if unit.group(1) else "ops" if unit.group(2) else "usec"
        run.depends["unit"] = number
        return True
    is_read = False
    if option := _HEAD_OPTION.match(line):
        given = _named_by(option)
        run.params |= given
        run.depends |= dict.fromkeys(given, number)
        is_read = bool(given)
    for pattern, name, value in _SWITCHES:
        if pattern.match(line):
            run.params[name] = value
            run.depends[name] = number
            return True
    return is_read


def _named_by(option: re.Match[str]) -> dict[str, str]:
    """The parameter of an option that a line of the head names."""
    return open_params(TOOL, {_HEAD_OPTIONS[option[1]] if option[1] else _HEAD_NUMBERS[option[2]]: option[3] or ""})
