"""Which parsers and readers a file concerns, and what they found in it."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import TypeVar, TypeVarTuple

from ingest.detect.handmade_tables import find_handmade_tables
from ingest.detect.prefilter import Prefilter
from ingest.detect.readme_sections import Heading, headings
from ingest.detect.titles import Title, titles
from ingest.lazy_regex import compile_all, lazy
from ingest.plugin_api import Parser, Reader, find_plugins
from ingest.records import CONTRADICTORY, LOST, Clue, Doubt, Value
from ingest.spill.values import CHUNK_SIZE, SpilledValues, ValueSpill
from ingest.text import line_wrap
from ingest.text.damage import drop_damaged_values
from ingest.text.decode import read_text
from ingest.text.line_wrap import WideLine
from ingest.text.lines import ShownCommand, Text
from ingest.transcript import interleaved

LOSSES = {
    "short-row",
    "long-row",
    "bad-number",
    "no-header",
    "cut",
    "unread",
    "parser-failed",
    "unknown-unit",
    "broken-archive",
    "limit",
    "ambiguous",
    "failed-run",
}
LARGEST = 1e30  # of what a storage system does no quantity comes near, in any unit; and its square is still a number
# A command that stands in a log without a prompt: what comes far below it is its.
_COMMAND = lazy(r"^[^\w\n]{0,8}(?:(?:sudo|doas)[ \t]+)?(?:time|dd|rsync|cp|mv|tar|rm|find)[ \t]+[^\s:]", re.M)


_Who = TypeVar("_Who", Parser, Reader)
_Given = TypeVarTuple("_Given")
_NO_CLUES: list[Clue] = []
_NO_DOUBTS: list[Doubt] = []
_NO_COMMANDS: list[ShownCommand] = []
_PARSERS: dict[tuple[int, ...], list[Parser]] = {}
_READERS: dict[tuple[int, ...], list[Reader]] = {}


def _same_list(who: list[_Who], lists: dict[tuple[int, ...], list[_Who]]) -> list[_Who]:
    return lists.setdefault(tuple(map(id, who)), who)  # parsers and readers live as long as the process


@dataclass(slots=True)
class FileFindings:
    """What was found in one file. `parsers` and `readers` are those that found something."""

    path: str
    sha256: str
    size: int
    values: Sequence[Value] = ()  # once all are known
    gathered: list[Value] = field(default_factory=list)  # while the file is read
    clues: list[Clue] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    parsers: list[Parser] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)
    commands: list[ShownCommand] = field(default_factory=list)
    headings: Sequence[Heading] = ()  # of a file that speaks for those around it
    titles: Sequence[Title] = ()  # of a file with values
    unreadable: bool = False
    origins: Sequence[int] | None = None  # the line of the file for each line of the text, where they are not the same
    broken: line_wrap.JoinedLines | None = None
    shelf: ValueSpill | None = field(default=None, repr=False)
    aside: SpilledValues | None = field(
        default=None, repr=False
    )  # the first values of a file that has too many, until all are known

    @property
    def told(self) -> int:
        """How much was found so far."""
        return len(self.gathered) + len(self.clues) + len(self.doubts) + (len(self.aside) if self.aside else 0)

    def put_aside(self) -> int:
        """Let the shelf take the values that are there; how many more memory shall hold before it is called again."""
        if self.shelf is None:
            return sys.maxsize
        self.aside = self.aside or self.shelf.begun()
        whole = len(self.gathered) // CHUNK_SIZE * CHUNK_SIZE
        self.aside.add(self.gathered[:whole])
        del self.gathered[:whole]
        return self.shelf.room

    def settle(self) -> None:
        """Everything was found. Many files find the same, or nothing: they share the lists, which nobody adds to from here on."""
        self.parsers, self.readers = _same_list(self.parsers, _PARSERS), _same_list(self.readers, _READERS)
        self.clues, self.commands = self.clues or _NO_CLUES, self.commands or _NO_COMMANDS
        self.doubts = self.doubts or _NO_DOUBTS
        for doubt in self.doubts:
            doubt.message = sys.intern(doubt.message)

    def let_go(self) -> None:
        """Nobody asks for the clues, commands and doubts any more."""
        self.clues, self.commands, self.doubts = _NO_CLUES, _NO_COMMANDS, _NO_DOUBTS

    @property
    def status(self) -> str:
        """parsed, partial, context, unrecognised or failed."""
        lost = any(doubt.code in LOSSES for doubt in self.doubts)
        if self.values:
            return "partial" if lost else "parsed"
        if any(doubt.code == "parser-failed" for doubt in self.doubts):
            return "failed"
        if lost or self.parsers:
            return "partial"
        return "context" if self.clues else "unrecognised"


@cache
def parsers() -> tuple[Parser, ...]:
    """The parsers of ingest.parsers, by name."""
    return tuple(find_plugins("ingest.parsers", "PARSER"))


@cache
def readers() -> tuple[Reader, ...]:
    """The readers of ingest.context, by name."""
    return tuple(find_plugins("ingest.context", "READER"))


def versions() -> dict[str, int]:
    """Name -> version of every parser and reader, as `FileReport` gives them."""
    return {one.name: one.version for one in readers()} | {one.name: one.version for one in parsers()}


@cache
def _prefilter() -> tuple[tuple[Parser | Reader, ...], Prefilter]:
    """All who read text, parsers first, and the prefilter of their anchors."""
    everybody: tuple[Parser | Reader, ...] = (*(p for p in parsers() if p.parse and p.anchor), *(r for r in readers() if r.read))
    return everybody, Prefilter([one.anchor for one in everybody])


def _concerned(text: Text) -> list[Parser | Reader]:
    """Those whose anchor the text matches."""
    everybody, prefilter = _prefilter()
    return [everybody[at] for at in prefilter.matching(text)]


@cache
def _wide() -> tuple[WideLine, ...]:
    """The lines by which parsers know a text that a terminal broke."""
    return tuple(wide for parser in parsers() for wide in parser.wide)


def load_parsers() -> None:
    """Load every parser and reader with all their patterns now. Else the first file that is looked at waits for it."""
    _prefilter(), _wide(), compile_all()


def is_binary_format(data: bytes) -> bool:
    """Whether a parser of binary files claims what the bytes begin with."""
    return any(data.startswith(parser.magic) for parser in parsers() if parser.parse_bytes is not None)


class NoiseDetector:
    """Whether parts of a long file are noise, for `containers.skip_noise`; None as soon as a parser far from brief has begun."""

    def __init__(self) -> None:
        self._begun = False
        self._met: set[str] = set()  # the tools of which an anchor matched

    def __call__(self, part: bytes) -> bool | None:
        """Told in order, the beginning of the file first. Where memory ends, whoever reads the file meets that."""
        with suppress(MemoryError):
            return self._is_noise(part)
        return None

    def _is_noise(self, part: bytes) -> bool | None:
        begins, self._begun = not self._begun, True
        if begins and (is_binary_format(part) or b"\0" in part[:1000]):
            return None
        text, doubts = read_text("", part)
        if text is None:
            return None
        matching = _concerned(text)
        met = [one for one in matching if isinstance(one, Parser)]
        if not all(one.brief for one in met):
            return None
        self._met.update([one.name for one in met])
        return not (
            doubts
            or met
            or text.commands
            or _COMMAND.search(text.body)
            or any(map(_finds, matching, repeat(text)))
            or self._follows(text)
        )

    def _follows(self, text: Text) -> bool:
        """Whether lines stand in it that a tool may have written whose output began before."""
        return any(
            parser.name in self._met and parser.follows is not None and parser.follows.search(text.body) for parser in parsers()
        )


def _finds(one: Parser | Reader, text: Text) -> bool:
    """Whether it may find something: a reader whose anchor matches hardly less than everything is asked."""
    if isinstance(one, Parser) or one.read is None or not (one.common or one.anchor is None):
        return True
    return any(True for _ in one.read(text))


def _is_unlike(clue: Clue) -> bool:
    return isinstance(clue.group, tuple) and clue.group[0] == CONTRADICTORY


def collect_findings(found: FileFindings, text: Text | None, data: bytes) -> None:
    """Let everybody whom the file concerns read it."""
    if text is not None:
        found.broken = line_wrap.join_wrapped_lines(text, _wide(), found.doubts)
    if text is not None and (text.hosts or LOST in text.body):
        found.shelf = None  # what stands where is looked at once more when all is found
    for parser in parsers():
        if parser.parse_bytes is not None and data.startswith(parser.magic):
            _run(found, parser, parser.parse_bytes, found.path, data)
    if text is not None and not text.hosts:
        _read(found, text)
    elif text is not None:
        _read_each(found, text)
    if text is not None and not found.parsers:
        found.doubts += find_handmade_tables(text)
        found.headings = headings(text) if found.clues else ()
    elif any(_is_unlike(clue) for clue in found.clues):
        found.clues = [clue for clue in found.clues if not _is_unlike(clue)]
    if text is not None and LOST in text.body:
        found.gathered, torn = drop_damaged_values(found.gathered, text.lines)
        found.doubts += torn
    _settle_claims(found)
    found.titles = titles(text) if text is not None and len(found.values) > 1 else ()


def _read(found: FileFindings, text: Text) -> None:
    name, matching = text.name.lower(), _concerned(text)
    owner = next((one for one in matching if isinstance(one, Reader) and one.alone and one.name == name), None)
    for one in (owner,) if owner else matching:
        call = one.parse if isinstance(one, Parser) else one.read
        if call is not None:
            _run(found, one, call, text)


def _read_each(found: FileFindings, text: Text) -> None:
    """A text whose lines name their hosts: what several of its readings give was found once."""
    for one, elsewhere in interleaved.split_by_host(text):
        part = FileFindings(found.path, found.sha256, found.size)
        _read(part, one)
        found.gathered += [value for value in part.gathered if value.line not in elsewhere]
        found.clues += [clue for clue in part.clues if clue.line not in elsewhere]
        found.doubts += [doubt for doubt in part.doubts if doubt.line not in elsewhere]
        found.parsers += [parser for parser in part.parsers if parser not in found.parsers]
        found.readers += [reader for reader in part.readers if reader not in found.readers]
    found.clues += interleaved.find_host_changes(text, [*found.gathered, *found.clues])


def _run(
    found: FileFindings, who: Parser | Reader, call: Callable[[*_Given], Iterable[Value | Doubt | Clue]], *given: *_Given
) -> None:
    """One parser or reader. The only broad `except` of ingest: a fault of ours must not cost the other files."""
    before, most = found.told, found.shelf.room if found.shelf else sys.maxsize
    values, take, short = found.gathered, found.gathered.append, False
    try:
        for item in call(*given):
            if type(item) is Value:
                if -LARGEST < item.value < LARGEST:
                    take(item)
                    if len(values) >= most:
                        most = found.put_aside()
                else:
                    large = f"{item.native}: {item.raw[:40]!r} is too large for a measurement"
                    found.doubts.append(Doubt(item.line, "bad-number", large))
            elif isinstance(item, Clue):
                found.clues.append(item)
            else:
                found.doubts.append(item)
    except MemoryError:
        short = True  # told below: until this clause ends, what filled the memory is held
    except Exception as error:
        found.doubts.append(Doubt(1, "parser-failed", f"{who.name} stopped with {type(error).__name__}: {error}"[:300]))
    if short:
        found.doubts.append(Doubt(1, "limit", f"{who.name} needs more memory for the file than there is; what it found is kept."))
    if found.told > before:
        if isinstance(who, Parser):
            found.parsers.append(who)
        else:
            found.readers.append(who)


def _settle_claims(found: FileFindings) -> None:
    """The same number of a line for the same metric taken by two parsers counts once, for the first."""
    found.values, found.gathered = found.gathered, []
    if found.aside is not None:
        found.aside.add(found.values)
        found.values, found.aside = found.aside, None
    if len(found.parsers) < 2:
        return
    seen: dict[tuple[int | str, str, str, str], str] = {}
    kept, claimed = FileFindings("", "", 0, shelf=found.shelf), _claimed(found.values)
    for value in found.values:
        first = value.tool
        if claimed is None or value.line in claimed:
            first = seen.setdefault((value.line, value.metric, value.raw, value.stat), value.tool)
        if first == value.tool:
            kept.gathered.append(value)
            if claimed is not None and len(kept.gathered) >= CHUNK_SIZE:
                kept.put_aside()
        else:
            found.doubts.append(
                Doubt(
                    value.line,
                    "two-claims",
                    f"{first} and {value.tool} both read {value.raw} here as {value.metric}; the first was kept.",
                )
            )
    found.values = kept.gathered
    if kept.aside is not None:
        kept.aside.add(kept.gathered)
        found.values = kept.aside


def _claimed(values: Sequence[Value]) -> set[int | str] | None:
    """The lines on which several tools found something; None where it is not worth while to tell them."""
    if not isinstance(values, SpilledValues):
        return None
    tools: dict[str, array[int]] = {}
    others: set[int | str] = set()
    for value in values:
        if isinstance(value.line, int):
            lines = tools.setdefault(value.tool, array("q"))
            if not lines or lines[-1] != value.line:
                lines.append(value.line)
        else:
            others.add(value.line)
    *fewer, most = sorted(tools.values(), key=len)
    met: set[int] = set()
    for lines in fewer:
        others.update(met.intersection(lines))
        met.update(lines)
    return others | met.intersection(most)
