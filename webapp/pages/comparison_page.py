"""Comparison -> what the templates of the comparison page and of a permalink print. Numbers are formatted here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, NamedTuple

from django.utils.safestring import mark_safe

from webapp import figures
from webapp.comparison import aggregates
from webapp.comparison.caveats import CAVEATS, HONESTY_PAGE
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, Group, Panel, Verdict
from webapp.comparison.selection import DIVISORS, EURO, METRIC, Selection, query_pairs, query_string
from webapp.figures import box, naming
from webapp.figures.plain import KIND_LABELS, MAX_BARS, Figure
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.pages import presets

MAX_VALUES_SHOWN = 12
HEIGHTS = (12, 20, 30, 50, 100, 200)
"""Rows from which on a figure is a step higher (static/css/components/figure.css)."""


class ValueCell(NamedTuple):
    """One value of a table: what is shown, what a pointer tells of it, and its line."""

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
    verdict: str
    paired: str
    values: list[ValueCell]
    more: int
    marks: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One panel with its figure and its table, which show the same numbers. Of a frozen record the figure is as it was read."""

    id: str
    title: str
    unit: str
    better: str
    x: str
    series: str
    figure: Mapping[str, Any]
    rows: list[TableRow]
    summary: str
    wide: bool
    baseline: str = ""
    overall: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """The step of height that the figure needs, 0 to 6: those whose groups lie below each other grow with them."""
        figure, rows = self.figure, 0
        if figure.get("kind") in ("dots", "ratio"):
            rows = len(figure["x"]["values"]) * (1 + len(figure["series"])) // 2
        elif figure.get("kind") == "heat":
            rows = len(figure["series"])
        return sum(rows > most for most in HEIGHTS)

    @property
    def legend(self) -> bool:
        """Whether colours need to be told: not where the series are the rows of a heat map, or there is only one."""
        return self.figure.get("kind") != "heat" and len(self.figure.get("series", ())) > 1

    @property
    def marked(self) -> bool:
        """Whether a doubt stands on any of its groups."""
        return any(row.marks for row in self.rows)


def make_drawings(comparison: Comparison) -> list[Drawing]:
    """Every panel with its figure and table. A group that cannot be drawn is left out, with a note in its table."""
    try:
        return _drawings(comparison)
    except Exception as error:
        if isolation.is_transaction_broken(error):
            raise
        isolation.log_failure("comparison", query_string(comparison.selection))
    found = isolation.map_isolated(
        "panel", comparison.panels, lambda panel: _without_broken(comparison, panel), which=lambda p: p.title
    )
    return [replace(drawing, id=f"figure-{at}") for at, drawing in enumerate(drawing for some in found for drawing in some)]


def _without_broken(comparison: Comparison, panel: Panel) -> list[Drawing]:
    """The panel with those groups that can be drawn by themselves; slow, and only done where something cannot be drawn."""

    def drawn(groups: list[Group]) -> list[Drawing]:
        return _drawings(replace(comparison, panels=[replace(panel, groups=groups)])) if groups else []

    good = isolation.map_isolated(
        "group", panel.groups, lambda group: (drawn([group]), group)[1], which=lambda group: (group.metric, group.x, group.series)
    )
    away = [_not_shown(group) for group in panel.groups if not any(group is one for one in good)]
    return [replace(drawing, rows=drawing.rows + away) for drawing in drawn(good)]


def _drawings(comparison: Comparison) -> list[Drawing]:
    return [
        _drawing(comparison.selection, panel, figure, at)
        for at, (panel, figure) in enumerate(zip(comparison.panels, figures.make_figures(comparison), strict=True))
    ]


def _drawing(selection: Selection, panel: Panel, figure: Figure, at: int) -> Drawing:
    unit, factor = naming.panel_unit(selection, panel)
    series = DIMENSIONS[selection.series].label if selection.series in DIMENSIONS else ""
    if selection.series == METRIC:
        series = "Metric"
    most = MAX_VALUES_SHOWN if len(panel.groups) <= MAX_BARS else 1
    rows = [_row(selection, group, factor, most) for group in panel.groups]
    for mark in figure["groups"]:
        # Links are offered to as many as the table shows.
        mark["points"] = [point if at < MAX_VALUES_SHOWN and point[1] else point[:1] for at, point in enumerate(mark["points"])]
    if len(panel.groups) > MAX_BARS:
        _thin(figure)
    baseline = naming.baseline_label(selection, panel) if panel.baseline else ""
    _lead_to_configurations(panel, figure)
    x = naming.axis_title(selection) or "Group"
    return Drawing(
        f"figure-{at}",
        figure["title"],
        unit,
        figure["better"],
        x,
        series,
        figure,
        rows,
        _summary(figure, rows, unit),
        len(rows) > 8,
        baseline,
        tuple(_overall(selection, panel)),
    )


def _lead_to_configurations(panel: Panel, figure: Figure) -> None:
    """Marks of a single configuration get its number, so that its page can be opened from the figure."""
    of = (
        {
            (panel.xs.index(group.x), panel.series.index(group.series)): group.points[0].configuration
            for group in panel.groups
            if group.configurations == 1 and group.points
        }
        if len(panel.groups) <= MAX_BARS
        else {}
    )
    for mark in figure["groups"]:
        if (mark["x"], mark["series"]) in of:
            mark["configuration"] = of[mark["x"], mark["series"]]


def _summary(figure: Figure, rows: list[TableRow], unit: str) -> str:
    """The figure in words, for those who do not see it."""
    told = "; ".join(f"{' '.join(part for part in (row.x, row.series) if part)} {row.center}" for row in rows[:20])
    return f"{figure['title']} in {unit}, {figure['better']}: {told}"


def _thin(figure: Figure) -> None:
    """Thousands of marks stay light: no dots, one link each, no more digits than a screen can show. The twins have them all."""
    for mark in figure["groups"]:
        mark["points"] = [[None, *point[1:]] for point in mark["points"][:1]]
        mark["center"] = _light(mark["center"])
        mark["low"] = None if mark["low"] is None else _light(mark["low"])
        mark["high"] = None if mark["high"] is None else _light(mark["high"])
    figure["notes"] = [note.replace(box.DOTS_PHRASE, "") for note in figure["notes"]]
    figure["notes"].append(f"{numbers.count(len(figure['groups']))} groups: single runs are not drawn; CSV and JSON have them all.")


def _light(number: float) -> float:
    return float(f"{number:.6g}")


def _row(selection: Selection, group: Group, factor: float, most: int) -> TableRow:
    interval = ""
    if group.low is not None and group.high is not None:
        interval = f"{numbers.number(group.low / factor)} to {numbers.number(group.high / factor)}"
    values = [
        ValueCell(
            numbers.number(p.value / factor), f"{p.raw} at {p.place}" if p.place else numbers.exact(p.value), p.place, p.address
        )
        for p in group.points[:most]
    ]
    marks = [(CAVEATS[name].label, f"{HONESTY_PAGE}#{name}") for name in group.flags]
    verdict = group.verdict
    paired = _rests_on(verdict) if verdict else ""
    return TableRow(
        naming.x_label(selection, group.x),
        naming.series_label(selection, group.series),
        numbers.number(group.center / factor),
        numbers.exact(group.center / factor),
        interval,
        numbers.count(group.runs),
        numbers.count(group.configurations),
        naming.verdict_words(group),
        paired,
        values,
        group.runs - len(values),
        marks,
    )


def _not_shown(group: Group) -> TableRow:
    return TableRow(isolation.FAILURE_NOTE, "", numbers.UNKNOWN, "", "", numbers.count(group.runs), "", "", "", [], 0, [])


def _rests_on(verdict: Verdict) -> str:
    """What a verdict rests on, and its effect: 6 matched pairs; better in 92 % of pairs of runs."""
    pairs = f"{verdict.paired} matched pair{'' if verdict.paired == 1 else 's'}" if verdict.paired else ""
    effect = "" if verdict.effect is None else f"better in {numbers.percent(100 * verdict.effect)} of pairs of runs"
    return "; ".join(part for part in (pairs, effect) if part)


def _overall(selection: Selection, panel: Panel) -> list[str]:
    """Over the whole panel: each compared value against the baseline, with how many ratios are in the mean."""
    name_of = naming.x_label if panel.baseline in panel.xs else naming.series_label
    found = []
    for one in panel.overall:
        interval = f"{numbers.number(one.low)} to {numbers.number(one.high)}; " if one.low is not None else ""
        found.append(f"{name_of(selection, one.name)} {numbers.ratio(one.ratio)} ({interval}{one.ratios} ratios)")
    return found


def counted(runs: int, configurations: int) -> str:
    """Both counts in words: 12 runs of 4 configurations."""
    return (
        f"{numbers.count(runs)} run{'' if runs == 1 else 's'} of {numbers.count(configurations)} "
        f"configuration{'' if configurations == 1 else 's'}"
    )


def _axis_choices(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """Dimensions that can be an axis: those with something to tell apart, and the chosen ones."""
    return [(axis.text, axis.label) for axis in comparison.axes if not axis.reason or axis.chosen]


def _kept(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """What the form has no visible control for: a choice made by an address is not lost by the next click."""
    controls = {
        "q",
        "overlay",
        "metric",
        "kind",
        "sort",
        "x",
        "series",
        "facet",
        "baseline",
        "stat",
        "normalise",
        "scale",
        "unit",
        *(facet.name for facet in comparison.facets),
    }
    shown_metrics = {metric.text for metric in comparison.metrics}
    strange = set(selection.strange)
    return [
        (key, value)
        for key, value in query_pairs(selection)
        if key not in controls or (key, value) in strange or (key == "metric" and value not in shown_metrics)
    ]


_LISTS = (
    ("sort", "Order", (("", "by name, size or version"), ("value", "best first"))),
    ("stat", "Statistic", (("median", "median"), ("mean", "mean"), ("bootstrap", "mean, bootstrap interval"))),
    ("scale", "Scale", (("linear", "linear, from zero"), ("log", "logarithmic"))),
    ("unit", "Unit of bytes", (("MiB", "MiB, powers of 1024"), ("MB", "MB, powers of 1000"))),
)


def _lists(selection: Selection) -> list[tuple[str, str, Sequence[tuple[str, str]], str]]:
    """(name, label, options, chosen) of the lists that say how the figure is drawn."""
    return [(name, label, options, getattr(selection, name)) for name, label, options in _LISTS] + [
        ("normalise", "Per", _per(selection), selection.normalise)
    ]


def _per(selection: Selection) -> list[tuple[str, str]]:
    """What can be divided by; euros only where the address gives prices."""
    names = (*DIVISORS, EURO) if selection.prices or selection.normalise == EURO else tuple(DIVISORS)
    found = [("", "as measured"), *((name, f"per {name}") for name in names)]
    return [*found, ("baseline", "relative to the baseline")] if selection.baseline else found


def _baselines(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """(value, label) of what can be the baseline: the places of the x axis, then the series."""
    found = {x: naming.x_label(selection, x) for panel in comparison.panels for x in panel.xs}
    for panel in comparison.panels:
        found |= {name: naming.series_label(selection, name) for name in panel.series if name and name not in found}
    if selection.baseline and selection.baseline not in found:
        found[selection.baseline] = f"{selection.baseline} (not in the figure)"
    return list(found.items()) if len(found) > 1 or selection.baseline else []


def comparison_context(comparison: Comparison) -> dict:
    """The context of the page."""
    selection = comparison.selection
    return {
        "comparison": comparison,
        "selection": selection,
        "query": query_string(selection),
        "method": _method(comparison),
        "drawings": make_drawings(comparison),
        "counted": counted(comparison.runs, comparison.configurations),
        "kept": _kept(selection, comparison),
        "axes": _axis_choices(selection, comparison),
        "by_metric": selection.series == METRIC,
        "several": len(selection.metrics) > 1,
        "each": _each(comparison.groups),
        "pale_axes": _pale_axes(comparison),
        "toggles": _toggles(selection, comparison),
        "presets": presets.list_presets(comparison),
        "kinds": list(KIND_LABELS.items()),
        "baselines": _baselines(selection, comparison),
        "lists": _lists(selection),
        "heading": _heading(selection, comparison),
        "metrics_count": len(comparison.metrics),
    }


def _method(comparison: Comparison) -> str:
    """The method without its words on dots where a figure has none of them."""
    if all(len(panel.groups) <= MAX_BARS for panel in comparison.panels):
        return comparison.method
    return "; ".join(part for part in comparison.method.split("; ") if part not in aggregates.DOTS_PHRASES)


def _each(groups: Sequence[Group]) -> str:
    """n of the groups, always told: n = 3 in each group; n = 1 to 9 a group."""
    counts = [group.runs for group in groups]
    if len(counts) < 2:
        return ""
    low, high = min(counts), max(counts)
    return (
        f"n = {numbers.count(low)} in each group" if low == high else f"n = {numbers.count(low)} to {numbers.count(high)} a group"
    )


def _pale_axes(comparison: Comparison) -> str:
    """Dimensions that would tell nothing apart, at the end of the list, each with its reason."""
    pale = [(axis.label, axis.reason) for axis in comparison.axes if axis.reason and not axis.chosen]
    options = "".join([f"<option disabled>{escape(label)}: {escape(reason)}</option>" for label, reason in pale])
    return mark_safe(f'<optgroup label="Nothing to tell apart">{options}</optgroup>') if pale else ""


def _toggles(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """(label, query) of what the figure can be switched to in place: its unit and its scale."""
    found = []
    if any(panel.unit in ("B/s", "B") for panel in comparison.panels):
        other = "MB" if selection.unit == "MiB" else "MiB"
        found.append((f"in {other}", query_string(selection.changed(unit=other))))
    if comparison.panels and selection.kind != "ratio":
        scale, label = ("linear", "linear") if selection.scale == "log" else ("log", "logarithmic")
        found.append((label, query_string(selection.changed(scale=scale))))
    return found


def _heading(selection: Selection, comparison: Comparison) -> str:
    if not comparison.panels:
        return "Nothing to compare"
    titles = list(dict.fromkeys(naming.panel_title(selection.changed(facet=""), panel) for panel in comparison.panels))
    axis = naming.axis_title(selection)
    # Names such as OS keep their capitals.
    axis = axis if axis[:2].isupper() else axis[:1].lower() + axis[1:]
    return "; ".join(titles[:3]) + (f", per {axis}" if axis else "")
