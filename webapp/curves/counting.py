"""Distributions of the points of series, counted exactly: the points are read block by block, and none is left out.

Bins are shared by the series of a figure. Those of a distribution function are closed at their upper end, so that the share of
points up to an edge is exact; where there are few different values, each of them is an edge. A quantile is a point itself: the
smallest one that at least that share of the points does not exceed (Hyndman and Fan 1996, definition 1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from webapp.claims.steady_state import SOURCE, WINDOW, SteadyState, find_steady_state
from webapp.figures import ticks
from webapp.formatting import numbers
from webapp.storage.series import StoredPoints

# A series as rounds of equal length, and its steady state by SNIA's PTS, in whose tests a round of a workload takes a minute.

ROUND = 60.0
"""Seconds of a round where the address has no other length."""
_SHORTEST, _LONGEST = 0.001, 1e6
MAX_ROUNDS = 50_000


def parse_width(text: str) -> float | None:
    """Seconds of a round as an address has them; None where they are no such length."""
    width = float(text) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII) else 0.0
    return width if _SHORTEST <= width <= _LONGEST else None


@dataclass(frozen=True, slots=True)
class Steadiness:
    """The steady state of a series. `start`: seconds at which its first round begins; `width`: seconds of a round. `is_cut`: there
    are more rounds than were looked at."""

    state: SteadyState
    start: float
    width: float
    is_cut: bool = False

    def describe(self) -> str:
        """`steady from 0 to 300 s`, `not reached`, or `cannot tell: 2 rounds`."""
        cut = f" (only the first {numbers.count(self.state.rounds)} rounds were looked at)" if self.is_cut else ""
        return f"{self._describe()}{cut}"

    def _describe(self) -> str:
        state = self.state
        if not state.is_known:
            count = f"{state.rounds} round{'' if state.rounds == 1 else 's'}"
            return f"cannot tell: {count} of {numbers.number(self.width)} s, at least {WINDOW} are needed"
        if state.first is None or state.last is None:
            return f"not reached in {numbers.count(state.rounds)} rounds"
        low, high = (self.start + self.width * at for at in (state.first, state.last + 1))
        text = f"steady from {numbers.number(low)} to {numbers.number(high)} s"
        return f"{text}, then no longer" if state.is_left else text


def find(blocks: Iterable[StoredPoints], low: float, high: float, step: float | None, width: float = ROUND) -> Steadiness | None:
    """The steady state of the points of a series from `low` to `high`, in seconds of its own times; None of one without times.

    The variable of a round is the mean of its points. A round without any ends what is looked at, and so does one that is not
    complete: an interval of `step` seconds ends at each point.
    """
    sums: dict[int, tuple[float, int]] = {}
    last, is_cut = -math.inf, False
    for block in blocks:
        if block.t is None:
            return None
        for time, value in zip(block.t, block.v, strict=True):
            if low <= time <= high:
                place = math.floor((time - low) / width)
                total, count = sums.get(place, (0.0, 0))
                sums[place] = (total + value, count + 1)
                last = max(last, time)
        if is_cut := len(sums) > MAX_ROUNDS:
            break
    complete = math.floor((last - low + (step or 0.0)) / width + 1e-6) if sums else 0
    means = []
    for place in range(min(sums, default=0), complete):
        if place not in sums:
            break
        total, count = sums[place]
        means.append(total / count)
    return Steadiness(find_steady_state(means), low + width * min(sums, default=0), width, is_cut)


def describe_runs(values: Sequence[float]) -> str:
    """The steady state of repeated runs, each of them a round of the same workload as in the tests of the PTS, in the order of
    time: `steady in runs 1 to 7 of 9`."""
    state = find_steady_state(values)
    count = numbers.count(state.rounds)
    if not state.is_known:
        return f"cannot tell from {count} run{'' if state.rounds == 1 else 's'}, at least {WINDOW} are needed"
    if state.first is None or state.last is None:
        return f"not reached in {count} runs"
    return f"steady in runs {state.first + 1} to {state.last + 1} of {count}"


RUNS_METHOD = (
    f"Steady state over repeated runs by {SOURCE}: a run is a round; of {WINDOW} that follow each other the range is at most "
    "20 % of the average, and the linear fit rises or falls by at most 10 % of it: {}. The PTS also prescribes how the device is "
    "prepared, which is not known here."
)
METHOD = (
    f"Steady state by {SOURCE}: over {WINDOW} rounds the range is at most 20 % of the average, and the linear fit rises or falls "
    "by at most 10 % of it, and so it is over all rounds that are named. A round is the mean of the points of {} s. This applies "
    "the criterion to what was recorded; it is no test by the PTS."
)


MAX_EDGES = 400
"""Edges of a distribution function; different values up to which each of them is one."""
MAX_COLLECTED = 500_000
"""Points that are sorted for the quantiles of a series: those of the bins that hold them."""
_TINY = 1e-9
_LARGEST, _TINIEST, _MAX = 1e300, 1e-300, np.finfo(float).max
"""Beyond these no round number is sure to be one; the largest number that there is."""
QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999)
Blocks = Callable[[], Iterable[Sequence[float]]]
"""Reads the points once more."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How many points there are, the lowest and the highest, the lowest above zero, and the different values where they are few."""

    n: int = 0
    low: float = math.inf
    high: float = -math.inf
    positive: float = math.inf
    distinct: frozenset[float] | None = frozenset()

    def __or__(self, other: Extent) -> Extent:
        distinct = None if self.distinct is None or other.distinct is None else self.distinct | other.distinct
        return Extent(
            self.n + other.n,
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.positive, other.positive),
            None if distinct is None or len(distinct) > MAX_EDGES else distinct,
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """`counts[i]`: points above `edges[i - 1]` and up to `edges[i]`; the first one has the points up to the first edge."""

    edges: np.ndarray
    counts: np.ndarray
    n: int

    def shares(self) -> list[float]:
        """The share of the points up to each edge, in %."""
        return [float(count) * 100 / self.n for count in np.cumsum(self.counts)]


def find_extent(blocks: Blocks) -> Extent:
    """The extent of the points of a series."""
    found = Extent()
    for values in blocks():
        column = np.asarray(values, float)
        if not column.size:
            continue
        above = column[column > 0]
        distinct = np.unique(column) if found.distinct is not None else None
        found |= Extent(
            column.size,
            float(column.min()),
            float(column.max()),
            float(above.min()) if above.size else math.inf,
            None if distinct is None or distinct.size > MAX_EDGES else frozenset(distinct.tolist()),
        )
    return found


def fine_edges(extent: Extent, log: bool) -> np.ndarray:
    """The edges of a distribution function: the different values, or as many that are evenly spaced (on a log scale by ratio)."""
    if extent.distinct is not None:
        return np.array(sorted(extent.distinct))
    if log and extent.positive < extent.high:
        edges = np.geomspace(extent.positive, extent.high, MAX_EDGES)
        edges = edges if extent.low > 0 else np.concatenate(([extent.low, 0.0] if extent.low < 0 else [0.0], edges))
    else:
        edges = _evenly(extent.low, extent.high, MAX_EDGES)
    edges[-1] = extent.high
    return edges


def round_edges(extent: Extent, log: bool, factor: float = 1.0, most: int = 40) -> np.ndarray:
    """The edges of a histogram at round numbers of the unit that has this factor; on a log scale ten to a decade. Every point is
    below the last one."""
    low, high = extent.low / factor, extent.high / factor
    is_extreme = max(map(abs, (low, high, extent.low, extent.high))) > _LARGEST
    if log and low > _TINIEST and not is_extreme:
        first, last = (math.floor(math.log10(value / factor) * 10 + _TINY) for value in (extent.low, extent.high))
        return _around(10 ** (np.arange(first, last + 2) / 10) * factor, extent)
    if is_extreme:
        return _around(_evenly(extent.low, extent.high, most), extent)
    size = ticks.step(low, high, most)
    edges = np.arange(math.floor(low / size + _TINY), math.floor(high / size + _TINY) + 2) * size * factor
    return _around(edges, extent)


def _evenly(low: float, high: float, count: int) -> np.ndarray:
    """So many numbers from one to the other, also where their difference is no finite number."""
    shares = np.linspace(0.0, 1.0, count)
    return np.clip(low * (1 - shares) + high * shares, low, high)


def _around(edges: np.ndarray, extent: Extent) -> np.ndarray:
    """The edges, without rounding that would leave an end outside."""
    edges[0] = min(edges[0], extent.low)
    if edges[-1] <= extent.high:
        edges[-1] = min(np.nextafter(extent.high, math.inf), _MAX)
    return edges


def count_bins(blocks: Blocks, edges: np.ndarray) -> np.ndarray:
    """The points from each edge to below the next one."""
    counts = np.zeros(len(edges) - 1, np.int64)
    for values in blocks():
        places = np.searchsorted(edges, np.asarray(values, float), side="right") - 1
        counts += np.bincount(np.minimum(places, len(counts) - 1), minlength=len(counts))
    return counts


def count(blocks: Blocks, edges: np.ndarray) -> Counts:
    """The points of each bin. No point is above the last edge."""
    counts = np.zeros(len(edges), np.int64)
    for values in blocks():
        places = np.searchsorted(edges, np.asarray(values, float), side="left")
        counts += np.bincount(np.minimum(places, len(edges) - 1), minlength=len(edges))
    return Counts(edges, counts, int(counts.sum()))


def find_quantiles(blocks: Blocks, counted: Counts, shares: Sequence[float] = QUANTILES) -> list[float | None]:
    """The quantiles; None where the bins that hold them have too many points to be sorted."""
    if not counted.n:
        return [None for _ in shares]
    until = np.cumsum(counted.counts)
    ranks = [min(counted.n, max(1, math.ceil(share * counted.n - 1e-9))) for share in shares]
    bins = [int(np.searchsorted(until, rank, side="left")) for rank in ranks]
    wanted = set[int]()
    for place in sorted(set(bins), key=lambda place: int(counted.counts[place])):
        if sum(int(counted.counts[one]) for one in {*wanted, place}) <= MAX_COLLECTED:
            wanted.add(place)
    collected: dict[int, list[np.ndarray]] = {place: [] for place in wanted}
    for values in blocks():
        column = np.asarray(values, float)
        places = np.minimum(np.searchsorted(counted.edges, column, side="left"), len(counted.edges) - 1)
        for place in wanted:
            collected[place].append(column[places == place])
    ordered = {place: np.sort(np.concatenate(parts)) for place, parts in collected.items()}
    return [
        float(ordered[place][rank - 1 - int(until[place] - counted.counts[place])]) if place in ordered else None
        for rank, place in zip(ranks, bins, strict=True)
    ]
