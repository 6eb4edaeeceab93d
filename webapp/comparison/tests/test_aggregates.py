"""Centre and interval of groups, against what the formulas give by hand."""

from __future__ import annotations

import pytest
from scipy import stats

from webapp.claims import statistics
from webapp.comparison import aggregates, groups
from webapp.comparison.model import Group
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import SummaryRow
from webapp.storage import summary_writer
from webapp.tests.rows import row

MANY = [100.0 + at % 17 for at in range(40)]


def group(rows: list[SummaryRow], stat: str = "median") -> Group:
    """The only group of these rows."""
    found = groups.make_panels(parse([("metric", rows[0].metric), ("stat", stat)]), Columns(rows))
    assert [len(panel.groups) for panel in found] == [1]
    return found[0].groups[0]


def folded(values: list[float], **told) -> SummaryRow:
    """A row as the summary keeps it: thirty values, and buckets of all."""
    made, fold = row(*values, **told), summary_writer.aggregate(values, list(range(1, len(values) + 1)))
    made.values, made.ids, made.histogram = fold.values, fold.ids, fold.histogram
    return made


@pytest.mark.parametrize(
    ("values", "center", "interval", "ends"),
    [
        ([5.0], 5, "none", (None, None)),
        ([5.0, 7], 6, "range", (5, 7)),
        ([5.0, 7, 9, 1, 2], 5, "range", (1, 9)),
        ([5.0, 7, 9, 1, 2, 3], 4, "median", (1, 9)),
        ([float(at) for at in range(1, 11)], 5.5, "median", (2, 9)),
    ],
)
def it_says_as_much_as_so_many_repetitions_allow(values, center, interval, ends):
    found = group([row(*values)])
    assert (found.center, found.interval, (found.low, found.high)) == (center, interval, ends)
    assert (found.runs, found.configurations, found.single) == (len(values), 1, len(values) == 1)


def it_lets_no_configuration_drown_the_rest():
    """A thousand runs of one host and one run of two others: the median of three medians, with both counts."""
    found = group([row(*[100.0] * 1000, host="a"), row(200.0, host="b"), row(300.0, host="c")])
    assert (found.center, found.runs, found.configurations) == (200, 1002, 3)
    assert found.basis == [100, 200, 300]
    assert group([row(*[1.0] * 10, host="a"), row(4.0, host="b")], "mean").center == pytest.approx(1.6)


def it_takes_the_interval_over_configurations_where_there_are_several():
    rows = [row(float(at), float(at), host=f"h{at}") for at in range(1, 11)]
    found = group(rows)
    assert (found.low, found.high) == statistics.median_interval([float(at) for at in range(1, 11)])


def it_averages_times_by_their_sum_and_rates_by_their_work():
    times = group([row(10.0, 30.0, metric="copy.elapsed")], "mean")
    assert times.center == 20
    assert (times.low, times.high) == pytest.approx(stats.t.interval(0.95, 1, loc=20, scale=10))
    assert group([row(100.0, 300.0)], "mean").center == pytest.approx(150)
    assert group([row(100.0, 300.0, metric="seek.rate")], "mean").center == pytest.approx(150)


def it_has_the_interval_of_the_mean_cost_for_a_rate():
    values = [100.0, 110.0, 90.0, 105.0]
    low, high = stats.t.interval(0.95, 3, loc=sum(1 / v for v in values) / 4, scale=stats.sem([1 / v for v in values]))
    found = group([row(*values)], "mean")
    assert (found.low, found.high, found.interval) == (pytest.approx(1 / high), pytest.approx(1 / low), "t")


@pytest.mark.parametrize("values", [[0.0, 100.0], [1.0, 1000.0]])
def it_has_no_interval_where_a_cost_of_nothing_lies_in_it(values):
    found = group([row(*values)], "mean")
    assert (found.interval, found.low, found.high) == ("range", min(values), max(values))


def it_weighs_rates_by_the_work_where_unlike_sizes_are_drawn_as_one():
    """1 GB at 100 and 3 GB at 300: 4 GB in 20 s."""
    selection = parse([("metric", "write.throughput"), ("stat", "mean"), ("pool", "file_size")])
    rows = [row(1e8, file_size=10**9), row(3e8, file_size=3 * 10**9)]
    [panel] = groups.make_panels(selection, Columns(rows))
    assert panel.groups[0].center == pytest.approx(2e8)


def it_resamples_only_where_it_is_asked_to():
    values = [100.0, 102.0, 99.0, 101.0, 140.0, 98.0, 100.5]
    times = group([row(*values, metric="copy.elapsed")], "bootstrap")
    assert times.interval == "bootstrap"
    assert (times.low, times.high) == statistics.bootstrap_interval(values)
    assert group([row(*values[:3], metric="copy.elapsed")], "bootstrap").interval == "range"
    assert group([row(*values)], "bootstrap").interval == "bootstrap"


@pytest.mark.parametrize("stat", ["median", "mean", "bootstrap"])
def it_is_within_half_a_percent_where_only_buckets_are_kept(stat):
    whole, rough = group([row(*MANY)], stat), group([folded(MANY)], stat)
    assert rough.rough and not whole.rough and rough.runs == 40
    assert rough.center == pytest.approx(whole.center, rel=0.00501)
    if stat == "bootstrap":  # of buckets nothing can be drawn again; Student's is named instead
        assert rough.interval == "t"
    else:
        assert (rough.low, rough.high) == pytest.approx((whole.low, whole.high), rel=0.0101)


def it_scales_what_only_buckets_tell():
    selection = parse([("metric", "write.throughput"), ("normalise", "disk"), ("stat", "mean")])
    rows = groups.normalise(selection, Columns([folded(MANY, disks=4)]))
    [panel] = groups.make_panels(selection, rows)
    assert panel.groups[0].center == pytest.approx(statistics.harmonic_mean(MANY) / 4, rel=0.006)


@pytest.mark.parametrize(
    ("rows", "stat", "words"),
    [
        ([row(1.0)], "median", "median; every run shown as a dot"),
        ([row(1.0, 2.0)], "median", "median; whiskers: lowest to highest; every run shown as a dot"),
        (
            [row(*range(1, 9))],
            "median",
            "median; whiskers: 95 % distribution-free interval of the median; every run shown as a dot",
        ),
        (
            [row(1.0, host="a"), row(2.0, host="b")],
            "mean",
            "harmonic mean (rates: total work over total time) over configurations of the harmonic mean of each; "
            "whiskers: lowest to highest; every run shown as a dot",
        ),
        (
            [row(1.0, 2.0, metric="copy.elapsed")],
            "mean",
            "mean; whiskers: 95 % Student interval of the mean; every run shown as a dot",
        ),
    ],
)
def it_says_how_in_the_caption(rows, stat, words):
    assert aggregates.describe_method(stat, [group(rows, stat)]) == words
