"""Sections of a README whose headings name folders with results: their clues apply to these folders only.

`## i5` above one machine and `## xeon` above another, with `i5/` and `xeon/` beside the README.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, TypeVar

from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

Heading = tuple[int, int, str]  # line, depth, text in lower case
_HEADING = lazy(r"(#{1,6})[ \t]+(\S.{0,80}?)[ \t:]*#*\Z")
_RULE = lazy(r"(?:={3,}|-{3,})\Z")
_ADORNED = "`*_/ \t"
_MAX_CHARACTERS = 1 << 20  # characters of a README


class _HasClue(Protocol):
    @property
    def clue(self) -> Clue: ...


LocatedT = TypeVar("LocatedT", bound=_HasClue)


def find_headings(text: Text) -> Sequence[Heading]:
    """The Markdown and underlined headings outside of fenced code."""
    if (
        not isinstance(text.lines, list)
        or len(text.body) > _MAX_CHARACTERS
        or not any(map(text.body.__contains__, ("#", "---", "===")))
    ):
        return ()
    headings: list[Heading] = []
    is_fenced, previous_line = False, ""
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not is_fenced and (heading := _HEADING.match(line)):
            headings.append((number, len(heading[1]), heading[2].strip(_ADORNED).lower()))
        elif (
            not is_fenced
            and _RULE.match(line)
            and previous_line.strip()
            and len(previous_line) <= 80
            and not previous_line.startswith(("|", "-", "="))
        ):
            headings.append((number - 1, 1 + (line[0] == "-"), previous_line.strip(_ADORNED + ":").lower()))
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
