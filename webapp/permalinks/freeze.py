"""Draft and freeze: what a reader sees, as a record that never changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction

from webapp.comparison.compare import compare
from webapp.comparison.model import Comparison
from webapp.comparison.selection import Selection, query_string
from webapp.formats.canonical import canonical_json
from webapp.http.data_version import data_version
from webapp.models import Archive, Permalink, Run
from webapp.permalinks import ids, record, sources, value_tables

_TRIES = 5


@dataclass(slots=True)
class Draft:
    """What would be frozen. `private`: titles of the reader's own unpublished archives whose values are in it."""

    content: dict[str, Any]
    values: int
    private: list[str]


def draft_comparison(selection: Selection, viewer, title: str, authors: str) -> Draft:
    """The record of the comparison as the reader sees it now, without name and date."""

    def seen(version: int) -> tuple[Comparison, str]:
        found = compare(selection, viewer, exact=True, version=version)
        return found, query_string(found.selection)

    return make_draft("comparison", seen, title, authors)


def draft_run(run: Run, title: str, authors: str) -> Draft:
    """The record of a run's page. Raises tables.TooMany."""
    return make_draft("run", lambda version: value_tables.comparison_of_run(run), title, authors)


def draft_archive(archive: Archive, title: str, authors: str) -> Draft:
    """The record of all values of an archive, configuration by configuration. Raises tables.TooMany."""
    return make_draft("archive", lambda version: value_tables.comparison_of_archive(archive), title, authors)


def make_draft(kind: str, seen, title: str, authors: str) -> Draft:
    """The record of what `seen(data version)` gives: a comparison, and the query that leads to it.

    Tried again where an archive is read again meanwhile. Raises sources.SourcesChanged where that never ends.
    """
    for tried in range(_TRIES):
        version = data_version()
        comparison, query = seen(version)
        points = [point.id for group in comparison.groups for point in group.points]
        try:
            behind = sources.read_sources(points)
        except sources.SourcesChanged:
            if tried == _TRIES - 1:
                raise
            continue
        content = record.build_permalink_record(kind, comparison, behind, query, version, {"title": title, "authors": authors})
        return Draft(content, len(points), behind.private)
    raise AssertionError("unreachable")


def freeze_draft(made: Draft, owner, site: str = "") -> Permalink:
    """The permalink of the draft: the owner's existing one of the same content, else a new one.

    `site` is the scheme and host under which it can be reached, as `https://example.org`; it stands in every file.
    """
    content = hashlib.sha256(canonical_json(made.content)).hexdigest()
    known = Permalink.objects.owned_by(owner).filter(content=content).first()
    if known is not None:
        return known
    now = datetime.now(UTC).replace(microsecond=0)
    while True:
        name = ids.new_name()
        frozen = canonical_json({**made.content, "id": name, "frozen_at": now.isoformat(), "address": f"{site}/p/{name}"})
        try:
            with transaction.atomic():
                return Permalink.objects.create(
                    id=name,
                    digest=hashlib.sha256(frozen).hexdigest(),
                    record=frozen,
                    content=content,
                    title=made.content["title"],
                    owner=owner,
                    frozen_at=now,
                )
        except IntegrityError:
            # Either the name is taken, or the same person froze the same at the same moment.
            known = Permalink.objects.owned_by(owner).filter(content=content).first()
            if known is not None:
                return known
