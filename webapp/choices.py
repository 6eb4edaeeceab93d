"""What can be chosen: which rows pass the filters, and each value of each dimension with what it would give. Pure."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ingest.catalogue import METRICS
from webapp.axes import CONFIGURATION, DIMENSIONS, SOURCE, UNKNOWN, Dimension, label_of, number_of, order, text_of
from webapp.cells import varying
from webapp.comparison import Choice, Facet, Row
from webapp.searching import Search
from webapp.selection import Selection, accepts

MOST = 40
USUAL = ("measured", "reported")
"""Only these origins enter a comparison, unless the reader asks for others."""
SEARCH = "q"
_FIRST = ("os", "os_family", "os_version", "kernel", "cpu", "cores", "memory", "disks", "fs", "stack", "layout",
          "compression", "dedup", "atime", "recordsize", "sync", "log", "cache", "network", "host", "tool",
          "tool_version", "file_size", "record_size", "block_size", "transfer_size", "threads", "processes", "nodes",
          "files", "access", "api", "part", "aggregate", "operation", "origin")
_NEVER = ("configuration", "system", SOURCE)
"""Ids, which are filtered by from other pages, and what an overlay tells apart: a facet only where chosen."""

Reasons = frozenset[str]
_NONE: Reasons = frozenset()


class Sieve:
    """The filters and the search of a selection; each configuration and each workload is looked at once.

    Pages have thousands of rows of a few hundred configurations, so a row costs two look-ups.
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._search = Search(selection.q)
        names = [name for name, _ in selection.filters]
        self._of_configuration = [name for name in names if DIMENSIONS[name].source == CONFIGURATION]
        self._of_workload = [name for name in names if DIMENSIONS[name].source != CONFIGURATION]
        self._known: dict[int, tuple[Reasons, frozenset[str]]] = {}

    def failing(self, row: Row) -> Reasons:
        """The dimensions (or `q`) by which a row is left out; derived and modelled values by their `origin`."""
        known, texts = self._known, row.texts
        left, found = known.get(id(texts.configuration)) or self._side(texts.configuration, self._of_configuration)
        right, more = known.get(id(texts.workload)) or self._side(texts.workload, self._of_workload)
        both = left | right if left or right else _NONE
        return both if len(found | more) == len(self._search.words) else both | {SEARCH}

    def passes(self, row: Row) -> bool:
        return not self.failing(row)

    def _side(self, texts: Mapping[str, str], names: Sequence[str]) -> tuple[Reasons, frozenset[str]]:
        reasons = {name for name in names if not accepts(self.selection, name, texts[name])}
        if not self.selection.values("origin") and texts.get("origin", USUAL[0]) not in USUAL:
            reasons.add("origin")
        found = self._known[id(texts)] = frozenset(reasons), self._search.found(texts)
        return found


class _Tally:
    """Values by configuration (or workload) and by the reasons that leave them out."""

    def __init__(self) -> None:
        self.counts: dict[tuple, int] = {}
        self.texts: dict[int, Mapping[str, str]] = {}

    def add(self, texts: Mapping[str, str], n: int, reasons: Reasons) -> None:
        """`texts`: the values of the configuration or of the workload; the same ones are the same object."""
        key = (id(texts), reasons)
        self.counts[key] = self.counts.get(key, 0) + n
        self.texts[id(texts)] = texts

    def of(self, name: str) -> tuple[dict[str, int], dict[str, list[Reasons]]]:
        """(value -> count with the other filters kept, value -> what leaves out those that are not counted)."""
        counts: dict[str, int] = {}
        blocked: dict[str, list[Reasons]] = {}
        for (at, reasons), n in self.counts.items():
            text, others = self.texts[at][name], reasons - {name}
            counts[text] = counts.get(text, 0) + (0 if others else n)
            if others:
                blocked.setdefault(text, []).append(others)
        return counts, blocked


def facets(sieve: Sieve, rows: Sequence[Row]) -> list[Facet]:
    """Filters with counts: how many values each choice would leave, the other filters kept; and why some leave none."""
    of_configuration, of_workload = _Tally(), _Tally()
    for row in rows:
        reasons = sieve.failing(row)
        of_configuration.add(row.texts.configuration, row.n, reasons)
        of_workload.add(row.texts.workload, row.n, reasons)
    chosen, among = [name for name, _ in sieve.selection.filters], varying(rows)
    names = dict.fromkeys((*_FIRST, *(name for name in DIMENSIONS if name not in _NEVER), *chosen))
    names = [name for name in names if name in among or name in chosen]
    found = []
    for name in names:
        tally = of_configuration if DIMENSIONS[name].source == CONFIGURATION else of_workload
        facet = _facet(sieve.selection, name, *tally.of(name))
        found += [facet] if facet is not None else []
    return found


def _facet(selection: Selection, name: str, counts: Mapping[str, int],
           blocked: Mapping[str, list[Reasons]]) -> Facet | None:
    dimension, chosen = DIMENSIONS[name], selection.values(name)
    if len(counts) < 2 and not chosen:
        return None
    every = sorted({*counts, *chosen}, key=lambda text: (text not in chosen, not counts.get(text), order(dimension, text)))
    shown = sorted(every[:MOST], key=lambda text: order(dimension, text))
    options = [_choice(dimension, text, counts, blocked, text in chosen) for text in shown]
    low, high = _reach(dimension, counts)
    return Facet(name, dimension.label, options, len(every) - len(options), dimension.numeric, low, high)


def _choice(dimension: Dimension, text: str, counts: Mapping[str, int], blocked: Mapping[str, list[Reasons]],
            chosen: bool) -> Choice:
    count = _counted(dimension, text, counts)
    reason = "" if count else _reason(dimension, text, counts, blocked.get(text, ()))
    return Choice(text, label_of(dimension, text), count, chosen, reason)


def _counted(dimension: Dimension, text: str, counts: Mapping[str, int]) -> int:
    """Values of a choice; a range has those of every value in it."""
    if text in counts or not dimension.numeric:
        return counts.get(text, 0)
    one = Selection().having(dimension.name, [text])
    return sum(count for value, count in counts.items() if accepts(one, dimension.name, value))


def _reason(dimension: Dimension, text: str, counts: Mapping[str, int], blocked: Sequence[Reasons]) -> str:
    """Why a choice would give nothing, in a sentence."""
    if not blocked:
        if ".." in text and dimension.numeric and counts:
            return "No known value lies in this range."
        return "No run of the chosen metrics has it."
    common = frozenset.intersection(*blocked)
    if not common:
        return "No run has it together with the other choices."
    names = [name_of(name) for name in (*DIMENSIONS, SEARCH) if name in common]
    return f"Every run of it is left out by the choice of {' and of '.join(names)}."


def name_of(reason: str) -> str:
    """A filter for people."""
    return "the searched words" if reason == SEARCH else DIMENSIONS[reason].label.lower()


def _reach(dimension: Dimension, counts: Mapping[str, int]) -> tuple[str, str]:
    """The lowest and the highest known value of a numeric dimension, for people."""
    numbers = [number for text in counts if text != UNKNOWN and (number := number_of(text)) is not None]
    if not dimension.numeric or not numbers:
        return "", ""
    return tuple(label_of(dimension, text_of(end)) for end in (min(numbers), max(numbers)))


def metrics(selection: Selection, available: Mapping[str, int], left: Mapping[str, int] | None) -> list[Choice]:
    """Every metric that has values, and the chosen ones; with `left`, what the filters leave of each, pale where nothing."""
    found = []
    for name, metric in METRICS.items():
        chosen = name in selection.metrics
        if name in available or chosen:
            count = (available if left is None else left).get(name, 0)
            reason = "" if count else "No run of it passes the filters." if name in available else "Nobody has measured it yet."
            found.append(Choice(name, metric.label, count, chosen, reason))
    return found


def axes(selection: Selection, rows: Sequence[Row]) -> list[Choice]:
    """Every dimension as an axis, with how many groups it would make of these rows; pale where it tells nothing apart."""
    configurations = {id(row.texts.configuration): row.texts.configuration for row in rows}.values()
    workloads = {id(row.texts.workload): row.texts.workload for row in rows}.values()
    found = []
    for name, dimension in DIMENSIONS.items():
        if name != SOURCE or selection.overlay:
            sides = configurations if dimension.source == CONFIGURATION else workloads
            values = {texts[name] for texts in sides}
            found.append(Choice(name, dimension.label, len(values), name in selection.axes, _flat(dimension, values)))
    return found


def _flat(dimension: Dimension, values: Collection[str]) -> str:
    """Why an axis would tell nothing apart; empty where it does."""
    if len(values) > 1:
        return ""
    if not values:
        return "No run passes the filters."
    only = next(iter(values))
    return "No run tells it." if only == UNKNOWN else f"Every run has the same: {label_of(dimension, only)}."
