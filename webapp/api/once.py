"""Idempotency-Key: a request that is sent again with its key gets the answer of the first time, for a day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Schema
from ninja.responses import NinjaJSONEncoder

from webapp.http.problems import Problem, invalid
from webapp.models import ApiAnswer
from webapp.models.api_clients import KEPT
from webapp.storage.locks import try_lock_request

HEADER = "Idempotency-Key"
_LONGEST = 255
Answer = tuple[int, dict[str, Any]]
"""Status and body."""


def plain(record: Schema) -> dict[str, Any]:
    """A record as JSON has it, spelt as other answers are."""
    return json.loads(json.dumps(record.model_dump(), cls=NinjaJSONEncoder))


def once(request: HttpRequest, content: Any, act: Callable[[], Answer]) -> Answer:
    """The answer of `act()`, or the kept one of a request with the same key, token and `content`, which is what JSON can say.

    With a key `act` runs in a transaction that keeps its answer too; what it raises is not kept. Problem 409 while another
    request with the key is answered, 422 where that asked for something else.
    """
    key = request.headers.get(HEADER, "")
    if not key:
        return act()
    if len(key) > _LONGEST or not (key.isascii() and key.isprintable()):
        raise invalid(f"header.{HEADER}", f"The key must be printable ASCII of at most {_LONGEST} characters.")
    asked = json.dumps([request.method, request.get_full_path(), content], sort_keys=True, cls=NinjaJSONEncoder)
    digest, token = hashlib.sha256(asked.encode()).hexdigest(), request.auth  # type: ignore[attr-defined]
    with transaction.atomic():
        if not try_lock_request(token.pk, key):
            raise Problem(409, "A request with this Idempotency-Key is being answered. Try again.", headers={"Retry-After": "1"})
        kept = ApiAnswer.objects.kept().filter(token=token, key=key).first()
        if kept is None:
            status, body = act()
            answer = {"digest": digest, "status": status, "body": body, "created_at": timezone.now()}
            ApiAnswer.objects.update_or_create(token=token, key=key, defaults=answer)
            return status, body
    if kept.digest != digest:
        days = f"{KEPT.days} day" if KEPT.days == 1 else f"{KEPT.days} days"
        raise invalid(f"header.{HEADER}", f"This key was used within {days} for a request with another address or body.")
    return kept.status, kept.body
