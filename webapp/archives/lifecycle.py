"""Actions of owners, staff and the command line on an archive: each with its entry in the audit log, in one transaction."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from webapp.accounts import audit, blocks
from webapp.archives import exposure, upload
from webapp.models import Archive
from webapp.storage import load
from webapp.storage.write_lock import lock_bytes


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
            blocks.check(archive.sha256, archive.owner_id if action == "publish" else None)
        if not _ACTIONS[action](archive, reason, actor.user):
            return False
        audit.record(action, actor, archive, reason=f"Licence: {reason}" if action == "publish" and reason else reason)
    if action == "delete":
        upload.delete_unused_bytes(archive.sha256)
    return True
