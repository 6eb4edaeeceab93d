"""Caches the findings for files of the same bytes: context files repeat within an archive and across those of one machine.

Only files without values and missing values are cached, since each of these is a record of its own, and only if no plug-in
used the path of the file. Cached lists are shared and never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.detect.findings import FileFindings, FileKind
from ingest.detect.readme_sections import Heading
from ingest.detect.sweep_scripts import Sweep
from ingest.plugin_api import Parser, Reader
from ingest.records import Clue, Doubt, Member
from ingest.text.lines import ShownCommand, Text
from ingest.transcript.clock import ClockTime

_MAX_SIZE, _MAX_FILES = 1 << 16, 4096  # bytes of a file; files


@dataclass(frozen=True, slots=True)
class _CachedFindings:
    clues: list[Clue]
    doubts: Sequence[Doubt]
    parsers: list[Parser]
    readers: list[Reader]
    commands: list[ShownCommand]
    clock: Sequence[ClockTime]
    members: list[Member]
    headings: Sequence[Heading]
    sweeps: Sequence[Sweep]
    kind: FileKind | None


class FindingsCache:
    """Findings by content and base name."""

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str], _CachedFindings] = {}

    def fill(self, findings: FileFindings) -> bool:
        """Add the cached findings for such a file, after the doubts it has. False if there are none."""
        if not self._cache:
            return False
        cached = self._cache.get((findings.sha256, findings.path.rpartition("/")[2]))
        if cached is None:
            return False
        findings.clues, findings.parsers, findings.readers, findings.commands = (
            cached.clues,
            cached.parsers,
            cached.readers,
            cached.commands,
        )
        findings.members, findings.headings = cached.members, cached.headings
        findings.sweeps, findings.kind, findings.clock = cached.sweeps, cached.kind, cached.clock
        findings.doubts += cached.doubts
        return True

    def keep(self, findings: FileFindings, text: Text, container_doubts: int) -> None:
        """Cache the findings, except the first `container_doubts` doubts, which are those of the container."""
        if findings.values or findings.missing or findings.series_readers or findings.size > _MAX_SIZE:
            return
        if text.path_used or text.origins is not None:
            return
        if len(self._cache) >= _MAX_FILES:
            self._cache.clear()
        self._cache[findings.sha256, findings.path.rpartition("/")[2]] = _CachedFindings(
            findings.clues,
            tuple(findings.doubts[container_doubts:]),
            findings.parsers,
            findings.readers,
            findings.commands,
            findings.clock,
            findings.members,
            findings.headings,
            findings.sweeps,
            findings.kind,
        )
