"""Lines that are the time of a report."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.series._clock import MERIDIEMS, parse_date, seconds_of

_ISO = lazy(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?\Z")
_OF_DAY = r"(\d{1,2}(?:[:.]\d\d[:.]\d\d|[\u65f6\u6642]\d\d\u5206\d\d\u79d2))(?: (\S{2,4}))?\Z"
_SYSSTAT = lazy(r"(\d[\d./-]{5,10}\d\.?|\d{4}\u5e74\d{1,2}\u6708\d{1,2}\u65e5)\s{1,3}" + _OF_DAY)
_TIME = lazy(r"(?:Time|Zeit|Heure|Hora|\u65f6\u95f4|\u6642\u9593): ?" + _OF_DAY)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = lazy(  # date(1): `Tue Nov 24 13:07:00 UTC 2026`, `Tue Nov 24 01:07:00 PM UTC 2026`, `Tue 24 Nov 2026 01:07:00 PM CET`
    r"[A-Z][a-z]{2},? (?:([A-Z][a-z]{2}) {1,2}(\d{1,2})|(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})),? (\d{1,2}:\d\d:\d\d)"
    r"(?: ([AP]M))?(?: ([A-Z]{1,5}|[+-]\d{2,4}))?(?: (\d{4}))?\Z"
)
_EPOCH = lazy(r"1\d{9}\Z")
_UTC = {"UTC": "+00:00", "GMT": "+00:00", "Z": "+00:00"}
_FIRST = datetime.date(1970, 1, 1)


class ReportTime(NamedTuple):
    """A time of day, its date if one is certain, and its offset from UTC if one is printed."""

    date: datetime.date | None
    seconds: int
    zone: str = ""
    is_ambiguous: bool = False  # a date is printed and could be two


def parse_stamp(text: str) -> ReportTime | None:
    """The time that a stripped line is, None if it is none. Zones other than UTC are names that stand for several offsets."""
    if not text or not (text[-1].isalnum() or text[-1] == "."):
        return None
    if match := _ISO.match(text):
        return _stamp(parse_date(match[1], is_12_hour=False), match[2], "", _offset(match[3] or ""))
    if match := _SYSSTAT.match(text):
        meridiem = match[3] or ""
        if meridiem and meridiem.lower() not in MERIDIEMS:
            return None
        date = parse_date(match[1], is_12_hour=bool(meridiem))
        stamp = _stamp(date, match[2], meridiem, "")
        return stamp._replace(is_ambiguous=date is None) if stamp else None
    if match := _TIME.match(text):
        meridiem = match[2] or ""
        return _stamp(None, match[1], meridiem, "") if not meridiem or meridiem.lower() in MERIDIEMS else None
    if _EPOCH.match(text):
        return ReportTime(_FIRST + datetime.timedelta(days=int(text) // 86_400), int(text) % 86_400, "+00:00")
    return _of_date(text)


def _of_date(text: str) -> ReportTime | None:
    match = _DATE.match(text)
    if not match:
        return None
    month, day, year = (match[1] or match[4]).lower(), match[2] or match[3], match[5] or match[9]
    date = None
    if year and month in _MONTHS:
        date = parse_date(f"{year}-{_MONTHS.index(month) + 1}-{day}", is_12_hour=False)
    return _stamp(date, match[6], match[7] or "", _offset(match[8] or ""))


def _stamp(date: datetime.date | None, time: str, meridiem: str, zone: str) -> ReportTime | None:
    seconds = seconds_of(time, meridiem)
    return None if seconds is None else ReportTime(date, seconds, zone)


def _offset(zone: str) -> str:
    if zone in _UTC:
        return _UTC[zone]
    digits = zone[1:].replace(":", "")
    return f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}" if digits.isdecimal() else ""
