"""The figures of a collection's page: drawn from the frozen records, with the changes since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.http import isolation
from webapp.models import Permalink
from webapp.pages.drawings import Drawing
from webapp.permalinks import changes, history, plate

_PARTS = ("archives", "files", "runs", "configurations", "workloads")


@dataclass(frozen=True, slots=True)
class CollectionFigure:
    """A permalink of a collection. `number` counts from 1; `caption` is the collection's, `counted` the record's own."""

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
    """Message shown instead of the drawings where drawing failed, else ''."""


def read_records(collection: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The record of each figure of a collection's record, {} for one that cannot be read. One query."""
    links = Permalink.objects.in_bulk([figure["id"] for figure in collection["figures"]])
    return isolation.map_isolated(
        "record of a figure",
        collection["figures"],
        lambda figure: plate.parse_record(links[figure["id"]].record),
        lambda figure: {},
        which=lambda figure: figure["id"],
    )


def read_withdrawn(collection: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """Which of the sources of its figures were withdrawn or deleted since, as a sentence or ''. One query."""
    told = [record for record in records if record]
    return isolation.run_isolated("withdrawn sources", collection["id"], lambda: history.read_withdrawn(told), lambda: "")


def draw_figures(collection: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[CollectionFigure]:
    """Every figure of a collection's record, from its record. At most nine queries for any number of figures.

    A figure that cannot be drawn has a note instead of drawings.
    """
    since = isolation.run_isolated(
        "changes of figures", collection["id"], lambda: _find_changes(records), lambda: changes.Changes([], set(), 0)
    )
    firsts = [sum(len(record.get("values", ())) for record in records[:count]) for count in range(len(records) + 1)]
    return isolation.map_isolated(
        "figure",
        list(enumerate(zip(collection["figures"], records, strict=True))),
        lambda item: _figure(item[0], *item[1], since, range(firsts[item[0]], firsts[item[0] + 1])),
        lambda item: _failed_figure(item[0], item[1][0]),
        which=lambda item: item[1][0]["id"],
    )


def _find_changes(records: Sequence[Mapping[str, Any]]) -> changes.Changes:
    return changes.find_changes(_merge_records([record for record in records if record]))


def _merge_records(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The records as one, to look up changes once: archives, files, runs and so on have the same ids in all records."""
    merged: dict[str, Any] = {part: {} for part in _PARTS} | {"values": []}
    for record in records:
        merged["values"] += record["values"]
        for part in _PARTS:
            merged[part].update(record[part])
    return merged


def _figure(
    index: int, figure: Mapping[str, Any], record: Mapping[str, Any], since: changes.Changes, numbers: range
) -> CollectionFigure:
    drawings = plate.draw_record(record, since.linked, within=f"-of-{index + 1}")
    own = changes.Changes(
        [change for change in since.archives if change.archive in record["archives"]],
        since.linked,
        len(numbers),
        [change for change in since.values if change.number in numbers],
    )
    changed = [*own.sentences, *(f"{change.title} {change.sentence}" for change in own.archives)]
    return CollectionFigure(
        index + 1,
        figure["id"],
        figure["title"] or "Frozen comparison",
        figure["authors"],
        figure["caption"],
        record["caption"],
        figure["digest"],
        drawings,
        changed,
    )


def _failed_figure(index: int, figure: Mapping[str, Any]) -> CollectionFigure:
    return CollectionFigure(
        index + 1,
        figure["id"],
        figure["title"] or "Frozen comparison",
        figure["authors"],
        figure["caption"],
        "",
        figure["digest"],
        [],
        [],
        isolation.FAILURE_NOTE,
    )
