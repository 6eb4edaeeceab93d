"""SQL on studies and their public archives, by an index of study names."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.models import Archive
from webapp.models.archive import public_sql
from webapp.models.sql import fetch_rows

_STUDIED = f"FROM webapp_archive WHERE {public_sql()} AND study > ''"
_FIRSTS = f"""
SELECT a.id FROM unnest(%s::text[]) AS k(wanted)
CROSS JOIN LATERAL (SELECT id {_STUDIED} AND study = wanted ORDER BY id LIMIT 1) a"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# From each name to the next one: DISTINCT would read every archive of every study.
_AFTER = f"""
WITH RECURSIVE one AS (
    (SELECT study, id {_STUDIED} AND study > %s ORDER BY study, id LIMIT 1)
    UNION ALL
    SELECT n.study, n.id FROM one
    CROSS JOIN LATERAL (SELECT study, id {_STUDIED} AND study > one.study ORDER BY study, id LIMIT 1) n
)
SELECT id FROM one WHERE study <> ALL(%s::text[]) LIMIT %s"""  # noqa: S608 names and conditions are constants of the code; values are parameters

_MEASURED = """
SELECT concat_ws(' ', c.os_name, c.os_version), c.os_family, c.host, c.cpu_model, c.memory, coalesce(c.fs_stack, c.fs_type),
    c.pool_layout, k.tools, k.origins, CASE WHEN k.origins ? 'model' THEN (
        SELECT sum(s.n) FROM webapp_summary s JOIN webapp_workload w ON w.id = s.workload_id AND w.origin <> 'model'
        WHERE s.scope = k.archive_id AND s.configuration_id = k.configuration_id) ELSE n.n END,
    (p.told ->> 'configurations')::int > %s
FROM unnest(%s::bigint[]) AS a(id)
CROSS JOIN LATERAL (SELECT told FROM webapp_profile q WHERE q.archive_id = a.id OFFSET 0) p
CROSS JOIN LATERAL (
    SELECT * FROM webapp_archiveconfiguration t WHERE t.archive_id = a.id
    ORDER BY t.measurements DESC, t.configuration_id LIMIT %s) k
CROSS JOIN LATERAL (
    SELECT n FROM webapp_configurationcount s WHERE s.scope = k.archive_id AND s.configuration_id = k.configuration_id OFFSET 0) n
CROSS JOIN LATERAL (SELECT * FROM webapp_configuration o WHERE o.id = k.configuration_id OFFSET 0) c
"""


def read_first_archives(names: Iterable[str]) -> dict[str, Archive]:
    """The first public archive of each of these studies that has one. Two queries, a row for each name."""
    return {archive.study: archive for archive in _read_archives(_FIRSTS, [list(names)])}


def read_accepted_archives(names: Iterable[str]) -> dict[str, list[int]]:
    """Ids of the accepted archives of each of these studies that has one, the oldest first. One query."""
    ids: dict[str, list[int]] = {}
    rows = Archive.objects.accepted().filter(study__in=list(names), study__gt="").order_by("id").values_list("study", "id")
    for name, pk in rows:
        ids.setdefault(name, []).append(pk)
    return ids


def read_accepted_firsts(names: Iterable[str]) -> list[Archive]:
    """The oldest accepted archive of each of these studies that has one. One query."""
    accepted = Archive.objects.accepted().filter(study__in=list(names), study__gt="")
    return list(accepted.order_by("study", "id").distinct("study"))


def read_archives_after(name: str, without: Iterable[str], most: int) -> list[Archive]:
    """The first public archive of each study whose name sorts after this one, but for those `without`. Two queries."""
    return sorted(_read_archives(_AFTER, [name, list(without), most]), key=lambda archive: archive.study)


def public_archives_of(name: str):
    """The public archives of a study."""
    return Archive.objects.of_study(name)


def read_measured_configurations(archives: list[int], most: int) -> list[tuple]:
    """A row for each of the `most` most measured configurations of each archive; its last column: whether there are more."""
    return fetch_rows(_MEASURED, [most, archives, most])


def _read_archives(query: str, args: list) -> list[Archive]:
    return list(Archive.objects.filter(pk__in=[row[0] for row in fetch_rows(query, args)]))
