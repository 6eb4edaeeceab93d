"""The query string of the comparison page."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.catalogue import METRICS
from ingest.keys import KEYS, PARAMS
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.selection import CHOICES, Links, Selection, filter_query, parse, passes_filter, query_pairs, query_string

KEYS_OF_THE_PAGE = [
    "metric",
    "x",
    "series",
    "facet",
    "baseline",
    "stat",
    "normalise",
    "scale",
    "unit",
    "hold",
    "pool",
    "archive",
    "study",
    "overlay",
    "price",
    "q",
    *DIMENSIONS,
]
WORDS = [
    "lz4",
    "~",
    "8GiB..64GiB",
    "..4",
    "2..",
    "..",
    "mean",
    "median",
    "log",
    "MB",
    "compression",
    "metric",
    "7",
    "²",
    "a+b c&d=é",
    "write.throughput",
    "seek.rate",
    "disk",
    "tool_version",
]
PAIRS = st.lists(
    st.tuples(st.sampled_from(KEYS_OF_THE_PAGE) | st.text(min_size=1, max_size=5), st.sampled_from(WORDS) | st.text(max_size=6)),
    max_size=8,
)


@given(PAIRS)
@example([("stat", "median"), ("stat", "mean")])
@example([("x", "nonsense"), ("x", "os")])
def it_reads_what_it_writes(pairs):
    selection = parse(pairs)
    assert parse(query_pairs(selection)) == selection
    assert parse(parse_qsl(query_string(selection), keep_blank_values=True)) == selection


@given(PAIRS)
def it_leaves_nothing_in_an_address_that_a_page_would_have_to_escape_but_the_ampersand(pairs):
    written = query_string(parse(pairs))
    assert html.escape(written) == written.replace("&", "&amp;")


@given(PAIRS, st.dictionaries(st.sampled_from(sorted(DIMENSIONS)), st.sampled_from(WORDS[:6]), max_size=3))
def it_writes_links_with_some_filters_changed_as_the_whole_query(pairs, values):
    selection = parse(pairs)
    changed = query_string(selection.narrowed({name: [value] for name, value in values.items()}))
    assert Links(selection).with_filters(values) == Links(selection).with_filters(values, filter_query(values)) == changed


@given(PAIRS)
def it_drops_no_value(pairs):
    """Whatever is in the address is in the selection, but what is empty or said twice."""
    written = query_pairs(parse(pairs))
    for key, value in pairs:
        usual = Selection()
        if value and not (hasattr(usual, key) and getattr(usual, key) == value) and key not in ("archive", "overlay", "q"):
            assert (key, value) in written


@given(PAIRS, st.randoms())
def it_has_one_address_for_one_choice(pairs, random):
    known = [(key, value) for key, value in pairs if key in DIMENSIONS]
    shuffled = random.sample(known, len(known))
    assert query_string(parse(known + [("x", "os")])).split("&")[0] == "x=os"
    assert parse(known).filters == parse(shuffled).filters


def it_knows_every_key_and_every_parameter():
    for name in [key.query for key in KEYS.values() if key.query] + list(PARAMS) + ["tool", "tool_version"]:
        assert parse([(name, "~")]).values(name) == ("~",)
    for metric in METRICS:
        assert parse([("metric", metric)]).metrics == (metric,)


def it_writes_short_readable_addresses():
    pairs = [
        ("memory", "8GiB..64GiB"),
        ("compression", "off"),
        ("compression", "lz4"),
        ("x", "compression"),
        ("metric", "write.throughput"),
        ("stat", "median"),
        ("os", "Debian GNU/Linux"),
    ]
    assert query_string(parse(pairs)) == (
        "metric=write.throughput&x=compression&stat=median&os=Debian+GNU/Linux&memory=8GiB..64GiB&compression=lz4&compression=off"
    )


@pytest.mark.parametrize(
    "pair",
    [
        ("metric", "write.nonsense"),
        ("x", "nothing"),
        ("memory", "much"),
        ("memory", ".."),
        ("stat", "mode"),
        ("archive", "x"),
        ("archive", "²"),
        ("hold", "nothing"),
        ("pool", "tool"),
        ("pool", "part"),
        ("colour", "red"),
        ("normalise", "moon"),
        ("price", "free:0"),
        ("price", "5"),
        ("price", "Xeon:much"),
        ("q", "x" * 201),
        ("overlay", "mine"),
    ],
)
def it_keeps_what_it_does_not_understand(pair):
    selection = parse([pair])
    assert selection.strange == (pair,)
    assert query_pairs(selection) == [pair]


def it_keeps_search_overlay_and_prices_in_the_address():
    pairs = [("overlay", "7"), ("q", " freebsd  lz4 "), ("price", "Xeon:400"), ("overlay", "3"), ("x", "cpu")]
    assert query_string(parse(pairs)) == "x=cpu&price=Xeon:400&q=freebsd+lz4&overlay=3&overlay=7"


@pytest.mark.parametrize(
    ("dimension", "wanted", "text", "passes"),
    [
        ("memory", "8GiB..64GiB", str(16 * 2**30), True),
        ("memory", "8GiB..64GiB", str(4 * 2**30), False),
        ("memory", "8GiB..64GiB", "~", False),
        ("memory", "8GiB..", str(2**40), True),
        ("memory", "..8GiB", str(8 * 2**30), True),
        ("memory", "8G", str(8 * 2**30), True),
        ("memory", "8GB", str(8 * 10**9), True),
        ("memory", "~", "~", True),
        ("memory", "~", "8", False),
        ("threads", "2..8", "16", False),
        ("compression", "lz4", "lz4", True),
        ("compression", "lz4", "lz4hc", False),
        ("compression", "a..b", "a..b", True),
    ],
)
def it_filters_by_value_and_range(dimension, wanted, text, passes):
    assert passes_filter(Selection().having(dimension, [wanted]), dimension, text) is passes


def it_passes_either_of_two_values_and_everything_without_a_filter():
    selection = parse([("compression", "off"), ("compression", "lz4")])
    assert [passes_filter(selection, "compression", text) for text in ("off", "lz4", "zle")] == [True, True, False]
    assert passes_filter(selection, "os", "anything")


def it_writes_every_key_down():
    """docs/addresses.md names every key and every choice of the grammar."""
    told = (Path(__file__).resolve().parents[3] / "docs" / "addresses.md").read_text()
    for name in (*KEYS_OF_THE_PAGE, *DIMENSIONS, *(choice for some in CHOICES.values() for choice in some)):
        assert f"`{name}`" in told, name


@pytest.mark.parametrize(
    "query",
    [
        "",
        "metric=write.throughput&x=os",
        "metric=write.throughput&x=os&os=Debian&os=FreeBSD&compression=lz4&q=a&archive=3",
        "metric=write.throughput&price=a:3&compression=lz4&study=one&overlay=4&strange=1",
    ],
)
@pytest.mark.parametrize(("name", "value"), [("os", "Debian 12"), ("compression", "~"), ("threads", "4"), ("tool", "bonnie++")])
def it_writes_links_with_one_filter_changed_as_the_whole_query(query, name, value):
    selection = parse(parse_qsl(query))
    assert Links(selection).with_filters({name: value}) == query_string(selection.having(name, [value]))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "metric=write.throughput&x=os&facet=tool&hold=cpu&os=FreeBSD&baseline=facet%3D-&facet=-&hold=-",
        "metric=write.throughput&price=a:3&hold=-&facet=-",
    ],
)
def it_writes_links_with_another_facet_or_held_equal_as_the_whole_query(query):
    selection = parse(parse_qsl(query))
    assert Links(selection).with_facet("cpu") == query_string(selection.changed(facet="cpu"))
    assert Links(selection).with_hold(("os", "cpu")) == query_string(selection.changed(hold=("os", "cpu")))
