"""The list of every archive for staff, filtered by state and words."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from webapp.models import Archive
from webapp.models.archive import STANDINGS

ACCEPTED, AWAITING = "accepted", "not accepted"
STATES = (*STANDINGS, ACCEPTED, AWAITING)
"""Names of the states by which the list is filtered; the last two are parts of `public`."""


def find_archives(state: str = "", words: str = "") -> QuerySet[Archive]:
    """Archives of a state that match every word: in title, name, owner or study, as number, or as beginning of the SHA-256."""
    rows = Archive.objects.select_related("owner")
    if state in STANDINGS:
        rows = rows.standing(state)
    elif state in (ACCEPTED, AWAITING):
        rows = rows.accepted() if state == ACCEPTED else rows.awaiting_acceptance()
    for word in words.replace("\0", " ").split()[:8]:
        condition = (
            Q(title__icontains=word)
            | Q(name__icontains=word)
            | Q(owner__username__icontains=word)
            | Q(study__icontains=word)
            | Q(sha256__startswith=word.lower())
        )
        if word.isascii() and word.isdigit() and len(word) < 18:
            condition |= Q(pk=int(word))
        rows = rows.filter(condition)
    return rows
