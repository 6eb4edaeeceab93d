"""Centre and interval of a group of summary rows, and their description for a caption. Pure.

The centre is the median (or mean) over configurations of each one's median (or mean), so that a host with thousands of runs
weighs no more than another. The interval is over the configurations where there are several, else over the repetitions of
the one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ingest.catalogue import METRICS
from webapp.claims import centers, statistics
from webapp.claims.observations import ABOVE, GEOMETRIC, MEDIAN
from webapp.comparison.model import Group, MissingRun
from webapp.comparison.summary.row import SummaryRow

MEANS = ("mean", "bootstrap")
RATES = ("B/s", "1/s")
"""Units whose mean is total work over total time."""
DOTS_PHRASES = ("every run shown as a dot", "some of the runs shown as dots")
"""For a caption: where every run has its dot, and where not."""
_WORK = {"B/s": ("total_size", "file_size"), "1/s": ("files",)}
"""Parameters that give the amount of work, where runs of different sizes are drawn as one group."""


_KindAndInterval = tuple[str, tuple[float, float] | None]
"""Kind of the interval, and the interval; None where there is none."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, mean and sum of squared deviations."""

    n: int
    mean: float
    m2: float


def configuration_center(stat: str, rows: Sequence[SummaryRow]) -> float:
    """The centre of rows of one configuration; that of a single row is cached in it."""
    if len(rows) > 1:
        return _center(stat, rows)
    cache = rows[0].centers
    if stat not in cache:
        cache[stat] = _center(stat, rows)
    return cache[stat]


def _center(stat: str, rows: Sequence[SummaryRow]) -> float:
    if stat in MEANS:
        return _mean(rows)
    if stat == GEOMETRIC and min(row.low for row in rows) > 0:
        return _geometric_mean(rows)
    if any(row.histogram for row in rows):
        if len(rows) == 1:
            return statistics.histogram_median(rows[0].histogram or {}) * rows[0].scale
        return statistics.median([configuration_center(stat, [row]) for row in rows])
    return statistics.median([value for row in rows for value in row.values])


def _geometric_mean(rows: Sequence[SummaryRow]) -> float:
    """Of all repetitions; of those in a histogram within 0.5 %. All are positive."""
    logs = n = 0.0
    for row in rows:
        if row.histogram:
            logs += statistics.histogram_log_sum(row.histogram) + row.n * math.log(row.scale)
        else:
            logs += math.fsum(map(math.log, row.values))
        n += row.n
    return math.exp(logs / n)


def group_by_configuration(rows: Iterable[SummaryRow]) -> list[list[SummaryRow]]:
    """The rows of each configuration."""
    groups: dict[int, list[SummaryRow]] = {}
    for row in rows:
        groups.setdefault(row.configuration, []).append(row)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """Centre and interval of some rows (see `Group`)."""

    center: float
    low: float | None
    high: float | None
    interval: str
    rough: bool
    basis: list[float]


def summarise(stat: str, rows: Sequence[SummaryRow], by_configuration: Iterable[Sequence[SummaryRow]]) -> GroupSummary:
    """Centre and interval of rows. `by_configuration`: the same rows by `group_by_configuration`."""
    centers = [configuration_center(stat, configuration_rows) for configuration_rows in by_configuration]
    several = len(centers) > 1
    basis = centers if several else [value for row in rows for value in row.values]
    rough = any(row.histogram for row in rows) and (stat in (MEDIAN, GEOMETRIC) or is_rate(rows[0]))
    center = _combine_centers(stat, rows[0], centers)
    if sum(row.n for row in rows) < 2:
        return GroupSummary(center, None, None, "none", rough, basis)
    kind, interval = (_interval_of_configurations if several else _interval_of_repetitions)(stat, basis, rows)
    if interval is None:
        kind, interval = "range", (min(row.low for row in rows), max(row.high for row in rows))
    low, high = interval
    return GroupSummary(center, low, high, kind, rough, basis)


def with_summary(group: Group, summary: GroupSummary) -> Group:
    """The group with this centre and interval."""
    return group.changed(
        center=summary.center,
        low=summary.low,
        high=summary.high,
        interval=summary.interval,
        rough=summary.rough,
        basis=summary.basis,
    )


def with_bounded_median(group: Group) -> Group:
    """The group with the median over configurations of the median of each, to which runs count of which only a bound is known, and
    the range of all runs, which is drawn open where one of them is. The medians of the lower and of the upper ends of what each
    can be."""
    rows_by_configuration = {rows[0].configuration: rows for rows in group.by_configuration}
    bounded = group.bounded
    ends = [
        _median_ends(rows_by_configuration.get(key, ()), [run for run in bounded if run.configuration == key])
        for key in {*rows_by_configuration, *(run.configuration for run in bounded)}
    ]
    limits = statistics.median([low for low, _ in ends]), statistics.median([high for _, high in ends])
    center, bound = centers.bound_of(limits, any(run.side == ABOVE for run in bounded))
    return with_range(group.changed(center=center, bound=bound, low=None, high=None, interval="none", stat=MEDIAN))


def _median_ends(rows: Sequence[SummaryRow], bounded: Sequence[MissingRun]) -> tuple[float, float]:
    """The lowest and the highest that the median of one configuration can be."""
    known = [(value * row.scale, n) for row in rows for value, n in statistics.histogram_middles(row.histogram or {})]
    known += [(value, 1) for row in rows if not row.histogram for value in row.values]
    low = [(run.bound if run.side == ABOVE else 0.0, 1) for run in bounded]
    high = [(math.inf if run.side == ABOVE else run.bound, 1) for run in bounded]
    return statistics.weighted_median([*known, *low]), statistics.weighted_median([*known, *high])  # type: ignore[list-item]


def with_range(group: Group) -> Group:
    """The group with a whisker from the lowest to the highest run, bounded ones at their bound; as it is with a single run."""
    ends = [end for rows in group.by_configuration for row in rows for end in (row.low, row.high)]
    ends += [run.bound for run in group.bounded if run.bound is not None]
    if group.runs + len(group.bounded) < 2:
        return group
    return group.changed(low=min(ends), high=max(ends), interval="range")


def _combine_centers(stat: str, row: SummaryRow, centers: Sequence[float]) -> float:
    """The centre of several configurations' centres; `row` has their metric."""
    if stat == GEOMETRIC and min(centers) > 0:
        return statistics.geometric_mean(centers)
    if stat not in MEANS:
        return statistics.median(centers)
    return statistics.harmonic_mean(centers) if is_rate(row) and min(centers) >= 0 else fmean(centers)


def is_rate(row: SummaryRow) -> bool:
    return METRICS[row.metric].unit in RATES


def _interval_of_configurations(stat: str, centers: Sequence[float], rows: Sequence[SummaryRow]) -> _KindAndInterval:
    """The interval over several configurations."""
    if stat == GEOMETRIC:
        return "range", None
    if stat == MEDIAN:
        return "median", statistics.median_interval(centers)
    rate = is_rate(rows[0])
    if rate and min(centers) <= 0:
        return "range", None
    kind, interval = _mean_interval(stat, [1 / value for value in centers] if rate else centers, None)
    return kind, statistics.invert_interval(interval) if rate else interval


def _interval_of_repetitions(stat: str, values: Sequence[float], rows: Sequence[SummaryRow]) -> _KindAndInterval:
    """The interval over the repetitions of one configuration; ("range", None) where none can be computed.

    `values`: the rows' values; all of them if no row has a histogram.
    """
    complete = not any(row.histogram for row in rows)
    if stat == GEOMETRIC:
        return "range", None
    if stat == MEDIAN:
        if complete:
            return "median", statistics.median_interval(values)
        if len(rows) > 1:
            return "range", None
        low, high = statistics.histogram_interval(rows[0].histogram or {})
        return "median", (low * rows[0].scale, high * rows[0].scale)
    if not is_rate(rows[0]):
        return _mean_interval(stat, values if complete else (), _pool([Moments(row.n, row.mean, row.m2) for row in rows]))
    costs = _cost_moments(rows)
    if costs is None or len(set(_work_weights(rows))) > 1:
        return "range", None
    kind, interval = _mean_interval(stat, [1 / value for value in values] if complete else (), _pool(costs))
    return kind, statistics.invert_interval(interval)


def _mean_interval(stat: str, values: Sequence[float], moments: Moments | None) -> _KindAndInterval:
    """The bootstrap interval where it is chosen and there are values, else Student's, from the moments where they are given."""
    if stat == "bootstrap" and values:
        return "bootstrap", statistics.bootstrap_interval(values)
    if moments is None:
        return "t", statistics.mean_interval(values)
    return "t", statistics.moments_interval(moments.n, moments.mean, moments.m2)


def _mean(rows: Sequence[SummaryRow]) -> float:
    """The mean of all repetitions; of rates total work over total time, which is 0 where a run did nothing."""
    costs = _cost_moments(rows) if is_rate(rows[0]) else None
    if costs is None:
        if is_rate(rows[0]) and min(row.low for row in rows) >= 0:
            return 0.0
        return sum(row.mean * row.n for row in rows) / sum(row.n for row in rows)
    weights = _work_weights(rows)
    work = math.fsum(weight * cost.n for weight, cost in zip(weights, costs, strict=True))
    return work / math.fsum(weight * cost.n * cost.mean for weight, cost in zip(weights, costs, strict=True))


def _cost_moments(rows: Sequence[SummaryRow]) -> list[Moments] | None:
    """The moments of each row's reciprocals; None where a rate is not positive."""
    if min(row.low for row in rows) <= 0:
        return None
    moments = []
    for row in rows:
        if row.histogram:
            n, mean, m2 = statistics.histogram_costs(row.histogram)
            moments.append(Moments(n, mean / row.scale, m2 / row.scale**2))
        else:
            costs = [1 / value for value in row.values]
            mean = fmean(costs)
            moments.append(Moments(len(costs), mean, math.fsum((cost - mean) ** 2 for cost in costs)))
    return moments


def _work_weights(rows: Sequence[SummaryRow]) -> list[float]:
    """The work of one run of each row; equal weights where it is unknown of one of them."""
    if len({row.workload for row in rows}) == 1:
        return [1.0] * len(rows)
    names = _WORK[METRICS[rows[0].metric].unit]
    sizes = [next((row.texts[name] for name in names if row.texts[name].isdigit()), "") for row in rows]
    return [float(text) for text in sizes] if all(text.isdigit() and int(text) for text in sizes) else [1.0] * len(rows)


def _pool(samples: Sequence[Moments]) -> Moments:
    """The moments of all samples together."""
    n = sum(sample.n for sample in samples)
    mean = math.fsum(sample.mean * sample.n for sample in samples) / n
    return Moments(n, mean, math.fsum(sample.m2 + sample.n * (sample.mean - mean) ** 2 for sample in samples))


_INTERVALS = {
    "t": "95 % Student interval of the mean",
    "bootstrap": "95 % bootstrap interval (BCa) of the mean",
    "median": "95 % distribution-free interval of the median",
}


def describe_method(stat: str, groups: Sequence[Group]) -> str:
    """How centres and intervals were computed, for a caption. `stat`: the one that was chosen; that of a group may be another."""
    by_stat: dict[str, list[Group]] = {}
    for group in groups:
        by_stat.setdefault(group.stat or stat, []).append(group)
    several = len(by_stat) > 1
    words = [_describe_centers(one, of_stat, several, one == MEDIAN != stat) for one, of_stat in by_stat.items()]
    kinds = {group.interval for group in groups}
    words += [f"whiskers: {interval}" for kind, interval in _INTERVALS.items() if kind in kinds]
    if "range" in kinds:
        words.append("whiskers: lowest to highest")
    if any(group.rough for group in groups):
        words.append("centres of more than 30 runs are accurate to 0.5 %")
    if any(group.bounded for group in groups):
        words.append("runs that could not be measured stand at their bound, open")
    every = all(len(group.points) + len(group.bounded) == group.n for group in groups)
    words.append(DOTS_PHRASES[0] if every else DOTS_PHRASES[1])
    return "; ".join(words)


def _describe_centers(stat: str, groups: Sequence[Group], several: bool, is_other: bool) -> str:
    """The statistic of some groups by its name: of which metrics where there are `several`, and why it is not the chosen one."""
    name = "geometric mean" if stat == GEOMETRIC else "median"
    if stat in MEANS:
        units = {METRICS[group.metric].unit in RATES for group in groups}
        rates = "harmonic mean (rates: total work over total time)"
        name = "mean" if units == {False} else rates if units == {True} else f"{rates}, mean of other quantities"
    words = (
        f"{name} over configurations of the {name.split(' (')[0]} of each"
        if any(one.configurations > 1 for one in groups)
        else name
    )
    if several:
        words += f" for {' and '.join(dict.fromkeys(METRICS[group.metric].label.lower() for group in groups))}"
    if is_other:
        has_bounds = any(group.bounded for group in groups)
        words += (
            ", since a run that has only a bound has no mean" if has_bounds else ", since a value of zero has no geometric mean"
        )
    return words
