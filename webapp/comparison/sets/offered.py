"""What the sentence above a figure offers: the metrics, axes, machines and workloads of which there is something to compare, each
with the query that draws it. Chosen without a look at values. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import DIMENSIONS, MACHINE, in_sentence, is_known_value, value_label
from webapp.comparison.model import Offer
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.sets import core_keys
from webapp.comparison.sets.candidate_sets import find_sets, one_class_per_place, place_axes, settle
from webapp.comparison.sets.workloads import WorkloadKey, WorkloadKeys, label_workloads
from webapp.comparison.summary.columns import METRIC_INDEX, WORKLOAD_INDEX, Columns, occurring_codes, renumber

SEARCH = "q"
MAX_OFFERED = 24
"""Entries of a menu."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows without filters, the filters that each fails, and the `bits` of these by name."""

    rows: Columns
    failing: np.ndarray
    bits: Mapping[str, int]

    def query(self, selection: Selection, failed_bits: int, more: Mapping[str, str] = MappingProxyType({})) -> str:
        """The selection without the filters that a set fails, with these filters too."""
        failed = [name for name, bit in self.bits.items() if failed_bits & bit]
        kept = selection.changed(q="") if SEARCH in failed else selection
        dropped: dict[str, tuple[str, ...]] = {name: () for name in failed if kept.values(name)}
        return query_string(kept.narrowed({**dropped, **{name: (value,) for name, value in more.items()}}))

    def find(self, selection: Selection, groups: np.ndarray, by_class: bool) -> dict[int, int]:
        """For each code of `groups` (one a row, -1 for none) that has a set with several values of the x axis the filters that the
        nearest of these fails: fewest filters, then typical numbers, most values of the axis, and most values."""
        rows = self.rows
        if selection.x not in DIMENSIONS:
            return {}
        key = (Candidates, selection.named_axes, selection.pool, by_class)
        sets, settled = rows.cached(key, lambda: (find_sets(selection, rows, place_axes(selection), by_class), {}))
        used = np.flatnonzero((sets.codes >= 0) & (groups >= 0))
        if not len(used):
            return {}
        pairs, count = renumber(groups[used] * len(sets) + sets.codes[used])
        x = rows.codes(selection.x)[used]
        size = int(x.max()) + 1
        values = np.bincount(occurring_codes(pairs * size + x) // size, minlength=count)
        n = np.bincount(pairs, rows.n[used], count)
        failed, at = np.zeros(count, self.failing.dtype), np.zeros(count, np.intp)
        np.bitwise_or.at(failed, pairs, self.failing[used])
        at[pairs] = used
        dropped = np.array([int(bits).bit_count() for bits in failed])
        typicality = WorkloadKeys(selection, rows).typicality[sets.workloads[sets.codes[at]]]
        found: dict[int, int] = {}
        for pair in np.lexsort((-n, -values, -typicality, dropped)).tolist():
            group, place = int(groups[at[pair]]), (sets.codes[at[pair]], rows.indices[METRIC_INDEX][at[pair]])
            if group in found or values[pair] < 2:
                continue
            if place not in settled:
                of_set = rows.take((sets.codes == place[0]) & (rows.indices[METRIC_INDEX] == place[1]))
                drawn, _ = settle(selection, one_class_per_place(selection, of_set) if by_class else of_set, by_class)
                settled[place] = len(drawn.known(selection.x)) > 1
            if settled[place]:
                found[group] = int(failed[pair])
        return found


def offer_metrics(selection: Selection, of: Candidates, by_class: bool) -> list[Offer]:
    """The metrics with several values of the x axis in a set, in the order of the catalogue."""
    plain = selection.changed(series="") if selection.series == METRIC else selection
    found = {of.rows.dimensions.metrics[code]: one for code, one in of.find(plain, of.rows.indices[METRIC_INDEX], by_class).items()}
    return [
        Offer(METRICS[name].label, of.query(plain.changed(metrics=(name,)), found[name]), selection.metrics == (name,))
        for name in METRICS
        if name in found
    ]


def offer_axes(selections: Iterable[tuple[Selection, bool]], drawn: str, of: Candidates) -> Iterator[Offer]:
    """The x axes of these selections (each with whether its sets are classes) with several values in a set."""
    everywhere = np.zeros(len(of.rows), np.intp)
    for selection, by_class in selections:
        for one in of.find(selection, everywhere, by_class).values():
            yield Offer(in_sentence(DIMENSIONS[selection.x].label), of.query(selection, one), selection.x == drawn)


def offer_machines(selection: Selection, of: Candidates, drawn: Sequence[str]) -> list[Offer]:
    """The machines with several values of the x axis in a set, by name."""
    if core_keys.frees_machine((selection.x,)):
        return []
    alone = selection.changed(series="") if selection.series in core_keys.PLACES else selection
    machines, rows = of.rows.codes(MACHINE), of.rows
    found = {rows.dimensions.column(MACHINE).values[code]: (code, one) for code, one in of.find(alone, machines, True).items()}
    names = {text: name_machine(text, rows.take(machines == code)) for text, (code, _) in found.items()}
    several = Counter(names.values())
    return sorted(
        Offer(
            f"{names[text]}, machine {text}" if several[names[text]] > 1 else names[text],
            of.query(alone, one, {MACHINE: text}),
            [*drawn] == [text],
        )
        for text, (_, one) in found.items()
    )[:MAX_OFFERED]


def name_machine(text: str, rows: Columns) -> str:
    """The machine of these rows by its host, where that is a name of its own, else by its hardware and system."""
    names = [name for name in rows.known("host") if is_known_value("host", name)]
    names = names or [value_label(DIMENSIONS[name], known[0]) for name in ("cpu", "memory", "os") if (known := rows.known(name))]
    return ", ".join(names) or f"machine {text}"


def offer_workloads(
    selection: Selection, of: Candidates, by_class: bool, machines: Sequence[str]
) -> list[tuple[WorkloadKey, Offer]]:
    """The workloads of these machines with several values of the x axis in a set, the nearest first."""
    workloads = WorkloadKeys(selection, of.rows)
    column = of.rows.dimensions.column(MACHINE)
    is_here = np.isin(column.texts, machines)[of.rows.codes(MACHINE)] if by_class else np.ones(len(of.rows), bool)
    found = of.find(selection, np.where(is_here, workloads.codes[of.rows.indices[WORKLOAD_INDEX]], -1), by_class)
    ranked = [(workloads.keys[code], failed) for code, failed in found.items()][:MAX_OFFERED]
    labels = label_workloads([key for key, _ in ranked])
    return [
        (key, Offer(label, of.query(selection, one, filters), False))
        for (key, one), (label, filters) in zip(ranked, labels, strict=True)
    ]
