"""The list of every archive for staff, filtered by state and words."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from webapp.models import Archive
from webapp.models.archive import STANDINGS

STATES = tuple(STANDINGS)
"""Names of the states by which the list is filtered."""


def find_archives(state: str = "", words: str = "") -> QuerySet[Archive]:
    """Archives of a state that match every word: in title, name, owner or study, as number, or as beginning of the SHA-256."""
    rows = Archive.objects.select_related("owner")
    if state in STATES:
        rows = rows.standing(state)
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
