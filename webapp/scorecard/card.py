"""Two sides over everything that both measured: a line for each metric and workload, judged together. `docs/statistics.md` has the
rules.

A line is one comparison by the stages of `webapp.comparison`: the rows of one metric, one workload and, where both sides have
several configurations that differ in the same way, one of these. Holm's procedure goes over the whole card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ingest.catalogue import LESS, METRICS, MORE, Metric
from ingest.keys import is_share
from webapp.claims import judge as claims
from webapp.claims.observations import NO_DIFFERENCE, Answer, Contrast
from webapp.comparison.compared_set import OPEN, ComparedSet
from webapp.comparison.dimensions import DIMENSIONS, MACHINE, UNKNOWN, value_label
from webapp.comparison.groups import MAX_OBSERVED, Groups, group_rows
from webapp.comparison.judged import ask_claims, find_other_sums, make_verdict, withhold_contradicted
from webapp.comparison.model import EmptyPlace, Group, Panel, Verdict
from webapp.comparison.rows import Rows
from webapp.comparison.sets.workloads import SAME_RUNS, TYPICAL, WorkloadKey, workload_label
from webapp.comparison.summary import provenance, reader
from webapp.comparison.summary.columns import METRIC_INDEX, Columns
from webapp.comparison.summary.provenance import ObservedValues
from webapp.comparison.summary.row import AbsentRows, SummaryRow, UnmeasuredRow
from webapp.scorecard.places import A, B, LinePlace, find_places, list_differences, make_query, of_side
from webapp.scorecard.sides import BadSide, CardSide, fill_rows, with_originals

MAX_LINES = 400
"""Lines of a card; of more, those with most runs."""
MAX_ROWS = 10_000
"""Rows of the summary, of both sides, that a card looks at: each costs 0.15 ms."""
WORSE, BETTER, CANNOT_TELL, SAME = "worse", "better", "cannot tell", "no difference seen"
BESIDE, SHOWN = "beside", "shown"
"""What a line says; `beside` of unlike workloads, which have no ratio, `shown` of numbers that are no test of their own."""
ORDER = (WORSE, BETTER, CANNOT_TELL, SAME, BESIDE, SHOWN)
UNLIKE = "unlike workloads: no ratio, no claim"
UNTESTED = "shown, not tested: another number of the same runs"
_QUANTITIES = ("throughput", "rate", "elapsed", "latency")
"""Of several quantities of the same runs the first is tested."""


@dataclass(frozen=True, slots=True)
class Line:
    """One metric and workload on both sides.

    `matched`: the (dimension, value) in which its configurations differ from the sides' others. `a`, `b`: the groups, or the empty
    place of a side whose runs all failed. `own`: the verdict of this line alone, with its unadjusted interval;
    `claim`, `doubts` and `withheld` are those of the card. `differs`: the dimensions in which the two differ, `axis` the one
    that explains all of them.
    `query`: the comparison that draws the two, where one does.
    """

    metric: str
    workload: WorkloadKey
    versions: tuple[str, ...]
    matched: tuple[tuple[str, str], ...]
    a: Group | EmptyPlace
    b: Group | EmptyPlace
    design: str
    axis: str
    differs: tuple[str, ...]
    own: Verdict | None
    claim: str
    doubts: tuple[str, ...]
    withheld: str
    tested: bool
    query: str
    beside: WorkloadKey = ()
    """The workload of b, where it is another one."""

    @property
    def label(self) -> str:
        """The workload in words; of two unlike ones both."""
        words = workload_label(self.workload, self.versions)
        return f"{words} beside {workload_label(self.beside, ())}" if self.beside else words

    @property
    def is_better(self) -> bool | None:
        """Whether side a is better, by the metric's direction; None where neither is, or the ratio is unknown."""
        ratio = self.own.ratio if self.own else None
        better = METRICS[self.metric].better
        if ratio is None or ratio == 1 or better not in (MORE, LESS):
            return None
        return (ratio > 1) == (better == MORE)

    @property
    def says(self) -> str:
        """One of `ORDER`."""
        if self.beside:
            return BESIDE
        if not self.tested:
            return SHOWN
        if self.claim == NO_DIFFERENCE:
            return SAME
        if not self.claim or self.is_better is None:
            return CANNOT_TELL
        return BETTER if self.is_better else WORSE

    @property
    def distance(self) -> float:
        """How far the ratio is from 1, on logarithms; 0 where it is unknown."""
        ratio = self.own.ratio if self.own else None
        return abs(float(np.log(ratio))) if ratio and np.isfinite(ratio) else 0.0


@dataclass(frozen=True, slots=True)
class Card:
    """The lines, worst first. `apart`: tested lines with an unadjusted p below 5 %, of which `by_chance` would be so if nothing
    differed. `differs`: (label, values of a, values of b) of what differs in any line. `more`: lines that were left out;
    `crowded`: metrics with so many rows that none was looked at, and how many."""

    a: CardSide
    b: CardSide
    lines: Sequence[Line]
    differs: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    more: int = 0
    crowded: Mapping[str, int] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """Lines with a test."""
        return sum(line.own is not None and line.own.p is not None for line in self.lines if line.tested)

    @property
    def apart(self) -> int:
        return sum(line.own is not None and line.own.p is not None and line.own.p < 0.05 for line in self.lines if line.tested)

    @property
    def by_chance(self) -> float:
        return self.judged * 0.05

    def count(self, says: str) -> int:
        return sum(line.says == says for line in self.lines)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A line whose question is asked."""

    place: LinePlace
    groups: Groups
    panel: Panel
    pair: tuple[Group, Group] | None
    question: Contrast | None


def make_card(a: CardSide, b: CardSide, metrics: Sequence[str] = ()) -> Card:
    """The scorecard of two sides, over `metrics` or all that both have. At most eight queries where nothing is cached."""
    counted = [side.source.count_metrics() for side in (a, b)]
    a, b = (side if metrics_of else with_originals(side) for side, metrics_of in zip((a, b), counted, strict=True))
    # Where all runs of a side failed, the metric is the other's alone: looked for where the sides are few archives.
    are_few = all(side.archives or side.selection.studies for side in (a, b))
    names = counted[0].keys() | counted[1].keys() if are_few else counted[0].keys() & counted[1].keys()
    shared = [name for name in METRICS if name in names and (not metrics or name in metrics)]
    passing = [side.read_columns(shared) for side in (a, b)]
    crowded = _find_crowded(shared, passing)
    shared = [name for name in shared if name not in crowded]
    filled = fill_rows((a, b), [_without_metrics(rows, crowded).rows for rows in passing])
    sides = [_by_metric(side, rows, shared, name) for side, rows, name in zip((a, b), filled, (A, B), strict=True)]
    for side, (measured, missing) in zip((a, b), sides, strict=True):
        if side.selection.filters and not (measured or missing or crowded):  # or the page would name what this reader may not see
            raise BadSide(f"No run that you can see matches {side.text}, or each counts in an earlier archive of the same outputs.")
    sides[1] = _without(sides[1], sides[0])
    places: list[LinePlace] = []
    for metric in shared:
        rows = [row for measured, _ in sides for row in measured.get(metric, ())]
        unmeasured = [row for _, missing in sides for row in missing.get(metric, ())]
        places += find_places(metric, rows, unmeasured, whole=bool(a.archives or b.archives or a.selection.studies))
    places.sort(key=lambda place: -place.chosen.rows.total)
    kept = places[:MAX_LINES]
    judged = _judge(kept, (a, b))
    lines = _answer(judged, (a, b), metrics)
    had = [{name for name, rows in measured.items() if rows} for measured, _ in sides]
    return Card(
        a,
        b,
        sorted(lines, key=lambda line: (ORDER.index(line.says), -line.distance, line.metric)),
        list_differences(kept),
        tuple(sorted((counted[0].keys() - counted[1].keys() if are_few else set()) | had[0] - had[1])),
        tuple(sorted((counted[1].keys() - counted[0].keys() if are_few else set()) | had[1] - had[0])),
        len(places) - len(kept),
        crowded,
    )


def _find_crowded(metrics: Sequence[str], sides: Sequence[Columns]) -> dict[str, int]:
    """The metrics for which a card has no room, with their rows: in the order of the catalogue, after those that fit."""
    rows = Counter[str]()
    for columns in sides:
        counts = np.bincount(columns.indices[METRIC_INDEX], minlength=len(columns.dimensions.metrics))
        rows.update(dict(zip(columns.dimensions.metrics, counts.tolist(), strict=True)))
    crowded, room = {}, MAX_ROWS
    for name in metrics:
        if rows[name] > room:
            crowded[name] = rows[name]
        else:
            room -= rows[name]
    return crowded


def _without_metrics(rows: Columns, names: Collection[str]) -> Columns:
    if not names:
        return rows
    kept = np.array([name not in names for name in rows.dimensions.metrics], bool)
    return rows.take(kept[rows.indices[METRIC_INDEX]])


_BySide = tuple[dict[str, list[SummaryRow]], dict[str, list[UnmeasuredRow]]]
"""Rows with values and without, by metric."""


def _by_metric(side: CardSide, rows: Iterable[SummaryRow], metrics: Sequence[str], name: str) -> _BySide:
    """The rows of a side, as ones of the source `name`."""
    measured: dict[str, list[SummaryRow]] = {}
    missing: dict[str, list[UnmeasuredRow]] = {}
    for row in rows:
        measured.setdefault(row.metric, []).append(reader.with_source(row, name))
    for absent in side.read_unmeasured(metrics, name) if metrics else ():
        missing.setdefault(absent.metric, []).append(absent)
    return measured, missing


def _without(rows: _BySide, others: _BySide) -> _BySide:
    """The rows of a side without the runs that the other side has too: nothing is compared with itself."""
    ids = {measurement for measured in others[0].values() for row in measured for measurement in row.ids}
    runs = {run for missing in others[1].values() for row in missing for run in row.runs}
    measured: dict[str, list[SummaryRow]] = {}
    for name, of_metric in rows[0].items():
        for row in of_metric:
            pairs = [pair for pair in zip(row.values, row.ids, strict=True) if pair[1] not in ids]
            if len(pairs) == len(row.ids):
                measured.setdefault(name, []).append(row)
            elif pairs:
                measured.setdefault(name, []).append(row.with_values(pairs))
    missing = {
        name: [replace(row, runs=left) for row in of_metric if (left := tuple(run for run in row.runs if run not in runs))]
        for name, of_metric in rows[1].items()
    }
    return measured, missing


def _judge(places: Sequence[LinePlace], sides: tuple[CardSide, CardSide]) -> list[_Judged]:
    """The groups of every line, with what is asked of them. At most two queries."""
    measured = [_measured(place.chosen.rows) for place in places]
    observed = _read_observed(measured, sides[0].question.version)
    judged = []
    for place, rows in zip(places, measured, strict=True):
        seen = ObservedValues(too_many=True) if rows.total > MAX_OBSERVED else observed
        absent = AbsentRows([], list(place.unmeasured))
        stand_in = Rows(sides[0].question, sides[0].source, place.selection, True, {}, None, (), absent)
        groups = group_rows(ComparedSet(stand_in, place.selection, place.selection, place.chosen, rows), rows, seen)
        asked = ask_claims(place.selection, place.chosen, groups.panels, seen)
        panel = asked.panels[0] if asked.panels else Panel("", place.selection.metrics, "", "", (), (), ())
        pair = asked.pairs[0][1:] if asked.pairs else None
        question = asked.questions[0] if asked.questions else None
        if question is not None:
            names = [_name(place, side) for side in (A, B)]
            one_machine = len(place.chosen.rows.distinct(MACHINE)) == 1
            question = replace(question, name=names[0], base_name=names[1], is_later=one_machine and place.chosen.design != OPEN)
        judged.append(_Judged(place, groups, panel, pair, question))
    return judged


def _measured(rows: Columns) -> Columns:
    """The rows that have values; those of runs without a number have none."""
    return rows.take(np.array([bool(row.ids) for row in rows.rows], bool)) if len(rows) else rows


def _read_observed(lines: Sequence[Columns], version: int) -> ObservedValues:
    """Where and when the values of all lines were measured, but of those that have too many."""
    listed = [rows for rows in lines if rows.total <= MAX_OBSERVED and not any(row.histogram for row in rows.rows)]
    ids = [measurement for rows in listed for row in rows.rows for measurement in row.ids]
    return ObservedValues(provenance.read_observed(version, ids), known=True)


def _name(place: LinePlace, side: str) -> str:
    """What one side has that the other has not, for the sentence why there is no claim."""
    if not place.axis:
        return f"side {side}"
    [text] = of_side(place.chosen.rows, side).distinct(place.axis)
    return value_label(DIMENSIONS[place.axis], text)


def _answer(judged: Sequence[_Judged], sides: tuple[CardSide, CardSide], metrics: Sequence[str]) -> list[Line]:
    """The lines with their claims: each judged by itself for its own interval, and all of them together for the words."""
    tested = _choose_tested(judged, metrics)
    questions = [one.question for at, one in enumerate(judged) if one.question is not None and at in tested]
    answers = iter(claims.judge(questions))
    lines = []
    for at, one in enumerate(judged):
        selection = one.place.selection
        if one.pair is None or one.question is None:
            if (failed := _failed_line(one, sides)) is not None:
                lines.append(failed)
            continue
        if one.place.beside:
            unlike = Verdict(None, None, None, "", 0, withheld=UNLIKE)
            lines.append(_make_line(one, sides, one.pair, None, unlike, tested=False))
            continue
        answer = next(answers) if at in tested else Answer(withheld=UNTESTED)
        [alone] = claims.judge([one.question])
        own = make_verdict(selection, *one.pair, alone, one.groups.observed.too_many)
        of_card = make_verdict(selection, *one.pair, answer, one.groups.observed.too_many)
        if at in tested and of_card.word:
            of_card = _uncontradicted(one, of_card)
        lines.append(_make_line(one, sides, one.pair, own, of_card, tested=at in tested))
    return lines


def _uncontradicted(one: _Judged, verdict: Verdict) -> Verdict:
    """The verdict; without its claim where the tool's own sums of the runs point the other way."""
    place = one.place
    sums = find_other_sums(place.selection, place.chosen, _measured(place.rows))
    if not len(sums) or one.pair is None:
        return verdict
    group = one.pair[0].changed(verdict=verdict)
    panel = replace(one.panel, groups=[group if other is one.pair[0] else other for other in one.panel.groups])
    [checked] = withhold_contradicted(place.selection, [panel], sums.rows)
    return next((other.verdict for other in checked.groups if other.x == group.x), None) or verdict


def _choose_tested(judged: Sequence[_Judged], metrics: Sequence[str]) -> set[int]:
    """The lines that are tested: of the numbers of the same runs one, a typical number of the whole, throughput before rate."""
    best: dict[tuple, tuple[tuple, int]] = {}
    described = [(METRICS[one.place.selection.metrics[0]], dict(one.place.chosen.workload), one.place.matched) for one in judged]
    wholes = {_same_runs(*one) for one in described if one[1].get("part", UNKNOWN) == UNKNOWN}
    for at, (metric, work, matched) in enumerate(described):
        if judged[at].place.beside:
            continue
        same, stat = _same_runs(metric, work, matched), work.get("aggregate", TYPICAL[0])
        is_part = work.get("part", UNKNOWN) != UNKNOWN and (same in wholes or is_share(work["part"]))
        key = (*same, "" if is_part else work.get("part", UNKNOWN), metric.name if metrics else "")
        rank = (TYPICAL.index(stat) if stat in TYPICAL else len(TYPICAL), _rank_quantity(metric.name), metric.name)
        if metrics or (stat in TYPICAL and not is_part):
            best[key] = min(best.get(key, (rank, at)), (rank, at))
    return {at for _, at in best.values()}


def _same_runs(metric: Metric, work: Mapping[str, str], matched: Sequence[tuple[str, str]]) -> tuple:
    """What numbers of the same runs agree in."""
    return metric.operation, tuple((name, text) for name, text in work.items() if name not in SAME_RUNS), matched


def _rank_quantity(metric: str) -> int:
    quantity = metric.rpartition(".")[2]
    return _QUANTITIES.index(quantity) if quantity in _QUANTITIES else len(_QUANTITIES)


def _make_line(
    one: _Judged,
    sides: tuple[CardSide, CardSide],
    pair: tuple[Group | EmptyPlace, Group | EmptyPlace],
    own: Verdict | None,
    said: Verdict,
    *,
    tested: bool,
) -> Line:
    place = one.place
    rows = of_side(place.chosen.rows, A) if place.beside else place.chosen.rows
    return Line(
        place.selection.metrics[0],
        place.beside[0] if place.beside else place.chosen.workload,
        tuple(text for text in rows.distinct("tool_version") if text != UNKNOWN),
        place.matched,
        *pair,
        BESIDE if place.beside else place.chosen.design,
        place.axis,
        place.differs,
        own,
        said.word,
        said.doubts,
        said.withheld,
        tested,
        "" if place.beside else make_query(place, sides),
        place.beside[1] if place.beside else (),
    )


def _failed_line(one: _Judged, sides: tuple[CardSide, CardSide]) -> Line | None:
    """The line of a workload of which one side has runs without a number alone; None where a side has nothing."""
    baseline = one.place.selection.baseline
    found: list[Group | EmptyPlace] = [*one.panel.groups, *one.panel.empty]
    places = {B if place.x == baseline else A: place for place in found}
    if len(places) < 2 or not any(place.unmeasured for place in places.values()):
        return None
    counts = [
        f"{'first' if side == A else 'second'} side: {count.count} run{'' if count.count == 1 else 's'} without a number "
        f"({count.error or count.reason.replace('_', ' ')})"
        for side, place in sorted(places.items())
        for count in place.unmeasured
    ]
    said = Verdict(None, None, None, "", 0, withheld="; ".join(counts))
    return _make_line(one, sides, (places[A], places[B]), None, said, tested=True)
