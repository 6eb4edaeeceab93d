"""Facets: for each value of each dimension how many values it would give with the other filters. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from ingest.catalogue import METRICS
from ingest.options import is_option
from webapp.comparison.dimensions import (
    APART,
    DIMENSIONS,
    MACHINE,
    SOURCE,
    UNKNOWN,
    Dimension,
    is_open,
    parse_quantity,
    tool_of,
    value_label,
    value_sort_key,
)
from webapp.comparison.model import Choice, Facet
from webapp.comparison.search import RowFilter
from webapp.comparison.selection import Selection, passes_filter
from webapp.comparison.summary.columns import Columns, dimension_index
from webapp.formatting.numbers import NO_BREAK_SPACE

MAX_CHOICES = 24
"""Choices of a facet; other values can be typed."""
MAX_SETTINGS = 12
"""Open keys that have a facet because the rows differ in them; others can be asked for."""
MAX_OPTIONS = 6
"""Options of a tool that have a facet, and can be chosen as an axis, because the rows differ in them."""
FOREIGN = "No run of the chosen metrics has this value."
NOT_RECORDED = "Not recorded in these runs."
SAME_IN_ALL = "The same in every run: "
"""Reasons why a dimension is no axis; the second is followed by the value."""
MAX_STEPS = 48
"""Values of a numeric dimension that a slider and its histogram distinguish."""
_METRIC_POSITIONS = {name: position for position, name in enumerate(METRICS)}
_FIRST = (
    "os", "os_family", "os_version", "kernel", "cpu", "cores", "memory", "disks", "fs", "stack", "layout",
    "compression", "dedup", "atime", "recordsize", "sync", "log", "cache", "network", "host", "tool", "tool_version",
    "file_size", "record_size", "block_size", "transfer_size", "threads", "processes", "nodes", "files", "access",
    "api", "part", "aggregate", "operation", "origin",
)  # fmt: skip
_ONLY_IF_FILTERED = ("configuration", "system", MACHINE, APART, SOURCE)
"""Dimensions with a facet only where they are filtered by: ids, to which other pages link, and the source of overlays."""


class _FilterCounts:
    """Counts of each value of a dimension, without that dimension's own filter."""

    def __init__(self, row_filter: RowFilter, rows: Columns, failing: np.ndarray) -> None:
        self._bits, self._rows, self._failing = row_filter.bits, rows, failing
        self._passing_by_entry: dict[tuple[int, int], np.ndarray] = {}

    def count_passing(self, name: str) -> np.ndarray:
        """For each value of a dimension the number of values that pass the other filters."""
        # A choice replaces its own filter, so that one does not count: of dimensions that are not filtered the bit is 0.
        line, bit, column = dimension_index(name), self._bits.get(name, 0), self._rows.dimensions.column(name)
        if (line, bit) not in self._passing_by_entry:
            passing = (self._failing & ~bit if bit else self._failing) == 0
            self._passing_by_entry[line, bit] = self._rows.sum_weights(line, np.where(passing, self._rows.n, 0))
        return np.bincount(column.codes, self._passing_by_entry[line, bit], len(column.values))


def make_facets(row_filter: RowFilter, rows: Columns, failing: np.ndarray | None = None) -> list[Facet]:
    """Facets of every dimension in which the rows differ, and of the filtered ones; then those of options and of open keys.

    A choice has the number of values that it would give with the other filters.
    """
    counts = _FilterCounts(row_filter, rows, row_filter.failing(rows) if failing is None else failing)
    filtered = [name for name, _ in row_filter.selection.filters]
    names = dict.fromkeys((*_FIRST, *(name for name in DIMENSIONS if name not in _ONLY_IF_FILTERED), *filtered))
    chosen = {*filtered, *row_filter.selection.settings}
    shown = [
        name
        for name in names
        if not is_open(name) and not is_option(name) and (name in filtered or len(rows.dimensions.column(name).values) > 1)
    ]
    shown += sorted({*filter(is_option, chosen), *_offered_options(rows)})
    return [_make_facet(row_filter, name, rows, counts) for name in (*shown, *_choose_settings(rows, filter(is_open, chosen)))]


def differing_options(rows: Columns) -> list[str]:
    """The options in which runs of their tool differ, by name."""
    counts = rows.distinct_counts() if rows.dimensions.option_names else {}
    return [name for name in rows.dimensions.option_names if counts[name] > 1]


def _offered_options(rows: Columns) -> list[str]:
    """Those in which runs of their tool differ, by name; of many of a tool those that most runs were given."""
    offered: list[str] = []
    for _, group in groupby(differing_options(rows), tool_of):
        differing = list(group)
        if len(differing) > MAX_OPTIONS:
            given = {name: rows.total - rows.counts(name).get(UNKNOWN, 0) for name in differing}
            differing = sorted(sorted(differing, key=lambda name: (-given[name], name))[:MAX_OPTIONS])
        offered += differing
    return offered


def is_at_hand(name: str, tools: Collection[str]) -> bool:
    """Whether a dimension says something of runs of these tools: options of others do not."""
    return not is_option(name) or tool_of(name) in tools


def _choose_settings(rows: Columns, wanted: Iterable[str]) -> list[str]:
    """The open keys with a facet, by name: the wanted ones, and those of which several values are known, the most varied first."""
    columns = {name: rows.dimensions.column(name) for name in rows.dimensions.open_names}
    counts = {name: len(column.values) - (column.unknown_code >= 0) for name, column in columns.items()}
    varied = sorted((name for name, count in counts.items() if count > 1), key=lambda name: (-counts[name], name))
    return sorted({*wanted, *varied[:MAX_SETTINGS]})


def _make_facet(row_filter: RowFilter, name: str, rows: Columns, counts: _FilterCounts) -> Facet:
    dimension, chosen, values = DIMENSIONS[name], row_filter.selection.values(name), rows.dimensions.column(name).values
    passing = counts.count_passing(name)
    foreign = [text for text in chosen if text not in values]
    codes = _rank_codes(values, chosen, passing)[: max(0, MAX_CHOICES - len(foreign))]
    codes.sort()  # codes are in the order in which people read their values
    choices = [Choice(text := values[code], value_label(dimension, text), int(passing[code]), text in chosen) for code in codes]
    if foreign:
        choices += [_foreign_choice(dimension, text, values, passing) for text in foreign[:MAX_CHOICES]]
        choices.sort(key=lambda choice: value_sort_key(dimension, choice.text))
    low, high = _range_labels(dimension, values)
    omitted = len(values) + len(foreign) - len(choices)
    wanted = name in row_filter.selection.settings
    steps = _make_steps(values, passing) if dimension.numeric else ()
    return Facet(name, dimension.label, choices, omitted, dimension.numeric, low=low, high=high, wanted=wanted, steps=steps)


def _make_steps(values: Sequence[str], passing: np.ndarray) -> tuple[tuple[str, int], ...]:
    """(value, count) of the known values of a numeric dimension, lowest first; of many the nearest ones are put together, and
    have the lowest of their values, the last ones the highest."""
    known = [
        (number, text, int(n)) for text, n in zip(values, passing, strict=True) if (number := parse_quantity(text)) is not None
    ]
    known.sort(key=itemgetter(0))
    if len(known) <= MAX_STEPS:
        return tuple((text, n) for _, text, n in known)
    parts = [known[len(known) * at // MAX_STEPS : len(known) * (at + 1) // MAX_STEPS] for at in range(MAX_STEPS)]
    return tuple((part[-1 if at == MAX_STEPS - 1 else 0][1], sum(n for *_, n in part)) for at, part in enumerate(parts))


def list_values(row_filter: RowFilter, name: str, rows: Columns, search: str) -> list[Choice]:
    """Every value of a dimension that gives something with the other filters, or is chosen, and has the searched text."""
    dimension, values = DIMENSIONS[name], rows.dimensions.column(name).values
    chosen, passing = (
        row_filter.selection.values(name),
        _FilterCounts(row_filter, rows, row_filter.failing(rows)).count_passing(name),
    )
    return [
        Choice(text, label, int(n), text in chosen)
        for text, n in zip(values, passing, strict=True)
        if (n or text in chosen) and search.lower() in (label := value_label(dimension, text)).lower().replace(NO_BREAK_SPACE, " ")
    ]


def _rank_codes(values: Sequence[str], chosen: Sequence[str], passing: np.ndarray) -> list[int]:
    """Codes of values: chosen ones first, then those that give something, then the others; at most `MAX_CHOICES` of each."""
    giving, empty = passing.nonzero()[0], (passing == 0).nonzero()[0]
    if not chosen:
        return giving[:MAX_CHOICES].tolist() + empty[:MAX_CHOICES].tolist()
    codes = [code for code, text in enumerate(values) if text in chosen]
    for rest in (giving, empty):
        codes += [code for code in rest.tolist() if values[code] not in chosen][:MAX_CHOICES]
    return codes


def _foreign_choice(dimension: Dimension, text: str, values: Sequence[str], passing: np.ndarray) -> Choice:
    """A chosen text that is no value of these rows, such as a range."""
    n = _count_in_range(dimension, text, values, passing)
    return Choice(text, value_label(dimension, text), n, True, "" if n else FOREIGN)


def _count_in_range(dimension: Dimension, text: str, values: Sequence[str], passing: np.ndarray) -> int:
    """The sum of the counts of the values in a range of a numeric dimension, or of a host's other spellings; 0 for other texts."""
    if not (dimension.numeric or dimension.name == "host"):
        return 0
    selection = Selection().having(dimension.name, [text])
    counts = zip(values, passing, strict=True)
    return int(sum(n for value, n in counts if passes_filter(selection, dimension.name, value)))


def _range_labels(dimension: Dimension, values: Sequence[str]) -> tuple[str, str]:
    """The lowest and the highest known value of a numeric dimension, formatted; empty for others. The values are sorted."""
    if not dimension.numeric or not values:
        return "", ""
    ends = (values[0], values[-1], values[-2] if len(values) > 1 else UNKNOWN)
    known = [(number, text) for text in ends if text != UNKNOWN and (number := parse_quantity(text)) is not None]
    if not known:
        return "", ""
    (_, low), (_, high) = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    return value_label(dimension, low), value_label(dimension, high)


def metric_choices(selection: Selection, available: Mapping[str, int], passing: Mapping[str, int] | None) -> list[Choice]:
    """Every metric that has values, and the chosen ones.

    `available`: values by metric. `passing`: those that pass the filters, None where that is not known.
    """
    counts, names = available if passing is None else passing, METRICS.keys() & {*available, *selection.metrics}
    return [
        Choice(name, METRICS[name].label, counts.get(name, 0), name in selection.metrics)
        for name in sorted(names, key=_METRIC_POSITIONS.__getitem__)
    ]


def axis_choices(selection: Selection, rows: Columns) -> list[Choice]:
    """Every dimension as an axis, with the number of groups that it would make of these rows; pale where that is 0 or 1.

    Of open keys and options those of which the rows have several known values, and the chosen ones.
    """
    axes, choices = selection.axes, rows.cached(axis_choices, lambda: _axis_choices(rows))
    known = {choice.text for choice in choices}
    return [
        choice._replace(chosen=True) if choice.text in axes else choice
        for choice in choices
        if (choice.text != SOURCE or selection.overlay or SOURCE in axes) and (choice.text != APART or selection.values(APART))
    ] + [Choice(name, name, len(rows.distinct(name)), True) for name in dict.fromkeys(axes) if name not in known]


def _axis_choices(rows: Columns) -> list[Choice]:
    counts = rows.distinct_counts()
    return [
        Choice(
            name,
            dimension.label,
            counts[name],
            False,
            "" if counts[name] > 1 else _describe_constant(dimension, rows.distinct(name)),
        )
        for name, dimension in [
            (name, DIMENSIONS[name]) for name in (*DIMENSIONS, *rows.dimensions.open_names, *_offered_options(rows))
        ]
        if not is_open(name) or counts[name] > 1
    ]


def _describe_constant(dimension: Dimension, values: Sequence[str]) -> str:
    """Why an axis of at most one value is pale."""
    if not values:
        return "No run passes the filters."
    [only] = values
    return NOT_RECORDED if only == UNKNOWN else f"{SAME_IN_ALL}{value_label(dimension, only)}."
