"""Ticks of a value axis and their labels, the same for every output: 1, 2, 2.5 or 5 times a power of ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from webapp.formatting.numbers import MINUS, THIN_SPACE

MAX_TICKS = 7
LINEAR_RATIO = 12.0
"""Ratio of the ends of a log axis up to which its ticks are evenly spaced numbers."""
POWERS_RATIO = 2000.0
"""Ratio of the ends of a log axis from which on only powers of ten have a tick."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TINY = 1e-9


def step(low: float, high: float, most: int = MAX_TICKS) -> float:
    """The smallest step of at most `most` ticks from `low` to `high`. 1.0 where both are equal."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return 1.0
    rough = span / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in _STEPS if factor * power >= rough * (1 - _TINY))


def linear(low: float, high: float, most: int = MAX_TICKS) -> list[float]:
    """Multiples of a step from `low` to `high`, both included."""
    size = step(low, high, most)
    first, last = math.ceil(low / size - _TINY), math.floor(high / size + _TINY)
    return [_clean(number * size, size) for number in range(first, last + 1)]


def logarithmic(low: float, high: float, most: int = 9) -> list[float]:
    """Ticks of a log axis: even numbers over less than a decade or so, then 1, 2 and 5, then powers of ten."""
    if not 0 < low < high:
        return [low] if low > 0 else []
    if high / low < LINEAR_RATIO:
        return [tick for tick in linear(low, high, most) if tick > 0]
    first, last = math.floor(math.log10(low) + _TINY), math.ceil(math.log10(high) - _TINY)
    if high / low < POWERS_RATIO:
        numbers = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
        inside = [_clean(number, number) for number in numbers if low * (1 - _TINY) <= number <= high * (1 + _TINY)]
        if len(inside) <= most + 2:
            return inside
    every = max(1, math.ceil((last - first) / most))
    powers = [_clean(10.0**power, 10.0**power) for power in range(first, last + 1) if power % every == 0]
    return [power for power in powers if low * (1 - _TINY) <= power <= high * (1 + _TINY)]


def labels(values: Sequence[float]) -> list[str]:
    """The ticks as text, with as many decimals as the finest needs; on a log axis each with its own. Never 0 for another number."""
    if not values:
        return []
    even = len(values) > 1 and _is_even(values)
    places = max(map(_decimals, values)) if even else 0
    return [_label(value, places if even else _decimals(value)) for value in values]


def _is_even(values: Sequence[float]) -> bool:
    steps = [high - low for low, high in pairwise(values)]
    return max(steps) - min(steps) <= max(steps) * 1e-6


def _clean(value: float, size: float) -> float:
    """The value without the noise of binary fractions."""
    return round(value, max(0, 3 - math.floor(math.log10(size)))) if size < 1e12 else value


def _decimals(value: float) -> int:
    """Decimals of the value as it is written with six significant digits."""
    if value == 0:
        return 0
    digits = f"{value:.5e}"
    mantissa, exponent = digits.split("e")
    return max(0, len(mantissa.replace("-", "").rstrip("0").rstrip(".").replace(".", "")) - 1 - int(exponent))


def _label(value: float, places: int) -> str:
    return f"{value:,.{places if value else 0}f}".replace(",", THIN_SPACE).replace("-", MINUS)
