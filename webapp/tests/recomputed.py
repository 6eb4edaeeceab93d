"""Centre and n of the groups of a permalink from its data.csv alone, by a few lines that share no code with the program."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from statistics import fmean, median

import pytest

from webapp.formats.tidy import to_tables
from webapp.formatting import numbers
from webapp.models import Permalink
from webapp.permalinks.bundles import redo, verify


def tables(link: Permalink) -> tuple[list[dict], list[dict]]:
    record = json.loads(bytes(link.record))
    made = to_tables(record, link.digest)
    data, groups = (list(csv.DictReader(io.StringIO(made[name]))) for name in ("data.csv", "groups.csv"))
    return data, groups


def recompute(data: list[dict], groups: list[dict]) -> dict[str, tuple[float, str, int]]:
    """(centre, bound, n) of every group by its number, from data.csv and the name of its statistic."""
    rows = defaultdict(list)
    for row in data:
        rows[row["group"]].append(row)
    return {one["group"]: (*_center(one, rows[one["group"]]), len(rows[one["group"]])) for one in groups}


def _center(group: dict, rows: list[dict]) -> tuple[float, str]:
    rows = [row for row in rows if row["value"]]
    if not rows or any(row["bound"] and row["measured"] for row in rows):
        return math.nan, ""
    kept = defaultdict(list)
    for row in rows:
        value = float(row["value"])
        ends = {"above": (value, math.inf), "below": (0.0, value)}.get(row["bound"], (value, value))
        kept[row["session" if group["over"] == "sessions" else "configuration"]].append(ends)
    if group["stat"] == "median":
        low, high = (median([median([ends[at] for ends in some]) for some in kept.values()]) for at in (0, 1))
        if low == high:
            return low, ""
        return (low, "above") if math.isinf(high) or group["bound"] == "above" else (high, "below")
    assert not any(row["bound"] for row in rows), "no mean of bounds"
    if group["stat"] == "geometric":
        return math.exp(fmean(fmean(math.log(value) for value, _ in some) for some in kept.values())), ""
    if rows[0]["measured_unit"] in ("B/s", "1/s"):
        return 1 / fmean(fmean(1 / value for value, _ in some) for some in kept.values()), ""
    return fmean(fmean(value for value, _ in some) for some in kept.values()), ""


def check(link: Permalink) -> list[dict]:
    """The groups, of which everything that is said follows from data.csv."""
    record = json.loads(bytes(link.record))
    data, groups = tables(link)
    found = recompute(data, groups)
    for metric in {group["metric"] for group in groups}:
        assert len({group["stat"] for group in groups if group["metric"] == metric}) == 1
    for group in groups:
        center, bound, n = found[group["group"]]
        assert n == int(group["n"])
        # Relative to a baseline that is a bound: of a bounded run nothing is known then, and the baseline is 1 by definition.
        if not group["parts"] and not math.isnan(center):
            assert (float(group["center"]), group["bound"]) == (pytest.approx(center, rel=1e-9), bound), group
        assert redo.center(group, [row for row in data if row["group"] == group["group"] and row["value"]]) in (
            None,
            pytest.approx(center, rel=1e-9),
        )
    _check_ratios(record)
    assert verify.group_problems(record) == [] and verify.figure_problems(record) == []
    return groups


def _check_ratios(record: dict) -> None:
    """A printed ratio is that of the drawn centres, or this one is printed beside it; claim and interval agree."""
    for panel in record["panels"]:
        centers = {(one["metric"], one["x"], one["series"]): one["center"] for one in panel["groups"]}
        for group in panel["groups"]:
            verdict = group["verdict"] or {}
            if (ratio := verdict.get("ratio")) is None:
                continue
            is_x = panel["baseline"] in {one["x"] for one in panel["groups"]}
            x, series = (panel["baseline"], group["series"]) if is_x else (group["x"], panel["baseline"])
            drawn = numbers.ratio(group["center"] / centers[group["metric"], x, series])
            assert drawn == numbers.ratio(ratio) or f"{drawn} of the drawn centres" in group["verdict_words"], group
            if group["stat"] == "geometric" and verdict["low"] is not None:
                assert verdict["low"] <= ratio <= verdict["high"]
                assert (verdict["word"] == "no difference seen") == (verdict["low"] <= 1 <= verdict["high"])
