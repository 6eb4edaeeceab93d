"""Blocks of accounts, which may not sign in, upload or publish, and of bytes, which are refused.

A blocked account is inactive in Django's sense: its sessions end, and neither link nor password signs it in. Its uploads
stay. Bytes of an archive as uploaded are blocked by SHA-256, for every account; archives of them become private and cannot
be published or read again until the block is removed.
"""

from __future__ import annotations

import re

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet

from webapp.formatting.numbers import line
from webapp.models import Block

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Blocked(Exception):
    """Its text is a sentence for the reader."""


def is_digest(text: str) -> bool:
    """Whether it is a SHA-256 in lower-case hexadecimal."""
    return _SHA256.fullmatch(text) is not None


def blocks_on(sha256: object, owner_id: int | None) -> QuerySet[Block]:
    """The blocks of these bytes and of this account. `sha256` may be an OuterRef."""
    return Block.objects.filter(Q(sha256=sha256) | Q(user=owner_id, user__isnull=False))


def check(sha256: str, owner_id: int | None) -> None:
    """Raises Blocked where the bytes or the account are. One query."""
    for block in blocks_on(sha256, owner_id).select_related("user"):
        raise Blocked(describe_block(block))


def describe_block(block: Block) -> str:
    """A sentence: what is blocked, and why."""
    subject = f"The account {block.user.get_username()}" if block.user else "This archive"
    return f"{subject} is blocked: {block.reason}" if block.reason else f"{subject} is blocked. No reason was given."


class UnknownTarget(Exception):
    """Its text is a sentence: neither an account nor a SHA-256."""


def parse_target(text: str):
    """A SHA-256 in lower case, or the account of that name. Raises UnknownTarget."""
    text = text.strip()
    if is_digest(text.lower()):
        return text.lower()
    user = get_user_model().objects.filter(username=text).first() if "\0" not in text else None
    if user is None:
        raise UnknownTarget(f"“{line(text, 80)}” is neither an account nor a SHA-256 (64 hexadecimal digits).")
    return user


def find_block(target) -> Block | None:
    """The block of an account or of a SHA-256, as `parse_target` gives it."""
    return (
        Block.objects.select_related("user").filter(**({"sha256": target} if isinstance(target, str) else {"user": target})).first()
    )
