"""Order and words by the author of a figure, as an address has them: names of one's own, an order, values that are not shown.

`order=DIMENSION:VALUE`, `hide=DIMENSION:VALUE`, `label=DIMENSION:VALUE:NAME` (a colon within VALUE is `\\:`, a backslash `\\\\`)
and `reason=TEXT`, without which nothing is hidden. They concern how the x axis and the series are shown, never what is
compared or claimed. Plain Python.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from webapp.comparison.dimensions import DIMENSIONS

METRIC = "metric"
MAX_LEVELS = 60
"""Values that an address orders, names or hides, each."""
LONGEST_NAME, LONGEST_REASON, LONGEST_VALUE = 60, 200, 300
Level = tuple[str, str]
"""A dimension (or `metric`) and one of its values."""
_LABEL = re.compile(r"([^:\\]+):((?:[^:\\]|\\[:\\])+):(.+)", re.S)


@dataclass(frozen=True, slots=True)
class AuthorWords:
    """`order`: levels that stand first, in this order. `labels`: (level, name). `hidden`: levels that are not shown, and why."""

    order: tuple[Level, ...] = ()
    labels: tuple[tuple[Level, str], ...] = ()
    hidden: tuple[Level, ...] = ()
    reason: str = ""

    def name(self, dimension: str, value: str) -> str:
        """The author's name of a level; '' without one."""
        return next((name for level, name in self.labels if level == (dimension, value)), "") if self.labels else ""

    def hides(self, dimension: str, value: str) -> bool:
        """Whether the level is not shown."""
        return (dimension, value) in self.hidden

    def position(self, dimension: str, value: str) -> int:
        """The place of a level in the author's order; behind all where it has none."""
        return self.order.index((dimension, value)) if (dimension, value) in self.order else len(self.order)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of a query string."""
        pairs = [("order", f"{dimension}:{value}") for dimension, value in self.order]
        pairs += [("label", f"{dimension}:{_escape(value)}:{name}") for (dimension, value), name in self.labels]
        pairs += [("hide", f"{dimension}:{value}") for dimension, value in self.hidden]
        return pairs + ([("reason", self.reason)] if self.reason else [])


NO_WORDS = AuthorWords()


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace(":", "\\:")


def clean(text: str, longest: int) -> str:
    """The text on one line; '' where it is too long or has characters that do not print (controls, changes of direction)."""
    text = " ".join(text.split())
    return text if len(text) <= longest and text.isprintable() else ""


def comparable(text: str) -> str:
    """What a reader sees of a name: two names that look alike are equal in this form."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse_level(text: str) -> Level | None:
    """The level of `DIMENSION:VALUE`."""
    dimension, _, value = text.partition(":")
    return (dimension, value) if _is_level(dimension, value) else None


def parse_label(text: str) -> tuple[Level, str] | None:
    """Level and name of `DIMENSION:VALUE:NAME`."""
    match = _LABEL.fullmatch(text)
    if match is None:
        return None
    level, name = (match[1], re.sub(r"\\(.)", r"\1", match[2])), clean(match[3], LONGEST_NAME)
    return (level, name) if _is_level(*level) and name else None


def _is_level(dimension: str, value: str) -> bool:
    return (dimension == METRIC or dimension in DIMENSIONS) and 0 < len(value) <= LONGEST_VALUE


class WordsCollector:
    """The author's words while the pairs of an address are parsed. `add` returns whether it understood the pair."""

    def __init__(self) -> None:
        self.order: list[Level] = []
        self.labels: dict[Level, str] = {}
        self.hidden: list[Level] = []
        self.reason = ""

    def add(self, key: str, value: str) -> bool:
        """One pair of the query string."""
        if key == "reason":
            if self.reason or not (text := clean(value, LONGEST_REASON)):
                return False
            self.reason = text
            return True
        if key == "label":
            parsed = parse_label(value)
            if parsed is None or parsed[0] in self.labels or len(self.labels) >= MAX_LEVELS:
                return False
            self.labels[parsed[0]] = parsed[1]
            return True
        level, levels = parse_level(value), self.order if key == "order" else self.hidden
        if level is None or (level not in levels and len(levels) >= MAX_LEVELS):
            return False
        levels += [level] if level not in levels else []
        return True

    def words(self) -> tuple[AuthorWords, list[tuple[str, str]]]:
        """The words, and the pairs that mean nothing: what is hidden without a reason."""
        if not (self.order or self.labels or self.hidden or self.reason):
            return NO_WORDS, []
        hidden = tuple(self.hidden) if self.reason else ()
        words = AuthorWords(tuple(self.order), tuple(self.labels.items()), hidden, self.reason)
        return words, [] if self.reason else [("hide", f"{dimension}:{value}") for dimension, value in self.hidden]
