"""Actions of owners, staff and the command line on an archive, and blocks of accounts and bytes: each with its entry in the audit
log, in one transaction."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from webapp.accounts import audit, blocklist
from webapp.accounts.blocklist import describe_block
from webapp.archives import exposure, upload
from webapp.models import Archive, Block
from webapp.storage import load
from webapp.storage.locks import lock_bytes

# Blocking an account or bytes, and removing a block: the block and its entries in the audit log, one transaction.


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


def _delete(archive: Archive, _reason: str, _by) -> bool:
    load.delete(archive.pk)
    return True


_ACTIONS = {
    "publish": lambda archive, licence, _by: load.publish(archive.pk, licence),
    "unpublish": lambda archive, _reason, _by: load.unpublish(archive.pk),
    "withdraw": lambda archive, reason, by: load.withdraw(archive.pk, reason, by),
    "unwithdraw": lambda archive, _reason, by: load.restore(archive.pk, by),
    "accept": lambda archive, reason, by: load.accept(archive.pk, reason, by),
    "revoke-acceptance": lambda archive, _reason, _by: load.revoke_acceptance(archive.pk),
    "delete": _delete,
}


def perform_action(archive_id: int, action: str, actor: audit.Actor, reason: str = "", confirmed: Collection[str] = ()) -> bool:
    """Perform an action and log it. False, and nothing logged, where there was nothing to do. To publish, `reason` is the
    licence that was chosen, '' for the one that the archive has, and `confirmed` the secrets that become public all the same.

    Raises Archive.DoesNotExist, and Blocked where the bytes are blocked, or, to publish, the account of the owner;
    UnconfirmedSecrets where there are others.
    """
    if action == "publish":
        archive = Archive.objects.get(pk=archive_id)
        if not archive.is_public:
            exposure.require_confirmed(archive, confirmed)
    with transaction.atomic():
        archive = Archive.objects.select_related("owner").get(pk=archive_id)
        if action in ("publish", "unwithdraw"):
            lock_bytes(archive.sha256)
            blocklist.check(archive.sha256, archive.owner_id if action == "publish" else None)
        if not _ACTIONS[action](archive, reason, actor.user):
            return False
        audit.record(action, actor, archive, reason=f"Licence: {reason}" if action == "publish" and reason else reason)
    if action == "delete":
        upload.delete_unused_bytes(archive.sha256)
    return True
