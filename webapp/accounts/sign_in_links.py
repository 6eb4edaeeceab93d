"""Sign-in: the local owner's account, and links that work once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.checks import Tags, Warning, register
from django.db import transaction
from django.utils import timezone

from webapp.accounts import blocklist
from webapp.models import Block, SignInToken

# What `manage.py check --deploy` says of sign-in behind a proxy.

PROXIES = "poolmark.W001"


@register(Tags.security, deploy=True)
def check_proxies(**_: Any) -> list[Warning]:
    """Without a proxy that is believed, all who come through one, or through a socket, are one address."""
    if settings.POOLMARK_PROXIES:
        return []
    return [
        Warning(
            "POOLMARK_PROXIES is 0: behind a proxy or a socket all readers count as one address, and ten failed sign-ins of one "
            "shut all of them out for 15 minutes.",
            hint="Set POOLMARK_ORIGINS, or POOLMARK_PROXIES to the number of proxies in front.",
            id=PROXIES,
        )
    ]


OWNER = "owner"
TOKEN_LIFETIME = timedelta(days=7)


def local_owner():
    """The account of the operator of this copy; made at first use, without a password."""
    defaults = {"is_staff": True, "is_superuser": True}
    user, is_new = get_user_model().objects.get_or_create(username=OWNER, defaults=defaults)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def ensure_account(name: str):
    """The account of that name; made without a password where there is none."""
    if name == OWNER:
        return local_owner()
    user, is_new = get_user_model().objects.get_or_create(username=name)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def make_token(user) -> str:
    """A new secret for a sign-in link; only its SHA-256 is stored."""
    secret = secrets.token_urlsafe(32)
    SignInToken.objects.create(digest=_digest(secret), user=user)
    return secret


def is_token_valid(secret: str) -> bool:
    """Whether the link works now. Does not use it up, since mail programs preview links."""
    return _open().filter(digest=_digest(secret)).exists()


def block_message(secret: str) -> str:
    """A sentence where the account of the link is blocked; else ''."""
    block = Block.objects.filter(user__signintoken__digest=_digest(secret)).select_related("user").first()
    return blocklist.describe_block(block) if block else ""


def use_token(secret: str):
    """The user of a token, which is marked as used; None where it is unknown, used or too old."""
    with transaction.atomic():
        token = _open().select_for_update(of=("self",)).select_related("user").filter(digest=_digest(secret)).first()
        if token is None:
            return None
        token.used_at = timezone.now()
        token.save(update_fields=["used_at"])
        return token.user


def _open():
    return SignInToken.objects.filter(used_at=None, user__is_active=True, created_at__gte=timezone.now() - TOKEN_LIFETIME)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
