"""Comparisons, cards of two sides, standings, frozen records: the bytes of /compare.json, /versus.json, /normal.json. Freezing."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from ninja import Field, Router, Schema

from webapp.api import auth
from webapp.api.answers import versioned
from webapp.api.bodies import refusals
from webapp.api.once import Answer, once, plain
from webapp.api.pushes import Text
from webapp.api.questions import filters
from webapp.formats import card_data, tables
from webapp.http.page_cache import VersionedRequest
from webapp.http.problems import Problem, invalid
from webapp.http.stored_bytes import bytes_response
from webapp.jobs.tasks import render_permalink
from webapp.models import Permalink
from webapp.pages.card_page import read_card, read_standings
from webapp.pages.partial_answers import answer_request
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.frozen_addresses import find_origin
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


@router.get("compare", response=ComparisonRecord, summary="A comparison", openapi_extra=filters(is_strict=False))
@versioned
def compare(request: VersionedRequest):
    """What `/compare.json` says of the same query: groups in panels, claims, doubts, and what is left out. Filters that are not
    understood are passed over, as there."""
    return HttpResponse(answer_request(request, tables.to_json, every=True), content_type=JSON)


def _sides(*names: str) -> dict[str, Any]:
    side = {"in": "query", "required": True, "schema": {"type": "string", "pattern": r"\S"}, "description": _SIDE}
    metric = {"name": "metric", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    return {"parameters": [*({"name": name, **side} for name in names), metric | {"description": "Only this metric; repeatable"}]}


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


permalinks = Router(auth=auth.manage)
"""Freezing of what a page shows, as its form does."""


class Freeze(Schema):
    """What is to be frozen. `publish_points`: yes, also values of archives that only the person can see now."""

    address: Annotated[str, Field(min_length=1, max_length=8000, description="Of a page here, as /compare?metric=write.throughput")]
    title: Annotated[str, Field(max_length=300), Text] = ""
    authors: Annotated[str, Field(max_length=300), Text] = ""
    publish_points: bool = False


class FrozenAnswer(Schema):
    id: str
    url: str
    title: str
    sha256: str


@permalinks.post("", response={201: FrozenAnswer}, summary="Freeze a comparison, a scorecard, a run, an archive or curves")
def add(request: HttpRequest, asked: Freeze):
    """What the page at the address shows now, for ever and for everybody. The same content again is the same permalink."""
    parts = urlsplit(asked.address)
    if parts.netloc and parts.netloc != request.get_host():
        raise invalid("body.address", "This is the address of another site.")
    with refusals():
        status, body = once(request, asked.model_dump(), lambda: _freeze(request, asked))
    return JsonResponse(body, status=status, headers={"Location": request.build_absolute_uri(f"/api/v1/permalinks/{body['id']}")})


def _freeze(request: HttpRequest, asked: Freeze) -> Answer:
    user: Any = request.user
    try:
        draft = freeze.draft_address(asked.address, user, asked.title, asked.authors)
    except freeze.NothingThere as error:
        raise Http404(str(error)) from None
    except value_tables.RunsWithoutValues as error:
        raise invalid("body.address", f"Of run {error} no value counts: leave it out and freeze the others.") from None
    except value_tables.TooManyValues:
        raise invalid("body.address", f"A frozen table holds at most {value_tables.MAX_VALUES} values.") from None
    if not draft.values:
        raise invalid("body.address", "There is nothing to freeze: no value matches, or none of them counts.")
    if draft.private and not asked.publish_points:
        said = f"This publishes {draft.values} values of {', '.join(draft.private)}, which only you can see now"
        raise Problem(409, f"{said}. A permalink is public and permanent: say publish_points to publish them.")
    frozen = freeze.freeze_draft(draft, user, find_origin(request))
    transaction.on_commit(lambda: render_permalink.delay(frozen.pk), robust=True)
    url = request.build_absolute_uri(reverse("permalink", args=[frozen.pk]))
    return 201, plain(FrozenAnswer(id=frozen.pk, url=url, title=frozen.title, sha256=frozen.digest))
