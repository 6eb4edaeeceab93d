"""Groups against a baseline: samples of machines and sessions, values that do not count, and what may be claimed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.comparison import compared_set, judged
from webapp.comparison import groups as grouping
from webapp.comparison.judged import ObservedValues
from webapp.comparison.model import MissingRun, UnmeasuredCount
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.provenance import Observed
from webapp.figures import naming
from webapp.tests.rows import row

GIB = 2**30
Q = "metric=write.throughput&x=atime&baseline=off&stat=geometric"
FAST, SLOW = (150.0, 151.0, 149.0), (100.0, 101.0, 99.0)
LARGE = {"file_size": 64 * GIB, "memory": GIB, "machine": 1}


def observe(rows, place=lambda one, at: (1, 1), partial=()):
    """Every value of the rows; `place`: (machine, session) of the value with this index in a row."""
    seen = {}
    for one in rows:
        for at, measurement in enumerate(one.ids):
            machine, session = place(one, at)
            cut = one.values[at] in partial
            seen[measurement] = Observed(session, machine, 1, measurement, f"{measurement}.txt", "1", None, False, cut)
    return ObservedValues(seen, known=True)


def judge(query, rows, *, observed=None, unrecorded=(), design="controlled", missing=None):
    selection = parse([tuple(part.split("=", 1)) for part in query.split("&")])
    columns = Columns(rows)
    panels = grouping.make_panels(selection, columns)
    counted = [replace(panel, groups=[with_missing(group, missing or {}) for group in panel.groups]) for panel in panels]
    unified = grouping.unify_statistics(selection, counted)
    chosen = compared_set.ChosenRows(columns, design, unrecorded=unrecorded)
    return judged.judge_groups(selection, chosen, unified, observe(rows) if observed is None else observed)


def with_missing(group, missing):
    """The group with the runs without a number of its value of x."""
    [[first, *_], *_] = group.by_configuration
    runs = tuple(one._replace(configuration=first.configuration) for one in missing.get(group.x, ()))
    return group.changed(missing=runs, unmeasured=(UnmeasuredCount("too_fast", len(runs)),) if runs else ())


def groups_of(panels):
    return {group.x: group for panel in panels for group in panel.groups}


def pair(fast=FAST, slow=SLOW, **more):
    return [row(*fast, atime="on", **(LARGE | more)), row(*slow, atime="off", **(LARGE | more))]


@pytest.mark.parametrize(
    ("metric", "word", "effect"),
    [
        ("write.throughput", "faster in this session", 1),
        ("copy.elapsed", "slower in this session", 0),
        ("seek.rate", "faster in this session", 1),
        # Space, shares of a CPU and ratios are no speeds.
        ("write.size", "higher in this session", 0),
        ("write.cpu", "higher in this session", 0),
        ("write.compressratio", "higher in this session", 1),
    ],
)
def it_claims_a_difference_in_the_direction_that_is_better(metric, word, effect):
    found = groups_of(judge(Q, pair(metric=metric)))
    verdict = found["on"].verdict
    assert found["off"].verdict is None
    assert (verdict.word, verdict.scope, verdict.effect, verdict.tests) == (word, "session", effect, 1)
    assert verdict.ratio == pytest.approx(1.5, rel=1e-3) and verdict.low < 1.5 < verdict.high
    assert verdict.doubts == ("drift not excluded",) and not verdict.withheld


def it_counts_machines_and_sessions():
    rows = pair()
    found = groups_of(judge(Q, rows, observed=observe(rows, lambda one, at: (1, at))))
    assert {(group.machines, group.sessions) for group in found.values()} == {(1, 3)}
    assert found["on"].verdict.word == "faster on this system"
    found = groups_of(judge(Q, rows, observed=observe(rows, lambda one, at: (at % 2, at))))
    assert {(group.machines, group.sessions) for group in found.values()} == {(2, 3)}
    found = groups_of(judge(Q, rows, observed=ObservedValues({}, known=True)))
    assert {(group.machines, group.sessions) for group in found.values()} == {(1, 0)}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"design": "open"}, "not controlled"),
        ({"missing": {"on": [MissingRun(1, 1, None, "")]}}, "1 of 4 runs failed"),
        ({"missing": {"off": [MissingRun(1, 1, None, ""), MissingRun(1, 1, None, "")]}}, "2 of 5 runs failed"),
        ({"observed": ObservedValues(too_many=True)}, "too many to test one by one"),
        ({"observed": ObservedValues(), "design": "open"}, "not controlled"),
        ({"observed": ObservedValues({}, known=True)}, "nothing was measured on one side"),
    ],
)
def it_says_why_there_is_no_claim(changes, reason):
    verdict = groups_of(judge(Q, pair(), **changes))["on"].verdict
    assert (verdict.word, verdict.scope) == ("", "")
    assert reason in verdict.withheld and verdict.ratio == pytest.approx(1.5, rel=1e-3)


def it_takes_no_sample_of_which_one_value_is_not_known():
    rows = pair((*FAST, 150.5))
    observed = observe(rows)
    some = ObservedValues({key: value for key, value in observed.by_id.items() if key != rows[0].ids[0]}, known=True)
    assert "nothing was measured" in groups_of(judge(Q, rows, observed=some))["on"].verdict.withheld


def it_claims_at_most_a_session_where_a_key_is_not_recorded_everywhere():
    rows = pair()
    observed = observe(rows, lambda one, at: (1, at))
    assert groups_of(judge(Q, rows, observed=observed))["on"].verdict.scope == "system"
    assert groups_of(judge(Q, rows, observed=observed, unrecorded=("atime",)))["on"].verdict.scope != "system"


@pytest.mark.parametrize(
    ("keys", "doubt"),
    [
        ({"file_size": GIB // 2}, "from memory"),
        ({"file_size": GIB}, "maybe from memory"),
        ({"memory": "~"}, "maybe from memory"),
    ],
)
def it_qualifies_what_came_from_memory(keys, doubt):
    rows = pair(**keys)
    assert doubt in groups_of(judge(Q, rows))["on"].verdict.doubts
    observed = observe(rows, lambda one, at: (1, at))
    assert groups_of(judge(Q, rows, observed=observed))["on"].verdict.scope != "system"


@pytest.mark.parametrize(
    ("keys", "states", "doubt"),
    [
        ({"file_size": GIB}, ["no"], ""),
        ({"memory": "~"}, ["no"], ""),
        ({"file_size": GIB}, ["yes"], "from memory"),
        ({}, ["yes"], "from memory"),
        ({}, ["no"], ""),
        ({}, ["yes", "no"], "from memory"),
        ({}, ["", "yes"], "from memory"),
        ({}, ["maybe"], "maybe from memory"),
        ({"file_size": GIB // 2}, ["", "no"], "from memory"),
    ],
)
def it_believes_the_counters_of_the_disks_before_sizes(keys, states, doubt):
    """`states`: of the runs of each side, in turn."""
    rows = pair(metric="read.throughput", **keys)
    state_of = {one: states[at % len(states)] for row in rows for at, one in enumerate(row.ids)}
    observed = ObservedValues(
        {
            key: seen._replace(from_memory={"read": state_of[key]} if state_of[key] else {})
            for key, seen in observe(rows, lambda one, at: (1, at)).by_id.items()
        },
        known=True,
    )
    verdict = groups_of(judge(Q, rows, observed=observed))["on"].verdict
    assert [words for words in verdict.doubts if "memory" in words] == ([doubt] if doubt else [])
    assert (verdict.scope == "system") == (not doubt)


def _changed(observed, change):
    return ObservedValues({key: change(seen) for key, seen in observed.by_id.items()}, known=True)


@pytest.mark.parametrize(
    ("metric", "zeros", "doubts"),
    [
        ("write.throughput", {"on"}, ("of zeros, which compress to nothing",)),
        ("write.throughput", {"on", "off"}, ("of zeros, which compress to nothing",)),
        ("write.throughput", {"off"}, ("of zeros, which compress to nothing",)),
        ("write.throughput", set(), ()),
        ("read.throughput", {"on"}, ("of zeros, which compress to nothing",)),
        ("file_create.rate", {"on", "off"}, ()),
    ],
)
def it_qualifies_what_was_written_as_zeros(metric, zeros, doubts):
    """Operations on names write no data."""
    rows = pair(metric=metric)
    written = {measurement for one in rows if one.texts["atime"] in zeros for measurement in one.ids}
    observed = _changed(observe(rows, lambda one, at: (1, at)), lambda seen: seen._replace(zeros=seen.run in written))
    verdict = groups_of(judge(Q, rows, observed=observed))["on"].verdict
    assert verdict.scope == ("sessions" if doubts else "system")
    assert verdict.doubts == (*doubts, "drift not excluded")


def it_marks_what_a_person_stated():
    rows = pair()
    observed = _changed(observe(rows), lambda seen: seen._replace(stated=seen.run == rows[0].ids[1]))
    found = groups_of(judge(Q, rows, observed=observed))
    assert ("stated" in found["on"].flags, "stated" in found["off"].flags) == (True, False)


def it_compares_within_the_rounds_of_a_session():
    """Each round is half as fast again as the one before; within a round the difference is plain."""
    rows = pair([110 * 1.5**at for at in range(3)], [100 * 1.5**at * (1 + at / 500) for at in range(3)])
    place = {measurement: f"rep{at}/{one.texts['atime']}.txt" for one in rows for at, measurement in enumerate(one.ids)}
    observed = _changed(observe(rows), lambda seen: seen._replace(path=place[seen.run]))
    verdict = groups_of(judge(Q, rows, observed=observed))["on"].verdict
    assert (verdict.word, verdict.paired) == ("faster in this session", 3)
    assert groups_of(judge(Q, rows))["on"].verdict.word == "no difference seen"


def it_excludes_drift_by_the_order_of_lines():
    rows = pair()
    for turned, doubts in ((True, ()), (False, ("on ran first every time: drift not excluded",))):
        lines = {
            measurement: 10 * at + (side + at) % 2 if turned else 10 * side + at
            for side, one in enumerate(rows)
            for at, measurement in enumerate(one.ids)
        }
        observed = _changed(observe(rows), lambda seen, lines=lines: seen._replace(path="log", line=str(lines[seen.run])))
        assert groups_of(judge(Q, rows, observed=observed))["on"].verdict.doubts == doubts


def it_counts_no_machines_of_several_configurations_that_were_not_looked_up():
    rows = [*pair(), row(*FAST, atime="on", **(LARGE | {"machine": 2}))]
    found = groups_of(judge(Q, rows, observed=ObservedValues({}, known=True)))
    assert (found["on"].configurations, found["on"].machines, found["on"].sessions) == (2, 0, 0)


def it_counts_bounded_runs_in_sample_and_centre():
    missing = {"on": [MissingRun(1, 1, 400.0, "above") for _ in range(2)]}
    group = groups_of(judge(Q, pair((150.0,)), missing=missing))["on"]
    assert (group.center, group.bound, group.n, group.sessions) == (400.0, "above", 3, 1)
    assert group.verdict.effect is None and group.verdict.word == ""


def it_claims_of_two_systems_as_they_stand_only_what_is_said_of_systems():
    rows = pair()
    by_side = observe(rows, lambda one, at: (rows.index(one), 10 * rows.index(one) + at))
    verdict = groups_of(judge(Q, rows, observed=by_side, design="as_they_stand"))["on"].verdict
    assert (verdict.word, verdict.scope) == ("A is faster than B", "systems")


def it_claims_nothing_along_tools():
    rows = [row(*FAST, tool="dd", **LARGE), row(*SLOW, tool="fio", **LARGE)]
    verdict = groups_of(judge("metric=write.throughput&x=tool&baseline=fio", rows))["dd"].verdict
    assert verdict.word == "" and verdict.withheld == "along tools only sizes and access are held equal: no claim is made"


@pytest.mark.parametrize(
    ("query", "tests", "withheld"),
    [
        ("x=atime&series=aggregate&baseline=off", 0, "percentiles are shown, not tested"),
        ("x=aggregate&series=atime&baseline=off", 0, "percentiles are shown, not tested"),
        ("x=atime&facet=aggregate&baseline=off", 0, "percentiles are shown, not tested"),
        ("x=aggregate&series=atime&baseline=off&aggregate=p99", 2, ""),
        ("x=aggregate&series=atime&baseline=p50&aggregate=p50&aggregate=p99", 0, "are no two sides"),
    ],
)
def it_tests_no_percentile_that_was_not_chosen(query, tests, withheld):
    rows = [one for name in ("p50", "p99") for one in pair(metric="random_read.latency", aggregate=name)]
    verdicts = [
        group.verdict for panel in judge(f"metric=random_read.latency&stat=geometric&{query}", rows) for group in panel.groups
    ]
    found = [verdict for verdict in verdicts if verdict is not None]
    assert len(found) == 2 and all(verdict.ratio for verdict in found)
    assert {(verdict.tests, bool(verdict.word)) for verdict in found} == {(tests, bool(tests))}
    assert all(withheld in verdict.withheld for verdict in found)


def it_counts_the_tests_of_all_panels_for_holm():
    rows = [one for threads in (1, 2) for one in pair(threads=threads)]
    panels = judge(Q + "&facet=threads", rows)
    assert [group.verdict.tests for panel in panels for group in panel.groups if group.verdict] == [2, 2]
    assert judged.describe_tests(panels).endswith("5 % over 2 tests after Holm")
    assert judged.describe_tests(judge(Q, pair())).endswith("5 % over 1 test after Holm")
    assert judged.describe_tests(judge(Q, pair(), design="open")) == ""


@pytest.mark.parametrize(("count", "overall"), [(1, 0), (3, 0), (4, 1)])
def it_has_an_overall_mean_from_four_places_on(count, overall):
    rows = [one for threads in range(1, 1 + count) for one in pair(threads=threads)]
    [panel] = judge(Q + "&series=threads", rows)
    assert [(one.name, one.ratios) for one in panel.overall] == [("on", count)] * overall


UNEVEN = (100.0, 100.0, 400.0, 800.0, 900.0)
"""A session of three and one of two: pooled, they have another centre."""
CENTERS = {
    "geometric": ((100 * 100 * 400) ** (1 / 3) * (800 * 900) ** (1 / 2)) ** (1 / 2),
    "mean": 5 / sum(1 / value for value in UNEVEN),
}


@pytest.mark.parametrize("stat", CENTERS)
def it_draws_the_centre_of_repetitions_then_of_sessions(stat):
    """The mean, which carries no claim, is of all values."""
    rows = pair(UNEVEN, (100.0,) * 5)
    observed = observe(rows, lambda one, at: (1, 1 if at < 3 else 2))
    group = groups_of(judge(Q.replace("geometric", stat), rows, observed=observed))["on"]
    assert group.center == pytest.approx(CENTERS[stat])
    assert group.verdict.ratio == pytest.approx(CENTERS[stat] / 100)


def it_draws_equal_values_as_they_are():
    """Not as logarithms round them."""
    for value in (0.3, 100.1, 2930.7):
        assert groups_of(judge(Q, pair((value,) * 3)))["on"].center == value


def it_has_the_ratio_of_what_is_tested():
    """A session with one side only is drawn, and left out of ratio and test; the ratio of the centres stands beside it."""
    rows = pair((*FAST, 900.0))
    found = groups_of(judge(Q, rows, observed=observe(rows, lambda one, at: (1, at))))
    assert found["on"].center > 200 and found["on"].verdict.ratio == pytest.approx(1.5, rel=1e-3)
    assert "2.35\N{MULTIPLICATION SIGN} of the drawn centres, which are of all runs" in naming.verdict_words(found["on"])


def it_has_the_ratio_of_the_drawn_centres_beside_one_without_a_claim():
    """One ratio a machine, of which the third has one side only."""
    rows = pair((150.0, 150.0, 900.0), (100.0, 100.0))
    verdict = groups_of(judge(Q, rows, observed=observe(rows, lambda one, at: (at, at))))["on"].verdict
    assert (verdict.ratio, verdict.word) == (pytest.approx(1.5), "")
    assert verdict.withheld.endswith("; 2.73\N{MULTIPLICATION SIGN} of the drawn centres, which are of all runs")


def it_has_the_ratio_of_what_is_drawn_where_a_side_has_bounds():
    """Both sides are drawn by their medians then: a ratio is of like by like."""
    missing = {"on": [MissingRun(1, 1, 900.0, "above")] * 2}
    found = groups_of(judge(Q, pair((800.0, 700.0), (100.0, 100.0, 400.0, 400.0)), missing=missing))
    assert (found["on"].center, found["on"].bound, found["off"].center) == (850.0, "above", 250.0)
    assert {group.stat for group in found.values()} == {"median"}
    assert (found["on"].verdict.ratio, found["on"].verdict.ratio_bound) == (pytest.approx(3.4), "above")


@pytest.mark.parametrize(("stat", "center"), [("geometric", 325.0), ("median", 325.0), ("mean", 325.0)])
def it_draws_the_median_of_all_runs_where_values_are_bounded(stat, center):
    """Of 100, 200, 300, 350, 400 and one above 900."""
    missing = {"on": [MissingRun(1, 2, 900.0, "above")]}
    rows = pair((100.0, 200.0, 300.0, 350.0, 400.0), (100.0,) * 5)
    observed = observe(rows, lambda one, at: (1, 1 if at < 3 else 2))
    group = groups_of(judge(Q.replace("geometric", stat), rows, observed=observed, missing=missing))["on"]
    assert (group.center, group.bound) == (center, "")


@pytest.mark.parametrize(
    ("values", "base", "missing", "effect"),
    [
        ((1.0, 3.0), (2.0, 0.5), {}, 0.75),
        ((2.0, 2.0), (2.0, 3.0), {}, 0.25),
        ((1.0,), (2.0, 3.0), {}, None),
        ((1.0, 2.0), (3.0,), {}, None),
        ((1.0, 3.0), (2.0, 0.5), {"on": [MissingRun(1, 1, 9.0, "above")]}, None),
        ((1.0, 3.0), (2.0, 0.5), {"off": [MissingRun(1, 1, 9.0, "above")]}, None),
    ],
)
@pytest.mark.parametrize("metric", ["write.throughput", "copy.elapsed"])
def it_has_the_share_of_pairs_in_which_the_value_is_better(metric, values, base, missing, effect):
    found = groups_of(judge(Q, pair(values, base, metric=metric), missing=missing))["on"].verdict.effect
    assert found == (None if effect is None else 1 - effect if metric == "copy.elapsed" else effect)


@pytest.mark.parametrize("baseline", ["off", "on"])
def it_compares_with_the_baseline_whatever_its_name(baseline):
    rows = [*pair(), row(*FAST, atime="relatime", **LARGE)]
    [panel] = judge(Q.replace("baseline=off", f"baseline={baseline}") + "&normalise=baseline", rows)
    found = groups_of([panel])
    assert found[baseline].center == pytest.approx(1) and found[baseline].verdict is None
    assert sum(group.verdict is not None for group in panel.groups) == 2
    assert found["relatime"].center == pytest.approx(1.5 if baseline == "off" else 1, rel=1e-3)


def it_makes_numbers_relative_to_a_baseline_of_the_series():
    rows = [row(*values, os=os, atime=name, **LARGE) for os in "ab" for values, name in ((FAST, "on"), (SLOW, "off"))]
    [panel] = judge("metric=write.throughput&x=os&series=atime&baseline=off&normalise=baseline", rows)
    assert {(group.x, group.series): round(group.center, 2) for group in panel.groups} == {
        ("a", "on"): 1.5,
        ("a", "off"): 1,
        ("b", "on"): 1.5,
        ("b", "off"): 1,
    }


def it_has_no_ratio_where_a_run_failed_beside_bounds():
    missing = [MissingRun(1, 1, 900.0, "above"), MissingRun(1, 1, 900.0, "above"), MissingRun(1, 1, None, "")]
    for side in ("on", "off"):
        verdict = groups_of(judge(Q, pair((800.0,), (700.0,)), missing={side: missing}))["on"].verdict
        assert (verdict.ratio, verdict.word, verdict.withheld) == (None, "", "1 of 4 runs failed or did not finish")


def it_has_the_ratio_alone_of_a_statistic_without_claims():
    verdict = groups_of(judge(Q.replace("geometric", "mean"), pair()))["on"].verdict
    assert (verdict.word, verdict.scope, verdict.low, verdict.high, verdict.paired, verdict.tests) == ("", "", None, None, 0, 0)
    assert verdict.ratio == pytest.approx(1.5, rel=1e-3) and "stat=mean supports no claim" in verdict.withheld
    assert groups_of(judge(Q.replace("geometric", "mean"), pair(FAST, (0.0, 0.0, 0.0))))["on"].verdict.ratio is None


@pytest.mark.parametrize("axis", ["series=os", "facet=os", "series=metric"])
def it_claims_nothing_of_pooled_workloads_in_unlike_shares(axis):
    """As many repetitions of each on both sides in one place, twice as many of one in the other."""
    rows = []
    for place in (1, 2):
        where = {"metric": ("read.throughput", "write.throughput")[place - 1]} if "metric" in axis else {"os": str(place)}
        rows += [one for threads in (1, 2) for one in pair(threads=threads, **where)]
        if place == 2:
            rows += [row(*SLOW, atime="off", direct="0", threads=2, **(LARGE | where))]
    panels = judge(
        f"{Q}&metric=read.throughput&pool=threads&{axis}".replace("&metric=read.throughput", "", "metric" not in axis), rows
    )
    verdicts = [(group.series + group.facet, group.verdict) for panel in panels for group in panel.groups if group.x == "on"]
    (_, equal), (_, unequal) = sorted(verdicts, key=lambda pair: pair[0])
    assert equal.word == "faster in this session"
    assert unequal.word == "" and "pooled runs of both sides are of unlike work (threads)" in unequal.withheld


def places(count: int, **more):
    """Pairs at so many numbers of threads, each on a machine of its own; later ones are faster by more."""
    return [one for at in range(count) for one in pair([(1 + at / 50) * value for value in FAST], threads=at, **more)]


def on_own_machines(rows):
    return observe(rows, lambda one, at: (int(one.texts["threads"]), int(one.texts["threads"])))


def it_claims_overall_where_each_place_is_a_machine():
    rows = places(5)
    [panel] = judge(Q + "&series=threads", rows, observed=on_own_machines(rows))
    [whole] = panel.overall
    assert (whole.name, whole.ratios, whole.claim, whole.withheld) == ("on", 5, "faster on these machines", "")
    assert whole.low < whole.ratio < whole.high and whole.ratio == pytest.approx(1.56, rel=1e-2)


def it_claims_overall_where_each_panel_is_a_machine():
    rows = [one for at in range(5) for one in pair([(1 + at / 50) * value for value in FAST], host=f"h{at}", machine=at + 1)]
    observed = observe(rows, lambda one, at: (int(one.texts["machine"]), int(one.texts["machine"])))
    first, *others = judge(Q + "&facet=host", rows, observed=observed)
    assert [(one.name, one.ratios, one.claim) for one in first.overall] == [("on", 5, "faster on these machines")]
    assert [panel.overall for panel in others] == [[]] * 4


def it_has_the_overall_mean_of_each_panel():
    rows = [*places(4, compression="lz4"), *[one for at in range(4) for one in pair(SLOW, FAST, threads=at, compression="off")]]
    found = {panel.title: panel.overall for panel in judge(Q + "&series=threads&facet=compression", rows)}
    assert {title: [round(one.ratio, 2) for one in overall] for title, overall in found.items()} == {"lz4": [1.54], "off": [0.67]}


def it_has_no_overall_mean_of_bounds_nor_of_a_statistic_without_claims():
    missing = {"on": [MissingRun(1, 1, 400.0, "above")] * 4}
    assert judge(Q + "&series=threads", places(4), missing=missing)[0].overall == []
    assert judge(Q.replace("geometric", "mean") + "&series=threads", places(4))[0].overall == []


def it_compares_with_a_baseline_of_the_series():
    rows = [row(*values, os="a", atime=name, **LARGE) for values, name in ((FAST, "on"), (SLOW, "off"))]
    [panel] = judge("metric=write.throughput&x=os&series=atime&baseline=off", rows)
    assert panel.baseline == "off"
    assert [(group.series, bool(group.verdict)) for group in panel.groups] == [("off", False), ("on", True)]


def it_makes_every_number_relative_to_the_baseline():
    rows = [*pair(), row(7.0, atime="relatime", threads=9, **LARGE)]
    [panel] = judge(Q + "&normalise=baseline", rows)
    found = groups_of([panel])
    assert panel.unit == "1" and found["off"].center == pytest.approx(1)
    assert found["on"].center == pytest.approx(1.5, rel=1e-3)
    assert [point.value for point in found["on"].points] == pytest.approx([value / found_base() for value in FAST])
    assert 1.4 < found["on"].low < 1.5 < found["on"].high < 1.6


def it_makes_numbers_relative_to_the_baseline_only_where_asked():
    for normalise in ("", "&normalise=disk"):
        [panel] = judge(Q + normalise, pair())
        assert panel.unit != "1" and groups_of([panel])["off"].center == pytest.approx(100, rel=1e-3)


def found_base() -> float:
    return groups_of(judge(Q, pair()))["off"].center


def it_draws_unlike_sessions_apart_also_relative_to_the_baseline():
    rows = pair((150.0, 151.0, 149.0, 300.0, 301.0, 302.0), SLOW)
    observed = observe(rows, lambda one, at: (1, at // 3))
    assert groups_of(judge(Q, rows, observed=observed))["on"].parts == pytest.approx((150, 301), rel=1e-3)
    relative = groups_of(judge(Q + "&normalise=baseline", rows, observed=observed))["on"]
    assert relative.parts == pytest.approx((1.5, 3.01), rel=1e-3)


# -- values that do not count -----------------------------------------------------------------------------------------


def it_leaves_partial_values_out_and_counts_them():
    rows = [row(1.0, 2.0, 3.0, **LARGE), row(9.0, atime="on", **LARGE)]
    kept, left_out = grouping.leave_out(Columns(rows), observe(rows, partial=(2.0, 9.0)))
    assert [one.values for one in kept.rows] == [[1.0, 3.0]]
    assert left_out == {"impossible": 0, "partial": 2, "targets": 0}


def it_leaves_times_out_that_are_too_short_but_for_those_below_the_clock(monkeypatch):
    monkeypatch.setattr(grouping.caveats, "possible_range", lambda one: (2.0, 9.0))
    kept, left_out = grouping.leave_out(Columns([row(0.0, 1.0, 2.0, 9.0, **LARGE)]), observe([]))
    assert [one.values for one in kept.rows] == [[0.0, 2.0, 9.0]] and left_out["impossible"] == 1


def it_leaves_impossible_values_out_and_counts_them(monkeypatch):
    monkeypatch.setattr(grouping.caveats, "possible_range", lambda one: (0.0, 5.0))
    rows = [row(4.0, 5.0, 6.0, **LARGE), row(7.0, atime="on", **LARGE)]
    kept, left_out = grouping.leave_out(Columns(rows), observe(rows, partial=(7.0,)))
    assert [one.values for one in kept.rows] == [[4.0, 5.0]], "what the hardware can just do is possible"
    assert left_out == {"impossible": 2, "partial": 0, "targets": 0}, "a value is left out once"


def it_keeps_rows_of_which_not_every_value_is_known():
    one = row(4.0, 6.0, **LARGE)
    one.n = 40
    columns = Columns([one])
    kept, left_out = grouping.leave_out(columns, observe([one], partial=(6.0,)))
    assert kept is columns and left_out == {"impossible": 0, "partial": 0, "targets": 0}
    rows = pair()
    whole = Columns(rows)
    assert grouping.leave_out(whole, observe(rows))[0] is whole


@pytest.mark.parametrize(
    ("design", "most", "histogram", "known"),
    [
        ("controlled", 6, None, True),
        ("controlled", 7, None, True),
        ("as_they_stand", 6, None, True),
        ("controlled", 5, None, False),
        ("open", 6, None, False),
        ("controlled", 6, {"0": 3}, False),
    ],
)
def it_looks_values_up_where_they_are_judged_and_not_too_many(monkeypatch, design, most, histogram, known):
    monkeypatch.setattr(grouping, "MAX_OBSERVED", most)
    asked = []
    monkeypatch.setattr(grouping.provenance, "read_observed", lambda version, ids: asked.append(len(ids)) or {})
    rows = pair()
    rows[0].histogram = histogram
    observed = grouping.read_observed_values(Columns(rows), 1, design)
    assert (observed.known, observed.too_many) == (known, not known and design != "open")
    assert asked == ([6] if known else [])


def aim(rows, targets):
    """Every value of the rows; `targets`: that of each value, by row."""
    seen = observe(rows)
    for one, of_row in zip(rows, targets, strict=True):
        for measurement, target in zip(one.ids, of_row, strict=True):
            seen.by_id[measurement] = seen.by_id[measurement]._replace(target=(target,) if target.strip() else ())
    return seen


@pytest.mark.parametrize(
    ("targets", "kept"),
    [
        (("aaa", "bbb"), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])),  # each side has its own place
        (("aab", "aaa"), ([1.0, 2.0], [4.0, 5.0, 6.0])),
        (("abb", "aaa"), ([1.0], [4.0, 5.0, 6.0])),  # the one that both have, not the one with most runs
        (("abb", "bba"), ([2.0, 3.0], [4.0, 5.0])),
        (("abb", "cdd"), ([2.0, 3.0], [5.0, 6.0])),
        (("ab ", "aa "), ([1.0, 3.0], [4.0, 5.0, 6.0])),  # an unknown one may be any
    ],
)
def it_draws_one_device_or_destination(targets, kept):
    rows = [row(1.0, 2.0, 3.0, **LARGE), row(4.0, 5.0, 6.0, atime="on", **LARGE)]
    found, left_out = grouping.leave_out(Columns(rows), aim(rows, targets))
    assert tuple(one.values for one in found.rows) == kept
    assert left_out["targets"] == 6 - sum(map(len, kept))
