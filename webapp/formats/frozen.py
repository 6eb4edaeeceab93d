"""The frozen record as CSV: every repetition with its group's statistics and source line, and the points as drawn.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes these files anew with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webapp.formats.sheets import Columns, make_rows, to_csv


class _Value:
    """A repetition with all that its row has."""

    def __init__(self, record: Mapping, panel: Mapping, group: Mapping, number: int) -> None:
        self.panel, self.group, self.number = panel, group, number
        self.value = record["values"][number]
        self.run = record["runs"][str(self.value["run"])]
        self.file = record["files"][str(self.run["file"])]
        self.archive = record["archives"][str(self.file["archive"])]
        self.verdict = group["verdict"] or {}


def _of_group(*names: str) -> Columns:
    return {name: (lambda row, name=name: row.group[name]) for name in names}


def _of_value(*names: str) -> Columns:
    return {name: (lambda row, name=name: row.value[name]) for name in names}


_RATIOS: Columns = {
    "ratio": lambda row: row.verdict.get("ratio"),
    "ratio_low": lambda row: row.verdict.get("low"),
    "ratio_high": lambda row: row.verdict.get("high"),
}
_DATA: Columns = {
    "number": lambda row: row.number,
    **_of_group("metric", "x", "series", "facet"),
    **_of_value("value"),
    "unit": lambda row: row.panel["unit"],
    **_of_value("measured", "divisor", "raw", "raw_unit", "native"),
    "file": lambda row: row.file["path"],
    **_of_value("line"),
    "file_sha256": lambda row: row.file["sha256"],
    "archive_sha256": lambda row: row.archive["sha256"],
    "configuration": lambda row: row.run["configuration"],
    **_of_value("workload", "run"),
    "started_at": lambda row: row.run["started_at"] or "",
    **{f"group_{name}": read for name, read in _of_group("center", "low", "high", "interval", "runs", "configurations").items()},
    "verdict": lambda row: row.verdict.get("word", ""),
    **_RATIOS,
}


def to_data(record: Mapping[str, Any], digest: str) -> str:
    """CSV with rows in the order of the figures; each has the address and the digest of the record."""
    flags = " ".join(flag["id"] for flag in record["flags"])
    columns = {
        **_DATA,
        "address": lambda row: record["address"],
        "record_sha256": lambda row: digest,
        "group_flags": lambda row: " ".join(row.group["flags"]),
        "flags": lambda row: flags,
    }
    if any("licence_spdx" in about for about in record["archives"].values()):  # none in records frozen before these were
        columns["licence"] = lambda row: row.archive["licence_spdx"] or row.archive["licence"]
    places = [(panel, group) for panel in record["panels"] for group in panel["groups"]]
    return to_csv(make_rows(columns, [_Value(record, *place, number) for place in places for number in place[1]["values"]]))


POINT_COLUMNS = ("figure", "title", "unit", "x", "series", "mark", "value", "low", "high", "n", "bound", "value_number")


def to_points(record: Mapping[str, Any]) -> str:
    """CSV of everything that the figures draw, in their units: a row for each centre, each centre of a session (`part`), each
    run, and each empty place."""
    with_curves = any("curves" in figure for figure in record["figures"])
    rows: list[list[object]] = [[*POINT_COLUMNS, *(CURVE_COLUMNS if with_curves else ())]]
    for number, figure in enumerate(record["figures"], 1):
        head = [number, figure["title"], figure["unit"]]
        rows += [[*head, *row] for curve in figure.get("curves", ()) for row in _curve_rows(figure, curve)]
        for mark in figure["groups"]:
            rows += [[*head, *_place(figure, mark), *row] for row in _mark_rows(mark)]
        for place in figure.get("empty", ()):
            rows.append([*head, *_place(figure, place), "empty", None, None, None, 0, "", place["text"]])
    return to_csv(rows)


def _mark_rows(mark: Mapping) -> list[list[object]]:
    tail = [mark["n"], mark.get("bound", ""), ""]
    if len(mark.get("parts") or ()) > 1:
        rows = [["part", center, None, None, *tail] for center in mark["parts"]]
    else:
        rows = [["center", mark["center"], mark["low"], mark["high"], *tail]]
    return rows + [
        ["run", value, None, None, 1, *(side or [""]), "" if address.startswith("#u") else address[2:]]
        for value, address, *side in mark["points"]
    ]


CURVE_COLUMNS = ("file", "line", "begins_after_gap", "x_unit")
"""Columns that points of curves have besides; `x` is the time, or the value of a distribution. Curves of single runs have file and
line; `x_unit` is empty where the points are numbered."""


def _curve_rows(figure: Mapping, curve: Mapping) -> Iterator[list[object]]:
    name, breaks = figure["series"][curve["series"]]["name"], set(curve["breaks"])
    file = str(curve.get("raw", "")).replace("#f", "", 1)
    label = figure["x"]["label"]
    unit = label if figure["kind"] != "time" else "s" if label.startswith("s ") else ""
    for at, (x, value) in enumerate(zip(curve["t"], curve["v"])):  # noqa: B905  Python 3.8
        band = (
            [curve["low"][at], curve["high"][at], curve["n"][at]]
            if "low" in curve
            else [None, None, 1 if "lines" in curve else curve["total"]]
        )
        line = curve["lines"][at] if "lines" in curve else ""
        yield [x, name, "point", value, *band, "", "", file, line, int(at in breaks), unit]


def _place(figure: Mapping, mark: Mapping) -> list[str]:
    return [figure["x"]["values"][mark["x"]], figure["series"][mark["series"]]["name"]]


class _Group:
    def __init__(self, panel: Mapping, group: Mapping) -> None:
        self.panel, self.group, self.verdict = panel, group, group["verdict"] or {}

    def shown(self, name: str) -> Any:
        return None if self.group[name] is None else self.group[name] / self.panel["shown"]["factor"]


_GROUPS: Columns = {
    **_of_group("metric", "x", "series", "facet", "center", "low", "high"),
    "unit": lambda row: row.panel["unit"],
    **{f"shown_{name}": (lambda row, name=name: row.shown(name)) for name in ("center", "low", "high")},
    "shown_unit": lambda row: row.panel["shown"]["unit"],
    **_of_group("interval"),
    "bound": lambda row: row.group.get("bound", ""),
    **_of_group("runs"),
    "unmeasured": lambda row: sum(count["count"] for count in row.group.get("unmeasured", ())),
    **_of_group("configurations"),
    "sessions": lambda row: row.group.get("sessions", ""),
    "machines": lambda row: row.group.get("machines", ""),
    "baseline": lambda row: row.panel["baseline_label"],
    **_RATIOS,
    "claim": lambda row: row.verdict.get("word", ""),
    "doubts": lambda row: "; ".join(row.verdict.get("doubts") or ()),
    "withheld": lambda row: row.verdict.get("withheld") or "",
    "flags": lambda row: " ".join(row.group["flags"]),
}


def to_groups(record: Mapping[str, Any]) -> str:
    """CSV with a row for each group: statistics in the base unit and in the figure's, and what may be said against the baseline."""
    return to_csv(make_rows(_GROUPS, [_Group(panel, group) for panel in record["panels"] for group in panel["groups"]]))


def to_flags(record: Mapping[str, Any]) -> str:
    """CSV with the legend of the flags: code, sentence."""
    return to_csv([["flag", "sentence"], *([flag["id"], flag["sentence"]] for flag in record["flags"])])


def to_tables(record: Mapping[str, Any], digest: str) -> dict[str, str]:
    """File name -> CSV text of every table that follows from the record."""
    return {
        "data.csv": to_data(record, digest),
        "groups.csv": to_groups(record),
        "flags.csv": to_flags(record),
        "points.csv": to_points(record),
    }
