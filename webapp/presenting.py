"""Comparison -> what the templates of the comparison page and of a permalink print. Numbers are formatted here, in Python."""
from __future__ import annotations

from dataclasses import dataclass

from webapp import shown
from webapp.axes import DIMENSIONS
from webapp.comparison import Comparison, Group, Panel
from webapp.figures import bars
from webapp.selection import METRIC, Selection, pairs_of, query_of

VALUES_SHOWN = 12
PRESETS = (("per OS", "os"), ("per compression", "compression"), ("per CPU", "cpu"), ("per file system", "fs"),
           ("per layout", "layout"))


@dataclass(frozen=True, slots=True)
class ValueCell:
    text: str
    exact: str
    place: str
    address: str


@dataclass(frozen=True, slots=True)
class TableRow:
    x: str
    series: str
    center: str
    exact: str
    interval: str
    runs: str
    configurations: str
    values: list[ValueCell]
    more: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """One panel with its figure and its table, which show the same numbers."""

    id: str
    title: str
    unit: str
    better: str
    x: str
    series: str
    figure: dict
    rows: list[TableRow]
    summary: str
    wide: bool


def drawings(comparison: Comparison) -> list[Drawing]:
    """Every panel with its figure and table."""
    return [_drawing(comparison.selection, panel, figure, at)
            for at, (panel, figure) in enumerate(zip(comparison.panels, bars.figures(comparison), strict=True))]


def _drawing(selection: Selection, panel: Panel, figure: dict, at: int) -> Drawing:
    unit, factor = bars.unit_of(selection, panel)
    series = "Metric" if selection.series == METRIC else DIMENSIONS[selection.series].label if selection.series in DIMENSIONS else ""
    rows = [_row(selection, group, factor) for group in panel.groups]
    return Drawing(f"figure-{at}", figure["title"], unit, figure["better"], bars.axis_title(selection) or "Group", series,
                   figure, rows, _summary(figure, rows, unit), len(rows) > 8)


def _summary(figure: dict, rows: list[TableRow], unit: str) -> str:
    """The figure in words, for those who do not see it."""
    told = "; ".join(f"{' '.join(part for part in (row.x, row.series) if part)} {row.center}" for row in rows[:20])
    return f"{figure['title']} in {unit}, {figure['better']}: {told}"


def _row(selection: Selection, group: Group, factor: float) -> TableRow:
    interval = "" if group.low is None else f"{shown.number(group.low / factor)} to {shown.number(group.high / factor)}"
    values = [ValueCell(shown.number(p.value / factor), f"{p.raw} at {p.place}" if p.place else shown.exact(p.value), p.place,
                        p.address) for p in group.points[:VALUES_SHOWN]]
    return TableRow(
        bars.x_label(selection, group.x), bars.series_label(selection, group.series), shown.number(group.center / factor),
        shown.exact(group.center), interval, shown.count(group.runs), shown.count(group.configurations), values,
        group.runs - len(values))


def counted(runs: int, configurations: int) -> str:
    """Both counts in words: 12 runs of 4 configurations."""
    return (f"{shown.count(runs)} run{'' if runs == 1 else 's'} of {shown.count(configurations)} "
            f"configuration{'' if configurations == 1 else 's'}")


def _axis_choices(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """Dimensions that can be an axis: those with something to tell apart, and the chosen ones."""
    useful = {facet.name for facet in comparison.facets} | {d.name for d in comparison.differs} | set(selection.axes)
    return [(name, dimension.label) for name, dimension in DIMENSIONS.items() if name in useful]


def page(comparison: Comparison) -> dict:
    """The context of the page."""
    selection = comparison.selection
    kept = [(key, value) for key, value in pairs_of(selection) if key in ("archive", "study", "baseline", "normalise")]
    return {
        "comparison": comparison, "selection": selection, "query": query_of(selection), "drawings": drawings(comparison),
        "counted": counted(comparison.runs, comparison.configurations), "kept": kept, "axes": _axis_choices(selection, comparison),
        "by_metric": selection.series == METRIC, "several": len(selection.metrics) > 1,
        "presets": [(label, query_of(selection.changed(x=x, series=METRIC if len(selection.metrics) > 1 else "")),
                     selection.x == x) for label, x in PRESETS],
        "heading": _heading(selection, comparison),
        "metrics_count": len(comparison.metrics),
    }


def _heading(selection: Selection, comparison: Comparison) -> str:
    if not comparison.panels:
        return "Nothing to compare"
    titles = list(dict.fromkeys(bars.title_of(selection.changed(facet=""), panel) for panel in comparison.panels))
    axis = bars.axis_title(selection)
    # Names such as OS keep their capitals.
    axis = axis if axis[:2].isupper() else axis[:1].lower() + axis[1:]
    return "; ".join(titles[:3]) + (f", per {axis}" if axis else "")
