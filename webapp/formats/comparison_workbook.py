"""A comparison as sheets of a workbook: its groups and values in base units, what the codes mean, and where it comes from."""

from __future__ import annotations

from typing import Any

from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import query_string

Rows = list[list[Any]]
VALUE_HEAD = ["group", "metric", "x", "series", "facet", "value", "unit", "file_line", "raw", "address"]
GROUP_HEAD = [
    *(
        "group",
        "metric",
        "x",
        "series",
        "facet",
        "shown",
        "stat",
        "center",
        "low",
        "high",
        "unit",
        "whiskers",
        "bound",
        "n",
        "unmeasured",
    ),
    *(
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
    ),
]


def to_sheets(comparison: Comparison, address: str) -> dict[str, Rows]:
    """Name of the sheet -> rows. `address`: of the comparison."""
    numbered = [(panel, group) for panel in comparison.panels for group in panel.all_groups]
    groups: Rows = [[*GROUP_HEAD]]
    values: Rows = [[*VALUE_HEAD]]
    for number, (panel, group) in enumerate(numbered, 1):
        groups.append([number, *_group_cells(panel, group)])
        named = [number, group.metric, group.x, group.series, group.facet]
        values += [[*named, point.value, panel.unit, point.place, point.raw, point.address] for point in group.points]
    codes = [[flag.id, flag.place, flag.sentence] for flag in comparison.flags]
    about = [
        ["address", f"{address}?{query_string(comparison.selection)}"],
        ["method", comparison.method],
        ["note", "The data of the address may change; a permalink stays as it is."],
    ]
    return {"groups": groups, "values": values, "codes": [["flag", "place", "sentence"], *codes], "about": about}


def _group_cells(panel: Panel, group: Group) -> list[Any]:
    verdict, several = group.verdict, len(group.parts) > 1
    center = [None, None, None] if several else [group.center, group.low, group.high]
    return [
        *(group.metric, group.x, group.series, group.facet, "no" if any(group is one for one in panel.hidden) else "yes"),
        *(group.stat, *center, panel.unit, "none" if several else group.interval, group.bound, group.n, group.n - group.runs),
        *(group.configurations, group.sessions, group.machines, panel.baseline),
        *((verdict.ratio, verdict.low, verdict.high, verdict.word) if verdict else (None, None, None, "")),
        *(("; ".join(verdict.doubts), verdict.withheld) if verdict else ("", "")),
        " ".join(group.flags),
    ]
