"""Leaves out what a text without results only mentions (`ingest.text.mentions`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from ingest.records import Clue, Doubt, Member
from ingest.text.lines import Text
from ingest.text.mentions import mention_test


class MentionFilter:
    """Drops the clues that readers take from mentions of one text, whose kind is found at the first clue."""

    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def _is_mention(self) -> Callable[[int, str], bool] | None:
        return mention_test(self._text)

    def read(self, reader: Callable[[Text], Iterable[Clue | Doubt | Member]], text: Text) -> Iterator[Clue | Doubt | Member]:
        """What the reader finds in the text, without clues of lines that only mention a setting."""
        for item in reader(text):
            if not isinstance(item, Doubt) and item.line and self._is_mention is not None:
                kind = item.kind if isinstance(item, Clue) else "dump"
                if self._is_mention(item.line, kind):
                    continue
            yield item
