"""A comparison of made-up rows without a database: the steps of `webapp.comparison.compare` for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from webapp.claims.observations import Observed
from webapp.comparison import compared_set, comparison, judged
from webapp.comparison import groups as grouping
from webapp.comparison.model import DifferingDimension, Flag, Group, Panel
from webapp.comparison.question import ComparisonScopes, Question
from webapp.comparison.rows import Rows
from webapp.comparison.selection import Selection, parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.provenance import ObservedValues, ShownLines
from webapp.comparison.summary.row import AbsentRows, SummaryRow


@dataclass(frozen=True)
class MadeUpRows:
    """Stands for the summary: these rows, which have their values, whatever the metric."""

    columns: Columns
    scopes: ComparisonScopes
    only: tuple[()] = ()  # some, so that the process keeps nothing of it
    version: int = 1

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        return self.columns

    def fill_values(self, rows: list[SummaryRow]) -> list[SummaryRow]:
        return rows


class OfMetrics(MadeUpRows):
    """The same, but of the metrics that are asked for."""

    def read_columns(self, metrics: tuple[str, ...]) -> Columns:
        return Columns([row for row in self.columns.rows if row.metric in metrics])

    def most_measured(self) -> list[str]:
        return sorted({row.metric for row in self.columns.rows})


def made_up(query: str, rows: Iterable[SummaryRow]) -> Rows:
    """The second stage of a comparison of these rows; of sequential writes where no metric is named."""
    asked = Question(parse(parse_qsl(query, keep_blank_values=True)), None, 1, ComparisonScopes((), {}, frozenset()))
    selection = asked.selection.changed(metrics=asked.selection.metrics or ("write.throughput",))
    return Rows(asked, OfMetrics(Columns(list(rows)), asked.scopes), selection, True, {}, None, (), AbsentRows([], []))


@dataclass
class Compared:
    """What the steps give."""

    selection: Selection
    drawn: Selection
    chosen: compared_set.ChosenRows
    panels: Sequence[Panel]
    flags: dict[str, Flag]
    differs: dict[str, DifferingDimension]
    left_out: Mapping[str, int]

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
    question = Question(parse(parse_qsl(query, keep_blank_values=True)), None, 1, ComparisonScopes((), {}, frozenset()))
    source = MadeUpRows(Columns(list(rows)), question.scopes)
    made = Rows(question, source, question.selection, True, {}, None, (), AbsentRows([], []))
    compared = compared_set.choose_set(made)
    matched = grouping.hold_equal(compared.selection, compared.measured)
    seen = ObservedValues(
        {measurement: observed(row, position, measurement) for row in matched.rows for position, measurement in enumerate(row.ids)},
        known=compared.chosen.design != compared_set.OPEN,
    )
    groups = grouping.group_rows(compared, matched, seen)
    panels = judged.judge_groups(compared.drawn, compared.chosen, groups.panels, seen)
    found = comparison.make_comparison(judged.Judged(groups, panels, "", ShownLines({})))
    return Compared(
        found.selection,
        compared.drawn,
        compared.chosen,
        panels,
        {flag.id: flag for flag in found.flags},
        {one.name: one for one in found.differs},
        groups.left_out,
    )
