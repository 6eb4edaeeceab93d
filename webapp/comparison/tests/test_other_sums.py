"""Where a tool's own sum contradicts the total over the wall time, there is no claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.claims.observations import Observed
from webapp.comparison import compared_set, judged
from webapp.comparison import groups as grouping
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

IOZONE = {"tool": "iozone", "file_size": 64 * 2**30, "record_size": 2**20, "memory": 2**30, "processes": 4}


def seen(rows):
    found = {
        measurement: Observed(1, 1, 1, measurement, f"{measurement}.txt", "1", None, False)
        for one in rows
        for measurement in one.ids
    }
    return judged.ObservedValues(found, known=True)


@pytest.mark.parametrize(
    ("children", "word", "withheld"),
    [
        ((300.0, 301.0, 299.0), "", "the sum of the children points the other way (1.43x)"),
        ((160.0, 161.0, 159.0), "slower in this session", ""),
    ],
)
def it_claims_nothing_that_the_sum_of_the_children_contradicts(children, word, withheld):
    rows = [
        row(200.0, 201.0, 199.0, compression="off", part="parent", **IOZONE),
        row(150.0, 151.0, 149.0, compression="lz4", part="parent", **IOZONE),
        row(210.0, 211.0, 209.0, compression="off", part="~", **IOZONE),
        row(*children, compression="lz4", part="~", **IOZONE),
    ]
    selection = parse([("metric", "write.throughput"), ("x", "compression"), ("baseline", "off"), ("stat", "geometric")])
    passing = Columns(rows)
    chosen = compared_set.choose_rows(selection, passing)
    panels = judged.judge_groups(selection, chosen, grouping.make_panels(selection, chosen.rows), seen(rows))
    sums = judged.find_other_sums(selection, chosen, passing).rows
    [panel] = judged.withhold_contradicted(selection, panels, sums)
    verdict = next(group.verdict for group in panel.groups if group.x == "lz4")
    assert (verdict.word, verdict.withheld) == (word, withheld)
    assert verdict.ratio == pytest.approx(0.75, rel=1e-2)


def it_keeps_the_ratio_of_the_drawn_centres_beside_a_claim_that_it_takes_back():
    rows = [
        row(*values, compression=name, part=part, **IOZONE)
        for name, part, values in (
            ("off", "parent", (200.0, 201.0, 199.0)),
            ("lz4", "parent", (150.0, 151.0, 149.0)),
            ("off", "~", (210.0, 211.0, 209.0)),
            ("lz4", "~", (300.0, 301.0, 299.0)),
        )
    ]
    selection = parse([("metric", "write.throughput"), ("x", "compression"), ("baseline", "off"), ("stat", "geometric")])
    passing = Columns(rows)
    chosen = compared_set.choose_rows(selection, passing)
    [panel] = judged.judge_groups(selection, chosen, grouping.make_panels(selection, chosen.rows), seen(rows))
    base, group = (next(one for one in panel.groups if one.x == x) for x in ("off", "lz4"))
    of_more = replace(panel, groups=[base, group.changed(center=0.6 * base.center)])  # in sessions without the other side
    [found] = judged.withhold_contradicted(selection, [of_more], judged.find_other_sums(selection, chosen, passing).rows)
    apart = "0.600\N{MULTIPLICATION SIGN} of the drawn centres, which are of all runs"
    [_, withheld] = [one.verdict for one in found.groups]
    assert withheld.withheld == f"the sum of the children points the other way (1.43x); {apart}"
