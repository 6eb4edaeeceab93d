"""A comparison as JSON and CSV with every repetition. Numbers are those of the figure, in base units."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

from ingest.keys import KEYS
from webapp.comparison import search
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, is_open, parse_quantity
from webapp.comparison.model import Comparison, ControlledSet, EmptyPlace, Group, Panel, SearchResult, UnmeasuredCount, Verdict
from webapp.comparison.selection import Selection, query_string
from webapp.curves.comparisons import draw_compared
from webapp.formats.sheets import escape_formula, escape_row
from webapp.raidz import measured

COLUMNS = (
    "metric",
    "x",
    "series",
    "facet",
    "value",
    "file_line",
    "raw",
    "address",
    "group_center",
    "group_low",
    "group_high",
    "group_whiskers",
    "group_runs",
    "group_configurations",
    "verdict",
    "ratio",
    "ratio_low",
    "ratio_high",
    "effect",
    "group_flags",
    "group_n",
    "group_machines",
    "group_sessions",
    "group_unmeasured",
    "claim",
    "doubts",
    "withheld",
    "group_bound",
    "group_parts",
    "group_stat",
)
_KEY_NAMES = {key.query: key.name for key in KEYS.values() if key.query}
"""Keys of configurations by the names of their dimensions."""


def group_data(group: Group) -> dict:
    """One group with its points, JSON-ready. Sessions that are too unlike for one bar have `parts` and no centre."""
    center, low, high = _center(group)
    return {
        "metric": group.metric,
        "x": group.x,
        "series": group.series,
        "facet": group.facet,
        "n": group.n,
        "runs": group.runs,
        "configurations": group.configurations,
        "machines": group.machines,
        "sessions": group.sessions,
        "unmeasured": [asdict(count) for count in group.unmeasured],
        "empty": None,
        "stat": group.stat,
        "over": group.over,
        "center": center,
        "bound": group.bound or None,
        "parts": list(group.parts),
        "low": low,
        "high": high,
        "whiskers": "none" if center is None else group.interval,
        "rough": group.rough,
        "flags": list(group.flags),
        **claim_data(group.verdict),
        "verdict": asdict(group.verdict) if group.verdict else None,
        "points": [{"value": p.value, "file_line": p.place, "raw": p.raw, "address": p.address} for p in group.points],
    }


def _center(group: Group) -> tuple[float | None, float | None, float | None]:
    """Centre and interval; None of a group whose sessions have a centre each."""
    return (None, None, None) if len(group.parts) > 1 else (group.center, group.low, group.high)


def claim_data(verdict: Verdict | None) -> dict:
    """The claim of a group, what is doubtful about it, and why there is none; the baseline has neither."""
    return {
        "claim": verdict.word or None if verdict else None,
        "doubts": list(verdict.doubts) if verdict else [],
        "withheld": verdict.withheld or None if verdict else None,
    }


def _empty_data(place: EmptyPlace) -> dict:
    """A group without a run of the workload, in the form of `group_data`."""
    return {
        "metric": place.metric,
        "x": place.x,
        "series": place.series,
        "facet": place.facet,
        "n": sum(count.count for count in place.unmeasured),
        "runs": 0,
        "configurations": 0,
        "machines": 0,
        "sessions": 0,
        "unmeasured": [asdict(count) for count in place.unmeasured],
        "empty": [{"workload": label, "runs": runs, "query": query} for label, runs, query in place.has],
        "stat": None,
        "over": None,
        "center": None,
        "bound": None,
        "parts": [],
        "low": None,
        "high": None,
        "whiskers": "none",
        "rough": False,
        "flags": [],
        **claim_data(None),
        "verdict": None,
        "points": [],
    }


def search_data(selection: Selection, result: SearchResult) -> dict:
    """What a search means and what has it, JSON-ready; each `query` is a query string of /compare."""
    return {
        "words": [
            {
                "text": word.text,
                "count": word.count,
                "left_out_by_filters": word.elsewhere,
                "readings": [
                    {
                        "dimension": reading.dimension,
                        "label": reading.label,
                        "value": reading.value,
                        "count": reading.count,
                        "equal": reading.equal,
                        "query": query_string(search.narrow_to(selection, result, word, reading)),
                    }
                    for reading in word.readings
                ],
                "more_readings": word.more,
                "without": query_string(search.remove_word(selection, result, word)),
            }
            for word in result.words
        ],
        "metrics": [asdict(found) for found in result.metrics],
        "not_searched": list(result.not_searched),
    }


def to_json(comparison: Comparison) -> str:
    """The JSON form of the comparison page."""
    return json.dumps(
        {
            "query": query_string(comparison.selection),
            "design": comparison.design,
            "sought": comparison.sought,
            "workload": _workload_data(comparison) if comparison.workload else None,
            "tool_versions": list(comparison.tool_versions),
            "fixed": {key_name(name): typed(name, text) for name, text in comparison.fixed},
            "unrecorded": [key_name(name) for name in comparison.unrecorded],
            "left_out": dict(comparison.left_out),
            "map": [_set_data(found) for found in comparison.sets],
            "stat": comparison.stat or None,
            "method": comparison.method,
            "runs": comparison.runs,
            "configurations": comparison.configurations,
            "flags": [
                {"id": flag.id, "sentence": flag.sentence, "docs": flag.docs, "place": flag.place} for flag in comparison.flags
            ],
            "search": search_data(comparison.selection, comparison.search) if comparison.search else None,
            "differs": [{"dimension": d.name, "values": list(d.values), "between_groups": d.between} for d in comparison.differs],
            "labels": [
                {"dimension": dimension, "value": value, "label": name}
                for (dimension, value), name in comparison.selection.words.labels
            ],
            "panels": [_panel_data(comparison, panel) for panel in comparison.panels],
            **_curves_data(comparison),
        },
        ensure_ascii=False,
        indent=1,
    )


def _curves_data(comparison: Comparison) -> dict:
    """The curves of a comparison of such a kind, as `/series.json` has them."""
    made = draw_compared(comparison)
    if made is None:
        return {}
    return {"curves": {"query": made.query.query, "figures": made.figures, "notes": made.notes}}


def _panel_data(comparison: Comparison, panel: Panel) -> dict:
    groups = list(map(group_data, panel.groups))
    if parameters := measured.model_parameters(comparison):
        for data, group in zip(groups, panel.groups, strict=True):
            data["model"] = measured.group_value(comparison, group, parameters)
    hidden = {"reason": comparison.selection.words.reason, "groups": [*map(group_data, panel.hidden)]}
    return {
        "title": panel.title,
        "metrics": list(panel.metrics),
        "unit": panel.unit,
        "better": panel.better,
        "baseline": panel.baseline,
        "overall": [asdict(row) for row in panel.overall],
        "groups": [*groups, *map(_empty_data, panel.empty)],
        "hidden": hidden if panel.hidden else None,
    }


def _workload_data(comparison: Comparison) -> dict:
    """The known values of the workload, without the tool's version; the kind of number is its `stat`."""
    known = {name: text for name, text in comparison.workload if text != UNKNOWN and name != "tool_version"}
    return {"stat" if name == "aggregate" else name: typed(name, text) for name, text in known.items()}


def key_name(dimension: str) -> str:
    """The name of a dimension as records have it: `os.name` for `os`."""
    return _KEY_NAMES.get(dimension, dimension)


def typed(dimension: str, text: str) -> str | int:
    """A value of a dimension: sizes and counts as numbers."""
    if dimension in DIMENSIONS and not is_open(dimension) and DIMENSIONS[dimension].numeric:
        number = parse_quantity(text)
        return int(number) if number is not None and number.is_integer() else text
    return text


def _set_data(found: ControlledSet) -> dict:
    """A set of the map."""
    return {
        "axis": found.axis,
        "metric": found.metric,
        "values": list(found.values),
        "design": found.design,
        "fixed": found.fixed,
        "runs": list(found.runs),
        "query": found.query,
    }


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)


def describe_unmeasured(count: UnmeasuredCount) -> str:
    """`2 too_fast above 3.07e9`."""
    bound = f" {count.side} {count.bound!r}" if count.bound is not None else ""
    return f"{count.count} {count.reason}{bound}"


def to_csv(groups: list[Group]) -> str:
    """One row per repetition, with its group's centre and interval; of a group without any one row without a value."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for g in groups:
        named = escape_row([g.metric, g.x, g.series, g.facet])
        tail = [*map(_plain, _center(g)), "none" if len(g.parts) > 1 else g.interval, g.runs, g.configurations]
        v = g.verdict
        tail += [v.word, *map(_plain, (v.ratio, v.low, v.high, v.effect))] if v else [""] * 5
        tail += [" ".join(g.flags), g.n, g.machines, g.sessions, " ".join(map(describe_unmeasured, g.unmeasured))]
        tail += [v.word, "; ".join(v.doubts), v.withheld] if v else [""] * 3
        tail += [g.bound, " ".join(map(repr, g.parts)), g.stat]
        if not g.points:
            write.writerow([*named, "", "", "", "", *tail])
        for p in g.points:
            write.writerow([*named, repr(p.value), escape_formula(p.place), escape_formula(p.raw), p.address, *tail])
    return out.getvalue()
