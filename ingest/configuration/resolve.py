"""Evidence and its place -> the flat configuration of each value, by nearness of scope.

Nearest first: what the tool's own output tells of the run; the lines of the same file (`timeline`); the file as a whole (its
name, a manifest's glob); files that share a name part; the folder and those above it, up to the archive. Only within one scope
does the kind decide: stated, dump, command, label, name. A contradiction within one scope warns, and the key stays absent there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from sys import intern
from typing import Any, TypeVar

from ingest.configuration.clues import (
    LocatedClue,
    drop_file_system_of_disk,
    drop_other_pools,
    drop_other_systems,
    find_last_in_transcript,
    stated_clues,
)
from ingest.configuration.equal_values import REFINED_KEYS, are_compatible
from ingest.configuration.scopes import EvidenceScopes
from ingest.configuration.statements import StatementIndex
from ingest.configuration.subjects import keys_contradicting_label, matching_subjects, measured_path, mount_point
from ingest.configuration.timeline import KINDS, ClueTimeline
from ingest.detect import detect, readme_sections
from ingest.detect.detect import FileFindings
from ingest.keys import KEYS
from ingest.records import Clue, Doubt, Evidence, StatedFact, Value
from ingest.text.lines import ShownCommand
from ingest.transcript.hosts import BANNER, HostTimeline

Resolved = tuple[Mapping[str, Any], Mapping[str, str]]
# Of values that have one configuration: turns before them, measured path, identity of what the tool told, and the run.
_Mark = tuple[int, str | None, int, tuple[str, Any] | None]
_Place = TypeVar("_Place")
_Found = TypeVar("_Found")
_UNKNOWN: Any = object()
_MOST = 10_000  # what was worked out for values of one file and may be asked for again
_EMPTY = frozenset({"", "-", "none", None})


@dataclass(slots=True)
class _FileClues:
    """What is made of the clues of a file, whatever its path: `ordered` are those that tell something, by line."""

    clues: list[Clue]
    stated: list[Clue]
    ordered: list[Clue]
    timeline: ClueTimeline
    turns: list[int]
    banners: bool


@dataclass(slots=True)
class _File:
    findings: FileFindings
    heard: _FileClues
    timeline: ClueTimeline
    turns: Sequence[int] = ()
    hosts: HostTimeline | None = None
    by_host: dict[str | None, ClueTimeline] = field(default_factory=dict)
    outer: dict[str | None, dict[str, LocatedClue]] = field(default_factory=dict)
    spoken: list[LocatedClue] | None = None
    doubts: list[Doubt] = field(default_factory=list)
    # What was worked out, by identity of the values' mappings, which the findings keep alive.
    paths: dict[tuple[int, int], str | None] = field(default_factory=dict)
    resolved: dict[_Mark, Resolved] = field(default_factory=dict)
    lines: Sequence[int] = ()  # of its commands


class Resolver:
    """Resolves the values of one upload. Equal configurations are the same object; so are those told in the same places."""

    def __init__(self, found: list[FileFindings], stated: Mapping[str, Any] | Iterable[StatedFact]) -> None:
        self.statements = StatementIndex(() if isinstance(stated, Mapping) else stated)
        stated = stated if isinstance(stated, Mapping) else {}
        self.stated = stated_clues({key: value for key, value in stated.items() if key in KEYS})
        self.files = _files(found)
        self.scopes = EvidenceScopes(found)
        self.sections = readme_sections.find_readme_sections(
            [(f.path, f.headings) for f in found if f.headings], self.scopes.with_values
        )
        for f in found if len(found) > 1 else ():
            self.files[f.path].doubts += [
                Doubt(clue.line, "bad-manifest", f'[files."{clue.subject}"] matches no file of this upload.'[:300])
                for clue in self.scopes.unreached(f)
            ]
        self.names = {f.path: _named(f.path) for f in found}
        self.alike: dict[str, dict[str, Any]] = {}
        self.kept: dict[tuple[int | str, ...], Resolved] = {}
        self.warned: set[tuple[str, str, str, str]] = set()

    def holds_anywhere(self, findings: FileFindings) -> bool:
        """Whether no line of the file changes what is known, so that it does not matter on which one a value stands."""
        return not findings.commands and not self.files[findings.path].turns

    def forget(self, findings: FileFindings) -> None:
        """Values of the file are held no longer: what is known by their identities holds for others now."""
        file = self.files[findings.path]
        file.paths.clear()
        file.resolved.clear()

    def done(self, findings: FileFindings) -> None:
        """All that the file told was given away: one with values speaks for no other, of others it is worked out anew."""
        self.forget(findings)
        (file := self.files[findings.path]).outer.clear()
        if findings.path in self.scopes.with_values:
            self.names.pop(findings.path, None)
            findings.let_go()
            file.lines = file.turns = ()
            del file.heard, file.timeline, file.hosts  # a mistake shall be loud
            file.by_host.clear()
        if len(self.kept) > _MOST:  # the same from here on are equal to those before and no longer the same objects
            self.kept.clear()
            self.alike.clear()

    def configuration(self, findings: FileFindings, value: Value) -> Resolved:
        """Flat configuration and, for each key, FILE:LINE: worked out once for values that nothing sets apart."""
        file = self.files[findings.path]
        line = value.line if isinstance(value.line, int) else 1
        command = _command(findings.commands, file.lines, line) if findings.commands else None
        place = (id(value.params), command.line if command else 0)
        path = file.paths.get(place, _UNKNOWN)
        if path is _UNKNOWN:
            _forget(file.paths)
            path = file.paths[place] = measured_path(value.params, command)
        if value.printed_config and "pool.name" in value.printed_config:
            path = mount_point(value.printed_config["pool.name"][0])
        mark = (
            bisect_right(file.turns, line),
            path,
            id(value.printed_config) if value.printed_config else 0,
            (value.tool, value.run) if findings.path in self.statements.of_runs else None,
        )
        known = file.resolved.get(mark)
        if known is None:
            _forget(file.resolved)
            known = file.resolved[mark] = self._resolve(findings, file, line, path, value)
        return known

    def _resolve(self, findings: FileFindings, file: _File, line: int, path: str | None, value: Value) -> Resolved:
        chosen = dict(self._outer(file, path))
        inner = self._inner(file, line, path)
        inner.update(
            {
                key: LocatedClue(findings.path, Clue(at, key, told, str(told)))
                for key, (told, at) in value.printed_config.items()
                if key in KEYS
            }
        )
        drop_other_systems(chosen, inner)
        chosen.update(inner)
        if "pool.name" in value.printed_config:
            drop_other_pools(chosen, value.printed_config["pool.name"][0])
        if self.statements.of_runs:
            of_run = stated_clues(self.statements.of_run(findings, value))
            drop_other_systems(chosen, of_run)
            chosen.update(of_run)
        compression = chosen.get("pool.compression")
        if compression is None or compression.clue.value != "on":
            # A pool's version tells what `on` means; of a named algorithm it tells nothing.
            chosen.pop("pool.compression_effective", None)
        return self._kept(chosen)

    def _inner(self, file: _File, line: int, path: str | None) -> dict[str, LocatedClue]:
        found = {}
        timeline = file.by_host[file.hosts.at(line)] if file.hosts else file.timeline
        for key in timeline.keys.keys() | timeline.labels.keys():
            if (clue := timeline.at(key, line, path)) is not None:
                found[key] = LocatedClue(file.findings.path, clue)
        told = {key: source.clue for key, source in found.items()}
        others = file.hosts.of_others(told, line, path) if file.hosts else []
        for key in {*others, *(keys_contradicting_label(told, path) if "fs.type" in timeline.labels else ())}:
            del found[key]
        return drop_file_system_of_disk(found, path)

    def _outer(self, file: _File, path: str | None) -> dict[str, LocatedClue]:
        """What all scopes outside of the file's own lines tell, once per file and measured path."""
        known = file.outer.get(path)
        if known is None:
            known = dict(self.stated)
            for scope in reversed(self.scopes.around(file.findings.path)):
                nearer = self._scope(file, scope, path)
                drop_other_systems(known, nearer)
                known.update(nearer)
            file.outer[path] = known = drop_file_system_of_disk(known, path)
        return known

    def _scope(self, file: _File, scope: tuple[str, list[str]], path: str | None) -> dict[str, LocatedClue]:
        """One scope: the clues of its files and of its name, the best kind of each key, contradictions warned about."""
        word, members = scope
        own = file.findings.path
        clues: dict[str, list[LocatedClue]] = {}
        for source in self._sources(word, members, own):
            clues.setdefault(source.clue.key, []).append(source)
        found = {}
        for key, sources in clues.items():
            if any(source.clue.subject for source in sources):
                fitting = matching_subjects(key, frozenset([s.clue.subject for s in sources if s.clue.kind != "stated"]), path)
                sources = [s for s in sources if s.clue.subject in fitting or s.clue.kind == "stated"]
            best = self._agreed(file, word, key, sources)
            if best is not None:
                found[key] = best
        found.update(stated_clues(self.statements.of_scope(word, own)))
        return found

    def _sources(self, word: str, members: list[str], own: str) -> Iterator[LocatedClue]:
        depth = self.scopes.depth(word, members)
        for path in members:
            file = self.files[path]
            if path != own and word != "file":
                if file.spoken is None:
                    file.spoken = list(_spoken(file))
                yield from self.sections[path].heard(file.spoken, own) if path in self.sections else file.spoken
            for clue in file.heard.stated:
                if self.scopes.reaches(path, clue.subject, word, depth, own):
                    yield LocatedClue(path, clue)
        parts = own.split("/")
        for at, clue in self.names[own]:
            if (word == "file" and at == len(parts) - 1) or (word != "file" and at == depth - 1 and at < len(parts) - 1):
                yield LocatedClue(own, clue)

    def _agreed(self, file: _File, word: str, key: str, sources: list[LocatedClue]) -> LocatedClue | None:
        """The source of the best kind; None, with a warning, where that kind contradicts itself."""
        if len(sources) < 2:
            return sources[0] if sources else None
        top = min(KINDS[s.clue.kind] for s in sources)
        best = [s for s in sources if KINDS[s.clue.kind] == top]
        if key in REFINED_KEYS:
            # 13.2 in one file and 13.2-RELEASE-p4 in another tell the same; the fuller one says more.
            best.sort(key=lambda s: -len(str(s.clue.value)))
        other = next((s for s in best[1:] if not are_compatible(key, best[0].clue.value, s.clue.value)), None)
        if other is None:
            return best[0]
        last = find_last_in_transcript(best)
        if last is not None:
            return last
        mark = (word, key, best[0].place, other.place)
        if mark not in self.warned:
            self.warned.add(mark)
            self.files[best[0].file].doubts.append(
                Doubt(
                    best[0].clue.line,
                    "conflict",
                    f"{key} is {best[0].clue.value} here and {other.clue.value} at {other.place}; neither was taken.",
                )
            )
        return None

    def _kept(self, chosen: dict[str, LocatedClue]) -> Resolved:
        order = [key for key in KEYS if key in chosen and chosen[key].clue.value not in _EMPTY]
        told = tuple([(key, chosen[key].clue.value) for key in order])
        alike = repr(told)
        config = self.alike.get(alike) or self.alike.setdefault(alike, dict(told))
        places = [intern(chosen[key].place) for key in order]
        return self.kept.setdefault((id(config), *places), (config, dict(zip(order, places, strict=True))))

    def evidence(self, findings: FileFindings) -> Iterator[Evidence]:
        """Every clue of the file as a record, with the word for its scope."""
        word = self.scopes.word(findings)
        for clue in self.files[findings.path].heard.ordered:
            scope = "line" if clue.effect == "labels" else "transcript" if word == "file" and findings.commands else word
            yield Evidence(findings.path, clue.line, clue.key, clue.value, clue.raw, clue.kind, scope)
        for at, clue in self.names[findings.path]:
            is_file = at == findings.path.count("/")
            yield Evidence(findings.path, 0, clue.key, clue.value, clue.raw, "name", "file" if is_file else "folder")

    def doubts(self, findings: FileFindings) -> list[Doubt]:
        """Contradictions whose first place is in this file."""
        return self.files[findings.path].doubts


def _files(found: Iterable[FileFindings]) -> dict[str, _File]:
    """Each file by path. Those of the same bytes share the list of their clues, and what is made of it."""
    heard: dict[int, _FileClues] = {}
    return {one.path: _file(one, heard.get(id(one.clues)) or heard.setdefault(id(one.clues), _heard(one.clues))) for one in found}


def _heard(found: list[Clue]) -> _FileClues:
    stated = [clue for clue in found if clue.kind == "stated"]
    clues = [clue for clue in found if clue.kind != "stated"] if stated else found
    ordered = [clue for clue in sorted(found, key=_by_place) if clue.effect != "ends"]
    timeline = ClueTimeline.of(clues)
    banners = any(clue.group == BANNER for clue in clues)
    return _FileClues(clues, stated, ordered, timeline, timeline.turns(), banners)


_by_place = attrgetter("line", "key")


def _file(found: FileFindings, heard: _FileClues) -> _File:
    timeline, clues = heard.timeline, heard.clues
    hosts = HostTimeline(found.commands, clues) if found.commands or heard.banners else None
    lines = [command.line for command in found.commands]
    if hosts is None or not hosts.several:
        return _File(found, heard, timeline, heard.turns, lines=lines)
    by_host = {name: ClueTimeline.of(hosts.heard(name, clues)) for name in (None, *hosts.names)}
    turns = {turn for one in (timeline, *by_host.values()) for turn in one.turns()}
    return _File(found, heard, timeline, sorted(turns.union(hosts.lines)), hosts, by_host, lines=lines)


def _spoken(file: _File) -> Iterator[LocatedClue]:
    """What a file tells those around it."""
    path = file.findings.path
    for clues in file.timeline.keys.values():
        yield from (LocatedClue(path, clue) for clue in clues if clue.effect != "ends")
    if not file.findings.values:
        for clues in file.timeline.labels.values():
            yield from (LocatedClue(path, clue) for clue in clues if clue.effect != "ends")


def _forget(known: dict[_Place, _Found]) -> None:
    if len(known) >= _MOST:
        known.clear()


def _named(path: str) -> list[tuple[int, Clue]]:
    """Clues of each part of a path, with its depth: the last is the file's own name."""
    folder, slash, name = path.rpartition("/")
    return _of_folder(folder) + [(path.count("/"), clue) for clue in _of_name(name)] if slash else _of_folder(name)


@lru_cache(10_000)
def _of_folder(path: str) -> list[tuple[int, Clue]]:
    return [(at, clue) for at, part in enumerate(path.split("/")) for clue in _of_name(part)]


@lru_cache(10_000)
def _of_name(part: str) -> tuple[Clue, ...]:
    return tuple(clue for reader in detect.readers() if reader.read_name is not None for clue in reader.read_name(part))


def _command(commands: list[ShownCommand], lines: Sequence[int], line: int) -> ShownCommand | None:
    at = bisect_right(lines, line) - 1
    return commands[at] if at >= 0 and line <= max(commands[at].last, commands[at].line) else None
