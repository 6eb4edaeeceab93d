"""What a phase of elbencho is, in whatever form its result is printed, and how its figures become values.

Names of phases: PHASENAME_* of Common.h and benchPhaseToPhaseName() of TranslatorTk.cpp; `RWMIX70` is a write phase with
70 % reads, `MIX-T4` one with four threads that read, `+s` and `+r` a phase that also stats or reads each file.
FIRST DONE is what all threads together had done when the first of them was through with its share, LAST DONE the
result of the phase (docs/README of elbencho, "first done, last done, tail phase").
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration
from ingest.records import Value

TOOL = "elbencho"
FIRST_DONE = "first done"
STAT_NAMES = {"min": "min", "avg": "mean", "max": "max"}
DIRECTIONS = {"wr": "write", "rd": "read", "write": "write", "read": "read", "total": "mixed"}
PHASE_NAME = r"[A-Z][A-Z_]{2,15}(?:-T)?\d{0,4}(?:\+[a-z])*"  # of a phase
_PHASES = {
    "MKDIRS": "dir_create", "RMDIRS": "dir_remove", "STATDIRS": "dir_stat", "MKBUCKETS": "dir_create", "RMBUCKETS": "dir_remove",
    "STAT": "file_stat", "RMFILES": "file_remove", "RMOBJECTS": "file_remove", "RMOBJ": "file_remove", "MULTIDEL": "file_remove",
    "STATOBJ": "file_stat", "HEADOBJ": "file_stat", "LISTOBJ": "list", "LISTOBJ_P": "list", "SYNC": "fsync",
}  # fmt: skip
_PLAIN = {"MKDIRS", "RMDIRS", "STATDIRS", "STAT", "RMFILES", "WRITE", "READ"}
_ENTRIES = {"write": "file_create", "read": "file_read", "mixed": "mixed"}
_PREPARING = ("DROPCACHE", "SYNC")
_MIX = lazy(r"(?:RWMIX|MIX-T)\d")
_SIZE = lazy(r"(\d{1,15})([KMGTPE]?)[a-z]{0,2}\Z", re.I)
_LONG = {"threads": "t", "size": "s", "block": "b", "dirs": "n", "files": "N"}
_COUNTED = {"t": "threads", "s": "file_size", "b": "block_size", "n": "dirs", "N": "files_per_dir", "iodepth": "iodepth"}
_DEFAULTS = {"threads": 1, "block_size": 1 << 20, "iodepth": 1}  # elbencho --help-all
_SECRET = lazy(r"(--s3(?:key|secret)\"?[= ]\"?)[^\s\"]+")
_MOMENT = lazy(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d:?\d\d|Z)?\Z")


@dataclass(slots=True)
class ElbenchoPhase:
    """One phase of one execution. `line` is where it begins, `run` where the first phase of the execution does."""

    name: str
    line: int
    run: int
    version: str | None = None
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: tuple[int, ...] = ()
    _told: dict[tuple[tuple[str, Any], ...], Mapping[str, Any]] = field(default_factory=dict)
    _beside: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def prepares(self) -> bool:
        """Whether it only prepares others, so that nobody minds how short it was."""
        return self.name in _PREPARING

    @property
    def moves(self) -> bool:
        """Whether it writes or reads data."""
        return self.name.partition("+")[0] in ("WRITE", "READ") or bool(_MIX.match(self.name))

    def operation(self, entries: bool, direction: str = "") -> str:
        """The operation of the catalogue; `entries`: files or directories are counted, not blocks or bytes."""
        if not self.moves:
            return _PHASES.get(self.name, "run")
        told = DIRECTIONS.get(direction) or ("mixed" if _MIX.match(self.name) else self.name.partition("+")[0].lower())
        if entries:
            return _ENTRIES[told]
        pattern = self.params.get("pattern")
        if pattern == "random" and told in ("write", "read"):
            return f"random_{told}"
        return "backward_read" if pattern == "backward" and told == "read" else told

    def value(
        self, line: int, metric: str, native: str, figure: tuple[float, str, str, str], stat: str = "sample", **params: Any
    ) -> Value:
        """`figure`: value in the base unit, the unit, the text as printed, the unit that elbencho means."""
        number, unit, raw, meant = figure
        return Value(
            line=line,
            tool=TOOL,
            tool_version=self.version,
            metric=intern(metric),
            native=intern(f"{self.name} {native}"),
            value=number,
            unit=unit,
            raw=raw,
            raw_unit=meant,
            run=self.run,
            stat=stat,
            params=self._shared(params),
            started_at=self.started,
            depends=self._others(line),
        )

    def _shared(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The workload of a value, one object for all of the phase that have it: a dict for each weighs more than the value."""
        key = tuple(params.items())
        told = self._told.get(key)
        if told is None:
            told = self._told[key] = {**self.params, **params, **self._named()}
        return told

    def _named(self) -> Mapping[str, str]:
        if _MIX.match(self.name):
            return {"mix": self.name}
        if self.operation(entries=False) == "run":
            return {"operation": self.name}
        return {"phase": self.name} if self.name not in _PLAIN else {}

    def _others(self, line: int) -> tuple[int, ...]:
        found = self._beside.get(line)
        if found is None:
            found = self._beside[line] = tuple(sorted({self.line, *self.depends} - {line, 0}))
        return found


def parse_size(text: str) -> int | None:
    """`4K`, `1g`, `131072`: bytes, K is 1024 (numHumanToBytesBinary() of UnitTk.cpp). None where it is none."""
    found = _SIZE.match(text)
    return int(found[1]) * 1024 ** " KMGTPE".index(found[2].upper() or " ") if found else None


def parse_phase_time(text: str) -> tuple[float, str, str, str] | None:
    """The figure of a printed time: `82ms`, `16.248s`, `2m3.241s`, `1h0m0s`, `1583us`."""
    for suffix, many in (("us", 1e6), ("ms", 1e3)):
        if text.endswith(suffix):
            whole = re.fullmatch(r"\d{1,15}(?:\.\d{1,3})?", text[:-2])
            return (float(text[:-2]) / many, "s", text[:-2], suffix) if whole else None
    if not text.endswith("s") or text[:1] not in "0123456789" or (took := parse_duration(text)) is None:
        return None
    plain = text[:-1] if re.fullmatch(r"[\d.]+s", text) else text
    return took, "s", plain, "s"


def parse_date(text: str) -> str | None:
    """`2025-09-30T00:59:57+0000` with a colon in its offset; None where it is no date."""
    found = _MOMENT.match(text.strip())
    if not found:
        return None
    zone = found[2] or ""
    zone = zone if zone in ("", "Z") or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    try:
        datetime.fromisoformat(found[1])
    except ValueError:
        return None
    return found[1] + ("+00:00" if zone == "Z" else zone)


def parse_command(command: str) -> dict[str, Any]:
    """The workload that a command line tells, from the word `elbencho` on; without one its pattern is unknown."""
    whole = True
    try:
        words = shlex.split(command, comments=True)
    except ValueError:  # a quote that nothing closes: the command was cut, and what it does not tell is unknown
        words, whole = [word.strip("\"'") for word in command.split()], False
    if not words:
        return {"pattern": "unknown"}
    given = dict(_given(words[1:]))
    params: dict[str, Any] = {"command": _SECRET.sub(r"\1***", command.strip())}
    for key, name in _COUNTED.items():
        if key in given and (number := parse_size(given[key])) is not None:
            params[name] = number
        elif whole and key not in given and name in _DEFAULTS and not given.keys() & {"c", "configfile"}:
            params[name] = _DEFAULTS[name]
    params["pattern"] = next((word for key, word in (("rand", "random"), ("backward", "backward")) if key in given), "sequential")
    return params | _switches(given)


def _switches(given: Mapping[str, str]) -> dict[str, Any]:
    """What options without a number tell."""
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


def _given(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Option and argument; long options by their letter where they have one (boost::program_options' Unix style)."""
    waiting = ""
    for word in words:
        if waiting:
            yield waiting, word
            waiting = ""
        elif word.startswith("--"):
            name, _, argument = word[2:].partition("=")
            name = _LONG.get(name, name)
            if argument or name not in (*_COUNTED, "hosts", "timelimit", "configfile"):
                yield name, argument
            else:
                waiting = name
        elif word.startswith("-") and len(word) > 1:
            waiting = yield from _letters(word[1:])


def _letters(word: str) -> Any:
    """The options of `-wr`, `-t8`, `-rt`; gives back the one that waits for its argument."""
    for at, letter in enumerate(word):
        if letter in "tsbnNic":
            if word[at + 1 :]:
                yield letter, word[at + 1 :].lstrip("=")
                return ""
            return letter
        yield letter, ""
    return ""
