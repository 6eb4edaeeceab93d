"""What a module in `parsers/`, `series/` or `context/` must offer, as frozen dataclasses of functions.

The docstring of a module in `parsers/` or `series/` lists the forms of output that each of its plugins reads, a row each under
`Shapes of NAME (name | versions | units | traps):`; `Source:`, or `Source of NAME:` where a module has several, cites what defines
the format. docs/formats.md prints both.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ingest.open_keys import namespace_of
from ingest.points import PointStore
from ingest.records import Clue, Doubt, Found, FoundSeries, Member
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

MOST_CLUES = 20_000
"""Clues that one reader takes from one file: the properties of some 300 data sets."""


class Anchor:
    """Matches every text that a parser or reader can read: a pattern with its literals, or several joined by `|`.

    The pattern stays within a line and does not distinguish digits (no `[3-9]`, `ext4`), since it is searched in one line of
    each shape, whose digits are all written 0 (`Text.distinct_lines`). Literals, separated by `|`, are lower-case text, each
    digit written 0; every match contains one of them, in either case, and the pattern is searched only if one is found.
    Without literals it always is.
    """

    __slots__ = ("alternatives",)

    def __init__(self, pattern: re.Pattern[str], literals: str = "") -> None:
        words = tuple(literals.split("|")) if literals else ()
        self.alternatives: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ((pattern, words),)

    def __or__(self, other: Anchor) -> Anchor:
        union = Anchor.__new__(Anchor)
        union.alternatives = self.alternatives + other.alternatives
        return union

    def search(self, text: str) -> re.Match[str] | None:
        """A match of the first pattern that matches."""
        return next((match for pattern, _ in self.alternatives if (match := pattern.search(text))), None)


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """What a command line says about the values of its run, or, where it has several jobs, about those of one.

    `operations`: those of the catalogue that it can give; empty where any. `implied`: parameters that no option gives.
    `line`, `file`: of the job file that gives them, 0 and '' for the command line itself.
    """

    params: Mapping[str, Any]
    job: str = ""
    operations: frozenset[str] = frozenset()
    implied: frozenset[str] = frozenset()
    line: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True)
class CommandReader:
    """Reads command lines of a tool that stand apart from its outputs, in a script beside them.

    `read(command, version, job_files)`: what each job of the command gives, as the parser names it; `job_files`: lines by base
    name. `programs`: base names of the program. `reports`: options whose argument is the file of the report. `streams`: where it
    prints results, `stdout` or `stderr`.
    """

    tool: str
    programs: tuple[str, ...]
    read: Callable[[str, str | None, Mapping[str, Sequence[str]]], Sequence[CommandOptions]]
    reports: tuple[str, ...] = ()
    streams: tuple[str, ...] = ("stdout",)


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads one benchmark tool.

    `parse` is called only if `anchor` matches the text, so the anchor must match every text that `parse` can read, and be
    cheap (see `Anchor`). `parse` scans the whole text, finds every run of its tool in any surroundings, and yields `Value`s,
    `MissingValue`s, `Doubt`s and `Clue`s in line order. It raises nothing on any input.
    A parser of binary files sets `magic` (the bytes a file begins with) and `parse_bytes` instead.
    `brief`: everything that it reads of one run is within half a megabyte of a match of the anchor or of a shell command,
    so that text between two such places of a very long file can be skipped.
    `follows`: matches every line of its output that may be further below a match of the anchor; such lines are not skipped.
    `wide`: lines by which `ingest.text.line_wrap` detects that a terminal wrapped the lines of a text.
    `version` is raised with every change of what is read.
    `commands`: how command lines of the tool are read that stand beside its outputs.
    """

    name: str
    version: int
    anchor: Anchor | None
    parse: Callable[[Text], Iterable[Found | Clue]] | None
    magic: tuple[bytes, ...] = ()
    parse_bytes: Callable[[str, bytes], Iterable[Found | Clue]] | None = None
    brief: bool = False
    follows: re.Pattern[str] | None = None
    wide: tuple[WideLine, ...] = ()
    commands: CommandReader | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of evidence about a configuration; `anchor` and `read` as for `Parser`.

    `read_name`, if set, is also called with the path inside the archive of every file (folder and file names as evidence).
    `common`: the anchor matches so many texts that only `read` can decide whether one is relevant.
    `alone`: only this reader reads files whose name is the reader's name.
    """

    name: str
    version: int
    anchor: Anchor | None
    read: Callable[[Text], Iterable[Clue | Doubt | Member]] | None
    read_name: Callable[[str], Iterable[Clue]] | None = None
    common: bool = False
    alone: bool = False

    def clues(self, text: Text) -> Iterator[Clue | Doubt | Member]:
        """What `read` finds, but for open keys beyond `MOST_CLUES`, with a doubt where the first of these stands."""
        is_cut = False
        for number, item in enumerate(self.read(text) if self.read else ()):
            # Few files have so many clues: keys are looked at only beyond them.
            if number < MOST_CLUES or not isinstance(item, Clue) or not namespace_of(item.key):
                yield item
            elif not is_cut:
                is_cut = True
                message = f"There are more than {MOST_CLUES:,} properties; those from this line on were not read."
                yield Doubt(item.line, "limit", message)


NOT_OWN, SHARED, OWN = 0, 1, 2
"""What a line is to a reader of series: not of its output; also of other tools' (a line that several print alike); its own."""


@dataclass(frozen=True, slots=True)
class SeriesContext:
    """What a reader of series may use besides the lines. `command`: the command whose output holds a line, '' if not shown."""

    store: PointStore
    name: str
    command: Callable[[int], str]


class LineReader(Protocol):
    """Reads the output of one tool line by line. It raises nothing on any text and keeps no text in memory but the store's."""

    def feed(self, line: str, number: int) -> int:
        """Takes the next line; returns NOT_OWN, SHARED or OWN. A reader is not called for lines that another owns."""
        ...

    def leave(self) -> None:
        """Another tool's output began: a row is not read before the next header."""
        ...

    def finish(self) -> Iterable[FoundSeries | Doubt]:
        """All series and doubts, after the last line."""
        ...


@dataclass(frozen=True, slots=True)
class SeriesReader:
    """Reads the numbers over time of one tool, in any length: the file is read line by line.

    `anchor` as for `Parser`. `names`: the file's name must match it, if set.
    `also_parsed`: a parser reads the same lines as results, so that they are not skipped in a long file.
    """

    name: str
    version: int
    anchor: Anchor
    open: Callable[[SeriesContext], LineReader]
    names: re.Pattern[str] | None = None
    also_parsed: bool = False


_Plugin = TypeVar("_Plugin", Parser, Reader, SeriesReader)


def find_plugins(package: str, kind: type[_Plugin]) -> tuple[_Plugin, ...]:
    """Every `Parser`, `SeriesReader` or `Reader` that the modules of a package and its subpackages define, by module name.

    Modules and packages that begin with an underscore are helpers.
    """
    modules = map(importlib.import_module, sorted(_modules(package), key=lambda module: module.rpartition(".")[2]))
    return tuple(plugin for module in modules for plugin in vars(module).values() if isinstance(plugin, kind))


def _modules(package: str) -> Iterator[str]:
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        leaf = info.name.rpartition(".")[2]
        if leaf.startswith("_") or leaf == "tests":
            continue
        yield from _modules(info.name) if info.ispkg else (info.name,)
