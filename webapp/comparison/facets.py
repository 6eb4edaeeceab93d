"""What can be chosen: which rows pass the filters, and each value of each dimension with what it would give. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import DIMENSIONS, SOURCE, UNKNOWN, Dimension, parse_quantity, value_label, value_sort_key
from webapp.comparison.model import Choice, Facet
from webapp.comparison.search import parse_search, searchable_texts
from webapp.comparison.selection import Selection, passes_filter
from webapp.comparison.summary.columns import Columns, dimension_side

MAX_CHOICES = 24
"""Values of a dimension that are offered; another can be typed."""
USUAL = ("measured", "reported")
"""Only these origins enter a comparison, unless the reader asks for others."""
SEARCH = "q"
_FIRST = (
    "os",
    "os_family",
    "os_version",
    "kernel",
    "cpu",
    "cores",
    "memory",
    "disks",
    "fs",
    "stack",
    "layout",
    "compression",
    "dedup",
    "atime",
    "recordsize",
    "sync",
    "log",
    "cache",
    "network",
    "host",
    "tool",
    "tool_version",
    "file_size",
    "record_size",
    "block_size",
    "transfer_size",
    "threads",
    "processes",
    "nodes",
    "files",
    "access",
    "api",
    "part",
    "aggregate",
    "operation",
    "origin",
)
_NEVER = ("configuration", "system", SOURCE)
"""Ids, which are filtered by from other pages, and what an overlay tells apart: a facet only where chosen."""


class RowFilter:
    """The filters and the search of a selection. Each value of a dimension is looked at once, whatever the rows."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._words = parse_search(selection.q)
        names = [name for name, _ in selection.filters]
        names += [] if selection.values("origin") else ["origin"]
        self.bits = {name: 1 << at for at, name in enumerate((SEARCH, *names))}
        self._reasons: dict[int, str] = {}

    def failing(self, rows: Columns) -> np.ndarray:
        """What leaves each row out, as a set of `bits`: dimensions, or `q`. Derived and modelled values go by `origin`."""
        # More filters than bits in a word need whole numbers of any length.
        found = np.zeros(len(rows), np.int64 if len(self.bits) < 63 else object)
        for name, bit in self.bits.items():
            if name != SEARCH:
                codes = rows.sides.codes(name)
                fails = [not self._accepts(name, text) for text in codes.values]
                if any(fails):
                    found |= np.where(np.array(fails)[rows.code(name)], bit, 0).astype(found.dtype)
        for word in self._words:
            met = np.zeros(len(rows), bool)
            for name in DIMENSIONS:
                met |= np.array([word in text for text in searchable_texts(name, rows.sides.codes(name).values)], bool)[
                    rows.code(name)
                ]
            found |= np.where(met, 0, self.bits[SEARCH]).astype(found.dtype)
        return found

    def _accepts(self, name: str, text: str) -> bool:
        if name == "origin" and not self.selection.values(name):
            return text in USUAL
        return passes_filter(self.selection, name, text)

    def passing(self, rows: Columns) -> Columns:
        """The rows that no filter leaves out."""
        return rows.take(self.failing(rows) == 0)

    def reason(self, bits: int) -> str:
        """Why a choice would give nothing, in a sentence, by the set of bits that leave out every run of it."""
        if bits not in self._reasons:
            self._reasons[bits] = _why([name_of(name) for name in (*DIMENSIONS, SEARCH) if bits & self.bits.get(name, 0)])
        return self._reasons[bits]


class _Tally:
    """Values by dimension: how many pass, and what leaves out those that do not."""

    def __init__(self, sieve: RowFilter, rows: Columns, failing: np.ndarray) -> None:
        self._sieve, self._rows, self._failing = sieve, rows, failing
        self._per: dict[tuple[int, int], np.ndarray] = {}
        self._common: dict[int, np.ndarray] = {}

    def counts(self, name: str) -> np.ndarray:
        """For each value of a dimension the count with the other filters kept."""
        side, bit, codes = dimension_side(name), self._sieve.bits.get(name, 0), self._rows.sides.codes(name)
        if (side, bit) not in self._per:
            passes = (self._failing & ~bit if bit else self._failing) == 0
            self._per[side, bit] = self._rows.per(side, np.where(passes, self._rows.n, 0))
        return np.bincount(codes.of, self._per[side, bit], len(codes.values))

    def common(self, name: str) -> list[int]:
        """For each value of a dimension what leaves out every row of it, beside the dimension's own filter."""
        side, codes = dimension_side(name), self._rows.sides.codes(name)
        if side not in self._common:
            size = len(self._rows.sides.workloads if side else self._rows.sides.configurations)
            every = self._common[side] = np.full(size, sum(self._sieve.bits.values()), self._failing.dtype)
            np.bitwise_and.at(every, self._rows.columns[side], self._failing)
        order, starts = codes.ordered
        met = np.bitwise_and.reduceat(self._common[side][order], starts) & ~self._sieve.bits.get(name, 0)
        return met.tolist()


def make_facets(sieve: RowFilter, rows: Columns, failing: np.ndarray | None = None) -> list[Facet]:
    """Filters with counts: how many values each choice would leave, the other filters kept; and why some leave none."""
    tally = _Tally(sieve, rows, sieve.failing(rows) if failing is None else failing)
    chosen = [name for name, _ in sieve.selection.filters]
    names = dict.fromkeys((*_FIRST, *(name for name in DIMENSIONS if name not in _NEVER), *chosen))
    return [_facet(sieve, name, rows, tally) for name in names if name in chosen or len(rows.sides.codes(name).values) > 1]


def _facet(sieve: RowFilter, name: str, rows: Columns, tally: _Tally) -> Facet:
    dimension, chosen, values = DIMENSIONS[name], sieve.selection.values(name), rows.sides.codes(name).values
    counts = tally.counts(name)
    strange = [text for text in chosen if text not in values]
    ranked = _ranked(values, chosen, counts)[: max(0, MAX_CHOICES - len(strange))]
    ranked.sort()  # codes are in the order in which people read their values
    found = counts[ranked].astype(int).tolist()
    common = tally.common(name) if 0 in found else []
    options = [
        Choice(text := values[at], value_label(dimension, text), count, text in chosen, "" if count else sieve.reason(common[at]))
        for at, count in zip(ranked, found, strict=True)
    ]
    if strange:
        options += [_strange(dimension, text, values, counts) for text in strange[:MAX_CHOICES]]
        options.sort(key=lambda choice: value_sort_key(dimension, choice.text))
    low, high = _reach(dimension, values)
    return Facet(name, dimension.label, options, len(values) + len(strange) - len(options), dimension.numeric, low, high)


def _ranked(values: Sequence[str], chosen: Sequence[str], counts: np.ndarray) -> list[int]:
    """Codes of values: chosen ones first, then those that give something, then the others; enough of each."""
    giving, others = counts.nonzero()[0], (counts == 0).nonzero()[0]
    if not chosen:
        return giving[:MAX_CHOICES].tolist() + others[:MAX_CHOICES].tolist()
    return [at for at, text in enumerate(values) if text in chosen] + [
        at for some in (giving, others) for at in [at for at in some.tolist() if values[at] not in chosen][:MAX_CHOICES]
    ]


def _strange(dimension: Dimension, text: str, values: Sequence[str], counts: np.ndarray) -> Choice:
    """A chosen value that no row has: a range, or what is not among these rows."""
    count = _in_range(dimension, text, values, counts)
    return Choice(text, value_label(dimension, text), count, True, "" if count else _nothing(dimension, text, values))


def _in_range(dimension: Dimension, text: str, values: Sequence[str], counts: np.ndarray) -> int:
    """Values of a choice that is no value itself; a range has those of every value in it."""
    if not dimension.numeric:
        return 0
    one = Selection().having(dimension.name, [text])
    return int(sum(count for value, count in zip(values, counts, strict=True) if passes_filter(one, dimension.name, value)))


def _nothing(dimension: Dimension, text: str, values: Sequence[str]) -> str:
    if ".." in text and dimension.numeric and values:
        return "No known value lies in this range."
    return "No run of the chosen metrics has it."


def _why(names: Sequence[str]) -> str:
    """Why a choice would give nothing, in a sentence."""
    if not names:
        return "No run has it together with the other choices."
    return f"Every run of it is left out by the choice of {' and of '.join(names)}."


def name_of(reason: str) -> str:
    """A filter for people."""
    return "the searched words" if reason == SEARCH else DIMENSIONS[reason].label.lower()


def _reach(dimension: Dimension, values: Sequence[str]) -> tuple[str, str]:
    """The lowest and the highest known value of a numeric dimension, for people; the values are in order."""
    if not dimension.numeric or not values:
        return "", ""
    ends = (values[0], values[-1], values[-2] if len(values) > 1 else UNKNOWN)
    known = [(number, text) for text in ends if text != UNKNOWN and (number := parse_quantity(text)) is not None]
    if not known:
        return "", ""
    (_, low), (_, high) = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    return value_label(dimension, low), value_label(dimension, high)


def metric_choices(selection: Selection, available: Mapping[str, int], left: Mapping[str, int] | None) -> list[Choice]:
    """Every metric that has values, and the chosen ones; with `left`, what the filters leave of each, pale where nothing."""
    found = []
    for name, metric in METRICS.items():
        chosen = name in selection.metrics
        if name in available or chosen:
            count = (available if left is None else left).get(name, 0)
            reason = "" if count else "No run of it passes the filters." if name in available else "Nobody has measured it yet."
            found.append(Choice(name, metric.label, count, chosen, reason))
    return found


def axis_choices(selection: Selection, rows: Columns) -> list[Choice]:
    """Every dimension as an axis, with how many groups it would make of these rows; pale where it tells nothing apart."""
    chosen = selection.axes
    return [
        choice._replace(chosen=True) if choice.text in chosen else choice
        for choice in rows.keep(axis_choices, lambda: _axes(rows))
        if choice.text != SOURCE or selection.overlay
    ]


def _axes(rows: Columns) -> list[Choice]:
    counts = rows.counts()
    return [
        Choice(name, dimension.label, counts[name], False, "" if counts[name] > 1 else _flat(dimension, rows.values(name)))
        for name, dimension in DIMENSIONS.items()
    ]


def _flat(dimension: Dimension, values: Sequence[str]) -> str:
    """Why an axis of one value at most would tell nothing apart."""
    if not values:
        return "No run passes the filters."
    [only] = values
    return "No run tells it." if only == UNKNOWN else f"Every run has the same: {value_label(dimension, only)}."
