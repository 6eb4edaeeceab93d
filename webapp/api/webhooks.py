"""Webhooks of an account, and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, cast

from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema

from webapp.api import auth
from webapp.api.once import once, plain
from webapp.http.problems import Problem, invalid
from webapp.infrastructure import outgoing
from webapp.jobs import hooks
from webapp.jobs.tasks import deliver_webhook
from webapp.models import Webhook

router = Router(auth=auth.manage, tags=["webhooks"])
EventName = Literal["archive.read", "claim.turned", "source.corrected"]


class NewWebhook(Schema):
    url: Annotated[str, Field(min_length=1, max_length=hooks.MOST_LETTERS)]
    events: Annotated[list[EventName], Field(min_length=1, max_length=10)]


class WebhookRecord(Schema):
    id: int
    url: str
    events: list[str]
    active: bool
    note: str
    created: datetime


class MadeWebhook(WebhookRecord):
    secret: str


class Delivery(Schema):
    id: str
    event: str
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    response_code: int | None
    error: str
    created: datetime
    tried: datetime | None
    next_try: datetime | None


class WebhookDetail(WebhookRecord):
    deliveries: list[Delivery]


class WebhookList(Schema):
    items: list[WebhookRecord]
    next: str | None


def _record(hook: Webhook) -> dict[str, Any]:
    return {
        "id": hook.pk,
        "url": hook.url,
        "events": hook.events,
        "active": hook.is_active,
        "note": hook.note,
        "created": hook.created_at,
    }


def _find(request: HttpRequest, pk: int) -> Webhook:
    found = Webhook.objects.owned_by(request.user).filter(pk=pk).first() if pk < 2**63 else None
    if found is None:
        raise Http404
    return found


def _delivery(row) -> dict[str, Any]:
    names = ("event", "state", "attempts", "response_code", "error")
    times = {"created": row.created_at, "tried": row.tried_at, "next_try": row.next_at}
    return {"id": str(row.pk)} | {name: getattr(row, name) for name in names} | times


@router.post("", response={201: MadeWebhook}, summary="Make a webhook; its secret is shown this once")
def make_webhook(request: HttpRequest, body: NewWebhook):
    def act():
        try:
            hook = hooks.make(cast(int, request.user.pk), body.url, body.events)
        except outgoing.Refused as error:
            raise invalid("body.url", str(error)) from None
        except hooks.TooMany as error:
            raise Problem(409, str(error)) from None
        return 201, plain(MadeWebhook(**_record(hook), secret=hook.secret))

    return once(request, body.model_dump(), act)


@router.get("", response=WebhookList, summary="The webhooks of the account")
def list_webhooks(request: HttpRequest):
    return {"items": [_record(hook) for hook in Webhook.objects.owned_by(request.user).order_by("pk")], "next": None}


@router.get("/{int:pk}", response=WebhookDetail, summary="One webhook with its latest deliveries")
def show_webhook(request: HttpRequest, pk: int):
    hook = _find(request, pk)
    return _record(hook) | {"deliveries": [_delivery(row) for row in hooks.latest(hook)]}


@router.delete("/{int:pk}", response={204: None}, summary="Delete a webhook")
def delete_webhook(request: HttpRequest, pk: int):
    _find(request, pk).delete()
    return 204, None


@router.post("/{int:pk}/test", response={202: Delivery}, summary="Send a test event")
def test_webhook(request: HttpRequest, pk: int):
    hook = _find(request, pk)

    def act():
        try:
            row = hooks.add_test(hook)
        except ValueError as error:
            raise Problem(409, str(error)) from None
        deliver_webhook.delay(hook.pk)
        return 202, plain(Delivery(**_delivery(row)))

    return once(request, {}, act)
