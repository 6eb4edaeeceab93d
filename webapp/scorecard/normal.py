"""Is mine normal: where a result lies among all public systems that ran the same operation in a near way, one value a system."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.comparison import search
from webapp.comparison.dimensions import MACHINE, SOURCE, UNKNOWN
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.selection import Selection
from webapp.comparison.sets.core_keys import HARDWARE
from webapp.comparison.sets.workloads import MEASURED, WorkloadKey, WorkloadKeys, workload_label
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, WORKLOAD_INDEX, Columns, RowDimensions, occurring_codes, renumber
from webapp.comparison.summary.row import RowKey, SummaryRow
from webapp.comparison.summary.source import USUAL_METRICS, RowSource
from webapp.models.summary import PUBLIC
from webapp.scorecard.places import distance, magnitudes, usual_workloads
from webapp.scorecard.sides import BadSide, CardSide

MIN_QUARTILES = 20
"""Systems from which quartiles are said."""
MAX_SYSTEMS = 2_000
"""Systems whose values are read; of more, those with most runs."""
MAX_DRAWN = 150
"""Systems on each side of a spread; of more, those with most runs."""
OCTAVE = 1.0
MAX_METRICS = 6
USUAL = ("throughput", "rate", "elapsed", "latency")


@dataclass(frozen=True, slots=True)
class SystemValue:
    """The value of one system in the base unit, its number of runs, and its dimensions."""

    system: str
    value: float
    n: int
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a side lies. `rank`: 1 is best; of as many as there are `others`, and itself. `quartiles`: of all, from twenty on."""

    metric: str
    workload: WorkloadKey
    own: SystemValue
    others: Sequence[SystemValue]

    @property
    def label(self) -> str:
        return workload_label(self.workload, ())

    @property
    def rank(self) -> int:
        is_less = METRICS[self.metric].better == LESS
        return 1 + sum(other.value < self.own.value if is_less else other.value > self.own.value for other in self.others)

    @property
    def count(self) -> int:
        return len(self.others) + 1

    @property
    def quartiles(self) -> tuple[float, float, float] | None:
        return find_quartiles([self.own, *self.others])


@dataclass(frozen=True, slots=True)
class Spread:
    """The systems that have something in common, `own`, beside all `others` with a near workload of the same origin."""

    metric: str
    workload: WorkloadKey
    own: Sequence[SystemValue]
    others: Sequence[SystemValue]

    @property
    def label(self) -> str:
        return workload_label(self.workload, ())

    @property
    def rank(self) -> int:
        """The place of the best system of `own` among all; 1 is best."""
        own, others = ([one.value for one in side] for side in (self.own, self.others))
        is_less = METRICS[self.metric].better == LESS
        return 1 + (sum(value < min(own) for value in others) if is_less else sum(value > max(own) for value in others))

    @property
    def origin(self) -> str:
        """`measured` or `reported`."""
        return dict(self.workload)["origin"]


def find_quartiles(systems: Sequence[SystemValue]) -> tuple[float, float, float] | None:
    """The quartiles of the values, from twenty systems on."""
    if len(systems) < MIN_QUARTILES:
        return None
    low, middle, high = np.quantile([one.value for one in systems], (0.25, 0.5, 0.75)).tolist()
    return low, middle, high


def find_spreads(source: RowSource, metrics: Sequence[str], name: str, texts: Collection[str]) -> list[Spread]:
    """How the systems on which a dimension has one of these texts lie among all others, by metric and origin: of their
    three usual workloads in the one that most systems ran. At most four queries."""
    base = source.scopes.base
    reader.prefetch(source.version, [base], metrics)  # all at once: what follows finds them in the cache
    found = []
    for metric in metrics:
        every = source.read_columns((metric,))
        origins = np.array(every.texts("origin"), object)
        for origin in every.distinct("origin"):
            rows, asked = every.take(origins == origin), Selection((metric,), x=SOURCE)
            if not len(own := rows.take(has_text(rows, name, texts))):
                continue
            keys = WorkloadKeys(asked, rows)
            of_workloads = [(keys.keys[code], _near(asked, rows, dict(keys.keys[code]))) for code in usual_workloads(keys, own)[:3]]
            usual, near = max(of_workloads, key=lambda found: len(name_systems(found[1])))
            is_own = has_text(near, name, texts)
            sides = [choose_rows(near.take(mask), MAX_DRAWN) for mask in (is_own, ~is_own)]
            found.append((metric, usual, *sides))
    reader.fill_values([(base, [row for *_, own, others in found for row in (*own, *others)])])
    return [Spread(metric, usual, values, _values(others)) for metric, usual, own, others in found if (values := _values(own))]


def has_text(rows: Columns, name: str, texts: Collection[str]) -> np.ndarray:
    """The rows on which a dimension has one of these texts."""
    return np.array([text in texts for text in rows.dimensions.column(name).values], bool)[rows.codes(name)]


def find_standings(
    side: CardSide, metrics: Sequence[str], among: Selection, only: Mapping[RowKey, Sequence[float]] | None = None
) -> list[Standing]:
    """Where a side lies in each of these metrics, or in its first ones. `among`: filters of the systems that it is compared with.
    `only`: the values of a single run by row of the summary, in the place of all that the side has.

    BadSide where it has no run of them. At most six queries.
    """
    version, scopes = side.question.version, side.question.scopes.base
    counted = side.source.count_metrics() if only is None else dict.fromkeys((metric for metric, *_ in only), 1)
    wanted = [name for name in metrics if name in counted] or usual_metrics(counted)
    reader.prefetch(version, [scopes, (PUBLIC,)], wanted)  # all at once: what follows finds them in the cache
    places = [place for metric in wanted if (place := _find_place(side, metric, among, only)) is not None]
    own = [row for _, mine, _ in places for row in mine if only is None]
    reader.fill_values([(scopes, own), ((PUBLIC,), [row for _, _, near in places for row in near])])
    standings = [
        Standing(workload[0], workload[1], found[0], _values(others))
        for workload, mine, others in places
        if (found := _values(mine, only))
    ]
    if not standings:
        raise BadSide(
            f"No run that you can see matches {side.text}, or none has a number, or each counts in an earlier archive of the same "
            "outputs."
        )
    return standings


def usual_metrics(counted: Mapping[str, int], most: int = MAX_METRICS) -> list[str]:
    """Of each operation the first quantity: the usual ones, then those with most values."""
    best: dict[str, str] = {}
    for name in sorted(METRICS.keys() & counted.keys(), key=lambda name: (_rank_quantity(name), -counted[name])):
        if METRICS[name].better != NEITHER and _rank_quantity(name) < len(USUAL):
            best.setdefault(METRICS[name].operation, name)
    order = list(METRICS)
    return sorted(best.values(), key=lambda name: (name not in USUAL_METRICS, -counted[name], order.index(name)))[:most]


def _rank_quantity(metric: str) -> int:
    quantity = metric.rpartition(".")[2]
    return USUAL.index(quantity) if quantity in USUAL else len(USUAL)


def _find_place(
    side: CardSide, metric: str, among: Selection, only: Mapping[RowKey, Sequence[float]] | None
) -> tuple[tuple[str, WorkloadKey], list[SummaryRow], list[SummaryRow]] | None:
    """Metric and usual workload of a side, its row, and those of other public systems near it."""
    asked = Selection((metric,), x=SOURCE)
    own = side.read_columns([metric])
    if only is not None:
        own = own.take(np.array([row.key in only for row in own.rows], bool))
    if not len(own):
        return None
    keys = WorkloadKeys(asked, own)
    usual = usual_workloads(keys, own)[0]
    mine = own.take(keys.codes[own.indices[WORKLOAD_INDEX]] == usual)
    public = RowSource(side.question.version, ComparisonScopes((PUBLIC,), {}, frozenset()))
    rows = search.RowFilter(among.changed(metrics=(metric,))).passing(public.read_columns((metric,)))
    near = _near(asked, rows, dict(keys.keys[usual]))
    own_systems, (names, codes) = name_systems(mine), system_codes(near.dimensions)
    is_other = np.array([name not in own_systems for name in names.tolist()], bool)
    others = near.take(is_other[codes[near.indices[CONFIGURATION_INDEX]]])
    return (metric, keys.keys[usual]), choose_rows(mine), choose_rows(others)


def _near(asked: Selection, rows: Columns, workload: Mapping[str, str]) -> Columns:
    """The rows of workloads that differ little from this one: as direct and as synchronous, each size within an octave."""
    if not len(rows):
        return rows
    keys = WorkloadKeys(asked, rows)
    are_near = np.array([_is_near(dict(key), workload) for key in keys.keys], bool)
    return rows.take(are_near[keys.codes[rows.indices[WORKLOAD_INDEX]]])


def _is_near(work: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    ways, differing, _, _ = distance(work, wanted)
    if ways or differing:
        return False
    pairs = zip(magnitudes(work), magnitudes(wanted), strict=True)
    return all((one == other == 0) or (one > 0 < other and abs(np.log2(one / other)) <= OCTAVE) for one, other in pairs)


def system_codes(dimensions: RowDimensions) -> tuple[np.ndarray, np.ndarray]:
    """The distinct systems, and the code of that of each configuration; where no hardware is known it is the machine, since many
    have that system."""
    if system_codes not in dimensions.cache:
        system, machine = dimensions.column("system"), dimensions.column(MACHINE)
        hardware = [dimensions.column(name) for name in HARDWARE]
        is_known = np.any([column.codes != column.unknown_code for column in hardware], axis=0)
        every = np.where(is_known, system.codes, len(system.values) + machine.codes)
        names = np.append(system.texts, "machine " + machine.texts)
        dimensions.cache[system_codes] = names[occurring_codes(every)], renumber(every)[0]
    return dimensions.cache[system_codes]


def name_systems(rows: Columns) -> set[str]:
    """The systems of the rows."""
    names, codes = system_codes(rows.dimensions)
    return {*names[occurring_codes(codes[rows.occurring(CONFIGURATION_INDEX)])].tolist()}


def choose_rows(rows: Columns, most: int = MAX_SYSTEMS) -> list[SummaryRow]:
    """One row of each system: that of its configuration with most runs, measured ones before others; systems with most runs
    first."""
    if not len(rows):
        return []
    names, of_configurations = system_codes(rows.dimensions)
    order = np.lexsort((-rows.n, np.array(rows.texts("origin"), object) != MEASURED))
    systems = of_configurations[rows.indices[CONFIGURATION_INDEX]][order]
    first = np.sort(np.unique(systems, return_index=True)[1])
    return [rows.row(at) for at in order[first[names[systems[first]] != UNKNOWN][:most]].tolist()]


def _values(rows: Sequence[SummaryRow], only: Mapping[RowKey, Sequence[float]] | None = None) -> list[SystemValue]:
    """The value of each of these rows, which were filled; of a single run those that it has."""
    if only is not None:
        return [SystemValue(row.texts["system"], median(only[row.key]), len(only[row.key]), row.texts) for row in rows]
    return [
        SystemValue(row.texts["system"], row.mean if row.histogram else median(row.values), row.n, row.texts)
        for row in rows
        if row.values or row.histogram
    ]


def rank_studies(side: CardSide, studies: Mapping[str, Sequence[int]]) -> list[str]:
    """The studies, with their archives, by what they have of the side's usual metrics: most near workloads first, then most that
    are measured at all; without those that have none. At most four queries."""
    others = {name: tuple(ids) for name, ids in studies.items() if not set(ids).intersection(side.archives)}
    metrics = usual_metrics(side.source.count_metrics())
    own, *found = reader.read_rows(side.question.version, [side.question.scopes.base, *others.values()], metrics)
    workloads = _usual_workloads(own)
    ranked = []
    for study, rows in zip(others, found, strict=True):
        theirs: dict[str, list[SummaryRow]] = {}
        for row in rows:
            theirs.setdefault(row.metric, []).append(row)
        shared = [metric for metric in workloads if metric in theirs]
        near = sum(len(_near(Selection((metric,), x=SOURCE), Columns(theirs[metric]), workloads[metric])) > 0 for metric in shared)
        ranked += [(-near, -len(shared), study)] if shared else []
    return [study for *_, study in sorted(ranked)]


def _usual_workloads(rows: Sequence[SummaryRow]) -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for metric in dict.fromkeys(row.metric for row in rows):
        keys = WorkloadKeys(Selection((metric,), x=SOURCE), own := Columns([row for row in rows if row.metric == metric]))
        found[metric] = dict(keys.keys[usual_workloads(keys, own)[0]])
    return found
