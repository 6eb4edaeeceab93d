"""Counts of distributions are those of all points, whatever the blocks."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.curves import counting

MAX = sys.float_info.max
VALUES = st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)) | st.integers(0, 5).map(float), min_size=1, max_size=900)


def in_blocks(values, size=7):
    return lambda: (values[start : start + size] for start in range(0, len(values), size))


@given(VALUES, st.booleans())
def test_the_share_up_to_an_edge_is_that_of_the_points(values, log):
    blocks = in_blocks(values)
    edges = counting.fine_edges(counting.find_extent(blocks), log)
    counted = counting.count(blocks, edges)
    assert counted.n == len(values) and list(edges) == sorted(edges)
    for edge, share in zip(edges, counted.shares(), strict=True):
        assert share == pytest.approx(sum(value <= edge for value in values) * 100 / len(values))


@given(VALUES, st.booleans())
def test_a_histogram_has_every_point_in_its_bin(values, log):
    blocks = in_blocks(values)
    edges = counting.round_edges(counting.find_extent(blocks), log)
    counts = counting.count_bins(blocks, edges)
    assert len(edges) < 200
    assert [sum(low <= value < high for value in values) for low, high in pairwise(edges)] == counts.tolist()
    assert counts.sum() == len(values)


@given(VALUES)
def test_a_quantile_is_the_point_of_its_rank(values):
    blocks = in_blocks(values)
    counted = counting.count(blocks, counting.fine_edges(counting.find_extent(blocks), False))
    expected = [sorted(values)[math.ceil(share * len(values) - 1e-9) - 1] for share in counting.QUANTILES]
    assert counting.find_quantiles(blocks, counted) == expected


@pytest.mark.parametrize(
    ("values", "log", "factor", "edges"),
    [
        ([0, 10], False, 1, [0, 0.5, 1]),
        ([3.0], False, 1, [3, 4]),
        ([0.0], False, 1, [0, 1]),
        ([2**20, 40 * 2**20], False, 2**20, [1, 2, 3]),
        ([1e-3, 1.0], True, 1e-3, [1, 10**0.1, 10**0.2]),
        ([0, 1.0], True, 1, [0, 0.05, 0.1]),  # zero has no place on a log scale
    ],
)
def test_the_edges_of_a_histogram_are_round_numbers_of_the_unit(values, log, factor, edges):
    found = counting.round_edges(counting.find_extent(in_blocks(values)), log, factor) / factor
    assert found[: len(edges)].tolist() == pytest.approx(edges)
    assert len(found) <= 42


def test_too_many_points_of_a_bin_give_no_quantile(monkeypatch):
    monkeypatch.setattr(counting, "MAX_COLLECTED", 50)
    values = [*np.linspace(0, 1, 900).tolist(), *np.linspace(1000, 2000, 100).tolist()]
    blocks = in_blocks(values)
    counted = counting.count(blocks, counting.fine_edges(counting.find_extent(blocks), False))
    median, p99 = counting.find_quantiles(blocks, counted, (0.5, 0.99))
    assert median is None and p99 == sorted(values)[989]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("factor", [1.0, 2.0**30, 1e-9])
@pytest.mark.parametrize(
    "ends", [(1e308, MAX), (-1e308, 1e308), (-MAX, MAX), (1e-310, 1e308), (5e-324, 1.0), (0.0, 1e308), (MAX, MAX)]
)
def test_values_at_the_ends_of_what_a_number_can_be_are_counted(ends, factor, log):
    values = [*ends, ends[0] / 2 + ends[1] / 2]
    extent = counting.find_extent(lambda: [values])
    edges = counting.round_edges(extent, log, factor)
    assert np.isfinite(edges).all()
    assert counting.count_bins(lambda: [values], edges).sum() == len(values)
    assert np.isfinite(counting.fine_edges(replace(extent, distinct=None), log)).all()
