"""The month of a run from its start time. Plain Python."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

MONTH = "month"
"""The dimension, the column of a workload, and the key of the address."""
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@lru_cache(10_000)
def month_of(started_at: str | None) -> str | None:
    """`2014-05` of a time in ISO 8601: in UTC where it has an offset, else as it is written.

    None without a time, and for a time without a month.
    """
    if started_at is None:
        return None
    try:
        when = datetime.fromisoformat(started_at)
        when = when.astimezone(UTC) if when.tzinfo else when
    except (ValueError, OverflowError):
        return started_at if _MONTH.fullmatch(started_at) else None
    return f"{when.year:04}-{when.month:02}"


def months_since_zero(text: str) -> int | None:
    """The position of `2014-05` on an axis, where consecutive months are 1 apart. None for other texts."""
    match = _MONTH.fullmatch(text)
    return int(match[1]) * 12 + int(match[2]) - 1 if match else None
