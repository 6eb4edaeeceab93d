"""A comparison as plain data: panels of groups, each with its values and their lines in the uploaded files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import NamedTuple

from webapp.comparison.selection import Selection
from webapp.comparison.summary.row import SummaryRow


class Point(NamedTuple):
    """One repetition: its value in base units, the measurement's id, its line (FILE:LINE), the text there, and its address.

    `side`: where the true value lies of one that was divided by a bound, else empty.
    """

    value: float
    id: int
    configuration: int
    address: str = ""
    place: str = ""
    raw: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A group against the baseline: the ratio of the two with its interval, and how far a claim about it goes.

    `word` is the claim as docs/statistics.md lists them (`faster in this session` ...), empty where there is none; then
    `withheld` says why. `scope`: `session`, `sessions`, `system`, `machines`, `systems` or empty. `test`: its name; it compares
    runs of so many `sessions`. `paired`: the number of blocks within which the two were compared, 0 where they were not. `p` is
    that of the one test, not adjusted for the `tests` of the page; the interval has the `level` of its step. `ratio` is None
    where it cannot be said; the true one lies beyond it (`ratio_bound`: `above`, `below`) where a value could not be measured.
    `effect` is the probability that a value of the group is better (higher) than one of the baseline, ties counting half; None
    where either has a single value. `needed`: sessions with which it would be decided, about. `earlier`: sessions of the baseline
    before a single new one; None where it is not asked if that one is worse than before.
    """

    ratio: float | None
    low: float | None
    high: float | None
    word: str
    paired: int
    p: float | None = None
    effect: float | None = None
    scope: str = ""
    level: float | None = None
    tests: int = 0
    doubts: tuple[str, ...] = ()
    withheld: str = ""
    needed: int | None = None
    ratio_bound: str = ""
    test: str = ""
    sessions: int = 0
    earlier: int | None = None


@dataclass(frozen=True, slots=True)
class UnmeasuredCount:
    """`count` runs that gave no number for one `reason` (`too_fast`, `zero_time`, `failed`, `not_finished`); the value lies
    `side` (`above`, `below`) of `bound`, in base units, where one is known. `error`: in which they ended, where that is known."""

    reason: str
    count: int
    bound: float | None = None
    side: str = ""
    error: str = ""


class MissingRun(NamedTuple):
    """A run without a number: its machine and session, the bound beyond whose `side` its value lies (None, '' without one), the
    `error` in which it ended, where that is known, its configuration, the id of its `UnmeasuredValue` (of a run that failed and
    printed a number, minus that of the measurement), and the address of its line, where it is known."""

    machine: int
    session: int
    bound: float | None
    side: str
    error: str = ""
    configuration: int = 0
    id: int = 0
    address: str = ""


class OtherWorkload(NamedTuple):
    """Another workload, or other settings, that an empty place has: in words, its number of runs, and the query that draws them."""

    label: str
    runs: int
    query: str


@dataclass(frozen=True, slots=True)
class EmptyPlace:
    """A group that was not run with the workload of the figure, or that was (`was_run`), or may have been, but is left out. `has`:
    the workloads, or settings, that it has. `lacks`: in words, the options that it was not run with, where nothing else is unlike.
    `unmeasured` counts its runs without a number, `missing`."""

    metric: str
    x: str
    series: str
    facet: str
    has: tuple[OtherWorkload, ...]
    unmeasured: tuple[UnmeasuredCount, ...] = ()
    was_run: bool = False
    missing: tuple[MissingRun, ...] = ()
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class ControlledSet:
    """A set of the map: values of one axis under one workload, all else alike. `fixed`: what they share, in words. `runs`: the
    lowest and the highest number of runs of a value."""

    axis: str
    label: str
    values: tuple[str, ...]
    fixed: str
    runs: tuple[int, int]
    query: str
    design: str
    metric: str


@dataclass(frozen=True, slots=True)
class Group:
    """The data of one mark of the figure. `low` and `high` are the ends of the interval, None where there is none.

    `runs` counts values, `configurations` their configurations. `rough`: the centre was computed from a histogram.
    `values`: (value, measurement id) of every value, where each is known.
    `basis`: the numbers from which the interval is computed: the configurations' centres, or the repetitions of the only
    one. `flags`: ids of the caveats (webapp/comparison/caveats.py) that concern it, most important first. `machines`,
    `sessions`: how many its runs are of, 0 where that is not known. `unmeasured` counts the runs without a number, which are in
    `missing`. `bound`: `above` or `below` where the centre is one. `parts`: the centres of its sessions or populations where
    these are too unlike to be one bar. `stat`: the statistic of the centre, the same for all groups of a metric; `over`: what its
    repetitions are taken together in before it is taken again, `configurations` or `sessions`. `by_configuration`: its rows.
    """

    x: str
    series: str
    facet: str
    metric: str
    runs: int
    configurations: int
    center: float = 0.0
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    points: Sequence[Point] = ()
    rough: bool = False
    basis: Sequence[float] = ()
    values: Sequence[tuple[float, int]] = ()
    verdict: Verdict | None = None
    flags: tuple[str, ...] = ()
    machines: int = 1
    sessions: int = 0
    unmeasured: tuple[UnmeasuredCount, ...] = ()
    missing: tuple[MissingRun, ...] = ()
    bound: str = ""
    parts: tuple[float, ...] = ()
    stat: str = ""
    over: str = "configurations"
    by_configuration: Sequence[Sequence[SummaryRow]] = ()

    def changed(self, **single) -> Group:
        """The same with other values of these fields. Faster than `dataclasses.replace`, which every group goes through twice."""
        return Group(**{**dict(zip(_GROUP_FIELDS, _GROUP_VALUES(self), strict=True)), **single})

    @property
    def bounded(self) -> list[MissingRun]:
        """The runs of which only a bound is known: drawn at it, open."""
        return [run for run in self.missing if run.bound is not None]

    @property
    def open_ends(self) -> list[str]:
        """The ends of its whisker (`above`, `below`) beyond which a run lies that could not be measured."""
        return sorted({run.side for run in self.bounded} | {point.side for point in self.points if point.side})

    @property
    def single(self) -> bool:
        return self.runs == 1

    @property
    def n(self) -> int:
        """Repetitions, those that could not be measured included."""
        return self.runs + sum(unmeasured.count for unmeasured in self.unmeasured)


_GROUP_FIELDS = tuple(item.name for item in fields(Group))
_GROUP_VALUES = attrgetter(*_GROUP_FIELDS)


def common_stat(groups: Iterable[Group]) -> str:
    """The statistic that all groups have; empty where they have unlike ones."""
    stats = {group.stat for group in groups}
    return stats.pop() if len(stats) == 1 else ""


@dataclass(frozen=True, slots=True)
class Overall:
    """A value of the baseline's axis against the baseline over the whole panel: the geometric mean of `ratios` ratios,
    with its interval where there are at least four, and the claim with its doubts, or why there is none."""

    name: str
    ratio: float
    low: float | None
    high: float | None
    ratios: int
    claim: str = ""
    withheld: str = ""
    doubts: tuple[str, ...] = ()
    test: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure: groups of one metric, or of several of the same unit, and of one facet value.

    `overall` has one entry for each value that is compared with the baseline at more than one position. `empty`: groups that
    were not run with the workload. `workload`: tool, versions and sizes in words; `subtitle`: what all groups share, and n.
    `top`: the highest value of all panels that share an axis with this one, in base units; 0 where it stands alone. `hidden`: the
    groups that the author does not show, `hidden_xs` and `hidden_series` the values of the axes that they stand at.
    """

    title: str
    metrics: tuple[str, ...]
    unit: str
    better: str
    xs: Sequence[str]
    series: Sequence[str]
    groups: Sequence[Group]
    baseline: str = ""
    overall: Sequence[Overall] = ()
    empty: Sequence[EmptyPlace] = ()
    workload: str = ""
    subtitle: str = ""
    top: float = 0.0
    hidden: Sequence[Group] = ()
    hidden_xs: Sequence[str] = ()
    hidden_series: Sequence[str] = ()
    others: str = ""
    """How many systems that stand side by side were not run with the workload, in a sentence."""

    @property
    def all_groups(self) -> list[Group]:
        """The groups, those that are not shown last."""
        return [*self.groups, *self.hidden]


@dataclass(frozen=True, slots=True)
class Flag:
    """A caveat or notice about a comparison: id, sentence, and links.

    `query` with `action` is a comparison that resolves it, or `page` the address of another page; `docs` the anchor in
    docs/honesty.md that explains it (empty for a notice). `place`: `group`, marked on the groups that have its id, or
    `figure`, beneath it.
    """

    id: str
    sentence: str
    query: str = ""
    action: str = ""
    docs: str = ""
    place: str = "figure"
    page: str = ""


class Choice(NamedTuple):
    """A choice with the number `n` of values it would give; with the `reason` where nothing has it at all."""

    text: str
    label: str
    n: int
    chosen: bool
    reason: str = ""


class Offer(NamedTuple):
    """What could be drawn instead: its label, the query that draws it, and whether it is drawn."""

    label: str
    query: str
    is_drawn: bool


@dataclass(slots=True)
class Facet:
    """A dimension that can be filtered by, with its choices. `omitted`: the number of values without a choice.

    `low`, `high`: the range of a numeric dimension, formatted; `steps`: its known values with their counts.
    `wanted`: asked for by name, to be shown open. `html` caches the rendered facet, which pages with the same filters share.
    """

    name: str
    label: str
    choices: list[Choice]
    omitted: int = 0
    numeric: bool = False
    low: str = ""
    high: str = ""
    wanted: bool = False
    steps: tuple[tuple[str, int], ...] = ()
    html: bytes = b""

    @property
    def active(self) -> bool:
        return any([choice.chosen for choice in self.choices])

    @property
    def chosen_labels(self) -> str:
        return ", ".join(choice.label for choice in self.choices if choice.chosen)


@dataclass(frozen=True, slots=True)
class DifferingDimension:
    """A dimension, no axis, in which rows differ: formatted values and (label, query) of links. `between`: groups differ in it."""

    name: str
    label: str
    values: tuple[str, ...]
    between: bool
    queries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a word of a search may mean: a value of a dimension with its number of measured values.

    `equal`: the word is this value, in another case or spelling perhaps; else it is a part of it.
    """

    dimension: str
    label: str
    value: str
    count: int
    equal: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase of a search, with its readings, the likeliest first.

    `count`: values that have the word at all. `rest`: the search without the word. `more`: readings that are not listed.
    `elsewhere`: where `count` is 0, the values that have the word but fail the filters.
    """

    text: str
    readings: tuple[Reading, ...]
    count: int
    rest: str
    more: int = 0
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class FoundMetric:
    """A metric with its number of values that a search finds, and the query string that shows them."""

    metric: str
    label: str
    count: int
    query: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search means, and what has it.

    `asked`: the selection before a metric was chosen for it; the words of `typed` that became a filter are no longer in its `q`.
    `count`: values of the shown metrics that pass search and filters. `metrics`: those that have something, usual ones first,
    then those with most values; only where no metric was named, or where the named ones have nothing. `not_searched`: labels
    of metrics that were too large to be looked at. `lacking`: words that nothing has; `without`: what is found without
    them. `sides`: the query of the scorecard of two sides that are named, where they have no axis; `pages`: (title, address)
    of the hardware that is named.
    """

    asked: Selection
    typed: str
    words: tuple[Word, ...]
    count: int
    metrics: tuple[FoundMetric, ...] = ()
    not_searched: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    without: tuple[FoundMetric, ...] = ()
    sides: str = ""
    pages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that page, JSON, CSV and permalink show.

    `axes`: every dimension as x, series or facet, with the number of groups
    that it would make; pale where that is one. `overlays`: archives that can be overlaid, by id; their counts are 0.
    `recorded`: the open keys that the runs of the metrics have. `drawn`: the selection with the statistic and baseline that are
    drawn. `sought`: the design that was looked for; `design`: `controlled`, `as_they_stand` or `open`, None where nothing stands
    beside another value of its metric. `workload`: the (dimension, value) that all groups share, empty
    where nothing is drawn; `fixed` the known (dimension, value) that all configurations share; `unrecorded` the dimensions
    known of some groups alone; `left_out` counts values that are in no group, by caveat; `sets` the map of what can be compared;
    `is_map`: nothing is drawn, since a bare address draws accepted archives alone;
    `offers`: what else could be compared, by `metric`, `x`, `machine` and `workload`;
    `answers` the metrics with which something can be compared along each usual axis. `search`: None without one.
    """

    selection: Selection
    panels: Sequence[Panel]
    flags: Sequence[Flag]
    differs: Sequence[DifferingDimension]
    facets: Sequence[Facet]
    metrics: Sequence[Choice]
    axes: Sequence[Choice]
    runs: int
    configurations: int
    method: str
    overlays: Sequence[Choice] = ()
    recorded: tuple[str, ...] = ()
    drawn: Selection = field(default_factory=Selection)
    design: str | None = None
    sought: str = ""
    workload: tuple[tuple[str, str], ...] = ()
    tool_versions: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()
    unrecorded: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    sets: Sequence[ControlledSet] = ()
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_map: bool = False
    offers: Mapping[str, Sequence[Offer]] = field(default_factory=dict)
    search: SearchResult | None = None

    @property
    def groups(self) -> list[Group]:
        return [group for panel in self.panels for group in panel.groups]

    @property
    def stat(self) -> str:
        """The statistic of all centres; empty where metrics have unlike ones."""
        return common_stat(self.all_groups) if self.all_groups else self.drawn.stat

    @property
    def all_groups(self) -> list[Group]:
        """The groups, with those that the author does not show."""
        return [group for panel in self.panels for group in panel.all_groups]

    @property
    def all_places(self) -> list[Group | EmptyPlace]:
        """The groups and, behind those of each panel, its empty places."""
        places: list[Group | EmptyPlace] = []
        for panel in self.panels:
            places += [*panel.all_groups, *panel.empty]
        return places
