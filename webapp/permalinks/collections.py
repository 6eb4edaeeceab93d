"""Collections: several permalinks under one address with order, captions and one citation, frozen as they are."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction

from webapp.formats.canonical import canonical_json
from webapp.formatting import numbers
from webapp.models import Collection, Permalink
from webapp.permalinks import ids, plate

FORMAT, VERSION = "poolmark-collection", 1
MAX_FIGURES = 40
"""Figures of one collection: those of a paper. All their evidence goes into one bundle."""


@dataclass(frozen=True, slots=True)
class ChosenPermalink:
    """A permalink of a collection that is being made, and what the collection says of it."""

    name: str
    caption: str = ""


class NothingChosen(Exception):
    """A collection needs a figure."""


def parse_permalink_name(typed: str) -> str:
    """The name in what somebody typed or pasted: a name, or an address of the permalink or of one of its files."""
    found = re.search(r"/p/([^/?#.\s]+)", typed)
    return found[1] if found else typed.strip()


def build_collection_record(title: str, authors: str, chosen: Sequence[ChosenPermalink], site: str = "") -> dict[str, Any]:
    """The record without name, date and address. Raises NothingChosen; KeyError for a permalink that there is not."""
    if not chosen:
        raise NothingChosen
    links = Permalink.objects.in_bulk([one.name for one in chosen])
    told = {name: plate.parse_record(link.record) for name, link in links.items()}
    figures = [_figure(one, links[one.name], told[one.name], site) for one in chosen]
    archives = {about["sha256"]: about for one in chosen for about in told[one.name]["archives"].values()}
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


def _figure(one: ChosenPermalink, link: Permalink, told: Mapping[str, Any], site: str) -> dict[str, Any]:
    """What the collection says of a figure; the rest is in the record that has this digest."""
    return {
        "id": link.pk,
        "digest": link.digest,
        "address": f"{site}/p/{link.pk}",
        "title": told["title"],
        "authors": told["authors"],
        "frozen_at": told["frozen_at"],
        "caption": one.caption,
        "runs": told["counts"]["runs"],
    }


def freeze_collection(made: Mapping[str, Any], owner, site: str = "") -> Collection:
    """The collection of that content: the owner's existing one, else a new one under a new name."""
    digest = hashlib.sha256(canonical_json(made)).hexdigest()
    while True:
        known = Collection.objects.owned_by(owner).filter(content=digest).first()
        if known is not None:
            return known
        now, name = datetime.now(UTC).replace(microsecond=0), ids.new_name()
        if Permalink.objects.filter(pk=name).exists():
            continue  # kept files and DOIs are found by the name alone
        record = canonical_json({**made, "id": name, "frozen_at": now.isoformat(), "address": f"{site}/c/{name}"})
        try:
            with transaction.atomic():
                return Collection.objects.create(
                    id=name,
                    digest=hashlib.sha256(record).hexdigest(),
                    record=record,
                    content=digest,
                    title=made["title"],
                    owner=owner,
                    frozen_at=now,
                )
        except IntegrityError:
            continue  # the name is taken, or the same person froze the same at the same moment
