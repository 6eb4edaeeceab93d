"""Collections: an immutable ordered list of permalinks with captions under one address, cited as one work."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction

from webapp.accounts import public_log
from webapp.formats.canonical import canonical_json
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.models import Collection, Permalink
from webapp.pages.drawings import Drawing
from webapp.permalinks import changes, frozen_addresses, history, record_figures
from webapp.permalinks.frozen_addresses import Origin

# The figures of a collection's page: drawn from the frozen records, with the changes since.

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
        lambda figure: record_figures.parse_record(links[figure["id"]].record),
        lambda figure: {},
        which=lambda figure: figure["id"],
    )


def read_withdrawn(collection: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """Which of the sources of its figures were withdrawn or deleted since, as a sentence or ''. One query."""
    readable = [record for record in records if record]
    return isolation.run_isolated("withdrawn sources", collection["id"], lambda: history.read_withdrawn(readable), lambda: "")


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
        lambda item: _draw_figure(item[0], *item[1], since, range(firsts[item[0]], firsts[item[0] + 1])),
        lambda item: _undrawn_figure(item[0], item[1][0]),
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


def _draw_figure(
    index: int, figure: Mapping[str, Any], record: Mapping[str, Any], since: changes.Changes, numbers: range
) -> CollectionFigure:
    drawings = record_figures.draw_record(record, since.linked, within=f"-of-{index + 1}")
    own = changes.Changes(
        [change for change in since.archives if change.archive in record["archives"]],
        since.linked,
        len(numbers),
        [change for change in since.values if change.number in numbers],
    )
    changed = [*own.sentences, *(f"{change.title} {change.sentence}" for change in own.archives)]
    return replace(_undrawn_figure(index, figure), counted=record["caption"], drawings=drawings, changed=changed, note="")


def _undrawn_figure(index: int, figure: Mapping[str, Any]) -> CollectionFigure:
    return CollectionFigure(
        number=index + 1,
        name=figure["id"],
        title=figure["title"] or "Frozen comparison",
        authors=figure["authors"],
        caption=figure["caption"],
        counted="",
        digest=figure["digest"],
        drawings=[],
        changed=[],
        note=isolation.FAILURE_NOTE,
    )


FORMAT, VERSION = "poolmark-collection", 1
MAX_FIGURES = 40
"""Limit of figures in a collection: the bundle contains the evidence of all of them."""


@dataclass(frozen=True, slots=True)
class ChosenPermalink:
    """A permalink of a collection draft and its caption."""

    name: str
    caption: str = ""


class NothingChosen(Exception):
    """The collection has no figure."""


def parse_permalink_name(typed: str) -> str:
    """The permalink's name in user input: a name, or an address of the permalink or of one of its files."""
    match = re.search(r"/p/([^/?#.\s]+)", typed)
    return match[1] if match else typed.strip()


def build_collection_record(title: str, authors: str, chosen: Sequence[ChosenPermalink], site: str = "") -> dict[str, Any]:
    """The record without name, date and address. Raises NothingChosen, or KeyError for an unknown permalink."""
    if not chosen:
        raise NothingChosen
    links = Permalink.objects.in_bulk([choice.name for choice in chosen])
    records = {name: record_figures.parse_record(link.record) for name, link in links.items()}
    figures = [_figure(choice, links[choice.name], records[choice.name], site) for choice in chosen]
    archives = {about["sha256"]: about for choice in chosen for about in records[choice.name]["archives"].values()}
    runs = sum(figure["runs"] for figure in figures)
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "authors": authors,
        "caption": f"{numbers.count(len(figures))} figure{'' if len(figures) == 1 else 's'}, "
        f"{numbers.count(runs)} run{'' if runs == 1 else 's'}.",
        "figures": figures,
        "archives": [archives[digest] for digest in sorted(archives)],
    }


def _figure(choice: ChosenPermalink, link: Permalink, record: Mapping[str, Any], site: str) -> dict[str, Any]:
    """A figure's entry in the collection; `digest` is that of the figure's record."""
    return {
        "id": link.pk,
        "digest": link.digest,
        "address": f"{site}/p/{link.pk}",
        "title": record["title"],
        "authors": record["authors"],
        "frozen_at": record["frozen_at"],
        "caption": choice.caption,
        "runs": record["counts"]["runs"],
    }


def freeze_collection(content: Mapping[str, Any], owner, origin: Origin) -> Collection:
    """The owner's existing collection of this content, else a new one under a new name."""
    content = {**content, "local": True} if origin.is_local else content
    digest = hashlib.sha256(canonical_json(content)).hexdigest()
    while True:
        known = Collection.objects.owned_by(owner).filter(content=digest).first()
        if known is not None:
            return known
        now, name = datetime.now(UTC).replace(microsecond=0), frozen_addresses.new_name()
        if Permalink.objects.filter(pk=name).exists():
            continue  # stored files and DOIs are looked up by name only
        record = canonical_json({**content, "id": name, "frozen_at": now.isoformat(), "address": f"{origin.site}/c/{name}"})
        try:
            with transaction.atomic():
                collection = Collection.objects.create(
                    id=name,
                    digest=hashlib.sha256(record).hexdigest(),
                    record=record,
                    content=digest,
                    title=content["title"],
                    owner=owner,
                    frozen_at=now,
                )
                public_log.log_frozen(collection)
                return collection
        except IntegrityError:
            continue  # the name is taken, or a concurrent request froze the same content
