"""Texts of a plain figure beside its numbers: bounds, empty places, and the notes that print adds beneath it.

Runs on Python 3.8 with the standard library alone: the check of an evidence bundle makes its table anew with it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Iterable, Mapping  # noqa: UP035  Python 3.8 has no subscripts of the others

from webapp.formatting import numbers

NOT_RUN, NO_VALUE = "not run", "no value"
"""What is printed at an empty place, where its whole text has no room."""
NOT_ALIKE = "run but not drawn"
"""What is printed at the place of a group that ran the workload, and is unlike the drawn ones in something else."""
REASONS = {
    "too_fast": "faster than could be measured",
    "zero_time": "in no measurable time",
    "failed": "failed",
    "not_finished": "not finished",
}
"""Why a run gave no number, after its count."""
_SIGNS = {"above": ">", "below": "<"}
BOUND_NOTE = "An arrow is a bound: the value lies beyond it."
PARTS_NOTE = "No bars, as the sessions of a group are too unlike for one: each line is the centre of a session."
BARLESS_NOTE = "No bars, as a single run is none: it is hollow."
FigureData = Mapping[str, Any]
"""A `plain.Figure`, or what was frozen of one."""


def reason(code: str, error: str = "") -> str:
    """Why a run gave no number: `failed: no space left`."""
    words = REASONS.get(code, code)
    return f"{words}: {error}" if error else words


def center_label(mark: FigureData) -> str:
    """The centre with the sign of a bound: `2 930`, `> 2 930`."""
    return bounded(numbers.number(mark["center"]), mark.get("bound", ""))


def centers_label(mark: FigureData) -> str:
    """The centre as `center_label`; of sessions that are too unlike for one the centre of each: `20.2; 903`."""
    return "; ".join(map(numbers.number, mark["parts"])) if has_parts(mark) else center_label(mark)


def bounded(text: str, side: str) -> str:
    """A number with the sign of the side (`above`, `below` or empty) on which the true value lies of it."""
    return f"{_SIGNS[side]}{numbers.NO_BREAK_SPACE}{text}" if side else text


def short_text(place: FigureData) -> str:
    """The text of an empty place in two words."""
    return next((words for words in (NOT_RUN, NOT_ALIKE) if place["text"].startswith(words)), NO_VALUE)


def place_name(figure: FigureData, place: FigureData) -> str:
    """The value of x and the series of a mark or an empty place: `btrfs, lz4`."""
    names = (figure["x"]["values"][place["x"]], figure["series"][place["series"]]["name"])
    return ", ".join(name for name in names if name)


def describe_places(figure: FigureData) -> list[str]:
    """Every empty place with its text: `btrfs: not run with 2 GiB; has 256 MiB (3 runs).`"""
    return [f"{place_name(figure, place)}: {place['text']}." for place in figure.get("empty", ())]


def print_notes(figures: Iterable[FigureData], further: Iterable[str] = ()) -> list[str]:
    """Notes beneath printed figures, each once: their own, empty places, what arrows and lines mean, and `further` ones."""
    notes: list[str] = []
    for figure in figures:
        notes += [*figure.get("notes", ()), *describe_places(figure)]
        notes += [BOUND_NOTE] if is_bounded(figure) else []
        notes += describe_parts(figure)
    return list(dict.fromkeys([*notes, *further]))


def describe_parts(figure: FigureData) -> list[str]:
    """Why there are no bars, and what several markers in a place mean, where a figure has any."""
    if figure.get("kind") != "heat" and any(map(has_parts, figure.get("groups", ()))):
        return [PARTS_NOTE]
    lone = any(mark["n"] == 1 for mark in figure.get("groups", ()))
    return [BARLESS_NOTE] if figure.get("kind", "bars") == "bars" and lone and is_barless(figure) else []


def is_barless(figure: FigureData) -> bool:
    """Whether bars would not be the only glyph, so that all groups are markers: one has unlike sessions, or lies below a bound, or
    is a single run beside others. `barless`: because of another panel."""
    groups = figure.get("groups", ())
    return bool(
        figure.get("barless")
        or any(has_parts(mark) or mark.get("bound") == "below" for mark in groups)
        or len({mark["n"] == 1 for mark in groups}) > 1
    )


def spread_name(kinds: Iterable[str]) -> str:
    """What `low` and `high` of groups are, for the head of a column. `kinds`: `range`, `none`, or how an interval was computed."""
    known = set(kinds) - {"none"}
    if known == {"range"}:
        return "Lowest to highest"
    return "95 % interval" + (", or lowest to highest" if "range" in known else "")


def has_parts(mark: FigureData) -> bool:
    """Whether a mark has several centres, and therefore no bar and no interval."""
    return len(mark.get("parts") or ()) > 1


def curve_values(figure: FigureData) -> list[float]:
    """Every number of the curves of a figure over time."""
    curves = figure.get("curves", ())
    return [value for curve in curves for key in ("v", "low", "high") for value in curve.get(key, ())]


MARKED = 6
"""Marks of a curve, about: shapes distinguish curves without colour."""
DASHED = ("cdf", "histogram")
"""Kinds whose curves are smooth, so that dashes show their course: a gap of a dash would hide a peak in time."""


def marked(figure: FigureData, curve: FigureData) -> list[int]:
    """The indices of the points of a curve that bear the mark of its series, each series at other places; none of a single
    series."""
    count, t, x = len(figure["series"]), curve["t"], figure["x"]
    if count < 2 or len(t) <= MARKED:
        return list(range(len(t))) if count > 1 else []
    low, high = x["low"], x["high"]
    found = set()
    for part in range(MARKED):
        share = (part + (curve["series"] + 0.5) / count) / MARKED
        wanted = low * (high / low) ** share if x.get("scale") == "log" else low + (high - low) * share
        at = bisect_left(t, wanted)
        found.add(at if at == 0 or (at < len(t) and t[at] - wanted < wanted - t[at - 1]) else at - 1)
    return sorted(found)


def segments(curve: FigureData) -> list[range]:
    """The indices of the points of a curve that lines join."""
    edges = [0, *curve["breaks"], len(curve["t"])]
    return [range(start, end) for start, end in zip(edges, edges[1:]) if end > start]  # noqa: B905, RUF007  Python 3.8


def open_runs(mark: FigureData) -> list[tuple[float, str]]:
    """(bound, side on which the true value lies) of the runs that could not be measured, each once, but for the bound that is the
    centre, whose arrow is drawn with it. Of the second metric of a scatter plot, which has no points, the open ends."""
    found = {(point[0], point[2]) for point in mark.get("points", ()) if len(point) > 2 and point[0] is not None}
    if "points" not in mark:
        ends = {"below": mark["low"], "above": mark["high"]}
        found = {(ends[side], side) for side in mark.get("open", ()) if ends[side] is not None}
    return sorted(found - {(mark["center"], mark.get("bound", ""))})


def is_bounded(figure: FigureData) -> bool:
    """Whether any mark has an open end."""
    return any(one.get("bound") or one.get("open") for mark in figure["groups"] for one in (mark, mark.get("across", {})))
