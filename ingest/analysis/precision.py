"""How precisely a number was printed."""

from __future__ import annotations

from ingest.lazy_regex import lazy
from ingest.records import Value

_NO_DIGIT = lazy(r"\D")
_PRINTED = lazy(r"(\d[\d.,' \u00a0\u202f]*)(?:[eE]([+-]?\d+))?")


def significant_digits(raw: str) -> int:
    """Number of significant digits of a printed number (`0.00` has none)."""
    figures = raw if raw.isdecimal() else raw.replace(".", "", 1)
    if figures.isdecimal():
        return len(figures) if figures[0] != "0" else len(figures.lstrip("0"))
    match = _PRINTED.search(raw)
    if not match:
        return 0
    figures = match[1].replace(".", "", 1)
    return len((figures if figures.isdecimal() else _NO_DIGIT.sub("", figures)).lstrip("0"))


def printed_resolution(value: Value) -> float:
    """The weight of the last printed digit of a value, in its base unit; 0 if unknown."""
    match = _PRINTED.search(value.raw)
    if not match or not value.value:
        return 0.0
    digits = int(_NO_DIGIT.sub("", match[1]) or 0)
    return abs(value.value) / digits if digits else 0.0
