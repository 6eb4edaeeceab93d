"""Which workload a comparison draws where the reader names none."""

from __future__ import annotations

import pytest

from webapp.comparison import designs
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

FSS = ("btrfs", "ext4", "xfs", "zfs")


def kinds(*rows) -> set[str]:
    """The kinds of numbers that are drawn per file system."""
    drawn = designs.choose_rows(parse([("metric", "write.throughput"), ("x", "fs")]), Columns(rows))
    return {one.texts["aggregate"] for one in drawn.rows.rows}


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
    assert kinds(*of(rather), *of(than, n=9)) == {rather}
    assert kinds(*of(than), *of(rather)) == {rather}


def it_draws_a_spread_only_where_there_is_nothing_else_or_it_is_asked_for():
    assert kinds(*of("stddev")) == {"stddev"}
    assert kinds(*of("mean", FSS[:2]), *of("stddev")) == {"mean"}


def it_draws_the_more_typical_kind_whatever_it_fills():
    assert kinds(*of("sample", FSS[:1]), *of("mean", n=50)) == {"sample"}
    assert kinds(*of("mean", FSS[:1]), *of("sample")) == {"sample"}
