"""Clues with the files they stand in: what holds for a value, by key, and what of it does not concern it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest.configuration.subjects import keys_of_file_systems, keys_of_other_pools
from ingest.records import Clue

_ANCHORS = (("os.family", ("os.", "kernel")), ("kernel", ("os.",)), ("fs.type", ("pool.", "fs.")))


@dataclass(slots=True)
class LocatedClue:
    """A clue with the file it stands in."""

    file: str
    clue: Clue

    @property
    def place(self) -> str:
        return "stated" if self.clue.kind == "stated" and not self.clue.line else f"{self.file}:{self.clue.line}"


def stated_clues(stated: Mapping[str, Any]) -> dict[str, LocatedClue]:
    """What a person states, as sources without a line."""
    return {key: LocatedClue("", Clue(0, key, value, str(value), "stated")) for key, value in stated.items()}


def find_last_in_transcript(sources: list[LocatedClue]) -> LocatedClue | None:
    """Within one file the last one holds for everybody else, where a command changed it on the way."""
    if len({s.file for s in sources}) > 1 or not any(s.clue.effect == "sets" for s in sources):
        return None
    return max(sources, key=lambda s: s.clue.line)


def drop_file_system_of_disk(found: dict[str, LocatedClue], path: str | None) -> dict[str, LocatedClue]:
    """The same without file systems and pools where a bare disk was measured."""
    for key in keys_of_file_systems({key: source.clue for key, source in found.items()}, path):
        del found[key]
    return found


def drop_other_pools(found: dict[str, LocatedClue], pool: str) -> None:
    """Take out what is told of another pool than the one of which a tool prints that it measured it."""
    for key in keys_of_other_pools({key: source.clue for key, source in found.items()}, pool):
        del found[key]


def drop_other_systems(outer: dict[str, LocatedClue], inner: Mapping[str, LocatedClue]) -> None:
    """Take out of `outer` what belongs to another system or file system than `inner` tells of."""
    for anchor, family in _ANCHORS:
        near, far = inner.get(anchor), outer.get(anchor)
        if near is None or far is None or near.clue.value == far.clue.value:
            continue
        for key in [key for key in outer if key.startswith(family) or key == anchor]:
            del outer[key]
