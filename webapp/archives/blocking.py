"""Blocking an account or bytes, and removing a block: the block and its entries in the audit log, one transaction."""

from __future__ import annotations

from django.db import transaction

from webapp.accounts import audit
from webapp.accounts.blocks import describe_block
from webapp.models import Archive, Block
from webapp.storage import load
from webapp.storage.write_lock import lock_bytes


def block_user(user, reason: str, actor: audit.Actor) -> bool:
    """Block an account. False where it is blocked already."""
    with transaction.atomic():
        _, is_new = Block.objects.get_or_create(user=user, defaults={"reason": reason, "made_by": actor.by})
        if is_new:
            _set_active(user, False)
            audit.record("block", actor, about=user.get_username(), reason=reason)
    return is_new


def block_bytes(sha256: str, reason: str, actor: audit.Actor) -> tuple[bool, int]:
    """Block bytes and make their public archives private. Whether the block is new, and the number of those archives."""
    with transaction.atomic():
        lock_bytes(sha256)
        block, is_new = Block.objects.get_or_create(sha256=sha256, defaults={"reason": reason, "made_by": actor.by})
        if not is_new:
            return False, 0
        audit.record("block", actor, sha256=sha256, reason=reason)
        public = Archive.objects.public().filter(sha256=sha256).select_related("owner").order_by("pk")
        public = list(public.select_for_update(of=("self",)))  # all of them before the write lock
        for archive in (hidden := [archive for archive in public if load.unpublish(archive.pk)]):
            audit.record("unpublish", actor, archive, reason=describe_block(block))
    return True, len(hidden)


def remove_block(block: Block, actor: audit.Actor) -> None:
    """Remove a block; its user can sign in again. Archives that it made private stay private."""
    with transaction.atomic():
        if block.user:
            _set_active(block.user, True)
        audit.record("unblock", actor, sha256=block.sha256 or "", about=block.user.get_username() if block.user else "")
        block.delete()


def _set_active(user, active: bool) -> None:
    user.is_active = active
    user.save(update_fields=["is_active"])
