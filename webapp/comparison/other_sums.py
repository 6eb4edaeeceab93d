"""A tool's own sum beside the total over the wall time: where the two point different ways there is no claim.

iozone's *Children see* adds up the rates of processes, each over its own time; *Parent sees* is all bytes over the wall time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from webapp.claims.statistics import geometric_mean
from webapp.comparison.designs import ChosenRows
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN
from webapp.comparison.judging import find_pairs
from webapp.comparison.model import Group, Panel, SummaryRow
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns
from webapp.comparison.workload_filter import PARENT, WorkloadKeys


def find_rows(selection: Selection, chosen: ChosenRows, passing: Columns) -> list[SummaryRow]:
    """The rows with the tool's own sum of the runs of which the total over the wall time is drawn; without their values."""
    if dict(chosen.workload).get("part") != PARENT or not len(chosen.rows):
        return []
    wanted = tuple((name, UNKNOWN if name == "part" else value) for name, value in chosen.workload)
    keys = WorkloadKeys(selection, passing)
    if wanted not in keys.keys:
        return []
    rows = passing.take(np.array(keys.codes[passing.indices[WORKLOAD_INDEX]] == keys.keys.index(wanted), bool)).rows
    drawn = {(row.metric, row.configuration) for row in chosen.rows.rows}
    return [row for row in rows if (row.metric, row.configuration) in drawn]


def withhold_contradicted(selection: Selection, panels: Iterable[Panel], rows: Sequence[SummaryRow]) -> None:
    """Take the claims back whose ratio the tool's own sums contradict, with that ratio in the reason."""
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        x, series, facet = (
            row.texts[axis] if axis in DIMENSIONS else "" for axis in (selection.x, selection.series, selection.facet)
        )
        for name in {series, row.metric}:  # metrics may be the series
            values.setdefault((row.metric, x, name, facet), []).extend(row.values)
    centers = {key: geometric_mean(found) for key, found in values.items() if found and min(found) > 0}
    for panel in panels if centers else ():
        for group, base in find_pairs(selection.baseline, panel):
            _withhold(panel, group, centers.get(_key(group)), centers.get(_key(base)))


def _key(group: Group) -> tuple[str, str, str, str]:
    return group.metric, group.x, group.series, group.facet


def _withhold(panel: Panel, group: Group, center: float | None, base: float | None) -> None:
    verdict = group.verdict
    if verdict is None or verdict.ratio is None or not center or not base:
        return
    if verdict.word and (verdict.ratio - 1) * (center / base - 1) < 0:
        reason = f"the sum of the children points the other way ({center / base:.2f}x)"
        group.verdict = replace(verdict, word="", scope="", withheld=reason)
        panel.overall = [replace(whole, claim="", withheld=reason) for whole in panel.overall]
