"""The results of all parsers and readers for one file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from ingest.detect.handmade_tables import HandmadeTable
from ingest.detect.script_commands import Script
from ingest.detect.sweep_scripts import Sweep
from ingest.plugin_api import Parser, Reader, SeriesReader
from ingest.records import Clue, Doubt, FoundSeries, Member, MissingValue, Value
from ingest.spill import CHUNK_SIZE, SpilledValues, ValueSpill
from ingest.text.line_wrap import JoinedLines
from ingest.text.lines import ShownCommand, Text
from ingest.text.sections import Sections
from ingest.transcript.clock import ClockTime
from ingest.transcript.device_counters import DeviceCounters

LOSSES = set(
    """
    short-row long-row bad-number no-header cut unread parser-failed unknown-unit broken-archive limit ambiguous
    failed-run
    """.split()
)
_Plugin = TypeVar("_Plugin", Parser, Reader)
_NO_MISSING: list[MissingValue] = []
_NO_CLUES: list[Clue] = []
_NO_SERIES: list[FoundSeries] = []
_NO_SERIES_READERS: list[SeriesReader] = []
_NO_DOUBTS: list[Doubt] = []
_NO_COMMANDS: list[ShownCommand] = []
_PARSERS: dict[tuple[int, ...], list[Parser]] = {}
_READERS: dict[tuple[int, ...], list[Reader]] = {}


def _shared_list(plugins: list[_Plugin], lists: dict[tuple[int, ...], list[_Plugin]]) -> list[_Plugin]:
    """One list for equal ones; parsers and readers are never freed, so that their id() is unique."""
    return lists.setdefault(tuple(map(id, plugins)), plugins)


NO_LINES: Mapping[int | str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file is that gave nothing, and the doubt about it. `is_always_said`: also where other files have results."""

    label: str
    code: str
    message: str
    is_always_said: bool = False


@dataclass(slots=True)
class FileFindings:
    """The results for one file. `parsers` and `readers`: those that found something."""

    path: str
    sha256: str
    size: int
    values: Sequence[Value] = ()  # set when all are known
    gathered: list[Value] = field(default_factory=list)  # while the file is read
    missing: list[MissingValue] = field(default_factory=list)
    clues: list[Clue] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    parsers: list[Parser] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    series: list[FoundSeries] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    series_readers: list[SeriesReader] = field(default_factory=list)
    commands: list[ShownCommand] = field(default_factory=list)
    clock: Sequence[ClockTime] = ()  # of a transcript
    counters: Sequence[DeviceCounters] = ()  # readings of what disks have moved
    sections: Sections | None = None  # of a text with headings
    sweeps: Sequence[Sweep] = ()  # of a shell script
    script: Script | None = None
    kind: FileKind | None = None  # of a file from which no parser took anything
    tables: Sequence[HandmadeTable] = ()  # with a warning
    cut: bool = False  # whether only its beginning could be unpacked
    origins: Sequence[int] | None = None  # the line of the file for each line of the text, if they differ
    joined: JoinedLines | None = None
    taken: Mapping[int | str, Any] = field(
        default_factory=lambda: NO_LINES, repr=False
    )  # line of the file -> what a person takes there
    spill: ValueSpill | None = field(default=None, repr=False)
    spilled: SpilledValues | None = field(
        default=None, repr=False
    )  # the first values of a file with too many for memory, until all are known

    def change(self, change: Callable[[Sequence[Value | MissingValue]], None]) -> None:
        """Have `change` set fields of the values, and of those missing, as many at a time as memory holds."""
        if isinstance(self.values, SpilledValues):
            self.values.change(change)
            change(self.missing)
        else:
            change([*self.values, *self.missing])

    @property
    def count(self) -> int:
        """Number of values, missing values, series, clues and doubts so far."""
        return (
            len(self.series)
            + len(self.gathered)
            + len(self.missing)
            + len(self.clues)
            + len(self.doubts)
            + (len(self.spilled) if self.spilled else 0)
        )

    def taken_at(self, line: int) -> Any:
        """What a person takes at a line of the text; None where nothing was stated."""
        return self.taken.get(self.origins[line - 1] if self.origins else line)

    def spill_gathered(self) -> int:
        """Spill whole chunks of the gathered values; the number of values that may be gathered before the next call."""
        if self.spill is None:
            return sys.maxsize
        self.spilled = self.spilled or self.spill.new_values()
        count = len(self.gathered) // CHUNK_SIZE * CHUNK_SIZE
        self.spilled.add(self.gathered[:count])
        del self.gathered[:count]
        return self.spill.capacity

    def share_lists(self) -> None:
        """Replace the lists, which are complete, by shared equal or empty ones, since many files have the same. They must not be
        changed from here on.
        """
        self.parsers, self.readers = _shared_list(self.parsers, _PARSERS), _shared_list(self.readers, _READERS)
        self.missing = self.missing or _NO_MISSING
        self.series, self.series_readers = self.series or _NO_SERIES, self.series_readers or _NO_SERIES_READERS
        self.clues, self.commands = self.clues or _NO_CLUES, self.commands or _NO_COMMANDS
        self.doubts = self.doubts or _NO_DOUBTS
        for doubt in self.doubts:
            doubt.message = sys.intern(doubt.message)

    def release(self) -> None:
        """Drop clues, commands and doubts, which are no longer needed."""
        self.clues, self.commands, self.doubts = _NO_CLUES, _NO_COMMANDS, _NO_DOUBTS

    @property
    def status(self) -> str:
        """parsed, partial, context, unrecognised or failed."""
        lost = any(doubt.code in LOSSES for doubt in self.doubts)
        if self.values or self.missing or self.series:
            return "partial" if lost else "parsed"
        if any(doubt.code == "parser-failed" for doubt in self.doubts):
            return "failed"
        if lost or self.parsers or self.series_readers:
            return "partial"
        return "context" if self.clues else "unrecognised"


# Caches the findings for files of the same bytes: context files repeat within an archive and across those of one machine.
#
# Only files without values and missing values are cached, since each of these is a record of its own, and only if no plug-in
# used the path of the file. Cached lists are shared and never changed.

_MAX_SIZE, _MAX_FILES, _MAX_TOTAL = 1 << 16, 4096, 16 << 20  # bytes of a file; files; bytes of all


_CACHED = tuple("clues parsers readers commands clock counters members sections sweeps script kind tables".split())


class FindingsCache:
    """Findings by content and base name."""

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str], tuple[Sequence[Doubt], list[Any]]] = {}
        self._size = 0  # of the files

    def fill(self, findings: FileFindings) -> bool:
        """Add the cached findings for such a file, after the doubts it has. False if there are none."""
        if not self._cache:
            return False
        cached = self._cache.get((findings.sha256, findings.path.rpartition("/")[2]))
        if cached is None:
            return False
        doubts, values = cached
        for name, value in zip(_CACHED, values, strict=True):
            setattr(findings, name, value)
        findings.doubts += doubts
        return True

    def keep(self, findings: FileFindings, text: Text, container_doubts: int) -> None:
        """Cache the findings, except the first `container_doubts` doubts, which are those of the container."""
        if findings.values or findings.missing or findings.series_readers or findings.size > _MAX_SIZE:
            return
        if text.path_used or text.origins is not None or findings.taken:
            return
        self._size += findings.size
        if len(self._cache) >= _MAX_FILES or self._size > _MAX_TOTAL:
            self._cache.clear()
            self._size = findings.size
        doubts = tuple(findings.doubts[container_doubts:])
        key = findings.sha256, findings.path.rpartition("/")[2]
        self._cache[key] = doubts, [getattr(findings, name) for name in _CACHED]
