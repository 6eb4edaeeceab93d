"""Times as outputs print them, as far as they say: a year, a month, a day or an instant, with or without an offset."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

# The month of a run from its start time. Plain Python.

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


MIN_YEAR, MAX_YEAR = 1980, 2200
"""No benchmark was run outside of these years: clocks that were never set start in 1970."""
_NAMED = re.compile(
    r"(?<![0-9])(?:(?P<year>(?:19|20)[0-9]{2})(?P<mark>[-_.]?)(?P<month>0[1-9]|1[0-2])(?P=mark)(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"|(?P<day2>0[1-9]|[12][0-9]|3[01])[.](?P<month2>0[1-9]|1[0-2])[.](?P<year2>20[0-9]{2}))"
    r"(?:[T_ .-]{1,2}(?P<hour>[01][0-9]|2[0-3])[-_:.h]?(?P<minute>[0-5][0-9])"
    r"(?:[-_:.m]?(?P<second>[0-5][0-9]))?(?![A-Ya-z0-9]))?(?![0-9])"
)
_PARTIAL = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")

_VERSION = re.compile(
    r"(?i)(?:snap|snapshot|git|build|nightly|rc|ver|version|release|image|img|iso|kernel|linux|current|[vr])[-_.]?\Z"
)
"""Before a date in a name: it is that of what was measured."""


class TimeInterval(NamedTuple):
    """The earliest and the latest instant of a printed time; in UTC where it has an offset, else without a time zone."""

    earliest: datetime
    latest: datetime

    @property
    def has_offset(self) -> bool:
        """Whether it can be compared with times of other time zones. The two kinds are never compared with each other."""
        return self.earliest.tzinfo is not None


@lru_cache(10_000)
def parse_printed_time(text: str | None) -> TimeInterval | None:
    """A time in ISO 8601; None where there is none, where it is of another form, and outside of `MIN_YEAR` to
    `MAX_YEAR`."""
    try:
        time = _parse_partial(text) or TimeInterval(*[datetime.fromisoformat(text)] * 2) if text else None
        if time is None or not MIN_YEAR <= time.earliest.year <= MAX_YEAR:
            return None
        return TimeInterval(time.earliest.astimezone(UTC), time.latest.astimezone(UTC)) if time.has_offset else time
    except (ValueError, OverflowError):
        return None


def _parse_partial(text: str) -> TimeInterval | None:
    """A year, a month or a day. Raises ValueError where there is no such day."""
    match = _PARTIAL.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    first = datetime(year or 0, month or 1, day or 1)
    if day:
        beyond = first + timedelta(days=1)
    elif month:
        beyond = datetime(first.year + month // 12, month % 12 + 1, 1)
    else:
        beyond = datetime(first.year + 1, 1, 1)
    return TimeInterval(first, beyond)


def find_time(started_at: str | None, path: str) -> TimeInterval | None:
    """When a run began: as printed, else as the name of its file, or of a folder of it, says: an instant or a day."""
    return parse_printed_time(started_at) or parse_named_time(path)


@lru_cache(10_000)
def parse_named_time(path: str) -> TimeInterval | None:
    """The time or day in the last part of a path that has exactly one, without a time zone; None where there is none."""
    for part in reversed(path.split("/")):
        dates = [match for match in _NAMED.finditer(part) if not _VERSION.search(part[: match.start()])]
        if len(dates) == 1:
            date = {name.rstrip("2"): text for name, text in dates[0].groupdict().items() if text is not None}
            day = f"{date['year']}-{date['month']}-{date['day']}"
            return parse_printed_time(
                f"{day}T{date['hour']}:{date['minute']}:{date.get('second', '00')}" if "hour" in date else day
            )
    return None
