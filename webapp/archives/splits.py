"""The keys in which the configurations of an archive differ, for its review page: what looks intended, and what splits runs that
are otherwise alike, with the evidence for each value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from ingest.keys import KEYS, TEXT, Key, find_key
from ingest.state import KEYS as STATES
from webapp.archives.review import KeyCell
from webapp.comparison.dimensions import UNKNOWN, value_sort_key
from webapp.files.addresses import place_address
from webapp.models import Archive, ArchiveConfiguration, EvidenceRow, Run
from webapp.systems.describe import format_value

MOST_CONFIGURATIONS = 200  # compared: the most measured ones
MOST_COUNTED, MOST_EVIDENCE = 5_000, 50_000  # configurations that are counted, and lines of evidence that are looked through
_SHOWN_PAIRS, _SHOWN_STATES = 3, 6
_BY_PERSON = frozenset(("label", "name", "stated"))
_Signature = tuple[int, ...]
"""Of a key: a number for the value of each configuration; equal ones have the same value."""


@dataclass(frozen=True, slots=True)
class SplitValue:
    """A value of a key with its line, that as printed, and the configurations that have it; `chosen`: a person set it."""

    cell: KeyCell
    raw: str
    numbers: list[int]
    kind: str = ""
    chosen: bool = False


class JoinablePair(NamedTuple):
    """Two configurations, and all keys in which they differ."""

    first: int
    second: int
    keys: list[Key]


@dataclass(slots=True)
class Split:
    """Keys that always differ together, with the values of each. `pairs`: configurations that differ in nothing else, where the
    keys look intended but in what follows from such keys, and
    `other_pairs` more; `left`: how many configurations there are without these keys; `reason`: why it looks intended."""

    keys: list[tuple[Key, list[SplitValue]]]
    pairs: list[JoinablePair] = field(default_factory=list)
    other_pairs: int = 0
    left: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SplitReview:
    """`doubtful`: keys that look like chance, those first in which alone some configurations differ; `intended`: the others;
    `of_state`: keys of the state before runs, which distinguish no configurations; `alike`: configurations that differ in no key.
    `total`: compared configurations, of `beyond` more."""

    doubtful: list[Split]
    intended: list[Split]
    of_state: list[Split]
    alike: list[list[int]]
    total: int
    beyond: int

    @property
    def alone(self) -> list[str]:
        """Keys in which alone some configurations differ."""
        return [split.keys[0][0].name for split in (*self.doubtful, *self.intended) if split.pairs]


def read_splits(archive: Archive) -> SplitReview:
    """Of the most measured configurations. Five queries."""
    found = ArchiveConfiguration.objects.filter(archive=archive)
    entries = list(found.select_related("configuration__open").order_by("-measurements", "configuration_id")[:MOST_CONFIGURATIONS])
    firsts = Run.objects.select_related("provenance").in_bulk([entry.first_run for entry in entries])
    table = _Table(archive, [(entry.configuration, firsts.get(entry.first_run)) for entry in entries])
    splits = table.list_splits()
    doubtful = sorted((split for split in splits if not split.reason), key=lambda split: (not split.pairs, split.left))
    return SplitReview(
        doubtful,
        [split for split in splits if split.reason],
        _read_states(archive),
        table.find_alike(),
        len(entries),
        max(0, found[:MOST_COUNTED].count() - len(entries)),
    )


class _Table:
    """The values of all keys in which configurations differ."""

    def __init__(self, archive: Archive, rows: Sequence[tuple]) -> None:
        self._archive, self._rows = archive, rows
        self._known = [configuration.known for configuration, _ in rows]
        names = dict.fromkeys(name for known in self._known for name in known)
        signatures = {name: self._signature(name) for name in names}
        self._signatures = {name: signature for name, signature in signatures.items() if len(set(signature)) > 1}
        self._evidence = self._read_evidence()

    def _signature(self, name: str) -> _Signature:
        numbers: dict[tuple, int] = {}
        values = (
            (str(known.get(name)), name in known, name in configuration.chosen)
            for known, (configuration, _) in zip(self._known, self._rows, strict=True)
        )
        return tuple(numbers.setdefault(value, len(numbers)) for value in values)

    def _place(self, name: str, at: int) -> str:
        run = self._rows[at][1]
        return run.config_from.get(name, "") if run else ""

    def _read_evidence(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """(FILE:LINE, key) -> (text, kind) of the lines that give the values."""
        places = {self._place(name, at) for name, signature in self._signatures.items() for at in _firsts(signature)}
        paths, lines = {place.rpartition(":")[0] for place in places} - {""}, {place.rpartition(":")[2] for place in places}
        of_archive = EvidenceRow.objects.filter(archive=self._archive).values("pk")[:MOST_EVIDENCE]
        rows = EvidenceRow.objects.filter(pk__in=of_archive, path__in=paths, line__in=lines, key__in=self._signatures)
        columns = rows.values_list("path", "line", "key", "raw", "kind") if paths else []
        return {(f"{path}:{line}", key): (raw, kind) for path, line, key, raw, kind in columns}

    def list_splits(self) -> list[Split]:
        """Of each key that looks intended by itself, and of the others that differ together."""
        values = {name: self._values(name, signature) for name, signature in self._signatures.items()}
        reasons = {name: _why_intended(name, values[name]) for name in values}
        planned = [name for name, reason in reasons.items() if reason in _OWN[:2] or (reason and KEYS[name].part == "pool")]
        intended = list(zip(*map(self._signatures.__getitem__, planned), strict=True))
        groups: dict[object, list[str]] = {}
        for name, signature in self._signatures.items():
            if intended and not reasons[name] and len(set(zip(intended, signature, strict=True))) == len(set(intended)):
                reasons[name] = _FOLLOWS
            own = name if reasons[name] in _OWN else (signature, reasons[name])
            groups.setdefault(own, []).append(name)
        following = {name for name, reason in reasons.items() if reason == _FOLLOWS}
        splits = [Split([(_key(name), values[name]) for name in names], reason=reasons[names[0]]) for names in groups.values()]
        return [self._describe(split, following if split.reason in _OWN else set()) for split in splits]

    def _values(self, name: str, signature: _Signature) -> list[SplitValue]:
        key, by_value = _key(name), []
        for at in _firsts(signature):
            (configuration, _), value, place = self._rows[at], self._known[at].get(name), self._place(name, at)
            raw, kind = self._evidence.get((place, name), ("", "stated" if place == "stated" else ""))
            numbers = sorted(self._rows[other][0].pk for other, number in enumerate(signature) if number == signature[at])
            cell = KeyCell(key.label, "")
            if value is not None:
                text = format_value(key.type, value)
                cell = KeyCell(key.label, text, "" if place == "stated" else place, place_address(self._archive.pk, place))
            by_value.append(SplitValue(cell, raw, numbers, kind, name in configuration.chosen))
        return sorted(by_value, key=lambda value: value_sort_key(None, value.cell.text or UNKNOWN))

    def _describe(self, split: Split, following: Set[str]) -> Split:
        names = [key.name for key, _ in split.keys]
        split.left = len(self._without({*names}))
        members = self._without({*names, *following})
        unknown = {number for value in split.keys[0][1] if not value.cell.text for number in value.numbers}
        own = self._signatures[names[0]]
        pairs = [pair for alike in members.values() for pair in pairwise({own[at]: at for at in reversed(alike)}.values())]
        pairs.sort(key=lambda pair: unknown.isdisjoint(self._rows[at][0].pk for at in pair))  # first: one may have the other's
        for first, second in pairs[:_SHOWN_PAIRS]:
            low, high = sorted(self._rows[at][0].pk for at in (first, second))
            also = (name for name in self._signatures if self._signatures[name][first] != self._signatures[name][second])
            split.pairs.append(JoinablePair(low, high, [_key(name) for name in dict.fromkeys([*names, *also])]))
        split.other_pairs = len(pairs[_SHOWN_PAIRS:])
        return split

    def _without(self, names: Set[str]) -> dict[tuple, list[int]]:
        """Values of all other keys -> places of the configurations that have them."""
        members: dict[tuple, list[int]] = {}
        others = [signature for name, signature in self._signatures.items() if name not in names]
        for at, values in enumerate(zip(*others, strict=True) if others else [()] * len(self._rows)):
            members.setdefault(values, []).append(at)
        return members

    def find_alike(self) -> list[list[int]]:
        """Configurations that differ in no key: on two machines, or one with a value that was entered by hand."""
        return [[self._rows[at][0].pk for at in alike] for alike in self._without(set()).values() if len(alike) > 1]


_OWN = ("a person set it", "named everywhere", "known everywhere")
_FOLLOWS = "follows from others"


def _why_intended(name: str, values: Sequence[SplitValue]) -> str:
    if any(value.chosen for value in values):
        return _OWN[0]
    if name not in KEYS or not all(value.cell.text for value in values):
        return ""
    named = any(value.kind in _BY_PERSON or value.cell.place.endswith(":0") for value in values)
    return _OWN[1] if named else _OWN[2]


def _firsts(signature: _Signature) -> list[int]:
    """The first configuration of each value."""
    return [signature.index(number) for number in range(max(signature) + 1)]


def _key(name: str) -> Key:
    known = STATES.get(name)
    label = known.label[0].upper() + known.label[1:] if known else name
    return Key(name, "open", TEXT, label) if known else find_key(name) or Key(name, "open", TEXT, label)


def _read_states(archive: Archive) -> list[Split]:
    """The keys of the state before runs that have several values."""
    found = Run.objects.filter(archive=archive).values_list("configuration_id", "state")
    values: dict[str, dict[Any, set[int]]] = {}
    for configuration, states in found[:MOST_COUNTED]:
        for name, value in ((name, value) for name, value in (states or {}).items() if name in STATES):
            values.setdefault(name, {}).setdefault(value, set()).add(configuration)
    return [Split([(_key(name), _list_states(name, found))]) for name, found in sorted(values.items()) if len(found) > 1]


def _list_states(name: str, found: Mapping[Any, set[int]]) -> list[SplitValue]:
    """Each value with its configurations; of many numbers the lowest to the highest."""
    numbers = {value: float(value) for value in found if re.fullmatch(r"\d+(\.\d+)?", str(value))}
    order = sorted(found, key=lambda value: (value not in numbers, numbers.get(value, 0), str(value)))
    texts = {value: f"{value} {STATES[name].unit}".rstrip() for value in order}
    if len(order) > _SHOWN_STATES and len(numbers) == len(order):
        return [SplitValue(KeyCell(name, f"{order[0]} to {texts[order[-1]]}"), "", sorted(set().union(*found.values())))]
    return [SplitValue(KeyCell(name, texts[value]), "", sorted(found[value])) for value in order]
