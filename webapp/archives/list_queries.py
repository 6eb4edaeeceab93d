"""The archives that a reader sees as one list, with what they were measured with and on; searched and filtered in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models import Archive
from webapp.models.archive import STANDINGS
from webapp.models.sql import fetch_rows

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
_MAX_CONFIGURATIONS = 1000
"""Configurations of an archive that are looked at, the most measured ones."""
_FIELDS = (
    "id", "title", "name", "description", "authors", "year", "study", "published_in", "uploaded_at", "measurements", "warnings",
    "read_at", "published_at", "withdrawn_at",
)  # fmt: skip
_DETAILS = """
SELECT a.id, d.* FROM webapp_archive a CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT t.tool) FILTER (WHERE t.tool IS NOT NULL), array_agg(DISTINCT k.os) FILTER (WHERE k.os IS NOT NULL),
        array_agg(DISTINCT k.fs) FILTER (WHERE k.fs IS NOT NULL), array_agg(DISTINCT k.cpu) FILTER (WHERE k.cpu IS NOT NULL),
        array_agg(DISTINCT k.host) FILTER (WHERE k.host IS NOT NULL)
    FROM (
        SELECT u.tools, coalesce(c.os_name, c.os_family) AS os, coalesce(c.fs_stack, c.fs_type) AS fs, c.cpu_model AS cpu, c.host
        FROM (SELECT * FROM webapp_archiveconfiguration o WHERE o.archive_id = a.id
            ORDER BY o.measurements DESC, o.configuration_id LIMIT %s) u
        CROSS JOIN LATERAL (SELECT * FROM webapp_configuration w WHERE w.id = u.configuration_id OFFSET 0) c) k
    LEFT JOIN LATERAL jsonb_array_elements_text(k.tools) AS t(tool) ON true) d
WHERE a.id = ANY(%s)"""
_cache = ProcessCache(16 * MB, estimate_bytes)
_details = ProcessCache(8 * MB, estimate_bytes)
"""By archive: when it was read, and what was found then."""


@dataclass(frozen=True, slots=True)
class ListedArchive:
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
    """The archives of everybody's list and the user's own, or the latter alone; the newest first. Two queries for each data
    version, for an account two more and one for what is not read yet, which no data version knows."""
    everybodys, *own = Archive.objects.listed_for(user)
    mine = _cached((version, user.pk), own[0]) + _list(_newest(own[0].exclude(state="read")), ()) if own else []
    public = [] if only_own else _cached((version, None), everybodys)
    if not mine:
        return public
    rows = {row.pk: row for row in (*public, *mine)}
    return sorted(rows.values(), key=lambda row: (row.uploaded_at, row.pk), reverse=True)


def _cached(key: tuple[int, int | None], query) -> list[ListedArchive]:
    """The archives of a query, kept by data version and account; of withdrawn ones of others nothing is read."""
    rows = _cache.get(key)
    if rows is None:
        archives = _newest(query)
        rows = _cache.put(key, _list(archives, [row for row in archives if key[1] or row.is_public]))
    return rows


def _newest(query) -> list[Archive]:
    return list(query.order_by("-uploaded_at", "-id").only(*_FIELDS)[:MAX_ARCHIVES])


def _list(archives: Sequence[Archive], readable: Sequence[Archive]) -> list[ListedArchive]:
    """`readable`: those of which the configurations may be looked at."""
    details = _find_details(readable)
    return [_describe(archive, details.get(archive.pk, ())) for archive in archives]


def _describe(archive: Archive, details: Iterable[Sequence[str] | None]) -> ListedArchive:
    named = (archive.name, archive.description, archive.year, archive.study, archive.published_in)
    found = zip(("tools", "systems", "file_systems", "cpus", "hosts"), details, strict=False)
    return ListedArchive(
        pk=archive.pk,
        title=archive.title or archive.name,
        authors=archive.authors,
        about="\n".join(str(text) for text in named if text),
        uploaded_at=archive.uploaded_at,
        measurements=archive.measurements,
        warnings=archive.warnings,
        **{name: tuple(texts or ()) for name, texts in found},
    )


def _find_details(archives: Sequence[Archive]) -> dict[int, Sequence]:
    """Tools, systems, file systems, CPUs and hosts of each archive; read once for each reading of it. At most one query."""
    kept = {archive.pk: _details.get(archive.pk) for archive in archives}
    read_at = {archive.pk: archive.read_at for archive in archives}
    missing = [pk for pk, entry in kept.items() if entry is None or entry[0] != read_at[pk]]
    found = {pk: entry[1] for pk, entry in kept.items() if entry is not None}
    if missing:
        rows = {row[0]: row[1:] for row in fetch_rows(_DETAILS, [_MAX_CONFIGURATIONS, missing])}
        for pk in missing:
            found[pk] = _details.put(pk, (read_at[pk], rows.get(pk, ())))[1]
    return found
