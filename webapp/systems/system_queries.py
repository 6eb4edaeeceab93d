"""SQL on the configurations, hosts and archives of a system, and on systems by their numbers of values.

Lists are read from the counts of the public scope and of the reader's own private archives, in the order of an index; rows of
other tables by key (`OFFSET 0` keeps the planner from scanning those tables).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Sum

from webapp.accounts import access
from webapp.http.pagination import decode_page_token, encode_page_token, paginate
from webapp.models import Archive, Configuration, System, SystemCount
from webapp.models.summary import PUBLIC

_CONFIGURATIONS = """
SELECT c.*, p.sorted, (SELECT sum(n)::bigint FROM webapp_configurationcount s
    WHERE s.scope = ANY(%(scopes)s) AND s.configuration_id = c.id) AS measurements
FROM (
    SELECT DISTINCT of.sorted, of.configuration_id FROM unnest(%(scopes)s::bigint[]) AS k(one) CROSS JOIN LATERAL (
        SELECT s.sorted, s.configuration_id FROM webapp_configurationcount s WHERE s.scope = k.one AND s.system_id = %(system)s
        AND (s.sorted, s.configuration_id) > (%(sorted)s COLLATE "C", %(after)s)
        ORDER BY s.sorted, s.configuration_id LIMIT %(most)s) of
    ORDER BY 1, 2 LIMIT %(most)s) p
CROSS JOIN LATERAL (SELECT * FROM webapp_configuration o WHERE o.id = p.configuration_id OFFSET 0) c ORDER BY p.sorted, c.id
"""
# From each host to the next one: DISTINCT would read every configuration of the system.
_NEXT = """SELECT min(f.host) AS host FROM unnest(%(scopes)s::bigint[]) AS k(one) CROSS JOIN LATERAL (
    SELECT s.host FROM webapp_configurationcount s WHERE s.scope = k.one AND s.system_id = %(system)s AND s.host > {}
    ORDER BY s.host LIMIT 1) f"""
_HOSTS = f"""
WITH RECURSIVE one AS (({_NEXT.format("''")}) UNION ALL
    SELECT n.host FROM one CROSS JOIN LATERAL ({_NEXT.format("one.host")}) n WHERE one.host IS NOT NULL)
SELECT host FROM one WHERE host IS NOT NULL LIMIT %(most)s"""
_ARCHIVES = """
SELECT a.* FROM unnest(%(readers)s::bigint[]) AS k(one) CROSS JOIN LATERAL (
    SELECT s.scope FROM webapp_systemcount s WHERE s.system_id = %(system)s AND s.seen_by = k.one AND s.scope > 0
    AND s.scope < %(before)s ORDER BY s.scope DESC LIMIT %(most)s) f
CROSS JOIN LATERAL (SELECT * FROM webapp_archive r WHERE r.id = f.scope OFFSET 0) a ORDER BY a.id DESC LIMIT %(most)s"""
_NEWEST = """
SELECT c.* FROM (
    SELECT DISTINCT f.configuration_id FROM unnest(%s::bigint[]) AS k(one) CROSS JOIN LATERAL (
        SELECT s.configuration_id FROM webapp_configurationcount s WHERE s.scope = k.one
        ORDER BY s.configuration_id DESC LIMIT %s) f
    ORDER BY 1 DESC LIMIT %s) p
CROSS JOIN LATERAL (SELECT * FROM webapp_configuration o WHERE o.id = p.configuration_id OFFSET 0) c ORDER BY c.id DESC"""
_PRIVATE_CONFIGURATIONS = """
SELECT c.system_id, count(DISTINCT c.configuration_id) FROM webapp_configurationcount c
WHERE c.scope = ANY(%s) AND c.system_id = ANY(%s) AND NOT EXISTS (
    SELECT FROM webapp_configurationcount p WHERE p.scope = 0 AND p.configuration_id = c.configuration_id)
GROUP BY c.system_id"""


def read_configurations(system: int, scopes: Sequence[int], after: str | None, size: int) -> tuple[list[Configuration], str | None]:
    """A page of a system's configurations with their `measurements`, and the token of the next page. One query.

    Sorted by operating system, then file system; unknown ones come last.
    """
    token = decode_page_token(after, 2)
    last, last_id = token if token and isinstance(token[0], str) and isinstance(token[1], int) else ("", 0)
    rows = list(
        Configuration.objects.raw(
            _CONFIGURATIONS,
            {
                "scopes": list(scopes),
                "system": system,
                "most": size + 1,
                "sorted": last,
                "after": last_id,
            },
        )
    )
    return rows[:size], encode_page_token([rows[size - 1].sorted, rows[size - 1].pk]) if len(rows) > size else None


def read_hosts(system: int, scopes: Sequence[int], most: int) -> list[str]:
    """The names of at most `most` hosts of the system, sorted."""
    with connection.cursor() as cursor:
        cursor.execute(_HOSTS, {"scopes": list(scopes), "system": system, "most": most})
        return [row[0] for row in cursor.fetchall()]


def read_archives(system: int, user, before: str | None, size: int) -> tuple[list[Archive], str | None]:
    """A page of the archives with measurements on the system that the user may read, newest first; the token of the next page."""
    token = decode_page_token(before, 1)
    rows = list(
        Archive.objects.raw(
            _ARCHIVES,
            {
                "readers": access.reader_ids(user),
                "system": system,
                "most": size + 1,
                "before": token[0] if token and isinstance(token[0], int) else 2**62,
            },
        )
    )
    return rows[:size], encode_page_token([rows[size - 1].pk]) if len(rows) > size else None


def read_newest_configurations(scopes: Sequence[int], most: int) -> list[Configuration]:
    """At most `most` configurations with measurements in these scopes, newest first. One query."""
    return list(Configuration.objects.raw(_NEWEST, [list(scopes), most, most]))


def read_most_measured(scopes: Sequence[int], after: str | None, size: int) -> tuple[list[System], str | None]:
    """A page of the systems measured in these scopes, each with `measurements` and `configurations`, and the next token.

    The most measured system comes first.
    """
    private = [scope for scope in scopes if scope != PUBLIC]
    public = SystemCount.objects.filter(scope=PUBLIC)
    if not private:
        rows, further = paginate(public, after, ("n", "system_id"), size)
        return _load_systems(rows), further
    own = dict(SystemCount.objects.filter(scope__in=private).values_list("system_id").annotate(total=Sum("n")))
    merged = {row.system_id: row for row in public.filter(system__in=own)}
    for pk, n in own.items():
        row = merged.setdefault(pk, SystemCount(scope=PUBLIC, system_id=pk, n=0, configurations=0))
        row.n += n
    rows, further = paginate([public.exclude(system__in=own)], after, ("n", "system_id"), size, extra_rows=list(merged.values()))
    with_private = [row.system_id for row in rows if row.system_id in own]
    if with_private:
        with connection.cursor() as cursor:
            cursor.execute(_PRIVATE_CONFIGURATIONS, [private, with_private])
            private_counts = dict(cursor.fetchall())
        for row in rows:
            row.configurations += private_counts.get(row.system_id, 0)
    return _load_systems(rows), further


def _load_systems(counts: list[SystemCount]) -> list[System]:
    """The systems of these counts, with the counts as attributes. One query."""
    by_id = System.objects.in_bulk([count.system_id for count in counts])
    for count in counts:
        system = by_id[count.system_id]
        system.measurements, system.configurations = count.n, count.configurations
    return [by_id[count.system_id] for count in counts]
