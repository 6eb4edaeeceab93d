"""What an honest reader is told beside the groups: flags, what was left out, what can be chosen. Pure."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webapp.axes import DIMENSIONS, label_of, order
from webapp.comparison import Choice, Facet, Flag, Group, Row
from webapp.selection import POOLABLE, Selection, accepts, query_of
from webapp.workloads import Drawn, Marks, only

MOST = 40
USUAL = ("measured", "reported")
"""Only these origins enter a comparison, unless the reader asks for others."""
_SHOWN = ("os", "os_family", "os_version", "kernel", "cpu", "cores", "memory", "disks", "fs", "stack", "layout",
          "compression", "dedup", "atime", "recordsize", "sync", "log", "cache", "network", "host", "tool",
          "tool_version", "file_size", "record_size", "block_size", "transfer_size", "threads", "processes", "nodes",
          "files", "access", "api", "part", "aggregate", "operation", "origin")


@dataclass(slots=True)
class Steps:
    """The rows after each step: of the metrics, passing the filters, of the drawn workloads, held equal, normalised."""

    all: Sequence[Row]
    passing: Sequence[Row]
    shown: Drawn
    matched: Sequence[Row]
    kept: Sequence[Row]
    caveats: Sequence[tuple[str, str]] = field(default=())


def passes(selection: Selection, row: Row) -> bool:
    """Whether a row passes every filter; derived and modelled values only where the reader asks for them."""
    if not selection.values("origin") and row.texts["origin"] not in USUAL:
        return False
    return all(accepts(selection, name, row.texts[name]) for name, _ in selection.filters)


def flags(selection: Selection, steps: Steps, groups: Sequence[Group]) -> list[Flag]:
    """Honesty flags, most important first."""
    found = [Flag("caveat", f"{title}: {caveat}") for title, caveat in steps.caveats]
    if selection.strange:
        names = ", ".join(f"{key}={value}" for key, value in selection.strange)
        found.append(Flag("not-understood", f"Not understood in the address and left aside: {names}."))
    found += _unlike(selection, steps)
    singles = sum(group.single for group in groups)
    if singles:
        found.append(Flag("single", f"{_of(singles, len(groups))} a single run: a hollow mark, no spread is known."))
    small = _small(steps.kept)
    if small:
        found.append(Flag("cached", f"The data were less than twice the memory for {small}: caches take part."))
    return found + _left_out(selection, steps)


def _unlike(selection: Selection, steps: Steps) -> list[Flag]:
    """Workloads of different versions or sizes stand side by side."""
    names = steps.shown.differing
    if not names:
        return []
    labels = ", ".join(DIMENSIONS[name].label.lower() for name in names)
    return [Flag("unlike", f"The groups are not of one workload; they differ in {labels}.",
                 only(selection, steps.shown.best, names), "Only those alike")]


def _left_out(selection: Selection, steps: Steps) -> list[Flag]:
    found = []
    other = _count(steps.passing) - _count(steps.shown.rows)
    if other:
        marks = Marks(selection)
        seen, best = {marks.of(row) for row in steps.passing}, dict(steps.shown.best)
        pool = [name for name in POOLABLE if name in best and len({dict(mark)[name] for mark in seen}) > 1]
        sentence = (f"{_runs(other)} of other workloads {_are(other)} left out; different versions and parameters "
                    "are not drawn as one group, unless you say so.")
        pooled = selection.changed(pool=tuple(name for name in POOLABLE if name in pool or name in selection.pool))
        found.append(Flag("workload", sentence, query_of(pooled), "Draw them as one") if pool else
                     Flag("workload", f"{_runs(other)} of other tools or kinds of numbers {_are(other)} left out."))
    if selection.pool:
        labels = ", ".join(DIMENSIONS[name].label.lower() for name in selection.pool)
        found.append(Flag("pooled", f"Runs that differ in {labels} are drawn as one group, as chosen.",
                          query_of(selection.changed(pool=())), "Keep them apart"))
    dropped = _count(steps.shown.rows) - _count(steps.matched)
    if selection.hold:
        labels = ", ".join(DIMENSIONS[name].label.lower() for name in selection.hold)
        found.append(Flag("held", f"Held equal: {labels}. {_runs(dropped)} without a counterpart in every group "
                          f"{_are(dropped)} left out.", query_of(selection.changed(hold=())), "Draw all again"))
    unknown = _count(steps.matched) - _count(steps.kept)
    if unknown:
        found.append(Flag("not-normalised", f"{_runs(unknown)} {_are(unknown)} left out: their number of "
                          f"{selection.normalise}s is not known."))
    excluded = _count(steps.all) - _count(steps.passing)
    if excluded:
        found.append(Flag("filtered", f"{_runs(excluded)} {_are(excluded)} left out by the filters."))
    return found


def _count(rows: Iterable[Row]) -> int:
    return sum(row.n for row in rows)


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _of(some: int, every: int) -> str:
    return "Every group is" if some == every else f"{some} of {every} groups {_are(some)}"


def _small(rows: Sequence[Row]) -> str:
    """Of how many configurations the data that were written or read are less than twice the memory."""
    small, told = set(), set()
    for row in rows:
        told.add(row.configuration)
        size = next((row.texts[name] for name in ("total_size", "file_size") if row.texts[name].isdigit()), "")
        if size and row.texts["memory"].isdigit() and int(size) < 2 * int(row.texts["memory"]):
            small.add(row.configuration)
    if not small:
        return ""
    return "every configuration" if small == told else f"{len(small)} of {len(told)} configurations"


def facets(selection: Selection, rows: Sequence[Row]) -> list[Facet]:
    """Filters with counts: how many values each choice would leave, the other filters kept."""
    failing = [(row, [name for name, _ in selection.filters if not accepts(selection, name, row.texts[name])])
               for row in rows if selection.values("origin") or row.texts["origin"] in USUAL]
    names = dict.fromkeys((*_SHOWN, *(name for name, _ in selection.filters)))
    found = (_facet(selection, name, failing) for name in names)
    return [facet for facet in found if facet is not None]


def _facet(selection: Selection, name: str, failing: Sequence[tuple[Row, list[str]]]) -> Facet | None:
    dimension = DIMENSIONS[name]
    counts: Counter = Counter()
    for row, reasons in failing:
        counts[row.texts[name]] += row.n if not reasons or reasons == [name] else 0
    chosen = selection.values(name)
    if len(counts) < 2 and not chosen:
        return None
    texts = sorted({*counts, *chosen}, key=lambda text: (text not in chosen, order(dimension, text)))[:MOST]
    choices = [Choice(text, label_of(dimension, text), _counted(name, text, counts), text in chosen)
               for text in sorted(texts, key=lambda text: order(dimension, text))]
    return Facet(name, dimension.label, choices, len({*counts, *chosen}) - len(choices), dimension.numeric)


def _counted(name: str, text: str, counts: Counter) -> int:
    """Values of a choice; a range has those of every value in it."""
    if text in counts or not DIMENSIONS[name].numeric:
        return counts.get(text, 0)
    one = Selection().having(name, [text])
    return sum(count for value, count in counts.items() if accepts(one, name, value))
