"""What the tests of single parsers share: text in, values and doubts out."""

from __future__ import annotations

from ingest.plugin_api import Parser
from ingest.records import Doubt, Value
from ingest.text.lines import Text


def read(parser: Parser, content: str) -> tuple[list[Value], list[Doubt]]:
    """The values and doubts of a text, by the way a file takes: nothing where the anchor is not found."""
    lines = content.split("\n")
    if parser.anchor is None or parser.parse is None or not parser.anchor.search(content):
        return [], []
    found = list(parser.parse(Text("file", lines, content)))
    return [r for r in found if isinstance(r, Value)], [r for r in found if isinstance(r, Doubt)]


def values_by_metric(values: list[Value]) -> dict[str, float]:
    """Metric -> value, of a text that holds each once."""
    assert len({v.metric for v in values}) == len(values)
    return {v.metric: v.value for v in values}
