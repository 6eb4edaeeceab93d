"""Which rows are drawn together: controlled sets, systems as they stand, everything; chosen without a look at values."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison import compared_set
from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.selection import parse
from webapp.comparison.sets import candidate_sets, core_keys, workloads
from webapp.comparison.sets.workloads import WORKLOAD_DIMENSIONS
from webapp.comparison.summary.columns import Columns
from webapp.figures import naming
from webapp.tests.rows import row

GIB = 2**30


class Texts(dict):
    """A configuration with open keys, `chosen` ones set by a person."""

    open: dict[str, str]
    chosen: frozenset[str]

    def __missing__(self, name: str) -> str:
        return self.open.get(name, UNKNOWN)


def with_open(base, chosen=(), **keys: str):
    """The row with open keys, whose names have `__` in the place of dots."""
    texts = Texts(base.texts.configuration)
    texts.open = {name.replace("__", "."): value for name, value in keys.items()}
    texts.chosen = frozenset(chosen)
    copy = base.copy()
    copy.texts = type(base.texts)(texts, base.texts.workload)
    return copy


def ask(query: str):
    return parse([("metric", "write.throughput"), *(tuple(part.split("=", 1)) for part in query.split("&"))])


def choose(query: str, *rows):
    return compared_set.choose_rows(ask(query), Columns(rows))


def values(chosen) -> list[float]:
    """The first value of each drawn row, which names it here."""
    return sorted(one.values[0] for one in chosen.rows.rows)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("x=compression", "controlled"),
        ("x=cpu", "controlled"),
        ("x=host", "as_they_stand"),
        ("x=machine", "as_they_stand"),
        ("x=system", "as_they_stand"),
        ("x=source", "as_they_stand"),
        ("x=compression&series=host", "controlled"),
        ("x=compression&control=off", "open"),
        ("x=host&control=off", "open"),
    ],
)
def it_looks_for_a_design_by_its_axis(query, name):
    assert compared_set.intended_design(ask(query)) == name
    assert choose(query).design == name, "also without rows"


def it_draws_nothing_of_no_rows():
    chosen = choose("x=compression")
    assert (len(chosen.rows), chosen.workload, chosen.unrecorded, chosen.of_workload) == (0, (), (), 0)


# -- classes ----------------------------------------------------------------------------------------------------------


CORE_TEXTS = st.fixed_dictionaries(
    {
        "machine": st.sampled_from(["1", "2", "~"]),
        "configuration": st.integers(1, 4).map(str),
        "os": st.sampled_from(["Debian", "FreeBSD", "~"]),
        "cpu": st.sampled_from(["Xeon", "Atom", "~"]),
        "fs": st.sampled_from(["zfs", "ext4", "~"]),
        "compression": st.sampled_from(["off", "lz4", "~"]),
    }
)
AXES = st.sampled_from([("compression",), ("os",), ("cpu",), ("fs", "compression"), ("threads",), ("memory", "os")])


def _machine(texts: dict[str, str]) -> str:
    return texts["machine"] if texts["machine"] != UNKNOWN else f"of {texts['configuration']}"


def _alike(one: dict[str, str], other: dict[str, str], axes: tuple[str, ...]) -> bool:
    """The rule, pair by pair."""
    freed = any(axis in core_keys.HARDWARE for axis in axes)
    if not freed and _machine(one) != _machine(other):
        return False
    for name in core_keys.class_dimensions(axes):
        texts = [each.get(name, UNKNOWN) for each in (one, other)]
        if texts[0] != texts[1] or (freed and texts == [UNKNOWN, UNKNOWN] and _machine(one) != _machine(other)):
            return False
    return True


@given(st.lists(CORE_TEXTS, min_size=1, max_size=7), AXES)
def it_makes_classes_by_an_equivalence(given_texts, axes):
    columns = Columns([row(1.0, **texts) for texts in given_texts])
    found = core_keys.configuration_classes(columns.dimensions, axes)[columns.indices[0]]
    for one, first in zip(found, given_texts, strict=True):
        for other, second in zip(found, given_texts, strict=True):
            assert (one == other) == _alike(first, second, axes)


def it_takes_unknown_machines_for_two():
    rows = [row(1.0, machine="~", compression=name, configuration=at) for at, name in enumerate(("off", "lz4"), 1)]
    assert len(choose("x=compression", *rows).rows) == 1
    assert len(choose("x=compression", *[row(1.0, machine=7, compression=name) for name in ("off", "lz4")]).rows) == 2


# -- what a set never mixes -------------------------------------------------------------------------------------------


TOLD = st.fixed_dictionaries(
    {
        "machine": st.sampled_from(["1", "2", "3"]),
        "os": st.sampled_from(["Debian", "FreeBSD", "~"]),
        "kernel": st.sampled_from(["5", "6", "~"]),
        "cpu": st.sampled_from(["Xeon", "Atom", "~"]),
        "fs": st.sampled_from(["zfs", "ext4"]),
        "compression": st.sampled_from(["off", "lz4", "~"]),
        "atime": st.sampled_from(["on", "off", "~"]),
        "tool": st.sampled_from(["bonnie++", "dd"]),
        "file_size": st.sampled_from(["1073741824", "2147483648"]),
        "threads": st.sampled_from(["1", "8"]),
    }
)
ROWS = st.lists(st.tuples(st.integers(1, 4), TOLD), min_size=1, max_size=14, unique_by=lambda one: tuple(sorted(one[1].items())))
QUERIES = st.sampled_from(
    [
        "x=compression",
        "x=os",
        "x=fs",
        "x=cpu",
        "x=compression&series=os",
        "x=os&series=fs",
        "x=cpu&series=compression",
        "x=compression&series=host",
        "x=threads",
        "x=compression&facet=fs",
    ]
)


def make(given_texts) -> list:
    """Rows whose first value is their number."""
    return [row(*[float(at)] * n, **texts) for at, (n, texts) in enumerate(given_texts, 1)]


@given(ROWS, QUERIES)
def it_never_mixes_workloads_core_keys_or_machines(given_texts, query):
    selection = ask(query)
    chosen = choose(query, *make(given_texts))
    drawn = chosen.rows
    assert len(drawn)
    for name in WORKLOAD_DIMENSIONS:
        if name not in selection.axes:
            assert len(drawn.distinct(name)) == 1, name
    if chosen.design == compared_set.CONTROLLED:
        for name in core_keys.class_dimensions(selection.axes):
            assert len(drawn.distinct(name)) == 1, name
        if not core_keys.frees_machine(selection.axes):
            assert len(drawn.distinct("machine")) == 1
    axes = [drawn.texts(axis) for axis in selection.axes]
    cells: dict[tuple, set] = {}
    for key, one in zip(zip(*axes, strict=True), drawn.rows, strict=True):
        kept = {name: text for name, text in one.texts.configuration.items() if name not in core_keys.IDENTIFIERS}
        cells.setdefault(key, set()).add((one.texts["machine"], tuple(kept.items())))
    assert all(len(found) == 1 for found in cells.values()), "a group has one machine and one configuration"


@given(ROWS, QUERIES)
def it_controls_each_dimension_but_those_that_follow(given_texts, query):
    """Outside of the core a known value differs from another known one only along the axis that it follows from."""
    selection = ask(query)
    chosen = choose(query, *make(given_texts))
    if chosen.design != compared_set.CONTROLLED:
        return
    for name in ("kernel", "atime"):
        axes = [axis for axis in selection.axes if core_keys.follows(name, axis)]
        known: dict[tuple, set[str]] = {}
        places = [axis for axis in (selection.series, selection.facet) if axis in core_keys.PLACES]
        for one in chosen.rows.rows:
            key = tuple(one.texts[axis] for axis in (*axes, *places))
            known.setdefault(key, set()).add(one.texts[name])
        assert all(len(found - {UNKNOWN}) <= 1 for found in known.values())
        texts = chosen.rows.distinct(name)
        assert name not in chosen.unrecorded or (not axes and len(texts) > 1)


@given(ROWS, QUERIES, st.randoms(use_true_random=False), st.floats(0.01, 100))
def it_never_looks_at_values_or_at_the_order_of_rows(given_texts, query, random, factor):
    def drawn(rows):
        chosen = compared_set.choose_rows(ask(query), Columns(rows))
        keys = {(one.configuration, one.workload) for one in chosen.rows.rows}
        return chosen.design, chosen.workload, keys, chosen.unrecorded, chosen.of_workload

    rows = make(given_texts)
    expected = drawn(rows)
    others = [random.uniform(1, 1e9) for _ in given_texts]
    assert drawn([row(*[value] * n, **texts) for value, (n, texts) in zip(others, given_texts, strict=True)]) == expected
    assert drawn([row(*[factor * at] * n, **texts) for at, (n, texts) in enumerate(given_texts, 1)]) == expected
    assert drawn(random.sample(rows, len(rows))) == expected


# -- core keys and others ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in core_keys.CORE if name != "compression"])
@pytest.mark.parametrize("other", ["2", UNKNOWN])
def it_does_not_compare_what_differs_in_a_core_key(name, other):
    """Also not where one side alone has it."""
    rows = [row(1.0, 1.0, compression="lz4", machine=1, **{name: "1"}), row(2.0, compression="off", machine=1, **{name: other})]
    assert values(choose("x=compression", *rows)) == [1.0]
    assert values(choose("x=compression&control=off", *rows)) == [1.0, 2.0]


def it_compares_where_core_keys_are_unknown_to_both():
    rows = [row(at, compression=name, machine=1) for at, name in ((1.0, "lz4"), (2.0, "off"))]
    chosen = choose("x=compression", *rows)
    assert (values(chosen), chosen.unrecorded) == ([1.0, 2.0], ())


def it_keeps_an_unknown_core_key_of_two_processors_apart():
    """Along hardware machines differ; of one without a known system nobody knows that it has the same."""
    rows = [row(1.0, cpu="Xeon", machine=1), row(2.0, cpu="Atom", machine=2)]
    assert choose("x=cpu", *rows).design == compared_set.AS_THEY_STAND
    both = {"os": "Debian", "os_family": "Linux", "os_version": "12", "disk": "D", "disks": 1, "fs": "zfs", "stack": "s"}
    both |= {"layout": "single", "compression": "off", "network": "none", "memory": GIB}
    rows = [row(1.0, cpu="Xeon", machine=1, **both), row(2.0, cpu="Atom", machine=2, **both)]
    chosen = choose("x=cpu", *rows)
    assert (chosen.design, values(chosen)) == (compared_set.CONTROLLED, [1.0, 2.0])
    rows[1] = row(2.0, cpu="Atom", machine=2, **(both | {"os": "FreeBSD"}))
    assert choose("x=cpu", *rows).design == compared_set.AS_THEY_STAND


def it_draws_one_processor_as_a_controlled_figure():
    assert choose("x=cpu", row(1.0, cpu="Xeon", machine=1)).design == compared_set.CONTROLLED


def it_keeps_the_majority_of_other_keys_and_lets_the_unknown_join():
    rows = [
        row(1.0, 1.0, 1.0, compression="lz4", machine=1, atime="on"),
        row(2.0, compression="lz4", machine=1, atime="off"),
        row(3.0, compression="off", machine=1),
        row(4.0, compression="gzip-1", machine=1, atime="off"),
    ]
    chosen = choose("x=compression", *rows)
    assert (values(chosen), chosen.unrecorded) == ([1.0, 3.0], ("atime",))
    assert chosen.design == compared_set.CONTROLLED
    chosen = choose("x=compression", rows[0], rows[3])
    assert (values(chosen), chosen.unrecorded) == ([1.0], ())


def it_counts_repetitions_for_the_majority_and_not_rows():
    rows = [
        row(*[1.0] * 5, compression="lz4", machine=1, atime="on"),
        row(2.0, compression="lz4", machine=1, atime="off"),
        row(3.0, compression="off", machine=1, atime="on"),
        row(4.0, compression="off", machine=1, atime="off"),
        row(5.0, compression="gzip-1", machine=1, atime="off"),
    ]
    assert values(choose("x=compression", *rows)) == [1.0, 3.0]


def it_never_lets_the_unknown_win():
    rows = [row(*[1.0] * 9, compression="lz4", machine=1), row(2.0, compression="off", machine=1, atime="on")]
    chosen = choose("x=compression", *rows)
    assert (values(chosen), chosen.unrecorded) == ([1.0, 2.0], ("atime",))


# -- what follows -----------------------------------------------------------------------------------------------------


def _systems():
    """Two kernels of each system, with another majority each; and a key that does not follow."""
    return [
        row(*[1.0] * 3, os="Debian", kernel="Linux 5", compression="lz4", machine=1),
        row(*[2.0] * 2, os="Debian", kernel="Linux 6", compression="lz4", machine=1),
        row(*[3.0] * 2, os="FreeBSD", kernel="13", compression="lz4", machine=1),
        row(*[4.0] * 1, os="FreeBSD", kernel="12", compression="lz4", machine=1),
    ]


def it_settles_what_follows_for_each_value_of_its_axis():
    chosen = choose("x=os", *_systems())
    assert (values(chosen), chosen.unrecorded) == ([1.0, 3.0], ())


def it_lets_nothing_follow_from_the_other_axis():
    """The kernel follows from the system, not from compression: along compression each system keeps one."""
    rows = [
        *[row(*[at] * 3, os="Debian", kernel="5", compression=name, machine=1) for at, name in ((1.0, "off"), (2.0, "lz4"))],
        row(3.0, 3.0, os="Debian", kernel="6", compression="lz4", machine=1),
        *[row(*[at] * 3, os="FreeBSD", kernel="13", compression=name, machine=1) for at, name in ((4.0, "off"), (5.0, "lz4"))],
    ]
    assert values(choose("x=compression&series=os", *rows)) == [1.0, 2.0, 4.0, 5.0]
    assert values(choose("x=os&series=compression", *rows)) == [1.0, 2.0, 4.0, 5.0]
    # In each row (one system) the kernel is one; in each column it differs, for it follows from the system.
    rows = [row(*[1.0] * 3, os="Debian", kernel="5", compression="off", machine=1), rows[2]]
    assert len(choose("x=compression&series=os", *rows).rows) == 1


def it_controls_rows_for_x_and_columns_for_series():
    """Of a grid of two axes each line and column differs in its own axis, and in what follows from it, alone."""
    rows = [
        row(*[float(at)] * 3, os=os, kernel=os, fs_version=f"{os}{fs}", fs=fs, atime=atime, machine=1)
        for at, (os, fs, atime) in enumerate(
            [("D", "zfs", "on"), ("D", "ext4", "on"), ("F", "zfs", "on"), ("F", "ext4", "on"), ("F", "ext4", "off")], 1
        )
    ]
    assert values(choose("x=os&series=fs", *rows)) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(("axis", "first", "second"), [("os", "Debian", "FreeBSD"), ("fs", "zfs", "ext4")])
def it_lets_defaults_of_open_keys_follow_but_nothing_that_a_person_set(axis, first, second):
    def rows(chosen):
        one, other = row(*[1.0] * 3, machine=1, **{axis: first}), row(2.0, machine=1, **{axis: second})
        set_by = ("zfs.primarycache",) if chosen else ()
        return with_open(one, set_by, zfs__primarycache="all"), with_open(other, set_by, zfs__primarycache="metadata")

    assert values(choose(f"x={axis}", *rows(False))) == [1.0, 2.0]
    assert values(choose(f"x={axis}", *rows(True))) == [1.0]


def it_lets_no_option_follow_that_means_the_same_everywhere():
    rows = [row(*[1.0] * 3, os="Debian", atime="on", machine=1), row(2.0, os="FreeBSD", atime="off", machine=1)]
    assert values(choose("x=os", *rows)) == [1.0]


OPTION_KEYS = {"kernel", "fs_version", "atime", "sync", "compression", "os", "fs"}


def option_rows(axis: str, *sides: str):
    """A row for each side, `ext4 mount.barrier=off`: the value of the axis and what is recorded of it."""
    rows = []
    for at, side in enumerate(sides, 1):
        value, *words = side.split()
        told = {"kernel": "6.1.0", "machine": "1"} | dict(word.split("=", 1) for word in words) | {axis: value}
        known = {name: text for name, text in told.items() if name in OPTION_KEYS or name == "machine"}
        others = {name.replace(".", "__"): text for name, text in told.items() if name not in known}
        rows.append(with_open(row(*[float(at)] * 3, **known), **others))
    return rows


@pytest.mark.parametrize(
    ("axis", "sides", "is_equal"),
    [
        # set on one side, and not on the other
        ("fs", "ext4 mount.barrier=off|xfs", False),
        ("fs", "ext4|xfs mount.barrier=off", False),
        ("fs", "ext4 mount.barrier=off|zfs", False),
        ("fs", "ext4 mount.barrier=off|xfs mount.barrier=off", True),
        ("fs", "ext4 mount.barrier=on|xfs", True),
        ("fs", "ext4 mount.barrier=on|reiserfs", True),  # each its own, whatever that is
        ("fs", "ext4|zfs module.zfs.zfs_nocacheflush=1", False),
        ("fs", "ext4|zfs module.zfs.zfs_nocacheflush=0", True),
        ("fs", "ext4|f2fs mount.fsync_mode=nobarrier", False),
        ("fs", "ext4 mount.sync=on|xfs", False),
        ("fs", "ext4 mount.data=journal|xfs", False),
        ("fs", "ext4 mount.data=ordered|xfs", True),
        ("fs", "ext4 mount.delalloc=off|btrfs", False),
        ("fs", "ext4 ext4.has_journal=off|xfs", False),
        ("fs", "ext4|btrfs mount.datacow=off", False),
        ("fs", "ext4|btrfs mount.lazytime=on", False),
        ("fs", "ext4 mount.usrquota=on|xfs", False),
        ("fs", "ext4|xfs mount.quota=off", True),
        ("fs", "ext4|zfs sync=disabled", False),
        ("fs", "ext4|zfs sync=standard", True),
        ("fs", "ext4 atime=off|xfs", False),
        ("fs", "ext4 atime=off|xfs atime=off", True),
        ("fs", "ext4 atime=off|zfs atime=on", False),
        ("fs", "ext4 atime=off|zfs atime=off", True),
        ("fs", "ext4 mount.discard=on|xfs", False),
        ("fs", "ext4|zfs zpool.autotrim=on", False),
        # a default of the file system
        ("fs", "ext4 atime=relatime|zfs atime=on", True),
        ("fs", "ext4 atime=relatime|zfs", True),
        ("fs", "ext4 kernel=6.6.1 atime=relatime|btrfs kernel=6.6.1 atime=relatime mount.discard=async", True),
        ("fs", "ext4 kernel=6.6.1|btrfs kernel=6.6.1 mount.discard=async", True),
        ("fs", "ext4|btrfs mount.discard=async", False),  # Linux 6.1 has another
        ("fs", "ext4 kernel=6.6.1|btrfs kernel=6.6.1 mount.discard=off", True),
        ("fs", "ext4 kernel=6.6.1 mount.discard=on|btrfs kernel=6.6.1 mount.discard=async", False),
        ("fs", "xfs|f2fs mount.discard=on", True),
        ("fs", "ext4 compression=off|zfs fs_version=2.2.2 compression=on", True),
        ("fs", "ext4 compression=off|zfs fs_version=2.1.5 compression=on", False),
        ("fs", "ext4 compression=off|zfs compression=on", False),
        ("fs", "ext4 compression=off|zfs fs_version=2.3.0 compression=lz4", False),
        ("fs", "ext4 compression=off|zfs fs_version=2.3.0 compression=off", True),
        ("fs", "ext4 compression=off|zfs fs_version=2.2.2", False),
        ("fs", "btrfs compression=zstd-3|zfs fs_version=2.2.2 compression=on", False),
        ("fs_version", "2.1.5 fs=zfs compression=off|2.2.2 fs=zfs compression=on", True),
        ("kernel", "6.1.0 fs=btrfs|6.6.1 fs=btrfs mount.discard=async", True),
        ("kernel", "6.1.0 fs=ext4|6.6.1 fs=ext4 mount.barrier=off", False),
        ("os", "Debian fs=zfs fs_version=2.1.5 compression=off|FreeBSD fs=zfs fs_version=2.2.2 compression=on", False),
        ("os", "Debian fs=zfs atime=off|FreeBSD fs=zfs", False),
        # nothing follows from compression
        ("compression", "off fs=btrfs atime=relatime mount.barrier=off|zstd-3 fs=btrfs atime=relatime", False),
        ("compression", "off fs=btrfs atime=relatime|zstd-3 fs=btrfs", True),
    ],
)
def it_compares_where_options_that_mean_the_same_everywhere_are_equal_or_defaults(axis, sides, is_equal):
    rows = option_rows(axis, *sides.split("|"))
    for some in (rows, rows[::-1]):
        chosen = choose(f"x={axis}", *some)
        assert (len(chosen.rows), chosen.unrecorded) == (2 if is_equal else 1, ())


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ("ext4|xfs", []),
        ("ext4 atime=relatime|xfs atime=relatime", []),
        ("ext4 mount.barrier=off|xfs mount.barrier=off", []),
        ("ext4 atime=relatime|zfs atime=on", ["atime by default: on (zfs), relatime (ext4)"]),
        ("ext4 kernel=6.6.1|btrfs kernel=6.6.1 mount.discard=async", ["discard by default: async (btrfs), off (ext4)"]),
        ("ext4 compression=off|zfs fs_version=2.3.0 compression=on", ["compression by default: off (ext4), on (zfs)"]),
    ],
)
def it_says_which_defaults_differ(sides, words):
    assert workloads.default_words(ask("x=fs"), choose("x=fs", *option_rows("fs", *sides.split("|"))).rows) == words


def it_draws_the_side_without_the_option_where_both_were_run():
    rows = option_rows("fs", "ext4 mount.barrier=off", "ext4", "xfs")
    rows[0] = with_open(row(*[1.0] * 9, fs="ext4", kernel="6.1.0", machine=1), mount__barrier="off")
    assert values(choose("x=fs", *rows)) == [2.0, 3.0]


@given(
    st.sampled_from(sorted(core_keys.SAME_EVERYWHERE.keys() - core_keys.CORE)), st.sampled_from(["zfs", "btrfs", "ext4", "f2fs"])
)
def it_draws_and_names_the_same_where_a_default_is_recorded(option, fs):
    default = core_keys.own_default(option, fs, "6.6.1" if fs != "zfs" else UNKNOWN)
    plain = option_rows("fs", f"{fs} kernel=6.6.1", "xfs kernel=6.6.1")
    more = option_rows("fs", f"{fs} kernel=6.6.1 {option}={default}", "xfs kernel=6.6.1")
    before, after = choose("x=fs", *plain), choose("x=fs", *more)
    assert (values(after), after.unrecorded) == (values(before), before.unrecorded) == ([1.0, 2.0], ())


def it_names_an_option_that_one_side_set_and_the_other_may_have():
    chosen = choose("x=compression", *option_rows("compression", "off fs=btrfs mount.barrier=off", "zstd-3 fs=btrfs"))
    assert (values(chosen), chosen.unrecorded) == ([1.0, 2.0], ("mount.barrier",))


def it_names_what_one_side_alone_recorded_but_not_what_a_file_system_lacks():
    rows = [row(1.0, fs="zfs", recordsize=4096, sync="standard", machine=1), row(2.0, fs="ext4", machine=1)]
    assert choose("x=fs", *rows).unrecorded == ()
    rows = [row(1.0, compression="off", recordsize=4096, machine=1), row(2.0, compression="lz4", machine=1)]
    assert choose("x=compression", *rows).unrecorded == ("recordsize",)
    rows = [with_open(row(1.0, compression="off", machine=1), zfs__logbias="latency"), row(2.0, compression="lz4", machine=1)]
    assert choose("x=compression", *rows).unrecorded == ("zfs.logbias",)


def it_takes_layouts_for_a_difference_where_both_file_systems_have_one():
    rows = [row(*[1.0] * 3, fs="zfs", layout="mirror", machine=1), row(2.0, fs="btrfs", layout="stripe", machine=1)]
    assert values(choose("x=fs", *rows)) == [1.0]


@given(
    st.lists(st.sampled_from(["off", "lz4", "gzip-1"]), min_size=2, max_size=3, unique=True),
    st.sets(st.integers(0, 2)),
    st.sampled_from(["atime", "recordsize", "sync", "ashift"]),
)
def it_draws_no_less_where_one_more_key_is_recorded(names, recorded, key):
    """A further key with one value makes no figure less controlled, whoever recorded it; it is named where some did not."""
    plain = [row(float(at), compression=name, machine=1) for at, name in enumerate(names)]
    more = [row(float(at), compression=name, machine=1, **({key: "1"} if at in recorded else {})) for at, name in enumerate(names)]
    before, after = choose("x=compression", *plain), choose("x=compression", *more)
    assert (after.design, values(after), after.workload) == (before.design, values(before), before.workload)
    some = 0 < len(recorded & set(range(len(names)))) < len(names)
    assert after.unrecorded == ((key,) if some else ())


# -- places -----------------------------------------------------------------------------------------------------------


def it_puts_whole_systems_beside_each_other():
    rows = [
        row(1.0, host="a", os="Debian", machine=1, file_size=GIB),
        row(2.0, host="b", os="FreeBSD", machine=2, file_size=GIB),
        row(3.0, host="b", os="FreeBSD", machine=2, file_size=2 * GIB),
    ]
    chosen = choose("x=host", *rows)
    assert (chosen.design, values(chosen), chosen.unrecorded) == (compared_set.AS_THEY_STAND, [1.0, 2.0], ())


def it_draws_one_machine_and_configuration_for_each_system():
    rows = [
        row(1.0, source="a", machine=1, os="Debian"),
        row(2.0, 2.0, source="a", machine=2, os="Debian"),
        row(3.0, source="b", machine=3, os="Debian"),
        row(4.0, 4.0, source="b", machine=3, os="FreeBSD"),
    ]
    assert values(choose("x=source", *rows)) == [2.0, 4.0]


def it_draws_a_controlled_class_of_each_place_beside_x():
    rows = [
        *[row(at, compression=name, machine=1, os="Debian", source="a") for at, name in ((1.0, "off"), (2.0, "lz4"))],
        *[row(at, compression=name, machine=2, os="FreeBSD", source="b") for at, name in ((3.0, "off"), (4.0, "lz4"))],
        row(5.0, 5.0, 5.0, compression="off", machine=3, os="FreeBSD", source="b"),
    ]
    chosen = choose("x=compression&series=source", *rows)
    assert (chosen.design, values(chosen)) == (compared_set.CONTROLLED, [1.0, 2.0, 3.0, 4.0])


@given(ROWS, QUERIES, st.randoms(use_true_random=False))
def it_draws_the_same_whatever_was_read_first(given_texts, query, order):
    rows = make(given_texts)
    drawn = values(choose(query, *rows))
    order.shuffle(rows)
    assert values(choose(query, *rows)) == drawn


@pytest.mark.parametrize("first", ["one", "two"])
def it_prefers_known_sizes_whatever_the_number_of_the_archive(first):
    """`apart` has the digest of an archive's number: which of them is the lower one is chance."""
    for number in "0123456789abcdef":
        rows = [
            *[row(at, fs=name, apart=f"{number}{first}") for at, name in ((1.0, "ext4"), (2.0, "xfs"))],
            *[row(at, fs=name, file_size=str(GIB)) for at, name in ((3.0, "ext4"), (4.0, "xfs"))],
        ]
        assert values(choose("x=fs", *rows)) == [3.0, 4.0]


@given(ROWS, QUERIES)
def it_finds_the_best_set_without_settling_every_candidate(given_texts, query):
    """The limit of a set bounds what is left of it, so that leaving out those below the best one changes nothing."""
    selection, rows = ask(query), Columns(make(given_texts))
    for name in (compared_set.CONTROLLED, compared_set.AS_THEY_STAND):
        sets, by_class = compared_set.sets_of(selection, rows, name), name == compared_set.CONTROLLED
        ranks = []
        for index, limit in candidate_sets.most_promising(selection, rows, sets):
            of_set = rows.take(sets.codes == index)
            drawn, _ = candidate_sets.settle(
                selection, candidate_sets.one_class_per_place(selection, of_set) if by_class else of_set, by_class
            )
            ranks.append((candidate_sets.rank_of(selection, drawn), index))
            assert ranks[-1][0] <= limit
        best = max(rank for rank, _ in ranks)
        first = next(index for rank, index in ranks if rank == best)
        assert compared_set.best_settled(selection, rows, sets, by_class)[0] == first


@given(ROWS, st.sampled_from(["compression", "os", "fs", "cpu", "host", "kernel"]))
def it_says_that_nothing_can_be_compared_only_where_nothing_is_drawn(given_texts, axis):
    selection, rows = ask(f"x={axis}"), Columns(make(given_texts))
    assert compared_set.may_compare(selection, rows) or len(compared_set.choose_rows(selection, rows).rows.known(axis)) < 2


def it_tells_an_axis_from_the_same_series():
    """What was found along an axis is cached with the rows, and is no answer for the series of that name."""
    rows = Columns([*axis_values(["off", "lz4"], 3, machine=1, host="a"), *axis_values(["off"], 3, machine=2, host="b")])
    assert compared_set.choose_rows(ask("x=host"), rows).design == compared_set.AS_THEY_STAND
    assert compared_set.choose_rows(ask("series=host"), rows).design == compared_set.CONTROLLED


# -- which set --------------------------------------------------------------------------------------------------------


def axis_values(names, n: int, **given_texts) -> list:
    return [row(*[float(n)] * n, compression=name, **given_texts) for name in names]


MANY = [f"zstd-{at}" for at in range(1, 12)]


@pytest.mark.parametrize(
    ("better", "other"),
    [
        (axis_values(["off", "lz4"], 1, machine=1), axis_values(["off"], 9, machine=2)),  # two values
        (axis_values(["off", "lz4"], 3, machine=1), axis_values(["off", "lz4", "gzip-1"], 2, machine=2)),  # repeated ones
        (axis_values(["off", "lz4", "gzip-1"], 1, machine=1), axis_values(["off", "lz4"], 2, machine=2)),  # more values
        (axis_values(["off", "lz4"], 4, machine=1), axis_values(["off", "lz4"], 3, machine=2)),  # more repetitions
        (axis_values(["off", "lz4"], 3, machine=1, os="a"), axis_values(["off", "lz4"], 3, machine=2)),  # more known
        (axis_values(MANY[:8], 5, machine=1), axis_values(MANY, 3, machine=2)),  # at most eight values count
    ],
)
def it_draws_the_set_that_answers_most(better, other):
    for rows in ([*better, *other], [*other, *better]):
        assert choose("x=compression", *rows).rows.distinct("machine") == ["1"]


def on_machines(count: int, *sides: str, hosts=("ada", "bob", "cyd", "dot", "eve"), **given_texts) -> list:
    return [
        one
        for at, host in enumerate(hosts[:count], 1)
        for one in axis_values(sides or ("off", "lz4"), 3, machine=at, host=host, **given_texts)
    ]


@pytest.mark.parametrize(
    ("query", "rows", "series"),
    [
        ("x=compression", on_machines(5), "host"),
        ("metric=write.throughput", on_machines(4), "host"),
        ("x=compression&facet=threads", on_machines(4, threads=1) + on_machines(4, threads=2), "host"),
        ("x=compression&baseline=lz4", on_machines(4), "host"),
        ("x=compression", on_machines(4, hosts=(UNKNOWN,) * 4), "machine"),
        ("x=compression", on_machines(4, hosts=("localhost", "vm", "debian", "nas")), "machine"),
        ("x=compression", on_machines(4, hosts=("nas", "nas", "a", "b")), "machine"),
        ("x=compression", on_machines(3), ""),
        ("x=compression", on_machines(3) + on_machines(5, "off")[3:], ""),
        ("x=compression&baseline=off", on_machines(4, "lz4", "zle") + on_machines(3, "off"), ""),
        ("x=compression", on_machines(2, threads=1) + on_machines(4, threads=2)[4:], ""),
        ("x=compression&control=off", on_machines(5), ""),
        ("x=compression&series=threads", on_machines(5, threads=1), "threads"),
        ("x=compression&facet=host", on_machines(5), ""),
        ("x=cpu", on_machines(5), ""),
        ("x=compression", on_machines(30, hosts=tuple(f"n{at}" for at in range(30))), ""),
    ],
)
def it_draws_four_machines_or_more_that_hold_both_sides(query, rows, series):
    assert compared_set.choose_axes(ask(query), Columns(rows)).series == series


def it_prefers_the_completest_grid():
    grid = [row(1.0, compression=name, threads=n, machine=1) for name in ("off", "lz4") for n in (1, 2)]
    holes = [row(*[2.0] * 2, compression=name, threads=n, machine=2) for name, n in (("off", 1), ("lz4", 2), ("lz4", 4))]
    assert choose("x=compression&series=threads", *holes, *grid).rows.distinct("machine") == ["1"]


def it_decides_between_equal_sets_by_their_hash():
    rows = [one for at in ("a", "b", "c") for one in axis_values(["off", "lz4"], 3, machine=1, os=at)]
    drawn = {tuple(choose("x=compression", *random.Random(at).sample(rows, 6)).rows.distinct("os")) for at in range(6)}
    assert len(drawn) == 1


def it_counts_values_from_three_repetitions_on_as_repeated():
    sets = candidate_sets.find_sets(
        ask("x=compression"), Columns([*axis_values(["off"], 3, machine=1), *axis_values(["lz4"], 2, machine=1)]), (), True
    )
    assert (sets.values.tolist(), sets.repeated.tolist(), sets.n.tolist(), len(sets)) == ([2], [1], [5], 1)


def it_leaves_out_an_unknown_value_of_x_unless_there_is_no_other():
    rows = [row(1.0, compression="lz4", machine=1), row(2.0, machine=1)]
    assert values(choose("x=compression", *rows)) == [1.0]
    assert values(choose("x=compression", rows[1])) == [2.0]


def it_ranks_what_a_set_draws_and_not_what_it_has():
    """The larger set falls apart when its keys are settled."""
    torn = [row(*[1.0] * 4, compression=name, atime=atime, machine=1) for name, atime in (("off", "on"), ("lz4", "off"))]
    whole = axis_values(["off", "lz4"], 3, machine=2, atime="on")
    assert choose("x=compression", *torn, *whole).rows.distinct("machine") == ["2"]


def it_counts_the_values_of_the_workload_and_what_is_alike():
    rows = [
        *axis_values(["off", "lz4"], 3, machine=1, file_size=GIB),
        *axis_values(["gzip-1"], 2, machine=1, file_size=2 * GIB),
        *axis_values(["off"], 2, machine=2, file_size=GIB),
    ]
    chosen = choose("x=compression", *rows)
    assert (chosen.of_workload, chosen.rows.total) == (8, 6)
    assert chosen.alike is not None
    assert (chosen.alike.distinct("machine"), chosen.alike.total) == (["1"], 8)
    assert dict(chosen.workload)["file_size"] == str(GIB)


def it_draws_every_run_of_one_workload_without_control():
    rows = [
        row(1.0, os="a", machine=1, atime="on"),
        row(2.0, os="b", machine=2),
        row(3.0, os="b", machine=2, atime="off"),
        row(4.0, os="b", machine=2, tool="dd"),
    ]
    chosen = choose("x=os&control=off", *rows)
    assert (chosen.design, values(chosen), chosen.of_workload, chosen.unrecorded) == ("open", [1.0, 2.0, 3.0], 3, ())


# -- what is judged ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "design", "judged"),
    [
        ("x=compression", "controlled", True),
        ("x=host", "as_they_stand", True),
        ("x=zfs.logbias", "controlled", True),
        ("x=compression", "open", False),
        ("x=threads", "controlled", False),
        ("x=tool", "controlled", False),
        ("x=compression&kind=lines", "controlled", False),
        ("x=compression&kind=heat", "controlled", False),
        ("x=compression&kind=scatter", "controlled", False),
        ("x=compression&kind=ratio", "controlled", True),
        ("series=os", "controlled", False),
    ],
)
def it_judges_configurations_and_systems_without_being_asked(query, design, judged):
    assert compared_set.is_judged(ask(query), design) is judged


def it_tells_populations_by_machine_and_every_description_but_by_no_name():
    rows = [
        row(1.0, machine=1, host="a", os="D"),
        row(2.0, machine=1, host="b", os="D"),
        row(3.0, machine=2, host="a", os="D"),
        row(4.0, machine=1, host="a", os="F"),
    ]
    columns = Columns(rows)
    found = core_keys.populations(columns)
    assert found[0] == found[1] and len(np.unique(found)) == 3


def it_takes_names_that_many_machines_have_for_no_hosts():
    def on(host: str, machine: int):
        return row(1.0, 2.0, 3.0, host=host, machine=machine, file_size=1)

    selection = parse([("metric", "write.throughput"), ("x", "host")])
    rows = Columns([on("alpha", 1), on("beta", 2), on("vm", 3), on("localhost", 4)])
    assert compared_set.choose_rows(selection, rows).rows.distinct("host") == ["alpha", "beta"]
    drawn = naming.x_label(selection, "alpha"), naming.x_label(selection, "localhost"), naming.x_label(selection, "~")
    assert drawn == ("alpha", "unknown (localhost)", "unknown")
