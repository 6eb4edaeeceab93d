"""Points of a series within a window: all of them, or of too many the lowest and the highest of each bucket of time."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from operator import sub
from statistics import median

from webapp.models import TimeSeries
from webapp.storage.series import StoredPoints, parse_moment

# Where the start of a run lies in each of its series: by the clocks of both, else by the begin of the tool's output.

RUN, REPORT, OUTPUT, NUMBER = "run", "report", "output", "number"
"""What lies at 0: the start of the run, the first report of any tool, the begin of each tool's output; or points are numbered."""
_OWN_CLOCK = ("fio",)
"""Tools whose logs count from the begin of the run itself."""
_NEAR = 600.0
"""Seconds between a run and a series up to which two clocks, one without a zone, are taken to be in the same zone: zones differ by
more."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Seconds to be added to the times of each series, by its id; what lies at 0 then, and the moment of that where it is known.

    `is_zone_assumed`: one of the two clocks prints no zone, and was taken to be in the zone of the other, where both overlap then.
    """

    shifts: dict[int, float]
    zero: str
    origin: datetime | None = None
    is_zone_assumed: bool = False


def align(started: str | None, rows: Iterable[TimeSeries]) -> Alignment:
    """The alignment of a run that started then."""
    rows = list(rows)
    timed = [row for row in rows if row.span is not None]
    if rows and not timed:
        return Alignment({row.pk: 0.0 for row in rows}, NUMBER)
    if len(timed) < len(rows):  # those without times say nothing about the others
        found = align(started, timed)
        return replace(found, shifts={row.pk: 0.0 for row in rows} | found.shifts)
    start = parse_moment(started)
    moments = {row.pk: parse_moment(row.started_at) for row in rows}
    logs = [row for row in rows if row.tool in _OWN_CLOCK and moments[row.pk] is None]
    others = [row for row in rows if row not in logs]
    own = {row.pk: row.offset or 0.0 for row in logs}
    if not others:
        return Alignment(own, RUN, start)
    since = {row.pk: _since(start, moments[row.pk], row.span or 0.0) for row in others}
    known = {pk: found for pk, found in since.items() if found is not None}
    if len(known) == len(others):
        return Alignment(own | {pk: seconds for pk, (seconds, _) in known.items()}, RUN, start, any(a for _, a in known.values()))
    dated = {row.pk: moment for row in others if (moment := moments[row.pk]) is not None}
    if len(dated) == len(rows) and len({moment.tzinfo is None for moment in dated.values()}) == 1:
        first = min(dated.values())
        return Alignment({pk: (moment - first).total_seconds() for pk, moment in dated.items()}, REPORT, first)
    return Alignment({row.pk: row.offset or 0.0 for row in rows}, OUTPUT)


def _since(start: datetime | None, moment: datetime | None, span: float) -> tuple[float, bool] | None:
    """Seconds from the start of the run to the first point of a series, and whether a zone was assumed; None if it is unknown."""
    if start is None or moment is None:
        return None
    if (start.tzinfo is None) == (moment.tzinfo is None):
        return (moment - start).total_seconds(), False
    seconds = (moment.replace(tzinfo=None) - start.replace(tzinfo=None)).total_seconds()
    return (seconds, True) if -span - _NEAR <= seconds <= _NEAR else None


def seconds_from(origin: datetime | None, moment: datetime | None) -> float | None:
    """Seconds from what lies at 0 to another moment of the same kind of clock; None if that is unknown."""
    if origin is None or moment is None or (origin.tzinfo is None) != (moment.tzinfo is None):
        return None
    return (moment - origin).total_seconds()


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


# Repetitions -> one curve: the median of the runs, within the lowest and the highest point of any of them.

MAX_PLACES = 600
_LEAST = 2
"""Runs that a place needs."""


@dataclass(slots=True)
class Band:
    """At each place: the median over the runs of each one's median, the lowest and the highest point, and how many runs have one.
    `width`: seconds of a place."""

    t: list[float] = field(default_factory=list)
    v: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    width: float = 1.0


def join(curves: Sequence[Curve], low: float, high: float) -> Band | None:
    """The band of curves in their own windows; None of fewer than two. Places are as wide as the widest step of the runs, wider
    where there would be too many; a place that fewer than two runs reach is a gap."""
    curves = [curve for curve in curves if curve.t]
    if len(curves) < _LEAST:
        return None
    width = max(max(_step(curve) for curve in curves), (high - low) / MAX_PLACES)
    made = Band(width=width)
    places = [_by_place(curve, low, width) for curve in curves]
    last = None
    for place in sorted({place for one in places for place in one}):
        runs = [one[place] for one in places if place in one]
        if len(runs) < _LEAST:
            continue
        if last is not None and place != last + 1:
            made.breaks.append(len(made.t))
        last = place
        made.t.append(low + (place + 0.5) * width)
        made.v.append(median(map(median, runs)))
        made.low.append(min(map(min, runs)))
        made.high.append(max(map(max, runs)))
        made.n.append(len(runs))
    return made if made.t else None


def _step(curve: Curve) -> float:
    """Seconds between points: the interval, else the median step; 0 of a single point."""
    if curve.step is not None and not curve.is_thinned:
        return curve.step
    steps = [later - earlier for earlier, later in pairwise(curve.t) if later > earlier]
    return max(curve.step or 0.0, median(steps) if steps else 0.0)


def _by_place(curve: Curve, low: float, width: float) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for time, value in zip(curve.t, curve.v, strict=True):
        found.setdefault(math.floor((time - low) / width + 1e-9), []).append(value)
    return found
