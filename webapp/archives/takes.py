"""What a warning left out and its owner takes: stated as TAKE of the warning's line, and read with the archive."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

import ingest
from ingest.catalogue import METRICS, QUANTITIES
from ingest.keys import KEYS, PARAMS
from ingest.records import HANDMADE, QUOTED, RUNS, TAKE
from webapp.archives.statements import StatementScope
from webapp.files import blobs
from webapp.models import Archive, Note

BUTTONS = {QUOTED: "Take as results", HANDMADE: "Say what its columns are"}
"""Code of warnings whose content can be taken -> the words of the button. What is stated is the code, or, of a handmade table, the
meaning of its columns, which a form asks for."""
_SAID_OF_ROWS = {"params.label": "a name of the row"} | {
    f"{kind}.{name}": keys[name].label
    for kind, keys, names in (
        ("config", KEYS, "fs.type pool.compression pool.layout disk.model host"),
        ("params", PARAMS, "block_size file_size threads processes iodepth"),
    )
    for name in names.split()
}
_LONGEST, _MOST_COLUMNS = 80, 100  # characters of what is typed; columns
_FIRST_BYTES, _FIRST_ROWS = 4 << 20, 8  # of a file in which a table is looked for; of a table that are shown


def meanings() -> dict[str, str]:
    """What a column may mean -> in words."""
    by_row = {f"row.{name}": f"{one.label}, of the operation that its row names" for name, one in QUANTITIES.items()}
    return _SAID_OF_ROWS | by_row | {name: metric.label for name, metric in METRICS.items()}


def read_columns(archive: Archive, note: Note) -> tuple[str, list[dict[str, Any]]]:
    """The tool and, for each column of the handmade table that a warning is about, title, first cells, and the meaning (in
    words, too) and unit that are proposed; no columns if the table is not found."""
    with blobs.local_path(archive.sha256) as kept, ingest.open_file(kept, archive.name, note.path) as raw:
        offer = ingest.offer_table(note.path, raw.read(_FIRST_BYTES), int(note.line)) if note.line.isdecimal() else None
    if offer is None:
        return "", []
    (table, meaning), columns = offer, list[dict[str, Any]]()
    for at, (title, proposed) in enumerate(zip(table.titles, meaning["columns"], strict=True)):
        name, _, unit = proposed.partition(" ")
        cells = [cells[at] if at < len(cells) else "" for _, cells in table.rows[:_FIRST_ROWS]]
        words = "a setting of your own" if name.startswith("config.x.") else meanings().get(name, "")
        columns.append({"title": title, "cells": cells, "meaning": name, "unit": unit, "words": words})
    return meaning["tool"], columns


def find_note(archive: Archive, note: int | None) -> Note | None:
    """The warning of that id, if what it left out can be taken."""
    return archive.notes.filter(code__in=BUTTONS, pk=note).exclude(line="").first() if note else None


def what_to_state(note: Note, posted: QueryDict) -> dict[StatementScope, dict[str, Any]]:
    """What is stated where the owner takes what the warning left out; nothing where no column of a table has figures."""
    line = int(note.line) if note.line.isdecimal() else note.line
    taken: Any = note.code
    if note.code == HANDMADE:
        pairs = zip(posted.getlist("column"), posted.getlist("unit"), strict=False)
        said = (" ".join(pair).replace("\0", "").split() if pair[0].strip() else [] for pair in pairs)
        columns = [" ".join(words)[:_LONGEST] for words in said][:_MOST_COLUMNS]
        if not any(column.partition(" ")[0] in meanings().keys() - _SAID_OF_ROWS.keys() for column in columns):
            return {}
        taken = {"tool": posted.get("tool", "").replace("\0", "").strip()[:_LONGEST], "columns": columns}
    return {StatementScope(RUNS, note.path, (line,)): {TAKE: taken}}
