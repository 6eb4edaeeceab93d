"""Comparison -> the frozen record as plain data. docs/permalinks.md describes it field by field.

Every repetition is one entry of `values`; groups refer to entries by index, and figures too (`#v12` instead of the address
of a line), so that the record is self-contained.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from ingest.catalogue import METRICS
from webapp import figures
from webapp.claims import statistics
from webapp.claims.observations import MEDIAN
from webapp.comparison.dimensions import DIMENSIONS, AuthorWords
from webapp.comparison.model import Comparison, EmptyPlace, Group, Panel
from webapp.comparison.selection import DIVISORS, METRIC, Selection
from webapp.figures import author_notes, naming
from webapp.figures.plain import Figure
from webapp.formatting import numbers as shown
from webapp.pages import sentences
from webapp.permalinks import derivations, value_tables
from webapp.permalinks.bundles import excerpts
from webapp.permalinks.bundles.verify import stands
from webapp.permalinks.sources import FrozenSources

FORMAT, VERSION = "poolmark-permalink", 4


def build_permalink_record(
    kind: str,
    comparison: Comparison,
    sources: FrozenSources,
    query: str,
    version: int,
    about: dict[str, str],
    *,
    curves: list[Figure] | None = None,
) -> dict:
    """The record without name, date and address. `query`: canonical selection; `about`: title and authors; `curves`: what is drawn
    in the place of the figures of the panels."""
    groups = comparison.all_groups
    numbers = _number_values(comparison)
    axes = value_tables.AXES.get(kind)
    values = _values(groups, sources, per_unit=comparison.selection.normalise in DIVISORS)
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
            "stat": comparison.stat,
            "level": statistics.CONFIDENCE_LEVEL,
            "statistics_version": statistics.VERSION,
            "normalise": comparison.selection.normalise,
        },
        "sentence": sentences.summarise(comparison) if kind == "comparison" else "",
        "design": comparison.design,
        "workload": dict(comparison.workload),
        "fixed": dict(comparison.fixed),
        "unrecorded": list(comparison.unrecorded),
        "left_out": dict(comparison.left_out),
        "counts": {
            "runs": comparison.runs,
            "configurations": comparison.configurations,
            "hidden_runs": sum(group.runs for panel in comparison.panels for group in panel.hidden),
        },
        "author": _author(comparison.selection.words),
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
        "unmeasured": _unmeasured(comparison, sources),
        "panels": [_rename_axes(_panel(comparison.selection, panel, numbers), axes) for panel in comparison.panels],
        "figures": curves or [_rename_x_axis(figure, axes) for figure in _figures(comparison)],
    }


def _rename_axes(panel: dict, axes: tuple[str, str] | None) -> dict:
    """The panel with the axis labels of `AXES`, where it is the table of a run or archive."""
    if axes:
        panel["x"]["label"] = axes[0]
        several = any(value["text"] for value in panel["series"]["values"])
        panel["series"]["label"] = axes[1] if several else ""
    return panel


def _rename_x_axis(figure: Figure, axes: tuple[str, str] | None) -> Figure:
    """The figure with the x label of `AXES`."""
    if axes:
        figure["x"]["label"] = axes[0]
    return figure


def make_caption(comparison: Comparison) -> str:
    """The caption: counts of runs, those without a number included, and of configurations, and the method."""
    failed = sum(count.count for panel in comparison.panels for place in panel.empty for count in place.unmeasured)
    runs, configurations = sum(group.n for group in comparison.groups) + failed, comparison.configurations
    counted = (
        f"{shown.count(runs)} run{'' if runs == 1 else 's'} of {shown.count(configurations)} "
        f"configuration{'' if configurations == 1 else 's'}."
    )
    method, selection = comparison.method, comparison.selection
    sentences = [counted, *([f"{method[:1].upper()}{method[1:]}."] if method else [])]
    notes = [note for panel in comparison.panels for note in author_notes.list_notes(selection, panel)]
    return " ".join(dict.fromkeys([*sentences, *notes]))


def _author(words: AuthorWords) -> dict:
    """Order, names and hidden values by the author."""
    return {
        "order": [list(level) for level in words.order],
        "names": [[*level, name] for level, name in words.labels],
        "hidden": [list(level) for level in words.hidden],
        "reason": words.reason,
    }


def _number_values(comparison: Comparison) -> dict[int, tuple[list[int], list[int]]]:
    """id(group or empty place) -> indices of its values, and of its runs without a number, in the record."""
    numbers, count, absent = {}, 0, 0
    for place in comparison.all_places:
        points = place.points if isinstance(place, Group) else ()
        values, missing = range(count, count + len(points)), range(absent, absent + len(place.missing))
        numbers[id(place)] = list(values), list(missing)
        count, absent = values.stop, missing.stop
    return numbers


def _values(groups: list[Group], sources: FrozenSources, per_unit: bool) -> list[dict]:
    values = []
    for group in groups:
        for point in group.points:
            measurement = sources.measurements[point.id]
            file = sources.files[str(sources.runs[str(measurement["run"])]["file"])]
            values.append(
                {
                    **measurement,
                    "unit": METRICS[measurement["metric"]].unit,
                    "value": point.value,
                    **({"side": point.side} if point.side else {}),
                    "divisor": _divisor(measurement["measured"], point.value, per_unit),
                    "rule": _rule(measurement, file["lines"]),
                }
            )
    return values


def _unmeasured(comparison: Comparison, sources: FrozenSources) -> list[dict]:
    """Every run without a number, with its bound in base units and the side on which the true value lies, where it has one."""
    return [
        {**sources.unmeasured[run.id], "bound": run.bound, "side": run.side, **({"error": run.error} if run.error else {})}
        for place in comparison.all_places
        for run in place.missing
    ]


def _rule(measurement: dict, lines: dict[str, str]) -> dict:
    """The derivation rule of a value; RECORDED where the raw text is not on the stored line (as in a decoded mail)."""
    if not stands(measurement["raw"], lines.get(measurement["line"], "")):
        return derivations.RECORDED
    return derivations.find_rule(measurement["raw"], measurement["measured"], excerpts.nearest_lines(lines, measurement["line"]))


def _divisor(measured: float, drawn: float, per_unit: bool) -> float:
    """Measured value / drawn value: a number of disks or cores, or the baseline's centre."""
    divisor = measured / drawn if drawn else 1.0
    return float(round(divisor)) if per_unit and abs(divisor - round(divisor)) < 1e-6 else divisor


def _parsers(sources: FrozenSources) -> dict[str, list[int]]:
    versions_by_parser: dict[str, set[int]] = {}
    for file in sources.files.values():
        if file["parser"] and file["parser_version"] is not None:
            versions_by_parser.setdefault(file["parser"], set()).add(file["parser_version"])
    return {name: sorted(versions) for name, versions in sorted(versions_by_parser.items())}


def _panel(selection: Selection, panel: Panel, numbers: dict[int, tuple[list[int], list[int]]]) -> dict:
    unit, factor = naming.panel_unit(selection, panel)
    series = "Metric" if selection.series == METRIC else _dimension(selection.series)
    xs = [_level(x, naming.x_label(selection, x), naming.x_value(selection, x)) for x in panel.xs]
    xs += [_hidden_level(x, naming.x_value(selection, x)) for x in panel.hidden_xs]
    names = [_level(name, naming.series_label(selection, name), naming.series_value(selection, name)) for name in panel.series]
    names += [_hidden_level(name, naming.series_value(selection, name)) for name in panel.hidden_series]
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
            "values": xs,
        },
        "series": {
            "dimension": selection.series,
            "label": series,
            "values": names,
        },
        "baseline": panel.baseline,
        "baseline_label": naming.baseline_label(selection, panel) if panel.baseline else "",
        "overall": [asdict(row) for row in panel.overall],
        "groups": [
            *(_group(group, *numbers[id(group)]) for group in panel.groups),
            *(_group(group, *numbers[id(group)]) | {"hidden": True} for group in panel.hidden),
        ],
        "empty": [_empty(selection, panel, place, numbers[id(place)][1]) for place in panel.empty if place.missing],
    }


def _level(text: str, label: str, configured: str) -> dict:
    """A value of an axis; where the author has named it, with the value as the configuration has it."""
    return {"text": text, "label": label} | ({"configured": configured} if label != configured else {})


def _hidden_level(text: str, label: str) -> dict:
    return {"text": text, "label": label, "hidden": True}


def _dimension(name: str) -> str:
    return DIMENSIONS[name].label if name in DIMENSIONS else ""


def _group(group: Group, values: list[int], missing: list[int]) -> dict:
    return {
        "x": group.x,
        "series": group.series,
        "facet": group.facet,
        "metric": group.metric,
        "runs": group.runs,
        "configurations": group.configurations,
        "stat": group.stat,
        "over": group.over,
        "center": group.center,
        "low": group.low,
        "high": group.high,
        "interval": group.interval,
        "flags": list(group.flags),
        "verdict_words": naming.verdict_words(group),
        "verdict": asdict(group.verdict) if group.verdict else None,
        "values": values,
        "missing": missing,
        **_more(group),
    }


def _empty(selection: Selection, panel: Panel, place: EmptyPlace, missing: list[int]) -> dict:
    """Runs of which nothing is known but that they failed, in the form of a group."""
    stat = next((group.stat for group in panel.groups if group.metric == place.metric), selection.stat or MEDIAN)
    sessions, machines = ({getattr(run, name) for run in place.missing} for name in ("session", "machine"))
    configurations = len({run.configuration for run in place.missing})
    group = Group(
        place.x,
        place.series,
        place.facet,
        place.metric,
        0,
        configurations=configurations,
        machines=len(machines),
        sessions=len(sessions),
        unmeasured=place.unmeasured,
        stat=stat,
    )
    return _group(group, [], missing) | {"center": None}


def _more(group: Group) -> dict:
    """What only some groups have: runs without a number, a centre that is a bound, centres of sessions that are too unlike."""
    more: dict = {"sessions": group.sessions, "machines": group.machines}
    if group.unmeasured:
        more["unmeasured"] = [asdict(count) for count in group.unmeasured]
    if group.bound:
        more["bound"] = group.bound
    if group.open_ends:
        more["open"] = group.open_ends
    if group.parts:
        more["parts"] = list(group.parts)
    return more


def _figures(comparison: Comparison) -> list[Figure]:
    """The plain figures, with `#vN` as the address of value N, `#uN` of run N without a number."""
    numbers = _number_values(comparison)
    numbered = [
        replace(
            panel,
            groups=[
                replace(
                    group,
                    points=[
                        point._replace(address=f"#v{number}")
                        for point, number in zip(group.points, numbers[id(group)][0], strict=True)
                    ],
                    missing=tuple(
                        run._replace(address=f"#u{number}")
                        for run, number in zip(group.missing, numbers[id(group)][1], strict=True)
                    ),
                )
                for group in panel.groups
            ],
        )
        for panel in comparison.panels
    ]
    return figures.make_figures(replace(comparison, panels=numbered))
