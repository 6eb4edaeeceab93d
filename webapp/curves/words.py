"""What a figure over time says beneath it: how times are aligned, what is thinned, joined, missing and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webapp.curves.alignment import NUMBER, OUTPUT, REPORT, RUN, Alignment
from webapp.curves.bands import Band
from webapp.curves.thinning import Curve
from webapp.figures.plain import CurvePoints
from webapp.formatting import numbers
from webapp.models import Run

_NAMED = 6
_AXES = {
    RUN: "s since the start of the run",
    REPORT: "s since the first report",
    OUTPUT: "s since the begin of the tool\u2019s output",
}
_NOT_KNOWN = {
    REPORT: "The start of {} is unknown: 0 is the first report of the tools beside it.",
    OUTPUT: "The clocks of {} are not known: 0 is the begin of each tool\u2019s output, which may not be the start of the run.",
}


def plural(count: int, noun: str) -> str:
    """`1 device`, `3 devices`; `series` has one form."""
    return f"{numbers.count(count)} {noun}{'' if count == 1 or noun.endswith('series') else 's'}"


def axis_label(aligned: Mapping[int, Alignment], is_numbered: bool) -> str:
    """The title of the x axis."""
    if is_numbered:
        return "number of the report (no times are printed)"
    zeros = {alignment.zero for alignment in aligned.values()} - {NUMBER}
    return _AXES[zeros.pop()] if len(zeros) == 1 else "s since the start, as noted"


def describe_alignment(runs: Sequence[Run], aligned: Mapping[int, Alignment]) -> list[str]:
    """What lies at 0 where that is not the printed start of a run."""
    notes = []
    for zero, sentence in _NOT_KNOWN.items():
        if found := [run.pk for run in runs if run.pk in aligned and aligned[run.pk].zero == zero]:
            notes.append(sentence.format(_runs(found)))
    if assumed := [run.pk for run in runs if run.pk in aligned and aligned[run.pk].is_zone_assumed]:
        notes.append(f"{_runs(assumed).capitalize()}: clocks that print no time zone are taken to be in that of the others.")
    if without := [run.pk for run in runs if run.pk not in aligned]:
        notes.append(f"No numbers over time are known of {_runs(without)}.")
    return notes


def _runs(ids: Sequence[int]) -> str:
    return f"run{'' if len(ids) == 1 else 's'} {listed(list(map(str, ids)))}"


def listed(names: Sequence[str]) -> str:
    """`1, 2 and 3`, of many the first ones."""
    shown = list(names[:_NAMED]) + ([f"{len(names) - _NAMED} more"] if len(names) > _NAMED else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def describe_omissions(idle: Sequence[str], empty: int, left: int) -> list[str]:
    """Small multiples that are not drawn."""
    notes = [f"Zero throughout and not drawn: {listed(idle)}."] if idle else []
    notes += (
        [f"{plural(empty, 'series')} without a point in this time." if empty > 1 else "One has no point in this time."]
        if empty
        else []
    )
    return notes + ([f"{plural(left, 'more figure')} can be drawn: choose devices."] if left > 0 else [])


def describe_thinning(curves: Sequence[Curve]) -> list[str]:
    """`1 of 40 points (1 200 of 48 000) drawn: ...`."""
    thinned = [curve for curve in curves if curve.is_thinned]
    if not thinned:
        return []
    total, kept = sum(curve.total for curve in thinned), sum(len(curve.t) for curve in thinned)
    counts = f"{numbers.count(kept)} of {numbers.count(total)}"
    share = f"1 of {numbers.number(total / kept, 2)} points ({counts})" if total >= 1.5 * kept else f"{counts} points"
    return [f"{share} drawn: the lowest and the highest of every bucket of time are kept."]


def describe_gaps(curves: Sequence[CurvePoints], is_numbered: bool) -> list[str]:
    """Where points are missing."""
    count = sum(len(curve["breaks"]) for curve in curves)
    return [] if is_numbered or not count else [f"{plural(count, 'gap')}: points are missing there, and no line runs across."]


def describe_bands(runs: Sequence[int], bands: Sequence[Band], alone: int) -> list[str]:
    """What a band and its line are, and how many runs it has."""
    counts = f"n = {runs[0]}" if len(set(runs)) == 1 else f"n = {', '.join(map(str, runs))}"
    width = numbers.number(max(band.width for band in bands))
    notes = [f"Line: median of the runs within each {width} s; band: lowest to highest point of any run ({counts})."]
    return notes + (
        [f"{plural(alone, 'run')} without a repetition is not drawn."]
        if alone == 1
        else [f"{alone} runs without a repetition are not drawn."]
        if alone
        else []
    )
