"""Receive bytes: the stored blob, the row and the task, for uploads and `manage.py ingest`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Count, Exists, Min, Subquery, Sum
from django.utils import timezone

from webapp.accounts import access, audit, blocklist
from webapp.files import blobs, stores
from webapp.models import Archive
from webapp.storage.locks import lock_bytes, lock_uploads_of

# How much a person may upload within 24 hours: bytes and archives of `POOLMARK_QUOTA_...`. Staff may upload without limit.

DAY = timedelta(hours=24)


class QuotaExceeded(Exception):
    """The upload does not fit into what is left. `quota`: before it; `in_bytes`: the bytes were too many, not the archives."""

    def __init__(self, quota: Quota, in_bytes: bool) -> None:
        super().__init__("more bytes" if in_bytes else "more archives")
        self.quota, self.in_bytes = quota, in_bytes


@dataclass(frozen=True, slots=True)
class Quota:
    """What a person has uploaded within 24 hours; of more archives than allowed, the newest. `first`: when the oldest of these
    came, None without one."""

    bytes_used: int
    archives_used: int
    first: datetime | None

    @property
    def bytes_allowed(self) -> int:
        return settings.POOLMARK_QUOTA_BYTES

    @property
    def archives_allowed(self) -> int:
        return settings.POOLMARK_QUOTA_ARCHIVES

    @property
    def bytes_left(self) -> int:
        return max(0, self.bytes_allowed - self.bytes_used)

    @property
    def archives_left(self) -> int:
        return max(0, self.archives_allowed - self.archives_used)

    @property
    def seconds_until_more(self) -> int:
        """Until the first archive is 24 hours old."""
        return max(1, int((self.first + DAY - timezone.now()).total_seconds()) + 1) if self.first else 0

    def check(self, size: int) -> None:
        """Raise QuotaExceeded where one more archive of that many bytes does not fit."""
        if self.archives_left < 1:
            raise QuotaExceeded(self, False)
        if size > self.bytes_left:
            raise QuotaExceeded(self, True)


def read_quota(user) -> Quota | None:
    """What the person has used; None for staff. One query, of as many rows as a day allows."""
    if access.is_staff(user):
        return None
    recent = Archive.objects.owned_by(user).filter(uploaded_at__gt=timezone.now() - DAY)
    newest = recent.order_by("-uploaded_at", "-id")[: max(1, settings.POOLMARK_QUOTA_ARCHIVES)]
    used = newest.aggregate(size=Sum("size"), n=Count("pk"), first=Min("uploaded_at"))
    return Quota(used["size"] or 0, used["n"], used["first"])


def receive(
    incoming: blobs.IncomingFile,
    owner,
    name: str,
    *,
    title: str = "",
    description: str = "",
    labels: Mapping[str, str] | None = None,
    public: bool = False,
    publisher: audit.Actor | None = None,
    licence: str = "",
    limited: bool = False,
    send: Callable[[int], object],
) -> tuple[Archive, bool]:
    """The archive of these bytes and whether it is new. The bytes of `incoming` are stored or discarded.

    The same bytes lead to the owner's archive, else to a public one of another owner; no task is sent for those unless
    reading had failed. `send(id)` is called after the commit. Raises Blocked where the owner or the bytes are blocked,
    QuotaExceeded where it is `limited` by the owner's quota and a new archive of these bytes does not fit.
    `title`, `description`, `labels` (checked by `labels.check_labels`) are those of a new archive; another keeps its own.
    `public`: published at once, under `licence`; the audit log then names the `publisher`, else the command line.
    """
    _send_ahead(incoming, owner)
    with _discarded_on_failure(incoming), transaction.atomic():
        lock_bytes(incoming.sha256)
        try:
            existing = _find_existing(incoming.sha256, owner)
            if existing is None and limited:
                _check_quota(owner, incoming.size)
        except (blocklist.Blocked, QuotaExceeded):
            _discard(incoming)
            raise
        if existing is None:
            incoming.settle()
            archive = Archive.objects.create(
                sha256=incoming.sha256,
                name=name,
                title=title,
                description=description,
                labels=dict(labels or {}),
                licence=licence if public else "",
                size=incoming.size,
                owner=owner,
                published_at=timezone.now() if public else None,
            )
            if public:
                how = f"Licence: {licence}" if licence else ""
                audit.record("publish", publisher or audit.command_line_actor(), archive, reason=how)
        elif existing.state == Archive.State.FAILED and access.owns(owner, existing):
            incoming.settle()
            archive = existing
            Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED, attempts=0, failure="", is_slow=False)
        else:
            incoming.discard()
            return existing, False
        # Where the broker does not answer, nothing is lost: the row stays `received` and is sent again.
        transaction.on_commit(lambda: send(archive.pk), robust=True)
    return archive, existing is None


@contextmanager
def _discarded_on_failure(incoming: blobs.IncomingFile) -> Iterator[None]:
    try:
        yield
    except BaseException:
        incoming.discard()
        raise


def _send_ahead(incoming: blobs.IncomingFile, owner) -> None:
    """Send the bytes to a bucket before anything is locked, where they look new. Raises Blocked."""
    if not stores.current().is_remote:
        return
    try:
        if _find_existing(incoming.sha256, owner) is None:
            incoming.send_ahead()
    except BaseException:
        incoming.discard()
        raise


def _discard(incoming: blobs.IncomingFile) -> None:
    """Discard the bytes, also where they were sent ahead. The caller has their lock."""
    incoming.discard()
    if incoming.is_sent and not Archive.objects.filter(sha256=incoming.sha256).exists():
        blobs.delete_blob(incoming.sha256)


def _find_existing(sha256: str, owner) -> Archive | None:
    """The owner's archive of these bytes, else a public one. Raises Blocked. One query where there is neither."""
    first = Archive.objects.of_bytes(sha256, owner).values("pk")[:1]
    blocked, existing = (
        get_user_model()
        .objects.filter(pk=owner.pk)
        .values_list(Exists(blocklist.blocks_on(sha256, owner.pk)), Subquery(first))
        .get()
    )
    if blocked:
        blocklist.check(sha256, owner.pk)
    return Archive.objects.get(pk=existing) if existing else None


def _check_quota(owner, size: int) -> None:
    """Raise QuotaExceeded where the archive does not fit, with those that other requests of the owner bring just now."""
    lock_uploads_of(owner.pk)
    quota = read_quota(owner)
    if quota is not None:
        quota.check(size)


def delete_unused_bytes(sha256: str) -> None:
    """Delete the bytes of a deleted archive, unless another archive has the same."""
    with transaction.atomic():
        lock_bytes(sha256)
        if not Archive.objects.filter(sha256=sha256).exists():
            blobs.delete_blob(sha256)
