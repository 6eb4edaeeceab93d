"""Titles above results, for values that count as repetitions of one configuration though they have different titles."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

from ingest.lazy_regex import lazy
from ingest.records import Clue, Doubt, Value
from ingest.text.lines import Text

# Sections of a README whose headings name folders with results: their clues apply to these folders only.
#
# `## i5` above one machine and `## xeon` above another, with `i5/` and `xeon/` beside the README.


class Heading(NamedTuple):
    """A heading of a README; `name` in lower case."""

    line: int
    depth: int
    name: str


_HEADING = lazy(r"(#{1,6})[ \t]+(\S.{0,80}?)[ \t:]*#*\Z")
_RULE = lazy(r"(?:={3,}|-{3,})\Z")
_ADORNED = "`*_/ \t"
_README_MAX_CHARACTERS = 1 << 20  # characters of a README


class _HasClue(Protocol):
    @property
    def clue(self) -> Clue: ...


LocatedT = TypeVar("LocatedT", bound=_HasClue)


def find_headings(text: Text) -> Sequence[Heading]:
    """The Markdown and underlined headings outside of fenced code."""
    if (
        not isinstance(text.lines, list)
        or len(text.body) > _README_MAX_CHARACTERS
        or not any(map(text.body.__contains__, ("#", "---", "===")))
    ):
        return ()
    headings: list[Heading] = []
    is_fenced, previous_line = False, ""
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not is_fenced and (heading := _HEADING.match(line)):
            headings.append(Heading(number, len(heading[1]), heading[2].strip(_ADORNED).lower()))
        elif (
            not is_fenced
            and _RULE.match(line)
            and previous_line.strip()
            and len(previous_line) <= 80
            and not previous_line.startswith(("|", "-", "="))
        ):
            headings.append(Heading(number - 1, 1 + (line[0] == "-"), previous_line.strip(_ADORNED + ":").lower()))
        previous_line = line
    return headings


class ReadmeSections:
    """The sections of one file, by line, and the folders that the headings above each section name."""

    def __init__(self, path: str, headings: Iterable[Heading], folders: Collection[str]) -> None:
        base = path.rpartition("/")[0]
        subfolders = [folder for folder in folders if not base or folder.startswith(base + "/")]
        self._lines: list[int] = [0]
        self._folders: list[list[tuple[str, ...]]] = [[]]
        enclosing: list[tuple[int, tuple[str, ...]]] = []
        for line, depth, name in headings:
            enclosing = [heading for heading in enclosing if heading[0] < depth]
            enclosing.append((depth, tuple(folder + "/" for folder in subfolders if folder.rpartition("/")[2].lower() == name)))
            self._lines.append(line)
            self._folders.append([named for _, named in enclosing if named])

    def __bool__(self) -> bool:
        return any(self._folders)

    def select(self, located: Iterable[LocatedT], path: str) -> list[LocatedT]:
        """The clues that apply to the file at `path`: of each key those below the innermost heading that names a folder of it."""
        best: dict[str, tuple[int, list[LocatedT]]] = {}
        for item in located:
            enclosing = self._folders[bisect_right(self._lines, item.clue.line) - 1]
            if not all(path.startswith(folders) for folders in enclosing):
                continue
            depth, items = best.get(item.clue.key, (-1, []))
            if len(enclosing) > depth:
                best[item.clue.key] = len(enclosing), [item]
            elif len(enclosing) == depth:
                items.append(item)
        return [item for _, items in best.values() for item in items]


def find_readme_sections(
    headings: Iterable[tuple[str, Sequence[Heading]]], with_values: Iterable[str]
) -> dict[str, ReadmeSections]:
    """The files whose headings name folders with results. `headings`: path and headings of each file with clues for others."""
    headings = [(path, file_headings) for path, file_headings in headings if file_headings]
    if not headings:
        return {}
    folders = {path[:index] for path in with_values for index, character in enumerate(path) if character == "/"}
    sections = {path: ReadmeSections(path, file_headings, folders) for path, file_headings in headings}
    return {path: file_sections for path, file_sections in sections.items() if file_sections}


class Title(NamedTuple):
    """A title; `reach`: the number of lines below to which it may apply."""

    line: int
    reach: int
    words: str


_Counts = Mapping[tuple[str, str], int]
_MARKED = lazy(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+|#{2,}|={2,}[ \t]*|-{2,}[ \t]+|\*{2,}[ \t]*|~{2,}[ \t]*|>{3,}[ \t]*|\+{3,}[ \t]*)"
    r"(?P<text>[^\W_][^\n|]{0,78}?)[ \t]*[:#=*~<+-]*[ \t]*$",
    re.MULTILINE,
)
_COLON = lazy(r"^[ \t]{0,3}(?P<text>[^\W_][^\n:|()=]{0,38}):[ \t]*$", re.MULTILINE)
_NEAR = 6  # lines below `Name:`, which tools print too
_MAX_CHARACTERS, _MAX_DOUBTS = 1 << 20, 20  # of a text with titles; about one file
_SIZE = lazy(r"\d[\d.,]*[ \t]?(?:[kmgt]i?)?b?(?:/s|ps)?\b")  # numbers with a unit, which distinguish nothing
_WORD = lazy(r"第?[一二三四五六七八九十]{1,3}[次回轮]目?|[^\W\d_]+")
# Words that distinguish runs, tools and operations, which are known otherwise.
_NEUTRAL = lazy(
    r"第?[一二三四五六七八九十]{1,3}[次回轮]目?|re(?:run|test)|runs?|running|tests?|testing|try|take|pass|attempt|iteration|round|again"
    r"|repeat(?:ed)?|repetition|sample|part|step|first|second|third|fourth|fifth|one|two|three|four|five|once|twice|times?|no|nr|number"
    r"|the|an?|of|and|with|for|in|on|to|from|bench(?:mark)?s?|results?|outputs?|logs?|summary|commands?|examples?|speed|performance"
    r"|throughput|reads?|writes?|reading|writing|sequential|random|seq|rand|mixed|rw|iops|latency"
    r"|(?:durch)?lauf|versuch|(?:erst|zweit|dritt)er|essai|premier|deuxième|prueba|primera|segunda|prova|prima|seconda"
    r"|тест|запуск|первый|второй|третий"
    r"|bonnie|iozone|ior|mdtest|dd|rsync|fdtree|fio|sysbench|hdparm|ioping|filebench|elbencho"
)


def find_titles(text: Text) -> Sequence[Title]:
    """The titles of a text that is no long log, by line: marked ones, or `Name:` below an empty line.

    Empty if all of them have the same meaning.
    """
    if len(text.body) > _MAX_CHARACTERS:
        return ()
    commands = {command.line for command in text.commands}
    marked = [Title(line, len(text.lines), match["text"]) for line, match in text.matches(_MARKED)]
    colon_titles = [
        Title(line, _NEAR, match["text"]) for line, match in text.matches(_COLON) if line == 1 or not text.lines[line - 2].strip()
    ]
    titles = [title for title in sorted([*marked, *colon_titles]) if title.line not in commands]
    return titles if len({_telling_words(words) for _, _, words in titles} - {frozenset()}) > 1 else ()


class RunTitles:
    """The title above each run of a file, and which titles distinguish values that are otherwise equal."""

    def __init__(self, titles: Sequence[Title]) -> None:
        self._titles = titles
        self._lines = [line for line, _, _ in titles]
        self._runs: dict[Hashable, Title | None] = {}
        self._first: dict[tuple[int, str, str], tuple[Title, _Counts]] = {}
        self.doubts: dict[int, Doubt] = {}

    def distinguishing_title(self, value: Value, counts: _Counts) -> str | None:
        """The title of the next value of the file, if other values that count as its repetitions have a different one; else None.

        `counts`: those of all values of the same configuration and workload.
        """
        run = value.tool, value.run
        if run not in self._runs:
            self._runs[run] = self._title_above(value.line)
        title = self._runs[run]
        if title is None:
            return None
        group = id(counts), value.metric, value.stat
        first, _ = self._first.setdefault(group, (title, counts))  # keeps `counts` alive, so that its id() stays unique
        if first is title or first.line >= title.line or not _are_different(first.words, title.words):
            return None
        if title.line not in self.doubts and len(self.doubts) < _MAX_DOUBTS:
            self.doubts[title.line] = Doubt(
                title.line,
                "unlike-titles",
                (
                    f"The {value.tool} results under {title.words!r} count as repetitions of those under {first.words!r} "
                    f"(line {first.line}): nothing that was recorded distinguishes them."
                ),
            )
        return title.words

    def _title_above(self, line: int | str) -> Title | None:
        if not isinstance(line, int):
            return None
        index = bisect_left(self._lines, line) - 1
        return (
            next((title for title in self._titles[max(index - 3, 0) : index + 1][::-1] if line - title.line <= title.reach), None)
            if index >= 0
            else None
        )


def _are_different(first: str, second: str) -> bool:
    """Whether both have telling words, and not the same."""
    first_words, second_words = _telling_words(first), _telling_words(second)
    return bool(first_words) and bool(second_words) and first_words != second_words


@lru_cache(1024)
def _telling_words(words: str) -> frozenset[str]:
    """The words of a title besides numbers, runs, tools and operations."""
    return frozenset(word for word in _WORD.findall(_SIZE.sub(" ", words.lower())) if not _NEUTRAL.fullmatch(word))
