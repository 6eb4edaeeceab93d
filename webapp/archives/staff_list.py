"""Every archive, private, failed and unread ones too, for staff: filtered by state and words. Pages go by number."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from webapp.models import Archive

_WITHDRAWN, _READ = Q(withdrawn_at__isnull=False), Q(state=Archive.State.READ)
STATES = {
    "public": Q(published_at__isnull=False, withdrawn_at__isnull=True) & _READ,
    "private": Q(published_at__isnull=True, withdrawn_at__isnull=True) & _READ,
    "withdrawn": _WITHDRAWN,
    "failed": Q(state=Archive.State.FAILED, withdrawn_at__isnull=True),
    "unread": Q(state__in=(Archive.State.RECEIVED, Archive.State.READING), withdrawn_at__isnull=True),
}
"""State as the list names it -> condition; every archive is in exactly one."""


def state_of(archive: Archive) -> str:
    """Its name in STATES."""
    if archive.withdrawn_at:
        return "withdrawn"
    if archive.state != Archive.State.READ:
        return "failed" if archive.state == Archive.State.FAILED else "unread"
    return "public" if archive.published_at else "private"


def found(state: str = "", words: str = "") -> QuerySet[Archive]:
    """Archives of a state in which every word stands: in title, name, owner or study, or as number or beginning of the SHA-256."""
    rows = Archive.objects.select_related("owner")
    if state in STATES:
        rows = rows.filter(STATES[state])
    for word in words.replace("\0", " ").split()[:8]:
        meant = (
            Q(title__icontains=word)
            | Q(name__icontains=word)
            | Q(owner__username__icontains=word)
            | Q(study__icontains=word)
            | Q(sha256__startswith=word.lower())
        )
        if word.isascii() and word.isdigit() and len(word) < 18:
            meant |= Q(pk=int(word))
        rows = rows.filter(meant)
    return rows
