"""What an honest reader is told beside the groups: honesty flags, and what was left out and why. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from webapp.comparison import caveats as honesty
from webapp.comparison.dimensions import DEPENDENT_DIMENSIONS, DIMENSIONS, SOURCE, UNKNOWN
from webapp.comparison.model import DifferingDimension, Flag, Group
from webapp.comparison.selection import DIVISORS, POOLABLE, Selection, query_string
from webapp.comparison.summary.columns import Columns
from webapp.comparison.workload_filter import DrawnRows, workload_query
from webapp.formatting.months import MONTH

MOST_NAMED = 5


@dataclass(slots=True)
class SelectionSteps:
    """The rows after each step: of the metrics, passing the filters, of the drawn workloads, held equal, normalised.

    `caveats`: (title, caveat) of archives; `missing`: archives asked for that this reader cannot see; `over`: the titles
    of those laid over the rest; `withdrawn`: (values, reason) of what was taken out.
    """

    all: Columns
    passing: Columns
    shown: DrawnRows
    matched: Columns
    kept: Columns
    caveats: Sequence[tuple[str, str]] = field(default=())
    missing: Sequence[int] = field(default=())
    over: Mapping[int, str] = field(default_factory=dict)
    withdrawn: Sequence[tuple[int, str]] = field(default=())


def list_flags(
    selection: Selection, steps: SelectionSteps, groups: Sequence[Group], differs: Sequence[DifferingDimension] = ()
) -> list[Flag]:
    """Honesty flags, most important first. `differs`: in what the rows differ besides the axes."""
    found = [Flag("caveat", f"{title}: {caveat}") for title, caveat in steps.caveats]
    if selection.strange:
        names = ", ".join(f"{key}={value}" for key, value in selection.strange)
        found.append(Flag("not-understood", f"Not understood in the address and left aside: {names}."))
    found += _laid_over(steps)
    found += _unlike(selection, steps)
    found += _unequal(selection, steps, differs)
    found += _withdrawn(steps)
    above = any("impossible" in group.flags for group in groups)
    found += honesty.caveat_flags(groups, {honesty.find_exceeded_link(row) for row in steps.kept.rows} - {""} if above else ())
    return found + _left_out(selection, steps)


def _withdrawn(steps: SelectionSteps) -> list[Flag]:
    if not steps.withdrawn:
        return []
    count = sum(n for n, _ in steps.withdrawn)
    runs = f"{count} value{'' if count == 1 else 's'} {_are(count)}" if count else "What was asked for is"
    return [honesty.make_flag("withdrawn", runs=runs, reason="; ".join(reason for _, reason in steps.withdrawn))]


def _laid_over(steps: SelectionSteps) -> list[Flag]:
    """Which archives stand beside the rest, which of them has nothing to show, and which were not found."""
    found = []
    drawn = set(steps.kept.values(SOURCE)) if steps.over else ()
    for archive, title in steps.over.items():
        empty = "" if f"archive {archive}" in drawn else " It has no run of these choices."
        found.append(Flag("overlay", f"Archive {archive} is “{title}”, drawn beside the others.{empty}"))
    if steps.missing:
        names = ", ".join(map(str, steps.missing))
        many = len(steps.missing) > 1
        found.append(
            Flag(
                "missing",
                f"Archive{'s' if many else ''} {names} {'are' if many else 'is'} not here, or not public: sign in if it is yours.",
            )
        )
    return found


def _unlike(selection: Selection, steps: SelectionSteps) -> list[Flag]:
    """Workloads of different versions or sizes stand side by side."""
    names = steps.shown.differing
    if not names:
        return []
    labels = ", ".join(DIMENSIONS[name].label.lower() for name in names)
    return [
        Flag(
            "unlike",
            f"The groups are not of one workload; they differ in {labels}.",
            workload_query(selection, steps.shown.best, names),
            "Only those alike",
        )
    ]


def _unequal(selection: Selection, steps: SelectionSteps, differs: Sequence[DifferingDimension]) -> list[Flag]:
    """What may be the reason of a difference between groups; not what an axis brings along, nor what `unlike` names."""
    brought = {name for axis in selection.axes for name in DEPENDENT_DIMENSIONS.get(axis, ())} | {
        *steps.shown.differing,
        "host",
        MONTH,
    }
    found = [one for one in differs if one.between and one.name not in brought]
    if not found:
        return []
    names = [one.label if one.label[:2].isupper() else one.label[:1].lower() + one.label[1:] for one in found[:MOST_NAMED]]
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    told = honesty.make_flag("unequal", names=", ".join(names) + more)
    first = found[0]
    hold = next((query for label, query in first.queries if label == "hold equal"), "")
    return [replace(told, query=hold, action=f"Hold {names[0]} equal" if hold else "")]


def _left_out(selection: Selection, steps: SelectionSteps) -> list[Flag]:
    found = []
    other = steps.passing.total - steps.shown.rows.total
    if other:
        best, counts = dict(steps.shown.best), steps.passing.counts()
        pool = [name for name in POOLABLE if name in best and counts[name] > 1]
        sentence = (
            f"{_runs(other)} of other workloads {_are(other)} left out; different versions and parameters "
            "are not drawn as one group, unless you say so."
        )
        pooled = selection.changed(pool=tuple(name for name in POOLABLE if name in pool or name in selection.pool))
        found.append(
            Flag("workload", sentence, query_string(pooled), "Draw them as one")
            if pool
            else Flag("workload", f"{_runs(other)} of other tools or kinds of numbers {_are(other)} left out.")
        )
    if selection.pool:
        labels = ", ".join(DIMENSIONS[name].label.lower() for name in selection.pool)
        found.append(
            Flag(
                "pooled",
                f"Runs that differ in {labels} are drawn as one group, as chosen.",
                query_string(selection.changed(pool=())),
                "Keep them apart",
            )
        )
    dropped = steps.shown.rows.total - steps.matched.total
    if selection.hold:
        labels = ", ".join(DIMENSIONS[name].label.lower() for name in selection.hold)
        found.append(
            Flag(
                "held",
                f"Held equal: {labels}. {_runs(dropped)} without a counterpart in every group {_are(dropped)} left out.",
                query_string(selection.changed(hold=())),
                "Draw all again",
            )
        )
    unknown = steps.matched.total - steps.kept.total
    if unknown:
        what = f"number of {selection.normalise}s" if selection.normalise in DIVISORS else "price"
        found.append(Flag("not-normalised", f"{_runs(unknown)} {_are(unknown)} left out: their {what} is not known."))
    return found + _filtered(selection, steps)


def _filtered(selection: Selection, steps: SelectionSteps) -> list[Flag]:
    """What the filters left out: what is known not to fit, and what may fit and was never told."""
    if len(steps.passing) == len(steps.all):
        return []
    left = steps.all.without(steps.passing)
    names = [name for name, values in selection.filters if UNKNOWN not in values]
    untold = {name: left.code(name) == left.sides.codes(name).unknown for name in names}
    unknown = int(left.n[np.logical_or.reduce(list(untold.values()))].sum()) if names else 0
    found = []
    if unknown:
        told = [DIMENSIONS[name].label.lower() for name in names if untold[name].any()]
        found.append(honesty.make_flag("unknown", runs=f"{_runs(unknown)} {_are(unknown)}", names=", ".join(told)))
    other = left.total - unknown
    if other:
        found.append(Flag("filtered", f"{_runs(other)} {_are(other)} left out by the filters."))
    return found


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
