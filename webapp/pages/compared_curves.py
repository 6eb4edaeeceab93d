"""Curves and distributions of a comparison as drawings of its page, with the ways to the pages that draw them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.comparison.model import Comparison
from webapp.comparison.selection import query_string
from webapp.comparison.summary import provenance
from webapp.curves.comparisons import TIME, ComparedCurves, draw_compared, may_have_curves
from webapp.figures.kind import KINDS
from webapp.figures.plain import CURVE_LABELS, Figure
from webapp.formats.curve_tables import summarise_distribution
from webapp.http import isolation
from webapp.pages.curves_page import summarise as summarise_curves
from webapp.pages.drawings import PICTURE, Drawing, draw_beside

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
        return summarise_curves(figure)
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
