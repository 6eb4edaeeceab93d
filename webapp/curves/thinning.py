"""Points of a series within a window: all of them, or of too many the lowest and the highest of each bucket of time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import sub

from webapp.storage.series import StoredPoints

GAP = 1.75
"""A step of more than so many usual ones is a gap: a point is missing. Where all times are whole seconds, or
milliseconds, one of a second, or a millisecond, more than the usual one may come from rounding."""
_RESOLUTIONS = (1.0, 0.001)
_REGULAR = 0.6
"""Share of the steps that are usual ones where the tool printed at an interval; elsewhere no gap can be seen."""


@dataclass(slots=True)
class Curve:
    """Points in the order of time. `breaks`: indices of points that no line joins to the one before. `total`: points of the
    window, of which `len(t)` are kept. `step`: seconds between points, None where there is no interval."""

    t: list[float] = field(default_factory=list)
    v: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    total: int = 0
    step: float | None = None
    median: float | None = None

    @property
    def is_thinned(self) -> bool:
        return self.total > len(self.t)


def usual_step(times: Sequence[float]) -> float | None:
    """The interval at which points were printed; None where there is none."""
    steps = sorted(map(sub, times[1:], times))
    if len(steps) < 2 or steps[len(steps) // 2] <= 0:
        return None
    middle = steps[len(steps) // 2]
    usual = bisect_right(steps, middle * 1.5) - bisect_left(steps, middle * 0.5)
    return middle if usual >= _REGULAR * len(steps) else None


def _resolution(times: Sequence[float]) -> float:
    """Seconds of which all times are multiples, as far as it may be that of a clock."""
    return next((unit for unit in _RESOLUTIONS if all(abs(time / unit - round(time / unit)) < 1e-6 for time in times)), 0.0)


def thin(blocks: Iterable[StoredPoints], shift: float, low: float, high: float, most: int) -> Curve:
    """The points from `low` to `high`, at most `most` of them. `shift` is added to the time of each; a series without times has the
    number of each point in its place."""
    collected = _Collected(low, high, max(1, most // 2), most)
    number, is_first = 0, True
    for block in blocks:
        count = len(block.v)
        times = [time + shift for time in block.t] if block.t is not None else [float(number + at + 1) for at in range(count)]
        values, lines = block.v, block.lines
        number += count
        if times != sorted(times):
            order = sorted(range(count), key=times.__getitem__)
            times, values, lines = ([column[at] for at in order] for column in (times, values, lines))  # type: ignore[assignment]
        if is_first:
            collected.step, is_first = (usual_step(times) if block.t is not None else 1.0), False
            collected.slack = _resolution(block.t or ())
        collected.add(times, values, lines)
    return collected.finish(most)


class _Collected:
    """Points so far: each of them while they are few, else the two extremes of each bucket."""

    def __init__(self, low: float, high: float, buckets: int, most: int) -> None:
        self.low, self.high, self.buckets, self.most = low, high, buckets, most
        self.step: float | None = None
        self.slack = 0.0
        self.total = self._segment = 0
        self._last: float | None = None
        # time, number of the segment, value, line
        self._points: list[tuple[float, int, float, int]] = []

    def add(self, times: list[float], values: list[float], lines: list[int]) -> None:
        first, last = bisect_left(times, self.low), bisect_right(times, self.high)
        if first == last:
            self._last = times[-1] if times else self._last
            return
        gaps = self._gaps(times, first, last)
        self.total += last - first
        cuts = self._cuts(times, first, last) if last - first > self.most else range(first, last + 1)
        for start, end in pairwise(cuts):
            part = values[start:end]
            lowest, highest = start + part.index(min(part)), start + part.index(max(part))
            for at in sorted({lowest, highest}):
                if math.isfinite(values[at]):
                    self._points.append((times[at], self._segment + bisect_right(gaps, at), values[at], lines[at]))
        self._segment += len(gaps)
        self._last = times[last - 1]
        if len(self._points) > 8 * self.buckets:
            self._reduce()

    def _gaps(self, times: list[float], first: int, last: int) -> list[int]:
        """Indices of the points before which one is missing."""
        if self.step is None:
            return []
        limit = max(GAP * self.step, self.step + self.slack)
        gaps = [first] if first == 0 and self._last is not None and times[0] - self._last > limit else []
        steps = list(map(sub, times[first + 1 : last], times[first : last - 1]))
        return gaps + ([first + 1 + at for at, step in enumerate(steps) if step > limit] if max(steps, default=0) > limit else [])

    def _edge(self, bucket: int) -> float:
        return self.low + (self.high - self.low) * bucket / self.buckets

    def _bucket(self, time: float) -> int:
        return min(self.buckets - 1, int((time - self.low) / (self.high - self.low) * self.buckets)) if self.high > self.low else 0

    def _cuts(self, times: list[float], first: int, last: int) -> list[int]:
        """Where each bucket begins, and the end."""
        cuts, at = [first], first
        while at < last:
            at = max(at + 1, bisect_left(times, self._edge(self._bucket(times[at]) + 1), at, last))
            cuts.append(at)
        return cuts

    def _reduce(self) -> None:
        """Keep the extremes of each bucket."""
        kept: list[tuple[float, int, float, int]] = []
        buckets: dict[int, list[tuple[float, int, float, int]]] = {}
        for point in sorted(self._points, key=lambda point: point[0]):
            buckets.setdefault(self._bucket(point[0]), []).append(point)
        for points in buckets.values():
            lowest, highest = min(points, key=lambda point: point[2]), max(points, key=lambda point: point[2])
            kept += [point for point in points if point is lowest or point is highest]
        self._points = kept

    def finish(self, most: int) -> Curve:
        if self.total > most or len(self._points) > most:
            self._reduce()
        self._points.sort(key=lambda point: point[0])
        curve = Curve(total=self.total, step=self.step)
        last = None
        for time, segment, value, line in self._points:
            if last is not None and segment != last:
                curve.breaks.append(len(curve.t))
            last = segment
            curve.t.append(time)
            curve.v.append(value)
            curve.lines.append(line)
        return curve
