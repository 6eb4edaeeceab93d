"""The query of a figure over time: what is understood, what is named, and that it comes back as it was."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.curves.address import CurveQuery, parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("run=2&run=1&run=2", "run=2&run=1"),
        ("to=60&from=0.50&run=1", "run=1&from=0.5&to=60"),
        ("run=1&from=-3,5 s", "run=1&from=-3.5"),
        ("run=1&scale=linear&bands=&metric=", "run=1"),
        ("scale=log&bands=configuration&run=1", "run=1&bands=configuration&scale=log"),
        ("subject=a%26b&metric=m&tool=sar", "metric=m&subject=a%26b&tool=sar"),
    ],
)
def test_the_canonical_query_is_understood_without_problems(text, canonical):
    query = parse(parse_qsl(text, keep_blank_values=True))
    assert query.query == canonical
    assert query.problems == ()
    assert parse(parse_qsl(canonical)) == query


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run=x", "not the number of a run"),
        ("run=1&from=soon", "not a number of seconds"),
        ("run=1&from=nan", "not a number of seconds"),
        ("run=1&from=9&to=3", "is not before"),
        ("run=1&colour=red", "There is no parameter 'colour'"),
        ("run=1&bands=all", "There is no bands=all"),
        ("&".join(f"run={at}" for at in range(40)), "more than one figure can show"),
    ],
)
def test_what_is_not_understood_is_named(text, said):
    assert said in " ".join(parse(parse_qsl(text)).problems)


@given(st.lists(st.tuples(st.sampled_from(["run", "from", "to", "metric", "subject", "bands", "scale", "x"]), st.text())))
def test_any_query_makes_a_canonical_one(pairs):
    query = parse(pairs)
    assert isinstance(query, CurveQuery)
    assert parse(parse_qsl(query.query)).query == query.query
