"""Curves and distributions of a comparison as drawings of its page, with the ways to the pages that draw them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.safestring import mark_safe

from webapp.comparison import provenance
from webapp.comparison.model import Comparison
from webapp.comparison.selection import query_string
from webapp.curves import distributions
from webapp.curves.compared import TIME, ComparedCurves, draw_compared
from webapp.figures.plain import CURVE_LABELS, KIND_LABELS, Figure
from webapp.formats.distributions import summarise as summarise_distribution
from webapp.formats.svg import plate
from webapp.http import isolation
from webapp.pages.curves_page import summarise as summarise_curves
from webapp.pages.drawings import PICTURE, Drawing

NOTHING = "No numbers over time stand beside these runs. Bars are drawn instead."
NO_PERCENTILES = "No output of these runs prints percentiles of a latency over a known load. Bars are drawn instead."
_WIDTH = 760.0


@dataclass(frozen=True, slots=True)
class CurvesOfPage:
    """What a page draws in the place of its bars. `address`: of the page with these curves alone, where they can be zoomed."""

    drawings: list[Drawing]
    address: str = ""
    label: str = ""


def draw_curves(comparison: Comparison) -> CurvesOfPage | None:
    """The curves of a comparison of such a kind, None where there are none: the reason is then a flag of the comparison."""
    made = isolation.run_isolated("curves", query_string(comparison.selection), lambda: draw_compared(comparison), lambda: None)
    if made is None:
        return None
    return CurvesOfPage(_drawings(comparison, made), _address(made), CURVE_LABELS[made.kind]) if made.figures else None


def reason(comparison: Comparison) -> str:
    """Why bars stand in the place of curves that were asked for; '' where none were."""
    if comparison.selection.kind not in CURVE_LABELS:
        return ""
    return NO_PERCENTILES if comparison.selection.kind == distributions.PERCENTILES else NOTHING


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
    name = f"figure-{number}"
    summary = _summarise(made, figure, number)
    shown: Figure = {**figure, "notes": list(dict.fromkeys([*figure["notes"], *notes]))}
    is_inline = made.kind in (distributions.CDF, distributions.HISTOGRAM)
    # Escaped by `formats.svg.text`.
    inline = mark_safe(plate.draw_inline(figure, summary, name, _WIDTH, title=False, scrolls=True)) if is_inline else ""  # noqa: S308 made of escaped parts
    return Drawing(
        id=name,
        title=figure["title"],
        unit=figure["unit"],
        better=figure["better"],
        x=figure["x"]["label"],
        series=figure.get("legend", ""),
        figure=shown,
        rows=[],
        summary=summary,
        wide=True,
        picture="" if inline else f"{PICTURE}?{query_string(comparison.selection)}&panel={number + 1}",
        inline=inline,
    )


def _summarise(made: ComparedCurves, figure: Figure, number: int) -> str:
    if made.kind == TIME:
        return summarise_curves(figure)
    rows = made.drawn.tables[number]
    return summarise_distribution(figure, rows)  # type: ignore[arg-type]


def list_kinds(comparison: Comparison) -> list[tuple[str, str]]:
    """(value, label) of the kinds that can be chosen: curves where numbers over time stand in an archive of the groups."""
    shown = (point.id for panel in comparison.panels for group in panel.groups for point in group.points[:1])
    kinds = list(KIND_LABELS.items())
    chosen = comparison.selection.kind
    if chosen in CURVE_LABELS or provenance.timed_runs(shown):
        kinds += CURVE_LABELS.items()
    return kinds
