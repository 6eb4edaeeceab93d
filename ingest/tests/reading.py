"""What the tests of single parsers share: text in, values and doubts out."""

from __future__ import annotations

from ingest.plugin_api import Parser
from ingest.records import Clue, Doubt, Found, MissingValue, Value
from ingest.text.commands import find_commands
from ingest.text.lines import Text


def read(parser: Parser, content: str, has_commands: bool = False) -> tuple[list[Value], list[Doubt]]:
    """The values and doubts of a text, by the way a file takes: nothing where the anchor is not found.

    `has_commands`: it is a transcript, whose commands are found as in a file.
    """
    found = _read_all(parser, content, has_commands)
    return [r for r in found if isinstance(r, Value)], [r for r in found if isinstance(r, Doubt)]


def read_missing(parser: Parser, content: str) -> list[MissingValue]:
    """The missing values of a text. Each stands on its line, has a warning there or elsewhere, and no value beside it."""
    found, lines = _read_all(parser, content), content.split("\n")
    missing = [r for r in found if isinstance(r, MissingValue)]
    assert not missing or any(isinstance(r, Doubt) for r in found)
    assert all(m.raw in lines[int(m.line) - 1] for m in missing), missing
    assert all((m.bound is None) == (m.side is None) for m in missing), missing
    values = {(v.run, v.metric, v.stat, v.line) for v in found if isinstance(v, Value)}
    assert not [m for m in missing if (m.run, m.metric, m.stat, m.line) in values]
    return missing


def _read_all(parser: Parser, content: str, has_commands: bool = False) -> list[Found]:
    if parser.anchor is None or parser.parse is None or not parser.anchor.search(content):
        return []
    text = Text("file", content.split("\n"), content)
    text.commands = find_commands(text) if has_commands else []
    return [r for r in parser.parse(text) if not isinstance(r, Clue)]


def values_by_metric(values: list[Value]) -> dict[str, float]:
    """Metric -> value, of a text that holds each once."""
    assert len({v.metric for v in values}) == len(values)
    return {v.metric: v.value for v in values}
