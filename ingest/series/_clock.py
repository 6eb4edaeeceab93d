"""Printed dates and times of day as seconds.

A date whose order of day and month is open gives none: C locale and British English print `05/06/26` alike.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.points import CellParser, Number, PointColumn, parse_number

# Sizes as sysstat prints them with --human: a number and the letter of its unit, whatever the heading says.

_UNITS = "BkMGTP"
LETTERS = _UNITS + "%"
_CELL = lazy(r"\d{1,12}(?:[.,]\d{1,2})?[BkMGTP%]\Z")
_PER_1024 = 9_765_625  # 1 / 1024 = 9765625 / 10^10


def columns_of(cells: Sequence[str], columns: tuple[PointColumn, ...]) -> tuple[PointColumn, ...]:
    """The columns of these cells: with the letters of their units where one of the cells ends like a number of --human."""
    return _human_columns(columns) if any(cell[-1:] in LETTERS and _CELL.match(cell) for cell in cells) else columns


@cache
def _human_columns(columns: tuple[PointColumn, ...]) -> tuple[PointColumn, ...]:
    return tuple(column._replace(parse=_parser(column.multiplier)) for column in columns)


@cache
def _parser(multiplier: int) -> CellParser:
    power_of_heading = {1024: 1, 1024**2: 2}.get(multiplier, 0)

    def parse(cell: str) -> Number | None:
        if not _CELL.match(cell):
            return parse_number(cell)
        digits, decimals = parse_number(cell[:-1]) or (0, 0)
        if cell[-1] == "%":
            return digits, decimals
        if multiplier not in (1, 1024, 1024**2):
            raise ValueError
        power = _UNITS.index(cell[-1]) - power_of_heading
        return (digits * 1024**power, decimals) if power >= 0 else (digits * _PER_1024**-power, decimals - 10 * power)

    return parse


DAY, HALF_DAY = 86_400, 43_200
_CENTURY = 2000
_ISO = lazy(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?\Z")
_CHINESE = lazy(r"(\d{4})\u5e74(\d{1,2})\u6708(\d{1,2})\u65e5\Z")
_DAY_FIRST = lazy(r"(\d{1,2})[-.](\d{1,2})[-.](\d{4}|\d\d)\.?\Z")
_SLASHES = lazy(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)\Z")
_TIME = lazy(r"(\d{1,2})(?::(\d\d):|[\u65f6\u6642](\d\d)\u5206|\.(\d\d)\.)(\d\d)\u79d2?\Z")  # also Chinese, Japanese and Finnish
MERIDIEMS = {"am": 0, "a.m.": 0, "pm": 12, "p.m.": 12, "\u4e0a\u5348": 0, "\u4e0b\u5348": 12}
"""What a 12-hour clock prints -> hours to add."""


def seconds_of(time: str, meridiem: str = "") -> int | None:
    """Seconds since midnight of `13:07:00`, or of `01:07:00` and `PM`; None if it is no time of day."""
    match = _TIME.match(time)
    if not match:
        return None
    hours, minutes, seconds = int(match[1]), int(match[2] or match[3] or match[4]), int(match[5])
    if meridiem:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + MERIDIEMS[meridiem.lower()]
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    return hours * 3600 + minutes * 60 + seconds


def parse_date(text: str, *, is_12_hour: bool) -> datetime.date | None:
    """The date as sysstat prints it in any locale; None if it is none, or could be two.

    `05/06/2026`: the only locales with the month first have a 12-hour clock. `05/06/26`: month first in the C locale, day first
    in British English, so only what cannot be a month decides.
    """
    if match := _ISO.match(text) or _CHINESE.match(text):
        return _date(match[1], match[2], match[3])
    if match := _DAY_FIRST.match(text):
        return _date(match[3], match[2], match[1])
    if match := _SLASHES.match(text):
        month_first, day_first = _date(match[3], match[1], match[2]), _date(match[3], match[2], match[1])
        if month_first is None or day_first is None or month_first == day_first:
            return month_first or day_first
        if len(match[3]) == 4:
            return month_first if is_12_hour else day_first
    return None


def is_date(text: str) -> bool:
    """Whether it has the form of a date."""
    return any(pattern.match(text) for pattern in (_ISO, _CHINESE, _DAY_FIRST, _SLASHES))


def _date(year: str, month: str, day: str) -> datetime.date | None:
    try:
        return datetime.date(int(year) + (_CENTURY if int(year) < 100 else 0), int(month), int(day))
    except ValueError:
        return None


@dataclass(slots=True)
class DayClock:
    """Times of day in the order of the output -> seconds since midnight of the first day.

    `turns`: how often the clock was set back, which is no midnight: what follows is another series.
    """

    last: int = -1
    day: int = 0
    turns: int = 0

    def at(self, seconds: int) -> int:
        """The next time; a time before the last one is of the next day if fewer than 12 hours lie between."""
        time = self.day * DAY + seconds
        if time < self.last:
            if time + DAY - self.last <= HALF_DAY:
                self.day += 1
                time += DAY
            else:
                self.turns += 1
        self.last = time
        return time


def format_start(date: datetime.date | None, seconds: int, zone: str = "") -> str | None:
    """The moment so many seconds after midnight of a date, in ISO 8601; None without a date."""
    if date is None:
        return None
    try:
        moment = datetime.datetime(date.year, date.month, date.day) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return None
    return moment.isoformat() + zone


def from_epoch(seconds: int, microseconds: int = 0) -> str | None:
    """The moment of a Unix time, in UTC."""
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds, microseconds=microseconds)
    except OverflowError:
        return None
    return moment.isoformat() + "+00:00"


# Lines that are the time of a report.

_STAMP_ISO = lazy(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?\Z")
_OF_DAY = r"(\d{1,2}(?:[:.]\d\d[:.]\d\d|[\u65f6\u6642]\d\d\u5206\d\d\u79d2))(?: (\S{2,4}))?\Z"
_SYSSTAT = lazy(r"(\d[\d./-]{5,10}\d\.?|\d{4}\u5e74\d{1,2}\u6708\d{1,2}\u65e5)\s{1,3}" + _OF_DAY)
_STAMP_TIME = lazy(r"(?:Time|Zeit|Heure|Hora|\u65f6\u95f4|\u6642\u9593): ?" + _OF_DAY)
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
    if match := _STAMP_ISO.match(text):
        return _stamp(parse_date(match[1], is_12_hour=False), match[2], "", _offset(match[3] or ""))
    if match := _SYSSTAT.match(text):
        meridiem = match[3] or ""
        if meridiem and meridiem.lower() not in MERIDIEMS:
            return None
        date = parse_date(match[1], is_12_hour=bool(meridiem))
        stamp = _stamp(date, match[2], meridiem, "")
        return stamp._replace(is_ambiguous=date is None) if stamp else None
    if match := _STAMP_TIME.match(text):
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
