"""Finds records of one archive that show a value already given: the report beside the CSV line, a line collected twice.

Three kinds, each needing so much agreement that chance is out of the question (`ENOUGH` significant digits, counted
only in values of three digits and more that do not follow from others of the run): the parser said so
(`Value.same_as`); runs or whole files that print the very same; a run of another file that agrees in every shared
metric at printed precision. Whole seconds that happen to repeat are no duplicates. Cost is linear in the number of
values.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from ingest.analysis.precision import digits, printed_resolution
from ingest.keys import is_identity
from ingest.records import Value
from ingest.spill.hash_index import FingerprintIndex, HashIndex
from ingest.spill.tempfile import SpillLocation
from ingest.spill.values import SpilledValues, hash_value, value_ids

ENOUGH, FEWEST, TELLING = 12, 3, 3
_BUCKET, _PROBES = 8, 16
_by_digits = itemgetter(0, 1)
_KEYED = ("file_size", "record_size", "block_size", "transfer_size", "part", "phase")

Key = tuple[Any, ...]


@dataclass(slots=True)
class _Run:
    """The values of one execution in one file. `digits`: its significant digits that tell runs apart; `total`: all of them.

    Of values on a shelf only what most runs are told apart by is held; the others are read when two runs look alike.
    """

    file: str
    count: int
    digits: int
    total: int
    lined: bool
    outline: int
    dated: bool
    held: list[Value] | None
    shown: list[int] | None
    shelved: SpilledValues | None = None
    places: Sequence[int] = ()
    alone: SpillLocation | None = None
    order: int = 0
    _values: dict[Key, tuple[int, Value]] | None = None

    @property
    def group(self) -> list[Value]:
        """The values in order."""
        if self.held is not None or self.shelved is None:
            return self.held or []
        return self.shelved.some(self.places, self.alone)

    def single_out(self) -> None:
        """Put the values where they can be read without those of the rest of the file: they will be looked at closely."""
        if self.shelved is not None and self.alone is None:
            self.alone = self.shelved.single_out(self.places)

    def values(self) -> dict[Key, tuple[int, Value]]:
        """(name, value) by what is measured, in order; made for the few runs that are looked at closely."""
        if self._values:
            return self._values
        group, seen, found = self.group, dict[Key, int](), dict[Key, tuple[int, Value]]()
        names = [id(value) for value in group] if self.shelved is None else [self.shelved.names[at] for at in self.places]
        for name, value in zip(names, group, strict=True):
            key = (value.tool, value.metric, value.stat, tuple([value.params.get(name) for name in _KEYED]))
            count = seen[key] = seen.get(key, -1) + 1
            found[(*key, count)] = name, value
        self._values = found
        if self.shelved is not None:
            self.shelved.looked_at(self)
        return found

    def forget(self) -> None:
        """Hold the values no longer: they can be read again."""
        self._values = None

    @property
    def rank(self) -> tuple[int, int, bool, int]:
        """Orders runs that show the same: the fuller, the more precise, the one with lines, the earlier comes first."""
        return -self.count, -self.total, not self.lined, self.order


def mark_duplicates(files: Sequence[tuple[str, Sequence[Value]]]) -> dict[int, str]:
    """Name of a value -> `FILE:LINE` of the record that already gives it, for every duplicate in the files of one archive.

    The name is the value's id(), or its shelf's (see `ingest.spill.values.value_ids`).
    """
    marked: dict[int, str] = {}
    for path, values in files:
        if isinstance(values, SpilledValues):
            marked.update((values.names[at], f"{path}:{line}") for at, line in values.same.items())
            continue
        for value in values:
            if value.same_as is not None:
                marked[id(value)] = f"{path}:{value.same_as}"
    copies = _same_files(files, marked)
    runs, hashes, several = list[_Run](), HashIndex(), sum([1 for _, values in files if values]) > 1
    for index, (path, values) in enumerate(files):
        for run in _runs(path, values, marked) if index not in copies else ():
            run.order = len(runs)
            runs.append(run)
            if several and run.digits >= ENOUGH:
                hashes.add(run.order, _probes(run))
            if run.shelved is not None:
                run.held = run.shown = None
    rest, twins = _same_runs(runs, marked)
    copies_too = _agreeing(rest, hashes, marked)
    for run, first in twins:
        if first.order in copies_too:
            _follow(run, first, marked)
    for values in [values for _, values in files if isinstance(values, SpilledValues)][:1]:
        values.compared()
    return marked


def _same_files(files: Sequence[tuple[str, Sequence[Value]]], marked: dict[int, str]) -> set[int]:
    """Files whose values are, one by one, those of an earlier file."""
    alike: dict[Key, list[int]] = defaultdict(list)
    for index, (_path, values) in enumerate(files):
        if len(values) >= FEWEST:
            ends = values.ends if isinstance(values, SpilledValues) else (hash_value(values[0]), hash_value(values[-1]))
            alike[len(values), *ends].append(index)

    def print_of(index: int) -> Key:
        return tuple([(value.line, value.metric, value.stat, value.raw, value.value) for value in files[index][1]])

    seen = FingerprintIndex(print_of)
    copies: set[int] = set()
    for index in sorted(index for group in alike.values() if len(group) > 1 for index in group):
        values = files[index][1]
        listed = list(values)
        if _told(listed, _shown(listed)) < ENOUGH:
            continue
        first_index = seen.first(index, print_of(index), not isinstance(values, SpilledValues))
        if first_index != index:
            copies.add(index)
            for name, original in zip(value_ids(values), files[first_index][1], strict=False):
                place = original.line if original.same_as is None else original.same_as
                marked[name] = f"{files[first_index][0]}:{place}"  # not its own line that is a copy as well
    return copies


def _runs(path: str, values: Sequence[Value], marked: dict[int, str]) -> Iterable[_Run]:
    """The runs of a file that have values enough to be compared, without those that are duplicates already."""
    if isinstance(values, SpilledValues):
        yield from _shelved_runs(path, values, marked)
        return
    groups: dict[Any, list[Value]] = defaultdict(list)
    for value in values:
        if not marked or id(value) not in marked:
            groups[value.run].append(value)
    for group in groups.values():
        if len(group) >= FEWEST:  # of fewer nothing can be told
            yield _run(path, group)


def _shelved_runs(path: str, values: SpilledValues, marked: dict[int, str]) -> Iterable[_Run]:
    """The same of a file on the shelf. Of runs that go over what is read at once, the values are read twice. Whoever asks
    for the next must not hold the values of the last."""
    for places in _places(values, marked).values():
        if len(places) < FEWEST:
            continue
        made = _run(path, values.some(places, None))
        if not (made.digits >= ENOUGH or made.dated):
            continue  # nothing is told by it
        made.shelved, made.places = values, places
        yield made


def _places(values: SpilledValues, marked: dict[int, str]) -> dict[Any, range | array[int]]:
    """Run -> positions of its values that are no duplicates already."""
    found: dict[Any, range | array[int]] = {}
    for at, (name, value) in enumerate(zip(values.names, values, strict=True)):
        if marked and name in marked:
            continue
        known = found.get(value.run)
        if known is None:
            found[value.run] = range(at, at + 1)
        elif isinstance(known, range):
            # Those of nearly all runs stand in a row: so they take no room of their own.
            found[value.run] = range(known.start, at + 1) if known.stop == at else array("l", [*known, at])
        else:
            known.append(at)
    return found


def _run(path: str, group: list[Value]) -> _Run:
    shown, sample = _shown(group), group[0]
    dated = sample.started_at is not None and len(group) > FEWEST and sample.params.get("path") is not None
    # What runs that print the same have alike, in any order, told cheaply.
    outline = hash((len(group), sum([hash(value.raw) for value in group])))
    return _Run(path, len(group), _told(group, shown), sum(shown), isinstance(sample.line, int), outline, dated, group, shown)


def _shown(values: list[Value]) -> list[int]:
    """The significant digits of each value; plain figures are nearly all and need no call."""
    return [
        len(figures) if (figures := value.raw.replace(".", "", 1).lstrip("0")).isdecimal() else digits(value.raw)
        for value in values
    ]


def _told(values: list[Value], shown: list[int]) -> int:
    """Significant digits that tell one run from another: a rate beside its elapsed time follows from it."""
    metrics = [value.metric for value in values]
    follow = _following(frozenset(metrics))
    if not follow:
        return sum([n for n in shown if n >= TELLING])
    return sum([n for metric, n in zip(metrics, shown, strict=True) if n >= TELLING and metric not in follow])


@lru_cache(1000)
def _following(metrics: frozenset[str]) -> frozenset[str]:
    """The metrics that follow from the elapsed times among these."""
    return frozenset(
        [
            metric.removesuffix("elapsed") + quantity
            for metric in metrics
            if metric.endswith(".elapsed")
            for quantity in ("rate", "throughput")
        ]
    )


def _same_runs(runs: list[_Run], marked: dict[int, str]) -> tuple[list[_Run], list[tuple[_Run, _Run]]]:
    """Marks runs that print exactly what an earlier one printed; gives back the others, and each of these with the earlier."""
    alike = Counter([run.outline for run in runs])
    seen = FingerprintIndex(_print)
    rest, twins = [], []
    for run in runs:
        if not (run.digits >= ENOUGH or run.dated) or alike[run.outline] < 2:
            rest.append(run)
            continue
        run.single_out()
        first = seen.first(run, _print(run), run.shelved is None)
        if first is run:
            rest.append(run)
        else:
            _mark(run, first, marked)
            twins.append((run, first))
    return rest, twins


def _follow(run: _Run, first: _Run, marked: dict[int, str]) -> None:
    """Names the record that the earlier run is a copy of, instead of the earlier run's."""
    shown = first.values()
    for key, (name, _) in run.values().items():
        if key in shown and shown[key][0] in marked:
            marked[name] = marked[shown[key][0]]


def _print(run: _Run) -> Key:
    """What a run shows, in any order, with what it was measured on."""
    sample = run.group[0]
    params = tuple(sorted((k, str(v)) for k, v in sample.params.items() if is_identity(k)))
    return (
        sample.started_at,
        None if run.digits >= ENOUGH else sample.params["path"],
        params,
        frozenset((key, value.raw, value.value) for key, (_, value) in run.values().items()),
    )


def _mark(run: _Run, original: _Run, marked: dict[int, str]) -> None:
    shown = original.values()
    for key, (name, _) in run.values().items():
        if key in shown:
            marked[name] = f"{original.file}:{shown[key][1].line}"


def _agreeing(runs: list[_Run], hashes: HashIndex, marked: dict[int, str]) -> set[int]:
    """Marks runs that another file's run shows better: every shared metric agrees at printed precision. Their orders."""
    copies: set[int] = set()
    able = sorted((run for run in runs if run.digits >= ENOUGH), key=lambda run: run.rank)
    if len({run.file for run in able}) < 2:
        return copies
    index: dict[int, list[_Run]] = {}
    for run, probes in _shared_probes(able, hashes):
        near: Counter[int] = Counter()
        by_order: dict[int, _Run] = {}
        for probe in probes:
            others = index.get(probe, ())
            for other in others if len(others) <= _BUCKET else ():
                if other.file != run.file:
                    near[other.order] += 1
                    by_order[other.order] = other
        original = next((by_order[order] for order, _ in near.most_common(_BUCKET) if _agree(run, by_order[order])), None)
        if original:
            _mark(run, original, marked)
            copies.add(run.order)
            continue
        for probe in probes:
            others = index.setdefault(probe, [])
            if len(others) <= _BUCKET:
                others.append(run)
    return copies


def _shared_probes(runs: list[_Run], hashes: HashIndex) -> list[tuple[_Run, Sequence[int]]]:
    """The runs, in their order, with the hashes of those of their probes that another value may have too.

    A probe that nothing else has leads nowhere, and nearly all are such: they never enter the index, which would be larger
    than the values.
    """
    shared = hashes.shared([run.order for run in runs])
    found = [(run, probes) for run in runs if (probes := shared.get(run.order))]
    for run, _ in sorted(found, key=lambda pair: pair[0].order):
        run.single_out()  # file by file, so that each is read once
    return found


def _probes(run: _Run) -> list[Key]:
    """The exact values of a run that are most its own."""
    telling = [
        (-n, (value.tool, value.metric, value.stat), value.value)
        for n, value in zip(run.shown or (), run.held or (), strict=True)
        if n >= TELLING
    ]
    telling.sort(key=_by_digits)
    short = telling[-_PROBES // 2 :] if len(telling) > _PROBES else []
    return [(*key, f"{value:.9g}") for _, key, value in [*telling[:_PROBES], *short]]


def _agree(run: _Run, other: _Run) -> bool:
    """Whether every metric that both show agrees within the last printed digit, and that is enough to be sure."""
    own, others = run.values(), other.values()
    shared = [(value, others[key][1]) for key, (_, value) in own.items() if key in others]
    if len(shared) < max(FEWEST, len(own) // 2):
        return False
    if not all(_same(a, b) for a, b in shared):  # asked first: it ends at the first that differs
        return False
    return sum([least for a, b in shared if (least := min(digits(a.raw), digits(b.raw))) >= TELLING]) >= ENOUGH


def _same(a: Value, b: Value) -> bool:
    """Equal where both print as many digits, else within the last digit of the coarser (some tools cut, some round)."""
    if a.value == b.value:
        return True
    fine, coarse = sorted((printed_resolution(a), printed_resolution(b)))
    slack = 1.01 * coarse if coarse > 1.5 * fine else 0.0
    return abs(a.value - b.value) <= slack + 1e-9 * abs(a.value)
