"""The answer to a selection as plain data: panels of groups, each with its values and where they come from."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from webapp.selection import Selection


@dataclass(slots=True)
class Row:
    """One summary row: the values of one metric, configuration and workload.

    `texts` has the value of every dimension as the query string writes it. `scale` is the factor by which the values
    have been normalised; the histogram stays as stored.
    """

    metric: str
    configuration: int
    workload: int
    n: int
    texts: Mapping[str, str]
    values: list[float] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mean: float = 0.0
    m2: float = 0.0
    low: float = 0.0
    high: float = 0.0
    histogram: Mapping[str, int] | None = None
    scale: float = 1.0


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

    `word` is `better`, `worse` or `cannot tell`; `paired` how many matched pairs it rests on, 0 where it is unpaired.
    """

    ratio: float
    low: float | None
    high: float | None
    word: str
    paired: int
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Alike:
    """Centre and values (the first 30 of each row) of what may have a counterpart in another group."""

    center: float
    values: list[float]


@dataclass(slots=True)
class Group:
    """What one mark of the figure stands for. `low` and `high` are the ends of the interval, None where there is none.

    `runs` counts values, `configurations` their configurations. `rough` is set where a median comes from a histogram.
    `matched` has each set of configurations that may have a counterpart in another group.
    `basis` holds what the interval rests on: the configurations' centres, or the repetitions of the only one.
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
    matched: dict[tuple[str, ...], Alike] = field(default_factory=dict)
    verdict: Verdict | None = None

    @property
    def single(self) -> bool:
        return self.runs == 1


@dataclass(slots=True)
class Panel:
    """One drawing: groups of one metric, or of several of the same unit, and of one facet value."""

    title: str
    metrics: tuple[str, ...]
    unit: str
    better: str
    xs: list[str]
    series: list[str]
    groups: list[Group]
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """A thing that an honest reader is told: id, sentence, and where it leads."""

    id: str
    sentence: str
    query: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a dimension with how many values it would give; pale where none."""

    text: str
    label: str
    count: int
    chosen: bool


@dataclass(slots=True)
class Facet:
    """A dimension that can be filtered by, with its choices."""

    name: str
    label: str
    choices: list[Choice]
    left: int = 0
    numeric: bool = False

    @property
    def active(self) -> bool:
        return any(choice.chosen for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Differs:
    """A dimension in which what is compared differs besides the chosen ones. `between`: not the same in all groups."""

    name: str
    label: str
    values: tuple[str, ...]
    between: bool
    queries: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Comparison:
    """Everything that page, data twins and permalink show."""

    selection: Selection
    panels: list[Panel]
    flags: list[Flag]
    differs: list[Differs]
    facets: list[Facet]
    workloads: list[tuple[str, str, int, bool]]
    metrics: list[tuple[str, str, int, bool]]
    runs: int
    configurations: int
    method: str

    @property
    def groups(self) -> list[Group]:
        return [group for panel in self.panels for group in panel.groups]
