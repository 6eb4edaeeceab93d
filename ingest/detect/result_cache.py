"""What was found in files of the same bytes: the context files of one archive repeat, those of one machine's archives too.

Only files without values are kept, since each value is a record of its own, and only those of which nobody asked the
folders they lie in. What is kept is shared and never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.detect.detect import FileFindings
from ingest.detect.readme_sections import Heading
from ingest.plugin_api import Parser, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import ShownCommand, Text

_LARGEST, _MOST = 1 << 16, 4096  # bytes of a file; files


@dataclass(frozen=True, slots=True)
class _CachedFindings:
    clues: list[Clue]
    doubts: Sequence[Doubt]
    parsers: list[Parser]
    readers: list[Reader]
    commands: list[ShownCommand]
    headings: Sequence[Heading]


class FindingsCache:
    """Findings by content and base name."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], _CachedFindings] = {}

    def fill(self, found: FileFindings) -> bool:
        """Whether such a file was seen before; then the findings are those of it, behind the doubts that they had."""
        if not self._seen:
            return False
        seen = self._seen.get((found.sha256, found.path.rpartition("/")[2]))
        if seen is None:
            return False
        found.clues, found.parsers, found.readers, found.commands = seen.clues, seen.parsers, seen.readers, seen.commands
        found.headings = seen.headings
        found.doubts += seen.doubts
        return True

    def keep(self, found: FileFindings, text: Text, before: int) -> None:
        """Remembers what was found in the text, but for the first `before` doubts, which are the container's."""
        if found.values or found.size > _LARGEST or text.path_used or text.origins is not None:
            return
        if len(self._seen) >= _MOST:
            self._seen.clear()
        self._seen[found.sha256, found.path.rpartition("/")[2]] = _CachedFindings(
            found.clues, tuple(found.doubts[before:]), found.parsers, found.readers, found.commands, found.headings
        )
