"""Comparison -> the context of the comparison page's templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from ingest.catalogue import METRICS
from ingest.options import is_option
from webapp.comparison import aggregates
from webapp.comparison.compared_set import OPEN
from webapp.comparison.dimensions import (
    AGGREGATE,
    DIMENSIONS,
    MACHINE,
    UNKNOWN,
    WORKLOAD,
    in_sentence,
    is_open,
    percentile_position,
    value_label,
)
from webapp.comparison.dimensions import PARAM as PARAMETER
from webapp.comparison.model import Comparison, ControlledSet, Group, Offer
from webapp.comparison.selection import DIVISORS, EURO, METRIC, TABLE_ORDERS, Selection, query_pairs, query_string
from webapp.comparison.sets.workloads import workload_label
from webapp.curves.distributions import LOAD
from webapp.curves.percentiles import LOAD_PARAMS, MIN_LEVELS
from webapp.drawing.plate import Plate
from webapp.figures import naming
from webapp.figures.kind import kind_of
from webapp.figures.plain import MAX_BARS
from webapp.formatting import numbers
from webapp.formatting.visible_text import make_visible
from webapp.pages import curves_page, rail, sentences, unknown_parts
from webapp.pages.curves_page import draw_curves
from webapp.pages.drawings import Drawing, make_drawings

# Comparison -> the plate that the server draws of it: the figures of the page with its texts.


class NoSuchPanel(Exception):
    """The comparison has fewer panels."""


def make_plate(comparison: Comparison, panel: int | None = None) -> Plate:
    """All panels, or that one (1 is the first). Without a panel the plate says that there is nothing to compare.

    Raises NoSuchPanel.
    """
    beside = draw_curves(comparison)
    curves, drawings = beside.drawings, beside.drawings or make_drawings(comparison)
    if panel is not None and not 0 < panel <= len(drawings):
        raise NoSuchPanel(panel)
    chosen = drawings if panel is None else [drawings[panel - 1]]
    heading = describe_heading(comparison)
    title = chosen[0].title if panel is not None and len(drawings) > 1 else heading
    shown = sentences.summarise(comparison) if chosen and not curves else ""
    description = " ".join([*(f"{drawing.summary}." for drawing in chosen), shown]).strip()
    counted = describe_counts(comparison) if chosen else ""
    footer = " \u00b7 ".join(part for part in ("Poolmark", counted) if part)
    method = describe_method(comparison, chosen) if chosen and not curves else ""
    figures = [drawing.figure for drawing in chosen]
    if figures and beside.missing:
        figures[-1] = {**figures[-1], "notes": [*figures[-1]["notes"], beside.missing]}
    return Plate(title, description or heading, figures, footer, method)


# What is set in the address beside metric and axes, each with the query that is left without it.

MANY_PARAMETERS = 3
"""Filters by one value of a parameter of the workload from which on they are one chip."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that is set: `label`, its `value` in words, and `rest`, the query string without it."""

    label: str
    value: str
    rest: str


def list_settings(selection: Selection) -> list[Setting]:
    """Filters, search, archives, and choices of what is drawn; parameters that together make one workload are one entry."""
    settings, together = _others(selection), _one_workload(selection)
    for name, values in selection.filters:
        if name not in together and name != MACHINE:  # which the sentence of choices names
            shown = " or ".join(value_label(DIMENSIONS[name], value) for value in values)
            settings.append(Setting(DIMENSIONS[name].label, shown, query_string(selection.having(name, ()))))
    if together:
        shown = workload_label([(name, values[0]) for name, values in selection.filters if name in together], ())
        rest = query_string(selection.narrowed(dict.fromkeys(together, ())))
        settings.insert(0, Setting("Workload", shown or "unknown", rest))
    return sorted(settings, key=lambda setting: setting.value == "unknown")


def _one_workload(selection: Selection) -> tuple[str, ...]:
    """The parameters that are filtered by one value each, where there are many; such is the address of a controlled set."""
    names = tuple(
        name
        for name, values in selection.filters
        if DIMENSIONS[name].source in (WORKLOAD, PARAMETER) and len(values) == 1 and ".." not in values[0]
    )
    known = [name for name in names if selection.values(name) != (UNKNOWN,)]
    return names if len(names) >= MANY_PARAMETERS and known else ()


def _others(selection: Selection) -> list[Setting]:
    found = []
    if selection.q:
        found.append(Setting("Search", make_visible(selection.q), query_string(selection.changed(q=""))))
    for label, field in (("Archive", "archives"), ("Study", "studies"), ("Beside", "overlay")):
        values = getattr(selection, field)
        if values:
            shown = ", ".join(make_visible(str(value)) for value in values)
            found.append(
                Setting(label, f"archive {shown}" if field == "overlay" else shown, query_string(_without(selection, field)))
            )
    for label, field in (("Held equal", "hold"), ("Pooled", "pool")):
        names = getattr(selection, field)
        if names:
            found.append(
                Setting(label, ", ".join(DIMENSIONS[name].label for name in names), query_string(_without(selection, field)))
            )
    if selection.control:
        found.append(Setting("All runs", "whatever else differs", query_string(selection.changed(control=""))))
    found += _words(selection)
    if selection.normalise:
        found.append(Setting("Per", selection.normalise, query_string(selection.changed(normalise=""))))
    return found


def _words(selection: Selection) -> list[Setting]:
    """Order, names and hidden values by the author."""
    words, found = selection.words, []
    if words.hidden:
        shown = f"{len(words.hidden)} value{'' if len(words.hidden) == 1 else 's'}: {make_visible(words.reason)}"
        found.append(Setting("Not shown", shown, query_string(selection.changed(words=replace(words, hidden=(), reason="")))))
    if words.labels:
        shown = ", ".join(make_visible(name) for _, name in words.labels)
        found.append(Setting("Names", shown, query_string(selection.changed(words=replace(words, labels=())))))
    if words.order:
        found.append(Setting("Order", "by the author", query_string(selection.changed(words=replace(words, order=())))))
    return found


def _without(selection: Selection, field: str) -> Selection:
    return selection.changed(**{field: ()})


@dataclass(frozen=True, slots=True)
class Menu:
    """A part of the sentence of choices: the `word` before it, what is drawn as its `label`, and what else could be."""

    name: str
    word: str
    label: str
    offers: Sequence[Offer]


# The map of controlled sets as one line each: `Compression: 9 values, 3 runs each`, and what they share.

MAX_NAMED = 3
"""Values up to which a line names them all."""


@dataclass(frozen=True, slots=True)
class MapLine:
    """A set: the `label` of its axis, its values in words, how often each was run, and what they share; `values`: all of them."""

    label: str
    named: str
    each: str
    shared: str
    values: str
    query: str


def list_lines(sets: Sequence[ControlledSet]) -> list[MapLine]:
    """A line for each set, in their order."""
    return [_line(found) for found in sets]


def _line(found: ControlledSet) -> MapLine:
    low, high = found.runs
    runs = numbers.count(low) if low == high else f"{numbers.count(low)} to {numbers.count(high)}"
    each = f"{runs} run{'' if runs == '1' else 's'} each"
    values = ", ".join(found.values)
    named = values if len(found.values) <= MAX_NAMED else f"{numbers.count(len(found.values))} values"
    return MapLine(found.label, named, each, found.fixed, values, found.query)


MAX_SETS = 6
"""Lines of the map that are not folded; fewer where much else is on the page."""


def describe_counts(comparison: Comparison) -> str:
    """`12 runs of 4 configurations`; runs that could not be measured are counted too, those with several percentiles once."""
    selection, by_kind = comparison.selection, Counter[str]()
    along = next((axis for axis in ("x", "series", "facet") if getattr(selection, axis) == AGGREGATE), "")
    for group in comparison.groups:
        by_kind[getattr(group, along) if along else ""] += group.n
    runs, configurations = max(by_kind.values(), default=0), comparison.configurations
    return (
        f"{numbers.count(runs)} run{'' if runs == 1 else 's'} of {numbers.count(configurations)} "
        f"configuration{'' if configurations == 1 else 's'}"
    )


def _settings(comparison: Comparison) -> dict:
    """The open keys: `facets`, the names that were `added` by the reader, and `others` without a facet, options of tools too."""
    facets = [facet for facet in comparison.facets if is_open(facet.name)]
    shown = {facet.name for facet in comparison.facets}
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
    lists = [(name, label, _with_chosen(name, options, selection), getattr(selection, name)) for name, label, options in _LISTS]
    return [
        *lists,
        ("normalise", "Per", _divisor_options(selection), selection.normalise),
    ]


def _with_chosen(name: str, options: Sequence[tuple[str, str]], selection: Selection) -> Sequence[tuple[str, str]]:
    """The options, with the order of the table where one is chosen by the heads of the table."""
    return (*options, (selection.sort, "as in the table")) if name == "sort" and selection.sort in TABLE_ORDERS else options


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


def comparison_context(comparison: Comparison, site: str = "/") -> dict:
    """The context of the page, for `templates/compare/`. `site`: the address of the home page, of which links to copy are made."""
    selection = comparison.selection
    query, heading = query_string(selection), describe_heading(comparison)
    tables, drawn = make_drawings(comparison), curves_page.draw_curves(comparison)
    curves = drawn if drawn.drawings else None
    axes, lines = rail.axis_options(comparison), list_lines(comparison.sets)
    shown = MAX_SETS if not comparison.differs else MAX_SETS - 2
    return {
        "comparison": comparison,
        "selection": selection,
        "query": query,
        "address": f"{site}compare?{query}",
        "embed": _embed(site, query, heading),
        "method": describe_method(comparison, tables),
        "drawings": drawn.drawings or tables,
        "tables": tables,
        "curves": curves,
        "no_curves": drawn,
        "counted": describe_counts(comparison),
        "kept": _hidden_fields(selection, comparison),
        "axes": axes,
        "groups": rail.make_groups(comparison),
        "not_recorded": rail.list_not_recorded(comparison),
        "same": rail.list_fixed(comparison),
        "chosen": list_settings(selection),
        "unknown": unknown_parts.list_unknown(comparison),
        "held": [(name, DIMENSIONS[name].label) for name in selection.hold],
        "holdable": rail.holdable_options(axes, selection),
        "settings": _settings(comparison),
        "by_metric": selection.series == METRIC,
        "several": len(selection.metrics) > 1,
        "each": _describe_group_sizes(comparison.groups),
        "toggles": _latency_links(selection, comparison),
        "menus": _list_menus(comparison, comparison.panels[0].workload if comparison.panels else ""),
        "presets": rail.list_presets(comparison),
        "kinds": curves_page.list_kinds(comparison),
        "baselines": _baselines(selection, comparison),
        "lists": _lists(selection),
        "heading": heading,
        "workload": workload_label(comparison.workload, comparison.tool_versions),
        "baseline": comparison.drawn.baseline,
        "beside_query": _beside_query(selection),
        "design": (design := sentences.describe_design(comparison) if comparison.panels else ""),
        "kind_of_design": design.partition(":")[0],
        "bare": comparison.is_map and bool(comparison.metrics),
        "sentence": sentences.summarise(comparison),
        "flags": [flag for flag in comparison.flags if flag.id != "not-understood"],
        "copies": next((flag for flag in comparison.flags if flag.id == "copies"), None),
        "sets": lines[:shown],
        "more_sets": lines[shown:],
        "open_query": query_string(selection.changed(control="off")) if comparison.sought != OPEN else "",
        "metrics_count": len(comparison.metrics),
        "chips": (chips := unknown_parts.make_chips(comparison)),
        "removals": unknown_parts.suggest_removals(chips),
        "named_metrics": ", ".join(METRICS[name].label for name in selection.metrics),
    }


def describe_method(comparison: Comparison, drawings: Sequence[Drawing]) -> str:
    """The method, without the phrases on runs and whiskers where a figure has none; of a heat map, what a cell is."""
    kinds = [kind_of(drawing.figure) for drawing in drawings]
    parts = comparison.method.split("; ")
    if not all(kind.has_runs for kind in kinds) or any(len(panel.groups) > MAX_BARS for panel in comparison.panels):
        parts = [part for part in parts if part not in aggregates.DOTS_PHRASES]
    if kinds and (mark := kinds[0].mark) and all(kind.mark == mark for kind in kinds):
        parts = [f"each {mark} is the {parts[0]}", *(part for part in parts[1:] if not part.startswith("whiskers:"))]
    return "; ".join(parts)


def _embed(site: str, query: str, heading: str) -> str:
    """HTML for other pages: the picture of the figure, which leads to the comparison."""
    page, picture = f"{site}compare?{query}", f"{site}compare.svg?{query}"
    return f'<a href="{escape(page)}"><img src="{escape(picture)}" alt="{escape(heading)}"></a>'


def _beside_query(selection: Selection) -> str:
    """The query that draws the chosen archives beside all public ones; empty without any, or where they are."""
    return (
        query_string(selection.changed(archives=(), overlay=selection.archives))
        if selection.archives and not selection.overlay
        else ""
    )


def _describe_group_sizes(groups: Sequence[Group]) -> str:
    """`n = 3 in each group` or `n = 1 to 9 a group`; empty for a single group."""
    counts = [group.n for group in groups]
    if len(counts) < 2:
        return ""
    low, high = min(counts), max(counts)
    return (
        f"n = {numbers.count(low)} in each group" if low == high else f"n = {numbers.count(low)} to {numbers.count(high)} a group"
    )


def _latency_links(selection: Selection, comparison: Comparison) -> list[tuple[str, str]]:
    """The profile of all percentiles of the runs whose percentile is drawn, with what these runs share and others do not; the
    load-latency curve where a load has enough levels."""
    work = {name: text for name, text in comparison.workload if name != "tool_version"}
    statistic = work.pop(AGGREGATE, "")
    if selection.facet or len(selection.metrics) != 1 or METRICS[selection.metrics[0]].quantity != "latency":
        return []
    links, varying = [], {axis.text for axis in comparison.axes if not axis.reason}
    beside = selection.x or selection.series
    if percentile_position(statistic) is not None:
        shared = [*work.items(), *(pair for pair in comparison.fixed if not is_open(pair[0]))]
        pins = {name: (text,) for name, text in shared if (name in varying or is_option(name)) and not selection.values(name)}
        profile = selection.narrowed({**pins, AGGREGATE: ()}).changed(x=AGGREGATE, series=beside, kind="lines", scale="log")
        links.append(("profile of all percentiles", query_string(profile.changed(baseline="", sort="", q=""))))
    load = next((axis.text for axis in comparison.axes if axis.text in LOAD_PARAMS and axis.n >= MIN_LEVELS), "")
    if load and selection.kind != LOAD:
        curve = selection.having(load, ()).changed(x=load, series=selection.series if selection.x == load else beside, kind=LOAD)
        links.append(("load-latency curve", query_string(curve.changed(baseline="", sort=""))))
    return links


def _list_menus(comparison: Comparison, workload: str) -> list[Menu]:
    """The sentence of choices: what is drawn, and what could be in its place."""
    selection, offers = comparison.selection, comparison.offers
    axis = in_sentence(naming.axis_title(selection))
    found = (
        [Menu("metric", "", " and ".join(METRICS[name].label for name in selection.metrics[:2]), offers.get("metric", ()))]
        if selection.metrics
        else []
    )
    found += [Menu("x", "per", axis, offers.get("x", ()))] if axis else []
    machines = offers.get("machine", ())
    if machines:
        here = next((offer.label for offer in machines if offer.is_drawn), "several machines")
        anywhere = Offer("any machine", query_string(selection.having(MACHINE, ())), False)
        found.append(Menu("machine", "on", here, (anywhere, *machines) if selection.values(MACHINE) else machines))
    found += [Menu("workload", "with", workload, offers.get("workload", ()))] if workload else []
    return [replace(menu, offers=()) if all(offer.is_drawn for offer in menu.offers) else menu for menu in found]


def describe_heading(comparison: Comparison) -> str:
    """The title of the page: metrics, tool, size, and the axis."""
    selection = comparison.selection
    if not comparison.panels:
        return "Nothing to compare"
    whole, workloads = selection.changed(facet=""), {panel.workload for panel in comparison.panels}
    shared = f": {workloads.pop()}" if len(workloads) == 1 and "" not in workloads else ""
    make_title = naming.metrics_label if shared else naming.panel_title
    titles = list(dict.fromkeys(make_title(whole, panel) for panel in comparison.panels))
    axis = in_sentence(naming.axis_title(selection))
    return "; ".join(titles[:3]) + shared + (f", per {axis}" if axis else "")
