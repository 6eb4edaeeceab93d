"""JSON with lines: like the standard reader on sound documents, and honest on damaged ones."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.tests.thinning import examples
from ingest.text.lines import Text
from ingest.text.located_json import LocatedValue, find_documents

DOCUMENTS = st.dictionaries(
    st.text(max_size=6),
    st.recursive(
        st.none() | st.booleans() | st.floats(-1e9, 1e9) | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def plain(node: LocatedValue) -> object:
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    return node.value


def text_of(body: str) -> Text:
    return Text("t", body.split("\n"), body)


@given(DOCUMENTS, st.sampled_from([None, 1, 2]))
@settings(max_examples=examples(150), deadline=None)
def test_reads_what_json_reads(value: dict[str, object], indent: int | None) -> None:
    body = (
        "before\n" + json.dumps({"first": 1, "rest": value}, indent=indent, ensure_ascii=False).replace("\u2028", " ") + "\nafter"
    )
    (found,) = find_documents(text_of(body), "first")
    assert plain(found.root) == json.loads(body.removeprefix("before\n").removesuffix("\nafter"))
    assert found.faults == []
    assert body.split("\n")[found.root.line - 1].startswith("{")


def test_lines_and_printed_text() -> None:
    (found,) = find_documents(text_of('x\n{ "first": 1,\n  "a": [ 1.50,\n 2e3 ] }'), "first")
    items = found.root.get("a").items()
    assert [(n.line, n.raw, n.value) for n in items] == [(3, "1.50", 1.5), (4, "2e3", 2000.0)]


def test_a_number_with_a_decimal_comma_is_not_its_whole_part() -> None:
    (found,) = find_documents(text_of('{ "first": 1, "a": 820,512, "b": [1,2], "c": 3,"d": 4, 5 }'), "first")
    assert plain(found.root) == {"first": 1, "b": [1, 2], "c": 3, "d": 4}
    assert [message for _, message in found.faults] == ["a value without a key"] * 2


def test_a_cut_document_keeps_what_it_has() -> None:
    (found,) = find_documents(text_of('{ "first": 1, "jobs": [ { "name": "a", "bw": 12'), "first")
    assert plain(found.root) == {"first": 1, "jobs": [{"name": "a", "bw": 12}]}
    assert [message for _, message in found.faults] == ["the object is not closed"]


@given(st.text(alphabet='{}[]",:1a \n\\', max_size=80))
@settings(max_examples=examples(300), deadline=None)
def test_nothing_raises(noise: str) -> None:
    list(find_documents(text_of('{"first": ' + noise), "first"))
