"""Which workload a comparison draws where the reader names none."""

from __future__ import annotations

import numpy as np
import pytest

from webapp.comparison.selection import Selection
from webapp.comparison.sets.workloads import WorkloadKeys, describe_differences, version_range
from webapp.comparison.summary.columns import Columns
from webapp.tests.compared import compare_rows
from webapp.tests.rows import row

FSS = ("btrfs", "ext4", "xfs", "zfs")


def kinds(*rows) -> set[str]:
    """The kinds of numbers that are drawn per file system."""
    made = compare_rows("metric=write.throughput&x=fs", rows)
    return {one.texts["aggregate"] for one in made.chosen.rows.rows}


def of(kind: str, fss=FSS, n: int = 1) -> list:
    return [row(*[5.0] * n, tool="fio", aggregate=kind, fs=fs) for fs in fss]


@pytest.mark.parametrize(
    ("rather", "than"),
    [
        ("mean", "stddev"),
        ("mean", "max"),
        ("mean", "p99"),
        ("mean", "median"),
        ("mean", "p50"),
        ("median", "p50"),
        ("sample", "mean"),
        ("p50", "p99.9"),
        ("p99", "min"),
        ("max", "stddev"),
    ],
)
def it_draws_an_ordinary_kind_of_number_first(rather, than):
    assert kinds(*of(rather), *of(than)) == {rather}
    assert kinds(*of(than), *of(rather)) == {rather}


def it_draws_a_spread_only_where_there_is_nothing_else_or_it_is_asked_for():
    assert kinds(*of("stddev")) == {"stddev"}
    assert kinds(*of("mean", FSS[:2]), *of("stddev")) == {"mean"}


def it_draws_the_ordinary_kind_that_fills_most_groups():
    assert kinds(*of("sample", FSS[:1], n=50), *of("mean")) == {"mean"}
    assert kinds(*of("mean", FSS[:1]), *of("sample")) == {"sample"}


@pytest.mark.parametrize(
    ("tool", "one", "other", "alike"),
    [
        ("bonnie++", "1.97", "2.00a", True),
        ("bonnie++", "1.03e", "1.97", False),
        ("iozone", "3.405", "3.491", True),
        ("ior", "2.10.3", "3.0.1", False),
        ("ior", "3.3.0", "4.0.0", True),
        ("fio", "2.1", "3.1", False),
        ("fdtree", "1.0.1", "1.0.2", False),
        ("rsync", "~", "3.1", False),
    ],
)
def it_knows_which_versions_print_the_same_numbers(tool, one, other, alike):
    assert (version_range(tool, one) == version_range(tool, other)) == alike


@pytest.mark.parametrize(
    ("metric", "one", "other", "options", "together"),
    [
        ("random_read.latency", "2.0.8", "2.21", {}, True),
        ("random_read.latency", "3.1", "3.33", {}, True),
        ("random_read.latency", "3.11", "3.33", {"fio.ramp_time": "5s"}, False),
        ("random_read.throughput", "3.11", "3.33", {"fio.ramp_time": "5s"}, True),
        ("random_read.throughput", "3.25", "3.33", {"fio.openfiles": "100"}, False),
        ("random_read.throughput", "3.26", "3.33", {"fio.openfiles": "100"}, True),
        ("random_read.throughput", "3.25", "3.33", {}, True),
    ],
)
def it_keeps_versions_apart_between_which_the_numbers_changed_their_meaning(metric, one, other, options, together):
    rows = [row(1.0, metric=metric, tool="fio", tool_version=version) for version in (one, other)]
    for made in rows:
        made.texts.workload.update(options)
    keys = WorkloadKeys(Selection(), Columns(rows))
    assert (len(set(keys.codes.tolist())) == 1) == together


@pytest.mark.parametrize(
    ("metric", "tool", "drawn", "other", "words"),
    [
        ("seek.rate", "bonnie++", "1.97", "1.03e", "version 1.03e (before 1.90: three processes seek, later five)"),
        ("seek.rate", "bonnie++", "1.03e", "1.97", "version 1.97 (before 1.90: three processes seek, later five)"),
        ("read.throughput", "bonnie++", "1.97", "1.03e", "version 1.03e"),
        ("write.throughput", "iozone", "3.489", "3.217", "version 3.217 (before 3.251: the data have the pattern 0xA5"),
    ],
)
def it_says_what_changed_between_versions(metric, tool, drawn, other, words):
    rows = Columns([row(1.0, metric=metric, tool=tool, tool_version=version) for version in (drawn, other)])
    keys = WorkloadKeys(Selection(), rows)
    of_drawn, of_other = (keys.keys[code] for code in keys.codes)
    said, is_other = describe_differences(of_other, of_drawn, rows.take(np.array([False, True])))
    assert said.startswith(words) and is_other
