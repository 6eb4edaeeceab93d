"""What an iozone run says about itself before and between its tables.

The lines are those that iozone.c prints at start-up (iozone 3.x, `Output is in kBytes/sec`, `Record Size ...`, ...);
kBytes are 1024 bytes throughout (iozone documentation, "Output is in kBytes/sec").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import Value

TOOL = "iozone"
KIB = 1024

# Unit of every figure of a run -> (quantity, base unit, factor to it, the unit that the tool means).
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
# What stands in a run once, before its figures.
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
    (lazy(r"^[\s>|#/*]*Include close in write timing"), "close", "on"),
    (lazy(r"^[\s>|#/*]*Using mmap files", re.I), "mmap", "on"),
    (lazy(r"^[\s>|#/*]*Verify Mode\. Pattern"), "verify", "every byte"),
    (lazy(r"^[\s>|#/*]*I/O Diagnostic mode enabled"), "verify", "diagnostic"),
)
# What iozone prints with -V and -+d: it looks at every byte while its clock runs (iozone.c, verify_buffer).
INVALID_MODE = lazy(r"^[\s>|#/*]*Performance measurements are invalid in this mode\.")
# What options say that the head of the output says as well, where it was kept (iozone documentation).
_LETTERS = {
    "I": ("direct", "on"),
    "e": ("fsync", "on"),
    "o": ("sync_mode", "o_sync"),
    "c": ("close", "on"),
    "B": ("mmap", "on"),
    "V": ("verify", "every byte"),
    "+d": ("verify", "diagnostic"),
}
_SIZE_ARGUMENT = lazy(r"^(\d+)([kKmMgG]?)$")
_SCALE = {"": KIB, "k": KIB, "m": KIB**2, "g": KIB**3}
_Shared = tuple[dict[str, Any], dict[str, tuple[Any, int]], tuple[int, ...]]  # parameters, what is told, lines


@dataclass(slots=True)
class IozoneRun:
    """One execution of iozone as far as the text tells it; `cells` and `children` are what it has given so far.

    `start`: the line on which it begins, with its number among several of one line. `complete` is the line that says so, 0
    before it.
    """

    start: int | tuple[int, int]
    version: str | None = None
    started: str | None = None
    unit: str = "kbytes"
    params: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, Any] = field(default_factory=dict)
    told: dict[str, tuple[Any, int]] = field(default_factory=dict)
    depends: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[str, int, int], tuple[float, int, int]] = field(default_factory=dict)
    children: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    grids: list[tuple[int, str, int]] = field(default_factory=list)
    threaded: bool = False
    banner: bool = False
    complete: int = 0
    used: bool = False
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
        told: Mapping[str, tuple[Any, int]] | None = None,
    ) -> Value:
        """A figure of this run in its unit (KiB/s, operations/s or microseconds per operation).

        Figures given with one and the same `params` stand in one row: they share what the run adds to them.
        """
        quantity, base, factor, meant = UNITS[unit or self.unit]
        self.used = True
        if told is None and same_as is None and self.row and self.row[0] is params and self.row[1] == depends:
            params, told, depends = self.row[2]
        else:
            others = (same_as,) if isinstance(same_as, int) else ()
            shared = self.shared(params, (*depends, *others), told or {})
            self.row = (params, depends, shared) if told is None and same_as is None else None
            params, told, depends = shared
        figure = float(raw) * factor if factor >= 1 else float(raw) / round(1 / factor)
        return Value(
            line,
            TOOL,
            f"{operation}.{quantity}",
            native,
            figure,
            base,
            raw,
            meant,
            self.start,
            self.version,
            "sample",
            params,
            told,
            "measured",
            None,
            self.started,
            same_as,
            depends,
        )

    def shared(self, params: Mapping[str, Any], depends: tuple[int, ...], told: Mapping[str, tuple[Any, int]]) -> _Shared:
        """What the figures of one row share: parameters, what is told, and the lines on which they depend."""
        return {**self.params, **params}, {**self.told, **told}, tuple(sorted({*self.depends.values(), *depends}))

    def row_of(
        self,
        line: int,
        names: Sequence[tuple[str, str]],
        figures: Sequence[tuple[float, str]],
        params: Mapping[str, Any],
        depends: tuple[int, ...],
    ) -> list[Value]:
        """`value` for a whole row at once: (operation, native) and (figure, raw) of each column."""
        quantity, base, factor, meant = UNITS[self.unit]
        self.used = True
        params, told, depends = self.shared(params, depends, {})
        per = round(1 / factor)
        return [
            Value(
                line,
                TOOL,
                f"{operation}.{quantity}",
                native,
                figure * factor if factor >= 1 else figure / per,
                base,
                raw,
                meant,
                self.start,
                self.version,
                "sample",
                params,
                told,
                "measured",
                None,
                self.started,
                None,
                depends,
            )
            for (operation, native), (figure, raw) in zip(names, figures, strict=True)
        ]


def read_header_line(run: IozoneRun, line: str, number: int) -> bool:
    """Takes what the line says about the run; whether it said anything."""
    return any(step(run, line, number) for step in (_read_start, _read_sizes, _read_unit))


def find_command(line: str) -> str | None:
    """The iozone command that a shell line, a script or a heading shows."""
    found = _SHELL.search(line)
    return found.group(1) or found.group(2) if found else None


def set_command(run: IozoneRun, command: str, number: int) -> None:
    """The command as parameter, with the sizes and tests that its options name (`-s 64m -r 1m -i 0 -t 4`)."""
    run.params["command"] = command
    run.depends["command"] = number
    run.tests.clear()  # of the command as somebody announced it
    records: list[int] = []
    for option, argument in _options(command):
        size = _size(argument)
        if option == "i" and argument.isdecimal():
            run.tests.append(argument)
        elif option == "r" and size:
            records.append(size)
        elif option == "s" and size:
            run.sizes["file_size"] = size
        elif option == "t" and argument.isdecimal():
            run.sizes["processes"] = int(argument)
        elif option in "ON":
            run.unit = {"O": "ops", "N": "usec"}[option]
        elif option in _LETTERS:
            name, value = _LETTERS[option]
            run.params[name] = value
    if len(records) == 1:
        run.sizes["record_size"] = records[0]


def _options(command: str) -> Iterator[tuple[str, str]]:
    words = command.split()[1:]
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) and not words[at + 1].startswith("-") else ""
        if re.fullmatch(r"-[isrt]\S*", word):
            yield word[1], word[2:] or following
        elif word == "-+d":
            yield "+d", ""
        elif re.fullmatch(r"-[A-Za-z]+", word):
            yield from ((letter, "") for letter in word[1:] if letter in "ON" or letter in _LETTERS)
            if word[-1] in "isrt" and following:
                yield word[-1], following


def _size(argument: str) -> int | None:
    """`64m` -> bytes; a bare number is kBytes (iozone -s, -r)."""
    found = _SIZE_ARGUMENT.match(argument)
    return int(found.group(1)) * _SCALE[found.group(2).lower()] if found else None


def _read_start(run: IozoneRun, line: str, number: int) -> bool:
    if found := _VERSION.search(line):
        run.version = found.group(1) or found.group(2)
        run.depends["version"] = number
    elif found := _BEGAN.search(line):
        run.started = _moment(found.group(1))
        run.depends["began"] = number
    elif found := _COMMAND.search(line):
        set_command(run, found.group(1), number)
    elif found := _MACHINE.match(line):
        run.depends["machine"] = number
        run.told["os.family"], run.told["host"], run.told["kernel"] = ((found.group(i), number) for i in (1, 2, 3))
        if arch := _ARCH.search(found.group(4)):
            run.told["arch"] = (arch.group(1), number)
    else:
        return False
    return True


def _moment(printed: str) -> str | None:
    try:
        return datetime.strptime(" ".join(printed.split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None


def _read_sizes(run: IozoneRun, line: str, number: int) -> bool:
    if found := _EACH.search(line):
        run.sizes |= {"file_size": int(found.group(1)) * KIB, "record_size": int(found.group(2)) * KIB}
    elif found := _FILE_SIZE.match(line):
        run.sizes["file_size"] = int(found.group(1)) * KIB
    elif found := _RECORD.match(line):
        run.sizes["record_size"] = int(found.group(1)) * KIB
    elif found := _TEST.search(line):
        run.sizes["processes"] = int(found.group(1))
        run.threaded = found.group(2) == "thread"
    else:
        return False
    run.depends[f"size:{found.re.pattern}"] = number
    return True


def _read_unit(run: IozoneRun, line: str, number: int) -> bool:
    if found := _UNIT.match(line):
        run.unit = "kbytes" if found.group(1) else "ops" if found.group(2) else "usec"
        run.depends["unit"] = number
        return True
    for pattern, name, value in _SWITCHES:
        if pattern.match(line):
            run.params[name] = value
            run.depends[name] = number
            return True
    return False
