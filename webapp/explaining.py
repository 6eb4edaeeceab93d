"""What an honest reader is told beside the groups: what differs, what was left out, what can be chosen. Pure."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ingest.keys import PARAMS
from webapp.axes import DIMENSIONS, UNKNOWN, label_of, order, value_in
from webapp.comparison import Choice, Differs, Facet, Flag, Group, Row
from webapp.selection import Selection, accepts, query_of

FIXED = ("tool", "tool_version", "aggregate", "origin", *PARAMS)
MOST = 40
_SHOWN = ("os", "os_family", "os_version", "kernel", "cpu", "cores", "memory", "disks", "fs", "stack", "layout",
          "compression", "dedup", "atime", "recordsize", "sync", "log", "cache", "network", "host", "tool", "tool_version",
          "file_size", "record_size", "block_size", "transfer_size", "threads", "processes", "files", "access", "api",
          "part", "aggregate", "operation")


def _signature(selection: Selection, row: Row) -> tuple[tuple[str, str], ...]:
    """The workload without what is on an axis: rows of different ones are never drawn as one group."""
    return tuple((name, value_in(row.dims, DIMENSIONS[name])) for name in FIXED if name not in selection.axes)


def same_workload(selection: Selection, rows: Sequence[Row]) -> tuple[tuple | None, list[Row]]:
    """The workload that tells most about the chosen axes, and its rows: most groups first, then most values."""
    cells: dict[tuple, set] = {}
    counts: Counter = Counter()
    for row in rows:
        mark = _signature(selection, row)
        cells.setdefault(mark, set()).add(
            (row.metric, *(value_in(row.dims, DIMENSIONS[axis]) for axis in selection.axes)))
        counts[mark] += row.n
    if not cells:
        return None, []
    best = max(cells, key=lambda mark: (len(cells[mark]), counts[mark], mark))
    return best, [row for row in rows if _signature(selection, row) == best]


def workloads(selection: Selection, rows: Sequence[Row], fixed: tuple | None) -> list[tuple[str, str, int, bool]]:
    """(label, query, values, drawn) of every workload that passes the filters, the drawn one first."""
    counts: Counter = Counter()
    for row in rows:
        counts[_signature(selection, row)] += row.n
    marks = sorted(counts, key=lambda mark: (mark != fixed, -counts[mark], mark))
    differing = {name for name, values in _values_of(marks).items() if len(values) > 1}
    return [(_label(mark, differing), _query(selection, mark, differing), counts[mark], mark == fixed) for mark in marks[:MOST]]


def _values_of(marks: Iterable[tuple]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for mark in marks:
        for name, value in mark:
            found.setdefault(name, set()).add(value)
    return found


def _label(mark: tuple, differing: set[str]) -> str:
    told = dict(mark)
    words = [" ".join(told[name] for name in ("tool", "tool_version") if told.get(name, UNKNOWN) != UNKNOWN)]
    if told.get("aggregate") not in (None, "sample"):
        words.append(told["aggregate"])
    words += [f"{DIMENSIONS[name].label.lower()} {label_of(DIMENSIONS[name], value)}" for name, value in mark
              if name in PARAMS and value != UNKNOWN and (name in differing or len(words) < 6)]
    return ", ".join(word for word in words if word)


def _query(selection: Selection, mark: tuple, differing: set[str]) -> str:
    for name, value in mark:
        if name in differing:
            selection = selection.having(name, [value])
    return query_of(selection)


def flags(selection: Selection, rows: Sequence[Row], passing: Sequence[Row], kept: Sequence[Row],
          groups: Sequence[Group], caveats: Sequence[tuple[str, str]]) -> list[Flag]:
    """Honesty flags, most important first."""
    found = [Flag("caveat", f"{title}: {caveat}") for title, caveat in caveats]
    if selection.strange:
        names = ", ".join(f"{key}={value}" for key, value in selection.strange)
        found.append(Flag("not-understood", f"Not understood in the address and left aside: {names}."))
    singles = sum(group.single for group in groups)
    if singles:
        found.append(Flag("single", f"{_of(singles, len(groups))} a single run: a hollow mark, no spread is known."))
    small = _small(kept)
    if small:
        found.append(Flag("cached", f"The data written were less than twice the memory for {small}: caches take part."))
    other = sum(row.n for row in passing) - sum(row.n for row in kept)
    if other:
        found.append(Flag("workload", f"{other} runs of other workloads are left out; runs of different tools, versions and "
                                      "parameters are never drawn as one."))
    excluded = sum(row.n for row in rows) - sum(row.n for row in passing)
    if excluded:
        found.append(Flag("filtered", f"{excluded} runs are left out by the filters."))
    return found


def _of(some: int, all_: int) -> str:
    return "Every group is" if some == all_ else f"{some} of {all_} groups are" if some > 1 else f"1 of {all_} groups is"


def _small(rows: Sequence[Row]) -> str:
    told = [row for row in rows if row.dims.get("memory") and (row.dims["params"].get("file_size") or row.dims["params"].get("total_size"))]
    small = sum((row.dims["params"].get("total_size") or row.dims["params"]["file_size"]) < 2 * row.dims["memory"] for row in told)
    return "" if not small else "every group" if small == len(rows) else f"{small} of {len(rows)} configurations"


def differing(selection: Selection, rows: Sequence[Row]) -> list[Differs]:
    """Every dimension besides the chosen ones in which the drawn rows differ, those that differ between groups first."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(value_in(row.dims, DIMENSIONS[axis]) for axis in selection.axes), []).append(row)
    found = []
    for name, dimension in DIMENSIONS.items():
        if name in selection.axes or name in ("configuration", "system"):
            continue
        sets = {key: frozenset(value_in(row.dims, dimension) for row in some) for key, some in groups.items()}
        values = sorted(set().union(*sets.values()) if sets else (), key=lambda text: order(dimension, text))
        if len(values) > 1:
            queries = tuple((f"only {label_of(dimension, value)}", query_of(selection.having(name, [value]))) for value in values[:6])
            queries += (("one drawing each", query_of(selection.changed(facet=name))),)
            found.append(Differs(name, dimension.label, tuple(label_of(dimension, v) for v in values[:12]),
                                 len(set(sets.values())) > 1, queries))
    return sorted(found, key=lambda differs: not differs.between)


def facets(selection: Selection, rows: Sequence[Row]) -> list[Facet]:
    """Filters with counts: how many values each choice would leave, the other filters kept."""
    found = []
    for name in _SHOWN:
        dimension = DIMENSIONS.get(name)
        if dimension is None:
            continue
        counts: Counter = Counter()
        for row in rows:
            others = (accepts(selection, other, value_in(row.dims, DIMENSIONS[other]))
                      for other, _ in selection.filters if other != name)
            counts[value_in(row.dims, dimension)] += row.n if all(others) else 0
        if len(counts) < 2 and not selection.values(name):
            continue
        chosen = set(selection.values(name))
        texts = sorted({*counts, *chosen}, key=lambda text: order(dimension, text))
        choices = [Choice(text, label_of(dimension, text), counts.get(text, 0), text in chosen) for text in texts]
        found.append(Facet(name, dimension.label, choices[:MOST], max(len(choices) - MOST, 0)))
    return found
