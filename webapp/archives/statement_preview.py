"""What saving a statement would change, from the database alone: the bytes of the archive are not read for it.

The order of evidence is that of `ingest.configuration.resolve`: a statement about runs precedes everything; one about a file or
folder all but the file's own lines; one about the archive only what the files of its root folder say of all results. Where the
database does not show how near the present evidence is, the outcome is UNDECIDED, so that no change is promised.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Q

from ingest import host_names, numbered_outputs
from ingest.keys import KEYS, is_key
from ingest.normalise import os_family
from ingest.records import ARCHIVE, FILE, FOLDER, MANIFEST_NAME, RUNS, StatedFact
from webapp.archives.review import definition_of
from webapp.archives.statements import StatementScope, active_statements
from webapp.models import Archive, Configuration, Provenance, Run, Summary
from webapp.systems.describe import format_value

# Combinations of configuration values that cannot be, about which a person is asked before they are saved. A closed list.

_PLAIN = frozenset({"ext2", "ext3", "ext4", "xfs", "ufs", "jfs"})
"""File systems without compression, deduplication or pools."""
_WITHOUT_DATA_SETS = _PLAIN | {"btrfs"}
_ONLY_ZFS_KEYS = ("pool.recordsize", "pool.copies", "pool.ashift")
_ALGORITHMS = {
    "btrfs": frozenset({"off", "on", "zlib", "lzo", "zstd"}),
    "zfs": frozenset({"off", "on", "lz4", "lzjb", "zle", "gzip", "zstd"}),
}

Question = tuple[frozenset[str], str]
"""The keys that do not fit together, and the question about them."""


def find_questions(config: Mapping[str, Any], changed: Iterable[str]) -> list[str]:
    """Questions about a flat configuration in which a changed key is one of those that do not fit together."""
    entered = frozenset(changed)
    return [text for rule in _RULES for keys, text in rule(config) if keys & entered]


def _own_file_system(config: Mapping[str, Any]) -> str | None:
    """The file system, unless it is on a volume of another one, whose properties may be those of the pool."""
    kind = config.get("fs.type")
    return kind if config.get("fs.stack", kind) == kind else None


def _without_compression(config: Mapping[str, Any]) -> Iterator[Question]:
    kind = _own_file_system(config)
    if kind not in _PLAIN:
        return
    for key, ability in (("pool.compression", "compress"), ("pool.dedup", "deduplicate")):
        if config.get(key, "off") != "off":
            yield frozenset({"fs.type", key}), f"{kind} cannot {ability}. Is the file system right?"


def _without_data_sets(config: Mapping[str, Any]) -> Iterator[Question]:
    kind = _own_file_system(config)
    if kind not in _WITHOUT_DATA_SETS:
        return
    for key in _ONLY_ZFS_KEYS:
        if key in config:
            yield frozenset({"fs.type", key}), f"{KEYS[key].label} is a property of ZFS; {kind} has none. Is the file system right?"
    layout = str(config.get("pool.layout", ""))
    if "raidz" in layout or "draid" in layout:
        yield frozenset({"fs.type", "pool.layout"}), f"{layout} is a layout of ZFS, not of {kind}. Is the file system right?"


def _foreign_algorithm(config: Mapping[str, Any]) -> Iterator[Question]:
    kind, compression = _own_file_system(config), config.get("pool.compression")
    known = _ALGORITHMS.get(kind or "")
    if known is not None and compression is not None and str(compression).partition("-")[0] not in known:
        names = ", ".join(sorted(known - {"off", "on"}))
        yield frozenset({"fs.type", "pool.compression"}), f"{kind} has no {compression}, only {names}. Is the compression right?"


def _foreign_system(config: Mapping[str, Any]) -> Iterator[Question]:
    name, family = config.get("os.name"), config.get("os.family")
    expected = os_family(str(name)) if name else None
    if expected is not None and family is not None and str(family).lower() != expected.lower():
        yield frozenset({"os.name", "os.family"}), f"The OS family of {name} is {expected}, not {family}. Is the OS family right?"


_RULES: tuple[Callable[[Mapping[str, Any]], Iterator[Question]], ...] = (
    _without_compression,
    _without_data_sets,
    _foreign_algorithm,
    _foreign_system,
)


NEW, OTHER, SAME, KEPT, ENTERED, UNDECIDED = "new", "other", "same", "kept", "entered", "undecided"
"""Outcomes for a key of a run: unknown and gets the value, gets it instead of another, has it, keeps another of its files or one
that was entered for fewer runs, undecided."""
_CHANGES = {NEW, OTHER}
_MOST_QUESTIONS = 10
_RANKS = {ARCHIVE: 0, FOLDER: 1, FILE: 2, RUNS: 3}
_ANCHORS = (("os.family", ("os.", "kernel")), ("fs.type", ("pool.", "fs.")))
"""A farther value of these prefixes is dropped together with a farther anchor that differs from the nearer one."""


@dataclass(slots=True)
class KeyPreview:
    """Runs by outcome for one key and its value."""

    name: str
    value: Any
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def label(self) -> str:
        return definition_of(self.name).label

    @property
    def text(self) -> str:
        return format_value(definition_of(self.name).type, self.value)


@dataclass(slots=True)
class Preview:
    """`runs` on `configurations` that change in some key, and the number of metrics with figures in which they take part, which
    is an upper bound if `is_bound`. `questions`: about values that do not fit together."""

    keys: list[KeyPreview]
    runs: int = 0
    configurations: int = 0
    metrics: int = 0
    is_bound: bool = False
    questions: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _RunGroup:
    """Runs of one file with the same configuration and lines of evidence. `first_line`: '' unless it matters."""

    path: str
    first_line: str
    known: Mapping[str, Any]
    places: Mapping[str, str]
    implied: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What decides about the nearness of present values: statements in force, files with results, label logs of outputs."""

    facts: Sequence[StatedFact]
    with_results: frozenset[str]
    label_logs: frozenset[str]


def read_preview(archive: Archive, values: Mapping[str, Any], scopes: Sequence[StatementScope]) -> Preview:
    """The effect of these values for these scopes, which are of one reach. Nine queries at most."""
    preview = Preview([KeyPreview(name, value) for name, value in values.items()])
    facts = [fact for fact in active_statements(archive) if fact.key in values]
    rows = _read_groups(archive, scopes, with_lines=any(fact.reach == RUNS for fact in facts))
    configurations = Configuration.objects.select_related("open").in_bulk({row["configuration_id"] for row in rows})
    provenances = Provenance.objects.in_bulk({row["provenance_id"] for row in rows})
    places = {provenance.told.get(name, "").rpartition(":")[0] for provenance in provenances.values() for name in values}
    evidence = _Evidence(
        facts,
        frozenset(archive.files.filter(path__in=places, measurements__gt=0).values_list("path", flat=True)),
        frozenset(archive.notes.filter(code=numbered_outputs.TAKEN).values_list("path", flat=True)),
    )
    changed: Counter[int] = Counter()
    questions = dict.fromkeys(find_questions(values, values))
    for row in rows:
        configuration, provenance = configurations.get(row["configuration_id"]), provenances.get(row["provenance_id"])
        if configuration is None or provenance is None:
            continue  # the archive was read again in between
        group = _RunGroup(
            row["file__path"],
            row.get("first_line", ""),
            configuration.known | row["config_exact"],
            provenance.told,
            provenance.implied,
        )
        outcomes = {name: _decide(name, values, scopes[0], group, evidence) for name in values}
        for key in preview.keys:
            key.counts[outcomes[key.name]] += row["n"]
        if _CHANGES.intersection(outcomes.values()):
            changed[configuration.pk] += row["n"]
        questions.update(dict.fromkeys(_ask(values, outcomes, group)))
    preview.questions = list(questions)[:_MOST_QUESTIONS]
    preview.runs, preview.configurations = changed.total(), len(changed)
    preview.metrics, preview.is_bound = _count_metrics(archive, changed)
    return preview


def _read_groups(archive: Archive, scopes: Sequence[StatementScope], with_lines: bool) -> list[dict[str, Any]]:
    """The runs in these scopes with their number `n` by file, configuration and evidence."""
    columns = ["file__path", "configuration_id", "provenance_id", "config_exact", *(["first_line"] if with_lines else [])]
    runs = Run.objects.filter(reduce(or_, map(_in_scope, scopes)), archive=archive)
    return list(runs.values(*columns).annotate(n=Count("id")).order_by())


def _in_scope(scope: StatementScope) -> Q:
    if scope.reach == RUNS:
        return Q(file__path=scope.path, first_line__in=[str(line) for line in scope.lines])
    if scope.reach == FOLDER:
        return Q(file__path__startswith=f"{scope.path}/")
    return Q(file__path=scope.path) if scope.reach == FILE else Q()


def _decide(name: str, values: Mapping[str, Any], scope: StatementScope, group: _RunGroup, evidence: _Evidence) -> str:
    """The outcome for a key of a group of runs; what outputs show of a workload parameter is known when they are read."""
    if not is_key(name):
        return UNDECIDED
    present = group.known.get(name)
    if present == values[name]:
        return SAME
    if present is None:
        return KEPT if _is_dropped(name, values, scope, group, evidence) else NEW
    if name in group.implied or scope.reach == RUNS:
        return OTHER
    if name == "host" and not host_names.identifies(str(present)) and group.places.get(name) != "stated":
        return OTHER  # a name of many machines gives way to any that a person enters
    place = group.places.get(name, "")
    if place == "stated":
        return ENTERED if _has_nearer_statement(name, scope, group, evidence.facts) else OTHER
    file, _, line = place.rpartition(":")
    if file == group.path:
        # Line 0 is the name of the file or of a folder, which only statements about places precede.
        return OTHER if line == "0" and scope.reach != ARCHIVE else KEPT
    return OTHER if scope.reach != ARCHIVE else _decide_for_archive(file, group.path, evidence)


def _decide_for_archive(file: str, path: str, evidence: _Evidence) -> str:
    """The outcome of a statement about the archive for a key of a run in `path` that is known from another file."""
    if not file or file.endswith(MANIFEST_NAME):
        return UNDECIDED
    if file in evidence.label_logs:
        return KEPT
    if file in evidence.with_results:
        return OTHER  # shared between runs of a machine or duplicates, which only fills what is unknown
    folder = file.rpartition("/")[0]
    if folder:
        return KEPT if path.startswith(f"{folder}/") else UNDECIDED
    return UNDECIDED if _words(file) & _words(path) else OTHER


def _words(path: str) -> set[str]:
    """The words of a file's name without its suffix; a file may be evidence for those that share one."""
    return set(re.split(r"[-_. ]+", path.rpartition("/")[2].lower().rpartition(".")[0])) - {""}


def _is_dropped(name: str, values: Mapping[str, Any], scope: StatementScope, group: _RunGroup, evidence: _Evidence) -> bool:
    """Whether the value is about another system or file system than the run has, which keeps its own."""
    return any(
        name != anchor
        and name.startswith(prefixes)
        and anchor in values
        and _decide(anchor, values, scope, group, evidence) in (KEPT, ENTERED)
        for anchor, prefixes in _ANCHORS
    )


def _has_nearer_statement(name: str, scope: StatementScope, group: _RunGroup, facts: Iterable[StatedFact]) -> bool:
    own = _rank(scope.reach, scope.path)
    return any(fact.key == name and _applies(fact, group) and _rank(fact.reach, fact.path) > own for fact in facts)


def _rank(reach: str, path: str) -> tuple[int, int]:
    return _RANKS[reach], path.count("/") if reach == FOLDER else 0


def _applies(fact: StatedFact, group: _RunGroup) -> bool:
    if fact.reach == FOLDER:
        return group.path.startswith(f"{fact.path}/")
    if fact.reach == RUNS:
        return group.path == fact.path and group.first_line in {str(line) for line in fact.lines}
    return fact.reach == ARCHIVE or group.path == fact.path


def _ask(values: Mapping[str, Any], outcomes: Mapping[str, str], group: _RunGroup) -> list[str]:
    """Questions about the configuration that the runs would have. What was implied may follow no longer."""
    entered = {name: value for name, value in values.items() if outcomes[name] not in (KEPT, ENTERED, SAME)}
    known = {name: value for name, value in group.known.items() if name not in group.implied}
    return find_questions(known | entered, entered)


def _count_metrics(archive: Archive, changed: Mapping[int, int]) -> tuple[int, bool]:
    """The metrics that count values of these configurations (id -> changed runs) in the archive, and whether fewer may have
    values of the changed runs, since other runs are on the same configurations."""
    if not changed:
        return 0, False
    metrics = Summary.objects.filter(scope=archive.pk, configuration__in=changed).values("metric").distinct().count()
    runs = Run.objects.filter(archive=archive, configuration__in=changed).values("configuration_id").annotate(n=Count("id"))
    is_partial = any(changed[pk] < n for pk, n in runs.order_by().values_list("configuration_id", "n"))
    return metrics, is_partial and metrics > 1
