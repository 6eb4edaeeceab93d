"""The sentence under a figure says what was judged: its claim, ratio and doubts, and no more."""

from __future__ import annotations

import pytest

from webapp.comparison.model import Comparison, Group, Panel, Point, Verdict
from webapp.comparison.selection import parse
from webapp.pages.sentences import summarise

MIB = 2.0**20


def group(x: str, *values: float, verdict: Verdict | None = None, metric: str = "write.throughput") -> Group:
    points = [Point(value * MIB, at, 1) for at, value in enumerate(values, 1)]
    center = sorted(values)[len(values) // 2] * MIB
    return Group(x, "", "", metric, len(values), 1, center, None, None, "none", points, verdict=verdict)


def judged(ratio: float, word: str = "", scope: str = "", withheld: str = "", **more) -> Verdict:
    return Verdict(ratio, None, None, word, 0, scope=scope, withheld=withheld, **more)


def sentence(*groups: Group, baseline: str = "off", design: str = "controlled", fixed=(("fs", "btrfs"),)) -> str:
    selection = parse([("metric", groups[0].metric), ("x", "compression")])
    panel = Panel("", (groups[0].metric,), "B/s", "more", [one.x for one in groups], [""], list(groups), baseline)
    made = Comparison(selection, [panel], [], [], [], [], [], [], 0, 0, "", drawn=selection, design=design, fixed=fixed)
    return summarise(made)


FASTER = "faster in this session"


def it_says_the_claim_with_its_evidence():
    said = sentence(group("off", 10, 11, 12), group("zstd-1", 31, 32, 33, verdict=judged(3.1, FASTER, "session")))
    assert said == "zstd-1 wrote 3.10 times as fast as off on btrfs in this session: 3 runs each, ranges do not overlap."


def it_does_not_hide_that_ranges_overlap_nor_a_doubt():
    verdict = judged(1.5, FASTER, "session", doubts=("from memory", "drift not excluded"))
    said = sentence(group("off", 10, 11, 40), group("lz4", 15, 16, 17, 18, verdict=verdict))
    assert said.endswith("in this session: 4 and 3 runs, ranges overlap; from memory; drift not excluded.")


def it_takes_the_widest_claim_then_the_largest_difference():
    said = sentence(
        group("off", 10, 11, 12),
        group("lz4", 90, 91, 92, verdict=judged(9.0, FASTER, "session")),
        group("zle", 20, 21, 22, verdict=judged(2.0, "faster on this system", "system", doubts=())),
        group("on", 5, 5, 5, verdict=judged(0.2, "slower on this system", "system")),
    )
    assert (
        said.startswith("Compression on wrote 0.200 times as fast as off on btrfs on this system")
        and "largest of 3 differences" in said
    )


def it_says_that_no_difference_was_seen():
    none = judged(1.1, "no difference seen", "session")
    said = sentence(group("off", 1, 2, 3), group("lz4", 1, 2, 3, verdict=none), group("on", 1, 2, 3, verdict=none))
    assert said == "No difference from off was seen on btrfs in this session: 2 values, 3 runs each."
    said = sentence(group("off", 1, 2, 3), group("lz4", 1, 2, 3, verdict=none))
    assert said == "No difference between lz4 and off was seen on btrfs in this session: 3 runs each, 1.10 times."


@pytest.mark.parametrize("withheld", ["one run each, spread unknown; at least 3 a side", "from memory: no claim about two systems"])
def it_says_the_ratio_and_what_is_missing_where_nothing_can_be_claimed(withheld):
    verdict = judged(0.75, withheld=withheld, doubts=("from memory",) if "memory" in withheld else ())
    said = sentence(group("off", 4), group("lz4", 3, verdict=verdict))
    assert said == f"lz4 wrote 0.750 times as fast as off on btrfs; no claim: {withheld}."
    assert "faster" not in said and "slower" not in said


def it_names_no_difference_in_an_open_figure():
    said = sentence(group("off", 4), group("lz4", 3, 5), baseline="", design="open", fixed=())
    assert said == (
        "Lowest 4 MiB/s (compression off), highest 5 MiB/s (compression lz4), of 2 groups; "
        "other things differ too, so nothing is claimed."
    )


def it_says_how_long_something_took():
    slow = judged(2.0, "slower in this session", "session")
    said = sentence(group("off", 1, 1, 1, metric="extract.elapsed"), group("lz4", 2, 2, 2, verdict=slow, metric="extract.elapsed"))
    assert said.startswith("lz4 took 2 times as long as off on btrfs in this session")
