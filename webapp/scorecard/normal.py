"""Is mine normal: where a result lies among all public systems that ran the same operation in a near way, one value a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.comparison import facets
from webapp.comparison.dimensions import SOURCE, UNKNOWN
from webapp.comparison.question import ComparisonScopes
from webapp.comparison.rows import RowSource
from webapp.comparison.selection import Selection
from webapp.comparison.sets.workloads import WorkloadKey, WorkloadKeys, workload_label
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns
from webapp.comparison.summary.row import SummaryRow
from webapp.models.summary import PUBLIC
from webapp.scorecard.places import distance, magnitudes
from webapp.scorecard.sides import BadSide, CardSide

MIN_QUARTILES = 20
"""Systems from which quartiles are said."""
MAX_SYSTEMS = 2_000
"""Systems whose values are read; of more, those with most runs."""
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
        values = [self.own.value, *(other.value for other in self.others)]
        if len(values) < MIN_QUARTILES:
            return None
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        return low, middle, high


def find_standings(side: CardSide, metrics: Sequence[str], among: Selection) -> list[Standing]:
    """Where a side lies in each of these metrics, or in its first ones. `among`: filters of the systems that it is compared with.

    BadSide where it has no run of them. At most six queries for each metric of which nothing is cached.
    """
    counted = side.source.count_metrics()
    wanted = [name for name in metrics if name in counted] or _usual_metrics(counted)
    standings = [found for metric in wanted if (found := _find_standing(side, metric, among)) is not None]
    if not standings:
        raise BadSide(f"No run that you can see matches {side.text}, or none that has a number.")
    return standings


def _usual_metrics(counted: Mapping[str, int]) -> list[str]:
    """Of each operation the first quantity, those with most values."""
    best: dict[str, str] = {}
    for name in sorted(counted, key=lambda name: (_rank_quantity(name), -counted[name])):
        if name in METRICS and METRICS[name].better != NEITHER and _rank_quantity(name) < len(USUAL):
            best.setdefault(METRICS[name].operation, name)
    return sorted(best.values(), key=lambda name: (-counted[name], name))[:MAX_METRICS]


def _rank_quantity(metric: str) -> int:
    quantity = metric.rpartition(".")[2]
    return USUAL.index(quantity) if quantity in USUAL else len(USUAL)


def _find_standing(side: CardSide, metric: str, among: Selection) -> Standing | None:
    asked = Selection((metric,), x=SOURCE)
    own = Columns(side.read_rows([metric]))
    if not len(own):
        return None
    keys = WorkloadKeys(asked, own)
    n = np.bincount(keys.codes[own.indices[WORKLOAD_INDEX]], own.n, len(keys.keys))
    usual = max(np.flatnonzero(n).tolist(), key=lambda code: (keys.typicality[code], keys.preference[code], n[code], -code))
    workload = keys.keys[usual]
    mine = own.take(keys.codes[own.indices[WORKLOAD_INDEX]] == usual)
    public = RowSource(side.question.version, ComparisonScopes((PUBLIC,), {}, frozenset()))
    rows = facets.RowFilter(among.changed(metrics=(metric,))).passing(public.read_columns((metric,)))
    near = _near(asked, rows, dict(workload))
    others = near.take(~np.isin(np.array(near.texts("system"), object), mine.distinct("system"))) if len(near) else near
    found = _values_by_system(side.source, mine)
    return Standing(metric, workload, found[0], _values_by_system(public, others)) if found else None


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


def _values_by_system(source: RowSource, rows: Columns) -> list[SystemValue]:
    """One value of each system: that of its configuration with most runs; systems with most runs first."""
    best: dict[str, SummaryRow] = {}
    order = np.argsort(-rows.n, kind="stable").tolist() if len(rows) else []
    systems = rows.texts("system") if len(rows) else []
    for position in order:
        if systems[position] != UNKNOWN and len(best) < MAX_SYSTEMS:
            best.setdefault(systems[position], rows.rows[position])
    filled = {row.key: row for row in source.fill_values(list(best.values()))}
    return [
        SystemValue(system, row.mean if row.histogram else median(row.values), row.n, row.texts)
        for system, known in best.items()
        if (row := filled.get(known.key)) is not None and (row.values or row.histogram)
    ]
