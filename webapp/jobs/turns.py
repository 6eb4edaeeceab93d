"""Whose archive is read next: small ones apart from large ones, and within each the person who waits longest for a turn."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.db.models import Q

from webapp.models import Archive

SMALL, LARGE = "small", "celery"
"""Names of the queues."""
_WAITING = Q(state__in=(Archive.State.RECEIVED, Archive.State.READING))


def is_small() -> Q:
    """The condition of archives that are read as small ones."""
    return Q(size__lte=settings.POOLMARK_SMALL_ARCHIVE, is_slow=False)


def queue_of(archive_id: int) -> str:
    """The queue for the archive's message."""
    return SMALL if Archive.objects.filter(is_small(), pk=archive_id).exists() else LARGE


def find_next(queue: str, busy: Collection[int] = ()) -> int | None:
    """The id of the archive whose turn it is, without those that are `busy`: the oldest one of the person whose last reading began
    first, of those who have one. Of the queue of large ones small ones too, where no large one waits."""
    if queue == SMALL:
        return _first(is_small(), busy)
    found = _first(~is_small(), busy)
    return _first(is_small(), busy) if found is None else found


def _first(condition: Q, busy: Collection[int]) -> int | None:
    return Archive.objects.filter(_WAITING, condition).exclude(pk__in=busy).first_in_turn()
