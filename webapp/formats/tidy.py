"""The tables of a record from version 3 on, in tidy form: a row a value, a row a group, texts by code. Earlier records: frozen.py.

Values are in the unit of the figure. Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes
these files anew with it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.formats import frozen
from webapp.formats.sheets import Columns, Row, make_rows, to_csv

FIRST_VERSION, OPEN_VERSION = 3, 4
"""From the latter on `data.csv` has the runs without a number too: `value` is their bound, `bound` the side of it on which the true
value lies, `reason` why there is none."""
IN_UNIT = ("value", "center", "low", "high", "parts")
"""Columns whose numbers are in the unit of the column `unit`."""


class _Group:
    """A group of a record, those that the author does not show and those without any number included. `number`: of the group, from
    1; `figure`: of its panel."""

    def __init__(
        self, record: Mapping[str, Any], panel: Mapping[str, Any], group: Mapping[str, Any], number: int, figure: int
    ) -> None:
        self.record, self.panel, self.group, self.number, self.figure = record, panel, group, number, figure
        self.factor, self.unit = panel["shown"]["factor"], panel["shown"]["unit"]
        self.verdict = group["verdict"] or {}
        self.parts = group.get("parts") or ()

    def in_unit(self, value: Any) -> Any:
        return None if value is None else value / self.factor

    def center(self, name: str) -> Any:
        """Centre or end of the interval; None of a group whose sessions have a centre each."""
        return None if len(self.parts) > 1 else self.in_unit(self.group[name])

    @property
    def unmeasured(self) -> int:
        return sum(count["count"] for count in self.group.get("unmeasured", ()))


class _Value:
    """A run of a group, with or without a number: an entry of `values` or of `unmeasured` of the record."""

    def __init__(self, group: _Group, value: Mapping[str, Any], index: Any) -> None:
        self.group, self.value, self.index = group, value, index
        self.run = group.record["runs"][str(value["run"])]
        self.drawn = value["value"] if index is not None else value["bound"]
        self.file = group.record["files"][str(self.run["file"])]


_NAMES: Columns = {name: (lambda g, name=name: g.group[name]) for name in ("metric", "x", "series", "facet")}
_VALUES: Columns = {
    "value_number": lambda v: v.index,
    "group": lambda v: v.group.number,
    **{name: (lambda v, read=read: read(v.group)) for name, read in _NAMES.items()},
    "value": lambda v: v.group.in_unit(v.drawn),
    "unit": lambda v: v.group.unit,
    "measured": lambda v: v.value.get("measured"),
    "measured_unit": lambda v: v.value.get("unit"),
    "divisor": lambda v: v.value.get("divisor"),
    "raw": lambda v: v.value["raw"],
    "raw_unit": lambda v: v.value["raw_unit"] if v.index is not None else "",
    "file": lambda v: v.run["file"],
    "path": lambda v: v.file["path"],
    "line": lambda v: v.value["line"],
    "run": lambda v: v.value["run"],
    "session": lambda v: v.run.get("session"),
    "configuration": lambda v: v.run["configuration"],
    "workload": lambda v: v.value["workload"],
    "started_at": lambda v: v.run["started_at"] or "",
    "permalink": lambda v: v.group.record["address"],
}
_OPEN_VALUES: Columns = {
    "machine": lambda v: v.run.get("machine"),
    "bound": lambda v: v.value.get("side", ""),
    "reason": lambda v: "" if v.index is not None else ": ".join(filter(None, (v.value["reason"], v.value.get("error")))),
}
_GROUPS: Columns = {
    "group": lambda g: g.number,
    "figure": lambda g: g.figure,
    "metric": _NAMES["metric"],
    "x": _NAMES["x"],
    "x_label": lambda g: label_of(g.panel["x"], g.group["x"]),
    "series": _NAMES["series"],
    "series_label": lambda g: label_of(g.panel["series"], g.group["series"]),
    "facet": _NAMES["facet"],
    "shown": lambda g: "no" if g.group.get("hidden") else "yes",
    "stat": lambda g: g.group.get("stat") or g.record["method"]["stat"],
    **{name: (lambda g, name=name: g.center(name)) for name in ("center", "low", "high")},
    "unit": lambda g: g.unit,
    "whiskers": lambda g: "none" if len(g.parts) > 1 else g.group["interval"],
    "bound": lambda g: g.group.get("bound", ""),
    "parts": lambda g: "; ".join(repr(part / g.factor) for part in g.parts) if len(g.parts) > 1 else "",
    "n": lambda g: g.group["runs"] + g.unmeasured,
    "unmeasured": lambda g: g.unmeasured,
    "configurations": lambda g: g.group["configurations"],
    "sessions": lambda g: g.group.get("sessions"),
    "machines": lambda g: g.group.get("machines"),
    "baseline": lambda g: g.panel["baseline_label"],
    "ratio": lambda g: g.verdict.get("ratio"),
    "ratio_low": lambda g: g.verdict.get("low"),
    "ratio_high": lambda g: g.verdict.get("high"),
    "claim": lambda g: g.verdict.get("word", ""),
    "scope": lambda g: g.verdict.get("scope", ""),
    "doubts": lambda g: "; ".join(g.verdict.get("doubts") or ()),
    "withheld": lambda g: g.verdict.get("withheld") or "",
    "flags": lambda g: " ".join(g.group["flags"]),
}
_OPEN_GROUPS: Columns = {"over": lambda g: g.group["over"], "open": lambda g: " ".join(g.group.get("open", ()))}


def _groups(record: Mapping[str, Any]) -> List[_Group]:  # noqa: UP006
    places = [
        (panel, group, figure)
        for figure, panel in enumerate(record["panels"], 1)
        for group in (*panel["groups"], *panel.get("empty", ()))
    ]
    return [_Group(record, panel, group, number, figure) for number, (panel, group, figure) in enumerate(places, 1)]


def value_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """Every repetition a row, in the order of the groups."""
    values = []
    for group in _groups(record):
        values += [_Value(group, record["values"][index], index) for index in group.group["values"]]
        values += [_Value(group, record["unmeasured"][index], None) for index in group.group.get("missing", ())]
    return make_rows({**_VALUES, **(_OPEN_VALUES if record["version"] >= OPEN_VERSION else {})}, values)


def group_rows(record: Mapping[str, Any]) -> List[Row]:  # noqa: UP006
    """Every group a row: statistics, and what may be said against the baseline."""
    columns = {earlier_name(record, name): read for name, read in _GROUPS.items()}
    return make_rows({**columns, **(_OPEN_GROUPS if record["version"] >= OPEN_VERSION else {})}, _groups(record))


def earlier_name(record: Mapping[str, Any], name: str) -> str:
    """What a column is called in the tables of a record, which stay as they were frozen."""
    return "interval" if name == "whiskers" and record["version"] < OPEN_VERSION else name


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
