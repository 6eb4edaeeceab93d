"""A comparison of made-up rows without a database: the steps of `webapp.comparison.compare` for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl

from webapp.comparison import absent, compared_set, judged, omissions
from webapp.comparison import groups as grouping
from webapp.comparison.facets import RowFilter
from webapp.comparison.groups import find_differences, hold_equal
from webapp.comparison.model import DifferingDimension, Flag, Group, Panel, SummaryRow
from webapp.comparison.omissions import SelectionSteps
from webapp.comparison.selection import Selection, parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.provenance import Observed


@dataclass
class Compared:
    """What the steps give."""

    selection: Selection
    drawn: Selection
    chosen: compared_set.ChosenRows
    panels: list[Panel]
    flags: dict[str, Flag]
    differs: dict[str, DifferingDimension]
    left_out: dict[str, int]

    @property
    def groups(self) -> dict[str, Group]:
        """By x and series."""
        return {f"{group.x} {group.series}".strip(): group for panel in self.panels for group in panel.groups}


def observe(row: SummaryRow, position: int, measurement: int) -> Observed:
    """Every value is of the row's machine, in its only session, in a file of its own; nothing is known of its time."""
    machine = int(row.texts["machine"]) if row.texts["machine"].isdigit() else 1
    return Observed(machine, machine, 1, measurement, f"{row.configuration}/{position}.txt", "1", None, False)


def compare_rows(
    query: str, rows: Iterable[SummaryRow], observed: Callable[[SummaryRow, int, int], Observed] = observe
) -> Compared:
    """The comparison of these rows. `observed`: (row, number of the value in it, its id) -> where it was measured."""
    selection = parse(parse_qsl(query, keep_blank_values=True))
    every = Columns(list(rows))
    passing = RowFilter(selection).passing(every)
    selection = compared_set.choose_axes(selection, passing)
    chosen = compared_set.choose_rows(selection, passing)
    baseline = compared_set.choose_baseline(selection, chosen.design, chosen.rows)
    drawn = selection.changed(baseline=baseline, stat=selection.stat or ("geometric" if baseline else "median"))
    matched = hold_equal(selection, chosen.rows)
    seen = judged.ObservedValues(
        {measurement: observed(row, position, measurement) for row in matched.rows for position, measurement in enumerate(row.ids)},
        known=chosen.design != compared_set.OPEN,
    )
    kept, left_out = judged.leave_out(matched, seen)
    normalised = grouping.normalise(drawn, kept)
    panels = grouping.make_panels(drawn, normalised)
    absent.set_empty_places(selection, chosen, panels)
    judged.judge_groups(drawn, chosen, panels, seen)
    groups = [group for panel in panels for group in panel.groups]
    differs = find_differences(selection, normalised)
    steps = SelectionSteps(every, passing, chosen, matched, normalised, left_out=left_out)
    flags = omissions.list_flags(selection, steps, groups, differs)
    return Compared(
        selection, drawn, chosen, panels, {flag.id: flag for flag in flags}, {one.name: one for one in differs}, left_out
    )
