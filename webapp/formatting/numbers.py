"""Numbers as text for people. The database and the exports keep base units (B/s, 1/s, s, B, 1, %); pages show these.

Three significant digits, thin spaces for thousands, a full one before the unit, a true minus. The exact value belongs
beside it, in a `title`.
Plain Python, because a template filter such as `floatformat` costs more than the page it stands in.
"""

from __future__ import annotations

import math

THIN_SPACE, SPACE, MINUS, TIMES, UNKNOWN = "\u202f", "\u00a0", "\u2212", "\u00d7", "\u2013"
DIGITS = 3

BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
DECIMAL = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))
FACTORS = dict((*BINARY, *DECIMAL))
SECONDS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def number(value: float | None, digits: int = DIGITS) -> str:
    """`value` rounded to that many significant digits, never in exponents: 81.2, 1 230, 0.00415, −3."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if digits == DIGITS and 1 < value < 999:
        # Most numbers of a page, in a third of the time: no separator, no sign, and rounding carries nothing.
        if value > 100:
            return f"{value:.0f}"
        if not float(value).is_integer() and (value < 9.99 or 10 < value < 99.9):
            return f"{value:.2f}" if value < 10 else f"{value:.1f}"
    if float(value).is_integer() and abs(value) < 10**digits:
        return _typeset(str(int(value)))  # 15 % is not 15.0 %: no digit is shown that was not measured
    places = digits - 1 - math.floor(math.log10(abs(value)))
    value = round(value, places)
    # Rounding may have carried into a new digit: 99.96 is 100, not 100.0.
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{value:,.{max(0, places)}f}"
    return text if 0 <= value < 1000 else _typeset(text)


def count(value: int | None) -> str:
    """Every digit: how many there are is never rounded."""
    if value is None:
        return UNKNOWN
    return str(int(value)) if 0 <= value < 1000 else _typeset(f"{value:,d}")


def line(text: object, most: int = 120) -> str:
    """A text of somebody else's on one line: at most so many characters, and none that is not printed (control characters,
    changes of direction), for which U+FFFD stands."""
    told = str(text)
    shown = "".join(one if one.isprintable() else "\ufffd" for one in told[:most])
    return shown if len(told) <= most else f"{shown}…"


def age(days: int) -> str:
    """`today`, `12 days`, `3 months`, `2 years`: whole ones, a month of 30 days and a year of 365."""
    for name, length in (("year", 365), ("month", 30), ("day", 1)):
        if days >= length:
            number = days // length
            return f"{number} {name}{'' if number == 1 else 's'}"
    return "today"


def exact(value: float | None) -> str:
    """The number as stored, for a `title`: the shortest text that reads back as the same number."""
    if value is None:
        return UNKNOWN
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def in_unit(value: float | None, unit: str, digits: int = DIGITS) -> str:
    """B/s or B as a number of `unit` (MiB/s, MB/s, GiB ...), without the unit, for columns that name it once.

    KeyError where the unit is none of bytes."""
    return number(None if value is None else value / FACTORS[unit.removesuffix("/s")], digits)


def throughput(value: float | None, unit: str = "MiB/s") -> str:
    """B/s as `81.2 MiB/s`, or in another unit of bytes per second."""
    return UNKNOWN if value is None else f"{in_unit(value, unit)}{SPACE}{unit}"


def size(value: int | float | None) -> str:
    """Bytes in the largest binary unit of which there is one at least: 256 MiB, 9.1 MiB, 512 B."""
    if value is None:
        return UNKNOWN
    unit, factor = next(((u, f) for u, f in BINARY if abs(value) >= f), BINARY[-1])
    shown = value / factor
    # What is whole in a unit is shown whole: 1023 KiB is not 1020 KiB.
    text = count(int(shown)) if float(shown).is_integer() else number(shown)
    return f"{text}{SPACE}{unit}"


def seconds(value: float | None) -> str:
    """Seconds as measured: 243 s, 27.6 s, 12.5 ms, 880 µs. Zero is 0 s."""
    if value is None:
        return UNKNOWN
    unit, factor = next(((u, f) for u, f in SECONDS if abs(value) >= f), SECONDS[0] if not value else SECONDS[-1])
    return f"{number(value / factor)}{SPACE}{unit}"


def duration(value: float | None) -> str:
    """A span in words, for prose: 8 s, 4 min 3 s, 2 h 5 min."""
    if value is None or value < 60:
        return seconds(value)
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60}{SPACE}min {whole % 60}{SPACE}s"
    return f"{count(whole // 3600)}{SPACE}h {whole % 3600 // 60}{SPACE}min"


def percent(value: float | None) -> str:
    return UNKNOWN if value is None else f"{number(value)}{SPACE}%"


def ratio(value: float | None) -> str:
    """1.52×"""
    return UNKNOWN if value is None else f"{number(value)}{TIMES}"


def quantity(value: float | None, metric: str, unit: str = "") -> str:
    """A measurement with its unit. `metric` is OPERATION.QUANTITY or a base unit; `unit` replaces MiB/s for B/s."""
    base = _BASE.get(metric.rsplit(".", 1)[-1], metric)
    if base == "B/s":
        return throughput(value, unit or "MiB/s")
    if base == "1/s":
        return UNKNOWN if value is None else f"{number(value)}{SPACE}/s"
    return _WAYS.get(base, number)(value)


_BASE = {
    "throughput": "B/s",
    "rate": "1/s",
    "elapsed": "s",
    "user": "s",
    "sys": "s",
    "latency": "s",
    "cpu": "%",
    "size": "B",
    "compressratio": "1",
    "dedupratio": "1",
    "capacity": "B",
    "score": "1",
}
_WAYS = {"s": seconds, "%": percent, "B": size, "1": ratio}


def _typeset(text: str) -> str:
    return text.replace(",", THIN_SPACE).replace("-", MINUS)
