"""Requests of a reader in the current minute, counted for all processes: in Redis where there is one, else in the database."""

from __future__ import annotations

import time

from django.conf import settings
from django.db import DatabaseError

from webapp.http.page_cache import count_up
from webapp.models import RequestCount
from webapp.models.sql import fetch_row

_TABLE = RequestCount._meta.db_table
# One row a reader: no reader leaves more.
_COUNT = f"""
INSERT INTO {_TABLE} AS c (key, minute, n) VALUES (%s, %s, 1)
ON CONFLICT (key) DO UPDATE SET minute = excluded.minute, n = CASE WHEN c.minute = excluded.minute THEN c.n + 1 ELSE 1 END
RETURNING n"""  # noqa: S608 names and conditions are constants of the code; values are parameters
_SWEEP = 15
"""Minutes after which the rows of readers who have not come since are deleted."""


def count_request(key: str) -> tuple[int, int]:
    """Count a request. Returns their number in this minute, 0 where they cannot be counted, and the seconds that it lasts on.

    One query without Redis.
    """
    now = time.time()
    minute = int(now // 60)
    return _count(key, minute), 60 - int(now % 60)


def _count(key: str, minute: int) -> int:
    if settings.REDIS_URL:
        return count_up(f"requests:{key}:{minute}", 120)
    try:
        (n,) = fetch_row(_COUNT, [key, minute])
    except DatabaseError:
        return 0
    if n == 1 and minute % _SWEEP == 0:
        RequestCount.objects.filter(minute__lt=minute - _SWEEP).delete()
    return n
