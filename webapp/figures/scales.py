"""Scales: value -> pixel, with ticks. Scripts draw by the same, which come with their figure (`layout.for_script`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from webapp.figures import ticks
from webapp.figures.notes import FigureData, curve_values, is_bounded

LINEAR, LOG = "linear", "log"


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high` (numbers) over `start` to `end` (pixels)."""

    kind: str
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value, which `fits`."""
        if self.kind == LOG:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def fits(self, value: float | None) -> bool:
        """Whether the value has a place: zero has none on a log axis."""
        return value is not None and math.isfinite(value) and (self.kind != LOG or value > 0)

    def ticks(self, most: int = ticks.MAX_TICKS) -> list[float]:
        return ticks.logarithmic(self.low, self.high) if self.kind == LOG else ticks.linear(self.low, self.high, most)

    def over(self, start: float, end: float) -> Scale:
        """The same ends over other pixels."""
        return Scale(self.kind, self.low, self.high, start, end)


def drawn_values(figure: FigureData) -> list[float]:
    """Every number of the marks along the axis of values."""
    marks = [
        value
        for mark in figure["groups"]
        for value in (mark["center"], mark["low"], mark["high"], mark.get("model"), *(mark.get("parts") or ()), *_points(mark))
    ]
    measured = [value for _, value, _ in figure.get("measured", ())]
    return [value for value in (*marks, *measured, *curve_values(figure)) if value is not None and math.isfinite(value)]


def _points(mark: FigureData) -> list[float]:
    return [point[0] for point in mark["points"]]


def from_zero(figure: FigureData) -> Scale:
    """From zero to a tick above the highest value (of all panels that share the scale); log: around all values."""
    if figure.get("scale") == LOG:
        return around(figure)
    values = drawn_values(figure)
    top = figure.get("top") or max([*values, 0.0])
    return rounded(min([*values, 0.0]), top * (1.2 if is_bounded(figure) else 1.04))


def rounded(low: float, high: float) -> Scale:
    """A linear scale whose ends are ticks."""
    if not high > low:
        high = low + 1.0
    size = ticks.step(low, high)
    return Scale(LINEAR, math.floor(low / size + 1e-9) * size, math.ceil(high / size - 1e-9) * size, 0, 1)


def around(figure: FigureData) -> Scale:
    """From the lowest to the highest value with a little room; from zero where that is near."""
    log = figure.get("scale") == LOG
    values = [value for value in drawn_values(figure) if not log or value > 0]
    if not values:
        return Scale(LOG, 0.5, 2, 0, 1) if log else rounded(0, 1)
    low, high, opened = min(values), max([*values, figure.get("top") or 0.0]), is_bounded(figure)
    if figure.get("top") is not None and ((bottom := figure.get("bottom", low)) > 0 or not log):
        low = min(low, bottom)
    if log:
        share = (high / low) ** 0.2 * 1.2 if opened else 1.2
        return Scale(LOG, low / share, high * share, 0, 1)
    edge = ((high - low) or abs(high) or 1.0) * (0.2 if opened else 0.06)
    if 0 <= low < high * 0.4:
        return rounded(0, high + edge)
    return Scale(LINEAR, low - edge, high + edge, 0, 1)


def around_one(figure: FigureData) -> Scale:
    """The scale of ratios: twice and half are equally far from 1, which is on it."""
    values = [value for value in drawn_values(figure) if value > 0]
    return Scale(LOG, min([1.0, *values]) / 1.15, max([1.0, *values]) * 1.15, 0, 1)


def of_numbers(figure: FigureData) -> Scale:
    """The x axis of lines."""
    numbers = [number for number in figure["x"]["numbers"] if number is not None] or [0.0]
    low, high = min(numbers), max(numbers)
    if figure["x"].get("scale") == LOG and low > 0:
        return Scale(LOG, low / 1.2, high * 1.2, 0, 1)
    edge = ((high - low) or 1.0) * 0.04
    return Scale(LINEAR, low - edge, high + edge, 0, 1)


def across(figure: FigureData) -> Scale:
    """The x axis of a scatter plot."""
    values = [value for mark in figure["groups"] for value in _ends(mark["across"])]
    if figure.get("scale") == LOG and min(values, default=0) > 0:
        return Scale(LOG, min(values) / 1.2, max(values) * 1.2, 0, 1)
    bounded = any(mark["across"].get("bound") for mark in figure["groups"])
    return rounded(min([0.0, *values]), max([0.0, *values]) * (1.2 if bounded else 1.04))


def _ends(position: dict[str, Any]) -> list[float]:
    return [value for value in (position["center"], position["low"], position["high"]) if value is not None]


SHARES = Scale(LINEAR, 0, 100, 0, 1)
"""The axis of values of a cumulative distribution, in %."""


def of_ends(figure: FigureData) -> Scale:
    """The x axis of curves."""
    x = figure["x"]
    return Scale(x.get("scale") or LINEAR, x["low"], x["high"], 0, 1)
