"""How precisely a number was printed."""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.records import Value

_NO_DIGIT = lazy(r"\D")
_PRINTED = lazy(r"(\d[\d.,' \u00a0\u202f]*)(?:[eE]([+-]?\d+))?")


def digits(raw: str) -> int:
    """Significant digits of a printed number (`0.00` has none)."""
    figures = raw if raw.isdecimal() else raw.replace(".", "", 1)
    if figures.isdecimal():
        return len(figures) if figures[0] != "0" else len(figures.lstrip("0"))
    found = _PRINTED.search(raw)
    if not found:
        return 0
    figures = found[1].replace(".", "", 1)
    return len((figures if figures.isdecimal() else _NO_DIGIT.sub("", figures)).lstrip("0"))


def printed_resolution(value: Value) -> float:
    """What the last printed digit of a value is worth, in its base unit; half of it could be rounding."""
    found = _PRINTED.search(value.raw)
    if not found or not value.value:
        return 0.0
    whole = int(_NO_DIGIT.sub("", found[1]) or 0)
    return abs(value.value) / whole if whole else 0.0
