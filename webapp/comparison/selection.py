"""The query string of /compare <-> Selection. Plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from urllib.parse import quote_plus

from ingest import same_host
from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from ingest.options import is_option
from webapp.comparison.dimensions import DIMENSIONS, NO_WORDS, SOURCE, UNKNOWN, AuthorWords, WordsCollector, is_open, parse_quantity

ARCHIVE, STUDY = "archive", "study"  # as the x axis: the named archives or studies beside each other, each drawn as a source
METRIC = "metric"  # as the series: one series per metric
SINGLE = {
    "x": "",
    "series": "",
    "facet": "",
    "kind": "bars",
    "sort": "",
    "baseline": "",
    "stat": "",
    "control": "",
    "normalise": "",
    "scale": "linear",
    "unit": "MiB",
    "model": "",
}
DIVISORS = {"disk": "disks", "core": "cores", "node": "nodes", "process": "processes", "thread": "threads"}
EURO = "euro"
MODEL_PREFIX = "raidz:"  # of the model laid over the figure; the query of /models/raidz follows
CURVES = ("time", "cdf", "histogram", "percentiles", "load")
"""Kinds of figure of what was recorded beside the runs of a comparison, or printed of them."""
KINDS = ["bars", *CURVES]
"""All kinds: those of `webapp/figures` register themselves (`webapp/figures/kind.py`)."""
BY_VALUE = "value"  # as the order of the x axis
TABLE_ORDERS = ("-value", "ratio", "-ratio", "n", "-n", "-x")
"""Orders of the table alone: by a column, with `-` the other way round (lowest or last first)."""
CHOICES = {
    "kind": KINDS,  # grows with each kind that registers
    "sort": (BY_VALUE, *TABLE_ORDERS),
    "stat": ("median", "mean", "bootstrap", "geometric"),
    "control": ("off",),
    "scale": ("linear", "log"),
    "unit": ("MiB", "MB"),
    "normalise": (*DIVISORS, EURO, "baseline"),
}
POOLABLE = ("tool_version", "origin", *(name for name in PARAMS if name not in ("part", "phase")))
"""Dimensions of a workload that `pool` may name, beside options of tools: never the tool, the kind of number, or parts of a run."""
LONGEST_SEARCH = 200
_SAFE = "/:~,()"
_POSITIONS = {name: position for position, name in enumerate(DIMENSIONS)}


def dimension_position(name: str) -> tuple[int, str]:
    """Sort key of dimensions: registered ones in their order, then open keys and options by name."""
    return _POSITIONS.get(name, len(_POSITIONS)), name


@dataclass(frozen=True, slots=True)
class Selection:
    """The whole state of the comparison page.

    `kind` is the kind of figure, `sort` the order of the x axis (its own, or by value). `stat`: empty for the geometric mean where
    groups are judged and the median elsewhere. `control`: `off` draws all runs of a workload instead of a controlled set.

    `filters` has (dimension, values) in the order of the dimensions, values sorted; a value is a text, `~` for unknown,
    or for numeric dimensions a range `low..high` with open ends. `strange` has the pairs of the query string that were
    not understood: they are named on the page and kept in the address. `hold`: dimensions of which only values that
    every group has are compared. `pool`: dimensions of the workload that may differ within a group. `q`: words that must
    all occur in the values of configuration or workload. `overlay`: archives drawn beside the others, as values of the
    dimension `source`. `prices`: (value of an axis, euros) for `normalise=euro`. `settings`: open keys and options whose
    values the page offers beside those that it would offer anyway. `model`: `raidz:` and the query of its page, laid over the
    figure. `words`: order, names and hidden values of axis and series, by the author.
    """

    metrics: tuple[str, ...] = ()
    x: str = ""
    series: str = ""
    facet: str = ""
    kind: str = "bars"
    sort: str = ""
    baseline: str = ""
    stat: str = ""
    control: str = ""
    normalise: str = ""
    scale: str = "linear"
    unit: str = "MiB"
    model: str = ""
    hold: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    prices: tuple[tuple[str, str], ...] = ()
    filters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    q: str = ""
    archives: tuple[int, ...] = ()
    overlay: tuple[int, ...] = ()
    studies: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    words: AuthorWords = NO_WORDS
    strange: tuple[tuple[str, str], ...] = field(default=())

    def values(self, dimension: str) -> tuple[str, ...]:
        """The values that a dimension is filtered by; empty without a filter."""
        return next((values for name, values in self.filters if name == dimension), ())

    def having(self, dimension: str, values: Iterable[str]) -> Selection:
        """The same with a dimension filtered by these values; without its filter where they are empty."""
        return self.narrowed({dimension: values})

    def narrowed(self, values: Mapping[str, Iterable[str]]) -> Selection:
        """The same with each of these dimensions filtered by its values."""
        return self.changed(filters=_ordered({**dict(self.filters), **values}))

    def changed(self, **single) -> Selection:
        """The same with other values of these fields. Faster than `dataclasses.replace`; pages call it often."""
        return Selection(**{**dict(zip(_FIELDS, _VALUES(self), strict=True)), **single})

    @property
    def named_axes(self) -> tuple[str, str, str]:
        """x, series and facet as they are: `metric` or empty where they are no dimension."""
        return (self.x, self.series, self.facet)

    @property
    def axes(self) -> tuple[str, ...]:
        """The dimensions of x, series and facet."""
        return tuple(name for name in (self.x, self.series, self.facet) if name and name in DIMENSIONS)


_FIELDS = tuple(item.name for item in fields(Selection))
_VALUES, _SINGLE = attrgetter(*_FIELDS), attrgetter(*SINGLE)


def _ordered(filters: Mapping[str, Iterable[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = sorted((name for name, values in filters.items() if values), key=dimension_position)
    return tuple((name, tuple(sorted(set(filters[name])))) for name in names)


def parse(pairs: Sequence[tuple[str, str]]) -> Selection:
    """Pairs of a query string -> Selection. Never fails: pairs that are not understood become `strange`."""
    collector = _Collector()
    for key, value in pairs:
        if value == "":
            continue
        add = _ADDERS.get(key) or (_Collector.add_filter if key in DIMENSIONS else None)
        if add is None or not add(collector, key, value):
            collector.strange.append((key, value))
    return collector.selection()


class _Collector:
    """The parts of a selection while its pairs are parsed. Each `add_...` returns whether it understood the pair."""

    def __init__(self) -> None:
        self.metrics: list[str] = []
        self.single: dict[str, str] = {}
        self.filters: dict[str, list[str]] = {}
        self.names: dict[str, set[str]] = {"hold": set(), "pool": set(), "setting": set()}
        self.archives: dict[str, set[int]] = {"archive": set(), "overlay": set()}
        self.prices: dict[str, str] = {}
        self.search = ""
        self.studies: set[str] = set()
        self.words = WordsCollector()
        self.strange: list[tuple[str, str]] = []

    def add_metric(self, _: str, value: str) -> bool:
        if value not in METRICS:
            return False
        self.metrics += [value] if value not in self.metrics else []
        return True

    def add_single(self, key: str, value: str) -> bool:
        if key in self.single or not _fits(key, value):
            return False
        self.single[key] = value
        return True

    def add_filter(self, key: str, value: str) -> bool:
        if not _is_value(key, value):
            return False
        self.filters.setdefault(key, []).append(value)
        return True

    def add_name(self, key: str, value: str) -> bool:
        of_its_own = is_option(value) or (key == "setting" and is_open(value))
        if not of_its_own and value not in {"hold": DIMENSIONS, "pool": POOLABLE, "setting": ()}[key]:
            return False
        self.names[key].add(value)
        return True

    def add_archive(self, key: str, value: str) -> bool:
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            return False
        self.archives[key].add(int(value))
        return True

    def add_price(self, _: str, value: str) -> bool:
        price = _price(value)
        if price is None or price[0] in self.prices:
            return False
        self.prices[price[0]] = price[1]
        return True

    def add_search(self, _: str, value: str) -> bool:
        if self.search or not value.strip() or len(value) > LONGEST_SEARCH:
            return False
        self.search = " ".join(value.split())
        return True

    def add_study(self, _: str, value: str) -> bool:
        if "\x00" in value:  # which no database takes
            return False
        self.studies.add(value)
        return True

    def add_word(self, key: str, value: str) -> bool:
        return self.words.add(key, value)

    def selection(self) -> Selection:
        x = self.single.get("x")
        if x in (ARCHIVE, STUDY):
            if self.archives["archive"] if x == ARCHIVE else self.studies:
                self.single["x"] = SOURCE
                self.archives["overlay"] |= self.archives["archive"] if x == ARCHIVE else set()
            else:
                self.strange.append(("x", self.single.pop("x")))
        words, meaningless = self.words.words()
        hold, pool, settings = (tuple(sorted(names, key=dimension_position)) for names in self.names.values())
        return Selection(
            tuple(self.metrics),
            filters=_ordered(self.filters),
            hold=hold,
            pool=pool,
            q=self.search,
            prices=tuple(sorted(self.prices.items())),
            archives=tuple(sorted(self.archives["archive"])),
            overlay=tuple(sorted(self.archives["overlay"])),
            studies=tuple(sorted(self.studies)),
            settings=settings,
            words=words,
            strange=(*meaningless, *self.strange),
            **self.single,
        )


_ADDERS: dict[str, Callable[[_Collector, str, str], bool]] = {
    **dict.fromkeys(DIMENSIONS, _Collector.add_filter),
    **dict.fromkeys(SINGLE, _Collector.add_single),
    "metric": _Collector.add_metric,
    "hold": _Collector.add_name,
    "pool": _Collector.add_name,
    "setting": _Collector.add_name,
    "archive": _Collector.add_archive,
    "overlay": _Collector.add_archive,
    "price": _Collector.add_price,
    "q": _Collector.add_search,
    "study": _Collector.add_study,
    **dict.fromkeys(("order", "label", "hide", "reason"), _Collector.add_word),
}
"""The method for each key of a query string."""


_EUROS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,4})?")


def _price(value: str) -> tuple[str, str] | None:
    """(value, euros) of `VALUE:EUROS` with a price above zero; None for other texts."""
    name, _, euros = value.rpartition(":")
    return (name, euros) if name and _EUROS.fullmatch(euros) and float(euros) else None


def _fits(key: str, value: str) -> bool:
    """Whether a value is allowed for a key of `SINGLE`."""
    if key in ("x", "facet"):
        return value in DIMENSIONS or (key == "x" and value in (ARCHIVE, STUDY))
    if key == "series":
        return value in DIMENSIONS or value == METRIC
    if key == "model":
        return value.startswith(MODEL_PREFIX) and len(value) <= LONGEST_SEARCH
    return value in CHOICES.get(key, (value,))


def _is_value(key: str, value: str) -> bool:
    """Whether a value is allowed in the filter of a dimension."""
    if not DIMENSIONS[key].numeric or value == UNKNOWN:
        return True
    if ".." in value:
        return value != ".." and all(end == "" or parse_quantity(end) is not None for end in value.split("..", 1))
    return parse_quantity(value) is not None


def query_pairs(selection: Selection) -> list[tuple[str, str]]:
    """The canonical pairs: metrics, axes, filters, then those that were not understood; defaults are omitted."""
    pairs = [("metric", metric) for metric in selection.metrics]
    # A repeated key is strange from the second value on. Its first value is written even if it is the default, since
    # parsing would take the second for the first otherwise.
    repeated = {key for key, value in selection.strange if key in SINGLE and _fits(key, value)}
    pairs += [
        (key, value)
        for (key, default), value in zip(SINGLE.items(), _SINGLE(selection), strict=True)
        if value != default or (default and key in repeated)
    ]
    pairs += [("hold", name) for name in selection.hold] + [("pool", name) for name in selection.pool]
    pairs += [("price", f"{name}:{euros}") for name, euros in selection.prices]
    pairs += [(name, value) for name, values in selection.filters for value in values]
    pairs += [("q", selection.q)] if selection.q else []
    pairs += [("archive", str(archive)) for archive in selection.archives]
    pairs += [("study", study) for study in selection.studies]
    pairs += [("overlay", str(archive)) for archive in selection.overlay]
    pairs += [("setting", name) for name in selection.settings]
    pairs += selection.words.pairs() if selection.words is not NO_WORDS else []
    return pairs + list(selection.strange)


def query_string(selection: Selection) -> str:
    """The query string: short, ordered, readable."""
    return "&".join([encode_pair(key, value) for key, value in query_pairs(selection)])


def encode_pair(key: str, value: str) -> str:
    """`KEY=VALUE` of a query string."""
    return f"{_quoted(key)}={_quoted(value)}"


@lru_cache(5_000)
def _quoted(text: str) -> str:
    """Cached, since a page has hundreds of addresses of the same words."""
    return quote_plus(text, _SAFE)


def passes_filter(selection: Selection, dimension: str, text: str) -> bool:
    """Whether a value of a dimension passes its filter."""
    values = selection.values(dimension)
    may_be_number = DIMENSIONS[dimension].numeric or is_open(dimension) or is_option(dimension)
    if dimension == "host":  # with or without its domain: addresses from before the domain was known stay valid
        return not values or any(same_host(value, text) for value in values)
    return not values or any(_matches(may_be_number, value, text) for value in values)


def _matches(numeric: bool, wanted: str, text: str) -> bool:
    """Whether a text matches a value or range of a filter; in numeric dimensions also as an equal quantity."""
    if wanted == text:
        return True
    if not numeric or UNKNOWN in (wanted, text):
        return False
    number = parse_quantity(text)
    if ".." not in wanted:
        return number is not None and number == parse_quantity(wanted)
    low, high = (parse_quantity(end) if end else None for end in wanted.split("..", 1))
    return number is not None and (low is None or number >= low) and (high is None or number <= high)


# Query strings of a selection with one change each, for the many links of a page. Plain Python.


class Links:
    """Query strings of a selection with one change each; the unchanged parts are encoded once."""

    def __init__(self, selection: Selection) -> None:
        pairs = [encode_pair(*pair) for pair in query_pairs(selection)]
        # Positions of parts in the order of `query_pairs`, counted from its end.
        tail = sum(
            map(
                len,
                (
                    selection.archives,
                    selection.studies,
                    selection.overlay,
                    selection.settings,
                    selection.words.pairs(),
                    selection.strange,
                ),
            )
        ) + bool(selection.q)
        filters_end = len(pairs) - tail
        filters = filters_end - sum(len(values) for _, values in selection.filters)
        pooled = filters - len(selection.prices) - len(selection.pool)
        held = pooled - len(selection.hold)
        facet = len(selection.metrics) + bool(selection.x) + bool(selection.series)
        self._head, self._tail = pairs[:filters], pairs[filters_end:]
        self._around_filters = _around(self._head, self._tail)
        self._around_facet = _around(pairs[:facet], pairs[facet + bool(selection.facet) :])
        self._around_hold = _around(pairs[:held], pairs[pooled:])
        self._filters = [(name, [encode_pair(name, value) for value in values]) for name, values in selection.filters]

    def with_filters(self, values: Mapping[str, str], encoded: str | None = None) -> str:
        """The query with each of these dimensions filtered by its value alone. `encoded`: `filter_query(values)`, if known."""
        others = [(name, pairs) for name, pairs in self._filters if name not in values]
        if values and not others:
            before, after = self._around_filters
            return f"{before}{filter_query(values) if encoded is None else encoded}{after}"
        changed = [(name, [encode_pair(name, value)]) for name, value in values.items()]
        filters = [pair for _, pairs in sorted(others + changed, key=lambda item: dimension_position(item[0])) for pair in pairs]
        return "&".join([*self._head, *filters, *self._tail])

    def with_facet(self, dimension: str) -> str:
        """The query with one figure for each value of the dimension."""
        before, after = self._around_facet
        return f"{before}{encode_pair('facet', dimension)}{after}"

    def with_hold(self, names: Iterable[str]) -> str:
        """The query with these dimensions held equal; they are in the order of DIMENSIONS."""
        before, after = self._around_hold
        return f"{before}{'&'.join([encode_pair('hold', name) for name in names])}{after}"


def _around(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The text of a query before and after a pair, with the ampersands."""
    return "&".join([*before, ""]), "&".join(["", *after])


def filter_query(values: Mapping[str, str]) -> str:
    """Filters of dimensions by one value each, as part of a query string."""
    return "&".join([encode_pair(name, values[name]) for name in sorted(values, key=dimension_position)])
