"""What the tests of the readers share: text in, clues and doubts out, by the way a file takes."""

from __future__ import annotations

from ingest.detect.detect import readers
from ingest.open_keys import namespace_of
from ingest.plugin_api import Reader
from ingest.records import Clue, Doubt
from ingest.text.decode import read_text

READERS = {reader.name: reader for reader in readers()}


def read_items(content: str | bytes, path: str = "file.txt", only: str | None = None) -> list[Clue | Doubt]:
    """Everything that the readers (or only one) find in a file; nothing of a reader whose anchor is not found."""
    data = content.encode() if isinstance(content, str) else content
    text, _ = read_text(path, data)
    if text is None:
        return []
    asked: list[Reader] = [READERS[only]] if only else list(READERS.values())
    return [
        one
        for reader in asked
        if reader.read is not None and (reader.anchor is None or reader.anchor.search(text.body))
        for one in reader.clues(text)
    ]


def read_clue_values(
    content: str | bytes, path: str = "file.txt", only: str | None = None, open_keys: bool | None = False
) -> dict[str, object]:
    """Key -> value of a text that tells each key once, of two unlike values a set of them.

    `open_keys`: of open ones alone, or (None) of all. The model of each disk is left out where that of all is told, too; so are
    the members of pools (`block.devices`).
    """
    values: dict[str, object] = {}
    clues = [clue for clue in read_items(content, path, only) if isinstance(clue, Clue) and clue.effect != "ends"]
    clues = [clue for clue in clues if open_keys in (None, namespace_of(clue.key) is not None) and clue.key != "block.devices"]
    joint = {clue.group for clue in clues if clue.key == "disk.model" and " + " in str(clue.value)}
    for clue in clues:
        if not (clue.key == "disk.model" and clue.group in joint and " + " not in str(clue.value)):
            known = values.setdefault(clue.key, clue.value)
            if known != clue.value:
                values[clue.key] = {*(known if isinstance(known, set) else {known}), clue.value}
    return values
