"""Rules that derive a value from its printed text and can be verified independently. Standard library only.

A rule is one of
  {"how": "number", "number": "20824838.57", "factor": 1024}     value = number x factor, the number stands in the raw text
  {"how": "clock", "parts": ["1", "52.31"]}                       seconds; days, hours, minutes are the parts before
  {"how": "quotient", "over": "1073741824", "under": "3.2", "factor": 1}   over / under x factor, both on the lines around; the
                                                                  factor is that of microseconds, or the bytes of a dd's block
  {"how": "recorded"}                                             the text is not sufficient; the value is taken as recorded
`webapp/permalinks/bundles/verify.py` evaluates the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.units import parse_dd_operand

RECORDED = {"how": "recorded"}
_K = [1024.0**power for power in range(1, 7)]
_SI = [1000.0**power for power in range(1, 7)]
# Bytes; fractions of a second; minutes, hours, days; per minute, per hour; sectors; thousands of KiB (yabs.sh); bits.
_FACTORS = (
    1.0,
    *_K,
    *_SI,
    1e-3,
    1e-6,
    1e-9,
    60.0,
    3600.0,
    86400.0,
    1 / 60,
    1 / 3600,
    512.0,
    1024e3,
    1024e6,
    1 / 8,
    *(f / 8 for f in _SI),
    *(f / 8 for f in _K),
)
_CLOSE = 1e-12
_MAX_LINE_LENGTH, _MAX_NUMBERS = 400, 40
"""Limits of a line's characters and numbers searched for a quotient."""
_NUMBER = re.compile(r"\d(?:[\d.,'\u2019\u00a0\u2009\u202f]|[ ](?=\d{3}(?!\d)))*(?:[eE][+-]?\d{1,3})?|\.\d+")
_BLOCK = re.compile(r"\bbs=(\w{1,20})")
_TWO_SIGNS = ("-", "\u2212")
_CLOCK = re.compile(
    r"(?:(\d+)\s*(?:d\s*|-|:(?=\d+:\d+:)))?(?:(\d+)\s*(?:h\s*|:))?(?:(\d+)\s*(?:m(?:in)?\s*|:))(\d*[.,]?\d*)\s*s?\Z"
)
_SECONDS = (86400, 3600, 60, 1)


def find_rule(raw: str, value: float, around: Sequence[str] = ()) -> dict:
    """The rule that gives `value` (in base units) from the raw text, or from the lines around it (nearest first)."""
    return _clock(raw, value) or _number(raw, value) or _quotient(around, value) or RECORDED


def _is_close(result: float, value: float) -> bool:
    return abs(result - value) <= _CLOSE * abs(value)


def _clock(raw: str, value: float) -> dict | None:
    match = _CLOCK.search(raw.strip())
    if not match or match[4] in ("", ".", ","):
        return None
    parts = [part.replace(",", ".") for part in match.groups() if part is not None]
    total = sum(float(part) * unit for part, unit in zip(parts, _SECONDS[-len(parts) :], strict=True))
    gapless = all(part is not None for part in match.groups()[-len(parts) :])
    return {"how": "clock", "parts": parts} if gapless and _is_close(total, value) else None


def _number(raw: str, value: float) -> dict | None:
    for token in _NUMBER.finditer(raw):
        sign = "-" if raw[: token.start()].endswith(_TWO_SIGNS) else ""
        readings = [(text, float(text)) for text in (sign + reading for reading in possible_numbers(token[0]))]
        for factor in _FACTORS:
            for text, number in readings:
                if _is_close(number * factor, value):
                    return {"how": "number", "number": text, "factor": factor}
    return None


def _quotient(around: Sequence[str], value: float) -> dict | None:
    """Bytes or blocks per second (or microsecond): the first pair of numbers, nearest lines first, that gives the value."""
    numbers: list[str] = []
    factors = [1.0, 1e6]
    for line in around:
        factors += [
            float(size) for size in map(parse_dd_operand, _BLOCK.findall(line[:_MAX_LINE_LENGTH])) if size and size not in factors
        ]
        numbers += [text for token in _NUMBER.finditer(line[:_MAX_LINE_LENGTH]) for text in possible_numbers(token[0])][
            :_MAX_NUMBERS
        ]
        for over in numbers:
            if not over.isdigit() or float(over) * max(factors) < value * 1e-9:
                continue
            for under in numbers:
                for factor in factors:
                    if under != over and float(under) > 0 and _is_close(float(over) / float(under) * factor, value):
                        return {"how": "quotient", "over": over, "under": under, "factor": factor}
    return None


def possible_numbers(token: str) -> Iterator[str]:
    """Possible readings of a printed number, as plain decimals: `1.234,5` is 1234.5, `1,234` is 1.234 or 1234."""
    mantissa, e, exponent = re.sub(r"[\s'\u2019\u00a0\u2009\u202f]", "", token).replace("E", "e").partition("e")
    mantissa = mantissa.strip(".,")
    seen = dict.fromkeys(_possible_mantissas(mantissa))
    yield from (text + e + exponent for text in seen)


def _possible_mantissas(text: str) -> Iterable[str]:
    both = "." in text and "," in text
    for mark in (".", ","):
        other = "," if mark == "." else "."
        if both and text.rfind(mark) < text.rfind(other):
            continue  # with both separators, the last one is the decimal point
        plain = text.replace(other, "").replace(mark, ".")
        if plain.count(".") <= 1 and re.fullmatch(r"\d*\.?\d+", plain):
            yield plain
    if not both and re.fullmatch(r"[\d.,]+", text):
        yield text.replace(".", "").replace(",", "")
