"""What the page of a figure over time shows beside its figures: headings, choices, runs, and a table of the curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from ingest.series_catalogue import SERIES_METRICS
from webapp.comparison.model import Comparison
from webapp.comparison.selection import query_string
from webapp.comparison.summary import provenance
from webapp.curves import run_labels
from webapp.curves.address import CurveChoice, CurveQuery, metric_label
from webapp.curves.comparisons import TIME, ComparedCurves, draw_compared, may_have_curves
from webapp.curves.drawing import CurveRow, Drawn
from webapp.drawing.plate import Plate
from webapp.figures import layout
from webapp.figures.kind import KINDS
from webapp.figures.plain import CURVE_LABELS, Figure
from webapp.files.addresses import line_address
from webapp.formats.curve_tables import summarise_distribution
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.models import Run, TimeSeries
from webapp.pages.drawings import PICTURE, Drawing, draw_beside
from webapp.systems.describe import configuration_heading

# The table of series on the pages of a run, an archive and a file.

SHOWN = 500


class SeriesLine(NamedTuple):
    """A row of the table. `span`: of time, '' where the output has none. `draw`: the address of its curve."""

    row: TimeSeries
    label: str
    span: str
    address: str
    draw: str


def list_series(rows: Iterable[TimeSeries], run: int | None = None) -> Sequence[SeriesLine]:
    """The first rows of the table; of a run, or of an archive or a file, where a curve leads to the nearest run that has it."""
    shown = []
    for row in rows:
        metric = SERIES_METRICS.get(row.metric)
        address = line_address(row.archive_id, row.file.path, row.first_line)
        label = metric.label if metric else row.metric
        shown.append(SeriesLine(row, label, format_span(row.span), address, _draw_address(row, run)))
        if len(shown) >= SHOWN:
            break
    return shown


def _draw_address(row: TimeSeries, run: int | None) -> str:
    chosen = {"metric": row.metric, "subject": row.subject, "tool": row.tool}
    query = {name: text for name, text in chosen.items() if text}
    if run is not None:
        return f"/series?{urlencode({'run': run, **query})}"
    return f"/archives/{row.archive_id}/series?{urlencode({'file': row.file.path, **query}, errors='replace')}"


def format_span(seconds: float | None) -> str:
    """`2 h 5 min`, `59 s`; '' if it is not known."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 120:
        return f"{seconds:.3g} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"


MAX_LISTED = 60
"""Curves of one table."""


class Extreme(NamedTuple):
    """A point of the table: its value, when it was, and the address of its line."""

    value: str
    time: str
    address: str


@dataclass(frozen=True, slots=True)
class CurveTableRow:
    """A curve in the table."""

    name: str
    run: int
    tool: str
    file: str
    points: str
    lowest: Extreme
    highest: Extreme


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure with its summary for screen readers, and its table."""

    id: str
    figure: Figure
    summary: str
    rows: list[CurveTableRow]
    more: int

    @property
    def data(self) -> str:
        """The id of the element with what the script draws."""
        return f"{self.id}-data"

    @property
    def script_data(self) -> dict[str, Any]:
        """What the script draws."""
        return layout.for_script(self.figure)


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """A run that is drawn. `without`: the query without it."""

    run: Run
    text: str
    without: str


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """Choices of one unit."""

    unit: str
    choices: list[CurveChoice]


def heading(drawn: Drawn) -> str:
    """The quantities that are drawn."""
    if len(drawn.figures) == 1:
        return drawn.figures[0]["title"]
    labels = list(dict.fromkeys(metric_label(rows[0].row.metric) for rows in drawn.tables if rows))
    return ", ".join(labels[:2]) + (f" and {len(labels) - 2} more" if len(labels) > 2 else "") or "Numbers over time"


def subtitle(runs: Sequence[Run]) -> str:
    """What was run, where."""
    several = len(runs) > 1
    texts = list(dict.fromkeys(run_labels.describe_run(run, configuration_heading(run.configuration), not several) for run in runs))
    return texts[0] if not several else f"{len(runs)} runs: " + "; ".join(texts[:4]) + ("; \u2026" if len(texts) > 4 else "")


def list_runs(query: CurveQuery, runs: Sequence[Run]) -> list[DrawnRun]:
    """The runs with the addresses that leave each out."""
    return [
        DrawnRun(
            run,
            run_labels.describe_run(run, configuration_heading(run.configuration)),
            query.changed(runs=tuple(pk for pk in query.runs if pk != run.pk)).query,
        )
        for run in runs
    ]


def group_metrics(choices: Sequence[CurveChoice]) -> list[MetricGroup]:
    """The metrics by their units, those of the chosen ones first."""
    units: dict[str, list[CurveChoice]] = {}
    for choice in sorted(choices, key=lambda choice: choice.name):
        metric = SERIES_METRICS.get(choice.name)
        units.setdefault(metric.unit if metric else choice.unit, []).append(choice)
    order = sorted(units, key=lambda unit: (not any(choice.is_chosen for choice in units[unit]), unit))
    return [MetricGroup({"1": "numbers", "%": "shares"}.get(unit, unit), units[unit]) for unit in order]


def show_figures(drawn: Drawn) -> list[ShownFigure]:
    """The figures with their tables."""
    return [
        ShownFigure(f"figure-{at}", figure, summarise(figure), list(map(_row, rows[:MAX_LISTED])), max(0, len(rows) - MAX_LISTED))
        for at, (figure, rows) in enumerate(zip(drawn.figures, drawn.tables, strict=True))
    ]


def _row(row: CurveRow) -> CurveTableRow:
    lowest, highest = (_extreme(row, highest) for highest in (False, True))
    points = numbers.count(row.curve.total)
    return CurveTableRow(
        row.name or f"run {row.run}", row.run, row.row.tool, row.row.file.path, points, lowest=lowest, highest=highest
    )


def _extreme(row: CurveRow, highest: bool) -> Extreme:
    value, time, line = row.place(highest)
    return Extreme(numbers.number(value), numbers.number(time), line_address(row.row.archive_id, row.row.file.path, line))


def summarise(figure: Figure) -> str:
    """What a screen reader reads in place of a figure; the table has the extremes with their lines."""
    parts = [
        f"{figure['series'][curve['series']]['name'] or 'the run'} {numbers.number(min(curve.get('low', curve['v'])))} to "
        f"{numbers.number(max(curve.get('high', curve['v'])))}"
        for curve in figure["curves"][:12]
    ]
    low, high = (numbers.number(figure["x"][end]) for end in ("low", "high"))
    return f"{figure['title']} in {figure['unit']} over time from {low} to {high}: {'; '.join(parts)}."


def make_plate(drawn: Drawn, runs: Sequence[Run]) -> Plate:
    """The picture of the page."""
    figures = noted(drawn, runs)
    title = heading(drawn) if len(figures) != 1 else figures[0]["title"]
    description = " ".join(map(summarise, drawn.figures)) or "There is nothing to draw."
    return Plate(title, description, figures, f"Poolmark \u00b7 {subtitle(runs)}" if runs else "Poolmark")


def noted(drawn: Drawn, runs: Sequence[Run]) -> list[Figure]:
    """The figures with the notes of all of them on the first one, which print joins, and with what was run as subtitle of one."""
    if not drawn.figures:
        return []
    first, *others = drawn.figures
    first = first.copy()
    first["notes"] = [*first["notes"], *drawn.notes]
    if not others:
        first["subtitle"] = subtitle(runs)
    return [first, *others]


# Curves and distributions of a comparison as drawings of its page, with the ways to the pages that draw them alone.

_FAILED = "These curves cannot be drawn because of a bug in Poolmark, which has been logged. Bars are drawn instead."


@dataclass(frozen=True, slots=True)
class CurvesOfPage:
    """What a page draws in the place of its bars. `address`: of the page with these curves alone, where they can be zoomed.
    `missing`: why nothing is drawn, where curves were asked for; `address` then has the others that there are."""

    drawings: Sequence[Drawing] = ()
    address: str = ""
    label: str = ""
    missing: str = ""


def draw_curves(comparison: Comparison) -> CurvesOfPage:
    """The curves of a comparison of such a kind, without drawings where there are none."""
    query = query_string(comparison.selection)
    return isolation.run_isolated("curves", query, lambda: _draw(comparison), lambda: CurvesOfPage(missing=_FAILED))


def _draw(comparison: Comparison) -> CurvesOfPage:
    made = draw_compared(comparison)
    if made is None:
        return CurvesOfPage()
    if not made.figures:
        return CurvesOfPage(address=f"/series?{made.query.query}" if made.query.runs else "", missing=made.lack)
    return CurvesOfPage(_drawings(comparison, made), _address(made), CURVE_LABELS[made.kind])


def _address(made: ComparedCurves) -> str:
    if made.kind == TIME:
        return f"/series?{made.query.query}"
    return f"/series/distribution?{urlencode({'kind': made.kind})}&{made.query.query}"


def _drawings(comparison: Comparison, made: ComparedCurves) -> list[Drawing]:
    """The figures; what is noted of all of them stands beneath the last one."""
    last = len(made.figures) - 1
    return [
        _drawing(comparison, made, figure, number, made.drawn.notes if number == last else ())
        for number, figure in enumerate(made.figures)
    ]


def _drawing(comparison: Comparison, made: ComparedCurves, figure: Figure, number: int, notes: Sequence[str]) -> Drawing:
    shown: Figure = {**figure, "notes": list(dict.fromkeys([*figure["notes"], *notes]))}
    picture = f"{PICTURE}?{query_string(comparison.selection)}&panel={number + 1}"
    return draw_beside(f"figure-{number}", shown, _summarise(made, figure, number), picture)


def _summarise(made: ComparedCurves, figure: Figure, number: int) -> str:
    if made.kind == TIME:
        return summarise(figure)
    rows = made.drawn.tables[number]
    return summarise_distribution(figure, rows)  # type: ignore[arg-type]


def list_kinds(comparison: Comparison) -> list[tuple[str, str]]:
    """(value, label) of the kinds that can be chosen: curves where numbers over time stand in an archive of the groups."""
    shown = (point.id for panel in comparison.panels for group in panel.groups for point in group.points[:1])
    kinds = [(kind.name, kind.label) for kind in KINDS.values()]
    chosen = comparison.selection.kind
    if chosen in CURVE_LABELS or provenance.timed_runs(shown):
        metrics = {metric for panel in comparison.panels for metric in panel.metrics}
        kinds += [
            kind for kind in CURVE_LABELS.items() if kind[0] == chosen or any(may_have_curves(kind[0], one) for one in metrics)
        ]
    return kinds
