"""What was frozen with a statistic under another's name is found again and corrected in the public log. Records stay as they are.

Before version 4 of the statistics a group with runs of which only a bound is known, or with a value of zero, was drawn by its
median in a figure of means, and its ratio divided that median by a mean; its whisker left these runs out, in a figure of medians
too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from webapp.accounts import public_log
from webapp.models import LogEntry, Permalink
from webapp.permalinks import queries
from webapp.permalinks.bundles import verify

BY_POOLMARK = "Poolmark: "
"""How the reason of an entry begins that the program alone has made."""
MAX_NAMED = 8
"""Groups of a figure whose right numbers an entry names; the others are counted."""
_FIRST_RIGHT = 4
"""Version of the statistics from which on all groups of a metric have one statistic."""
_OTHER_SIDE = {"": "", "above": "below", "below": "above"}
_SIGNS = {"": "", "above": "> ", "below": "< "}


def enter_corrections() -> int:
    """Compute every record again that can be wrong and has no correction by this program, and enter what is wrong in the public
    log. One record is in memory at a time. Returns the number of entries."""
    entered = 0
    for pk in queries.read_uncorrected(public_log.Kind.CORRECT, BY_POOLMARK):
        permalink = Permalink.objects.get(pk=pk)
        if not (wrong := describe_wrong(json.loads(bytes(permalink.record)))):
            continue
        with transaction.atomic():
            LogEntry.lock()  # another machine may start at the same time
            if pk in queries.read_uncorrected(public_log.Kind.CORRECT, BY_POOLMARK, pk):
                place = permalink.get_absolute_url().lstrip("/")
                public_log.append(public_log.Kind.CORRECT, place, permalink.digest, reason=BY_POOLMARK + wrong)
                entered += 1
    return entered


def describe_wrong(record: Mapping[str, Any]) -> str:
    """What is wrong in a record, the right numbers, and what to do; empty where nothing is."""
    method = record["method"]
    if method.get("statistics_version", 0) >= _FIRST_RIGHT:
        return ""
    describe = _describe_whiskers if method["stat"] == "median" else _describe_metric
    found = [
        describe(record, panel, metric, groups)
        for panel in record["panels"]
        for metric, groups in _by_metric(panel).items()
        if any(map(_has_bound, groups)) or (method["stat"] == "geometric" and any(_has_zero(record, group) for group in groups))
    ]
    return f"{' '.join(filter(None, found))} Freeze again." if any(found) else ""


def _by_metric(panel: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for group in panel["groups"]:
        groups.setdefault(group["metric"], []).append(group)
    return groups


def _has_bound(group: Mapping[str, Any]) -> bool:
    return any(count.get("side") for count in group.get("unmeasured", ()))


def _has_zero(record: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    return any(record["values"][number]["value"] <= 0 for number in group["values"])


def _describe_metric(record: Mapping, panel: Mapping, metric: str, groups: list[Mapping[str, Any]]) -> str:
    stat = {"geometric": "geometric mean"}.get(record["method"]["stat"], "mean")
    why = "runs of which only a bound is known" if any(map(_has_bound, groups)) else "a value of zero"
    centers = [_right_center(record, group) for group in groups]
    texts = [
        _describe_group(panel, group, center, _base_of(panel, groups, centers, group)) + _describe_whisker(record, panel, group)
        for group, center in zip(groups, centers, strict=True)
    ]
    return (
        f"{panel['title'] or metric} ({metric}) calls every centre a {stat}, but groups with {why} have their median, and ratios "
        f"between these and others are of unlike statistics. The medians in {panel['shown']['unit']}: {_list(texts)}."
    )


def _describe_whiskers(record: Mapping, panel: Mapping, metric: str, groups: list[Mapping[str, Any]]) -> str:
    """Of a figure of medians; empty where all whiskers are right."""
    found = [(group, text) for group in groups if (text := _describe_whisker(record, panel, group))]
    texts = [
        f"{_name_of(group)} {_SIGNS[group.get('bound', '')]}{group['center'] / panel['shown']['factor']:.6g}{text}"
        for group, text in found
    ]
    return (
        f"{panel['title'] or metric} ({metric}) has whiskers that leave out runs of which only a bound is known. The medians in "
        f"{panel['shown']['unit']} are right, with the whiskers from the lowest to the highest run: {_list(texts)}."
        if found
        else ""
    )


def _describe_whisker(record: Mapping, panel: Mapping, group: Mapping[str, Any]) -> str:
    """`, whisker 150 to > 300 (frozen as 150 to 230)`; empty where the frozen one has all runs, or sessions are drawn apart."""
    counts, factor = [count for count in group.get("unmeasured", ()) if count.get("side")], panel["shown"]["factor"]
    ends = [record["values"][number]["value"] for number in group["values"]] + [count["bound"] for count in counts]
    if not counts or len(group.get("parts") or ()) > 1 or group["runs"] + sum(count["count"] for count in counts) < 2:
        return ""
    right, frozen = (min(ends), max(ends)), (group["low"], group["high"])
    if None not in frozen and all(map(math.isclose, right, frozen)):
        return ""
    sides = {count["side"] for count in counts}
    low, high = ("< " if "below" in sides else "", right[0]), ("> " if "above" in sides else "", right[1])
    text = " to ".join(f"{sign}{end / factor:.6g}" for sign, end in (low, high))
    before = "without" if None in frozen else f"as {frozen[0] / factor:.6g} to {frozen[1] / factor:.6g}"
    return f", whisker {text} (frozen {before})"


def _list(texts: list[str]) -> str:
    more = f"; and {len(texts) - MAX_NAMED} more" if len(texts) > MAX_NAMED else ""
    return f"{'; '.join(texts[:MAX_NAMED])}{more}"


def _name_of(group: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (group["x"], group["series"]))) or "all"


def _right_center(record: Mapping, group: Mapping[str, Any]) -> tuple[float, str]:
    """(median, side on which the true one lies where it is a bound). One with bounds was drawn as such."""
    if _has_bound(group) or not group["values"]:
        return group["center"], group.get("bound", "")
    as_median = {**record, "method": {**record["method"], "stat": "median"}}
    return verify.statistics_of(as_median, group)[0], ""


def _base_of(panel: Mapping, groups: list[Mapping], centers: list[tuple[float, str]], group: Mapping) -> tuple[float, str] | None:
    """The right centre of the baseline of a group that was compared."""
    baseline = panel["baseline"]
    axis, other = ("x", "series") if baseline in {one["x"] for one in groups} else ("series", "x")
    if not group.get("verdict"):
        return None
    pairs = zip(groups, centers, strict=True)
    return next((center for one, center in pairs if one[axis] == baseline and one[other] == group[other]), None)


def _describe_group(panel: Mapping, group: Mapping, center: tuple[float, str], base: tuple[float, str] | None) -> str:
    """`zstd > 4.1 (frozen as 3.9), ratio > 2.1 (frozen as 1.9)`: the numbers that are other than frozen with those that were."""
    factor = panel["shown"]["factor"]
    text = f"{_name_of(group)} {_SIGNS[center[1]]}{center[0] / factor:.6g}"
    if not math.isclose(center[0], group["center"], rel_tol=1e-9):
        text += f" (frozen as {group['center'] / factor:.6g})"
    sides = {center[1], _OTHER_SIDE[base[1]]} - {""} if base else set()
    if base and base[0] and len(sides) < 2:
        ratio, frozen = center[0] / base[0], group["verdict"]["ratio"]
        text += f", ratio {_SIGNS[''.join(sides)]}{ratio:.4g}"
        text += f" (frozen as {frozen:.4g})" if frozen is not None and not math.isclose(ratio, frozen, rel_tol=1e-9) else ""
    return text
