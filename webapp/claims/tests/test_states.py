"""What states before runs say about a claim: what goes with a side, what varies, what one side alone has, what runs raise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import state
from webapp.claims.states import RunState, Side, compare_states, name_unrecorded


def sides(lz4: list[Any], off: list[Any], key: str, first: str = "off", sessions: int = 1) -> tuple[Side, Side]:
    """Runs of both, in turns, `first` first; None where a run has no such state."""

    def of(name: str, values: list[Any]) -> Side:
        late = name != first
        each = len(values) // sessions
        runs = [RunState({} if one is None else {key: one}, at // each, 2 * at + late) for at, one in enumerate(values)]
        return Side(name, runs)

    return of("lz4", lz4), of("off", off)


@pytest.mark.parametrize(
    ("key", "lz4", "off", "reason"),
    [
        ("state.scrub", ["no"] * 3, ["yes"] * 3, "a scrub ran under every run of off only"),
        ("state.scrub", ["yes"] * 3, ["no"] * 3, "a scrub ran under every run of lz4 only"),
        ("state.caches_dropped", [None] * 3, ["yes"] * 3, "caches were dropped before every run of off only"),
        ("state.created", ["yes"] * 3, [None] * 3, "the pool or file system had just been created before every run of lz4 only"),
        (
            "state.capacity",
            [93, 93, 92],
            [4, 4, 5],
            "the pool or file system was 92 to 93 % full under every run of lz4, 4 to 5 % under off",
        ),
        ("state.capacity", ["4%"] * 3, ["93%"] * 3, "the pool or file system was 93 % full under every run of off, 4 % under lz4"),
        (
            "state.fragmentation",
            [1, 2, 1],
            [71, 70, 72],
            "free space was 70 to 72 % fragmented under every run of off, 1 to 2 % under",
        ),
        ("state.mitigations", ["off"] * 3, ["auto"] * 3, "CPU mitigations off under every run of lz4, auto under off"),
        ("state.hypervisor", ["kvm"] * 3, ["none"] * 3, "hypervisor kvm under every run of lz4, none under off"),
        ("state.throttling", ["yes"] * 3, ["no"] * 3, "a drive or CPU was throttling under every run of lz4 only"),
        ("state.load", [0.1, 0.2, 0.1], [9, 9.5, 12], "the load average was 9 to 12 under every run of off"),
        ("state.unheard", ["a"] * 3, ["b"] * 3, "unheard a under every run of lz4, b under off"),
    ],
)
def it_can_tell_nothing_where_a_state_goes_with_a_side(key, lz4, off, reason):
    found = compare_states(*sides(lz4, off, key))
    assert found.reason.startswith("cannot tell: ") and reason in found.reason
    assert (found.doubts, found.shown) == ((), ())


@pytest.mark.parametrize(
    ("key", "lz4", "off", "doubt"),
    [
        ("state.scrub", ["no"] * 3, ["yes", "no", "no"], "a scrub ran under 1 of 3 runs of off"),
        ("state.scrub", ["no", "yes", "no"], ["yes", "no", "no"], "a scrub ran under 1 of 3 runs of lz4 and 1 of 3 runs of off"),
        (
            "state.caches_dropped",
            ["yes"] * 3,
            ["yes", None, None],
            "caches were dropped before 3 of 3 runs of lz4 and 1 of 3 runs of off",
        ),
        (
            "state.capacity",
            [70, 20, 95],
            [10, 60, 20],
            "how full the pool or file system is 20 to 95 % under lz4, 10 to 60 % under off",
        ),
        ("state.hypervisor", ["kvm", "none", "kvm"], ["none"] * 3, "hypervisor kvm or none under lz4, none under off"),
        ("state.capacity", [None] * 3, [4, 4, 5], "not recorded for lz4: how full the pool or file system is"),
        ("state.hypervisor", ["kvm"] * 3, [None] * 3, "not recorded for off: hypervisor"),
        ("state.scrub", ["no", None, "no"], ["no"] * 3, "not recorded for every run: scrub"),
    ],
)
def it_doubts_what_varies_or_is_known_in_part(key, lz4, off, doubt):
    found = compare_states(*sides(lz4, off, key))
    assert (found.reason, found.doubts) == ("", (doubt,))


@pytest.mark.parametrize(
    ("key", "lz4", "off"),
    [
        ("state.scrub", ["no"] * 3, ["no"] * 3),
        ("state.capacity", [10, 20, 30], [15, 25, 48]),
        ("state.capacity", [32, 50, 56], [31, 49, 54]),  # grows
        ("state.fragmentation", [10, 12, 14], [20, 22, 24]),
        ("state.temperature", [60, 61, 60], [35, 36, 38]),  # the second side is always the warmer one
        ("state.temperature", [60, 61, 60], [None] * 3),
        ("state.load", [3, 3, 3], [0.1, 0.2, 0.1]),
    ],
)
def it_lets_pass_what_is_alike_or_what_runs_raise(key, lz4, off):
    found = compare_states(*sides(lz4, off, key))
    assert (found.reason, found.doubts) == ("", ())


def it_says_what_runs_may_have_raised():
    found = compare_states(*sides([60, 61, 60], [35, 36, 38], "state.temperature"))
    assert found.shown == ("the drive had 60 to 61 °C under every run of lz4, 35 to 38 °C under off",)


def it_takes_no_heat_for_that_of_runs_where_the_first_side_is_the_warmer_one():
    assert "cannot tell: the drive had 60" in compare_states(*sides([60, 61, 60], [35] * 3, "state.temperature", "lz4")).reason
    unplaced = [
        Side(one.name, [RunState(run.values, 0) for run in one.runs]) for one in sides([60] * 3, [35] * 3, "state.temperature")
    ]
    assert compare_states(*unplaced).doubts and not compare_states(*unplaced).reason


def it_lets_mitigations_follow_an_operating_system_unless_somebody_set_them():
    of_kernels = sides(["0x42e"] * 3, ["0x430"] * 3, "state.microcode")
    assert compare_states(*of_kernels).reason and not compare_states(*of_kernels, follows_os=True).reason
    assert compare_states(*sides(["off"] * 3, ["auto"] * 3, "state.mitigations"), follows_os=True).reason


def it_takes_a_hypervisor_for_part_of_a_whole_system():
    found = sides(["kvm"] * 3, ["none"] * 3, "state.hypervisor")
    assert compare_states(*found).reason and not compare_states(*found, whole_systems=True).reason
    assert compare_states(*sides(["yes"] * 3, ["no"] * 3, "state.scrub"), whole_systems=True).reason


def it_names_at_most_three_reasons():
    keys = ("state.scrub", "state.trim", "state.resilver", "state.check", "state.degraded")
    one, other = (Side(name, [RunState(dict.fromkeys(keys, word), 0)] * 3) for name, word in (("lz4", "yes"), ("off", "no")))
    assert compare_states(one, other).reason.endswith("; 2 more")


def it_names_what_nothing_recorded():
    assert name_unrecorded([{}]) == ["how full the pool or file system is", "scrub", "thermal throttling", "load average"]
    assert name_unrecorded([{}, {"state.scrub": "no", "state.capacity": 4}]) == ["thermal throttling", "load average"]
    assert name_unrecorded([{}], on_file_system=False) == ["thermal throttling", "load average"]


_VALUES = {"state.scrub": ("yes", "no", None), "state.capacity": (5, 60, 95, None), "state.hypervisor": ("kvm", "none", None)}


@given(
    st.sampled_from(sorted(_VALUES)).flatmap(
        lambda key: st.tuples(st.just(key), *[st.lists(st.sampled_from(_VALUES[key]), min_size=3, max_size=3)] * 2)
    )
)
def it_says_the_same_of_both_sides_whichever_is_the_baseline(told):
    key, lz4, off = told
    one, other = sides(lz4, off, key)
    found, turned = compare_states(one, other), compare_states(other, one)
    assert bool(found.reason) == bool(turned.reason) and len(found.doubts) == len(turned.doubts)
    classes = [{state.class_of(key, value) for value in side} for side in (lz4, off)]
    if None not in classes[0] | classes[1]:
        assert bool(found.reason or found.doubts) >= (classes[0] != classes[1]) - (key == "state.capacity")
