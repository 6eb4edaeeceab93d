"""What an owner, staff or the command line does to an archive: the act and its entry in the audit log, one transaction."""

from __future__ import annotations

from django.db import transaction

from webapp.accounts import audit, blocks
from webapp.archives import upload
from webapp.models import Archive
from webapp.storage import load
from webapp.storage.write_lock import lock_bytes


def _delete(archive: Archive, _reason: str, _by) -> bool:
    load.delete(archive.pk)
    return True


_DO = {
    "publish": lambda archive, _reason, _by: load.publish(archive.pk),
    "unpublish": lambda archive, _reason, _by: load.unpublish(archive.pk),
    "withdraw": lambda archive, reason, by: load.withdraw(archive.pk, reason, by),
    "unwithdraw": lambda archive, _reason, by: load.restore(archive.pk, by),
    "delete": _delete,
}


def perform_action(archive_id: int, action: str, actor: audit.Actor, reason: str = "") -> bool:
    """Do it and log it. False, and nothing logged, where there was nothing to do.

    Raises Archive.DoesNotExist, and Blocked where the bytes, or the account of the one who publishes, are blocked.
    """
    with transaction.atomic():
        archive = Archive.objects.select_related("owner").get(pk=archive_id)
        if action in ("publish", "unwithdraw"):
            lock_bytes(archive.sha256)
            blocks.check(archive.sha256, archive.owner_id if action == "publish" else None)
        if not _DO[action](archive, reason, actor.user):
            return False
        audit.record(action, actor, archive, reason=reason)
    if action == "delete":
        upload.delete_unused_bytes(archive.sha256)
    return True
