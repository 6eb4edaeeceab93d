"""The query string of /compare <-> Selection: the page's grammar. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from urllib.parse import quote_plus

from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, parse_quantity

METRIC = "metric"  # as a series: one series per metric
SINGLE = {
    "x": "",
    "series": "",
    "facet": "",
    "kind": "bars",
    "sort": "",
    "baseline": "",
    "stat": "median",
    "normalise": "",
    "scale": "linear",
    "unit": "MiB",
}
DIVISORS = {"disk": "disks", "core": "cores", "node": "nodes", "process": "processes", "thread": "threads"}
EURO = "euro"
KINDS = ("bars", "dots", "lines", "box", "scatter", "heat", "ratio")
BY_VALUE = "value"  # as the order of the x axis
CHOICES = {
    "kind": KINDS,
    "sort": (BY_VALUE,),
    "stat": ("median", "mean", "bootstrap"),
    "scale": ("linear", "log"),
    "unit": ("MiB", "MB"),
    "normalise": (*DIVISORS, EURO, "baseline"),
}
POOLABLE = ("tool_version", "origin", *(name for name in PARAMS if name not in ("part", "phase")))
"""What of a workload may differ in a group where the reader says so; never the tool, the kind of number, or parts."""
LONGEST_SEARCH = 200
_SAFE = "/:~,()"
_POSITION = {name: at for at, name in enumerate(DIMENSIONS)}


@dataclass(frozen=True, slots=True)
class Selection:
    """The whole state of the comparison page.

    `kind` is the kind of figure, `sort` the order of the x axis (its own, or by value).

    `filters` holds (dimension, values) in the order of the dimensions, values sorted; a value is a text, `~` for
    unknown, or for numeric dimensions a range `low..high` with open ends. `strange` holds what the query string had
    beside that, word for word: it is named on the page and kept in the address. `hold`: dimensions of which only those
    values count that every group has. `pool`: parts of the workload that may differ within a group. `q`: words that
    must all stand in the values of the configuration or workload. `overlay`: archives drawn beside the others, as
    values of the dimension `source`. `prices`: (value of an axis, euros), which the reader gives for `normalise=euro`.
    """

    metrics: tuple[str, ...] = ()
    x: str = ""
    series: str = ""
    facet: str = ""
    kind: str = "bars"
    sort: str = ""
    baseline: str = ""
    stat: str = "median"
    normalise: str = ""
    scale: str = "linear"
    unit: str = "MiB"
    hold: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    prices: tuple[tuple[str, str], ...] = ()
    filters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    q: str = ""
    archives: tuple[int, ...] = ()
    overlay: tuple[int, ...] = ()
    studies: tuple[str, ...] = ()
    strange: tuple[tuple[str, str], ...] = field(default=())

    def values(self, dimension: str) -> tuple[str, ...]:
        """The values that a dimension is filtered by."""
        return next((values for name, values in self.filters if name == dimension), ())

    def having(self, dimension: str, values: Iterable[str]) -> Selection:
        """The same with a dimension filtered by these values, or by none."""
        return self.narrowed({dimension: values})

    def narrowed(self, values: Mapping[str, Iterable[str]]) -> Selection:
        """The same with each of these dimensions filtered by its values."""
        return self.changed(filters=_ordered({**dict(self.filters), **values}))

    def changed(self, **single) -> Selection:
        """The same with other axes, statistic or metrics. A page asks for it thirty times: `replace` takes twice as long."""
        return Selection(**{**dict(zip(_FIELDS, _VALUES(self), strict=True)), **single})

    @property
    def axes(self) -> tuple[str, ...]:
        """The dimensions by which groups are told apart."""
        return tuple(name for name in (self.x, self.series, self.facet) if name in DIMENSIONS)


_FIELDS = tuple(one.name for one in fields(Selection))
_VALUES, _SINGLE = attrgetter(*_FIELDS), attrgetter(*SINGLE)


def _ordered(filters: Mapping[str, Iterable[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = sorted((name for name, values in filters.items() if values), key=_POSITION.__getitem__)
    return tuple((name, tuple(sorted(set(filters[name])))) for name in names)


def parse(pairs: Sequence[tuple[str, str]]) -> Selection:
    """Pairs of a query string -> Selection. Never fails: what is not understood is `strange`."""
    metrics: list[str] = []
    single: dict[str, str] = {}
    filters: dict[str, list[str]] = {}
    named: dict[str, set[str]] = {"hold": set(), "pool": set()}
    numbers: dict[str, set[int]] = {"archive": set(), "overlay": set()}
    prices: dict[str, str] = {}
    search = ""
    studies: set[str] = set()
    strange: list[tuple[str, str]] = []
    for key, value in pairs:
        if value == "":
            continue
        if key == "metric" and value in METRICS:
            metrics += [value] if value not in metrics else []
        elif key in SINGLE and key not in single and _fits(key, value):
            single[key] = value
        elif key in DIMENSIONS and _is_value(key, value):
            filters.setdefault(key, []).append(value)
        elif key in named and value in (DIMENSIONS if key == "hold" else POOLABLE):
            named[key].add(value)
        elif key in numbers and value.isascii() and value.isdigit() and len(value) < 10:
            numbers[key].add(int(value))
        elif key == "price" and (priced := _price(value)) and priced[0] not in prices:
            prices[priced[0]] = priced[1]
        elif key == "q" and not search and value.strip() and len(value) <= LONGEST_SEARCH:
            search = " ".join(value.split())
        elif key == "study":
            studies.add(value)
        else:
            strange.append((key, value))
    hold, pool = (tuple(name for name in DIMENSIONS if name in found) for found in named.values())
    return Selection(
        tuple(metrics),
        filters=_ordered(filters),
        hold=hold,
        pool=pool,
        q=search,
        prices=tuple(sorted(prices.items())),
        archives=tuple(sorted(numbers["archive"])),
        overlay=tuple(sorted(numbers["overlay"])),
        studies=tuple(sorted(studies)),
        strange=tuple(strange),
        **single,
    )


_EUROS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,4})?")


def _price(value: str) -> tuple[str, str] | None:
    """`VALUE:EUROS`, more than nothing; None where it is none."""
    name, _, euros = value.rpartition(":")
    return (name, euros) if name and _EUROS.fullmatch(euros) and float(euros) else None


def _fits(key: str, value: str) -> bool:
    if key in ("x", "facet"):
        return value in DIMENSIONS
    if key == "series":
        return value in DIMENSIONS or value == METRIC
    return value in CHOICES.get(key, (value,))


def _is_value(key: str, value: str) -> bool:
    if not DIMENSIONS[key].numeric or value == UNKNOWN:
        return True
    if ".." in value:
        return value != ".." and all(end == "" or parse_quantity(end) is not None for end in value.split("..", 1))
    return parse_quantity(value) is not None


def query_pairs(selection: Selection) -> list[tuple[str, str]]:
    """The canonical pairs: metrics, axes, filters, then what was not understood; defaults are left out."""
    found = [("metric", metric) for metric in selection.metrics]
    # A second value of such a key is strange; a usual one before it is then written, or the second would be the first.
    twice = {key for key, value in selection.strange if key in SINGLE and _fits(key, value)}
    found += [
        (key, value)
        for (key, usual), value in zip(SINGLE.items(), _SINGLE(selection), strict=True)
        if value != usual or (usual and key in twice)
    ]
    found += [("hold", name) for name in selection.hold] + [("pool", name) for name in selection.pool]
    found += [("price", f"{name}:{euros}") for name, euros in selection.prices]
    found += [(name, value) for name, values in selection.filters for value in values]
    found += [("q", selection.q)] if selection.q else []
    found += [("archive", str(archive)) for archive in selection.archives]
    found += [("study", study) for study in selection.studies]
    found += [("overlay", str(archive)) for archive in selection.overlay]
    return found + list(selection.strange)


def query_string(selection: Selection) -> str:
    """The query string: short, ordered, readable."""
    return "&".join([_pair(key, value) for key, value in query_pairs(selection)])


class Links:
    """The queries of a selection with something changed: what all of them share is written once."""

    def __init__(self, selection: Selection) -> None:
        written = [_pair(*pair) for pair in query_pairs(selection)]
        # In the order of pairs_of, counted from its end: what stands behind the filters, they, the prices, the pooled, the held.
        tail = sum(map(len, (selection.archives, selection.studies, selection.overlay, selection.strange))) + bool(selection.q)
        behind = len(written) - tail
        filters = behind - sum(len(values) for _, values in selection.filters)
        pooled = filters - len(selection.prices) - len(selection.pool)
        held = pooled - len(selection.hold)
        facet = len(selection.metrics) + bool(selection.x) + bool(selection.series)
        self._head, self._tail = written[:filters], written[behind:]
        self._around = _around(self._head, self._tail)
        self._facet = _around(written[:facet], written[facet + bool(selection.facet) :])
        self._hold = _around(written[:held], written[pooled:])
        self._filters = [(name, [_pair(name, value) for value in values]) for name, values in selection.filters]

    def only(self, values: Mapping[str, str], text: str | None = None) -> str:
        """The query with each of these dimensions filtered by its value alone. `text`: what `filter_query` makes of the values."""
        others = [(name, pairs) for name, pairs in self._filters if name not in values]
        if values and not others:
            before, after = self._around
            return f"{before}{filter_query(values) if text is None else text}{after}"
        ours = [(name, [_pair(name, value)]) for name, value in values.items()]
        filters = [pair for _, pairs in sorted(others + ours, key=lambda one: _POSITION[one[0]]) for pair in pairs]
        return "&".join([*self._head, *filters, *self._tail])

    def one_each(self, dimension: str) -> str:
        """The query with one figure for each value of the dimension."""
        before, after = self._facet
        return f"{before}facet={dimension}{after}"

    def holding(self, names: Iterable[str]) -> str:
        """The query with these dimensions held equal, in the order of DIMENSIONS."""
        before, after = self._hold
        return f"{before}{'&'.join([f'hold={name}' for name in names])}{after}"


def _around(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """What stands before a pair of a query and what behind it, with its ampersand."""
    return "&".join([*before, ""]), "&".join(["", *after])


def filter_query(values: Mapping[str, str]) -> str:
    """Dimensions with one value each as filters of a query."""
    return "&".join([_pair(name, values[name]) for name in sorted(values, key=_POSITION.__getitem__)])


def _pair(key: str, value: str) -> str:
    return f"{_quoted(key)}={_quoted(value)}"


@lru_cache(20_000)
def _quoted(text: str) -> str:
    """Kept: a page has hundreds of addresses of the same few words."""
    return quote_plus(text, _SAFE)


def passes_filter(selection: Selection, dimension: str, text: str) -> bool:
    """Whether a value of a dimension passes its filter."""
    wanted = selection.values(dimension)
    return not wanted or any(_matches(DIMENSIONS[dimension].numeric, want, text) for want in wanted)


def _matches(numeric: bool, want: str, text: str) -> bool:
    if want == text:
        return True
    if not numeric or UNKNOWN in (want, text):
        return False
    number = parse_quantity(text)
    if ".." not in want:
        return number == parse_quantity(want)
    low, high = (parse_quantity(end) if end else None for end in want.split("..", 1))
    return number is not None and (low is None or number >= low) and (high is None or number <= high)
