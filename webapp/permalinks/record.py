"""Comparison -> the frozen record as plain data. docs/permalinks.md describes it field by field.

Every repetition stands once in `values`; groups name theirs by number, and figures too (`#v12` in the place of the
address of its line), so that nothing has to be looked up later.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from ingest.catalogue import METRICS
from webapp import figures
from webapp.claims import statistics
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import DIVISORS, METRIC, Selection
from webapp.figures import naming
from webapp.figures.plain import Figure
from webapp.formatting import numbers as shown
from webapp.permalinks import derivations, value_tables
from webapp.permalinks.bundles import excerpts
from webapp.permalinks.bundles.verify import stands
from webapp.permalinks.sources import FrozenSources

FORMAT, VERSION = "poolmark-permalink", 2
KINDS = ("comparison", "run", "archive")


def build_permalink_record(
    kind: str, comparison: Comparison, sources: FrozenSources, query: str, version: int, about: dict[str, str]
) -> dict:
    """The record without name, date and address. `query`: the canonical selection; `about`: title and authors."""
    groups = comparison.groups
    numbers = _number(groups)
    axes = value_tables.AXES.get(kind)
    values = _values(groups, sources, per=comparison.selection.normalise in DIVISORS)
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        **about,
        "caption": make_caption(comparison),
        "selection": query,
        "data_version": version,
        "method": {
            "sentence": comparison.method,
            "stat": comparison.selection.stat,
            "level": statistics.CONFIDENCE_LEVEL,
            "statistics_version": statistics.VERSION,
            "normalise": comparison.selection.normalise,
        },
        "counts": {"runs": comparison.runs, "configurations": comparison.configurations},
        "parsers": _parsers(sources),
        "flags": [
            {"id": flag.id, "sentence": flag.sentence, "place": flag.place}
            for flag in comparison.flags
            if flag.id != "not-understood"
        ],
        "archives": sources.archives,
        "files": sources.files,
        "runs": sources.runs,
        "configurations": sources.configurations,
        "workloads": sources.workloads,
        "values": values,
        "panels": [_called(_panel(comparison.selection, panel, numbers), axes) for panel in comparison.panels],
        "figures": [_labelled(figure, axes) for figure in _figures(comparison)],
    }


def _called(panel: dict, axes: tuple[str, str] | None) -> dict:
    """The panel with other names of its axes, where it is no comparison of dimensions."""
    if axes:
        panel["x"]["label"] = axes[0]
        several = any(one["text"] for one in panel["series"]["values"])
        panel["series"]["label"] = axes[1] if several else ""
    return panel


def _labelled(figure: Figure, axes: tuple[str, str] | None) -> Figure:
    """The same of a figure, whose series have no name of their own."""
    if axes:
        figure["x"]["label"] = axes[0]
    return figure


def make_caption(comparison: Comparison) -> str:
    """What a figure's caption says: how many runs of how many configurations, and the method."""
    runs, configurations = comparison.runs, comparison.configurations
    counted = (
        f"{shown.count(runs)} run{'' if runs == 1 else 's'} of {shown.count(configurations)} "
        f"configuration{'' if configurations == 1 else 's'}."
    )
    method = comparison.method
    return f"{counted} {method[:1].upper()}{method[1:]}." if method else counted


def _number(groups: list[Group]) -> dict[int, list[int]]:
    """Numbers of the values of each group (by identity), counted through."""
    found, at = {}, 0
    for group in groups:
        found[id(group)] = list(range(at, at + len(group.points)))
        at += len(group.points)
    return found


def _values(groups: list[Group], sources: FrozenSources, per: bool) -> list[dict]:
    made = []
    for group in groups:
        for point in group.points:
            told = sources.measurements[point.id]
            file = sources.files[str(sources.runs[str(told["run"])]["file"])]
            made.append(
                {
                    **told,
                    "unit": METRICS[told["metric"]].unit,
                    "value": point.value,
                    "divisor": _divisor(told["measured"], point.value, per),
                    "rule": _rule(told, file["lines"]),
                }
            )
    return made


def _rule(told: dict, lines: dict[str, str]) -> dict:
    """How the value follows; of a text that does not stand there as it was read (a decoded mail) only that it was read."""
    if not stands(told["raw"], lines.get(told["line"], "")):
        return derivations.RECORDED
    return derivations.find_rule(told["raw"], told["measured"], excerpts.nearest_lines(lines, told["line"]))


def _divisor(measured: float, drawn: float, per: bool) -> float:
    """What the measured value was divided by to be drawn: a number of disks or cores, or the baseline's centre."""
    divisor = measured / drawn if drawn else 1.0
    return float(round(divisor)) if per and abs(divisor - round(divisor)) < 1e-6 else divisor


def _parsers(sources: FrozenSources) -> dict[str, list[int]]:
    found: dict[str, set[int]] = {}
    for file in sources.files.values():
        if file["parser"] and file["parser_version"] is not None:
            found.setdefault(file["parser"], set()).add(file["parser_version"])
    return {name: sorted(versions) for name, versions in sorted(found.items())}


def _panel(selection: Selection, panel: Panel, numbers: dict[int, list[int]]) -> dict:
    unit, factor = naming.panel_unit(selection, panel)
    series = "Metric" if selection.series == METRIC else _dimension(selection.series)
    return {
        "title": naming.panel_title(selection, panel),
        "facet": panel.title,
        "metrics": list(panel.metrics),
        "unit": panel.unit,
        "better": panel.better,
        "shown": {"unit": unit, "factor": factor},
        "x": {
            "dimension": selection.x,
            "label": naming.axis_title(selection) or "Group",
            "values": [{"text": x, "label": naming.x_label(selection, x)} for x in panel.xs],
        },
        "series": {
            "dimension": selection.series,
            "label": series,
            "values": [{"text": name, "label": naming.series_label(selection, name)} for name in panel.series],
        },
        "baseline": panel.baseline,
        "baseline_label": naming.baseline_label(selection, panel) if panel.baseline else "",
        "overall": [asdict(one) for one in panel.overall],
        "groups": [_group(group, numbers[id(group)]) for group in panel.groups],
    }


def _dimension(name: str) -> str:
    return DIMENSIONS[name].label if name in DIMENSIONS else ""


def _group(group: Group, values: list[int]) -> dict:
    return {
        "x": group.x,
        "series": group.series,
        "facet": group.facet,
        "metric": group.metric,
        "runs": group.runs,
        "configurations": group.configurations,
        "center": group.center,
        "low": group.low,
        "high": group.high,
        "interval": group.interval,
        "flags": list(group.flags),
        "verdict_words": naming.verdict_words(group),
        "verdict": asdict(group.verdict) if group.verdict else None,
        "values": values,
    }


def _figures(comparison: Comparison) -> list[Figure]:
    """The plain figures, each value with its number instead of the address of its line."""
    at = iter(range(sum(len(group.points) for group in comparison.groups)))
    numbered = [
        replace(
            panel,
            groups=[
                replace(group, points=[replace(point, address=f"#v{next(at)}") for point in group.points]) for group in panel.groups
            ],
        )
        for panel in comparison.panels
    ]
    return figures.make_figures(replace(comparison, panels=numbered))
