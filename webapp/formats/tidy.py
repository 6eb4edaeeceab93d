"""The tables of a record from version 3 on, in tidy form: a row a value, a row a group, texts by code. Earlier records: frozen.py.

Values are in the unit of the figure. Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes
these files anew with it.
"""

from __future__ import annotations

import csv
import io
from typing import Any, Dict, List, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.formats import frozen
from webapp.formats.sheets import escape_row

FIRST_VERSION = 3
Row = List[Any]  # noqa: UP006
"""Cells: text, number, or None."""
VALUE_COLUMNS = (
    "value_number",
    "group",
    "metric",
    "x",
    "series",
    "facet",
    "value",
    "unit",
    "measured",
    "measured_unit",
    "divisor",
    "raw",
    "raw_unit",
    "file",
    "path",
    "line",
    "run",
    "session",
    "configuration",
    "workload",
    "started_at",
    "permalink",
)
GROUP_COLUMNS = (
    "group",
    "figure",
    "metric",
    "x",
    "x_label",
    "series",
    "series_label",
    "facet",
    "shown",
    "stat",
    "center",
    "low",
    "high",
    "unit",
    "whiskers",
    "bound",
    "parts",
    "n",
    "unmeasured",
    "configurations",
    "sessions",
    "machines",
    "baseline",
    "ratio",
    "ratio_low",
    "ratio_high",
    "claim",
    "scope",
    "doubts",
    "withheld",
    "flags",
)
MORE_OF_VALUES, MORE_OF_GROUPS = ("machine", "bound", "reason"), ("over", "open")
"""Further columns of records from `OPEN_VERSION` on, whose `data.csv` has the runs without a number too: `value` is their bound,
`bound` the side of it on which the true value lies, `reason` why there is none."""
OPEN_VERSION = 4
IN_UNIT = ("value", "center", "low", "high", "parts")
"""Columns whose numbers are in the unit of the column `unit`."""


def value_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """Every repetition a row, in the order of the groups."""
    is_open = record["version"] >= OPEN_VERSION
    rows: List[Row] = [[*VALUE_COLUMNS, *(MORE_OF_VALUES if is_open else ())]]  # noqa: UP006
    for number, (panel, group) in enumerate(_groups(record), 1):
        for index in group["values"]:
            value = record["values"][index]
            printed = [value["measured"], value["unit"], value["divisor"], value["raw"], value["raw_unit"]]
            more = [value.get("side", ""), ""] if is_open else None
            rows.append([index, number, *_cells(record, (panel, group), value, printed, more)])
        for index in group.get("missing", ()):
            value = record["unmeasured"][index]
            printed = [None, None, None, value["raw"], ""]
            more = [value["side"], ": ".join(filter(None, (value["reason"], value.get("error"))))]
            rows.append([None, number, *_cells(record, (panel, group), value, printed, more)])
    return rows


def _cells(record: Mapping, place: Any, value: Mapping, printed: Row, more: Any) -> Row:
    """A run with or without a number. `place`: its (panel, group)."""
    panel, group = place
    drawn = value["value"] if "value" in value else value["bound"]
    run = record["runs"][str(value["run"])]
    return [
        *(group[name] for name in ("metric", "x", "series", "facet")),
        None if drawn is None else drawn / panel["shown"]["factor"],
        panel["shown"]["unit"],
        *printed,
        run["file"],
        record["files"][str(run["file"])]["path"],
        value["line"],
        value["run"],
        run.get("session"),
        run["configuration"],
        value["workload"],
        run["started_at"] or "",
        record["address"],
        *([] if more is None else [run.get("machine"), *more]),
    ]


def _groups(record: Mapping[str, Any]) -> List[Any]:  # noqa: UP006
    """(panel, group) of every group, those that the author does not show and those without any number included; their numbers begin
    at 1."""
    return [(panel, group) for panel in record["panels"] for group in (*panel["groups"], *panel.get("empty", ()))]


def group_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """Every group a row: statistics, and what may be said against the baseline."""
    figures = {id(panel): number for number, panel in enumerate(record["panels"], 1)}
    is_open = record["version"] >= OPEN_VERSION
    head = [earlier_name(record, name) for name in GROUP_COLUMNS]
    rows: List[Row] = [[*head, *(MORE_OF_GROUPS if is_open else ())]]  # noqa: UP006
    for number, (panel, group) in enumerate(_groups(record), 1):
        more = [group["over"], " ".join(group.get("open", ()))] if is_open else []
        cells = _group_cells(panel, group, group.get("stat") or record["method"]["stat"])
        rows.append([number, figures[id(panel)], *cells, *more])
    return rows


def earlier_name(record: Mapping[str, Any], name: str) -> str:
    """What a column is called in the tables of a record, which stay as they were frozen."""
    return "interval" if name == "whiskers" and record["version"] < OPEN_VERSION else name


def _group_cells(panel: Mapping, group: Mapping, stat: str) -> Row:
    verdict, factor = group["verdict"] or {}, panel["shown"]["factor"]
    parts = group.get("parts") or ()
    unmeasured = sum(count["count"] for count in group.get("unmeasured", ()))
    several = len(parts) > 1
    return [
        group["metric"],
        group["x"],
        label_of(panel["x"], group["x"]),
        group["series"],
        label_of(panel["series"], group["series"]),
        group["facet"],
        "no" if group.get("hidden") else "yes",
        stat,
        *(None if several or group[name] is None else group[name] / factor for name in ("center", "low", "high")),
        panel["shown"]["unit"],
        "none" if several else group["interval"],
        group.get("bound", ""),
        "; ".join(repr(part / factor) for part in parts) if several else "",
        group["runs"] + unmeasured,
        unmeasured,
        group["configurations"],
        group.get("sessions"),
        group.get("machines"),
        panel["baseline_label"],
        *(verdict.get(name) for name in ("ratio", "low", "high")),
        verdict.get("word", ""),
        verdict.get("scope", ""),
        "; ".join(verdict.get("doubts") or ()),
        verdict.get("withheld") or "",
        " ".join(group["flags"]),
    ]


def label_of(axis: Mapping, text: str) -> str:
    """A value of an axis as it is shown; by the author's name where there is one."""
    return next((value["label"] for value in axis["values"] if value["text"] == text), text)


def code_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """The legend of the codes in `flags`; those of the place `figure` concern all groups."""
    return [["flag", "place", "sentence"], *([flag["id"], flag.get("place", ""), flag["sentence"]] for flag in record["flags"])]


def file_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """Every source file with its archive and licence."""
    rows: List[Row] = [["file", "path", "sha256", "archive", "archive_sha256", "licence"]]  # noqa: UP006
    for number, file in record["files"].items():
        archive = record["archives"][str(file["archive"])]
        licence = archive.get("licence_spdx") or archive["licence"]
        rows.append([int(number), file["path"], file["sha256"], archive["title"], archive["sha256"], licence])
    return rows


def about_rows(record: Mapping[str, Any], digest: str) -> List[Row]:  # noqa: UP006
    """What the tables are of: title, people, address, digest of the record, caption, citation, licence."""
    title = record["title"] or "Frozen comparison of storage benchmarks"
    cited = ". ".join(part for part in (record["authors"], title, f"Poolmark, {record['frozen_at'][:4]}") if part)
    licences = sorted({archive["licence"] or "not stated" for archive in record["archives"].values()})
    return [
        ["title", title],
        ["authors", record["authors"]],
        ["address", record["address"]],
        ["frozen_at", record["frozen_at"]],
        ["record_sha256", digest],
        ["caption", record["caption"]],
        ["citation", f"{cited}. {record['address']}"],
        ["licence", "; ".join(licences)],
    ]


def with_unit_in_head(rows: List[Row]) -> List[Row]:  # noqa: UP006
    """The table with the unit in the heads of its columns instead of a column of its own, where there is one unit only."""
    head, body = rows[0], rows[1:]
    at = head.index("unit")
    units = {row[at] for row in body}
    if len(units) != 1:
        return rows
    unit = units.pop()
    heads = [f"{name} ({unit})" if name in IN_UNIT else name for name in head]
    return [[cell for place, cell in enumerate(row) if place != at] for row in (heads, *body)]


def to_sheets(record: Mapping[str, Any], digest: str) -> Dict[str, List[Row]]:  # noqa: UP006
    """Name of the sheet -> rows, of the workbook."""
    return {
        "groups": with_unit_in_head(group_rows(record)),
        "values": with_unit_in_head(value_rows(record)),
        "codes": code_rows(record),
        "files": file_rows(record),
        "about": about_rows(record, digest),
    }


def to_csv(rows: List[Row]) -> str:  # noqa: UP006
    """CSV of a table; numbers read back as the same number."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        write.writerow(escape_row([_plain(cell) for cell in row]))
    return out.getvalue()


def _plain(cell: Any) -> Any:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else cell


def to_tables(record: Mapping[str, Any], digest: str) -> Dict[str, str]:  # noqa: UP006
    """File name -> CSV text of every table that follows from a record of any version."""
    if record["version"] < FIRST_VERSION:
        return frozen.to_tables(record, digest)
    return {
        "data.csv": to_csv(value_rows(record)),
        "groups.csv": to_csv(group_rows(record)),
        "flags.csv": to_csv(code_rows(record)),
        "files.csv": to_csv(file_rows(record)),
        "points.csv": frozen.to_points(record),
    }
