"""The workload that an elbencho command line, or the columns of CSV and JSON beside it, give (elbencho --help-all)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber, parse_duration
from ingest.options import command_params, read_command
from ingest.records import Doubt, Found, Value

# One phase of elbencho, in whichever form its result is printed, and its values.

TOOL = "elbencho"
FIRST_DONE = "first done"
STAT_NAMES = {"min": "min", "avg": "mean", "max": "max"}
DIRECTIONS = {"wr": "write", "rd": "read", "write": "write", "read": "read", "total": "mixed"}
PHASE_NAME = r"[A-Z][A-Z_]{2,15}(?:-T)?\d{0,4}(?:\+[a-z])*"  # of a phase
_OPERATIONS = {
    "MKDIRS": "dir_create", "RMDIRS": "dir_remove", "STATDIRS": "dir_stat", "MKBUCKETS": "dir_create", "RMBUCKETS": "dir_remove",
    "STAT": "file_stat", "RMFILES": "file_remove", "RMOBJECTS": "file_remove", "RMOBJ": "file_remove", "MULTIDEL": "file_remove",
    "STATOBJ": "file_stat", "HEADOBJ": "file_stat", "LISTOBJ": "list", "LISTOBJ_P": "list", "SYNC": "fsync",
}  # fmt: skip
_UNNAMED_PHASES = {"MKDIRS", "RMDIRS", "STATDIRS", "STAT", "RMFILES", "WRITE", "READ"}
_ENTRY_OPERATIONS = {"write": "file_create", "read": "file_read", "mixed": "mixed"}
_PREPARING_PHASES = ("DROPCACHE", "SYNC")
_MIXED_PHASE = lazy(r"(?:RWMIX|MIX-T)\d")
_DATE = lazy(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d:?\d\d|Z)?\Z")


@dataclass(slots=True)
class ElbenchoPhase:
    """One phase of one execution. `line`: its first line, `run`: that of the first phase of the execution."""

    name: str
    line: int
    run: int
    version: str | None = None
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: tuple[int, ...] = ()
    _params_by_part: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _depends_by_line: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def prepares(self) -> bool:
        """Whether it only prepares other phases, so that a time of zero needs no warning."""
        return self.name in _PREPARING_PHASES

    @property
    def moves(self) -> bool:
        """Whether it writes or reads data."""
        return self.name.partition("+")[0] in ("WRITE", "READ") or bool(_MIXED_PHASE.match(self.name))

    def operation(self, entries: bool, direction: str = "") -> str:
        """The operation of the catalogue; `entries`: files or directories are counted, not blocks or bytes."""
        if not self.moves:
            return _OPERATIONS.get(self.name, "run")
        operation = DIRECTIONS.get(direction) or ("mixed" if self._is_mixed else self.name.partition("+")[0].lower())
        if entries:
            return _ENTRY_OPERATIONS[operation]
        pattern = self.params.get("pattern")
        if pattern == "random" and operation in ("write", "read"):
            return f"random_{operation}"
        return "backward_read" if pattern == "backward" and operation == "read" else operation

    def value(self, line: int, metric: str, native: str, number: PrintedNumber, *, stat: str = "sample", part: str = "") -> Value:
        """A value of this phase; `native` without the name of the phase."""
        return Value(
            line=line,
            tool=TOOL,
            tool_version=self.version,
            metric=intern(metric),
            native=intern(f"{self.name} {native}"),
            value=number.value,
            unit=number.unit,
            raw=number.raw,
            raw_unit=number.raw_unit,
            run=self.run,
            stat=stat,
            params=self._shared_params(part),
            started_at=self.started,
            depends=self._shared_depends(line),
        )

    def elapsed(self, line: int, native: str, number: PrintedNumber, part: str) -> Iterator[Found]:
        """The time of the phase, with a warning if it is too short to be printed."""
        if number.value == 0 and not self.prepares:
            yield Doubt(line, "zero-time", f"{self.name} {native}: less than a millisecond")
        yield self.value(line, f"{self.operation(entries=False)}.elapsed", native, number, part=part)

    def zero_rate(self, line: int, native: str) -> Doubt:
        """The warning beside a rate of 0: whole numbers are cut off."""
        return Doubt(line, "unmeasured", f"{self.name} {native}: 0 means less than one, or no time at all")

    @property
    def _is_mixed(self) -> bool:
        return bool(_MIXED_PHASE.match(self.name))

    def _shared_params(self, part: str) -> Mapping[str, Any]:
        """The parameters of a part, one object for all its values: a dict for each would take more memory than the value."""
        params = self._params_by_part.get(part)
        if params is None:
            params = {**self.params, **({"part": part} if part else {}), **self._name_param()}
            self._params_by_part[part] = params
        return params

    def _name_param(self) -> Mapping[str, str]:
        if self._is_mixed:
            return {"mix": self.name}
        if self.operation(entries=False) == "run":
            return {"operation": self.name}
        return {"phase": self.name} if self.name not in _UNNAMED_PHASES else {}

    def _shared_depends(self, line: int) -> tuple[int, ...]:
        depends = self._depends_by_line.get(line)
        if depends is None:
            depends = self._depends_by_line[line] = tuple(sorted({self.line, *self.depends} - {line, 0}))
        return depends


@dataclass(slots=True)
class RunGrouping:
    """Which phases in rows or objects are one execution: those of one command, as long as no phase is repeated."""

    line: int = 0
    command: str | None = None
    names: set[str] = field(default_factory=set)

    def add(self, name: str, command: str | None, line: int) -> int:
        """The first line of the execution to which this phase belongs."""
        if not self.line or command != self.command or name in self.names:
            self.line, self.command, self.names = line, command, set()
        self.names.add(name)
        return self.line


def parse_phase_time(text: str) -> PrintedNumber | None:
    """A printed time in seconds: `82ms`, `16.248s`, `2m3.241s`, `1h0m0s`, `1583us`; None if it is none."""
    for unit, per_second in (("us", 1e6), ("ms", 1e3)):
        if text.endswith(unit):
            raw = text.removesuffix(unit)
            is_number = re.fullmatch(r"\d{1,15}(?:\.\d{1,3})?", raw)
            return PrintedNumber(float(raw) / per_second, "s", raw, unit) if is_number else None
    if not text.endswith("s") or text[:1] not in "0123456789" or (seconds := parse_duration(text)) is None:
        return None
    return PrintedNumber(seconds, "s", text[:-1] if re.fullmatch(r"[\d.]+s", text) else text, "s")


def parse_date(text: str) -> str | None:
    """`2025-09-30T00:59:57+0000` with a colon in its offset; None if it is no date."""
    match = _DATE.match(text.strip())
    if not match:
        return None
    zone = match[2] or ""
    zone = zone if zone in ("", "Z") or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    try:
        datetime.fromisoformat(match[1])
    except ValueError:
        return None
    return match[1] + ("+00:00" if zone == "Z" else zone)


_SIZE = lazy(r"(\d{1,15})([KMGTPE]?)[a-z]{0,2}\Z", re.I)
_COUNT_OPTIONS = {
    "threads": "threads",
    "size": "file_size",
    "block": "block_size",
    "dirs": "dirs",
    "files": "files_per_dir",
    "iodepth": "iodepth",
}
_DEFAULTS = {"threads": 1, "block_size": 1 << 20, "iodepth": 1}  # elbencho --help-all
_SECRET = lazy(r"(--s3(?:key|secret)\"?[= ]\"?)[^\s\"]+")
_COUNT = lazy(r"\d{1,18}\Z")
_PROGRAM = lazy(r'^"[^"]*"')


def parse_size(text: str) -> int | None:
    """Bytes of `4K`, `1g`, `131072`; K is 1024 (numHumanToBytesBinary() of UnitTk.cpp). None if the text is no size."""
    match = _SIZE.match(text)
    return int(match[1]) * 1024 ** " KMGTPE".index(match[2].upper() or " ") if match else None


def read_workload(
    command: str | None,
    counts: Mapping[str, str | None],
    *,
    is_random: bool | None,
    is_direct: bool,
    words: Mapping[str, str | None],
) -> dict[str, Any]:
    """Parameters of a phase in CSV or JSON: its columns, before what the command gives.

    `counts` and `words`: cells by the name of the parameter; those that are missing or damaged are left out.
    """
    params: dict[str, Any] = parse_command(_PROGRAM.sub("elbencho", command)) if command else {"pattern": "unknown"}
    for name, raw in counts.items():
        if raw and _COUNT.match(raw):
            params[name] = int(raw)
    if is_random is not None:
        sequential = params["pattern"] if params["pattern"] == "backward" else "sequential"
        params["pattern"] = "random" if is_random else sequential
    if is_direct:
        params["direct"] = "on"
    return params | {name: word for name, word in words.items() if word}


def parse_command(command: str) -> dict[str, Any]:
    """Parameters that a command line gives, from the word `elbencho` on; of an empty one the pattern is unknown."""
    if not command.strip():
        return {"pattern": "unknown"}
    is_whole = _has_all_quotes(command)
    given = read_command(TOOL, command)
    params: dict[str, Any] = {"command": _SECRET.sub(r"\1***", command.strip()), **command_params(TOOL, command)}
    for option, name in _COUNT_OPTIONS.items():
        if option in given and (count := parse_size(given[option])) is not None:
            params[name] = count
        elif is_whole and option not in given and name in _DEFAULTS and "configfile" not in given:
            params[name] = _DEFAULTS[name]
    params["pattern"] = next((word for key, word in (("rand", "random"), ("backward", "backward")) if key in given), "sequential")
    return params | _switches(given)


def _has_all_quotes(command: str) -> bool:
    """Whether no quote is open: else the command was cut, so that defaults may not hold."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return True


def _switches(given: Mapping[str, str]) -> dict[str, Any]:
    """Parameters of options that have no number."""
    params: dict[str, Any] = {}
    if given.keys() & {"direct", "gds"}:
        params["direct"] = "on"
    if "mmap" in given:
        params["api"] = "MMAP"
    if given.keys() & {"s3endpoints", "s3key"}:
        params["api"] = "S3"
    if "timelimit" in given:
        params["timelimit"] = given["timelimit"]
    hosts = given.get("hosts", "")
    if hosts and not re.search(r"[\[$`]", hosts):
        params["nodes"] = len(re.findall(r"[^,\s]+", hosts))
    return params
