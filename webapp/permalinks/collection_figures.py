"""The figures of a collection as its page shows them: drawn from the records, with what has changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.http import isolation
from webapp.models import Permalink
from webapp.pages.drawings import Drawing
from webapp.permalinks import changes, plate

_PARTS = ("archives", "files", "runs", "configurations", "workloads")


@dataclass(frozen=True, slots=True)
class CollectionFigure:
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
    note: str = ""
    """What is shown in the place of drawings that cannot be made."""


def draw_figures(told: Mapping[str, Any]) -> list[CollectionFigure]:
    """Every figure of a collection's record. At most ten queries, however many there are.

    One that cannot be drawn has a note in the place of its drawings.
    """
    links = Permalink.objects.in_bulk([one["id"] for one in told["figures"]])
    records = isolation.map_isolated(
        "record of a figure",
        told["figures"],
        lambda one: plate.parse_record(links[one["id"]].record),
        lambda one: {},
        which=lambda one: one["id"],
    )
    since = isolation.run_isolated("changes of figures", told["id"], lambda: _since(records), lambda: changes.Changes([], set(), 0))
    firsts = [sum(len(record.get("values", ())) for record in records[:at]) for at in range(len(records) + 1)]
    return isolation.map_isolated(
        "figure",
        list(enumerate(zip(told["figures"], records, strict=True))),
        lambda item: _figure(item[0], *item[1], since, range(firsts[item[0]], firsts[item[0] + 1])),
        lambda item: _not_drawn(item[0], item[1][0]),
        which=lambda item: item[1][0]["id"],
    )


def _since(records: Sequence[Mapping[str, Any]]) -> changes.Changes:
    return changes.find_changes(_together([record for record in records if record]))


def _together(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One record of all, in which changes are looked up at once: what stands behind values has its number everywhere."""
    made: dict[str, Any] = {part: {} for part in _PARTS} | {"values": []}
    for record in records:
        made["values"] += record["values"]
        for part in _PARTS:
            made[part].update(record[part])
    return made


def _figure(at: int, one: Mapping[str, Any], record: Mapping[str, Any], since: changes.Changes, numbers: range) -> CollectionFigure:
    drawings = [replace(drawing, id=f"{drawing.id}-of-{at + 1}") for drawing in plate.draw_record(record, since.linked)]
    own = changes.Changes(
        [change for change in since.archives if change.archive in record["archives"]],
        since.linked,
        len(numbers),
        [change for change in since.values if change.number in numbers],
    )
    changed = [*own.sentences, *(f"{change.title} {change.sentence}" for change in own.archives)]
    return CollectionFigure(
        at + 1,
        one["id"],
        one["title"] or "Frozen comparison",
        one["authors"],
        one["caption"],
        record["caption"],
        one["digest"],
        drawings,
        changed,
    )


def _not_drawn(at: int, one: Mapping[str, Any]) -> CollectionFigure:
    return CollectionFigure(
        at + 1,
        one["id"],
        one["title"] or "Frozen comparison",
        one["authors"],
        one["caption"],
        "",
        one["digest"],
        [],
        [],
        isolation.FAILURE_NOTE,
    )
