"""The month in which something was run, from the time that its output tells. Plain Python."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

MONTH = "month"
"""The dimension, the column of a workload, and the key of the address."""
_TOLD = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@lru_cache(10_000)
def month_of(started_at: str | None) -> str | None:
    """`2014-05` of a time in ISO 8601: in UTC where it has an offset, as it stands where it has none.

    None where no time is told, or none of which the month is known.
    """
    if started_at is None:
        return None
    try:
        when = datetime.fromisoformat(started_at)
        when = when.astimezone(UTC) if when.tzinfo else when
    except (ValueError, OverflowError):
        return started_at if _TOLD.fullmatch(started_at) else None
    return f"{when.year:04}-{when.month:02}"


def months_since_zero(text: str) -> int | None:
    """Where `2014-05` stands on an axis: consecutive months are 1 apart. None for what is no month."""
    told = _TOLD.fullmatch(text)
    return int(told[1]) * 12 + int(told[2]) - 1 if told else None
