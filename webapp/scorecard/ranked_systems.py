"""Rankings: systems as they stand by one metric and one workload, one value a system. Rows come from the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.text import slugify

from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.comparison.aggregates import summarise
from webapp.comparison.dimensions import APART, UNKNOWN, is_known_value
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.rows import MAX_UNMEASURED
from webapp.comparison.selection import Selection
from webapp.comparison.sets.core_keys import HARDWARE
from webapp.comparison.sets.workloads import MEASURED, WorkloadKey, WorkloadKeys, workload_label
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, METRIC_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.row import SummaryRow, Texts, UnmeasuredRow
from webapp.comparison.summary.source import RowSource
from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models import Archive
from webapp.scorecard.normal import choose_rows, name_systems, system_codes

MIN_SYSTEMS = 8
"""Systems from which a workload has a ranking."""
MAX_LISTED, MAX_LED = 100, 10_000
"""Rankings in the list, and the values that are read for their leaders."""
LEFT_FREE = {"io500": ("tool_version", "nodes", "processes", APART)}
"""What the rules of a list leave to those who submit: no other workload, known or not."""
_FIRST = ("io500.score", "write.throughput", "read.throughput", "file_create.rate", "file_stat.rate")
_IO500_PHASES = ("ior-easy-write", "ior-easy-read", "mdtest-easy-write", "mdtest-easy-stat")
_TYPICAL = 2
_ASKED = Selection(pool=("origin",))
_cache = ProcessCache(2 * MB, estimate_bytes)


@dataclass(frozen=True, slots=True)
class RankedWorkload:
    """A workload of a metric that enough systems ran. `name`: what an address calls it."""

    metric: str
    name: str
    label: str
    key: WorkloadKey
    systems: int
    rows: Columns

    @property
    def is_list(self) -> bool:
        """Whether it is of a benchmark with a public list."""
        return dict(self.key)["tool"] in LEFT_FREE


@dataclass(slots=True)
class RankedSystem:
    """A system with its value and range in the base unit, and its place: `rank`, equal for equal values; between `first` and `last`
    where its range overlaps others."""

    pk: str
    row: SummaryRow
    value: float
    low: float | None
    high: float | None
    interval: str
    mine: bool
    rank: int = 0
    first: int = 0
    last: int = 0
    share: float = 0.0
    """Of the best value; where less is better, the best one's of this."""

    @property
    def texts(self) -> Texts:
        return self.row.texts

    @property
    def n(self) -> int:
        return self.row.n

    @property
    def has_system(self) -> bool:
        """Whether it is a system of its own: a named host of reported numbers; of other machines without known hardware many have
        the same."""
        is_named = self.origin != MEASURED and is_known_value("host", self.texts["host"])
        return self.texts["system"] != UNKNOWN and (is_named or any(self.texts[name] != UNKNOWN for name in HARDWARE))

    @property
    def width(self) -> str:
        """The share as an attribute of HTML, in any language."""
        return f"{self.share:.4f}"

    @property
    def origin(self) -> str:
        return self.texts["origin"]


@dataclass(frozen=True, slots=True)
class RankingSource:
    """The summary as rankings show it to a reader: accepted archives and the reader's own; `own`: these alone."""

    version: int
    scopes: tuple[int, ...]
    own: tuple[int, ...]

    @classmethod
    def of(cls, version: int, user: Any) -> RankingSource:
        """At most two queries."""
        return cls(version, *Archive.objects.ranked_scopes_of(user))

    def find_workloads(self, metric: str) -> list[RankedWorkload]:
        """The workloads of a metric that have a ranking. At most four queries."""
        return _find_workloads(reader.read_columns(self.version, self.scopes, (metric,)))

    def read_systems(self, workload: RankedWorkload) -> list[RankedSystem]:
        """One value of each system, unranked. At most four queries."""
        [filled] = reader.fill_values([(self.scopes, choose_rows(workload.rows))])
        own = {row.key for row in reader.read_columns(self.version, self.own, (workload.metric,)).rows} if self.own else set()
        return [_make_system(row, row.key in own) for row in filled if row.values or row.histogram]

    def read_unmeasured(self, workload: RankedWorkload) -> list[UnmeasuredRow]:
        """One run without a number of each system that has no other with this workload. At most three queries."""
        source = RowSource(self.version, ComparisonScopes(self.scopes, {}, frozenset()))
        absent = source.read_absent((workload.metric,)).unmeasured[:MAX_UNMEASURED]
        if not absent:
            return []
        rows = Columns([row.as_summary() for row in absent])
        keys = WorkloadKeys(_ASKED, rows)
        is_same = [_without_free(keys.keys[code]) == workload.key for code in keys.codes[rows.indices[WORKLOAD_INDEX]].tolist()]
        ranked, found = name_systems(workload.rows), dict[str, UnmeasuredRow]()
        names, codes = system_codes(rows.dimensions)
        for row, system, same in zip(absent, names[codes[rows.indices[CONFIGURATION_INDEX]]].tolist(), is_same, strict=True):
            if same and system not in ranked:
                found.setdefault(system, row)
        return list(found.values())

    def list_rankings(self) -> list[tuple[RankedWorkload, RankedSystem | None]]:
        """Every ranking with its leader, without its rows, those of public lists first, then those with most systems. At most six
        queries."""
        key = (self.version, self.scopes)
        found = _cache.get(key)
        return _cache.put(key, self._list_rankings()) if found is None else found

    def _list_rankings(self) -> list[tuple[RankedWorkload, RankedSystem | None]]:
        source = RowSource(self.version, ComparisonScopes(self.scopes, {}, frozenset()))
        available = {name: n for name, n in source.count_metrics().items() if name in METRICS}
        columns, _ = source.read_all(available) if available else (Columns([]), ())
        listed = sorted(_find_workloads(columns), key=_order)[:MAX_LISTED]
        chosen = [choose_rows(one.rows) for one in listed]
        ends = np.cumsum([len(rows) for rows in chosen]).tolist()
        read = [rows if end <= MAX_LED else [] for rows, end in zip(chosen, ends, strict=True)]
        filled = reader.fill_values([(self.scopes, rows) for rows in read])
        return [(replace(one, rows=Columns([])), _find_leader(rows)) for one, rows in zip(listed, filled, strict=True)]


def rank(systems: Sequence[RankedSystem]) -> list[RankedSystem]:
    """The same systems with their places, the best first."""
    if not systems:
        return []
    sign = -1.0 if METRICS[systems[0].row.metric].better == LESS else 1.0
    ordered = sorted(systems, key=lambda one: (-sign * one.value, one.texts["host"]))
    best = ordered[0].value
    values = np.sort([sign * one.value for one in ordered])
    ends = [sorted((sign * (one.value if end is None else end)) for end in (one.low, one.high)) for one in ordered]
    worst_ends, best_ends = (np.sort([pair[at] for pair in ends]) for at in (0, 1))
    for one, (low, high) in zip(ordered, ends, strict=True):
        one.rank = 1 + len(values) - int(np.searchsorted(values, sign * one.value, "right"))
        one.first = 1 + len(values) - int(np.searchsorted(worst_ends, high, "right"))
        one.last = len(values) - int(np.searchsorted(best_ends, low, "left"))
        if one.n < 2:
            one.first = one.last = one.rank
        above, below = (best, one.value) if sign < 0 else (one.value, best)
        one.share = max(0.0, min(1.0, above / below)) if below > 0 else 0.0
    return ordered


def _without_free(key: WorkloadKey) -> WorkloadKey:
    free = LEFT_FREE.get(dict(key)["tool"], ())
    return tuple(pair for pair in key if pair[0] not in free)


def _find_workloads(rows: Columns) -> list[RankedWorkload]:
    """The workloads with enough systems, most systems first."""
    if not len(rows):
        return []
    keys = WorkloadKeys(_ASKED, rows)
    merged: dict[WorkloadKey, int] = {}
    code_of = np.array([merged.setdefault(_without_free(key), len(merged)) for key in keys.keys], np.intp)
    codes = code_of[keys.codes[rows.indices[WORKLOAD_INDEX]]] * len(rows.dimensions.metrics) + rows.indices[METRIC_INDEX]
    typical = keys.typicality[keys.codes[rows.indices[WORKLOAD_INDEX]]] >= _TYPICAL
    names, of_configurations = system_codes(rows.dimensions)
    systems = of_configurations[rows.indices[CONFIGURATION_INDEX]]
    pairs = np.unique((codes * len(names) + systems)[typical])
    counts = np.bincount(pairs // len(names))
    by_code, found = list(merged), []
    for code in np.flatnonzero(counts >= MIN_SYSTEMS).tolist():
        key, metric = by_code[code // len(rows.dimensions.metrics)], rows.dimensions.metrics[code % len(rows.dimensions.metrics)]
        if metric in METRICS and METRICS[metric].better != NEITHER:
            label = workload_label(key, ())
            found.append(RankedWorkload(metric, slugify(label), label, key, int(counts[code]), rows.take(codes == code)))
    return sorted(found, key=lambda one: (-one.systems, one.label))


def _order(one: RankedWorkload) -> tuple:
    texts = dict(one.key)
    phase = texts.get("phase", "")
    places = [names.index(name) if name in names else len(names) for names, name in ((_IO500_PHASES, phase), (_FIRST, one.metric))]
    return not one.is_list, one.is_list and one.metric != _FIRST[0], *places, -one.systems, one.label


def _make_system(row: SummaryRow, mine: bool = False) -> RankedSystem:
    made = summarise("median", [row], [[row]])
    return RankedSystem(f"{row.configuration}-{row.workload}", row, made.center, made.low, made.high, made.interval, mine)


def _find_leader(rows: Sequence[SummaryRow]) -> RankedSystem | None:
    return next(iter(rank([_make_system(row) for row in rows if row.values or row.histogram])), None)
