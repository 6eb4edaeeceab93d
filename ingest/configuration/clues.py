"""Clues with the files they stand in: what holds for a value, by key, and what of it does not concern it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest.configuration.subjects import of_other_pools, off_disk
from ingest.records import Clue

_ANCHORS = (("os.family", ("os.", "kernel")), ("kernel", ("os.",)), ("fs.type", ("pool.", "fs.")))


@dataclass(slots=True)
class Source:
    """A clue with the file it stands in."""

    file: str
    clue: Clue

    @property
    def place(self) -> str:
        return "stated" if self.clue.kind == "stated" and not self.clue.line else f"{self.file}:{self.clue.line}"


def as_stated(stated: Mapping[str, Any]) -> dict[str, Source]:
    """What a person states, as sources without a line."""
    return {key: Source("", Clue(0, key, value, str(value), "stated")) for key, value in stated.items()}


def last_of_one_transcript(sources: list[Source]) -> Source | None:
    """Within one file the last one holds for everybody else, where a command changed it on the way."""
    if len({s.file for s in sources}) > 1 or not any(s.clue.effect == "sets" for s in sources):
        return None
    return max(sources, key=lambda s: s.clue.line)


def bare(found: dict[str, Source], path: str | None) -> dict[str, Source]:
    """The same without file systems and pools where a bare disk was measured."""
    for key in off_disk({key: source.clue for key, source in found.items()}, path):
        del found[key]
    return found


def without_other_pools(found: dict[str, Source], pool: str) -> None:
    """Take out what is told of another pool than the one of which a tool prints that it measured it."""
    for key in of_other_pools({key: source.clue for key, source in found.items()}, pool):
        del found[key]


def part(outer: dict[str, Source], inner: Mapping[str, Source]) -> None:
    """Take out of `outer` what belongs to another system or file system than `inner` tells of."""
    for anchor, family in _ANCHORS:
        near, far = inner.get(anchor), outer.get(anchor)
        if near is None or far is None or near.clue.value == far.clue.value:
            continue
        for key in [key for key in outer if key.startswith(family) or key == anchor]:
            del outer[key]
