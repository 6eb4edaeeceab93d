"""The frozen record as CSV: every repetition with its group's statistics and source line, and the points as drawn.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes these files anew with it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from webapp.formats.sheets import escape_row

COLUMNS = (
    "number",
    "metric",
    "x",
    "series",
    "facet",
    "value",
    "unit",
    "measured",
    "divisor",
    "raw",
    "raw_unit",
    "native",
    "file",
    "line",
    "file_sha256",
    "archive_sha256",
    "configuration",
    "workload",
    "run",
    "started_at",
    "group_center",
    "group_low",
    "group_high",
    "group_interval",
    "group_runs",
    "group_configurations",
    "verdict",
    "ratio",
    "ratio_low",
    "ratio_high",
    "address",
    "record_sha256",
    "group_flags",
    "flags",
)


def to_csv(record: Mapping[str, Any], digest: str) -> str:
    """CSV with rows in the order of the figures; each has the address and the digest of the record."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    licences = _licences(record)
    write.writerow([*COLUMNS, *(["licence"] if licences else [])])
    for panel in record["panels"]:
        for group in panel["groups"]:
            tail = _group_cells(group, record, digest)
            for number in group["values"]:
                licence = [licences[_archive_of(record, number)]] if licences else []
                write.writerow(escape_row([*_value_cells(record, panel, group, number), *tail, *licence]))
    return out.getvalue()


def _licences(record: Mapping[str, Any]) -> dict[str, str]:
    """Archive -> its licence, by its SPDX identifier where it has one; empty for records frozen before these were."""
    archives = record["archives"].items()
    return {number: about["licence_spdx"] or about["licence"] for number, about in archives if "licence_spdx" in about}


def _archive_of(record: Mapping[str, Any], number: int) -> str:
    run = record["runs"][str(record["values"][number]["run"])]
    return str(record["files"][str(run["file"])]["archive"])


def _value_cells(record: Mapping, panel: Mapping, group: Mapping, number: int) -> list[object]:
    value = record["values"][number]
    run = record["runs"][str(value["run"])]
    file = record["files"][str(run["file"])]
    return [
        number,
        group["metric"],
        group["x"],
        group["series"],
        group["facet"],
        repr(value["value"]),
        panel["unit"],
        repr(value["measured"]),
        repr(value["divisor"]),
        value["raw"],
        value["raw_unit"],
        value["native"],
        file["path"],
        value["line"],
        file["sha256"],
        record["archives"][str(file["archive"])]["sha256"],
        run["configuration"],
        value["workload"],
        value["run"],
        run["started_at"] or "",
    ]


def _group_cells(group: Mapping, record: Mapping, digest: str) -> list[object]:
    verdict = group["verdict"] or {}
    return [
        *(_plain(group[name]) for name in ("center", "low", "high")),
        group["interval"],
        group["runs"],
        group["configurations"],
        verdict.get("word", ""),
        *(_plain(verdict.get(name)) for name in ("ratio", "low", "high")),
        record["address"],
        digest,
        " ".join(group["flags"]),
        " ".join(flag["id"] for flag in record["flags"]),
    ]


def _plain(value: float | None) -> str:
    return "" if value is None else repr(value)


POINT_COLUMNS = ("figure", "title", "unit", "x", "series", "mark", "value", "low", "high", "n", "bound", "value_number")


def to_points(record: Mapping[str, Any]) -> str:
    """CSV of everything that the figures draw, in their units: a row for each centre, each centre of a session (`part`), each
    run, and each empty place."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    with_curves = any("curves" in figure for figure in record["figures"])
    write.writerow([*POINT_COLUMNS, *(CURVE_COLUMNS if with_curves else ())])
    for number, figure in enumerate(record["figures"], 1):
        for curve in figure.get("curves", ()):
            head = [number, figure["title"], figure["unit"]]
            write.writerows(escape_row([*head, *row]) for row in _curve_rows(figure, curve))
        for mark in figure["groups"]:
            head = [number, figure["title"], figure["unit"], *_place(figure, mark)]
            tail = [str(mark["n"]), mark.get("bound", "")]
            if len(mark.get("parts") or ()) > 1:
                rows = [["part", repr(center), "", "", *tail, ""] for center in mark["parts"]]
            else:
                rows = [["center", *(_plain(mark[name]) for name in ("center", "low", "high")), *tail, ""]]
            rows += [
                ["run", repr(value), "", "", "1", *(side or [""]), "" if address.startswith("#u") else address[2:]]
                for value, address, *side in mark["points"]
            ]
            for row in rows:
                write.writerow(escape_row([*head, *row]))
        for place in figure.get("empty", ()):
            head = [number, figure["title"], figure["unit"], *_place(figure, place)]
            write.writerow(escape_row([*head, "empty", "", "", "", "0", "", place["text"]]))
    return out.getvalue()


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
            [repr(curve["low"][at]), repr(curve["high"][at]), curve["n"][at]]
            if "low" in curve
            else ["", "", 1 if "lines" in curve else curve["total"]]
        )
        line = curve["lines"][at] if "lines" in curve else ""
        yield [repr(x), name, "point", repr(value), *band, "", "", file, line, int(at in breaks), unit]


def _place(figure: Mapping, mark: Mapping) -> list[str]:
    return [figure["x"]["values"][mark["x"]], figure["series"][mark["series"]]["name"]]


GROUP_COLUMNS = (
    "metric",
    "x",
    "series",
    "facet",
    "center",
    "low",
    "high",
    "unit",
    "shown_center",
    "shown_low",
    "shown_high",
    "shown_unit",
    "interval",
    "bound",
    "runs",
    "unmeasured",
    "configurations",
    "sessions",
    "machines",
    "baseline",
    "ratio",
    "ratio_low",
    "ratio_high",
    "claim",
    "doubts",
    "withheld",
    "flags",
)


def to_groups(record: Mapping[str, Any]) -> str:
    """CSV with a row for each group: statistics in the base unit and in the figure's, and what may be said against the baseline."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(GROUP_COLUMNS)
    for panel in record["panels"]:
        for group in panel["groups"]:
            write.writerow(escape_row(_group_row(panel, group)))
    return out.getvalue()


def _group_row(panel: Mapping, group: Mapping) -> list[object]:
    verdict, shown = group["verdict"] or {}, panel["shown"]
    center = [group[name] for name in ("center", "low", "high")]
    return [
        *(group[name] for name in ("metric", "x", "series", "facet")),
        *map(_plain, center),
        panel["unit"],
        *(_plain(None if value is None else value / shown["factor"]) for value in center),
        shown["unit"],
        group["interval"],
        group.get("bound", ""),
        group["runs"],
        sum(count["count"] for count in group.get("unmeasured", ())),
        group["configurations"],
        group.get("sessions", ""),
        group.get("machines", ""),
        panel["baseline_label"],
        *(_plain(verdict.get(name)) for name in ("ratio", "low", "high")),
        verdict.get("word", ""),
        "; ".join(verdict.get("doubts") or ()),
        verdict.get("withheld") or "",
        " ".join(group["flags"]),
    ]


def to_flags(record: Mapping[str, Any]) -> str:
    """CSV with the legend of the flags: code, sentence."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(["flag", "sentence"])
    for flag in record["flags"]:
        write.writerow(escape_row([flag["id"], flag["sentence"]]))
    return out.getvalue()


def to_tables(record: Mapping[str, Any], digest: str) -> dict[str, str]:
    """File name -> CSV text of every table that follows from the record."""
    return {
        "data.csv": to_csv(record, digest),
        "groups.csv": to_groups(record),
        "flags.csv": to_flags(record),
        "points.csv": to_points(record),
    }
