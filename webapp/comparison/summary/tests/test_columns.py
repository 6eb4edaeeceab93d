"""Rows by columns: the same answers as a walk over the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.summary.columns import Columns, occurring_codes, refine, renumber
from webapp.tests.rows import row

ROWS = st.lists(
    st.builds(
        lambda os, threads, metric, n: row(*[1.0] * n, os=os, threads=threads, metric=metric),
        st.sampled_from(["Debian", "FreeBSD", "~"]),
        st.sampled_from(["1", "2", "16", "~"]),
        st.sampled_from(["write.throughput", "read.throughput"]),
        st.integers(1, 3),
    ),
    max_size=20,
)


@given(ROWS, st.lists(st.sampled_from(["os", "threads", "host"]), max_size=3, unique=True))
def it_puts_rows_of_one_metric_that_agree_into_one_cell(rows, names):
    some = Columns(rows)
    cell, metric = some.cells(names)
    told = [(one.metric, *(one.texts[name] for name in names)) for one in rows]
    assert len({*zip(cell.tolist(), told, strict=True)}) == len(set(told)) == len(set(cell.tolist()))
    assert [some.dimensions.metrics[metric[at]] for at in cell] == [one.metric for one in rows]


@given(ROWS, st.data())
def it_takes_a_part_and_what_is_left(rows, data):
    some = Columns(rows)
    wanted = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    part = some.take(np.array(wanted, bool))
    assert part.rows == [one for one, keep in zip(rows, wanted, strict=True) if keep]
    assert some.without(part).rows == [one for one, keep in zip(rows, wanted, strict=True) if not keep]
    assert part.total == sum(one.n for one in part.rows)
    assert part.varying_dimensions() == {name for name in DIMENSIONS if len({one.texts[name] for one in part.rows}) > 1}
    for name in ("os", "threads"):
        assert part.texts(name) == [one.texts[name] for one in part.rows]
        assert set(part.distinct(name)) == {one.texts[name] for one in part.rows}


CODES = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**12)), max_size=12)


@given(CODES)
def it_numbers_codes_without_gaps_in_their_order(given_codes):
    codes = np.array(given_codes, np.int64)
    distinct = sorted(set(given_codes))
    assert occurring_codes(codes).tolist() == distinct
    numbers, count = renumber(codes)
    assert (numbers.tolist(), count) == ([distinct.index(code) for code in given_codes], len(distinct))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 10**15), st.integers(0, 10**15)), max_size=9))
def it_refines_codes_in_the_order_of_all_columns(told):
    """Also where the product of their numbers is no machine word."""
    lines = [np.array(line, np.int64) for line in zip(*told, strict=True)] or [np.zeros(0, np.int64)] * 4
    distinct = sorted(set(told))
    sizes = (3, 10**15 + 1, 10**15 + 1)
    assert refine(lines[0], zip(lines[1:], sizes, strict=True)).tolist() == [distinct.index(one) for one in told]
