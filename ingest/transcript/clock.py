"""The clock of a machine along a transcript: what `date` printed, and where it was set.

coreutils date(1): a locale's form holds the weekday, day, month and year in any order around the time of day. A time without `-u`
is one of the machine's own zone, as most benchmarks print it; its zone is left out, so that both can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.text.lines import ShownCommand, Text

STEP = timedelta(minutes=1)
"""A clock that is set by less was adjusted, as every machine's is."""
_MAX_LINES = 5_000  # of the output of one command, in which times are searched
_MAX_LENGTH = 90  # characters of a printed time and what `echo` prints before it
_AT_START = r"(?:^|[;&|({]|\b(?:do|then|time|sudo|doas|env)\b)\s*(?:\w+=\S*\s+)*"
_DATE = lazy(_AT_START + r"(?:/usr)?(?:/bin/)?g?date(?P<options>(?:\s+(?:\"[^\"]*\"|'[^']*'|[^\s;&|)]+))*)")
_ECHOED = lazy(_AT_START + r"(?:echo|printf|logger)\b[^;&|]*(?:\$\(|`)\s*(?:/bin/)?date(?P<options>[^)`]*)[)`]")
_OTHER_TIME = lazy(r"(?:^|\s)(?:-[a-zA-Z]*[drvj]|--date|--reference|--resolution|--help|--version)")
_SETS = lazy(r"(?:^|\s)(?:-u?s\b|--set\b|-s\S|[\"']?\d{8,14}(?:\.\d\d)?[\"']?(?:\s|$))")
_CLOCK_SETTERS = lazy(
    _AT_START + r"(?:/usr)?(?:/s?bin/)?(?:timedatectl\s+set-time\b|hwclock\b.*(?:-s\b|--hctosys)|rdate\b|sntp\s+-\w*[sS]"
    r"|chronyc\b.*\bmakestep"
    r"|faketime\b|Set-Date\b|clock\s+set\b)|\blibfaketime\b"
)
_TIME_SERVICES = lazy(_AT_START + r"(?:/usr)?(?:/s?bin/)?(?:ntpdate|ntpd|sntp|chronyd|ntpdig|busybox\s+ntpd|openntpd|w32tm)\b")
_STEPPED = lazy(
    r"(?:step(?:ping|ped)?\b.{0,60}?(?:offset|by)|time (?:reset|set|stepped)|set local clock.{0,80}?offset)[ :]*"
    r"(?P<step>[+-]?\d+(?:\.\d+)?)"
)
_ISO = lazy(
    r"(?P<year>\d{4})(?P<mark>[-/.]?)(?P<month>\d\d)(?P=mark)(?P<day>\d\d)"
    r"(?:[T _,-]{1,2}(?P<hour>\d\d)[:.h-]?(?P<minute>\d\d)(?:[:.m-]?(?P<second>\d\d))?s?(?:[.,]\d+)?)?"
    r" ?(?:Z|[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)?\Z"
)
_GERMAN = lazy(r"^(\d\d)\.(\d\d)\.(\d{4})\b")
_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_EPOCH = lazy(r"(\d{9,10})(?:[.,]\d+)?\Z")
_CJK = lazy(r"\s*([年月日])\s*")
_TOKENS = lazy(r"[^\W\d_]+\.?|\d{1,2}(?::\d\d){1,2}(?:[.,]\d+)?|[+-]\d\d(?::?\d\d)?(?!\d)|\d+\.?|[^\s\w]")
_MONTHS = tuple(
    tuple(names.split())
    for names in (
        "jan jän ene gen янв",
        "feb fév fev фев",
        "mar mär mrz mrt maa мар",
        "apr avr abr апр",
        "may mai mag mei maj май мая",
        "juin jun giu июн",
        "juil jul lug июл",
        "aug aoû aou ago авг",
        "sep set сен",
        "oct okt ott out окт",
        "nov ноя",
        "dec dez déc dic des дек",
    )
)


class ClockTime(NamedTuple):
    """`time`: what the clock showed from that line on, in ISO 8601, None where it is not known. `is_set`: the clock was set
    there, so that times on both sides of the line do not compare. `host`: of the prompt, where it names one."""

    line: int
    time: str | None
    host: str | None = None
    is_set: bool = False


def read_clock(text: Text) -> list[ClockTime]:
    """The times that `date` printed and the places where the clock was set, in line order."""
    return [time for command in text.commands for time in _read_command(command, text.lines)]


def _read_command(command: ShownCommand, lines: Sequence[str]) -> Iterator[ClockTime]:
    text = command.text
    if _CLOCK_SETTERS.search(text):
        yield ClockTime(command.line, None, command.host, True)
    output = range(command.first, min(command.last, command.first + _MAX_LINES) + 1)
    if _TIME_SERVICES.search(text):
        steps = (match for line in output if (match := _STEPPED.search(lines[line - 1])))
        if any(abs(float(match["step"])) > STEP.total_seconds() for match in steps):
            yield ClockTime(command.line, None, command.host, True)
    calls = [*_DATE.finditer(text), *_ECHOED.finditer(text)]
    if any(_SETS.search(call["options"]) and not _OTHER_TIME.search(call["options"]) for call in calls):
        yield ClockTime(command.line, None, command.host, True)
        return
    printing = [call["options"] for call in calls if not _OTHER_TIME.search(call["options"])]
    if not printing:
        return
    is_echoed, has_epoch = _ECHOED.search(text) is not None, any("%s" in options for options in printing)
    in_utc = all(re.search(r"(?:^|\s)(?:-[a-zA-Z]*u|--utc|--universal)\b", options) for options in printing)
    for line in output:
        shown = lines[line - 1].strip()
        if 8 <= len(shown) <= _MAX_LENGTH and (time := parse_shown_time(shown, has_epoch, is_echoed)) is not None:
            if in_utc and isinstance(time, datetime):
                time = time.replace(tzinfo=UTC)
            yield ClockTime(line, time.isoformat(), command.host)


def parse_shown_time(shown: str, has_epoch: bool = False, may_follow_words: bool = False) -> date | None:
    """The time, or the day alone, that a line shows, and nothing else; behind other words if these may stand before it."""
    words = shown.strip("\"' ").split(" ")
    for first in range(len(words) if may_follow_words else 1):
        part = " ".join(words[first:]).strip("[]()=: ")
        try:
            time = _parse(part, has_epoch)
        except (ValueError, OverflowError):
            time = None
        if time is not None and time.year >= 1980:
            return time
    return None


def _parse(shown: str, has_epoch: bool) -> date | None:
    if has_epoch and (match := _EPOCH.match(shown)):
        return datetime.fromtimestamp(int(match[1]), UTC)
    shown = _GERMAN.sub(r"\3-\2-\1", shown)
    if match := _ISO.match(shown):
        if match["hour"] is None:
            return date(int(match["year"]), int(match["month"]), int(match["day"])) if match["mark"] else None
        year, month, day, hour, minute, second = (int(match[name] or 0) for name in _FIELDS)
        return datetime(year, month, day, hour, minute, second)
    return _parse_words(_CJK.sub(r"\1 ", shown))


def _parse_words(shown: str) -> datetime | None:
    """A time in the form of a locale: a word before the month is the weekday, one behind the time of day AM, PM or the zone."""
    found: dict[str, int] = {}
    tokens = _TOKENS.findall(shown)
    for place, token in enumerate(tokens):
        word = token.rstrip(".").lower()
        kind, number = _classify(word, tokens[place + 1] if place + 1 < len(tokens) else "")
        if kind == "clock":
            hours, *rest = re.split(r"[:.,]", word)
            found |= {"hour": int(hours), "minute": int(rest[0]), "second": int(rest[1]) if len(rest) > 1 else 0}
        elif kind == "half" and "hour" in found:
            found["hour"] = found["hour"] % 12 + number
        elif kind == "month" and not (
            place == 0 and any(_classify(other.rstrip(".").lower(), "")[0] == "month" for other in tokens[1:])
        ):
            found.setdefault(kind, number)
        elif kind in ("year", "day") and kind not in found:
            found[kind] = number
        elif not (
            kind == "mark" or (kind in ("word", "month") and (place == 0 or "hour" in found or "年" in shown)) or kind == "zone"
        ):
            return None
    if not found.keys() >= {"year", "month", "day", "hour"}:
        return None
    return datetime(found["year"], found["month"], found["day"], found["hour"], found["minute"], found["second"])


def _classify(word: str, following: str) -> tuple[str, int]:
    if ":" in word:
        return "clock", 0
    if word.isdecimal():
        number = int(word)
        if following == "月":
            return "month", number
        return ("year", number) if len(word) == 4 else ("day", number) if len(word) <= 2 else ("other", 0)
    if word in ("am", "pm"):
        return "half", 12 * (word == "pm")
    if not word or not word[-1].isalnum():
        return "mark" if word in ("", ",", "(", ")") else "other", 0
    if word[0] in "+-":
        return "zone", 0
    month = next((number for number, names in enumerate(_MONTHS, 1) if word.startswith(names)), 0)
    return ("month", month) if month else ("word", 0)
