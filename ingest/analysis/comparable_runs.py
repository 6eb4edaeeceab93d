"""The runs of an archive as the search for duplicates compares them: by the significant digits that distinguish them."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import Value
from ingest.spill import CHUNK_SIZE, SpilledValues

# How precisely a number was printed.

_NO_DIGIT = lazy(r"\D")
_PRINTED = lazy(r"(\d[\d.,' \u00a0\u202f]*)(?:[eE]([+-]?\d+))?")


def significant_digits(raw: str) -> int:
    """Number of significant digits of a printed number (`0.00` has none)."""
    figures = raw if raw.isdecimal() else raw.replace(".", "", 1)
    if figures.isdecimal():
        return len(figures) if figures[0] != "0" else len(figures.lstrip("0"))
    match = _PRINTED.search(raw)
    if not match:
        return 0
    figures = match[1].replace(".", "", 1)
    return len((figures if figures.isdecimal() else _NO_DIGIT.sub("", figures)).lstrip("0"))


def printed_resolution(value: Value) -> float:
    """The weight of the last printed digit of a value, in its base unit; 0 if unknown."""
    match = _PRINTED.search(value.raw)
    if not match or not value.value:
        return 0.0
    digits = int(_NO_DIGIT.sub("", match[1]) or 0)
    return abs(value.value) / digits if digits else 0.0


MIN_DIGITS, MIN_VALUES, MIN_VALUE_DIGITS = 12, 3, 3  # of a run; of a run; of a value that counts
_KEY_PARAMS = ("file_size", "record_size", "block_size", "transfer_size", "part", "phase")

Key = tuple[Any, ...]


@dataclass(slots=True)
class ComparableRun:
    """The values of one execution in one file. `digits`: its significant digits that distinguish runs; `total`: all of them.

    Of spilled values only what distinguishes most runs is in memory; the values are read when two runs look alike.
    """

    file: str
    count: int
    digits: int
    total: int
    has_lines: bool
    outline: int
    is_dated: bool
    loaded: list[Value] | None
    value_digits: list[int] | None
    spilled: SpilledValues | None = None
    indices: Sequence[int] = ()
    location: int | None = None
    order: int = 0
    _values: dict[Key, tuple[int, Value]] | None = None

    @property
    def group(self) -> list[Value]:
        """The values in order."""
        if self.loaded is not None or self.spilled is None:
            return self.loaded or []
        return self.spilled.read(self.indices, self.location)

    def parts(self) -> Iterator[tuple[list[Value], list[int]]]:
        """The values in order with the significant digits of each, never more than a chunk of spilled ones in memory."""
        if self.loaded is not None and self.value_digits is not None:
            yield self.loaded, self.value_digits
        elif self.spilled is not None:
            for values in _parts(self.spilled, self.indices):
                yield values, digits_of_values(values)

    def write_separately(self) -> None:
        """Write the values where they can be read without those of the rest of the file, since they will be compared."""
        if self.spilled is not None and self.location is None:
            self.location = self.spilled.write_run(self.indices)

    def values(self) -> dict[Key, tuple[int, Value]]:
        """Key -> (id, value), in order; created for the few runs that are compared."""
        if self._values:
            return self._values
        group, counts, values = self.group, dict[Key, int](), dict[Key, tuple[int, Value]]()
        ids = [id(value) for value in group] if self.spilled is None else [self.spilled.ids[at] for at in self.indices]
        params: object = None
        own: Key = ()
        for value_id, value in zip(ids, group, strict=True):
            if value.params is not params:
                params, own = value.params, tuple([value.params.get(param) for param in _KEY_PARAMS])
            key = value.tool, value.metric, value.stat, own
            count = counts[key] = counts.get(key, -1) + 1
            values[(*key, count)] = value_id, value
        self._values = values
        if self.spilled is not None:
            self.spilled.count_compared(self)
        return values

    def drop_values(self) -> None:
        """Drop the values, which can be read again."""
        self._values = None

    @property
    def rank(self) -> tuple[int, int, bool, int]:
        """Sort key of runs with equal values: first the one with more values, more digits, line numbers, the earlier one."""
        return -self.count, -self.total, not self.has_lines, self.order


def comparable_runs(path: str, values: Sequence[Value], marked: dict[int, str]) -> Iterable[ComparableRun]:
    """The runs of a file that have enough values to be compared, without duplicates."""
    if isinstance(values, SpilledValues):
        yield from _spilled_runs(path, values, marked)
        return
    groups: dict[Any, list[Value]] = defaultdict(list)
    for value in values:
        if not marked or id(value) not in marked:
            groups[value.run].append(value)
    for group in groups.values():
        if len(group) >= MIN_VALUES:
            yield _run(path, group)


def _spilled_runs(path: str, values: SpilledValues, marked: dict[int, str]) -> Iterable[ComparableRun]:
    """As `comparable_runs`, for spilled values. The values of runs that span chunks are read twice. The caller must drop the
    values of a run before it requests the next one.
    """
    for places in _indices_by_run(values, marked).values():
        if len(places) < MIN_VALUES:
            continue
        run = _run(path, values.read(places, None)) if len(places) <= CHUNK_SIZE else _long_run(path, values, places)
        if not (run.digits >= MIN_DIGITS or run.is_dated):
            continue
        run.spilled, run.indices = values, places
        yield run


def _indices_by_run(values: SpilledValues, marked: dict[int, str]) -> dict[Any, range | array[int]]:
    """Run -> indices of its values that are no duplicates."""
    indices_by_run: dict[Any, range | array[int]] = {}
    for index, (value_id, value) in enumerate(zip(values.ids, values, strict=True)):
        if marked and value_id in marked:
            continue
        indices = indices_by_run.get(value.run)
        if indices is None:
            indices_by_run[value.run] = range(index, index + 1)
        elif isinstance(indices, range):
            # Those of almost all runs are consecutive: a range takes no memory.
            indices_by_run[value.run] = range(indices.start, index + 1) if indices.stop == index else array("l", [*indices, index])
        else:
            indices.append(index)
    return indices_by_run


def _run(path: str, group: list[Value]) -> ComparableRun:
    value_digits, sample = digits_of_values(group), group[0]
    # A cheap hash that is equal for runs with equal values in any order.
    outline = hash((len(group), sum([hash(value.raw) for value in group])))
    return ComparableRun(
        path,
        len(group),
        distinguishing_digits(group, value_digits),
        sum(value_digits),
        isinstance(sample.line, int),
        outline,
        is_dated=_is_dated(sample, len(group)),
        loaded=group,
        value_digits=value_digits,
    )


def _parts(values: SpilledValues, indices: Sequence[int]) -> Iterator[list[Value]]:
    for start in range(0, len(indices), CHUNK_SIZE):
        yield values.read(indices[start : start + CHUNK_SIZE], None)


def _long_run(path: str, values: SpilledValues, indices: Sequence[int]) -> ComparableRun:
    """As `_run`, for a run of more than a chunk, such as all results on a line of megabytes: a chunk of it is in memory at once."""
    total = shape = 0
    digits_by_metric = Counter[str]()
    for part in _parts(values, indices):
        digits = digits_of_values(part)
        total += sum(digits)
        shape += sum([hash(value.raw) for value in part])
        for value, count in zip(part, digits, strict=True):
            digits_by_metric[value.metric] += count if count >= MIN_VALUE_DIGITS else 0
    sample, dependent = values[indices[0]], _dependent_metrics(frozenset(digits_by_metric))
    return ComparableRun(
        path,
        len(indices),
        sum([count for metric, count in digits_by_metric.items() if metric not in dependent]),
        total,
        isinstance(sample.line, int),
        hash((len(indices), shape)),
        is_dated=_is_dated(sample, len(indices)),
        loaded=None,
        value_digits=None,
    )


def _is_dated(sample: Value, count: int) -> bool:
    return sample.started_at is not None and count > MIN_VALUES and sample.params.get("path") is not None


def digits_of_values(values: list[Value]) -> list[int]:
    """The significant digits of each value; almost all are plain numbers, for which no call is needed."""
    return [
        len(digits) if (digits := value.raw.replace(".", "", 1).lstrip("0")).isdecimal() else significant_digits(value.raw)
        for value in values
    ]


def distinguishing_digits(values: list[Value], value_digits: list[int]) -> int:
    """Significant digits that distinguish runs: a rate beside its elapsed time follows from it and does not count."""
    metrics = [value.metric for value in values]
    dependent = _dependent_metrics(frozenset(metrics))
    if not dependent:
        return sum([digits for digits in value_digits if digits >= MIN_VALUE_DIGITS])
    return sum(
        [
            digits
            for metric, digits in zip(metrics, value_digits, strict=True)
            if digits >= MIN_VALUE_DIGITS and metric not in dependent
        ]
    )


@lru_cache(1000)
def _dependent_metrics(metrics: frozenset[str]) -> frozenset[str]:
    """The metrics that follow from the elapsed times among these."""
    return frozenset(
        [
            metric.removesuffix("elapsed") + quantity
            for metric in metrics
            if metric.endswith(".elapsed")
            for quantity in ("rate", "throughput")
        ]
    )
