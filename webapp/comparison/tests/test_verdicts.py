"""Verdicts: which groups are pairs, what can be said, and for how many at once."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from webapp.claims import statistics
from webapp.comparison import groups
from webapp.comparison import verdicts as judging
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

Q = "metric=write.throughput&x=compression&baseline=off"


def judged(query: str, *rows):
    selection = parse([tuple(part.split("=", 1)) for part in query.split("&")])
    panels = groups.make_panels(selection, Columns(rows))
    judging.judge_groups(selection, panels)
    return panels


def verdicts(query: str, *rows):
    return {f"{g.x} {g.series}".strip(): g.verdict for panel in judged(query, *rows) for g in panel.groups if g.verdict}


def around(center: float, n: int, spread: float = 0.02) -> list[float]:
    source = random.Random(f"{center} {n}")
    return [center * (1 + spread * source.uniform(-1, 1)) for _ in range(n)]


def it_finds_a_clear_difference_and_its_direction():
    found = verdicts(
        Q,
        row(*around(150, 3), compression="lz4"),
        row(*around(100, 3), compression="off"),
        row(*around(60, 3), compression="gzip-9"),
    )
    assert (found["lz4"].word, found["gzip-9"].word) == ("better", "worse")
    assert found["lz4"].low < found["lz4"].ratio < found["lz4"].high
    assert (found["lz4"].effect, found["gzip-9"].effect) == (1, 0)
    assert "off" not in found


@pytest.mark.parametrize(
    ("metric", "word", "effect"), [("copy.elapsed", "worse", 0), ("write.throughput", "better", 1), ("seek.rate", "better", 1)]
)
def it_knows_which_way_is_better(metric, word, effect):
    found = verdicts(
        Q, row(*around(150, 3), compression="lz4", metric=metric), row(*around(100, 3), compression="off", metric=metric)
    )
    assert (found["lz4"].word, found["lz4"].effect) == (word, effect)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([100.0], [50.0]),
        ([100.0, 101], [50.0]),
        ([100.0, 100], [50.0, 50]),
        ([100.0, 0], [50.0, 55]),
        (around(100, 3, 0.3), around(110, 3, 0.3)),
    ],
)
def it_says_in_plain_words_that_it_cannot_tell(one, other):
    found = verdicts(Q, row(*one, compression="lz4"), row(*other, compression="off"))["lz4"]
    assert found.word == "cannot tell"


def it_tests_as_welch_does_on_logarithms():
    one, other = around(120, 5, 0.1), around(100, 7, 0.1)
    found = verdicts(Q, row(*one, compression="lz4"), row(*other, compression="off", cpu="unlike"))["lz4"]
    theirs = stats.ttest_ind(list(map(math.log, one)), list(map(math.log, other)), equal_var=False)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.paired == 0


def it_matches_configurations_that_differ_in_nothing_else():
    """Each machine is far from the next, and on each lz4 is a fifth faster: seen only in pairs."""
    rows = [
        row(speed * ratio, compression=name, cpu=cpu, cores=8, kernel=f"{cpu} kernel")
        for cpu, speed, wobble in (("A", 100, 1.01), ("B", 900, 0.99), ("C", 300, 1.0), ("D", 50, 1.02), ("E", 500, 0.98))
        for name, ratio in (("off", 1), ("lz4", 1.2 * wobble))
    ]
    found = verdicts(Q, *rows)["lz4"]
    assert (found.paired, found.word) == (5, "better")
    assert found.ratio == pytest.approx(1.2, rel=0.01)
    unpaired = statistics.welch_ratio([r.mean for r in rows[1::2]], [r.mean for r in rows[::2]])
    assert unpaired.p > 0.5


def it_matches_few_configurations_by_their_repetitions():
    rows = [
        row(*around(speed * ratio, 4), compression=name, cpu=cpu)
        for cpu, speed in (("A", 100), ("B", 900))
        for name, ratio in (("off", 1), ("lz4", 1.2))
    ]
    found = verdicts(Q, *rows)["lz4"]
    assert (found.paired, found.word) == (2, "better")


def it_lets_a_dimension_that_follows_from_the_axis_differ_in_a_pair():
    """Another operating system brings its kernel along; that is no other configuration."""
    rows = [
        row(*around(100 * ratio, 3), os=os, kernel=kernel, os_family=os, cpu=cpu)
        for cpu in "AB"
        for os, kernel, ratio in (("Linux", "6.1", 1), ("FreeBSD", "14.0-RELEASE", 1.3))
    ]
    found = verdicts("metric=write.throughput&x=os&baseline=Linux", *rows)["FreeBSD"]
    assert (found.paired, found.word) == (2, "better")


def it_corrects_over_every_pair_and_metric_of_the_page():
    """p of 0.03 is a difference where it is the only question, and none where it is one of twelve."""
    rows = [
        row(*around(100 + 2.2 * (at > 0), 5, 0.02), compression=f"gzip-{at}" if at else "off", metric=metric)
        for metric in ("write.throughput", "read.throughput")
        for at in range(7)
    ]
    query = "metric=write.throughput&metric=read.throughput&x=compression&series=metric&baseline=off"
    found = verdicts(query, *rows)
    alone = {
        name: statistics.welch_ratio(
            next(r for r in rows if f"{r.texts['compression']} {r.metric}" == name).values,
            next(r for r in rows if r.metric == name.split()[1]).values,
        ).p
        for name in found
    }
    assert len(found) == 12
    expected = statistics.holm(list(alone.values()))
    assert [found[name].p for name in alone] == pytest.approx(expected)
    assert all((found[name].p < 0.05) == (found[name].word != "cannot tell") for name in found)


def it_judges_series_too_and_sums_up_by_the_geometric_mean():
    rows = [
        row(*around(speed * ratio, 3, 0.001), compression=c, os=os)
        for c, speed in (("off", 100), ("lz4", 400))
        for os, ratio in (("Linux", 1), ("FreeBSD", {"off": 0.5, "lz4": 2.0}[c]))
    ]
    [panel] = judged("metric=write.throughput&x=compression&series=os&baseline=Linux", *rows)
    assert panel.baseline == "Linux"
    assert [(one.name, one.ratios) for one in panel.overall] == [("FreeBSD", 2)]
    assert panel.overall[0].ratio == pytest.approx(1.0, rel=0.01)


def it_divides_by_the_baseline():
    [panel] = judged(Q + "&normalise=baseline", row(150.0, 160.0, compression="lz4"), row(100.0, compression="off"))
    lz4 = next(g for g in panel.groups if g.x == "lz4")
    assert (panel.unit, lz4.center, lz4.low, lz4.high) == ("1", 1.55, 1.5, 1.6)
    assert [point.value for point in lz4.points] == [1.5, 1.6]


def it_judges_nothing_without_a_baseline_or_with_one_that_is_not_there():
    rows = [row(1.0, 2.0, compression="lz4"), row(3.0, 4.0, compression="off")]
    for query in ("metric=write.throughput&x=compression", Q.replace("off", "zle")):
        [panel] = judged(query, *rows)
        assert (panel.baseline, panel.overall, judging.describe_tests([panel])) == ("", [], "")
        assert all(group.verdict is None for group in panel.groups)


def it_says_how_it_judged():
    found = judged(Q, row(*around(150, 3), compression="lz4"), row(*around(100, 3), compression="off"))
    assert judging.describe_tests(found) == (
        "verdicts: Welch's test on logarithms, within matched configurations where there are "
        "some, from 4 pairs on between them; 5 % over all 1 after Holm"
    )
