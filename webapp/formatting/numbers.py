"""Formats numbers for pages. Database and exports have base units (B/s, 1/s, s, B, 1, %).

Three significant digits, thin spaces for thousands, a no-break space before the unit, a true minus. Pages show the exact
value in a `title`. Plain Python, since template filters such as `floatformat` are slow.
"""

from __future__ import annotations

import math

THIN_SPACE, NO_BREAK_SPACE, MINUS, TIMES, UNKNOWN_SIGN = "\u202f", "\u00a0", "\u2212", "\u00d7", "\u2013"
DIGITS = 3

BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
DECIMAL = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))
FACTORS = dict((*BINARY, *DECIMAL))
SECONDS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def number(value: float | None, digits: int = DIGITS) -> str:
    """`value` rounded to that many significant digits, never in exponents: 81.2, 1 230, 0.00415, −3."""
    if value is None or not math.isfinite(value):
        return UNKNOWN_SIGN
    if digits == DIGITS and 1 < value < 999:
        # A fast path for most numbers: no separator, no sign, and rounding adds no digit.
        if value > 100:
            return f"{value:.0f}"
        if not float(value).is_integer() and (value < 9.99 or 10 < value < 99.9):
            return f"{value:.2f}" if value < 10 else f"{value:.1f}"
    if float(value).is_integer() and abs(value) < 10**digits:
        return _typeset(str(int(value)))  # 15 %, not 15.0 %: no digit that was not measured
    places = digits - 1 - math.floor(math.log10(abs(value)))
    value = round(value, places)
    # Rounding may add a digit: 99.96 is 100, not 100.0.
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{value:,.{max(0, places)}f}"
    return text if 0 <= value < 1000 else _typeset(text)


def count(value: int | None) -> str:
    """An integer with all of its digits."""
    if value is None:
        return UNKNOWN_SIGN
    return str(int(value)) if 0 <= value < 1000 else _typeset(f"{value:,d}")


def line(text: object, most: int = 120) -> str:
    """An uploaded text on one line: at most so many characters; U+FFFD for each unprintable one (control characters, changes
    of direction), but for the spaces of numbers."""
    full = str(text)
    shown = "".join(
        character if character.isprintable() or character in (THIN_SPACE, NO_BREAK_SPACE) else "\ufffd" for character in full[:most]
    )
    return shown if len(full) <= most else f"{shown}…"


def age(days: int) -> str:
    """`today`, `12 days`, `3 months`, `2 years`: whole ones, a month of 30 days and a year of 365."""
    for name, length in (("year", 365), ("month", 30), ("day", 1)):
        if days >= length:
            number = days // length
            return f"{number} {name}{'' if number == 1 else 's'}"
    return "today"


def exact(value: float | None) -> str:
    """The shortest text that reads back as the same number, for a `title`."""
    if value is None:
        return UNKNOWN_SIGN
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def in_unit(value: float | None, unit: str, digits: int = DIGITS) -> str:
    """B/s or B as a number of `unit` (MiB/s, MB/s, GiB ...), without the unit. KeyError for a unit that is not of bytes."""
    return number(None if value is None else value / FACTORS[unit.removesuffix("/s")], digits)


def throughput(value: float | None, unit: str = "MiB/s") -> str:
    """B/s as `81.2 MiB/s`, or in another unit of bytes per second."""
    return UNKNOWN_SIGN if value is None else f"{in_unit(value, unit)}{NO_BREAK_SPACE}{unit}"


def size(value: int | float | None) -> str:
    """Bytes in the largest binary unit that is not larger than the value: 256 MiB, 9.1 MiB, 512 B."""
    if value is None:
        return UNKNOWN_SIGN
    unit, factor = next(((u, f) for u, f in BINARY if abs(value) >= f), BINARY[-1])
    shown = value / factor
    # All digits of an integer: 1023 KiB, not 1020 KiB.
    text = count(int(shown)) if float(shown).is_integer() else number(shown)
    return f"{text}{NO_BREAK_SPACE}{unit}"


def seconds(value: float | None) -> str:
    """Seconds in s, ms, µs or ns: 243 s, 27.6 s, 12.5 ms, 880 µs. Zero is 0 s."""
    if value is None:
        return UNKNOWN_SIGN
    unit, factor = next(((u, f) for u, f in SECONDS if abs(value) >= f), SECONDS[0] if not value else SECONDS[-1])
    return f"{number(value / factor)}{NO_BREAK_SPACE}{unit}"


def duration(value: float | None) -> str:
    """A duration for prose: 8 s, 4 min 3 s, 2 h 5 min."""
    if value is None or value < 60:
        return seconds(value)
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60}{NO_BREAK_SPACE}min {whole % 60}{NO_BREAK_SPACE}s"
    return f"{count(whole // 3600)}{NO_BREAK_SPACE}h {whole % 3600 // 60}{NO_BREAK_SPACE}min"


def percent(value: float | None) -> str:
    return UNKNOWN_SIGN if value is None else f"{number(value)}{NO_BREAK_SPACE}%"


def ratio(value: float | None) -> str:
    """1.52×"""
    return UNKNOWN_SIGN if value is None else f"{number(value)}{TIMES}"


def quantity(value: float | None, metric: str, unit: str = "") -> str:
    """A measurement with its unit. `metric` is OPERATION.QUANTITY or a base unit; `unit` replaces MiB/s for B/s."""
    base = _BASE_UNITS.get(metric.rsplit(".", 1)[-1], metric)
    if base == "B/s":
        return throughput(value, unit or "MiB/s")
    if base == "1/s":
        from ingest.catalogue import IOPS  # a bundle runs this module without Poolmark

        return UNKNOWN_SIGN if value is None else f"{number(value)}{NO_BREAK_SPACE}{'IOPS' if metric in IOPS else '/s'}"
    return _FORMATTERS.get(base, number)(value)


_BASE_UNITS = {
    "throughput": "B/s", "rate": "1/s", "elapsed": "s", "user": "s", "sys": "s", "latency": "s", "cpu": "%", "size": "B",
    "compressratio": "1", "dedupratio": "1", "capacity": "B", "score": "1",
}  # fmt: skip
_FORMATTERS = {"s": seconds, "%": percent, "B": size, "1": ratio}


def _typeset(text: str) -> str:
    return text.replace(",", THIN_SPACE).replace("-", MINUS)
