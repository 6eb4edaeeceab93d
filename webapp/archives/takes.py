"""What a warning left out and its owner takes: stated as TAKE of the warning's line, and read with the archive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingest.records import QUOTED, RUNS, TAKE
from webapp.archives.statements import StatementScope
from webapp.models import Archive, Note

BUTTONS = {QUOTED: "Take as results"}
"""Code of warnings that one button takes -> its words; the code is what is stated."""


def find_note(archive: Archive, note: int | None) -> Note | None:
    """The warning of that id, if what it left out can be taken."""
    return archive.notes.filter(code__in=BUTTONS, pk=note).exclude(line="").first() if note else None


def what_to_state(note: Note, posted: Mapping[str, str]) -> dict[StatementScope, dict[str, Any]]:
    """What is stated where the owner takes what the warning left out."""
    line = int(note.line) if note.line.isdecimal() else note.line
    return {StatementScope(RUNS, note.path, (line,)): {TAKE: note.code}}
