"""Groups against a baseline: samples of machines and sessions for `webapp.claims`, and its answers as verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.catalogue import LESS, METRICS
from webapp.claims import judge as claims
from webapp.claims import statistics
from webapp.claims.observations import Observation, Question, Sample
from webapp.comparison import caveats, core_keys, designs, provenance, rounds
from webapp.comparison.designs import ChosenRows
from webapp.comparison.model import Group, Overall, Panel, SummaryRow, Verdict
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import Columns

MAX_OBSERVED = 5_000
"""Values of a figure up to which each is looked up with its run; beyond, nothing is claimed."""
QUALIFYING = ("cached", "maybe-cached", "zeros")
"""Caveats that qualify a claim."""


@dataclass(slots=True)
class ObservedValues:
    """The values of a figure by id, each with machine, session, place and time; `known`: whether all of them were looked up."""

    by_id: Mapping[int, provenance.Observed] = field(default_factory=dict)
    known: bool = False


def read_observed_values(rows: Columns, version: int, design: str) -> ObservedValues:
    """Machine, session and place of every value of the rows, where they are to be judged. At most one query."""
    if design == designs.OPEN or rows.total > MAX_OBSERVED or any(row.histogram for row in rows.rows):
        return ObservedValues()
    ids = [measurement for row in rows.rows for measurement in row.ids]
    return ObservedValues(provenance.read_observed(version, ids), known=True)


def leave_out(rows: Columns, observed: ObservedValues) -> tuple[Columns, dict[str, int]]:
    """The rows without values above what the hardware can do and without those of runs that did not end, and their numbers.

    Rows whose values are not known one by one stay as they are, unless the hardware excludes all of them.
    """
    left_out = {"impossible": 0, "partial": 0}
    kept: list[SummaryRow] = []
    for row in rows.rows:
        remaining = _without_doubtful(row, observed, left_out)
        if remaining is not None:
            kept.append(remaining)
    return rows.with_rows(kept), left_out


def _without_doubtful(row: SummaryRow, observed: ObservedValues, left_out: dict[str, int]) -> SummaryRow | None:
    """The row with its usable values; None where it has none. Counts the others."""
    is_impossible = caveats.find_exceeded_link(row) != ""
    partial = {pk for pk in row.ids if (seen := observed.by_id.get(pk)) and seen.partial} if observed.known else set()
    if not (is_impossible or partial):
        return row
    pairs = []
    for value, measurement in zip(row.values, row.ids, strict=True):
        if is_impossible and caveats.exceeds_limit(row, value):
            left_out["impossible"] += 1
        elif measurement in partial:
            left_out["partial"] += 1
        else:
            pairs.append((value, measurement))
    if len(row.values) < row.n:  # not every value is listed
        return row
    return row.with_values(pairs) if pairs else None


def judge_groups(selection: Selection, chosen: ChosenRows, panels: Sequence[Panel], observed: ObservedValues) -> None:
    """Set every group's machines, sessions, centre and verdict and the panels' baseline; with `normalise=baseline` make numbers
    relative to it."""
    samples = {id(group): _make_sample(group, observed) for panel in panels for group in panel.groups}
    for panel in panels:
        _name_rounds(selection, panel, samples, observed)
        for group in panel.groups:
            _describe_population(selection, group, samples[id(group)])
    tested = [(panel, group, base) for panel in panels for group, base in find_pairs(selection.baseline, panel)]
    questions = [_question(selection, chosen, samples[id(group)], samples[id(base)], group) for _, group, base in tested]
    for (_, group, base), answer in zip(tested, claims.judge(questions, selection.stat), strict=True):
        group.verdict = _verdict(group, base, answer, observed)
    for panel in panels:
        panel.overall = _overall(selection, chosen, panel, samples)
        if selection.normalise == "baseline":
            _make_relative(selection.baseline, panel)
