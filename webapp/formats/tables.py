"""A comparison as JSON, CSV and sheets of a workbook, with every repetition. Numbers are those of the figure, in base units."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, NamedTuple

from ingest.keys import KEYS
from webapp.comparison import search
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, is_open, parse_quantity
from webapp.comparison.model import (
    Comparison,
    ControlledSet,
    EmptyPlace,
    Group,
    Panel,
    Point,
    SearchResult,
    UnmeasuredCount,
    Verdict,
)
from webapp.comparison.selection import Selection, query_string
from webapp.curves.comparisons import draw_compared
from webapp.formats.sheets import Columns, Row, make_rows, to_csv
from webapp.raidz import measured

MAX_CHOICES = 5
"""Figures that a search offers where its words fit several."""
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
    axes = place.x, place.series, place.facet, place.metric
    nothing = Group(
        *axes,
        runs=0,
        configurations=0,
        machines=0,
        unmeasured=place.unmeasured,
    )
    has = [{"workload": label, "runs": runs, "query": query} for label, runs, query in place.has]
    return group_data(nothing) | {"empty": has, "stat": None, "over": None, "center": None}


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
            "map": [set_data(found) for found in comparison.sets],
            "stat": comparison.stat or None,
            "method": comparison.method,
            "runs": comparison.runs,
            "configurations": comparison.configurations,
            "flags": [
                {"id": flag.id, "sentence": flag.sentence, "docs": flag.docs, "place": flag.place} for flag in comparison.flags
            ],
            "search": search_data(comparison.selection, comparison.search) if comparison.search else None,
            "choices": _choices(comparison),
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


def _choices(comparison: Comparison) -> list[dict]:
    """The figures that the words fit, where they are several: the first ones, of which the first is drawn. Where nothing stands
    beside another, the two sides that were named, and the first set of each axis; where nothing is drawn, what there is without
    some of the words."""
    result = comparison.search
    if result is None:
        return []
    found = [(one.label, f"/compare?{one.query}") for one in result.metrics or result.without]
    if comparison.design is None:
        sets = {
            one.label: (f"{one.label}: {', '.join(one.values[:5])}", f"/compare?{one.query}") for one in reversed(comparison.sets)
        }
        found = found if found and not result.count else list(sets.values())[::-1] or found
        found = found or [
            ("All of its runs, whatever they differ in", f"/compare?{query_string(comparison.selection.changed(control='off'))}")
        ]
    elif len(found) < 2:
        found = []
    sides = [(f"{result.typed}: everything that both measured", f"/versus?{result.sides}")] if result.sides else []
    return [{"title": title, "url": url} for title, url in [*[*sides, *found][: MAX_CHOICES - len(result.pages)], *result.pages]]


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


def set_data(found: ControlledSet) -> dict:
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


def describe_unmeasured(count: UnmeasuredCount) -> str:
    """`2 too_fast above 3.07e9`."""
    bound = f" {count.side} {count.bound!r}" if count.bound is not None else ""
    return f"{count.count} {count.reason}{bound}"


class _Repetition(NamedTuple):
    """A repetition; `point` is None for a group without any."""

    group: Group
    point: Point | None

    def of_verdict(self, name: str) -> Any:
        return "" if self.group.verdict is None else getattr(self.group.verdict, name)


def _of_group(prefix: str, *names: str) -> Columns:
    return {f"{prefix}{name}": (lambda row, name=name: getattr(row.group, name)) for name in names}


def _of_point(row: _Repetition, name: str) -> Any:
    return "" if row.point is None else getattr(row.point, name)


_GROUP_COLUMNS: Columns = {
    **_of_group("", "metric", "x", "series", "facet"),
    "value": lambda row: _of_point(row, "value"),
    "file_line": lambda row: _of_point(row, "place"),
    "raw": lambda row: _of_point(row, "raw"),
    "address": lambda row: _of_point(row, "address"),
    **{f"group_{name}": (lambda row, at=at: _center(row.group)[at]) for at, name in enumerate(("center", "low", "high"))},
    "group_whiskers": lambda row: "none" if len(row.group.parts) > 1 else row.group.interval,
    **_of_group("group_", "runs", "configurations"),
    **{
        column: (lambda row, name=name: row.of_verdict(name))
        for column, name in {
            "verdict": "word",
            "ratio": "ratio",
            "ratio_low": "low",
            "ratio_high": "high",
            "effect": "effect",
        }.items()
    },
    "group_flags": lambda row: " ".join(row.group.flags),
    **_of_group("group_", "n", "machines", "sessions"),
    "group_unmeasured": lambda row: " ".join(map(describe_unmeasured, row.group.unmeasured)),
    "claim": lambda row: row.of_verdict("word"),
    "doubts": lambda row: "; ".join(row.of_verdict("doubts")),
    "withheld": lambda row: row.of_verdict("withheld"),
    **_of_group("group_", "bound"),
    "group_parts": lambda row: " ".join(map(repr, row.group.parts)),
    **_of_group("group_", "stat"),
}


def groups_csv(groups: list[Group]) -> str:
    """One row per repetition, with its group's centre and interval; of a group without any one row without a value."""
    return to_csv(make_rows(_GROUP_COLUMNS, [_Repetition(group, point) for group in groups for point in group.points or (None,)]))


class _Numbered(NamedTuple):
    """A group of the workbook with its panel and number."""

    number: int
    panel: Panel
    group: Group

    def of_verdict(self, name: str, without: Any = "") -> Any:
        return without if self.group.verdict is None else getattr(self.group.verdict, name)


_SHEET: Columns = {
    "group": lambda row: row.number,
    **_of_group("", "metric", "x", "series", "facet"),
    "shown": lambda row: "no" if any(row.group is one for one in row.panel.hidden) else "yes",
    **_of_group("", "stat"),
    **{name: (lambda row, at=at: _center(row.group)[at]) for at, name in enumerate(("center", "low", "high"))},
    "unit": lambda row: row.panel.unit,
    "whiskers": lambda row: "none" if len(row.group.parts) > 1 else row.group.interval,
    **_of_group("", "bound", "n"),
    "unmeasured": lambda row: row.group.n - row.group.runs,
    **_of_group("", "configurations", "sessions", "machines"),
    "baseline": lambda row: row.panel.baseline,
    "ratio": lambda row: row.of_verdict("ratio", None),
    "ratio_low": lambda row: row.of_verdict("low", None),
    "ratio_high": lambda row: row.of_verdict("high", None),
    "claim": lambda row: row.of_verdict("word"),
    "doubts": lambda row: "; ".join(row.of_verdict("doubts")),
    "withheld": lambda row: row.of_verdict("withheld"),
    "flags": lambda row: " ".join(row.group.flags),
}


def to_sheets(comparison: Comparison, address: str) -> dict[str, list[Row]]:
    """Name of the sheet of a workbook -> rows, in base units. `address`: of the comparison."""
    places = [(panel, group) for panel in comparison.panels for group in panel.all_groups]
    rows = [_Numbered(number, *place) for number, place in enumerate(places, 1)]
    values: list[Row] = [["group", "metric", "x", "series", "facet", "value", "unit", "file_line", "raw", "address"]]
    for number, panel, group in rows:
        named = [number, group.metric, group.x, group.series, group.facet]
        values += [[*named, point.value, panel.unit, point.place, point.raw, point.address] for point in group.points]
    about = [
        ["address", f"{address}?{query_string(comparison.selection)}"],
        ["method", comparison.method],
        ["note", "The data of the address may change; a permalink stays as it is."],
    ]
    codes = [["flag", "place", "sentence"], *([flag.id, flag.place, flag.sentence] for flag in comparison.flags)]
    return {"groups": make_rows(_SHEET, rows), "values": values, "codes": codes, "about": about}
