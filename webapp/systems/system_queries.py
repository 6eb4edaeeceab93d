"""SQL on the configurations, hosts and archives of a system, and on systems by their numbers of values.

Lists are read from the counts of the public scope and of the reader's own private archives, in the order of an index; rows of
other tables by key (`OFFSET 0` keeps the planner from scanning those tables).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet

from ingest.open_keys import CONTROLLER
from webapp.accounts import access
from webapp.http.pagination import decode_page_token, encode_page_token
from webapp.models import Archive, Configuration
from webapp.models.archive import public_sql
from webapp.models.summary import PUBLIC, SystemCount

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
SELECT host FROM one WHERE host IS NOT NULL LIMIT %(most)s"""  # noqa: S608 names and conditions are constants of the code; values are parameters
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
_PARTS = "s.arch, s.cpu_model, s.cpu_cores, s.memory, s.disk_model, s.disk_count"
_COUNTED = f"""
SELECT s.id, {_PARTS}, k.n, k.configurations, s.host, (
    SELECT sum(measurements) FROM webapp_archive WHERE {public_sql()} AND state = 'read'),
    (SELECT sum(n) FROM webapp_metriccount WHERE scope = 0) FROM (
    SELECT system_id, n, configurations FROM webapp_systemcount WHERE scope = 0 ORDER BY n DESC, system_id DESC LIMIT %s) k
JOIN webapp_system s ON s.id = k.system_id"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# Configurations that are public too are counted there.
_PRIVATE = f"""
SELECT s.id, {_PARTS}, k.n::bigint, (
    SELECT count(DISTINCT c.configuration_id) FROM webapp_configurationcount c
    WHERE c.scope = ANY(%(scopes)s) AND c.system_id = s.id AND NOT EXISTS (
        SELECT FROM webapp_configurationcount p WHERE p.scope = 0 AND p.configuration_id = c.configuration_id)), s.host
FROM (SELECT system_id, sum(n) AS n FROM webapp_systemcount WHERE scope = ANY(%(scopes)s) GROUP BY system_id) k
JOIN webapp_system s ON s.id = k.system_id"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# The number of nodes is a parameter of the workload: that of the first run that the reader may see.
_FACTS = f"""
SELECT k.system_id, c.fs_type, o.values::text, (
    SELECT w.params ->> 'nodes' FROM webapp_run r JOIN webapp_archive a ON a.id = r.archive_id
    CROSS JOIN LATERAL (SELECT f.workload_id FROM webapp_measurement f WHERE f.id = r.first_measurement OFFSET 0) m
    JOIN webapp_workload w ON w.id = m.workload_id
    WHERE r.configuration_id = c.id AND r.measurements > 0 AND (a.id = ANY(%(scopes)s) OR ({public_sql("a")}))
    ORDER BY r.id LIMIT 1)
FROM webapp_configurationcount k JOIN webapp_system s ON s.id = k.system_id JOIN webapp_configuration c ON c.id = k.configuration_id
LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE k.scope = ANY(%(scopes)s) AND s.host IS NOT NULL ORDER BY k.system_id LIMIT %(most)s"""  # noqa: S608 names and conditions are constants of the code; values are parameters
# With their controllers, each with its measurements.
_COMPONENTS = f"""
WITH named AS (
    SELECT k.system_id, o.values ->> %(key)s AS controller, sum(k.n)::bigint AS n FROM webapp_openproperties o
    JOIN webapp_configuration c ON c.open_id = o.id JOIN webapp_configurationcount k ON k.configuration_id = c.id
    WHERE o.values ? %(key)s AND k.scope = ANY(%(scopes)s) GROUP BY 1, 2)
SELECT s.id, {_PARTS}, k.n::bigint, k.configurations::bigint, NULL, c.controllers::text FROM (
    SELECT system_id, sum(n) AS n, sum(configurations) AS configurations FROM webapp_systemcount
    WHERE scope = ANY(%(scopes)s) GROUP BY 1) k
JOIN webapp_system s ON s.id = k.system_id LEFT JOIN (
    SELECT system_id, json_agg(json_build_array(controller, n) ORDER BY n DESC, controller) AS controllers FROM named GROUP BY 1) c
    ON c.system_id = s.id
WHERE s.cpu_model IS NOT NULL OR s.disk_model IS NOT NULL OR c.controllers IS NOT NULL
ORDER BY k.n DESC, s.id DESC LIMIT %(most)s"""  # noqa: S608 names and conditions are constants of the code; values are parameters
NODES, NAMED = "nodes", "x."
"""A fact of a system that is a workload's parameter, and the prefix of those that a table's own columns say."""


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


@dataclass(frozen=True, slots=True)
class CountedSystem:
    """A stored system with its numbers of values and configurations in some scopes."""

    pk: int
    arch: str | None
    cpu: str | None
    cores: int | None
    memory: int | None
    disk: str | None
    disks: int | None
    measurements: int
    configurations: int
    host: str | None = None


class Counted(NamedTuple):
    """The most measured public systems; the measurements of public archives, and those of them that comparisons draw."""

    systems: list[CountedSystem]
    measurements: int
    drawn: int


def read_counted_systems(most: int) -> Counted:
    """The `most` most measured systems of the public scope, and the public measurements. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, [most])
        rows = cursor.fetchall()
    measurements, drawn = rows[0][-2:] if rows else (0, 0)
    return Counted([CountedSystem(*row[:-2]) for row in rows], int(measurements or 0), int(drawn or 0))


def read_components_of(scopes: Sequence[int], most: int) -> list[tuple[CountedSystem, Sequence[tuple[str, int]]]]:
    """The `most` most measured systems of these scopes of which a CPU, disk or controller is known, with their controllers and the
    measurements of each. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_COMPONENTS, {"key": CONTROLLER, "scopes": list(scopes), "most": most})
        rows = cursor.fetchall()
    return [(CountedSystem(*row[:-1]), json.loads(row[-1] or "[]")) for row in rows]


def read_archives_of(systems: Sequence[int], archives: QuerySet, most: int) -> list[tuple[int, int]]:
    """(system, archive) of these archives with measurements on these systems, at most `most`. One query."""
    counts = SystemCount.objects.filter(system_id__in=systems, scope__gt=PUBLIC, scope__in=archives.order_by().values("pk"))
    return list(counts.order_by("-scope", "system_id").values_list("system_id", "scope")[:most])


def read_private_systems(scopes: Sequence[int]) -> list[CountedSystem]:
    """The systems of these private scopes, with the configurations that are not public. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_PRIVATE, {"scopes": list(scopes)})
        return [CountedSystem(*row) for row in cursor.fetchall()]


Facts = Mapping[str, Sequence[str]]
"""The facts about a system that is known by its host: texts by the name of their dimension."""


def read_facts(scopes: Sequence[int], most: int) -> dict[int, Facts]:
    """By id: file systems, nodes, and what columns of their tables say of the systems that are known by their host. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, {"scopes": list(scopes), "most": most})
        rows = cursor.fetchall()
    facts = dict[int, dict[str, set[str]]]()
    for system, fs, values, nodes in rows:
        recorded = {"fs": fs, NODES: nodes} | {key: one for key, one in json.loads(values or "{}").items() if key.startswith(NAMED)}
        for key, one in recorded.items():
            if one not in (None, ""):
                facts.setdefault(system, {}).setdefault(key, set()).add(str(one))
    return {system: {key: sorted(texts) for key, texts in recorded.items()} for system, recorded in facts.items()}
