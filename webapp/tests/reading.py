"""How many rows a page makes the database read: the real rows of its queries' plans, which no machine changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from django.db import connection, transaction

_READS = re.compile(r"\s*(SELECT|WITH)", re.IGNORECASE)


def rows_read(queries: Iterable[dict[str, str]], *, indexes: bool = True) -> int:
    """Rows that the scans of these captured SELECTs gave or threw away, run again under EXPLAIN ANALYZE.

    `indexes`: take one where there is one. A table of a test has few rows, and whether its statistics are young decides if it
    is read whole.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL enable_seqscan = {'off' if indexes else 'on'}")
        total = sum(_rows_of(cursor, query["sql"]) for query in queries if _READS.match(query["sql"]))
        cursor.execute("SET LOCAL enable_seqscan = on")
    return total


def _rows_of(cursor, sql: str) -> int:
    cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) " + sql.replace("%", "%%"), [])
    (plan,) = cursor.fetchone()
    return _of(_plain(plan)[0]["Plan"])


def _plain(plan):
    return json.loads(plan) if isinstance(plan, str) else plan


def _of(node: dict) -> int:
    """Rows of the scans at and below a node; inner sides of loops count as often as they ran."""
    own = 0
    if "Scan" in node["Node Type"] and not node["Node Type"].startswith(("Bitmap Index", "CTE", "Function", "Subquery", "Values")):
        thrown = sum(node.get(key, 0) for key in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
        own = round((node["Actual Rows"] + thrown) * node["Actual Loops"])
    return own + sum(_of(child) for child in node.get("Plans", ()))
