"""Clues with the files that contain them, and filters for clues that do not apply to a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest.configuration.subjects import keys_of_file_systems, keys_of_other_pools
from ingest.open_keys import OF_FILE_SYSTEMS
from ingest.records import Clue

_ANCHORS = (
    ("os.family", ("os.", "kernel", "sysctl.", "module.", "system.")),
    ("kernel", ("os.",)),
    ("fs.type", ("pool.", "fs.", *OF_FILE_SYSTEMS)),
)
_FORMATS = {"ext4.": ("ext2", "ext3", "ext4", "ldiskfs"), "xfs.": ("xfs",), "btrfs.": ("btrfs",), "lustre.": ("lustre",)}


@dataclass(slots=True)
class LocatedClue:
    """A clue with the file that contains it."""

    file: str
    clue: Clue

    @property
    def reference(self) -> str:
        return "stated" if self.clue.kind == "stated" and not self.clue.line else f"{self.file}:{self.clue.line}"


def stated_clues(stated: Mapping[str, Any]) -> dict[str, LocatedClue]:
    """Configuration that a person states, as clues without a line."""
    return {key: LocatedClue("", Clue(0, key, value, str(value), "stated")) for key, value in stated.items()}


def find_last_in_transcript(sources: list[LocatedClue]) -> LocatedClue | None:
    """The last of the clues for other files, if all are of one file in which a command changed the value; else None."""
    if len({source.file for source in sources}) > 1 or not any(source.clue.effect == "sets" for source in sources):
        return None
    return max(sources, key=lambda source: source.clue.line)


def drop_file_system_of_disk(clues: dict[str, LocatedClue], path: str | None) -> dict[str, LocatedClue]:
    """The clues without those about file systems and pools, if a bare disk was measured."""
    for key in keys_of_file_systems({key: source.clue for key, source in clues.items()}, path):
        del clues[key]
    return clues


def drop_other_formats(clues: dict[str, LocatedClue]) -> None:
    """Remove properties of a file system of another type than `fs.type`, such as that of the machine's root, unless stated."""
    type_clue = clues.get("fs.type")
    for prefix, types in _FORMATS.items() if type_clue else ():
        if type_clue and type_clue.clue.value not in types:
            for key in [key for key, source in clues.items() if key.startswith(prefix) and source.clue.kind != "stated"]:
                del clues[key]


def drop_other_pools(clues: dict[str, LocatedClue], pool: str) -> None:
    """Remove clues about other pools than the one that the tool prints."""
    for key in keys_of_other_pools({key: source.clue for key, source in clues.items()}, pool):
        del clues[key]


def drop_other_systems(outer: dict[str, LocatedClue], inner: Mapping[str, LocatedClue]) -> None:
    """Remove from `outer` the keys of another system or file system than that in `inner`."""
    for anchor, family in _ANCHORS:
        near, far = inner.get(anchor), outer.get(anchor)
        if near is None or far is None or near.clue.value == far.clue.value:
            continue
        for key in [key for key in outer if key.startswith(family) or key == anchor]:
            del outer[key]
