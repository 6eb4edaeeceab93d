"""The flat configuration of each value, from the evidence by nearness of scope.

Nearest first: what the tool's own output prints about the run; the lines of the same file (`timeline`); the file as a whole
(its name, a manifest's glob); files that share a name part; the folder and those above it, up to the archive. Only within one
scope does the kind decide: stated, dump, command, label, name. A contradiction within one scope gives a warning, and the key
stays unset there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from sys import intern
from typing import Any, NamedTuple, TypeVar

from ingest.configuration import devices
from ingest.configuration.clues import (
    REFINED_KEYS,
    LocatedClue,
    are_compatible,
    drop_file_system_of_disk,
    drop_other_formats,
    drop_other_pools,
    drop_other_systems,
    drop_systems_that_lost,
    find_last_in_transcript,
    spell_devices,
    stated_clues,
)
from ingest.configuration.disagreements import Disagreements
from ingest.configuration.duplicate_evidence import DuplicateEvidence
from ingest.configuration.host_evidence import EvidenceHosts, ResultHost, drop_system_of_other_host
from ingest.configuration.host_names import identifies, short_name, usual_names
from ingest.configuration.implied import find_implied
from ingest.configuration.machine_facts import FileEvidence, MachineFacts, gather
from ingest.configuration.numbered_outputs import NumberedOutputs
from ingest.configuration.path_clues import UNANSWERED, NumbersInNames, clues_of_path
from ingest.configuration.places import MEMBERS, UNKNOWN, MeasuredPlace, disks_below
from ingest.configuration.scopes import Definitions, EvidenceScopes, StatementIndex
from ingest.configuration.stated import is_stated_run
from ingest.configuration.subjects import (
    Mounts,
    is_of_file_system,
    keys_contradicting_label,
    matching_subjects,
    measured_path,
    mount_point,
)
from ingest.configuration.timeline import KINDS, ClueTimeline, sections_of_labels
from ingest.detect import titles
from ingest.detect.findings import FileFindings
from ingest.keys import KEYS, is_key
from ingest.open_keys import is_identity, may_be_chosen, namespace_of
from ingest.records import NO_KEYS, STATED, Clue, Doubt, Evidence, MissingValue, StatedFact, Value
from ingest.spill import printed_about_machines
from ingest.state import AFTER_RUNS, CACHES_DROPPED, badness, holds_before, is_state
from ingest.text.lines import ShownCommand
from ingest.text.sections import Section
from ingest.transcript.hosts import BANNER, HostTimeline


class Resolved(NamedTuple):
    """A flat configuration, the FILE:LINE of each key, the open keys that a person set, and the keys that are implied.

    `base`: the configuration without the state before the run; equal ones are one object.
    """

    config: Mapping[str, Any]
    references: Mapping[str, str]
    chosen: frozenset[str]
    implied: tuple[str, ...]
    base: Mapping[str, Any]


# Key of values with one configuration: number of changes before them, path, id() of what the tool printed, id() of what their
# duplicates tell, run if something is stated about runs.
_CacheKey = tuple[int, str | None, int, int, tuple[str, Any] | None]
_DuplicateKey = tuple[str, int, str | None, int]  # path, number of changes before the value, measured path, id()
_Key = TypeVar("_Key")
_Cached = TypeVar("_Cached")
_LABELS = ("label", "name")
_COMPRESSIONS = ("pool.compression", "pool.compression_effective")
_UNKNOWN: Any = object()
_MAX_CACHED = 10_000  # entries of each cache
_EMPTY = frozenset({"", "-", "none", None})


@dataclass(slots=True)
class _FileClues:
    """The clues of a file, independent of its path: `ordered`: all but those that end a key, by line."""

    clues: list[Clue]
    stated: list[Clue]
    ordered: list[Clue]
    timeline: ClueTimeline
    changes: list[int]
    has_banners: bool
    sections: Mapping[int, Section]


@dataclass(slots=True)
class _File:
    findings: FileFindings
    file_clues: _FileClues
    timeline: ClueTimeline
    changes: Sequence[int] = ()
    hosts: HostTimeline | None = None
    by_host: dict[str | None, ClueTimeline] = field(default_factory=dict)
    outer: dict[tuple[MeasuredPlace, ResultHost | None], dict[str, LocatedClue]] = field(default_factory=dict)
    clues_for_others: list[LocatedClue] | None = None
    doubts: list[Doubt] = field(default_factory=list)
    # Caches by id() of the values' mappings, which the findings keep alive.
    paths: dict[tuple[int, int], str | None] = field(default_factory=dict)
    resolved: dict[_CacheKey, Resolved] = field(default_factory=dict)
    with_parameters: dict[tuple[int, tuple[tuple[str, int], ...]], tuple[Resolved, Resolved]] = field(default_factory=dict)
    command_lines: Sequence[int] = ()

    def timeline_at(self, line: int) -> ClueTimeline:
        """The clues for the host of a line."""
        if self.hosts is None:
            return self.timeline
        host = self.hosts.host_at(line)
        if host not in self.by_host:
            self.by_host[host] = ClueTimeline.of(self.hosts.select(host, self.file_clues.clues), self.file_clues.sections)
        return self.by_host[host]


class Resolver:
    """Resolves the values of one upload. Equal configurations are one object, and so are the resolutions from equal evidence."""

    def __init__(self, findings_list: list[FileFindings], stated: Mapping[str, Any] | Iterable[StatedFact]) -> None:
        self.statements = StatementIndex(() if isinstance(stated, Mapping) else stated)
        stated = stated if isinstance(stated, Mapping) else {}
        self.stated = stated_clues({key: value for key, value in stated.items() if is_key(key)})
        self.files = _files(findings_list)
        self.scopes = EvidenceScopes(findings_list)
        self.definitions = Definitions(findings_list)
        for findings in findings_list if self.definitions else ():
            file = self.files[findings.path]
            file.changes = sorted({*file.changes, *(section.line for section in findings.sections or ())})
        self.sections = titles.find_readme_sections(
            {one.path: one.sections for one in findings_list if one.sections and one.clues and not one.values},
            self.scopes.with_values,
        )
        for findings in findings_list if len(findings_list) > 1 else ():
            self.files[findings.path].doubts += [
                Doubt(clue.line, "bad-manifest", f"{_table_of(clue)} matches no file in this upload."[:300])
                for clue in self.scopes.unmatched_globs(findings)
            ]
        self.numbered = NumberedOutputs(
            findings_list, {path: file.timeline.labels for path, file in self.files.items() if file.timeline.labels}
        )
        for path, doubt in self.numbered.doubts:
            self.files[path].doubts.append(doubt)
        self.places: dict[MeasuredPlace, MeasuredPlace] = {}
        self.last_mounts: tuple[tuple[Any, ...], Mounts] = (), Mounts()
        self.makers = Counter(
            scope
            for path, file in self.files.items()
            if path in self.scopes.with_values and file.timeline.has_created(1 << 60, UNKNOWN)
            for scope, _ in self.scopes.around(path)
        )
        """By scope, the number of files with results that create a file system or pool."""
        self.stated_hosts = [
            LocatedClue(path, clue) for path, file in self.files.items() for clue in file.file_clues.stated if clue.key == "host"
        ]
        self.hosts = EvidenceHosts(findings_list, self.scopes.with_values, self._stated_host)
        self.titles: dict[str, str] = {}
        """By path: what its name is called where a number in it may be a level of compression or a repetition."""
        self.path_clues = self._clues_of_names()
        self.configs: dict[str, dict[str, Any]] = {}
        self.resolutions: dict[tuple[object, ...], Resolved] = {}
        self.warned: set[tuple[str, str, str, str]] = set()
        self.duplicates = DuplicateEvidence()
        self._of_duplicates: dict[_DuplicateKey, tuple[Any, dict[str, LocatedClue]]] = {}
        self.host_names = usual_names(self.hosts.spellings)
        machines = MachineFacts(self._evidence_of_machines()) if len(findings_list) > 1 or self.host_names else None
        self.machines = machines if len(findings_list) > 1 else None
        for name in [name for name in self.host_names if machines and short_name(name) in machines.contradictory]:
            del self.host_names[name]
        self._with_caches: dict[tuple[int, tuple[str, str]], tuple[Resolved, Resolved]] = {}
        self.disagreements = Disagreements(lambda path, doubt: self.files[path].doubts.append(doubt))

    def _clues_of_names(self) -> dict[str, list[tuple[int, Clue]]]:
        """The clues of all paths, without levels that are none, or may be none and are not stated; the latter with a warning."""
        shown = {str(clue.value) for file in self.files.values() for clue in file.file_clues.clues if clue.key in _COMPRESSIONS}
        shown |= {str(fact.value) for fact in self.statements.of_places if fact.key in _COMPRESSIONS}
        numbers = NumbersInNames(self.files, shown)
        for question in numbers.questions.values():
            members = {path: part for part in question.parts.values() for path in self.files if f"{path}/".startswith(f"{part}/")}
            if all("pool.compression" in self.statements.of_scope("file", path) for path in members):
                continue
            self.titles |= {path: f"{part.rpartition('/')[2]}{UNANSWERED}" for path, part in members.items()}
            self.files[next(iter(members))].doubts.append(question.doubt)
        return {path: numbers.without_levels(path, clues_of_path(path)) for path in self.files}

    def _evidence_of_machines(self) -> Iterator[FileEvidence]:
        """What each file, and what a person states of some, says about hosts and systems."""
        for path, file in self.files.items():
            host_at = file.hosts.host_at if file.hosts and file.hosts.has_several else lambda line: None
            of_path = ((None, clue) for _, clue in self.path_clues[path])
            of_lines = ((host_at(clue.line), clue) for clue in file.file_clues.ordered)
            is_typed = any(parser.name == "results-table" for parser in file.findings.parsers)
            yield gather(path, chain(of_lines, of_path), printed_about_machines(file.findings.values), typed=is_typed)
        for fact in [*self.statements.of_places, *chain.from_iterable(self.statements.of_runs.values())]:
            yield gather(fact.path, [(None, Clue(0, fact.key, fact.value, "", "stated"))], {}, typed=True)

    def link_duplicates(self, first_path: str, first: Value, second_path: str, second: Value) -> None:
        """Two values show one result: the evidence about one run is also that of the other."""
        runs = (first_path, first.run), (second_path, second.run)
        if runs[0] == runs[1]:
            return
        for (path, run), value in zip(runs, (first, second), strict=True):
            if not self.duplicates.knows(path, run):
                self.duplicates.add(path, run, value.line, self._evidence_of_duplicate(self.files[path], value))
        self.duplicates.link(*runs)

    def _evidence_of_duplicate(self, file: _File, value: Value) -> dict[str, LocatedClue]:
        line = value.line if isinstance(value.line, int) else 1
        path = measured_path(value.params, _command_of(file.findings.commands, file.command_lines, line))
        if "pool.name" in value.printed_config:
            path = mount_point(value.printed_config["pool.name"][0])
        # The cache keeps `printed_config` alive, so that its id() is not reused.
        key = (file.findings.path, bisect_right(file.changes, line), path, id(value.printed_config) if value.printed_config else 0)
        if file.findings.path in self.statements.of_runs:
            return self._choose_clues(file, line, path, value)
        if key not in self._of_duplicates:
            _limit_cache(self._of_duplicates)
            self._of_duplicates[key] = value.printed_config, self._choose_clues(file, line, path, value)
        return self._of_duplicates[key][1]

    def end_of_duplicates(self) -> None:
        """All duplicates were linked."""
        for path, doubt in self.duplicates.share():
            self.files[path].doubts.append(doubt)
        self._of_duplicates.clear()

    def is_uniform(self, findings: FileFindings) -> bool:
        """Whether the configuration is the same on all lines of the file."""
        return not findings.commands and not self.files[findings.path].changes

    def clear_identities(self, findings: FileFindings) -> None:
        """Values of the file were freed: clear the caches by id(), which may be reused."""
        file = self.files[findings.path]
        file.paths.clear()
        file.resolved.clear()
        file.with_parameters.clear()

    def release(self, findings: FileFindings) -> None:
        """Free what is only needed for records of the file, which were all yielded. The clues of a file without values stay."""
        self.clear_identities(findings)
        (file := self.files[findings.path]).outer.clear()
        if findings.path in self.scopes.with_values:
            self.path_clues.pop(findings.path, None)
            findings.release()
            file.command_lines = file.changes = ()
            del file.file_clues, file.timeline, file.hosts  # a later access is an error
            file.by_host.clear()
        if len(self.resolutions) > _MAX_CACHED:  # from here on, equal ones may be different objects
            self.resolutions.clear()
            self.configs.clear()

    def configuration(self, findings: FileFindings, value: Value | MissingValue) -> Resolved:
        """The configuration of a value; resolved once for values with the same cache key."""
        file = self.files[findings.path]
        line, path = self._line_and_path(file, value)
        key = (
            bisect_right(file.changes, line),
            path,
            id(value.printed_config) if value.printed_config else 0,
            id(self.duplicates.of_run(findings.path, value.run)) if self.duplicates else 0,
            (value.tool, value.run) if findings.path in self.statements.of_runs else None,
        )
        resolution = file.resolved.get(key)
        if resolution is None:
            _limit_cache(file.resolved)
            resolution = file.resolved[key] = self._resolve(file, line, path, value)
        return _with_parameters(file, resolution, value.implied) if value.implied else resolution

    def _line_and_path(self, file: _File, value: Value | MissingValue) -> tuple[int, str | None]:
        """The line of a value, and the path that it was measured on."""
        findings, line = file.findings, value.line if isinstance(value.line, int) else 1
        command = _command_of(findings.commands, file.command_lines, line) if findings.commands else None
        path_key = (id(value.params), command.line if command else 0)
        path = file.paths.get(path_key, _UNKNOWN)
        if path is _UNKNOWN:
            _limit_cache(file.paths)
            path = file.paths[path_key] = measured_path(value.params, command)
        if value.printed_config and "pool.name" in value.printed_config:
            path = mount_point(value.printed_config["pool.name"][0])
        return line, path

    def disks_of(self, findings: FileFindings, value: Value) -> frozenset[str]:
        """The disks that hold what a value was measured on; empty if they are not known, or one of them is a device made of others
        that are not."""
        file = self.files[findings.path]
        line, path = self._line_and_path(file, value)
        return disks_below(self._surroundings(file, line, path, value)[2])

    def with_caches(self, resolved: Resolved, caches: tuple[str, str]) -> Resolved:
        """The resolution with what a transcript shows of the caches before the run: what emptied them with its FILE:LINE, or two
        empty texts; the same object for equal ones."""
        state, place = caches
        if not state and CACHES_DROPPED not in resolved.config:
            return resolved
        cached = self._with_caches.get((id(resolved), caches))
        if cached is None:
            _limit_cache(self._with_caches)
            config, references = dict(resolved.config), dict(resolved.references)
            config.pop(CACHES_DROPPED, None), references.pop(CACHES_DROPPED, None)
            if state:
                config[CACHES_DROPPED], references[CACHES_DROPPED] = state, place
            extended = resolved._replace(config=self._equal_config(config, resolved.implied), references=references)
            cached = self._with_caches[id(resolved), caches] = (resolved, extended)  # referenced, so that its id() stays unique
        return cached[1]

    def _resolve(self, file: _File, line: int, path: str | None, value: Value | MissingValue) -> Resolved:
        """The configuration of a value: of its own evidence, that of its duplicates, that of its machine."""
        chosen = self._choose_clues(file, line, path, value)
        if self.duplicates:
            self.duplicates.complete(chosen, file.findings.path, value.run)
        if self.machines is not None:
            self.machines.fill(chosen, file.findings.path)
        drop_other_formats(chosen)
        if (lower := chosen.pop("fs.stack", None)) and (
            upper := chosen.get("fs.type") if str(lower.clue.value)[0] == "/" else lower
        ):
            stack = lower.clue.value if upper is lower else f"{upper.clue.value}{lower.clue.value}"  # on what image files lie
            chosen["fs.stack"] = LocatedClue(lower.file, replace(lower.clue, value=stack))
        ignored = self.statements.ignored_keys(file.findings, value)
        for key in ignored:
            chosen.pop(key, None)
        return self._shared(chosen, ignored)

    def _choose_clues(self, file: _File, line: int, path: str | None, value: Value | MissingValue) -> dict[str, LocatedClue]:
        """The clues of a value's own evidence, from the farthest scope to the nearest."""
        findings = file.findings
        timeline, host, place = self._surroundings(file, line, path, value)
        inner = self._clues_of_file(file, timeline, line, place)
        drop_system_of_other_host(inner, host)
        chosen = dict(self._clues_of_context(file, place, host))
        inner.update(
            {
                key: LocatedClue(findings.path, Clue(printed_line, key, printed, str(printed)))
                for key, (printed, printed_line) in value.printed_config.items()
                if is_key(key)
            }
        )
        _prefer_entered_host(inner, chosen)
        if self.definitions:
            self._define_labels(file, line, inner, chosen)
        self.disagreements.compare_scopes(inner, chosen)
        _drop_farther(chosen, inner)
        chosen.update(inner)
        if "pool.name" in value.printed_config:
            drop_other_pools(chosen, value.printed_config["pool.name"][0])
        if self.statements.of_runs:
            run_clues = stated_clues(self.statements.of_run(findings, value))
            self.disagreements.compare_scopes(run_clues, chosen)
            _drop_farther(chosen, run_clues)
            chosen.update(run_clues)
        devices.settle(chosen, place)
        compression = chosen.get("pool.compression")
        if compression is None or compression.clue.value != "on":
            # The version of a pool determines the meaning of `on`, but not of a named algorithm.
            chosen.pop("pool.compression_effective", None)
        return chosen

    def _surroundings(
        self, file: _File, line: int, path: str | None, value: Value | MissingValue
    ) -> tuple[ClueTimeline, ResultHost | None, MeasuredPlace]:
        """The clues for the host of a value, that host, and where it was measured."""
        timeline = file.timeline_at(line)
        named = timeline.at("host", line, UNKNOWN)
        path_of_file = file.findings.path
        host = self.hosts.host_of_results(file.findings, value, {"host": LocatedClue(path_of_file, named)} if named else {})
        return timeline, host, self._place(file, timeline, line, path, host)

    def _define_labels(self, file: _File, line: int, inner: dict[str, LocatedClue], outer: dict[str, LocatedClue]) -> None:
        """Put what documents say of the names of the file, or of the title above the line, in the place of these labels."""
        path, above = file.findings.path, titles.titles_above(file.findings.sections, line)
        names = {clue.key: LocatedClue(path, clue) for _, clue in self.path_clues[path]}
        labels = names | {key: one for key, one in inner.items() if one.clue.kind in _LABELS}
        for key, defined in self.definitions.of(path, above[-1].title if above else "", labels).items():
            if all(key not in clues or clues[key].clue.kind in _LABELS for clues in (inner, outer)):
                inner[key] = defined
                outer.pop(key, None)

    def _place(self, file: _File, timeline: ClueTimeline, line: int, path: str | None, host: ResultHost | None) -> MeasuredPlace:
        """Where a value was measured, by the mounts that its own lines and the files around it show."""
        known, mounts = self.last_mounts  # those of one file alone: values of a file follow each other
        if known != (key := (file.findings.path, host, id(timeline))):
            mounts = Mounts()
            self.last_mounts = key, mounts
            mounts.add(timeline.mounts())
            for _, members in self.scopes.around(file.findings.path):
                for other in members:
                    if other != file.findings.path:
                        clues = [LocatedClue(other, clue) for clue in self.files[other].timeline.mounts()]
                        mounts.add(source.clue for source in self.hosts.select(other, clues, host, self.files[other].doubts))
        place = mounts.place_of(path, timeline.at(MEMBERS, line, MeasuredPlace(path)))
        place = replace(place, is_new=True) if timeline.has_created(line, place) else place
        return self.places.setdefault(place, place)

    def _clues_of_file(self, file: _File, timeline: ClueTimeline, line: int, place: MeasuredPlace) -> dict[str, LocatedClue]:
        """The clues of the file's own lines that are valid for a value."""
        located = {}
        for key in sorted(timeline.keys.keys() | timeline.labels.keys()):
            if key != CACHES_DROPPED and (clue := timeline.at(key, line, place)) is not None:
                located[key] = LocatedClue(file.findings.path, clue)
                if (overruled := timeline.overruled_at(key, line, place)) is not None:
                    self.disagreements.compare(located[key], [LocatedClue(file.findings.path, overruled)])
        clues = {key: source.clue for key, source in located.items()}
        foreign_keys = file.hosts.keys_of_others(clues, line, place.path) if file.hosts else []
        for key in {*foreign_keys, *(keys_contradicting_label(clues, place.path) if "fs.type" in timeline.labels else ())}:
            del located[key]
        devices.drop_contradicted(located)
        if "os.family" in located:
            families = chain(timeline.keys.get("os.family", ()), timeline.labels.get("os.family", ()))
            drop_systems_that_lost(located, [LocatedClue(file.findings.path, clue) for clue in families if clue.effect != "ends"])
        return drop_file_system_of_disk(located, place.path)

    def _clues_of_context(self, file: _File, place: MeasuredPlace, host: ResultHost | None) -> dict[str, LocatedClue]:
        """The clues of all scopes outside of the file's own lines, cached by place and host."""
        cache_key = place, host
        clues = file.outer.get(cache_key)
        if clues is None:
            scopes: list[dict[str, LocatedClue]] = []
            for scope in self.scopes.around(file.findings.path):
                scopes.append(nearer := self._clues_of_scope(file, scope, place, host))
                if scope[0] == "file" and (labels := self.numbered.clues_of(file.findings.path)):
                    scopes.append(labels)
                host = host or self.hosts.host_of_scope(file.findings.path, nearer)
            clues = dict(self.stated)
            for nearer in reversed(scopes):
                _prefer_entered_host(nearer, clues)
                self.disagreements.compare_scopes(nearer, clues)
                _drop_farther(clues, nearer)
                clues.update(nearer)
            file.outer[cache_key] = clues = drop_file_system_of_disk(clues, place.path)
        return clues

    def _stated_host(self, path: str) -> str | None:
        """The host that a person states for the file, in the review or a manifest."""
        stated = self.statements.of_scope("file", path).get("host")
        of_manifests = (
            source.clue.value
            for source in self.stated_hosts
            if self.scopes.applies_to(source.file, source.clue.subject, "file", -1, path)
        )
        host = stated or next(of_manifests, None)
        return str(host) if host else None

    def _clues_of_scope(
        self, file: _File, scope: tuple[str, list[str]], place: MeasuredPlace, host: ResultHost | None
    ) -> dict[str, LocatedClue]:
        """The clues of the files and names of one scope, the best kind of each key, with warnings about contradictions."""
        scope_name, members = scope
        own_path = file.findings.path
        clues: dict[str, list[LocatedClue]] = {}
        is_before = place.is_new and self.makers[scope_name] > 1  # a listing cannot be of what each of several runs created
        for source in self._clues_in_scope(scope_name, members, own_path, host):
            if is_before and source.clue.kind == "dump" and source.clue.key != "fs.version" and is_of_file_system(source.clue.key):
                continue
            clues.setdefault(devices.scoped_key(source.clue), []).append(source)
        chosen = {}
        for key, sources in clues.items():
            if any(source.clue.subject for source in sources):
                subjects = frozenset([source.clue.subject for source in sources if source.clue.kind != "stated"])
                fitting = matching_subjects(key, subjects, place)
                sources = [source for source in sources if source.clue.subject in fitting or source.clue.kind == "stated"]
            best = self._choose(file, scope_name, key, sources)
            if best is not None:
                chosen[key] = next((source for source in sources if source.clue.by_person and _are_equal(source, best)), best)
                self.disagreements.compare(best, sources)
        devices.drop_contradicted(chosen)
        drop_systems_that_lost(chosen, clues.get("os.family", ()))
        stated = stated_clues(self.statements.of_scope(scope_name, own_path))
        self.disagreements.compare_scopes(stated, chosen)
        return chosen | stated

    def _clues_in_scope(self, scope_name: str, members: list[str], own_path: str, host: ResultHost | None) -> Iterator[LocatedClue]:
        """All clues of the files and names of one scope that apply to the file."""
        depth = self.scopes.depth(scope_name, members)
        for path in members:
            file = self.files[path]
            if path != own_path and scope_name != "file":
                if file.clues_for_others is None:
                    file.clues_for_others = list(_clues_for_others(file, with_labels=path not in self.numbered.logs))
                clues = file.clues_for_others
                clues = self.sections[path].select(clues, own_path) if path in self.sections else clues
                yield from self.hosts.select(path, clues, host, file.doubts)
            for clue in file.file_clues.stated:
                if self.scopes.applies_to(path, clue.subject, scope_name, depth, own_path):
                    yield LocatedClue(path, clue)
        parts = own_path.split("/")
        for depth_of_part, clue in self.path_clues[own_path]:
            if (scope_name == "file" and depth_of_part == len(parts) - 1) or (
                scope_name != "file" and depth_of_part == depth - 1 and depth_of_part < len(parts) - 1
            ):
                yield LocatedClue(own_path, clue)

    def _choose(self, file: _File, word: str, key: str, sources: list[LocatedClue]) -> LocatedClue | None:
        """The clue of the best kind; None if clues of that kind contradict each other, with a warning where the key distinguishes
        configurations: counters of two listings differ.
        """
        if len(sources) < 2:
            return sources[0] if sources else None
        best_kind = min(KINDS[source.clue.kind] for source in sources)
        best = [source for source in sources if KINDS[source.clue.kind] == best_kind]
        if is_state(key):
            return _choose_state(devices.property_of(key), best)
        if key in REFINED_KEYS:
            # 13.2 in one file and 13.2-RELEASE-p4 in another are compatible; prefer the more detailed one.
            best.sort(key=lambda source: -len(str(source.clue.value)))
        contradiction = next(
            (source for source in best[1:] if not are_compatible(key, best[0].clue.value, source.clue.value)), None
        )
        if contradiction is None:
            return best[0]
        last = find_last_in_transcript(best)
        if last is not None:
            return last
        first = best[0]
        conflict = (word, key, first.reference, contradiction.reference)
        if conflict not in self.warned and _distinguishes(devices.property_of(key), best):
            self.warned.add(conflict)
            values = f"{key} is {first.clue.value} here and {contradiction.clue.value} in {contradiction.reference}"
            self.files[first.file].doubts.append(Doubt(first.clue.line, "conflict", f"{values}; neither was used."))
        return None

    def _shared(self, chosen: dict[str, LocatedClue], ignored: Iterable[str]) -> Resolved:
        """The configuration of the chosen clues; equal ones are one object. `ignored`: keys unknown because a person says so."""
        order = [key for key in KEYS if key in chosen and chosen[key].clue.value not in _EMPTY]
        set_keys, open_keys = NO_KEYS, list[str]()
        if len(order) < len(chosen) and (open_keys := _listed_open_keys(chosen)):
            order += open_keys
            set_keys = frozenset(key for key in open_keys if _is_chosen(chosen[key].clue))
        values = {key: spell_devices(key, chosen[key].clue.value) for key in order}
        references = {key: intern(chosen[key].reference) for key in order}
        if "host" in values:
            values["host"] = self.host_names.get(values["host"], values["host"])
        implied = [fact for fact in find_implied(values) if fact[0] not in ignored]
        for key, value, source in implied:
            values[key], references[key] = value, references[source]
        implied_keys = tuple(key for key, _, _ in implied)
        config = base = self._equal_config(values, implied_keys)
        if of_state := [key for key in open_keys if is_state(key)]:
            base = dict(values)
            for key in of_state:
                del base[key]
            base = self._equal_config(base, implied_keys)
        references |= dict.fromkeys(ignored, STATED)
        resolved = Resolved(config, references, set_keys, implied_keys, base)
        return self.resolutions.setdefault((id(config), set_keys, *references.values(), *ignored), resolved)

    def _equal_config(self, values: dict[str, Any], implied: tuple[str, ...]) -> dict[str, Any]:
        """The values as one object for equal ones."""
        return self.configs.setdefault(repr((*values.items(), *implied)), values)

    def evidence(self, findings: FileFindings) -> Iterator[Evidence]:
        """Every clue of the file as a record, with its scope."""
        word = self.scopes.scope_of(findings)
        for clue in self.files[findings.path].file_clues.ordered:
            if is_stated_run(clue):
                continue
            scope = "line" if clue.effect == "labels" else "transcript" if word == "file" and findings.commands else word
            yield Evidence(findings.path, clue.line, clue.key, clue.value, clue.raw, clue.kind, scope=scope)
        for depth, clue in self.path_clues[findings.path]:
            is_file = depth == findings.path.count("/")
            yield Evidence(findings.path, 0, clue.key, clue.value, clue.raw, "name", scope="file" if is_file else "folder")

    def doubts(self, findings: FileFindings) -> list[Doubt]:
        """Contradictions whose first clue is in this file."""
        return self.files[findings.path].doubts


def _files(findings_list: Iterable[FileFindings]) -> dict[str, _File]:
    """Each file by path. Files of the same bytes share the list of their clues and what is derived from it."""
    clues_by_id: dict[int, _FileClues] = {}
    files = {}
    for findings in findings_list:
        if id(findings.clues) not in clues_by_id:
            clues_by_id[id(findings.clues)] = _file_clues(findings)
        files[findings.path] = _file(findings, clues_by_id[id(findings.clues)])
    return files


def _file_clues(findings: FileFindings) -> _FileClues:
    clues = findings.clues
    stated = [clue for clue in clues if clue.kind == "stated"]
    unstated = [clue for clue in clues if clue.kind != "stated" and clue.effect != "defines"]
    ordered = [clue for clue in sorted(clues, key=_by_place) if clue.effect != "ends" and clue.value is not None]
    sections = sections_of_labels(findings.sections, clues, _result_lines(findings))
    timeline = ClueTimeline.of(unstated, sections)
    banners = any(clue.group == BANNER for clue in unstated)
    return _FileClues(unstated, stated, ordered, timeline, timeline.changes(), banners, sections)


def _result_lines(findings: FileFindings) -> list[int]:
    """The lines with values, in order; none without sections, which only texts of a bounded length have."""
    values = findings.values if findings.sections is not None else ()
    return sorted({value.line for value in values if isinstance(value.line, int)})


_by_place = attrgetter("line", "key")


def _file(findings: FileFindings, file_clues: _FileClues) -> _File:
    timeline, clues = file_clues.timeline, file_clues.clues
    hosts = None
    if findings.commands or file_clues.has_banners or (findings.sections and clues):
        hosts = HostTimeline(findings.commands, clues, findings.sections, _result_lines(findings))
    command_lines = [command.line for command in findings.commands]
    if hosts is None or not hosts.has_several:
        return _File(findings, file_clues, timeline, file_clues.changes, command_lines=command_lines)
    return _File(
        findings, file_clues, timeline, sorted({*file_clues.changes, *hosts.lines}), hosts, {}, command_lines=command_lines
    )


def _table_of(clue: Clue) -> str:
    """The table of a manifest that names files."""
    return f'[[runs]] file = "{clue.subject}"' if is_stated_run(clue) else f'[files."{clue.subject}"]'


def _clues_for_others(file: _File, *, with_labels: bool) -> Iterator[LocatedClue]:
    """The clues of a file that apply to the files around it."""
    path = file.findings.path
    is_later = AFTER_RUNS.search(path.rpartition("/")[2]) is not None
    for key, clues in file.timeline.keys.items():
        if not is_later or holds_before(key):
            yield from (LocatedClue(path, clue) for clue in clues if clue.effect != "ends")
    if with_labels and not file.findings.values:
        for clues in file.timeline.labels.values():
            yield from (LocatedClue(path, clue) for clue in clues if clue.effect != "ends")


def _with_parameters(file: _File, resolved: Resolved, lines: Mapping[str, int]) -> Resolved:
    """The resolution with the lines from which implied parameters follow; the same object for equal ones."""
    key = (id(resolved), tuple(lines.items()))
    cached = file.with_parameters.get(key)
    if cached is None:
        _limit_cache(file.with_parameters)
        references = {**resolved.references, **{name: f"{file.findings.path}:{line}" for name, line in lines.items()}}
        extended = resolved._replace(references=references, implied=(*resolved.implied, *lines))
        cached = file.with_parameters[key] = (resolved, extended)  # referenced, so that its id() stays unique
    return cached[1]


def _listed_open_keys(chosen: Mapping[str, LocatedClue]) -> list[str]:
    """The open keys with a value, by name."""
    return sorted(key for key, source in chosen.items() if key not in KEYS and source.clue.value is not None and is_key(key))


def _choose_state(key: str, sources: list[LocatedClue]) -> LocatedClue:
    """The reading of a moment that counts: of one file the last, of several files, whose order is unknown, the worst."""
    last = {source.file: source for source in sorted(sources, key=lambda source: source.clue.line)}
    return max(last.values(), key=lambda source: badness(key, source.clue.value))


def _is_chosen(clue: Clue) -> bool:
    """Whether a person set the open key to this value."""
    return (clue.by_person or clue.kind == "stated" or (clue.kind, clue.effect) == ("command", "sets")) and may_be_chosen(clue.key)


def _distinguishes(key: str, sources: Iterable[LocatedClue]) -> bool:
    """Whether the key is part of the configuration's identity; two dumps differ in the space used, which needs no warning."""
    return namespace_of(key) is None or is_identity(key) or any(_is_chosen(source.clue) for source in sources)


def _drop_farther(outer: dict[str, LocatedClue], inner: Mapping[str, LocatedClue]) -> None:
    """Remove from `outer` what does not hold beside the clues of a nearer scope."""
    drop_other_systems(outer, inner)
    devices.drop_farther(outer, inner)


def _prefer_entered_host(inner: dict[str, LocatedClue], outer: Mapping[str, LocatedClue]) -> None:
    """Remove a name of many machines (`vm`) from `inner` where a person entered, or a manifest has, that of the host."""
    own, entered = inner.get("host"), outer.get("host")
    if own and entered and entered.clue.kind == "stated" != own.clue.kind and not identifies(str(own.clue.value)):
        del inner["host"]


def _are_equal(one: LocatedClue, other: LocatedClue) -> bool:
    return bool(one.clue.value == other.clue.value)


def _limit_cache(cache: dict[_Key, _Cached]) -> None:
    """Clear the cache if it is full."""
    if len(cache) >= _MAX_CACHED:
        cache.clear()


def _command_of(commands: list[ShownCommand], lines: Sequence[int], line: int) -> ShownCommand | None:
    index = bisect_right(lines, line) - 1
    return commands[index] if index >= 0 and line <= max(commands[index].last, commands[index].line) else None
