"""Bearer tokens of the API: made, found, revoked. A token is shown once, when it is made."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from webapp.accounts import audit
from webapp.models import ApiToken

PREFIX = "poolmark_"
READ, PUSH, MANAGE = "read", "push", "manage"
SCOPES = (READ, PUSH, MANAGE)
"""Each includes those before it."""
DAYS, MAX_DAYS = 90, 366
"""For how long a token is valid: usually, and at most."""
MAX_NAME, MAX_TOKENS = 80, 50
"""Characters of a name; valid tokens of an account."""
_USED = timedelta(minutes=1)
"""How exactly the last use is kept."""


def make_token(user, name: str, scopes: Iterable[str], days: int = DAYS) -> str:
    """A new token of the account, `poolmark_` and 43 characters. Raises ValueError for a scope or an age that there is not."""
    given = set(scopes)
    if not given or given - set(SCOPES):
        raise ValueError(f"A token has one or more of the scopes {', '.join(SCOPES)}.")
    if not 1 <= days <= MAX_DAYS:
        raise ValueError(f"A token is valid for 1 to {MAX_DAYS} days.")
    text = PREFIX + secrets.token_urlsafe(32)
    widest = max(map(SCOPES.index, given))
    ApiToken.objects.create(
        owner=user,
        name=name,
        digest=_digest(text),
        prefix=text[: len(PREFIX) + 6],
        scopes=list(SCOPES[: widest + 1]),
        expires_at=timezone.now() + timedelta(days=days),
    )
    return text


def issue(user, name: str, scope: str, days: int, actor: audit.Actor) -> str:
    """A new token of the account for the person who asks for it, with its entry in the audit log. Raises ValueError, whose text is
    a sentence, also for a name that is empty or too long, and beyond MAX_TOKENS."""
    name = " ".join(name.replace("\0", "").split())
    if not 1 <= len(name) <= MAX_NAME:
        raise ValueError(f"Give the token a name of 1 to {MAX_NAME} characters.")
    if ApiToken.objects.valid().owned_by(user).count() >= MAX_TOKENS:
        raise ValueError(f"There are {MAX_TOKENS} tokens that are valid. Revoke one first.")
    with transaction.atomic():
        text = make_token(user, name, [scope], days)
        audit.record("make-token", actor, about=user.get_username(), reason=f"{name}: {scope}, {days} days")
    return text


def end(token: ApiToken, actor: audit.Actor) -> None:
    """Revoke the token, with an entry in the audit log where it was not revoked yet."""
    with transaction.atomic():
        if token.revoked_at is None:
            revoke(token)
            audit.record("revoke-token", actor, about=token.owner.get_username(), reason=token.name)


def find_token(text: str) -> ApiToken | None:
    """The token, with its owner, where it is valid now; its last use is kept to the minute. One query, or two."""
    if not text.startswith(PREFIX):
        return None
    token = ApiToken.objects.valid().select_related("owner").filter(digest=_digest(text)).first()
    now = timezone.now()
    if token is not None and (token.last_used_at is None or now - token.last_used_at > _USED):
        _keep_use(token, now)
    return token


def _keep_use(token: ApiToken, now) -> None:
    """Not where the database cannot be written: reading goes on."""
    try:
        with transaction.atomic():
            old = Q(last_used_at=None) | Q(last_used_at__lt=now - _USED)
            ApiToken.objects.filter(old, pk=token.pk).update(last_used_at=now)
    except DatabaseError:
        return


def revoke(token: ApiToken) -> None:
    """End the token now."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
