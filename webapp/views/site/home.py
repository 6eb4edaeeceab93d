"""The home page: what this is, search, upload, totals, findings, featured figure, newest archives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.comparison.compare import compare
from webapp.comparison.search import find_public_example
from webapp.comparison.selection import Selection, parse, query_string
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Archive
from webapp.pages.comparison_page import comparison_context
from webapp.pages.drawings import Drawing, make_drawings
from webapp.studies import queries, registry
from webapp.systems import system_index

_NEWEST = 6
_ABOUT = (
    "A database of storage benchmark results: bonnie++, iozone, IOR, mdtest, fio, dd and others, each number with the system and "
    "settings it was measured on and the line it was read from."
)


@require_safe
@conditional
def home(request):
    newest = list(Archive.objects.open().order_by("-uploaded_at", "-id")[:_NEWEST])
    accepted = queries.read_accepted_archives(registry.shipped_studies()) if newest else {}
    featured = _featured(accepted, request.data_version)
    facts = {
        "newest": newest,
        "featured": featured,
        "findings": _list_findings(accepted),
        "across": registry.comparisons_across() if accepted else (),
        "example": _example(request.data_version),
        "about": _ABOUT,
        "image": f"/compare.png?{featured.query}" if featured else "",
        "totals": system_index.read_totals(request.data_version),
    }
    return render(request, "home/home.html", facts)


def _featured(accepted, version):
    """The featured figure; None where drawing fails."""
    return next(iter(isolation.map_isolated("featured figure", [accepted], lambda ids: _make_featured(ids, version))), None)


def _example(version) -> str:
    """An example of a search; empty where nothing is public, or where finding one fails."""
    return isolation.run_isolated("example of a search", version, lambda: find_public_example(version), lambda: "")


# What the home page draws and says of the shipped studies, or of accepted archives: the featured figure, and findings.

_MAX_FINDINGS = 3
_MAX_ARCHIVES = 20
"""Archives in the address of the featured comparison: the first ones, so that a later acceptance does not exchange them."""


@dataclass(frozen=True, slots=True)
class _Featured:
    """The featured comparison: title, query string, drawing, what kind of comparison it is, what it shows, caption and caveats."""

    title: str
    query: str
    drawing: Drawing
    design: str
    sentence: str
    caption: str
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a comparison of a shipped study shows, in a sentence; its title and its address."""

    title: str
    sentence: str
    query: str


def _make_featured(accepted: Mapping[str, Sequence[int]], version: int | None = None) -> _Featured | None:
    """The featured figure from accepted archives, the same for every reader. None where nothing is accepted.

    The archives are named by their ids, since any upload can name itself a part of a study. `accepted`: ids of the accepted
    archives of each shipped study that has one. `version`: the data version, where the caller has read it.
    """
    study, link = _choose_link(accepted)
    archives = accepted[study] if link else list(_first_accepted())
    if not archives:
        return None
    comparison = compare(_of_archives(link, archives), AnonymousUser(), version=version)
    drawings = make_drawings(comparison)
    if not drawings:
        return None
    page = comparison_context(comparison)
    caption = f"{page['counted']}; {page['method']}."
    return _Featured(
        title=link.title if link else page["heading"],
        query=query_string(comparison.selection),
        drawing=drawings[0],
        design=page["design"],
        sentence=page["sentence"],
        caption=caption,
        caveats=tuple(flag.sentence for flag in comparison.flags if flag.id == "caveat"),
    )


def _list_findings(accepted: Mapping[str, Sequence[int]]) -> list[_Finding]:
    """What one learns from the accepted studies: the first of each in turn, then the second of each."""
    by_study = [
        [_make_finding(link, accepted[name]) for link in study.comparisons if link.finding]
        for name, study in registry.front_page_studies().items()
        if name in accepted
    ]
    in_turn = (finding for round_of in zip_longest(*by_study) for finding in round_of if finding)
    return list(islice(in_turn, _MAX_FINDINGS))


def _make_finding(link: registry.StudyLink, archives: Sequence[int]) -> _Finding:
    return _Finding(link.title, link.finding, query_string(_of_archives(link, archives)))


def _of_archives(link: registry.StudyLink | None, archives: Sequence[int]) -> Selection:
    """The comparison of these archives alone."""
    selection = parse(parse_qsl(link.query) if link else [])
    return selection.changed(archives=tuple(archives[:_MAX_ARCHIVES]), studies=())


def _choose_link(accepted: Mapping[str, Sequence[int]]) -> tuple[str, registry.StudyLink | None]:
    """A study's name and the comparison of it that is featured, else the first one; ("", None) where no study is accepted."""
    shipped = [study for study in registry.front_page_studies().values() if study.name in accepted]
    links = [(study.name, link) for study in shipped for link in study.comparisons]
    return next(((name, link) for name, link in links if link.featured), links[0] if links else ("", None))


def _first_accepted():
    """Of no study that front pages do not draw."""
    hidden = registry.shipped_studies().keys() - registry.front_page_studies().keys()
    return Archive.objects.accepted().exclude(study__in=hidden).order_by("id").values_list("id", flat=True)[:_MAX_ARCHIVES]
