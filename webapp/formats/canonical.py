"""Canonical JSON (RFC 8785): equal values give equal bytes."""

from __future__ import annotations

import json
import math
from typing import Any


def canonical_json(value: Any) -> bytes:
    """UTF-8, keys sorted by UTF-16 code units, numbers as in ECMAScript. Raises ValueError for NaN and infinity."""
    return _text(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: str(key).encode("utf-16-be"))
        return "{" + ",".join(f"{_string(str(key))}:{_text(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        return canonical_number(value)
    return _string(str(value))


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def canonical_number(value: int | float) -> str:
    """A number by ECMA-262, Number::toString, radix 10."""
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    value = float(value)
    if not math.isfinite(value):
        raise ValueError("canonical JSON has no NaN and no infinity")
    if value == 0:
        return "0"
    digits, power = _parts(abs(value))
    sign, places = "-" if value < 0 else "", len(digits)
    if places <= power <= 21:
        return sign + digits + "0" * (power - places)
    if 0 < power <= 21:
        return f"{sign}{digits[:power]}.{digits[power:]}"
    if -6 < power <= 0:
        return f"{sign}0.{'0' * -power}{digits}"
    exponent = f"e{'+' if power > 0 else '-'}{abs(power - 1)}"
    return sign + digits[0] + (f".{digits[1:]}" if places > 1 else "") + exponent


def _parts(value: float) -> tuple[str, int]:
    """The shortest digits that parse back to the value, and n of 0.digits x 10^n."""
    text, _, exponent = repr(value).partition("e")
    whole, _, fraction = text.partition(".")
    digits = (whole + fraction).lstrip("0")
    power = len(whole) + int(exponent or 0)
    if whole.strip("0") == "":
        power = -(len(fraction) - len(fraction.lstrip("0"))) + int(exponent or 0)
    return digits.rstrip("0"), power
