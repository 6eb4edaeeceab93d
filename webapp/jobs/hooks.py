"""Webhooks: the scheduler finds what happened, so that reading does not wait; delivered signed, in order, at least once."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from webapp.accounts.public_log import Kind
from webapp.infrastructure import outgoing
from webapp.models import Archive, FrozenSource, LogEntry, Permalink, Webhook, WebhookDelivery
from webapp.permalinks.frozen_addresses import find_origin
from webapp.permalinks.history import concerns
from webapp.permalinks.record_figures import parse_record
from webapp.storage.locks import try_lock

State = WebhookDelivery.State
READ, TURNED, CORRECTED, TEST = "archive.read", "claim.turned", "source.corrected", "test"
EVENTS = {
    READ: "an archive of yours was read, or could not be",
    TURNED: "today's data say something else than a permalink of yours",
    CORRECTED: "a source of a permalink of yours was corrected, withdrawn, restored or deleted",
}
"""Name of an event -> when it comes."""
MOST_WEBHOOKS, MOST_LETTERS = 20, 2000
"""Webhooks of an account, and letters of an address."""
SHOWN = 50
"""Deliveries of a webhook that are listed."""
GIVEN_UP = timedelta(days=1)
ASKED_EVERY = timedelta(hours=1)
KEPT = timedelta(days=30)
_FIRST_WAIT, _LONGEST_WAIT = 30, 4 * 3600  # seconds
_LOOKED_BACK = timedelta(days=7)
_MOST = 1000
_LOCK = 0x504D5748 << 24  # "PMWH"
Event = tuple[str, str, dict[str, Any]]
"""Name, key, what is said of it."""


class TooMany(ValueError):
    """An account has as many webhooks as it may."""


def make(owner_id: int, url: str, events: Iterable[str]) -> Webhook:
    """A new webhook of the account, which gets what happens from now on. Raises outgoing.Refused, TooMany, and ValueError for no
    event or one that there is not; their texts are sentences."""
    if len(url) > MOST_LETTERS:
        raise outgoing.Refused(f"An address has at most {MOST_LETTERS} characters.")
    outgoing.check_address(url)
    chosen = sorted({*events})
    if not chosen or not EVENTS.keys() >= {*chosen}:
        raise ValueError(f"Choose one or more of the events {', '.join(EVENTS)}.")
    if Webhook.objects.owned_by(owner_id).count() >= MOST_WEBHOOKS:
        raise TooMany(f"An account has at most {MOST_WEBHOOKS} webhooks. Delete one first.")
    last = LogEntry.objects.order_by("-number").values_list("number", flat=True).first() or 0
    return Webhook.objects.create(owner_id=owner_id, url=url, events=chosen, secret=secrets.token_hex(32), log_seen=last)


def latest(hook: Webhook) -> QuerySet[WebhookDelivery]:
    """The newest deliveries of a webhook."""
    return hook.deliveries.order_by("-number")[:SHOWN]


def add_test(hook: Webhook) -> WebhookDelivery:
    """Write a delivery that says nothing. Raises ValueError, whose text is a sentence, where the webhook is switched off."""
    if not hook.is_active:
        raise ValueError("This webhook is switched off. Switch it on first.")
    return add(hook, TEST, f"{TEST} {secrets.token_hex(8)}", {})


def switch_on(hook: Webhook) -> None:
    """Let a webhook that was switched off get events again, first those that were not delivered."""
    with transaction.atomic():
        if Webhook.objects.filter(pk=hook.pk, is_active=False).update(is_active=True, note=""):
            hook.deliveries.exclude(state=State.DELIVERED).update(state=State.PENDING, next_at=timezone.now())


def find_new() -> int:
    """Write the deliveries of what happened since the last look: how many."""
    return sum(_find_new_of(hook) for hook in Webhook.objects.active())


def _find_new_of(hook: Webhook) -> int:
    with transaction.atomic():
        hook = Webhook.objects.select_for_update().get(pk=hook.pk)
        found = [*(_readings(hook) if READ in hook.events else ()), *_corrections(hook)]
        known = set(hook.deliveries.filter(key__in=[key for _, key, _ in found]).values_list("key", flat=True)) if found else set()
        new = [event for event in found if event[1] not in known and event[0] in hook.events]
        for event in new:
            add(hook, *event)
        hook.save(update_fields=["log_seen"])
    return len(new)


def add(hook: Webhook, event: str, key: str, about: dict[str, Any]) -> WebhookDelivery:
    """Write a delivery."""
    now, last = timezone.now(), hook.deliveries.aggregate(last=Max("number"))["last"] or 0
    return WebhookDelivery.objects.create(
        webhook=hook, number=last + 1, event=event, key=key, payload=about, created_at=now, next_at=now
    )


def _readings(hook: Webhook) -> Iterator[Event]:
    since = max(hook.created_at, timezone.now() - _LOOKED_BACK)
    rows = Archive.objects.owned_by(hook.owner).filter(began_at__gte=since, state__in=(Archive.State.READ, Archive.State.FAILED))
    for row in reversed(rows.order_by("-began_at")[:_MOST]):
        address = f"{find_origin().site}/archives/{row.pk}"
        about = {"id": row.pk, "url": address, "state": row.state, "failure": row.failure or None, "measurements": row.measurements}
        yield READ, f"{READ} {row.pk} {row.began_at.isoformat()}", {"archive": about}


def _corrections(hook: Webhook) -> Iterator[Event]:
    """Entries of the public log about sources of the owner's permalinks, and about these; `log_seen` goes on."""
    kinds = (Kind.CORRECT, Kind.WITHDRAW, Kind.RESTORE, Kind.DELETE)
    for entry in LogEntry.objects.filter(number__gt=hook.log_seen).order_by("number")[:_MOST]:
        hook.log_seen = entry.number
        names = _touched(hook, entry) if entry.kind in kinds and CORRECTED in hook.events else []
        if names:
            log = {name: getattr(entry, name) for name in ("number", "kind", "subject", "place", "reason")}
            links = [f"{find_origin().site}/p/{name}" for name in names]
            yield CORRECTED, f"{CORRECTED} {entry.number}", {"log": log, "permalinks": links}


def _touched(hook: Webhook, entry: LogEntry) -> list[str]:
    """The owner's permalinks that an entry is about."""
    kind, _, name = entry.subject.partition("/")
    own = Permalink.objects.owned_by(hook.owner)
    if kind == "p":
        return list(own.filter(pk=name).values_list("pk", flat=True))
    sources = FrozenSource.objects.filter(archive_id=int(name)).values("permalink_id") if kind == "archives" else ()
    rows = own.filter(pk__in=sources).order_by("pk").iterator(chunk_size=20) if sources else ()
    return [row.pk for row in rows if concerns(entry, parse_record(row.record))]


def send_due(send: Callable[[int], object]) -> None:
    """`send(id)` for each webhook whose next delivery is due; forget old ones."""
    now = timezone.now()
    WebhookDelivery.objects.filter(created_at__lt=now - KEPT).delete()
    due = WebhookDelivery.objects.filter(state=State.PENDING, next_at__lte=now, webhook__in=Webhook.objects.active())
    for pk in due.order_by().values_list("webhook_id", flat=True).distinct():
        send(pk)


def send_asking(send: Callable[[int], object]) -> None:
    """`send(id)` for each account whose permalinks are to be asked again: once an hour, first an hour after its newest webhook for
    that was made."""
    now = timezone.now()
    asking = Webhook.objects.asking_for(TURNED)
    last = asking.order_by().values("owner").annotate(last=Max(Coalesce("claims_at", "created_at")))
    for owner in list(last.filter(last__lte=now - ASKED_EVERY).values_list("owner", flat=True)):
        asking.owned_by(owner).update(claims_at=now)
        send(owner)


def deliver(hook_id: int) -> str:
    """Deliver what waits for a webhook, in order, up to the first that fails: the outcome."""
    with try_lock(_LOCK + hook_id % (1 << 24)) as is_locked:
        if not is_locked:
            return "busy"
        outcome = "nothing-to-do"
        while (hook := Webhook.objects.active().filter(pk=hook_id).first()) is not None:
            first = hook.deliveries.filter(state=State.PENDING).order_by("number").first()
            if first is None or first.next_at > timezone.now():
                return outcome
            outcome = _attempt(hook, first)
        return outcome


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The value of X-Poolmark-Signature."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _attempt(hook: Webhook, one: WebhookDelivery) -> str:
    now = timezone.now()
    body = json.dumps({"id": str(one.pk), "event": one.event, "created": one.created_at.isoformat(), **one.payload}).encode()
    timestamp = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Poolmark-Webhook/1",
        "X-Poolmark-Event": one.event,
        "X-Poolmark-Delivery": str(one.pk),
        "X-Poolmark-Timestamp": timestamp,
        "X-Poolmark-Signature": sign(hook.secret, timestamp, body),
    }
    one.response_code, one.error = None, ""
    try:
        one.response_code = outgoing.post(hook.url, body, headers)
    except (ValueError, OSError, http.client.HTTPException) as error:  # ValueError: refused, or the connection was ended
        one.error = str(getattr(error, "strerror", "") or error or type(error).__name__)[:300]
    one.attempts, one.tried_at, one.next_at = one.attempts + 1, now, None
    if one.response_code is not None and 200 <= one.response_code < 300:
        one.state = State.DELIVERED
    elif now - one.created_at >= GIVEN_UP:
        one.state = State.FAILED
        note = f"Switched off: {one.event} could not be delivered for a day ({one.error or f'status {one.response_code}'})."
        Webhook.objects.filter(pk=hook.pk).update(is_active=False, note=note)
    else:
        one.next_at = now + timedelta(seconds=min(_LONGEST_WAIT, _FIRST_WAIT * 4 ** (one.attempts - 1)))
    one.save()
    return str(one.state)
