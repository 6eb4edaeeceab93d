"""What makes two configurations alike, and the table of what follows from an axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, is_open
from webapp.comparison.sets import core_keys

AXES = sorted(core_keys.FOLLOWING)
OPEN = "zfs.primarycache"


@pytest.mark.parametrize("row", core_keys.FOLLOWING.values(), ids=lambda row: row.axis)
def it_has_a_reason_and_names_of_dimensions_in_every_row(row):
    assert len(row.reason.split()) >= 2 and (row.names or row.settings)
    for name in (row.axis, *row.names, *row.lacking):
        assert name in DIMENSIONS and not is_open(name), name
        assert DIMENSIONS[name].source == CONFIGURATION or name in core_keys.IDENTIFIERS, name
    # The table is the place where an axis follows from itself in words only (`os` brings `os_family`): never an option.
    assert not set(row.names) & (set(core_keys.SAME_EVERYWHERE) - {row.axis})


@pytest.mark.parametrize("name", [*core_keys.CORE, *core_keys.IDENTIFIERS, *core_keys.PLACES, *core_keys.HARDWARE])
def it_knows_real_dimensions_only(name):
    assert name in DIMENSIONS


def it_lets_no_option_follow_that_means_the_same_everywhere():
    assert [(name, axis) for name in core_keys.SAME_EVERYWHERE for axis in AXES if core_keys.follows(name, axis)] == []


@pytest.mark.parametrize(
    ("name", "axis", "follows"),
    [
        ("kernel", "os", True),
        ("os_version", "os", True),
        ("fs_version", "os", True),
        ("arch", "os", True),
        (OPEN, "os", True),
        ("cpu", "os", False),
        ("memory", "os", False),
        ("fs", "os", False),
        ("fs_version", "fs", True),
        ("stack", "fs", True),
        (OPEN, "fs", True),
        ("layout", "fs", False),
        ("os", "fs", False),
        ("compression", "fs", False),
        ("cores", "cpu", True),
        ("host", "cpu", True),
        ("machine", "cpu", True),
        ("memory", "cpu", False),
        (OPEN, "cpu", False),
        ("os", "cpu", False),
        ("compression_effective", "compression", True),
        (OPEN, "compression", False),
        ("disks", "layout", True),
        ("kernel", "threads", False),
    ],
)
def it_lets_follow_what_the_table_says(name, axis, follows):
    assert core_keys.follows(name, axis) is follows


@pytest.mark.parametrize("axis", AXES)
def it_never_lets_follow_what_a_person_set(axis):
    for name in (OPEN, *core_keys.FOLLOWING[axis].names):
        assert not core_keys.follows(name, axis, {name})
    for name in (OPEN, *core_keys.FOLLOWING[axis].lacking):
        assert not core_keys.may_lack(name, [axis], {name})


def it_lets_some_file_systems_lack_what_others_can_be_set_to():
    assert core_keys.may_lack("recordsize", ["fs"]) and core_keys.may_lack("layout", ["fs"])
    assert not core_keys.may_lack("recordsize", ["os"]) and not core_keys.may_lack("compression", ["fs"])
    assert core_keys.may_lack(OPEN, ["os"]) and not core_keys.may_lack(OPEN, ["compression", "cpu"])


@given(st.lists(st.sampled_from([*AXES, "threads", "host"]), max_size=3, unique=True))
def it_has_in_a_class_all_core_keys_but_the_axes_and_what_follows_or_may_lack(axes):
    names = core_keys.class_dimensions(axes)
    free = {*axes, *core_keys.following(axes), *core_keys.lacking(axes)}
    assert set(names) | (free & set(core_keys.CORE)) == set(core_keys.CORE)
    assert not set(names) & free
    assert names == core_keys.class_dimensions(tuple(reversed(axes)))


@pytest.mark.parametrize(
    ("axes", "freed"), [(["cpu"], True), (["memory"], True), (["host"], True), (["os"], False), (["os", "cpu"], True), ([], False)]
)
def it_compares_machines_along_hardware_and_places_only(axes, freed):
    assert core_keys.frees_machine(axes) is freed


def it_compares_dimensions_of_configurations_that_are_no_axis_and_do_not_follow():
    names = ("os", "kernel", "cpu", "host", "tool", "threads", OPEN, "atime")
    assert core_keys.compared_dimensions(["os"], names) == ["cpu", "atime"]
    assert core_keys.compared_dimensions(["os"], names, {OPEN}) == ["cpu", OPEN, "atime"]
    assert core_keys.compared_dimensions(["compression"], names) == ["os", "kernel", "cpu", OPEN, "atime"]
