"""The archives that a reader sees as one list, with what they were measured with and on; searched and filtered in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from webapp.http.process_cache import ProcessCache
from webapp.models import Archive
from webapp.models.archive import public_sql

MAX_ARCHIVES = 20_000
"""Archives that are listed, the newest ones."""
_MAX_CONFIGURATIONS = 1000
"""Configurations of an archive that are looked at, the most measured ones."""
_FIELDS = ("id", "title", "name", "authors", "year", "study", "published_in", "uploaded_at", "measurements", "warnings")
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
WHERE a.id = ANY(%s) AND {}"""
_cache = ProcessCache(50)


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
    mine = _cached((version, user.pk), own[0], "true") + _read(own[0].exclude(state="read"), "") if own else []
    public = [] if only_own else _cached((version, None), everybodys, public_sql("a"))
    if not mine:
        return public
    rows = {row.pk: row for row in (*public, *mine)}
    return sorted(rows.values(), key=lambda row: (row.uploaded_at, row.pk), reverse=True)


def _cached(key: tuple, query, condition: str) -> list[ListedArchive]:
    rows = _cache.get(key)
    return _cache.put(key, _read(query, condition)) if rows is None else rows


def clear_cache() -> None:
    _cache.clear()


def _read(query, condition: str) -> list[ListedArchive]:
    """The archives of a query; `condition`: of which their configurations may be read too, none where it is empty."""
    rows = list(query.order_by("-uploaded_at", "-id").values_list(*_FIELDS)[:MAX_ARCHIVES])
    details = _read_details([row[0] for row in rows], condition) if rows and condition else {}
    return [_listed(row, details.get(row[0], ())) for row in rows]


def _listed(row: tuple, details: Iterable[Sequence[str] | None]) -> ListedArchive:
    pk, title, name, authors, year, study, published_in, uploaded_at, measurements, warnings = row
    about = "\n".join(str(text) for text in (name, year, study, published_in) if text)
    return ListedArchive(
        pk, title or name, authors, about, uploaded_at, measurements, warnings, *(tuple(texts or ()) for texts in details)
    )


def _read_details(archives: list[int], condition: str) -> dict[int, Sequence]:
    with connection.cursor() as cursor:
        cursor.execute(_DETAILS.format(condition), [_MAX_CONFIGURATIONS, archives])
        return {row[0]: row[1:] for row in cursor.fetchall()}
