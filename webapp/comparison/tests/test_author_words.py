"""Order, names and hidden values by the author: any words keep every group, and no two values of a figure get one name."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison.comparison import arrange
from webapp.comparison.dimensions import comparable, parse_label
from webapp.comparison.model import Group, Panel
from webapp.comparison.selection import Selection, parse, query_string
from webapp.figures import author_notes, naming

XS, SERIES = ["off", "lz4", "gzip-6", "a:b", "c\\:d"], ["Linux", "FreeBSD", "~"]
LEVELS = st.sampled_from([("compression", x) for x in XS] + [("os", name) for name in SERIES] + [("cpu", "x")])
NAMES = st.sampled_from(["off", "OFF", "fast", "f\u00e4st: yes", "LZ 4", "Linux"]) | st.text(max_size=70)


def written(key: str, level: tuple[str, str], name: str = "") -> tuple[str, str]:
    dimension, value = level
    return (key, f"{dimension}:{value}") if key != "label" else (key, f"{dimension}:{value.replace(':', chr(92) + ':')}:{name}")


PAIRS = st.lists(
    st.builds(written, st.sampled_from(["order", "label", "hide"]), LEVELS, NAMES)
    | st.tuples(st.just("reason"), st.sampled_from(["older", "", "\u202ecrab", "x" * 201]) | st.text(max_size=30)),
    max_size=14,
)


def panels() -> list[Panel]:
    groups = [
        Group(x, name, "", "write.throughput", at + 1, 1, float(at), None, None, "none", [])
        for at, (x, name) in enumerate((x, name) for x in XS for name in SERIES)
    ]
    return [Panel("", ("write.throughput",), "B/s", "more", list(XS), list(SERIES), groups, "off")]


def facts(groups: list[Group]) -> list[tuple]:
    return sorted((group.x, group.series, group.runs, group.center) for group in groups)


@given(PAIRS)
def it_survives_the_address(pairs):
    once = query_string(parse(pairs))
    assert query_string(parse(parse_qsl(once))) == once
    assert parse(parse_qsl(once)).words == parse(pairs).words


@given(PAIRS)
def it_keeps_every_group_and_says_what_it_does_not_show(pairs):
    selection = parse([("x", "compression"), ("series", "os"), *pairs])
    [before] = panels()
    used, [panel] = arrange(selection, [before])
    assert facts(panel.all_groups) == facts(before.groups)
    assert panel.groups and {*panel.xs, *panel.hidden_xs} == set(XS) and {*panel.series, *panel.hidden_series} == set(SERIES)
    assert "off" in panel.xs
    notes = " ".join(author_notes.list_notes(used, panel))
    assert bool(panel.hidden) == ("levels shown" in notes)
    if panel.hidden:
        assert used.words.reason.rstrip(".") in notes
    for labels, values in (
        ([naming.x_label(used, x) for x in panel.xs], [naming.x_value(used, x) for x in panel.xs]),
        ([naming.series_label(used, name) for name in panel.series], [naming.series_value(used, name) for name in panel.series]),
    ):
        assert len({comparable(label) for label in labels}) == len(labels)
        for at, (label, value) in enumerate(zip(labels, values, strict=True)):
            assert label == value or f"{label} is " in notes
            assert comparable(label) not in [comparable(other) for index, other in enumerate(values) if index != at]
    # The address stays as it was shared, whatever was not used of it.
    assert sorted(parse_qsl(query_string(used))) == sorted(parse_qsl(query_string(selection)))


def it_orders_named_values_first():
    selection = parse([("x", "compression"), ("series", "os"), ("order", "compression:gzip-6"), ("order", "os:~")])
    _, [panel] = arrange(selection, panels())
    assert panel.xs[:2] == ["gzip-6", "off"] and panel.series == ["~", "Linux", "FreeBSD"]
    assert [(group.x, group.series) for group in panel.groups[:3]] == [("gzip-6", "~"), ("gzip-6", "Linux"), ("gzip-6", "FreeBSD")]


def it_reads_a_value_with_colons():
    assert parse_label(r"cpu:a\:b\\c:a name: long") == (("cpu", r"a:b\c"), "a name: long")
    assert parse_label("cpu:a") is None and parse_label("no such:a:b") is None


def it_needs_no_words():
    assert arrange(Selection(), []) == (Selection(), [])
