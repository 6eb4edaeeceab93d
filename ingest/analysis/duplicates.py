"""Finds records of one archive that repeat a value of another record: the report beside the CSV line, a line collected twice.

Files of the same bytes are one, whatever they hold. The other kinds require so much agreement that chance is excluded
(`MIN_DIGITS` significant digits, counted only in values of three digits and more that do not follow from others of the run):
the parser says so (`Value.same_as`); runs or whole files that print exactly the same; a run of another file that agrees in
every shared metric at printed precision. Equal values in whole seconds are no duplicates. Cost is linear in the number of values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ingest.analysis.comparable_runs import (
    MIN_DIGITS,
    MIN_VALUE_DIGITS,
    MIN_VALUES,
    ComparableRun,
    Key,
    comparable_runs,
    digits_of_values,
    distinguishing_digits,
    printed_resolution,
    significant_digits,
)
from ingest.keys import is_identity
from ingest.records import Value
from ingest.spill import HashIndex, SpilledValues, hash_value, value_ids

_MAX_BUCKET, _MAX_PROBES = 8, 16
_by_digits = itemgetter(0, 1)

_File = tuple[str, Sequence[Value]]  # path and values
Link = Callable[[str, Value, str, Value], None]  # path and value of the record that was first, path and value of its duplicate


class _FirstIndex:
    """The first of several items with equal fingerprints. Hashes are kept; where two are equal, it is computed again."""

    def __init__(self, fingerprint: Callable[[Any], Key]) -> None:
        self._fingerprint = fingerprint
        self._firsts: dict[int, list[Any]] = defaultdict(list)

    def first(self, item: Any) -> Any:
        """The first item with an equal fingerprint, possibly this one."""
        fingerprint = self._fingerprint(item)
        firsts = self._firsts[hash(fingerprint)]
        for other in firsts:
            if self._fingerprint(other) == fingerprint:
                return other
        firsts.append(item)
        return item


def mark_duplicates(files: Sequence[_File], digests: Mapping[str, str] | None = None, link: Link | None = None) -> dict[int, str]:
    """Id of a value -> `FILE:LINE` of the record that already has it, for every duplicate in the files of one archive.

    The id is the value's id(), or that of `ingest.spill.value_ids`. `digests`: path -> SHA-256 of the bytes. `link` is
    called for one value of each run, and may keep neither of the two values.
    """
    link = link or _no_link
    marked = _stated_duplicates(files)
    _link_stated(files, link)
    copies = _mark_same_bytes(files, digests, marked, link) if digests else set()
    copies |= _mark_same_files([file if at not in copies else (file[0], ()) for at, file in enumerate(files)], marked, link)
    runs, hashes = _index_runs(files, copies, marked)
    others, twins = _mark_same_runs(runs, marked, link)
    agreeing = _mark_agreeing(others, hashes, marked, link)
    for run, first in twins:
        if first.order in agreeing:
            _mark_with_original(run, first, marked)
    spilled = next((values for _, values in files if isinstance(values, SpilledValues)), None)
    if spilled is not None:
        spilled.end_comparison()
    return marked


def _stated_duplicates(files: Sequence[_File]) -> dict[int, str]:
    """The duplicates that parsers stated (`Value.same_as`)."""
    marked: dict[int, str] = {}
    for path, values in files:
        if isinstance(values, SpilledValues):
            marked.update((values.ids[index], f"{path}:{line}") for index, line in values.same_as.items())
        else:
            marked.update((id(value), f"{path}:{value.same_as}") for value in values if value.same_as is not None)
    return marked


def _no_link(first_path: str, first: Value, path: str, value: Value) -> None:
    pass


def _link_stated(files: Sequence[_File], link: Link) -> None:
    """Link the runs of duplicates that parsers stated to those of the lines that they name."""
    for path, values in files:
        if isinstance(values, SpilledValues):
            wanted = set(values.same_as.values())
        else:
            wanted = {value.same_as for value in values if value.same_as is not None}
        if not wanted:
            continue
        originals: dict[int | str, Value] = {}
        linked = set()
        for value in values:
            if value.same_as is None:
                if value.line in wanted:
                    originals.setdefault(value.line, value)
            elif value.same_as in originals and (pair := (value.run, originals[value.same_as].run)) not in linked:
                linked.add(pair)
                link(path, originals[value.same_as], path, value)


def _link_files(path: str, values: Sequence[Value], first_path: str, originals: Sequence[Value], link: Link) -> None:
    """Link each run of a file to that of the file whose values are the same, one by one."""
    linked = set()
    for value, original in zip(values, originals, strict=False):
        if value.run not in linked:
            linked.add(value.run)
            link(first_path, original, path, value)


def _index_runs(files: Sequence[_File], copies: set[int], marked: dict[int, str]) -> tuple[list[ComparableRun], HashIndex]:
    """The runs of all files but `copies`, and the hashes of their probes if several files have values."""
    runs, hashes, has_several = list[ComparableRun](), HashIndex(), sum([1 for _, values in files if values]) > 1
    for index, (path, values) in enumerate(files):
        for run in comparable_runs(path, values, marked) if index not in copies else ():
            run.order = len(runs)
            runs.append(run)
            if has_several and run.digits >= MIN_DIGITS:
                hashes.add(run.order, _probes(run))
            if run.spilled is not None:
                run.loaded = run.value_digits = None
    return runs, hashes


def _mark_same_bytes(files: Sequence[_File], digests: Mapping[str, str], marked: dict[int, str], link: Link) -> set[int]:
    """Mark the values of files whose bytes are those of an earlier file with values; returns the indices of these files.

    The same bytes give the same values on the same lines, unless the name of a file decides how it is read: then only those are
    marked that the first file gives too.
    """
    first_files: dict[str, int] = {}
    copies: set[int] = set()
    for index, (path, values) in enumerate(files):
        if not values:
            continue
        first_path, originals = files[first_files.setdefault(digests[path], index)]
        if first_path == path:
            continue
        copies.add(index)
        if len(values) == len(originals):
            _link_files(path, values, first_path, originals, link)
        given = None if len(values) == len(originals) else Counter([_printed(value) for value in originals])
        for value_id, value in zip(value_ids(values), values, strict=True):
            if given is not None and given[_printed(value)] <= 0:
                copies.discard(index)
                continue
            if given is not None:
                given[_printed(value)] -= 1
            marked[value_id] = f"{first_path}:{value.line if value.same_as is None else value.same_as}"
    return copies


def _printed(value: Value) -> Key:
    return value.line, value.metric, value.stat, value.raw


def _mark_same_files(files: Sequence[_File], marked: dict[int, str], link: Link) -> set[int]:
    """Mark files whose values are, one by one, those of an earlier file; returns their indices."""
    by_ends: dict[Key, list[int]] = defaultdict(list)
    for index, (_path, values) in enumerate(files):
        if len(values) >= MIN_VALUES:
            ends = values.ends if isinstance(values, SpilledValues) else (hash_value(values[0]), hash_value(values[-1]))
            by_ends[len(values), *ends].append(index)

    def fingerprint_of(index: int) -> Key:
        return tuple([(value.line, value.metric, value.stat, value.raw, value.value) for value in files[index][1]])

    index_of_files = _FirstIndex(fingerprint_of)
    copies: set[int] = set()
    for index in sorted(index for group in by_ends.values() if len(group) > 1 for index in group):
        values = files[index][1]
        in_memory = list(values)
        if distinguishing_digits(in_memory, digits_of_values(in_memory)) < MIN_DIGITS:
            continue
        first_index = index_of_files.first(index)
        if first_index != index:
            copies.add(index)
            _link_files(files[index][0], values, files[first_index][0], files[first_index][1], link)
            for value_id, original in zip(value_ids(values), files[first_index][1], strict=False):
                line = original.line if original.same_as is None else original.same_as
                marked[value_id] = f"{files[first_index][0]}:{line}"  # not a line that is itself a copy
    return copies


def _mark_same_runs(
    runs: list[ComparableRun], marked: dict[int, str], link: Link
) -> tuple[list[ComparableRun], list[tuple[ComparableRun, ComparableRun]]]:
    """Mark runs that print exactly what an earlier one printed. Returns (the others, (duplicate, earlier run) pairs)."""
    outlines = Counter([run.outline for run in runs])
    index = _FirstIndex(_fingerprint)
    others, twins = [], []
    for run in runs:
        if not (run.digits >= MIN_DIGITS or run.is_dated) or outlines[run.outline] < 2:
            others.append(run)
            continue
        run.write_separately()
        first = index.first(run)
        if first is run:
            others.append(run)
        else:
            _mark_run(run, first, marked, link)
            twins.append((run, first))
    return others, twins


def _mark_with_original(run: ComparableRun, first: ComparableRun, marked: dict[int, str]) -> None:
    """Replace the earlier run by the record of which that run is itself a duplicate."""
    originals = first.values()
    for key, (value_id, _) in run.values().items():
        if key in originals and originals[key][0] in marked:
            marked[value_id] = marked[originals[key][0]]


def _fingerprint(run: ComparableRun) -> Key:
    """The values of a run in any order, with its parameters."""
    sample = run.group[0]
    params = tuple(sorted((name, str(value)) for name, value in sample.params.items() if is_identity(name)))
    return (
        sample.started_at,
        None if run.digits >= MIN_DIGITS else sample.params["path"],
        params,
        frozenset((key, value.raw, value.value) for key, (_, value) in run.values().items()),
    )


def _mark_run(run: ComparableRun, original: ComparableRun, marked: dict[int, str], link: Link) -> None:
    originals, values = original.values(), run.values()
    shared = next((key for key in values if key in originals), None)
    if shared is not None:
        link(original.file, originals[shared][1], run.file, values[shared][1])
    for key, (value_id, _) in values.items():
        if key in originals:
            marked[value_id] = f"{original.file}:{originals[key][1].line}"


def _mark_agreeing(runs: list[ComparableRun], hashes: HashIndex, marked: dict[int, str], link: Link) -> set[int]:
    """Mark runs of which another file's run has all shared metrics, equal at printed precision, and more of them; returns their
    orders.
    """
    copies: set[int] = set()
    comparable = sorted((run for run in runs if run.digits >= MIN_DIGITS), key=lambda run: run.rank)
    if len({run.file for run in comparable}) < 2:
        return copies
    index: dict[int, list[ComparableRun]] = {}
    for run, probes in _ambiguous_probes(comparable, hashes):
        hits: Counter[int] = Counter()
        by_order: dict[int, ComparableRun] = {}
        for probe in probes:
            others = index.get(probe, ())
            for other in others if len(others) <= _MAX_BUCKET else ():
                if other.file != run.file:
                    hits[other.order] += 1
                    by_order[other.order] = other
        original = next((by_order[order] for order, _ in hits.most_common(_MAX_BUCKET) if _agree(run, by_order[order])), None)
        if original:
            _mark_run(run, original, marked, link)
            copies.add(run.order)
            continue
        for probe in probes:
            others = index.setdefault(probe, [])
            if len(others) <= _MAX_BUCKET:
                others.append(run)
    return copies


def _ambiguous_probes(runs: list[ComparableRun], hashes: HashIndex) -> list[tuple[ComparableRun, list[int]]]:
    """The runs, in order, with the hashes of those of their probes that another value may have too.

    Probes that nothing else has, which almost all are, never enter the index: it would be larger than the values.
    """
    shared = hashes.shared([run.order for run in runs])
    pairs = [(run, probes) for run in runs if (probes := shared.get(run.order))]
    for run, _ in sorted(pairs, key=lambda pair: pair[0].order):
        run.write_separately()  # file by file, so that each is read once
    return pairs


def _probes(run: ComparableRun) -> list[Key]:
    """Up to `_MAX_PROBES` exact values of a run that distinguish it best."""
    best: list[tuple[int, Key, float]] = []
    half = _MAX_PROBES // 2
    for values, value_digits in run.parts():
        best += [
            (-digits, (value.tool, value.metric, value.stat), value.value)
            for digits, value in zip(value_digits, values, strict=True)
            if digits >= MIN_VALUE_DIGITS
        ]
        best.sort(key=_by_digits)
        if len(best) > _MAX_PROBES + half:
            best = best[:_MAX_PROBES] + best[-half:]
    short = best[-half:] if len(best) > _MAX_PROBES else []
    return [(*key, f"{value:.9g}") for _, key, value in [*best[:_MAX_PROBES], *short]]


def _agree(run: ComparableRun, other: ComparableRun) -> bool:
    """Whether all metrics that both have agree within the last printed digit, with enough digits."""
    values, other_values = run.values(), other.values()
    shared = []
    for key, (_, value) in values.items():
        if key in other_values:
            other_value = other_values[key][1]
            if not _is_same_value(value, other_value):
                return False
            shared.append((value, other_value))
    if len(shared) < max(MIN_VALUES, len(values) // 2):
        return False
    return (
        sum([least for a, b in shared if (least := min(significant_digits(a.raw), significant_digits(b.raw))) >= MIN_VALUE_DIGITS])
        >= MIN_DIGITS
    )


def _is_same_value(a: Value, b: Value) -> bool:
    """Whether the values are equal, or within the last digit of the less precise one (some tools truncate, some round)."""
    if a.value == b.value:
        return True
    finer, coarser = sorted((printed_resolution(a), printed_resolution(b)))
    tolerance = 1.01 * coarser if coarser > 1.5 * finer else 0.0
    return abs(a.value - b.value) <= tolerance + 1e-9 * abs(a.value)
