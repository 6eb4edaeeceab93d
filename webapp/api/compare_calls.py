"""Comparisons, cards of two sides, standings, frozen records: the very bytes of /compare.json, /versus.json and /normal.json."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema

from webapp.api.answers import versioned
from webapp.api.problems import Problem, invalid
from webapp.api.questions import example, filters
from webapp.formats import card_data, tables
from webapp.http.page_cache import VersionedRequest
from webapp.http.stored_bytes import bytes_response
from webapp.models import Permalink
from webapp.pages.card_page import read_card, read_standings
from webapp.pages.partial_answers import answer_request
from webapp.scorecard.sides import BadSide

router = Router(tags=["comparisons"])
JSON = "application/json"
_SIDE = (
    "ID of an archive as `archive:1`, `study:NAME`, `system:1`, `host:NAME`, `configuration:1`, or filters as `fs=zfs,os=Debian`"
)


class Open(Schema):
    """An object with further members."""

    model_config = {"extra": "allow"}


class ComparisonRecord(Open):
    """As `/compare.json`."""

    query: str
    design: str | None
    sought: str | None
    workload: dict[str, Any] | None
    tool_versions: list[str]
    fixed: dict[str, Any]
    unrecorded: list[str]
    left_out: dict[str, int]
    map: list[dict[str, Any]]
    panels: list[dict[str, Any]]


class CardRecord(Open):
    """As `/versus.json`."""

    a: str
    b: str
    counts: dict[str, int]
    lines: list[dict[str, Any]]


class StandingsRecord(Open):
    """As `/normal.json`."""

    side: str
    standings: list[dict[str, Any]]


@router.get("compare", response=ComparisonRecord, summary="A comparison", openapi_extra=filters(example("metric=write.throughput")))
@versioned
def compare(request: VersionedRequest):
    """What `/compare.json` says of the same query: groups in panels, claims, doubts, and what is left out."""
    return HttpResponse(answer_request(request, tables.to_json, every=True), content_type=JSON)


def _sides(*names: str) -> dict[str, Any]:
    said = [
        {"name": name, "in": "query", "required": True, "schema": {"type": "string", "minLength": 1}, "description": _SIDE}
        for name in names
    ]
    metric = {"name": "metric", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    return {"parameters": [*said, metric | {"description": "Only this metric; repeatable"}]}


@router.get("versus", response=CardRecord, summary="Two sides over everything that both measured", openapi_extra=_sides("a", "b"))
@versioned
def versus(request: VersionedRequest):
    """What `/versus.json` says: for each operation the sides, the ratio with its interval, the claim and what is withheld."""
    missing = [(f"query.{name}", _SIDE) for name in ("a", "b") if not request.GET.get(name, "").strip()]
    if missing:
        raise Problem(422, "Name two sides: ?a=archive:1&b=archive:2", errors=missing)
    try:
        card = read_card(request.GET, request.user, request.data_version)
    except BadSide as error:
        raise Http404(str(error)) from None
    return HttpResponse(card_data.to_json(card), content_type=JSON)


_ARCHIVE = {
    "parameters": [
        {"name": "archive", "in": "query", "required": True, "schema": {"type": "string", "pattern": "^[0-9]{1,9}$"}},
        _sides()["parameters"][0],
    ]
}


@router.get("normal", response=StandingsRecord, summary="Where a result lies among all", openapi_extra=_ARCHIVE)
@versioned
def normal(request: VersionedRequest):
    """Where the values of an archive lie among those of all public systems, by metric and workload."""
    if not (request.GET.get("a", "").strip() or request.GET.get("archive", "").strip()):
        raise invalid("query.archive", "Name an archive: ?archive=1")
    try:
        side, standings = read_standings(request.GET, request.user, request.data_version)
    except BadSide as error:
        raise Http404(str(error)) from None
    return HttpResponse(card_data.standings_json(side, standings), content_type=JSON)


@router.get("permalinks/{name}", response=Open, summary="A frozen record")
def permalink(request: HttpRequest, name: str):
    """The record of a permalink as `/p/ID.json` has it, with its SHA-256 as ETag. It never changes."""
    frozen = Permalink.objects.filter(pk=name.lower()).first() if "\0" not in name else None
    if frozen is None:
        raise Http404("There is no permalink of this name.")
    return bytes_response(request, bytes(frozen.record), JSON, frozen.digest, "inline")
