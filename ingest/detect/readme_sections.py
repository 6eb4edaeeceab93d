"""Sections of a README whose headings name folders with results: what they tell holds there, and nowhere else.

`## i5` above one machine and `## xeon` above another, with `i5/` and `xeon/` beside the README.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, TypeVar

from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

Heading = tuple[int, int, str]  # line, depth, what it says in lower case
_HEADING = lazy(r"(#{1,6})[ \t]+(\S.{0,80}?)[ \t:]*#*\Z")
_RULE = lazy(r"(?:={3,}|-{3,})\Z")
_ADORNED = "`*_/ \t"
_LARGEST = 1 << 20  # characters of a README


class _Heading(Protocol):
    @property
    def clue(self) -> Clue: ...


Said = TypeVar("Said", bound=_Heading)


def headings(text: Text) -> Sequence[Heading]:
    """The headings of Markdown and of underlined titles, outside of fences."""
    if not isinstance(text.lines, list) or len(text.body) > _LARGEST or not any(map(text.body.__contains__, ("#", "---", "==="))):
        return ()
    found: list[Heading] = []
    fenced, before = False, ""
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (heading := _HEADING.match(line)):
            found.append((number, len(heading[1]), heading[2].strip(_ADORNED).lower()))
        elif not fenced and _RULE.match(line) and before.strip() and len(before) <= 80 and not before.startswith(("|", "-", "=")):
            found.append((number - 1, 1 + (line[0] == "-"), before.strip(_ADORNED + ":").lower()))
        before = line
    return found


class ReadmeSections:
    """The parts of one file, by line, and the folders that the headings above each part name."""

    def __init__(self, path: str, told: Iterable[Heading], folders: Collection[str]) -> None:
        base = path.rpartition("/")[0]
        below = [folder for folder in folders if not base or folder.startswith(base + "/")]
        self._lines: list[int] = [0]
        self._parts: list[list[tuple[str, ...]]] = [[]]
        open_: list[tuple[int, tuple[str, ...]]] = []
        for line, depth, name in told:
            open_ = [one for one in open_ if one[0] < depth]
            open_.append((depth, tuple(folder + "/" for folder in below if folder.rpartition("/")[2].lower() == name)))
            self._lines.append(line)
            self._parts.append([named for _, named in open_ if named])

    def __bool__(self) -> bool:
        return any(self._parts)

    def heard(self, said: Iterable[Said], own: str) -> list[Said]:
        """What holds for the file `own`: of each key what the innermost heading that names a folder of it is above."""
        fitting: dict[str, tuple[int, list[Said]]] = {}
        for one in said:
            named = self._parts[bisect_right(self._lines, one.clue.line) - 1]
            if not all(own.startswith(folders) for folders in named):
                continue
            depth, kept = fitting.get(one.clue.key, (-1, []))
            if len(named) > depth:
                fitting[one.clue.key] = len(named), [one]
            elif len(named) == depth:
                kept.append(one)
        return [one for _, kept in fitting.values() for one in kept]


def find_readme_sections(told: Iterable[tuple[str, Sequence[Heading]]], with_values: Iterable[str]) -> dict[str, ReadmeSections]:
    """The files whose headings name folders with results. `told`: path and headings of each file that speaks for others."""
    told = [(path, found) for path, found in told if found]
    if not told:
        return {}
    folders = {path[:at] for path in with_values for at, c in enumerate(path) if c == "/"}
    parted = {path: ReadmeSections(path, found, folders) for path, found in told}
    return {path: one for path, one in parted.items() if one}
