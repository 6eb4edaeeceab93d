"""Centre and interval of a group of summary rows, and how they came about in the words of a caption. Pure.

The centre is the median (or mean) over configurations of each one's median (or mean): a host with thousands of runs does
not drown the rest. The interval is over the configurations where there are several, else over the repetitions of the one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ingest.catalogue import METRICS
from webapp.claims import statistics
from webapp.comparison.model import Group, SummaryRow

MEANS = ("mean", "bootstrap")
RATES = ("B/s", "1/s")
"""Units whose mean is total work over total time."""
DOTS_PHRASES = ("every run shown as a dot", "some of the runs shown as dots")
"""What a caption says where every run has its dot, and where not."""
_WORK = {"B/s": ("total_size", "file_size"), "1/s": ("files",)}
"""Parameters that tell how much was done, where runs of unlike size are drawn as one group."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, mean and sum of squared deviations."""

    n: int
    mean: float
    m2: float


def configuration_center(stat: str, rows: Sequence[SummaryRow]) -> float:
    """The centre of rows of one configuration; that of a single row is kept with it."""
    if len(rows) > 1:
        return _center(stat, rows)
    kept = rows[0].centers
    if stat not in kept:
        kept[stat] = _center(stat, rows)
    return kept[stat]


def _center(stat: str, rows: Sequence[SummaryRow]) -> float:
    if stat in MEANS:
        return _mean(rows)
    if any(row.histogram for row in rows):
        if len(rows) == 1:
            return statistics.histogram_median(rows[0].histogram or {}) * rows[0].scale
        return statistics.median([configuration_center(stat, [row]) for row in rows])
    return statistics.median([value for row in rows for value in row.values])


def group_by_configuration(rows: Iterable[SummaryRow]) -> list[list[SummaryRow]]:
    """The rows of each configuration together."""
    found: dict[int, list[SummaryRow]] = {}
    for row in rows:
        found.setdefault(row.configuration, []).append(row)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """Centre and interval of some rows, and what they rest on (see `Group`)."""

    center: float
    low: float | None
    high: float | None
    interval: str
    rough: bool
    basis: list[float]


def summarise(stat: str, rows: Sequence[SummaryRow], of: Iterable[Sequence[SummaryRow]]) -> GroupSummary:
    """Centre and interval of rows. `of`: the same rows `group_by_configuration`."""
    centers = [configuration_center(stat, some) for some in of]
    several = len(centers) > 1
    basis = centers if several else [value for row in rows for value in row.values]
    rough = any(row.histogram for row in rows) and (stat == "median" or is_rate(rows[0]))
    middle = over(stat, rows[0], centers)
    if sum(row.n for row in rows) < 2:
        return GroupSummary(middle, None, None, "none", rough, basis)
    kind, found = (_of_configurations if several else _of_repetitions)(stat, basis, rows)
    if found is None:
        kind, found = "range", (min(row.low for row in rows), max(row.high for row in rows))
    low, high = found
    return GroupSummary(middle, low, high, kind, rough, basis)


def set_summary(group: Group, told: GroupSummary) -> None:
    """Give a group its centre and interval, and what they rest on."""
    group.center, group.low, group.high, group.interval = told.center, told.low, told.high, told.interval
    group.rough, group.basis = told.rough, told.basis


def over(stat: str, row: SummaryRow, centers: Sequence[float]) -> float:
    """The centre of several configurations' centres."""
    if stat not in MEANS:
        return statistics.median(centers)
    return statistics.harmonic_mean(centers) if is_rate(row) and min(centers) >= 0 else fmean(centers)


def is_rate(row: SummaryRow) -> bool:
    return METRICS[row.metric].unit in RATES


def _of_configurations(stat: str, centers: Sequence[float], rows: Sequence[SummaryRow]) -> tuple[str, tuple[float, float] | None]:
    """(kind, interval); None where there is none."""
    if stat == "median":
        return "median", statistics.median_interval(centers)
    rate = is_rate(rows[0])
    if rate and min(centers) <= 0:
        return "range", None
    told = [1 / value for value in centers] if rate else centers
    kind, found = _of_mean(stat, told, None)
    return kind, statistics.invert_interval(found) if rate else found


def _of_repetitions(stat: str, values: Sequence[float], rows: Sequence[SummaryRow]) -> tuple[str, tuple[float, float] | None]:
    """(kind, interval); None where there is none."""
    if stat == "median":
        if not any(row.histogram for row in rows):
            return "median", statistics.median_interval(values)
        if len(rows) > 1:
            return "range", None
        low, high = statistics.histogram_interval(rows[0].histogram or {})
        return "median", (low * rows[0].scale, high * rows[0].scale)
    whole = not any(row.histogram for row in rows)
    if not is_rate(rows[0]):
        return _of_mean(stat, values if whole else (), _pooled([Moments(row.n, row.mean, row.m2) for row in rows]))
    costs = _costs(rows)
    if costs is None or len(set(_weights(rows))) > 1:
        return "range", None
    kind, found = _of_mean(stat, [1 / value for value in values] if whole else (), _pooled(costs))
    return kind, statistics.invert_interval(found)


def _of_mean(stat: str, values: Sequence[float], moments: Moments | None) -> tuple[str, tuple[float, float] | None]:
    """(kind, interval): bootstrap where it is asked for and every value is there, else Student's."""
    if stat == "bootstrap" and values:
        return "bootstrap", statistics.bootstrap_interval(values)
    if moments is None:
        return "t", statistics.mean_interval(values)
    return "t", statistics.moments_interval(moments.n, moments.mean, moments.m2)


def _mean(rows: Sequence[SummaryRow]) -> float:
    """The mean of all repetitions; of rates total work over total time, which is 0 where a run did nothing."""
    costs = _costs(rows) if is_rate(rows[0]) else None
    if costs is None:
        if is_rate(rows[0]) and min(row.low for row in rows) >= 0:
            return 0.0
        return sum(row.mean * row.n for row in rows) / sum(row.n for row in rows)
    weights = _weights(rows)
    work = math.fsum(weight * cost.n for weight, cost in zip(weights, costs, strict=True))
    return work / math.fsum(weight * cost.n * cost.mean for weight, cost in zip(weights, costs, strict=True))


def _costs(rows: Sequence[SummaryRow]) -> list[Moments] | None:
    """Each row's reciprocals; None where a rate is not positive."""
    if min(row.low for row in rows) <= 0:
        return None
    found = []
    for row in rows:
        if row.histogram:
            n, mean, m2 = statistics.histogram_costs(row.histogram)
            found.append(Moments(n, mean / row.scale, m2 / row.scale**2))
        else:
            told = [1 / value for value in row.values]
            mean = fmean(told)
            found.append(Moments(len(told), mean, math.fsum((cost - mean) ** 2 for cost in told)))
    return found


def _weights(rows: Sequence[SummaryRow]) -> list[float]:
    """The work of one run of each row; all alike where one of them does not tell."""
    if len({row.workload for row in rows}) == 1:
        return [1.0] * len(rows)
    names = _WORK[METRICS[rows[0].metric].unit]
    found = [next((row.texts[name] for name in names if row.texts[name].isdigit()), "") for row in rows]
    return [float(text) for text in found] if all(text.isdigit() and int(text) for text in found) else [1.0] * len(rows)


def _pooled(some: Sequence[Moments]) -> Moments:
    n = sum(one.n for one in some)
    mean = math.fsum(one.mean * one.n for one in some) / n
    return Moments(n, mean, math.fsum(one.m2 + one.n * (one.mean - mean) ** 2 for one in some))


_INTERVALS = {
    "t": "95 % Student interval of the mean",
    "bootstrap": "95 % bootstrap interval (BCa) of the mean",
    "median": "95 % distribution-free interval of the median",
}


def describe_method(stat: str, groups: Sequence[Group]) -> str:
    """How centre and interval came about, in the words of a caption."""
    name = "median"
    if stat in MEANS:
        units = {METRICS[group.metric].unit in RATES for group in groups}
        rates = "harmonic mean (rates: total work over total time)"
        name = "mean" if units == {False} else rates if units == {True} else f"{rates}, mean of what is no rate"
    pooled = any(group.configurations > 1 for group in groups)
    words = [f"{name} over configurations of each one's {name.split(' (')[0]}" if pooled else name]
    kinds = {group.interval for group in groups}
    words += [f"whiskers: {told}" for kind, told in _INTERVALS.items() if kind in kinds]
    if "range" in kinds:
        few = f"whiskers of fewer than {statistics.MIN_VALUES}: lowest to highest"
        words.append(few if "median" in kinds else "whiskers: lowest to highest")
    if any(group.rough for group in groups):
        words.append(f"{name.split(' (')[0]}s of more than 30 runs are exact within 0.5 %")
    every = all(len(group.points) == group.runs for group in groups)
    words.append(DOTS_PHRASES[0] if every else DOTS_PHRASES[1])
    return "; ".join(words)
