"""Two sides over everything that both measured: page, JSON and CSV."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.selection import parse
from webapp.formats import card_data as card_formats
from webapp.http.page_cache import conditional
from webapp.pages.card_page import card_context, find_partners, standing_row
from webapp.scorecard.card import Card, make_card
from webapp.scorecard.normal import Standing, find_standings, rank_studies
from webapp.scorecard.sides import KINDS, BadSide, read_side
from webapp.studies.queries import read_accepted_archives
from webapp.studies.registry import shipped_studies

NEAREST = "nearest"
"""The side that stands for the published study with most near workloads."""
_LONGEST = 500
"""Characters of a side."""


def _read(request) -> Card:
    return read_card(request.GET, request.user, request.data_version)


def read_card(asked: QueryDict, user: Any, version: int, *, exact: bool = False) -> Card:
    """The card of an address. BadSide where a side is missing or names nothing."""
    sides = [" ".join(asked.get(name, "").split())[:_LONGEST] for name in ("a", "b")]
    if not all(sides):
        raise BadSide("")
    metrics = [name for name in asked.getlist("metric") if name in METRICS]
    a, b = (read_side(side, user, version, exact=exact) for side in sides)
    return make_card(a, b, metrics)


@require_safe
@conditional
def versus(request):
    """`?a=SIDE&b=SIDE`; without both a form. `b=nearest` leads to the published study with most near workloads."""
    facts = {"a": request.GET.get("a", ""), "b": request.GET.get("b", ""), "kinds": KINDS}
    try:
        if facts["a"] and facts["b"] == NEAREST:
            side = read_side(facts["a"][:_LONGEST], request.user, request.data_version)
            ranked = rank_studies(side, read_accepted_archives(shipped_studies()))
            if not ranked:
                raise BadSide(f"No published study has an operation that {side.text} has.")
            return redirect(f"{request.path}?{urlencode({'a': side.text, 'b': f'study:{ranked[0]}'}, safe=':')}")
        if facts["a"] and not facts["b"]:
            side = read_side(facts["a"], request.user, request.data_version)
            return render(request, "versus/versus.html", facts | {"partners": find_partners(side, request.user)})
        facts |= card_context(_read(request), request.user)
    except BadSide as error:
        return render(request, "versus/versus.html", facts | {"error": str(error)}, status=404 if str(error) else 200)
    query = urlencode([(name, value) for name, values in request.GET.lists() for value in values])
    heading = f"{facts['title_a']} against {facts['title_b']}"[:300]
    return render(request, "versus/versus.html", facts | {"query": query, "frozen_query": [("query", query)], "heading": heading})


def _data(request, make, media_type: str) -> HttpResponse:
    try:
        return HttpResponse(make(_read(request)), content_type=media_type)
    except BadSide as error:
        text = str(error) or "Name two sides: ?a=archive:1&b=archive:2"
        return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=404 if str(error) else 400)


@require_safe
@conditional
def as_json(request):
    return _data(request, card_formats.to_json, "application/json")


@require_safe
@conditional
def as_csv(request):
    return _data(request, card_formats.to_table, "text/csv; charset=utf-8")


def _standings(request) -> tuple[str, list[Standing]]:
    """The side of the request, and where it lies. `a=SIDE`, or `archive=ID`; other filters are of the systems beside it."""
    text = " ".join(request.GET.get("a", "").split())[:_LONGEST]
    if not text and request.GET.get("archive"):
        text = f"archive:{request.GET['archive']}"[:_LONGEST]
    side = read_side(text, request.user, request.data_version)
    pairs = [(name, value) for name, values in request.GET.lists() if name in DIMENSIONS for value in values]
    metrics = [name for name in request.GET.getlist("metric") if name in METRICS]
    return text, find_standings(side, metrics, parse(pairs))


@require_safe
@conditional
def normal(request):
    """Where a side lies among all public systems."""
    try:
        text, standings = _standings(request)
    except BadSide as error:
        return render(request, "versus/normal.html", {"error": str(error)}, status=404)
    facts = {"side": text, "rows": [standing_row(one) for one in standings]}
    return render(request, "versus/normal.html", facts)


@require_safe
@conditional
def normal_json(request):
    try:
        text, standings = _standings(request)
    except BadSide as error:
        return HttpResponse(f"{error}\n", content_type="text/plain; charset=utf-8", status=404)
    return HttpResponse(card_formats.standings_json(text, standings), content_type="application/json")


@require_safe
def difference(request):
    """The former address of two configurations beside each other."""
    sides = [(name, f"configuration:{value}") for name in ("a", "b") if (value := request.GET.get(name, "")).isdecimal()]
    return redirect(f"/versus?{urlencode(sides, safe=':')}", permanent=True)
