"""Collections: an immutable ordered list of permalinks with captions under one address, cited as one work."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction

from webapp.accounts import public_log
from webapp.formats.canonical import canonical_json
from webapp.formatting import numbers
from webapp.models import Collection, Permalink
from webapp.permalinks import ids, plate
from webapp.permalinks.origin import Origin

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
    records = {name: plate.parse_record(link.record) for name, link in links.items()}
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
        now, name = datetime.now(UTC).replace(microsecond=0), ids.new_name()
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
