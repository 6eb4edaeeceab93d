"""Titles above results, for values that count as repetitions of one configuration though they stand below different ones."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache

from ingest.lazy_regex import lazy
from ingest.records import Doubt, Value
from ingest.text.lines import Text

Title = tuple[int, int, str]  # line, how many lines below it it can be meant for, its words
_Counts = Mapping[tuple[str, str], int]
_MARKED = lazy(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+|#{2,}|={2,}[ \t]*|-{2,}[ \t]+|\*{2,}[ \t]*|~{2,}[ \t]*|>{3,}[ \t]*|\+{3,}[ \t]*)"
    r"(?P<text>[^\W_][^\n|]{0,78}?)[ \t]*[:#=*~<+-]*[ \t]*$",
    re.MULTILINE,
)
_COLON = lazy(r"^[ \t]{0,3}(?P<text>[^\W_][^\n:|()=]{0,38}):[ \t]*$", re.MULTILINE)
_NEAR = 6  # lines below `Name:`, which tools print as well
_LARGEST, _MOST = 1 << 20, 20  # characters of a text with titles; doubts about one file
_SIZE = lazy(r"\d[\d.,]*[ \t]?(?:[kmgt]i?)?b?(?:/s|ps)?\b")  # with their unit numbers only count, too
_WORD = lazy(r"第?[一二三四五六七八九十]{1,3}[次回轮]目?|[^\W\d_]+")
# What tells runs, tools and operations apart, each of which is known otherwise.
_NEUTRAL = lazy(
    r"第?[一二三四五六七八九十]{1,3}[次回轮]目?|re(?:run|test)|runs?|running|tests?|testing|try|take|pass|attempt|iteration|round|again"
    r"|repeat(?:ed)?|repetition|sample|part|step|first|second|third|fourth|fifth|one|two|three|four|five|once|twice|times?|no|nr|number"
    r"|the|an?|of|and|with|for|in|on|to|from|bench(?:mark)?s?|results?|outputs?|logs?|summary|commands?|examples?|speed|performance"
    r"|throughput|reads?|writes?|reading|writing|sequential|random|seq|rand|mixed|rw|iops|latency"
    r"|(?:durch)?lauf|versuch|(?:erst|zweit|dritt)er|essai|premier|deuxième|prueba|primera|segunda|prova|prima|seconda"
    r"|тест|запуск|первый|второй|третий"
    r"|bonnie|iozone|ior|mdtest|dd|rsync|fdtree|fio|sysbench|hdparm|ioping|filebench|elbencho"
)


def titles(text: Text) -> Sequence[Title]:
    """The titles of a text that is no long log, by line: with a mark of their own, or `Name:` below an empty line.

    None where no two of them say different things.
    """
    if len(text.body) > _LARGEST:
        return ()
    commands = {command.line for command in text.commands}
    marked = [(line, len(text.lines), match["text"]) for line, match in text.matches(_MARKED)]
    named = [(line, _NEAR, match["text"]) for line, match in text.matches(_COLON) if line == 1 or not text.lines[line - 2].strip()]
    found = [title for title in sorted([*marked, *named]) if title[0] not in commands]
    return found if len({_said(words) for _, _, words in found} - {frozenset()}) > 1 else ()


class RunTitles:
    """Which title each run of a file stands below, and which titles part values that nothing else tells apart."""

    def __init__(self, told: Sequence[Title]) -> None:
        self._told = told
        self._lines = [line for line, _, _ in told]
        self._runs: dict[Hashable, Title | None] = {}
        self._first: dict[tuple[int, str, str], tuple[Title, _Counts]] = {}
        self.doubts: dict[int, Doubt] = {}

    def apart(self, value: Value, counts: _Counts) -> str | None:
        """The title of the next value of the file, where others count as its repetitions that stand below another one.

        `counts`: those of all values that have its configuration and workload.
        """
        run = value.tool, value.run
        if run not in self._runs:
            self._runs[run] = self._above(value.line)
        title = self._runs[run]
        if title is None:
            return None
        group = id(counts), value.metric, value.stat
        first, _ = self._first.setdefault(group, (title, counts))  # held, so that no other has its identity
        if first is title or first[0] >= title[0] or not _unlike(first[2], title[2]):
            return None
        if title[0] not in self.doubts and len(self.doubts) < _MOST:
            self.doubts[title[0]] = Doubt(
                title[0],
                "unlike-titles",
                (
                    f"What {value.tool} measured below {title[2]!r} counts as repetitions of what stands below {first[2]!r} "
                    f"(line {first[0]}): nothing that is known tells them apart."
                ),
            )
        return title[2]

    def _above(self, line: int | str) -> Title | None:
        if not isinstance(line, int):
            return None
        at = bisect_left(self._lines, line) - 1
        return (
            next((one for one in self._told[max(at - 3, 0) : at + 1][::-1] if line - one[0] <= one[1]), None) if at >= 0 else None
        )


def _unlike(first: str, second: str) -> bool:
    """Whether both say something, and not the same, beside numbers and what counts runs."""
    one, other = _said(first), _said(second)
    return bool(one) and bool(other) and one != other


@lru_cache(1024)
def _said(words: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(_SIZE.sub(" ", words.lower())) if not _NEUTRAL.fullmatch(word))
