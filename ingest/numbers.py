"""Parses printed numbers: separators, locales, exponents. Never guesses: an ambiguous number is marked as such.

A separator between digits is either a decimal separator or it groups thousands. The caller often knows which: an
integer has no decimals (`decimal=''`), C's `%g` never groups. Otherwise two different separators or a repeated one
decide; a single one before exactly three digits (`1,234`) stays ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ingest.lazy_regex import lazy

LONGEST = 80  # characters; no tool prints a longer number
SPACES = " \u00a0\u2009\u202f"
APOSTROPHES = "'\u2019"

# A printed number for use inside other patterns; grouping blanks must stand before exactly three digits.
PATTERN = r"\d+(?:[.,'\u2019]\d+|[ \u00a0\u2009\u202f]\d{3}(?!\d))*(?:[eE][+-]?\d{1,3})?"

_SHAPE = lazy(r"([+-]?)(\d[\d.,'\u2019 \u00a0\u2009\u202f]*)(?:[eE]([+-]?\d{1,3}))?\Z")
_PLAIN = lazy(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_GROUPED = lazy(r"[0-9]{1,3}(?:,[0-9]{3})+")  # thousands, as most locales print them
_COLONS = lazy(r"(?:(\d+)(?:[-+]|:(?=\d\d:\d\d:\d\d)))?(?:(\d+):)?(\d+):(\d{1,2}(?:\.\d*)?)")
_LETTERS = lazy(r"(?:(\d+)d\s*)?(?:(\d+)h\s*)?(?:(\d+)m(?:in)?\s*)?(\d*\.?\d*)(?:s(?:ec)?)?")
_BLANKS = str.maketrans(dict.fromkeys(SPACES + APOSTROPHES, " "))


@dataclass(frozen=True, slots=True)
class Number:
    """`value` as printed; `places`: digits after the decimal separator; `digits`: significant digits printed.

    `ambiguous`: a single separator could also group thousands (the decimal reading was taken).
    """

    value: float
    places: int = 0
    digits: int = 1
    ambiguous: bool = False


def parse_number(text: str, decimal: str | None = None) -> Number | None:
    """The number that `text` prints, or None.

    `decimal`: the decimal separator if the caller knows it, '' for an integer, None if unknown.
    """
    whole, dot, fraction = text.partition(".")
    if whole.isdecimal() and len(text) <= LONGEST:  # what tools print most
        if not dot:
            return Number(float(whole), 0, len(whole.lstrip("0")) or 1)
        if fraction.isdecimal() and (decimal == "." or (decimal is None and len(fraction) != 3)):
            return Number(float(text), len(fraction), len((whole + fraction).lstrip("0")) or 1)
    if dot and fraction.isdecimal() and decimal in (None, ".") and _GROUPED.fullmatch(whole) and len(text) <= LONGEST:
        whole = whole.replace(",", "")
        return Number(float(f"{whole}.{fraction}"), len(fraction), len((whole + fraction).lstrip("0")) or 1)
    shape = _shape(text)
    if not shape:
        return None
    sign, body, exponent = shape.groups()
    body = body.rstrip(SPACES).translate(_BLANKS)
    separator, ambiguous = (decimal, False) if decimal is not None else _decimal_of(body, exponent)
    integral, fraction = _split(body, separator)
    if integral is None or (not fraction.isdecimal() and fraction):
        return None
    value = float(f"{sign}{integral}.{fraction or '0'}e{exponent or '0'}")
    if value in (float("inf"), float("-inf")):
        return None
    digits = len((integral + fraction).lstrip("0")) or 1
    return Number(value, len(fraction), digits, ambiguous)


def parse_integer(text: str) -> int | None:
    """The integer that `text` prints: every separator in it groups thousands. None if it is no integer."""
    if text.isdecimal() and len(text) <= LONGEST:
        return int(text)
    if len(text) <= LONGEST and _GROUPED.fullmatch(text):
        return int(text.replace(",", ""))
    shape = _shape(text)
    if not shape or shape[3]:
        return None
    whole = _ungroup(shape[2].rstrip(SPACES).translate(_BLANKS))
    return None if whole is None else int(shape[1] + whole)


def parse_plain_number(text: str) -> float | None:
    """A number of C's `%g`, `%f` or `%d` in any locale: at most one separator, the decimal one. None if it is none."""
    whole, _, fraction = text.partition(".")
    if whole.isdecimal() and (not fraction or fraction.isdecimal()) and len(text) <= LONGEST:
        return float(text)
    text = text[: LONGEST + 1].strip().replace(",", ".")
    if len(text) > LONGEST or not _PLAIN.fullmatch(text):
        return None
    value = float(text)
    return None if value in (float("inf"), float("-inf")) else value


def parse_scaled_number(text: str, factors: Mapping[str, float], decimal: str | None = None) -> float | None:
    """A number with a suffix out of `factors` ('' for none), blanks between them allowed: `2.98G`, `1501 kB`."""
    split = re.match(r"(.*?[\d.])\s*([A-Za-z]*)\Z", text[:LONGEST].strip())
    if not split or split[2] not in factors:
        return None
    read = parse_number(split[1], decimal)
    return None if read is None else read.value * factors[split[2]]


def parse_duration(text: str) -> float | None:
    """Seconds of `12.34`, `1:02.34`, `1:02:03`, `1-02:03:04`, `1:02:03:04`, `0m1.5s`, `2min 3.5sec`, `1h2m3s`; else None."""
    text = text[:LONGEST].strip().replace(",", ".")
    match = (_COLONS if ":" in text else _LETTERS).fullmatch(text)
    if not match or match[4] in ("", "."):
        return None
    days, hours, minutes, seconds = (float(part) if part else 0.0 for part in match.groups())
    return round(((days * 24 + hours) * 60 + minutes) * 60 + seconds, 9)


def _shape(text: str) -> re.Match[str] | None:
    return _SHAPE.match(text.strip()) if len(text) <= LONGEST else None


def _decimal_of(body: str, exponent: str | None) -> tuple[str, bool]:
    """(decimal separator of a number, whether it is ambiguous)."""
    dots, commas = body.count("."), body.count(",")
    if dots and commas:
        return (".", False) if body.rfind(".") > body.rfind(",") else (",", False)
    separator = "." if dots else ","
    count = dots or commas
    if count != 1:
        return "", False
    head, _, tail = body.partition(separator)
    ambiguous = len(tail) == 3 and len(head) <= 3 and head.lstrip("0") != "" and " " not in head and not exponent
    return separator, ambiguous


def _split(body: str, separator: str) -> tuple[str | None, str]:
    if not separator:
        return _ungroup(body), ""
    head, present, tail = body.partition(separator)
    if separator in tail:
        return None, ""
    return _ungroup(head), tail if present else ""


def _ungroup(text: str) -> str | None:
    """The digits of a grouped integer; None if the group sizes are wrong (Indian 12,34,567 is accepted)."""
    if text.isdecimal():
        return text
    separators = {character for character in text if not character.isdecimal()}
    if len(separators) != 1:
        return None
    first, *middle, last = text.split(separators.pop())
    sizes = {len(part) for part in middle}
    if len(last) != 3 or not 1 <= len(first) <= 3 or (not sizes <= {3} and not (sizes == {2} and len(first) <= 2)):
        return None
    return first + "".join(middle) + last


class PrintedNumber(NamedTuple):
    """A number in its base unit, and as the tool printed it; fields as those of `Value`."""

    value: float
    unit: str
    raw: str
    raw_unit: str


def to_base_unit(number: float, factor: float) -> float:
    """The number in the base unit. Factors below 1 divide, which rounds correctly: 18 us is 1.8e-05 s."""
    return number * factor if factor >= 1 else number / round(1 / factor)
