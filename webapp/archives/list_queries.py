"""The archives that a reader sees as one list, with what they were measured with and on; searched and filtered in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from sys import intern
from typing import NamedTuple

from django.db.models import Q, QuerySet

from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models import Archive
from webapp.models.archive import STANDINGS

# The list of every archive for staff, filtered by state and words.

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


MAX_ARCHIVES = 20_000
"""Archives that are listed, the newest ones."""
_ABOUT = ("name", "description", "year", "study", "published_in")
_FIELDS = ("id", "title", "authors", "uploaded_at", "measurements", "warnings", "open_to_all", "profile__told__listed")
_cache = ProcessCache(16 * MB, estimate_bytes)


class ListedArchive(NamedTuple):
    """An archive of the list. Of a withdrawn one nothing is known but what its page still shows."""

    pk: int
    title: str
    authors: str
    about: str
    uploaded_at: datetime
    measurements: int
    warnings: int
    tools: Sequence[str] = ()
    systems: Sequence[str] = ()
    file_systems: Sequence[str] = ()
    cpus: Sequence[str] = ()
    hosts: Sequence[str] = ()

    @property
    def searched(self) -> str:
        """What a search looks at, a text a line."""
        named = (self.title, self.authors, self.about)
        return "\n".join([*named, *self.tools, *self.systems, *self.file_systems, *self.cpus, *self.hosts])


def read_archives(version: int, user, only_own: bool) -> list[ListedArchive]:
    """The archives of everybody's list and the user's own, or the latter alone; the newest first. One query for each data
    version, for an account one more and one for what is not read yet, which no data version knows."""
    everybodys, *own = Archive.objects.listed_for(user)
    mine = _cached((version, user.pk), own[0]) + _list(own[0].exclude(state="read"), is_own=True) if own else []
    public = [] if only_own else _cached((version, None), everybodys)
    if not mine:
        return public
    rows = {row.pk: row for row in (*public, *mine)}
    return sorted(rows.values(), key=lambda row: (row.uploaded_at, row.pk), reverse=True)


def _cached(key: tuple[int, int | None], query) -> list[ListedArchive]:
    """The archives of a query, kept by data version and account."""
    rows = _cache.get(key)
    return _cache.put(key, _list(query, is_own=key[1] is not None)) if rows is None else rows


def _list(query, is_own: bool) -> list[ListedArchive]:
    """The newest archives of a query, which is executed once. Of withdrawn ones of others the values stay unknown."""
    archives = []
    rows = query.with_publicity().order_by("-uploaded_at", "-id").values_list(*_FIELDS, *_ABOUT)[:MAX_ARCHIVES]
    for pk, title, authors, uploaded_at, measurements, warnings, open_to_all, listed, *about in rows:
        values = listed if listed and (is_own or open_to_all) else ()
        archives.append(
            ListedArchive(
                pk,
                title or about[0],
                authors,
                "\n".join(str(text) for text in about if text),
                uploaded_at,
                measurements,
                warnings,
                *(tuple(map(intern, texts)) for texts in values),  # thousands of archives have the same names
            )
        )
    return archives
