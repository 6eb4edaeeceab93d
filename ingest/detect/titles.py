"""Titles above results, for values that count as repetitions of one configuration though they have different titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import combinations, zip_longest
from typing import Any, Protocol, TypeVar

from ingest.keys import KEYS, is_identity
from ingest.lazy_regex import lazy
from ingest.records import Clue, Doubt, Value
from ingest.text.mentions import is_prose_name
from ingest.text.sections import Section, Sections, is_telling, telling_words
from ingest.toml_tables import read_table

# Sections of a README whose headings name results: their clues apply to these only.
#
# `## i5` above one machine and `## xeon` above another, with `i5/` and `xeon/` beside the README; `### 2016-10-13 internal disk`
# with `2016-10-13-internal_disk.txt`; `## Run 3` with `run3.log`. Sections that contradict each other speak of no other file.

_MONTH = lazy(
    r"(?<![^\W\d_])(?:(jan)|(f[eé][bv])|(m[aäá]r)|(a[pvb]r)|(ma[iy])|(jui?n)|(jui?l)|(a[uo][gû])|(sep)|(o[ck]t)|(nov)|(d[eéi][cz]))[^\W\d_]*"
)
_DATE = lazy(
    r"(?<!\d)(?:((?:19|20)\d\d)[-_./ ]?(\d\d)[-_./ ]?(\d\d)|(\d{1,2})(?:\D{1,4})(\d{1,2})(?:\D{1,4})((?:19|20)\d\d))(?!\d)"
)
_NAME_WORD = lazy(r"[^\W\d_]+[-_ #]{0,2}\d{1,6}(?!\d|\.\d)|[^\W\d_]{2,}|\d{3,}")
_MAX_COMPARED = 400  # clues of one README that are compared with each other


class _HasClue(Protocol):
    @property
    def clue(self) -> Clue: ...


LocatedT = TypeVar("LocatedT", bound=_HasClue)


@lru_cache(10_000)
def _name_words(name: str) -> frozenset[str]:
    """The dates, words and numbered words (`run3` of `Run #3`) of a heading or path, without those of steps and tools.

    A date is its year and its other two numbers, whose order differs between countries.
    """
    name = name.lower()
    dated = _MONTH.sub(lambda month: str(month.lastindex), name)
    dates = {".".join(sorted(filter(None, match.groups()), key=int)) for match in _DATE.finditer(dated)}
    words = {re.sub(r"[-_ #]+", "", word) for word in _NAME_WORD.findall(_DATE.sub(" ", name))}
    return frozenset(dates | {word for word in words if word[-1].isdecimal() or is_telling(word)})


class ReadmeSections:
    """The sections of one file, and the results that the heading of each names."""

    def __init__(self, path: str, sections: Sections, results: Collection[str]) -> None:
        base = path.rpartition("/")[0] + "/" if "/" in path else ""
        below = [result for result in results if result.startswith(base)]
        names, words = _by_part(base, below), _by_word(base, below)
        self._sections = sections
        self._words = {section: _name_words(section.title) for section in sections[1:]}
        shared = Counter((section.parent, word) for section, of_section in self._words.items() for word in of_section)
        siblings = Counter(section.parent for section in self._words)
        self._named: dict[Section, frozenset[str]] = {}
        for section, of_section in self._words.items():
            count = siblings[section.parent]
            telling = {word for word in of_section if count == 1 or shared[section.parent, word] < count}
            if named := names.get(section.title.lower()) or _named_by_words(telling, words):
                self._named[section] = named
        self._runs = {(section.parent, form) for section in self._named for form in _forms(self._words[section])}
        self._is_prose = is_prose_name(path.rpartition("/")[2])
        self._unlike: set[Section] | None = None
        self._warned: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._named) or self._is_prose

    def _results(self, section: Section) -> frozenset[str] | None:
        """The results of which a section speaks: those that its heading names; none, of a run that is not here; None for any."""
        is_run = any((section.parent, form) in self._runs for form in _forms(self._words[section]))
        return self._named.get(section, frozenset() if is_run else None)

    def select(self, located: Collection[LocatedT], path: str) -> list[LocatedT]:
        """The clues that apply to the file at `path`: of each key those below the innermost heading that names it."""
        if self._unlike is None and self._is_prose:
            self._unlike, self._warned = self._find_contradictions([item.clue for item in located][:_MAX_COMPARED])
        best: dict[str, tuple[int, list[LocatedT]]] = {}
        for item in located:
            chain = self._sections.at(item.clue.line).chain
            enclosing = [results for section in chain if (results := self._results(section)) is not None]
            if not all(path in results for results in enclosing):
                continue
            if not enclosing and self._unlike and item.clue.key not in self._warned and not self._unlike.isdisjoint(chain):
                continue
            depth, items = best.get(item.clue.key, (-1, []))
            if len(enclosing) > depth:
                best[item.clue.key] = len(enclosing), [item]
            elif len(enclosing) == depth:
                items.append(item)
        return [item for _, items in best.values() for item in items]

    def _find_contradictions(self, clues: list[Clue]) -> tuple[set[Section], set[str]]:
        """The outermost sections that contradict each other, and the keys that a warning names."""
        by_key: dict[str, list[tuple[Clue, list[Section]]]] = {}
        for clue in clues:
            if clue.key in KEYS and (chain := self._sections.at(clue.line).chain):
                by_key.setdefault(clue.key, []).append((clue, chain[::-1]))
        unlike, warned = set[Section](), set[str]()
        for key, placed in by_key.items():
            for (one, outer), (other, inner) in combinations(placed, 2):
                parting = next((pair for pair in zip(outer, inner, strict=False) if pair[0] is not pair[1]), None)
                if parting is None or one.value == other.value:
                    continue
                of_runs = not self._named.keys().isdisjoint(parting)
                if of_runs or one.subject == other.subject or not (one.subject and other.subject):
                    unlike.update(parting)
                    if not of_runs and "command" not in (one.kind, other.kind):
                        warned.add(key)
        return unlike, warned


def _by_part(base: str, results: Iterable[str]) -> dict[str, frozenset[str]]:
    """The results by each folder, by their names and by these without suffix, in lower case."""
    found: dict[str, set[str]] = {}
    for result in results:
        parts = result[len(base) :].lower().split("/")
        for part in (*parts, parts[-1].rpartition(".")[0]):
            found.setdefault(part, set()).add(result)
    return {part: frozenset(named) for part, named in found.items() if part}


def _by_word(base: str, results: Collection[str]) -> dict[str, set[str]]:
    """The results by each word of their paths that not all have."""
    found: dict[str, set[str]] = {}
    for result in results:
        for word in _name_words(result[len(base) :]):
            found.setdefault(word, set()).add(result)
    return {word: named for word, named in found.items() if len(results) == 1 or len(named) < len(results)}


def _named_by_words(telling: Set[str], words: Mapping[str, set[str]]) -> frozenset[str]:
    """The results with most of the words, which are half of them or hold a date."""
    counts = Counter(result for word in telling for result in words.get(word, ()))
    most = max(counts.values(), default=0)
    if 2 * most < len(telling) and not any("." in word for word in telling & words.keys()):
        return frozenset()
    return frozenset(result for result, count in counts.items() if count == most)


def _forms(words: Iterable[str]) -> set[str]:
    """What the dates and numbered words among them have in common: `run` of run3."""
    return {"." if "." in word else word.rstrip("0123456789") for word in words if word[-1].isdecimal()}


def find_readme_sections(sections_by_path: Mapping[str, Sections], with_values: Collection[str]) -> dict[str, ReadmeSections]:
    """The files whose sections may speak of some results only. `sections_by_path`: of each file with clues for others."""
    found = {path: ReadmeSections(path, sections, with_values) for path, sections in sections_by_path.items()}
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
        group = id(counts), value.metric, value.stat
        first_titles, _ = self._first.setdefault(group, (titles, counts))  # keeps `counts` alive, so that its id() stays unique
        if not titles:
            return None
        last = (first_titles or [self._sections[0]])[-1], titles[-1]
        differing = ((one or last[0], other or last[1]) for one, other in zip_longest(first_titles, titles))
        first, title = next((pair for pair in differing if _are_different(*pair)), (None, None))
        if first is None or title is None or (not first.line and "  " in title.title):  # a row above a rule
            return None
        if title.line not in self.doubts and len(self.doubts) < _MAX_DOUBTS:
            others = f"under {first.title!r} (line {first.line})" if first.line else "above it"
            self.doubts[title.line] = Doubt(
                title.line,
                "unlike-titles",
                f"The {value.tool} results under {title.title!r} count as repetitions of those {others}: "
                "nothing that was recorded distinguishes them.",
            )
        return title.title


_LISTS = read_table(__file__)
_SILENT, _PLACE = lazy("|".join((*_LISTS["occasion"], *_LISTS["content"]))), lazy("|".join(_LISTS["place"]))
_UNSAID = lazy(r"(?<![^\W_])[a-z]{2}_[A-Z]{2}(?![^\W_])|\d{3,}")  # languages, and numbers of jobs
_RUN_NUMBER = lazy(r"(?:[-_ .]?\d{1,3})?(?:\.[A-Za-z]\w{0,7})*\Z")


def _setup_words(name: str) -> frozenset[str]:
    """The words of the name of a file or folder that may tell of a setup."""
    words = telling_words(_UNSAID.sub("", name).replace("_", "-")) if not _PLACE.fullmatch(name.lower()) else ()
    return frozenset(word for word in words if is_telling(word) and not _SILENT.fullmatch(word))


def _named(path: str) -> list[tuple[str, str, frozenset[str]]]:
    """Of the folders around a file, where they have such words, and of the file in its folder: scope, name and words."""
    folder, _, file = path.rpartition("/")
    stem, of_folder = _RUN_NUMBER.sub("", file), frozenset[str]().union(*map(_setup_words, folder.split("/")))
    of_file = f"{folder}/", f"{stem}*", _setup_words(stem)
    return [("", f"{folder}/", of_folder), of_file] if of_folder else [of_file]


class NamedFiles:
    """Files and folders whose names may distinguish runs of otherwise one configuration and workload."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._are_unlike = len({tuple(words for *_, words in _named(path)) for path in paths}) > 1
        self._first: dict[int, tuple[str, frozenset[str]]] = {}  # by a hash, since there may be one for each file
        self._warned = Counter[str]()

    def doubts(self, path: str, value: Value, config: Mapping[str, Any]) -> Iterator[Doubt]:
        """A warning if files of another name have runs of the configuration and workload of the value."""
        if not self._are_unlike:
            return
        workload = {key: item for key, item in value.params.items() if is_identity(key)}
        alike = value.tool, value.metric, value.stat, value.origin, str(sorted(config.items())), str(sorted(workload.items()))
        for scope, name, words in _named(path):
            first, first_words = self._first.setdefault(hash((scope, *alike)), (name, words))
            if words != first_words and not self._warned[scope + name] and self._warned[scope] < _MAX_DOUBTS:
                self._warned.update((scope, scope + name))
                others = f"count as repetitions of those in {first}: nothing but their names distinguishes them."
                yield Doubt(1, "unlike-titles", f"The {value.tool} results in {name} {others}")


def titles_above(sections: Sections | None, line: int | str) -> list[Section]:
    """The titles with telling words above a line, outermost first."""
    if not sections or not isinstance(line, int):
        return []
    chain = sections.at(line).chain[::-1]
    return [one for one in chain if telling_words(one.title) and (one.leads or not one.is_weak or line - one.line <= _NEAR)]


def _are_different(first: Section, second: Section) -> bool:
    return first.line < second.line and telling_words(first.title) != telling_words(second.title)
