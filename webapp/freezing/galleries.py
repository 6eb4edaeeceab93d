"""The figures of a collection as its page shows them: drawn from the records, with what has changed since."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.freezing import changes, plate
from webapp.models import Permalink
from webapp.presenting import Drawing

_PARTS = ("archives", "files", "runs", "configurations", "workloads")


@dataclass(frozen=True, slots=True)
class Figure:
    """One permalink of a collection: its number, what the collection says of it, and what it says itself."""

    number: int
    name: str
    title: str
    authors: str
    caption: str
    counted: str
    digest: str
    drawings: list[Drawing]
    changed: list[str]


def figures(told: Mapping[str, Any]) -> list[Figure]:
    """Every figure of a collection's record. At most ten queries, however many there are."""
    links = Permalink.objects.in_bulk([one["id"] for one in told["figures"]])
    records = [plate.told(links[one["id"]].record) for one in told["figures"]]
    since = changes.since(_together(records))
    firsts = [sum(len(record["values"]) for record in records[:at]) for at in range(len(records) + 1)]
    return [_figure(at, one, record, since, range(firsts[at], firsts[at + 1]))
            for at, (one, record) in enumerate(zip(told["figures"], records, strict=True))]


def _together(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One record of all, in which changes are looked up at once: what stands behind values has its number everywhere."""
    made: dict[str, Any] = {part: {} for part in _PARTS} | {"values": []}
    for record in records:
        made["values"] += record["values"]
        for part in _PARTS:
            made[part].update(record[part])
    return made


def _figure(at: int, one: Mapping[str, Any], record: Mapping[str, Any], since: changes.Changes, numbers: range) -> Figure:
    drawings = [replace(drawing, id=f"{drawing.id}-of-{at + 1}") for drawing in plate.drawings(record, since.linked)]
    own = changes.Changes([change for change in since.archives if change.archive in record["archives"]], since.linked, len(numbers),
                          [change for change in since.values if change.number in numbers])
    changed = [*own.sentences, *(f"{change.title} {change.sentence}" for change in own.archives)]
    return Figure(at + 1, one["id"], one["title"] or "Frozen comparison", one["authors"], one["caption"],
                  record["caption"], one["digest"], drawings, changed)
