"""The list of configurations, newest first, and its search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from ingest import keys
from ingest.open_keys import namespace_of, spell_open_value
from webapp.comparison.search import parse_search

MAX_WORDS = 8
MAX_LISTED = 50_000
"""Configurations that are listed, the newest ones."""
_COLUMNS = ", ".join(f"c.{key.column}::text" for key in keys.KEYS.values())
# A word is looked for in the values of the registered keys and in names and values of the open ones.
_WORD = f"""AND (lower(concat_ws(chr(10), {_COLUMNS})) LIKE %s OR lower(o.values::text) LIKE %s)"""
# `zfs.atime=off` is looked for as a setting, also among those that do not make configurations different.
_SETTING = """AND (o.values @> %s::jsonb OR EXISTS (
    SELECT FROM webapp_provenance p JOIN webapp_run r ON r.archive_id = p.archive_id AND r.configuration_id = c.id
    AND r.provenance_id = p.id WHERE p.others @> %s::jsonb))"""
_LIST = """
SELECT c.id, f.n::bigint, c.host, coalesce(c.os_name, c.os_family), c.os_version, coalesce(c.fs_stack, c.fs_type),
    c.pool_compression, c.pool_layout, c.cpu_model, c.memory, c.machine_id FROM (
    SELECT s.configuration_id, sum(s.n) AS n FROM webapp_configurationcount s WHERE s.scope = ANY(%s) GROUP BY 1) f
JOIN webapp_configuration c ON c.id = f.configuration_id LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE true {} ORDER BY c.id DESC LIMIT %s
"""


class ListedConfiguration(NamedTuple):
    """A configuration of the list, with what its facets and columns need."""

    pk: int
    measurements: int
    host: str | None
    os: str | None
    os_version: str | None
    fs: str | None
    compression: str | None
    layout: str | None
    cpu: str | None
    memory: int | None
    machine: int | None


def find_configurations(scopes: Sequence[int], q: str) -> list[ListedConfiguration]:
    """The configurations measured in these scopes that match every word of `q`, the newest first. One query."""
    conditions, args = _conditions(q)
    with connection.cursor() as cursor:
        cursor.execute(_LIST.format(" ".join(conditions)), [list(scopes), *args, MAX_LISTED])
        return [ListedConfiguration(*row) for row in cursor.fetchall()]


def _conditions(q: str) -> tuple[list[str], list[Any]]:
    """Conditions of SQL, and their arguments."""
    conditions, args = list[str](), list[Any]()
    for word in sorted(parse_search(q))[:MAX_WORDS]:
        name, equals, text = word.partition("=")
        if equals and namespace_of(name):
            setting = json.dumps({name: spell_open_value(name, text)})
            conditions.append(_SETTING)
            args += [setting, setting]
        else:
            pattern = "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            conditions.append(_WORD)
            args += [pattern, pattern]
    return conditions, args
