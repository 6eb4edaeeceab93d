"""Draft and freeze: the reader's view as an immutable record."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.db import IntegrityError, transaction
from django.http import QueryDict

from webapp.accounts import public_log
from webapp.comparison.compare import compare
from webapp.comparison.model import Comparison
from webapp.comparison.selection import CURVES, Selection, parse, query_string
from webapp.curves import address as address_of_curves
from webapp.curves import counting, percentiles
from webapp.curves import queries as curve_queries
from webapp.curves.comparisons import TIME, ComparedCurves, draw_compared, draw_runs
from webapp.files import stores
from webapp.formats import card_data
from webapp.formats.canonical import canonical_json, canonical_object
from webapp.http.data_version import data_version
from webapp.models import Archive, FrozenSource, Permalink, PermalinkVersion, Run
from webapp.monitoring import metrics
from webapp.pages.card_page import read_card
from webapp.pages.comparison_page import describe_heading
from webapp.permalinks import frozen_addresses, queries, record, sources, value_tables
from webapp.permalinks.bundles.verify import is_beside_values
from webapp.permalinks.frozen_addresses import Origin
from webapp.permalinks.record_figures import freeze_curves
from webapp.scorecard.card import Card
from webapp.scorecard.sides import BadSide

_MAX_ATTEMPTS = 5
_FILES_BYTES = 2 << 20
"""What is drawn of one, and its bundle, as a rule."""
_CLOCKS = timedelta(minutes=1)
"""By how much the clocks of hosts may differ."""


@dataclass(slots=True)
class Draft:
    """A record to be frozen. `values`: how many it has, with runs without a number. `private`: titles of the reader's unpublished
    archives whose values it contains."""

    content: dict[str, Any]
    values: int
    private: list[str]

    @property
    def beside(self) -> set[str]:
        """What becomes public beside the values: `curves`, their `lines` in `files`, `phases` of other runs, `percentiles`."""
        figures = [figure for figure in self.content["figures"] if is_beside_values(figure)]
        curves = [curve for figure in figures for curve in figure.get("curves", ())]
        cited = {run["file"] for run in self.content["runs"].values()}
        found = {
            "curves": bool(curves),
            "lines": any("lines" in curve for curve in curves),
            "files": any(int(file) not in cited for file in self.content["files"]),
            "phases": any(figure.get("phases") for figure in figures),
            "percentiles": any("curves" not in figure for figure in figures),
        }
        return {name for name, is_there in found.items() if is_there}


class Drafted(NamedTuple):
    """A comparison with its query string. `curves`: what is drawn in the place of its own figures, if anything is."""

    comparison: Comparison
    query: str
    curves: ComparedCurves | None = None


class NothingThere(Exception):
    """An address names nothing that could be frozen, or nothing that the reader may see; its text is a sentence."""


_NUMBERED = re.compile(r"/(runs|archives)/(\d{1,18})")


def draft_address(address: str, viewer, title: str, authors: str) -> Draft:
    """The draft of what a page shows the reader now: a comparison, card, run, archive, or curves, by path and query. Raises
    NothingThere, value_tables.TooManyValues, value_tables.RunsWithoutValues."""
    parts = urlsplit(address)
    if parts.path == "/compare":
        return draft_comparison(parse(parse_qsl(parts.query)), viewer, title, authors)
    if parts.path == "/versus":
        return _draft_versus(parts.query, viewer, title, authors)
    if parts.path in ("/series", "/series/distribution"):
        return _draft_series(parts.path, parts.query, viewer, title, authors)
    named = _NUMBERED.fullmatch(parts.path)
    if named is None:
        raise NothingThere("Name the address of a comparison, a scorecard, a run, an archive or a figure over time.")
    readable, number = Archive.objects.readable_by(viewer), int(named[2])
    if named[1] == "runs" and (run := Run.objects.filter(archive__in=readable, pk=number).first()):
        return draft_run(run, title, authors)
    if named[1] == "archives" and (archive := readable.filter(pk=number).first()):
        return draft_archive(archive, title, authors)
    raise NothingThere("There is no such page, or it is not public.")


def _draft_versus(query: str, viewer, title: str, authors: str) -> Draft:
    asked = QueryDict(query)
    kept = urlencode([(name, value) for name in ("a", "b", "metric") for value in asked.getlist(name)], safe=":,=")
    try:
        return draft_card(lambda: read_card(asked, viewer, data_version(), exact=True), kept, title, authors)
    except BadSide as error:
        raise NothingThere(str(error) or "Name two sides.") from None


def _draft_series(path: str, query: str, viewer, title: str, authors: str) -> Draft:
    asked = QueryDict(query)
    default = TIME if path == "/series" else CURVES[1]
    kind = asked.get("kind", default)
    load, width = asked.get("load", ""), counting.parse_width(asked.get("round", ""))
    pairs = [(name, value) for name, value in parse_qsl(query) if name not in ("kind", "load", "round")]
    curves = address_of_curves.parse(pairs)

    def draw() -> ComparedCurves:
        found = Run.objects.filter(archive__in=Archive.objects.readable_by(viewer), pk__in=curves.runs)
        readable = set(found.values_list("pk", flat=True))
        runs = curve_queries.read_runs([pk for pk in curves.runs if pk in readable])
        if not runs:
            raise NothingThere("There is no such run, or it is not public.")
        shown = kind if kind in CURVES else default
        return draw_runs(runs, curves, shown, load if load in percentiles.LOADS else "", width or counting.ROUND)

    return draft_curves(draw, title, authors)


def draft_comparison(selection: Selection, viewer, title: str, authors: str) -> Draft:
    """The draft of the comparison as visible to the reader now."""

    def make(version: int) -> Drafted:
        found = compare(selection, viewer, exact=True, version=version)
        return Drafted(found, query_string(found.selection), draw_compared(found))

    return make_draft("comparison", make, title, authors)


def draft_run(run: Run, title: str, authors: str) -> Draft:
    """The draft of a run's values. Raises value_tables.TooManyValues."""
    return make_draft("run", lambda version: Drafted(*value_tables.comparison_of_run(run)), title, authors)


def draft_archive(archive: Archive, title: str, authors: str) -> Draft:
    """The draft of an archive's values by configuration. Raises value_tables.TooManyValues."""
    return make_draft("archive", lambda version: Drafted(*value_tables.comparison_of_archive(archive)), title, authors)


def draft_card(make_card: Callable[[], Card], query: str, title: str, authors: str) -> Draft:
    """The draft of a scorecard: its lines as figures, and `card`, which is its JSON form. Raises value_tables.TooManyValues."""
    cards: list[Card] = []

    def make(version: int) -> Drafted:
        cards.append(make_card())
        return Drafted(value_tables.comparison_of_card(cards[-1]), query)

    draft = make_draft("versus", make, title, authors)
    draft.content["card"] = json.loads(card_data.to_json(cards[-1]))
    return draft


def draft_curves(draw: Callable[[], ComparedCurves], title: str, authors: str) -> Draft:
    """The draft of curves or distributions, with the values of the runs that they stand beside. `draw`: reads the runs and draws
    them. Raises value_tables.TooManyValues, value_tables.RunsWithoutValues."""

    def make(version: int) -> Drafted:
        curves = draw()
        return Drafted(*value_tables.comparison_of_runs(curves.runs, curves.kind), curves)

    return make_draft("run", make, title, authors)


def make_draft(kind: str, make: Callable[[int], Drafted], title: str, authors: str) -> Draft:
    """The draft of `make(data version)`; without curves where there is no value that they could stand beside.

    Retries where an archive is re-ingested meanwhile. Raises sources.SourcesChanged after the last attempt.
    """
    for attempt in range(_MAX_ATTEMPTS):
        version, started = data_version(), datetime.now(UTC)
        comparison, query, drawn = make(version)
        points = [point.id for group in comparison.all_groups for point in group.points]
        without_number = [run.id for place in comparison.all_places for run in place.missing]
        curves = freeze_curves(drawn) if points else None
        try:
            frozen_sources = sources.read_sources(points, without_number)
            if curves is not None:
                sources.add_files(frozen_sources, curves.files)
            # Values of an archive that was read again meanwhile may have the ids of earlier ones.
            if frozen_sources.last_read and frozen_sources.last_read > started - _CLOCKS and data_version() != version:
                raise sources.SourcesChanged
        except sources.SourcesChanged:
            if attempt == _MAX_ATTEMPTS - 1:
                raise
            continue
        about = {"title": title or describe_heading(comparison), "authors": authors}
        figures = curves.figures if curves is not None else None
        content = record.build_permalink_record(kind, comparison, frozen_sources, query, version, about, curves=figures)
        if drawn is not None and drawn.lack and content["figures"]:
            content["figures"][-1]["notes"].append(drawn.lack)
        return Draft(content, len(points) + len(without_number), frozen_sources.private)
    raise AssertionError("unreachable")


def freeze_draft(draft: Draft, owner, origin: Origin, previous: Permalink | None = None) -> Permalink:
    """The owner's existing permalink of the draft's content, else a new one; the next version of `previous`, which has none.

    `origin` is part of the record and of every file, and so is that it is a local one. Raises stores.NoSpace.
    """
    about = {**draft.content, "local": True} if origin.is_local else draft.content
    members = {key: canonical_json(value) for key, value in about.items()}
    content = hashlib.sha256(canonical_object(members)).hexdigest()
    existing = Permalink.objects.owned_by(owner).filter(content=content).first()
    if existing is not None:
        return existing
    stores.check_space(_FILES_BYTES + 2 * sum(map(len, members.values())))
    now = datetime.now(UTC).replace(microsecond=0)
    while True:
        name = frozen_addresses.new_name()
        own = {"id": name, "frozen_at": now.isoformat(), "address": f"{origin.site}/p/{name}"}
        frozen = canonical_object(members | {key: canonical_json(value) for key, value in own.items()})
        try:
            with transaction.atomic():
                transaction.on_commit(metrics.FROZEN.inc)
                frozen_row = Permalink(
                    id=name,
                    digest=hashlib.sha256(frozen).hexdigest(),
                    record=frozen,
                    content=content,
                    title=draft.content["title"],
                    owner=owner,
                    frozen_at=now,
                )
                queries.insert_permalink(frozen_row)
                FrozenSource.objects.bulk_create(
                    FrozenSource(permalink=frozen_row, archive_id=int(archive)) for archive in draft.content["archives"]
                )
                if previous is not None:
                    PermalinkVersion.objects.create(permalink=frozen_row, previous=previous)
                public_log.log_frozen(frozen_row)
                return frozen_row
        except IntegrityError:
            # Either the name is taken, or a concurrent request froze the same content.
            existing = Permalink.objects.owned_by(owner).filter(content=content).first()
            if existing is not None:
                return existing
