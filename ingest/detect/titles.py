"""Titles above results, for values that count as repetitions of one configuration though they have different titles."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from itertools import zip_longest
from typing import Protocol, TypeVar

from ingest.records import Clue, Doubt, Value
from ingest.text.sections import Section, Sections, telling_words

# Sections of a README whose headings name folders with results: their clues apply to these folders only.
#
# `## i5` above one machine and `## xeon` above another, with `i5/` and `xeon/` beside the README.


class _HasClue(Protocol):
    @property
    def clue(self) -> Clue: ...


LocatedT = TypeVar("LocatedT", bound=_HasClue)


class ReadmeSections:
    """The sections of one file, by line, and the folders that the headings above each section name."""

    def __init__(self, path: str, sections: Sections, folders: Collection[str]) -> None:
        base = path.rpartition("/")[0]
        subfolders = [folder for folder in folders if not base or folder.startswith(base + "/")]
        self._sections = sections
        self._folders = {
            section: tuple(folder + "/" for folder in subfolders if folder.rpartition("/")[2].lower() == section.title.lower())
            for section in sections
        }

    def __bool__(self) -> bool:
        return any(self._folders.values())

    def select(self, located: Iterable[LocatedT], path: str) -> list[LocatedT]:
        """The clues that apply to the file at `path`: of each key those below the innermost heading that names a folder of it."""
        best: dict[str, tuple[int, list[LocatedT]]] = {}
        for item in located:
            enclosing = [named for section in self._sections.at(item.clue.line).chain if (named := self._folders[section])]
            if not all(path.startswith(folders) for folders in enclosing):
                continue
            depth, items = best.get(item.clue.key, (-1, []))
            if len(enclosing) > depth:
                best[item.clue.key] = len(enclosing), [item]
            elif len(enclosing) == depth:
                items.append(item)
        return [item for _, items in best.values() for item in items]


def find_readme_sections(sections_by_path: Mapping[str, Sections], with_values: Iterable[str]) -> dict[str, ReadmeSections]:
    """The files whose headings name folders with results. `sections_by_path`: of each file with clues for others."""
    if not sections_by_path:
        return {}
    folders = {path[:index] for path in with_values for index, character in enumerate(path) if character == "/"}
    found = {path: ReadmeSections(path, sections, folders) for path, sections in sections_by_path.items()}
    return {path: file_sections for path, file_sections in found.items() if file_sections}


# The title above each run.

_Counts = Mapping[tuple[str, str], int]
_NEAR = 6  # lines below `Name:`, which tools print too
_MAX_DOUBTS = 20  # about one file


class RunTitles:
    """The title above each run of a file, and which titles distinguish values that are otherwise equal."""

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._runs: dict[Hashable, list[Section]] = {}
        self._first: dict[tuple[int, str, str], tuple[list[Section], _Counts]] = {}
        self.doubts: dict[int, Doubt] = {}

    def distinguishing_title(self, value: Value, counts: _Counts) -> str | None:
        """The title of the next value of the file, if other values that count as its repetitions have a different one; else None.

        `counts`: those of all values of the same configuration and workload.
        """
        run = value.tool, value.run
        if run not in self._runs:
            self._runs[run] = titles_above(self._sections, value.line)
        titles = self._runs[run]
        if not titles:
            return None
        group = id(counts), value.metric, value.stat
        first_titles, _ = self._first.setdefault(group, (titles, counts))  # keeps `counts` alive, so that its id() stays unique
        pairs = zip_longest(first_titles, titles)
        last = first_titles[-1], titles[-1]
        differing = ((one or last[0], other or last[1]) for one, other in pairs)
        first, title = next((pair for pair in differing if _are_different(*pair)), (None, None))
        if first is None or title is None:
            return None
        if title.line not in self.doubts and len(self.doubts) < _MAX_DOUBTS:
            self.doubts[title.line] = Doubt(
                title.line,
                "unlike-titles",
                (
                    f"The {value.tool} results under {title.title!r} count as repetitions of those under {first.title!r} "
                    f"(line {first.line}): nothing that was recorded distinguishes them."
                ),
            )
        return title.title


def titles_above(sections: Sections | None, line: int | str) -> list[Section]:
    """The titles with telling words above a line, outermost first."""
    if not sections or not isinstance(line, int):
        return []
    chain = sections.at(line).chain[::-1]
    return [one for one in chain if telling_words(one.title) and (not one.is_weak or line - one.line <= _NEAR)]


def _are_different(first: Section, second: Section) -> bool:
    return first.line < second.line and telling_words(first.title) != telling_words(second.title)
