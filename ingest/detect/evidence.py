"""Leaves out what a text without results only mentions (`ingest.text.mentions`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ingest.records import Clue, Doubt
from ingest.text.lines import Text
from ingest.text.mentions import mention_test


def evidence_of(read: Callable[[Text], Iterable[Clue | Doubt]], text: Text) -> Iterator[Clue | Doubt]:
    """What a reader finds in a text, without clues of lines that only mention a setting."""
    is_mention = None
    for number, item in enumerate(read(text)):
        is_mention = mention_test(text) if not number else is_mention
        if is_mention is None or not isinstance(item, Clue) or not item.line or not is_mention(item.line, item.kind):
            yield item
