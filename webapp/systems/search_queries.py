"""The list of configurations, newest first, and its search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from ingest import keys
from ingest.open_keys import namespace_of, spell_open_value
from webapp.comparison.search import parse_search
from webapp.http.pagination import decode_page_token, encode_page_token
from webapp.models import Configuration

MAX_WORDS = 8
_COLUMNS = ", ".join(f"c.{key.column}::text" for key in keys.KEYS.values())
# A word is looked for in the values of the registered keys and in names and values of the open ones.
_WORD = f"""AND (lower(concat_ws(chr(10), {_COLUMNS})) LIKE %s OR lower(o.values::text) LIKE %s)"""
# `zfs.atime=off` is looked for as a setting, also among those that do not make configurations different.
_SETTING = """AND (o.values @> %s::jsonb OR EXISTS (
    SELECT FROM webapp_provenance p JOIN webapp_run r ON r.archive_id = p.archive_id AND r.configuration_id = c.id
    AND r.provenance_id = p.id WHERE p.others @> %s::jsonb))"""
_LIST = """
SELECT c.id, f.n::bigint FROM (
    SELECT s.configuration_id, sum(s.n) AS n FROM webapp_configurationcount s
    WHERE s.scope = ANY(%s) AND s.configuration_id < %s GROUP BY 1) f
JOIN webapp_configuration c ON c.id = f.configuration_id LEFT JOIN webapp_openproperties o ON o.id = c.open_id
WHERE true {} ORDER BY c.id DESC LIMIT %s
"""


def find_configurations(scopes: Sequence[int], q: str, after: str | None, size: int) -> tuple[list[Configuration], str | None]:
    """A page of the configurations measured in these scopes that match every word of `q`; the token of the next page.

    Each has `measurements`. Two queries.
    """
    token = decode_page_token(after, 1)
    before = token[0] if token and isinstance(token[0], int) else 2**62
    conditions, args = _conditions(q)
    with connection.cursor() as cursor:
        cursor.execute(_LIST.format(" ".join(conditions)), [list(scopes), before, *args, size + 1])
        counts = dict(cursor.fetchall())
    rows = Configuration.objects.select_related("open").in_bulk(list(counts)[:size])
    page = [rows[pk] for pk in list(counts)[:size]]
    for row in page:
        row.measurements = counts[row.pk]
    return page, encode_page_token([page[-1].pk]) if len(counts) > size else None


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
