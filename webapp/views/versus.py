"""Two sides over everything that both measured: page, JSON and CSV."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from webapp.formats import card_data as card_formats
from webapp.http.page_cache import conditional
from webapp.pages.card_page import MAX_SIDE, card_context, find_partners, read_card, read_standings, standing_row
from webapp.scorecard.card import Card
from webapp.scorecard.normal import rank_studies
from webapp.scorecard.sides import KINDS, NAMES, BadSide, read_side
from webapp.studies.queries import read_accepted_archives
from webapp.studies.registry import shipped_studies

NEAREST = "nearest"
"""The side that stands for the published study with most near workloads."""


def _read(request) -> Card:
    return read_card(request.GET, request.user, request.data_version)


@require_safe
@conditional
def versus(request):
    """`?a=SIDE&b=SIDE`; without both a form. `b=nearest` leads to the published study with most near workloads."""
    facts = {"a": request.GET.get("a", ""), "b": request.GET.get("b", ""), "kinds": [*(f"{kind}:…" for kind in KINDS), *NAMES]}
    try:
        if facts["a"] and facts["b"] == NEAREST:
            side = read_side(facts["a"][:MAX_SIDE], request.user, request.data_version)
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


def _data(make: Callable[[], str], media_type: str = "application/json") -> HttpResponse:
    try:
        return HttpResponse(make(), content_type=media_type)
    except BadSide as error:
        text = str(error) or "Name two sides: ?a=archive:1&b=archive:2"
        return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=404 if str(error) else 400)


@require_safe
@conditional
def as_json(request):
    return _data(lambda: card_formats.to_json(_read(request)))


@require_safe
@conditional
def as_csv(request):
    return _data(lambda: card_formats.to_table(_read(request)), "text/csv; charset=utf-8")


@require_safe
@conditional
def normal(request):
    """Where a side lies among all public systems."""
    try:
        text, standings = read_standings(request.GET, request.user, request.data_version)
    except BadSide as error:
        return render(request, "versus/normal.html", {"error": str(error)}, status=404)
    return render(request, "versus/normal.html", {"side": text, "rows": [standing_row(one) for one in standings]})


@require_safe
@conditional
def normal_json(request):
    return _data(lambda: card_formats.standings_json(*read_standings(request.GET, request.user, request.data_version)))


@require_safe
def difference(request):
    """The former address of two configurations beside each other."""
    sides = [(name, f"configuration:{value}") for name in ("a", "b") if (value := request.GET.get(name, "")).isdecimal()]
    return redirect(f"/versus?{urlencode(sides, safe=':')}", permanent=True)
