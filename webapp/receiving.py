"""Bytes -> a stored blob, a row, and a task: what an upload and `manage.py ingest` have in common."""
from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction
from django.db.models import Case, When
from django.utils import timezone

from webapp import blobs, storing
from webapp.models import Archive


def receive(incoming: blobs.Incoming, owner, name: str, *, title: str = "", public: bool = False,
            send: Callable[[int], object]) -> tuple[Archive, bool]:
    """The archive of these bytes and whether it is new. Bytes of `incoming` are settled or discarded.

    The same bytes lead to the owner's archive, else to a public one of somebody else; nothing is sent for those unless
    reading had failed. `send(id)` is called after the commit.
    """
    with transaction.atomic():
        _lock(incoming.sha256)
        known = existing(incoming.sha256, owner)
        if known is None:
            incoming.settle()
            archive = Archive.objects.create(
                sha256=incoming.sha256, name=name, title=title, size=incoming.size, owner=owner,
                published_at=timezone.now() if public else None)
        elif known.state == Archive.State.FAILED and known.owner_id == owner.pk:
            incoming.settle()
            archive = known
            Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED, attempts=0, failure="")
        else:
            incoming.discard()
            return known, False
        # A broker that does not answer loses nothing: the row stays `received` and is sent again.
        transaction.on_commit(lambda: send(archive.pk), robust=True)
    return archive, known is None


def existing(sha256: str, owner) -> Archive | None:
    """The owner's archive of these bytes, else one that everybody sees."""
    others = Case(When(owner=owner, then=0), default=1)
    held = Archive.objects.filter(owner=owner) | Archive.objects.public()
    return held.filter(sha256=sha256).order_by(others, "published_at", "id").first()


def delete(archive: Archive) -> None:
    """Delete the archive, and its bytes where nobody else has uploaded them."""
    storing.delete(archive.pk)
    with transaction.atomic():
        _lock(archive.sha256)
        if not Archive.objects.filter(sha256=archive.sha256).exists():
            blobs.forget(archive.sha256)


def _lock(sha256: str) -> None:
    """One at a time per digest, to the commit: nobody deletes bytes that another is about to name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [sha256])
