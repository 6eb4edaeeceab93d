"""The answer to a selection as plain data: panels of groups, each with its values and where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from webapp.comparison.selection import Selection


class Texts(Mapping[str, str]):
    """The value of every dimension, as the query string writes it: those of a configuration and those of a workload.

    Both dictionaries are shared by all rows that have them; nothing is copied. `doubts` keeps what webapp/comparison/caveats.py
    found of this pair, by kind of metric.
    """

    __slots__ = ("configuration", "doubts", "workload")

    def __init__(self, configuration: Mapping[str, str], workload: Mapping[str, str]) -> None:
        self.configuration, self.workload = configuration, workload
        self.doubts: dict[str, frozenset[str]] = {}

    def __getitem__(self, name: str) -> str:
        found = self.workload.get(name)
        return self.configuration[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from self.configuration
        yield from self.workload

    def __len__(self) -> int:
        return len(self.configuration) + len(self.workload)


@dataclass(slots=True)
class SummaryRow:
    """One summary row: the values of one metric, configuration and workload.

    `texts` has the value of every dimension as the query string writes it. `scale` is the factor by which the values
    have been normalised; the histogram stays as stored. `centers` keeps the centres by statistic,
    `doubts` what webapp/comparison/caveats.py found of the row. Rows are shared
    between pages: never change one, take a `copy`.
    """

    metric: str
    configuration: int
    workload: int
    n: int
    texts: Texts
    values: list[float] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mean: float = 0.0
    m2: float = 0.0
    low: float = 0.0
    high: float = 0.0
    histogram: Mapping[str, int] | None = None
    scale: float = 1.0
    centers: dict[str, float] = field(default_factory=dict)
    doubts: frozenset[str] | None = None

    def copy(self) -> SummaryRow:
        """The same row, to be changed."""
        return SummaryRow(
            self.metric,
            self.configuration,
            self.workload,
            self.n,
            self.texts,
            self.values,
            self.ids,
            self.mean,
            self.m2,
            self.low,
            self.high,
            self.histogram,
            self.scale,
        )


@dataclass(slots=True)
class Point:
    """One repetition: its value in base unit, the measurement's id, and the address of its line."""

    value: float
    id: int
    configuration: int
    address: str = ""
    place: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A group against the baseline: ratio of the two with its interval, and what can be said of it.

    `word` is `better`, `worse` or `cannot tell` (`higher`, `lower` where neither is better); `paired` how many matched
    pairs it rests on, 0 where it is unpaired; `p` is adjusted. `effect` is the chance that a value of the group is
    better (higher) than one of the baseline, ties counting half; None where either has a single value.
    """

    ratio: float
    low: float | None
    high: float | None
    word: str
    paired: int
    p: float | None = None
    effect: float | None = None


@dataclass(frozen=True, slots=True)
class MatchedValues:
    """Centre and values (the first 30 of each row) of what may have a counterpart in another group."""

    center: float
    values: list[float]


@dataclass(slots=True)
class Group:
    """What one mark of the figure stands for. `low` and `high` are the ends of the interval, None where there is none.

    `runs` counts values, `configurations` their configurations. `rough` is set where a median comes from a histogram.
    `matched` has each set of configurations that may have a counterpart in another group.
    `basis` holds what the interval rests on: the configurations' centres, or the repetitions of the only one.
    `flags`: ids of the honesty flags (webapp/comparison/caveats.py) that concern it, most important first: a mark on the figure.
    """

    x: str
    series: str
    facet: str
    metric: str
    runs: int
    configurations: int
    center: float
    low: float | None
    high: float | None
    interval: str
    points: list[Point]
    rough: bool = False
    basis: list[float] = field(default_factory=list)
    matched: dict[tuple[str, ...], MatchedValues] = field(default_factory=dict)
    verdict: Verdict | None = None
    flags: tuple[str, ...] = ()

    @property
    def single(self) -> bool:
        return self.runs == 1


@dataclass(frozen=True, slots=True)
class Overall:
    """A value of the baseline's axis against the baseline over the whole panel: the geometric mean of `ratios` ratios,
    with the interval of that mean where there are four."""

    name: str
    ratio: float
    low: float | None
    high: float | None
    ratios: int


@dataclass(slots=True)
class Panel:
    """One drawing: groups of one metric, or of several of the same unit, and of one facet value.

    `overall` has one entry for each value that is compared with the baseline in more than one place.
    """

    title: str
    metrics: tuple[str, ...]
    unit: str
    better: str
    xs: list[str]
    series: list[str]
    groups: list[Group]
    baseline: str = ""
    overall: list[Overall] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Flag:
    """A thing that an honest reader is told: id, sentence, and where it leads.

    `query` with `action` is a comparison that answers it; `docs` the anchor in docs/honesty.md where it is explained
    (empty for what is only a notice), `place` where it stands: `group` (marked on the groups that have its id) or
    `figure` (beneath it).
    """

    id: str
    sentence: str
    query: str = ""
    action: str = ""
    docs: str = ""
    place: str = "figure"


class Choice(NamedTuple):
    """A value of a dimension with how many values (`n`) it would give; pale where none, for the `reason` that is told."""

    text: str
    label: str
    n: int
    chosen: bool
    reason: str = ""


@dataclass(slots=True)
class Facet:
    """A dimension that can be filtered by, with its choices. `low`, `high`: reach of a numeric one, for people.

    `written` keeps what a page made of it, which all pages with the same filters share.
    """

    name: str
    label: str
    choices: list[Choice]
    left: int = 0
    numeric: bool = False
    low: str = ""
    high: str = ""
    written: bytes = b""

    @property
    def active(self) -> bool:
        return any(choice.chosen for choice in self.choices)

    @property
    def told(self) -> str:
        """What is chosen, in words."""
        return ", ".join(choice.label for choice in self.choices if choice.chosen)


@dataclass(frozen=True, slots=True)
class DifferingDimension:
    """A dimension in which what is compared differs besides the chosen ones. `between`: not the same in all groups."""

    name: str
    label: str
    values: tuple[str, ...]
    between: bool
    queries: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Comparison:
    """Everything that page, data twins and permalink show.

    `axes`: every dimension as x, series or facet, with the number of groups that it would make; pale where it tells
    nothing apart. `overlays`: archives that can be laid over the rest, by their number; their counts tell nothing.
    """

    selection: Selection
    panels: list[Panel]
    flags: list[Flag]
    differs: list[DifferingDimension]
    facets: list[Facet]
    workloads: list[tuple[str, str, int, bool]]
    metrics: list[Choice]
    axes: list[Choice]
    runs: int
    configurations: int
    method: str
    overlays: list[Choice] = field(default_factory=list)

    @property
    def groups(self) -> list[Group]:
        return [group for panel in self.panels for group in panel.groups]
