"""What a module in `parsers/` or `context/` must offer, as frozen dataclasses of functions."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.records import Clue, Doubt, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text


@dataclass(frozen=True, slots=True)
class Shape:
    """One form of output that a parser reads, for docs/formats.md."""

    name: str
    versions: str
    units: str
    traps: str = ""


class Anchor:
    """What every text matches that a parser or reader can read: a pattern with its literals, or several joined by `|`.

    The pattern stays within a line and does not tell digits apart (`[3-9]`, `ext4`), since it is searched in one line of each
    kind, whose digits are all written 0 (`Text.alike`). A literal is text in small letters, each digit written 0; one of them
    stands in every match, in whatever case, so that the pattern is searched only where one is found. Without any it always is.
    """

    __slots__ = ("alternatives",)

    def __init__(self, pattern: re.Pattern[str], *literals: str) -> None:
        self.alternatives: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = ((pattern, literals),)

    def __or__(self, other: Anchor) -> Anchor:
        both = Anchor.__new__(Anchor)
        both.alternatives = self.alternatives + other.alternatives
        return both

    def search(self, text: str) -> re.Match[str] | None:
        """A match of one of its patterns, of the first that matches."""
        return next((found for pattern, _ in self.alternatives if (found := pattern.search(text))), None)

    def is_in(self, lines: str, low: str) -> bool:
        """Whether the lines match; `low`: them in small letters, each digit written 0."""
        return any(
            (not literals or any(map(low.__contains__, literals))) and pattern.search(lines)
            for pattern, literals in self.alternatives
        )


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads one benchmark tool.

    Where `anchor` is not found in a text the parser is not called, so it must match every text that `parse` can read, and
    cost little (see `Anchor`). `parse` scans the whole text, finds every run of its tool, whatever
    surrounds it, and yields `Value`s, `Doubt`s and `Clue`s in line order. It raises nothing on any input.
    A parser of binary files sets `magic` (the bytes a file begins with) and `parse_bytes` instead.
    `brief`: all that it reads of one run stands within half a megabyte of a match of the anchor or of a shell command,
    so that what lies between two such places of a very long file can be left out.
    `follows`: found in every line of it that may stand below a match of the anchor, however far, and is kept as well.
    `wide`: lines by which it is known that a terminal broke the lines of a text (see `ingest.text.line_wrap`).
    `version` is raised with every change of what is read; `source` cites the definition of the format.
    """

    name: str
    version: int
    anchor: Anchor | None
    parse: Callable[[Text], Iterable[Value | Doubt | Clue]] | None
    shapes: tuple[Shape, ...] = ()
    source: str = ""
    magic: tuple[bytes, ...] = ()
    parse_bytes: Callable[[str, bytes], Iterable[Value | Doubt | Clue]] | None = None
    brief: bool = False
    follows: re.Pattern[str] | None = None
    wide: tuple[WideLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of evidence about a configuration; `anchor` and `read` as for `Parser`.

    `read_name`, where set, is also called with the path inside the archive of every file (folder and file names as evidence).
    `common`: the anchor matches so many texts that only reading tells whether one concerns it.
    `alone`: files that are named like it are its own, and nobody else reads them.
    """

    name: str
    version: int
    anchor: Anchor | None
    read: Callable[[Text], Iterable[Clue | Doubt]] | None
    source: str = ""
    read_name: Callable[[str], Iterable[Clue]] | None = None
    common: bool = False
    alone: bool = False


def find_plugins(package: str, name: str) -> list[Any]:
    """What the modules of a package, and of packages in it, offer under this name (`PARSER`, `READER`), by module name.

    Modules and packages that begin with an underscore are helpers.
    """
    modules = sorted(_modules(package), key=lambda module: module.rpartition(".")[2])
    offers = [getattr(importlib.import_module(module), name, None) for module in modules]
    return [offer for offer in offers if offer is not None]


def _modules(package: str) -> Iterator[str]:
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        leaf = info.name.rpartition(".")[2]
        if leaf.startswith("_") or leaf == "tests":
            continue
        yield from _modules(info.name) if info.ispkg else (info.name,)
