"""Plain figures as a Vega-Lite specification (version 6) with the data in it, for those who draw themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webapp.figures import notes
from webapp.formats.drawing.look import Look
from webapp.formats.drawing.stamp import Stamp

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_COLOURS = ("#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3")
_PIXELS_PER_MM = 96 / 25.4

Spec = dict[str, Any]


def to_vega_lite(figures: Sequence[Mapping[str, Any]], stamp: Stamp, look: Look, width: float, height: float | None = None) -> str:
    """The specification as JSON; several panels stand below each other. `width` and `height` of the axes in mm, roughly."""
    drawn = [_panel(figure, round(width * _PIXELS_PER_MM) - 60, round((height or 45) * _PIXELS_PER_MM)) for figure in figures]
    size = round(look.size * 96 / 72, 1)
    spec: Spec = {
        "$schema": SCHEMA,
        "description": f"{stamp.title or 'Poolmark figure'}. {stamp.line}. {stamp.digest_line}",
        "config": {
            "font": "Times, serif" if look.font == "serif" else "Helvetica, Arial, sans-serif",
            "axis": {"labelFontSize": size, "titleFontSize": size, "labelOverlap": True, "labelLimit": 160},
            "legend": {"labelFontSize": size, "titleFontSize": size, "orient": "top"},
            "view": {"stroke": None},
        },
        **(drawn[0] if len(drawn) == 1 else {"vconcat": drawn}),
    }
    return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"


def _panel(figure: Mapping[str, Any], width: int, height: int) -> Spec:
    kind = figure.get("kind") or "bars"
    size: Spec = {"width": width, "height": {"step": 22} if kind in ("dots", "ratio", "heat") else height}
    titled = {"title": {"text": figure["title"], "anchor": "start"}}
    return titled | size | {"data": {"values": _rows(figure)}, "layer": _LAYERS[kind](figure)}


def _rows(figure: Mapping[str, Any]) -> list[Spec]:
    """A row for each group, and one for each run: `run` is its value."""
    rows = []
    numbers = figure["x"].get("numbers")
    for group in figure["groups"]:
        name: Spec = {"x": figure["x"]["values"][group["x"]], "series": figure["series"][group["series"]]["name"]}
        if numbers:
            name["number"] = numbers[group["x"]]
        row = name | {"n": group["n"], "label": notes.centers_label(group)}
        row |= {key: group[key] for key in ("low", "high", "bound") if group.get(key) is not None}
        row |= {"claim": group["verdict"]} if group.get("verdict") else {}
        if "across" in group:
            across = group["across"]
            row |= {"across": across["center"]}
            row |= {f"across_{key}": across[key] for key in ("low", "high") if across[key] is not None}
        if group.get("box"):
            row |= dict(zip(("lowest", "q1", "median", "q3", "highest"), group["box"], strict=True))
        parts = group["parts"] if notes.has_parts(group) else [group["center"]]
        rows += [row | {"center": part, "parts": len(parts)} for part in parts]
        rows += [name | {"run": point[0]} for point in group["points"]] if _has_runs(figure) else []
    return rows


def _has_runs(figure: Mapping[str, Any]) -> bool:
    """Whether the runs are drawn: not in heat maps, scatter plots and ratios."""
    return (figure.get("kind") or "bars") in ("bars", "dots", "lines", "box")


def _value(figure: Mapping[str, Any], field: str, from_zero: bool = False) -> Spec:
    scale: Spec = {"type": "log"} if figure.get("scale") == "log" else {"zero": from_zero}
    unit = figure["unit"] + (f", {figure['better']}" if figure["better"] else "")
    return {"field": field, "type": "quantitative", "title": unit, "scale": scale}


def _category(figure: Mapping[str, Any]) -> Spec:
    return {"field": "x", "type": "nominal", "sort": figure["x"]["values"], "title": figure["x"]["label"] or None}


def _colour(figure: Mapping[str, Any]) -> Spec:
    names = [series["name"] for series in figure["series"]]
    colours = [_COLOURS[series["style"] % 8] for series in figure["series"]]
    legend = {"title": figure.get("legend") or None} if len(names) > 1 else None
    return {"field": "series", "type": "nominal", "sort": names, "scale": {"domain": names, "range": colours}, "legend": legend}


def _offset(figure: Mapping[str, Any], axis: str) -> Spec:
    names = [series["name"] for series in figure["series"]]
    return {f"{axis}Offset": {"field": "series", "type": "nominal", "sort": names}} if len(names) > 1 else {}


def _only(field: str) -> list[Spec]:
    return [{"filter": f"isValid(datum.{field})"}]


def _whisker(encoding: Spec, value: Spec, along: str) -> Spec:
    ends = {along: value | {"field": "low"}, f"{along}2": {"field": "high"}}
    return {"transform": _only("low"), "mark": {"type": "rule", "color": "black"}, "encoding": encoding | ends}


def _runs(encoding: Spec, value: Spec, along: str) -> Spec:
    mark = {"type": "circle", "size": 12, "color": "black", "opacity": 1}
    return {"transform": _only("run"), "mark": mark, "encoding": encoding | {along: value | {"field": "run"}}}


def _bars(figure: Mapping[str, Any]) -> list[Spec]:
    log = figure.get("scale") == "log"
    place, value = {"x": _category(figure)} | _offset(figure, "x"), _value(figure, "center", from_zero=True)
    is_bar = "datum.n > 1 && datum.parts == 1 && datum.bound != 'below'"
    centers = place | {"y": value, "color": _colour(figure)}
    tick = {"type": "tick", "thickness": 3}
    layers: list[Spec] = []
    if not log:
        layers.append({"transform": [*_only("center"), {"filter": is_bar}], "mark": "bar", "encoding": centers})
    other = [] if log else [{"filter": f"!({is_bar})"}]
    layers.append({"transform": [*_only("center"), *other], "mark": tick, "encoding": centers})
    return [*layers, _whisker(place, value, "y"), _runs(place, value, "y")]


def _dots(figure: Mapping[str, Any]) -> list[Spec]:
    place, value = {"y": _category(figure)} | _offset(figure, "y"), _value(figure, "center")
    mark = {"type": "point", "filled": True, "size": 50, "opacity": 1}
    layers = [{"transform": _only("center"), "mark": mark, "encoding": place | {"x": value, "color": _colour(figure)}}]
    runs = [_runs(place, value, "x")] if _has_runs(figure) else []
    one = [{"mark": {"type": "rule", "color": "gray"}, "encoding": {"x": {"datum": 1}}}] if figure["kind"] == "ratio" else []
    return [*one, _whisker(place, value, "x"), *layers, *runs]


def _lines(figure: Mapping[str, Any]) -> list[Spec]:
    scale = {"type": "log"} if figure["x"].get("scale") == "log" else {"zero": False}
    axis = {"field": "number", "type": "quantitative", "title": figure["x"]["label"] or None, "scale": scale}
    place, value = {"x": axis}, _value(figure, "center", from_zero=True)
    known = [{"filter": "isValid(datum.center) && isValid(datum.number)"}]
    joined = [*known, {"filter": "datum.parts == 1 && !isValid(datum.bound)"}]
    centers = place | {"y": value, "color": _colour(figure)}
    return [
        {"transform": joined, "mark": "line", "encoding": centers},
        {"transform": known, "mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": centers},
        _whisker(place, value, "y"),
        _runs(place, value, "y"),
    ]


def _box(figure: Mapping[str, Any]) -> list[Spec]:
    place, value = {"x": _category(figure)} | _offset(figure, "x"), _value(figure, "center", from_zero=True)
    quartiles = {"y": value | {"field": "q1"}, "y2": {"field": "q3"}, "color": _colour(figure)}
    whisker = {"y": value | {"field": "lowest"}, "y2": {"field": "highest"}}
    return [
        {"transform": _only("q1"), "mark": {"type": "rule", "color": "black"}, "encoding": place | whisker},
        {"transform": _only("q1"), "mark": {"type": "bar"}, "encoding": place | quartiles},
        {
            "transform": _only("center"),
            "mark": {"type": "tick", "thickness": 2, "color": "black"},
            "encoding": place | {"y": value},
        },
        _runs(place, value, "y"),
    ]


def _scatter(figure: Mapping[str, Any]) -> list[Spec]:
    axis = figure["x"]
    title = ", ".join(part for part in (axis["label"], axis.get("unit"), axis.get("better")) if part)
    value = _value(figure, "center")
    across: Spec = {"field": "across", "type": "quantitative", "title": title, "scale": value["scale"]}
    ends = {"y": value, "x": across | {"field": "across_low"}, "x2": {"field": "across_high"}}
    centers = {"x": across, "y": value, "color": _colour(figure)}
    name = {"type": "text", "align": "left", "baseline": "bottom", "dx": 5, "dy": -3}
    return [
        _whisker({"x": across}, value, "y"),
        {"transform": _only("across_low"), "mark": "rule", "encoding": ends},
        {"mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": centers},
        {"mark": name, "encoding": {"x": across, "y": value, "text": {"field": "x"}}},
    ]


def _heat(figure: Mapping[str, Any]) -> list[Spec]:
    names = [series["name"] for series in figure["series"]]
    rows = {"field": "series", "type": "nominal", "sort": names[::-1], "title": figure.get("rows") or None}
    place = {"x": _category(figure), "y": rows}
    scale = {"scheme": "blues"} | ({"type": "log"} if figure.get("scale") == "log" else {})
    colour = {"field": "center", "type": "quantitative", "title": figure["unit"], "scale": scale}
    middle = sum(figure["reach"]) / 2
    ink = {"condition": {"test": f"datum.center > {middle!r}", "value": "white"}, "value": "black"}
    return [
        {"mark": "rect", "encoding": place | {"color": colour}},
        {"mark": {"type": "text"}, "encoding": place | {"text": {"field": "label"}, "color": ink}},
    ]


_LAYERS = {
    "bars": _bars,
    "dots": _dots,
    "ratio": _dots,
    "lines": _lines,
    "box": _box,
    "scatter": _scatter,
    "heat": _heat,
}
