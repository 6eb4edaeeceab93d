"""The frozen record -> what its page prints, from the record alone: no label, unit or figure is worked out anew."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping
from typing import Any

from webapp.comparison.caveats import CAVEATS, HONESTY_PAGE
from webapp.files.addresses import line_address
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.pages.drawings import MAX_VALUES_SHOWN, Drawing, TableRow, ValueCell


def parse_record(record: bytes | memoryview) -> dict[str, Any]:
    """The record as data."""
    return json.loads(bytes(record))


def draw_record(told: Mapping[str, Any], linked: Collection[int] = ()) -> list[Drawing]:
    """Every panel with its figure and table. Lines are linked into archives in `linked` only.

    The place of a figure that cannot be drawn has a note; its table stays.
    """
    addresses = [_address(told, value, linked) for value in told["values"]]
    figures = isolation.map_isolated(
        "frozen figure",
        told["figures"],
        lambda figure: _linked(copy.deepcopy(figure), addresses),
        lambda _: {"notes": [isolation.FAILURE_NOTE]},
        which=lambda _: told.get("id"),
    )
    return [
        _drawing(told, panel, figures[at] if at < len(figures) else {}, addresses, at) for at, panel in enumerate(told["panels"])
    ]


def file_of_run(told: Mapping[str, Any], run: int) -> Mapping[str, Any]:
    """The file in which a run stands."""
    return told["files"][str(told["runs"][str(run)]["file"])]


def place_of_value(told: Mapping[str, Any], value: Mapping[str, Any]) -> tuple[int, str, str]:
    """(archive, path, line) of a value."""
    file = file_of_run(told, value["run"])
    return file["archive"], file["path"], value["line"]


def _address(told: Mapping[str, Any], value: Mapping[str, Any], linked: Collection[int]) -> str:
    archive, path, line = place_of_value(told, value)
    return line_address(archive, path, line) if archive in linked else ""


def _linked(part: Any, addresses: list[str]) -> Any:
    """The figure with the address of its line in the place of each value's number."""
    if isinstance(part, dict):
        return {key: _linked(value, addresses) for key, value in part.items()}
    if isinstance(part, list):
        return [_linked(value, addresses) for value in part]
    if isinstance(part, str) and part.startswith("#v") and part[2:].isdecimal():
        return addresses[int(part[2:])]
    return part


def _drawing(told: Mapping, panel: Mapping, figure: dict, addresses: list[str], at: int) -> Drawing:
    rows = [_row(told, panel, group, addresses) for group in panel["groups"]]
    unit, better = panel["shown"]["unit"], figure.get("better", "")
    summary = "; ".join(f"{' '.join(part for part in (row.x, row.series) if part)} {row.center}" for row in rows[:20])
    return Drawing(
        f"figure-{at}",
        panel["title"],
        unit,
        better,
        panel["x"]["label"],
        panel["series"]["label"],
        figure,
        rows,
        f"{panel['title']} in {unit}, {better}: {summary}",
        len(rows) > 8,
        panel["baseline_label"],
    )


def _row(told: Mapping, panel: Mapping, group: Mapping, addresses: list[str]) -> TableRow:
    factor = panel["shown"]["factor"]
    values = [(told["values"][at], addresses[at]) for at in group["values"]]
    cells = [
        ValueCell(numbers.number(value["value"] / factor), _exact(told, value), "", address)
        for value, address in values[:MAX_VALUES_SHOWN]
    ]
    interval = ""
    if group["low"] is not None and group["high"] is not None:
        interval = f"{numbers.number(group['low'] / factor)} to {numbers.number(group['high'] / factor)}"
    verdict = group["verdict"] or {}
    paired = f"{verdict['paired']} matched pairs" if verdict.get("paired") else ""
    marks = [(CAVEATS[name].label, f"{HONESTY_PAGE}#{name}") for name in group["flags"] if name in CAVEATS]
    return TableRow(
        place_label(panel["x"], group["x"]),
        place_label(panel["series"], group["series"]),
        numbers.number(group["center"] / factor),
        numbers.exact(group["center"] / factor),
        interval,
        numbers.count(group["runs"]),
        numbers.count(group["configurations"]),
        group["verdict_words"],
        paired,
        cells,
        group["runs"] - len(cells),
        marks,
    )


def place_label(axis: Mapping, text: str) -> str:
    """A place on an axis for people, as it was called when it was frozen."""
    return next((one["label"] for one in axis["values"] if one["text"] == text), text)


def _exact(told: Mapping, value: Mapping) -> str:
    _, path, line = place_of_value(told, value)
    return f"{printed_value(value)} at {path}:{line}"


def printed_value(value: Mapping) -> str:
    """A value as printed, with the unit where the text does not end with it."""
    raw, unit = value["raw"], value["raw_unit"]
    return raw if not unit or raw.endswith(unit) else f"{raw} {unit}"
