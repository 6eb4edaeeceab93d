"""Clues in the names of a file and its folders, by the readers' `read_name`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ingest.context.labels._setting_words import EXTRA_FILE_SYSTEMS, FILE_SYSTEM_WORDS
from ingest.detect import detect
from ingest.lazy_regex import lazy
from ingest.normalise import DEFAULT_LEVEL
from ingest.records import Clue, Doubt

_NO_LEVELS = sorted(
    (*FILE_SYSTEM_WORDS, *EXTRA_FILE_SYSTEMS, "off", "none", "lz4", "lzjb", "zle", "lzo", "on", "uncompressed", "raw"),
    key=lambda word: (-len(word), word),  # `ext41` is ext4 and 1
)
_LEVEL = lazy(r"(?i)(?<![A-Za-z0-9])(gzip|zstd|zlib)([-_ ]?)(\d{1,2})(?![A-Za-z0-9])")
_WITHOUT_LEVEL = lazy(rf"(?i)(?<![A-Za-z0-9])({'|'.join(_NO_LEVELS)})([-_ ]?)(\d{{1,2}})(?![A-Za-z0-9])")

_PLAIN = lazy(rf"(?i)(?<![A-Za-z0-9])({'|'.join(_NO_LEVELS)})(?![A-Za-z0-9]|[-_ ]\d)")
_ALGORITHM = lazy(r"(?i)(?<![A-Za-z0-9])(?:gzip|zstd|zlib|lz4|lzjb|zle|lzo)(?![A-Za-z0-9])")
_OFF = lazy(r"(?i)(?<![A-Za-z0-9])(?:off|none)(?![A-Za-z0-9])")
_DIGITS = lazy(r"\d+")
_MOST = {"gzip": 9, "zlib": 9, "zstd": 19}
"""The number of levels; names that have all of them are a sweep over these."""
AMBIGUOUS = "level-or-repetition"
"""Code of the warning about numbers that may be levels or repetitions."""
UNANSWERED = " (level or repetition?)"
"""Ends the title of a run whose name has such a number."""


def clues_of_path(path: str) -> list[tuple[int, Clue]]:
    """(depth, clue) for each part of a path; the last part is the file name."""
    folder, slash, name = path.rpartition("/")
    own = [(path.count("/"), clue) for clue in _clues_of_name(name)]
    return _clues_of_folder(folder) + own if slash else own


@lru_cache(10_000)
def _clues_of_folder(path: str) -> list[tuple[int, Clue]]:
    return [(depth, clue) for depth, part in enumerate(path.split("/")) for clue in _clues_of_name(part)]


@lru_cache(10_000)
def _clues_of_name(part: str) -> tuple[Clue, ...]:
    return tuple(clue for reader in detect.readers() if reader.read_name is not None for clue in reader.read_name(part))


@dataclass(frozen=True, slots=True)
class NumberedNames:
    """Names that differ in a number behind an algorithm only, which may be its level or that of a repetition. `parts`: number ->
    the file, or the folder, of that name."""

    algorithm: str
    parts: Mapping[int, str]

    @property
    def title(self) -> str:
        """`zstd-1.json ... zstd-3.json`."""
        return " ... ".join(self.parts[number].rpartition("/")[2] for number in (min(self.parts), max(self.parts)))

    @property
    def doubt(self) -> Doubt:
        message = f"{self.title} may be levels of {self.algorithm} or repetitions: read as {self.algorithm} alone."
        return Doubt(1, AMBIGUOUS, message)


_Place = tuple[str, str, str, str]
"""Folder, what stands before and behind the word and its number in a name, and between the two."""


def _around(folder: str, part: str, *patterns: re.Pattern[str]) -> set[tuple[str, str, str]]:
    """(folder, what stands before, what stands behind) for each match in a name."""
    return {(folder, part[: one.start()], part[one.end() :]) for pattern in patterns for one in pattern.finditer(part)}


def _without_numbers(places: Iterable[tuple[str, str, str]]) -> set[tuple[str, ...]]:
    return {tuple(_DIGITS.sub("#", text) for text in place) for place in places}


def _place(folder: str, part: str, match: re.Match[str]) -> _Place:
    return folder, part[: match.start()], part[match.end() :], match[2]


class NumbersInNames:
    """The numbers behind words in the names of an upload: levels of compression, or repetitions.

    They are repetitions where siblings that can have no level (`ext4-1`, `lz4-1`) bear them too: numbers that follow each other
    from the first on as a whole, others only where the siblings bear each of them. `questions`: where both are possible.
    """

    def __init__(self, paths: Collection[str], shown: Collection[str] = ()) -> None:
        """`shown`: the settings of compression that anything but a name shows: a level among them decides."""
        self._levels: dict[tuple[_Place, str], dict[int, str]] = {}
        others: dict[_Place, set[int]] = {}
        plain = set[tuple[str, str, str]]()
        has_any = any(_LEVEL.search(path) or _OFF.search(path) for path in paths)
        parts = {path[:end] for path in paths for end, letter in enumerate(f"{path}/") if letter == "/"} if has_any else ()
        self._algorithms = set[tuple[str, ...]]()
        for path in sorted(parts):
            folder, _, part = path.rpartition("/")
            self._algorithms |= _without_numbers(_around(folder, part, _ALGORITHM, _LEVEL))
            for match in _LEVEL.finditer(part):
                key = _place(folder, part, match), match[1].lower()
                self._levels.setdefault(key, {})[int(match[3])] = path
            for match in _WITHOUT_LEVEL.finditer(part):
                if match[2] or match[0].lower() not in _NO_LEVELS:
                    others.setdefault(_place(folder, part, match), set()).add(int(match[3]))
            plain |= _around(folder, part, _PLAIN)
        self.repeated = {key for key, own in self._levels.items() if _are_repetitions({*own}, others.get(key[0], set()))}
        templates = Counter((*(_DIGITS.sub("#", text) for text in place), word) for place, word in self._levels)
        self.questions: dict[tuple[_Place, str], NumberedNames] = {}
        for (place, word), own in self._levels.items() if parts else ():
            follow = len(own) > 1 and {*own} == {*range(1, len(own) + 1)} and len(own) < _MOST[word]
            siblings = [set(of_word) for (where, other), of_word in self._levels.items() if where == place and other != word]
            decided = (
                (place, word) in self.repeated
                or place[:3] in plain
                or any(of_word != {*range(1, len(of_word) + 1)} for of_word in siblings)
                or templates[(*(_DIGITS.sub("#", text) for text in place), word)] > 1  # repetitions have a number elsewhere
                or any(f"{word}-{number}" in shown for number in own)
            )
            if follow and not decided:
                self.questions[place, word] = NumberedNames(word, own)

    def without_levels(self, path: str, clues: Iterable[tuple[int, Clue]]) -> list[tuple[int, Clue]]:
        """The clues of a path, without levels that are none, or may be none; with a bare `off`."""
        clues = [*clues, *self._off(path)]
        dropped = dict.fromkeys(self.questions) | {key: DEFAULT_LEVEL[key[1]] for key in self.repeated}
        return [(depth, _without_level(path, depth, clue, dropped) if dropped else clue) for depth, clue in clues]

    def _off(self, path: str) -> Iterator[tuple[int, Clue]]:
        """A bare `off` or `none` where the same name has an algorithm instead: `nas1/off/3` beside `nas1/lz4/1`."""
        parts = path.split("/") if self._algorithms else ()
        for depth, part in enumerate(parts):
            if _without_numbers(_around("/".join(parts[:depth]), part, _OFF)) & self._algorithms:
                yield depth, Clue(0, "pool.compression", "off", part, kind="name", group=("path", part))


def _are_repetitions(numbers: set[int], of_siblings: set[int]) -> bool:
    follow = max(numbers) - min(numbers) < len(numbers) and min(numbers) <= 1
    return numbers <= of_siblings or (follow and len(numbers) > 1 and not numbers.isdisjoint(of_siblings))


def _without_level(path: str, depth: int, clue: Clue, dropped: Mapping[tuple[_Place, str], str | None]) -> Clue:
    """`dropped`: what is known of the compression where the number is no level; None where it may be one."""
    parts = path.split("/")
    folder, part = "/".join(parts[:depth]), parts[depth]
    for match in _LEVEL.finditer(part) if clue.key == "pool.compression" else ():
        key = _place(folder, part, match), match[1].lower()
        if key in dropped and clue.value == f"{key[1]}-{int(match[3])}":
            return replace(clue, value=dropped[key] or key[1])
    return clue
