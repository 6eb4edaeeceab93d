"""Comparison -> the context of the comparison page's templates."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from django.utils.safestring import mark_safe

from ingest.catalogue import METRICS
from webapp.comparison import aggregates, labels
from webapp.comparison.core_keys import IDENTIFIERS
from webapp.comparison.designs import OPEN
from webapp.comparison.dimensions import DIMENSIONS, is_open
from webapp.comparison.model import Comparison, Group
from webapp.comparison.selection import DIVISORS, EURO, METRIC, Selection, query_pairs, query_string
from webapp.figures import naming
from webapp.figures.plain import KIND_LABELS, MAX_BARS
from webapp.formatting import numbers
from webapp.pages import presets, search_chips, sentences
from webapp.pages.drawings import Drawing, make_drawings


def describe_counts(comparison: Comparison) -> str:
    """`12 runs of 4 configurations`; runs that could not be measured are counted too."""
    runs, configurations = sum(group.n for group in comparison.groups), comparison.configurations
    return (
        f"{numbers.count(runs)} run{'' if runs == 1 else 's'} of {numbers.count(configurations)} "
        f"configuration{'' if configurations == 1 else 's'}"
    )


def _axis_options(comparison: Comparison, opened: bool) -> list[tuple[str, str]]:
    """(name, label) of the dimensions that can be an axis, and of the chosen ones: open keys, or the others."""
    return [
        (axis.text, axis.label) for axis in comparison.axes if is_open(axis.text) == opened and (not axis.reason or axis.chosen)
    ]


def _holdable(options: Sequence[tuple[str, str]], selection: Selection) -> list[tuple[str, str]]:
    """The options that may be held equal and are not."""
    return [option for option in options if option[0] not in (*selection.hold, *IDENTIFIERS)]


def _settings(comparison: Comparison) -> dict:
    """The open keys: `facets`, the names that were `added` by the reader, and `others` without a facet."""
    facets = [facet for facet in comparison.facets if is_open(facet.name)]
    shown = {facet.name for facet in facets}
    return {
        "facets": facets,
        "added": comparison.selection.settings,
        "others": [(name, name) for name in comparison.recorded if name not in shown],
    }


def _hidden_fields(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """The pairs of the query string without a visible control in the form, so that they survive its next submission."""
    controls = {
        "q",
        "overlay",
        "hold",
        "setting",
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
    (
        "stat",
        "Statistic",
        (
            ("", "geometric mean where compared, else median"),
            ("median", "median"),
            ("geometric", "geometric mean"),
            ("mean", "mean"),
            ("bootstrap", "mean, bootstrap interval"),
        ),
    ),
    ("scale", "Scale", (("linear", "linear, from zero"), ("log", "logarithmic"))),
    ("unit", "Unit of bytes", (("MiB", "MiB, powers of 1024"), ("MB", "MB, powers of 1000"))),
)


def _lists(selection: Selection) -> list[tuple[str, str, Sequence[tuple[str, str]], str]]:
    """(name, label, options, chosen) of the list boxes with settings of the figure."""
    return [(name, label, options, getattr(selection, name)) for name, label, options in _LISTS] + [
        ("normalise", "Per", _divisor_options(selection), selection.normalise)
    ]


def _divisor_options(selection: Selection) -> list[tuple[str, str]]:
    """(value, label) of the divisors; euros only where the address gives prices."""
    names = (*DIVISORS, EURO) if selection.prices or selection.normalise == EURO else tuple(DIVISORS)
    options = [("", "as measured"), *((name, f"per {name}") for name in names)]
    return [*options, ("baseline", "relative to the baseline")] if selection.baseline else options


def _baselines(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """(value, label) of possible baselines: the values of the x axis, then the series."""
    labels = {x: naming.x_label(selection, x) for panel in comparison.panels for x in panel.xs}
    for panel in comparison.panels:
        labels |= {name: naming.series_label(selection, name) for name in panel.series if name and name not in labels}
    if selection.baseline and selection.baseline not in labels:
        labels[selection.baseline] = f"{selection.baseline} (not in the figure)"
    return list(labels.items()) if len(labels) > 1 or selection.baseline else []


def comparison_context(comparison: Comparison) -> dict:
    """The context of the page, for `templates/compare/`."""
    selection = comparison.selection
    axes, open_axes = _axis_options(comparison, False), _axis_options(comparison, True)
    drawings = make_drawings(comparison)
    return {
        "comparison": comparison,
        "selection": selection,
        "query": query_string(selection),
        "method": describe_method(comparison, drawings),
        "drawings": drawings,
        "counted": describe_counts(comparison),
        "kept": _hidden_fields(selection, comparison),
        "axes": axes,
        "open_axes": open_axes,
        "held": [(name, DIMENSIONS[name].label) for name in selection.hold],
        "holdable": _holdable(axes, selection),
        "open_holdable": _holdable(open_axes, selection),
        "facets": [facet for facet in comparison.facets if not is_open(facet.name)],
        "settings": _settings(comparison),
        "by_metric": selection.series == METRIC,
        "several": len(selection.metrics) > 1,
        "each": _describe_group_sizes(comparison.groups),
        "pale_axes": _pale_axes(comparison),
        "toggles": _toggles(selection, comparison),
        "presets": presets.list_presets(comparison),
        "kinds": list(KIND_LABELS.items()),
        "baselines": _baselines(selection, comparison),
        "lists": _lists(selection),
        "heading": describe_heading(comparison),
        "workload": labels.workload_label(comparison.workload, comparison.tool_versions),
        "baseline": comparison.drawn.baseline,
        "design": sentences.describe_design(comparison) if comparison.panels else "",
        "bare": comparison.is_map and bool(comparison.metrics),
        "claims": sentences.describe_claims(comparison),
        "open_query": query_string(selection.changed(control="off")) if comparison.design != OPEN else "",
        "metrics_count": len(comparison.metrics),
        "chips": (chips := search_chips.make_chips(comparison)),
        "removals": search_chips.suggest_removals(chips),
        "named_metrics": ", ".join(METRICS[name].label for name in selection.metrics),
    }


def describe_method(comparison: Comparison, drawings: Sequence[Drawing]) -> str:
    """The method, without the phrases on runs and whiskers where a figure has none; of a heat map, what a cell is."""
    kinds = {drawing.figure.get("kind") for drawing in drawings}
    parts = comparison.method.split("; ")
    if kinds & _WITHOUT_RUNS or any(len(panel.groups) > MAX_BARS for panel in comparison.panels):
        parts = [part for part in parts if part not in aggregates.DOTS_PHRASES]
    if kinds == {"heat"}:
        parts = [f"each cell is the {parts[0]}", *(part for part in parts[1:] if not part.startswith("whiskers:"))]
    return "; ".join(parts)


_WITHOUT_RUNS = {"heat", "ratio", "scatter"}
"""Kinds of figures that do not show every run."""


def _describe_group_sizes(groups: Sequence[Group]) -> str:
    """`n = 3 in each group` or `n = 1 to 9 a group`; empty for a single group."""
    counts = [group.n for group in groups]
    if len(counts) < 2:
        return ""
    low, high = min(counts), max(counts)
    return (
        f"n = {numbers.count(low)} in each group" if low == high else f"n = {numbers.count(low)} to {numbers.count(high)} a group"
    )


def _pale_axes(comparison: Comparison) -> str:
    """Disabled options for the dimensions that are no possible axis, each with the reason."""
    pale = [(axis.label, axis.reason) for axis in comparison.axes if axis.reason and not axis.chosen]
    options = "".join([f"<option disabled>{escape(label)}: {escape(reason)}</option>" for label, reason in pale])
    return mark_safe(f'<optgroup label="Nothing to tell apart">{options}</optgroup>') if pale else ""


def _toggles(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """(label, query) of the links that switch the figure's unit and scale."""
    links = []
    if any(panel.unit in ("B/s", "B") for panel in comparison.panels):
        other = "MB" if selection.unit == "MiB" else "MiB"
        links.append((f"in {other}", query_string(selection.changed(unit=other))))
    if comparison.panels and selection.kind != "ratio":
        scale, label = ("linear", "linear") if selection.scale == "log" else ("log", "logarithmic")
        links.append((label, query_string(selection.changed(scale=scale))))
    return links


def describe_heading(comparison: Comparison) -> str:
    """The title of the page: metrics, tool, size, and the axis."""
    selection = comparison.selection
    if not comparison.panels:
        return "Nothing to compare"
    titles = list(dict.fromkeys(naming.panel_title(selection.changed(facet=""), panel) for panel in comparison.panels))
    axis = labels.in_sentence(naming.axis_title(selection))
    return "; ".join(titles[:3]) + (f", per {axis}" if axis else "")
