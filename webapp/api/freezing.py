"""Freezing of what a page shows, as its form does."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from django.db import transaction
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import reverse
from ninja import Field, Router, Schema

from webapp.api import auth
from webapp.api.bodies import refusals
from webapp.api.once import Answer, once, plain
from webapp.api.problems import Problem, invalid
from webapp.api.pushes import Text
from webapp.jobs.tasks import render_permalink
from webapp.permalinks import freeze, value_tables
from webapp.permalinks.frozen_addresses import find_origin

router = Router(auth=auth.manage)


class Freeze(Schema):
    """What is to be frozen. `publish_points`: yes, also values of archives that only the person can see now."""

    address: Annotated[str, Field(min_length=1, max_length=8000, description="Of a page here, as /compare?metric=write.throughput")]
    title: Annotated[str, Field(max_length=300), Text] = ""
    authors: Annotated[str, Field(max_length=300), Text] = ""
    publish_points: bool = False


class FrozenRecord(Schema):
    id: str
    url: str
    title: str
    sha256: str


@router.post("", response={201: FrozenRecord}, summary="Freeze a comparison, a scorecard, a run, an archive or curves")
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
    return 201, plain(FrozenRecord(id=frozen.pk, url=url, title=frozen.title, sha256=frozen.digest))
