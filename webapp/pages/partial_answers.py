"""The answer to a comparison (page, JSON, CSV) even where some of its rows cannot be computed, serialised or drawn.

All rows are tried first. Where that fails, the rows of the summary with which it fails are found by bisection, those of the
drawn set first, and the answer is made without them and with a flag that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from django.http import Http404

from webapp.comparison.compare import compare
from webapp.comparison.compared_set import ComparedSet, choose_axes, choose_set, name_front_axis
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, Flag
from webapp.comparison.question import MAX_POINTS, ask
from webapp.comparison.rows import read_rows
from webapp.comparison.selection import Selection, parse, query_string
from webapp.comparison.summary.row import RowKey
from webapp.http import isolation
from webapp.http.page_cache import VersionedRequest
from webapp.systems import hardware

LEFT_OUT = "left-out"
"""The id of the flag."""
_Answer = TypeVar("_Answer")


def answer_request(request: VersionedRequest, make: Callable[[Comparison], _Answer], every: bool = False) -> _Answer:
    """`make` of the comparison at the request's address; with `every` without the limit of points per group."""
    selection = parse([(key, value) for key, values in request.GET.lists() for value in values])
    most = None if every else MAX_POINTS
    return make_answer(selection, request.user, lambda made: make(_with_hardware(request, made)), request.data_version, most)


def _with_hardware(request: VersionedRequest, comparison: Comparison) -> Comparison:
    """The comparison with the pages of CPUs, disks and controllers that its search names."""
    if comparison.search is None:
        return comparison
    named = hardware.find_searched(comparison.search.typed, lambda: hardware.read_visible(request.data_version, request.user))
    pages = tuple((f"{one.name}: what was measured on systems with it", one.address) for one in named)
    return replace(comparison, search=replace(comparison.search, pages=pages))


def make_answer(
    selection: Selection, viewer, make: Callable[[Comparison], _Answer], version: int, most: int | None = MAX_POINTS
) -> _Answer:
    """`make` of the comparison that the reader may see; where it fails, without the failing rows and with a flag.

    `most` as for `compare`. Raises what `make` raises for the comparison without any row.
    """
    try:
        return make(compare(selection, viewer, most=most, version=version, presets=most is not None))
    except Http404:  # there is nothing to draw
        raise
    except Exception as error:
        if isolation.is_database_unusable(error):
            raise
        isolation.log_failure("comparison", query_string(selection))
    # The axes of all rows: for a part of the rows others might be chosen, with which nothing fails.
    selection, keys = find_row_keys(selection, viewer, version)
    return _PartialAnswer(selection, viewer, make, version, most).answer(keys)


@dataclass(frozen=True, slots=True)
class _PartialAnswer(Generic[_Answer]):
    """The answer without some rows, see `make_answer`."""

    selection: Selection
    viewer: object
    make: Callable[[Comparison], _Answer]
    version: int
    most: int | None

    def answer(self, keys: Sequence[RowKey]) -> _Answer:
        """The answer from as many of these rows as it can be made of. The first ones are preferred to later ones."""
        self.answer_from((), ())  # raises where the failure is not due to rows
        working: list[RowKey] = []

        def add(some: Sequence[RowKey]) -> None:
            """Some rows may fail only together with others: they are tried with all those that work."""
            self.answer_from([*working, *some], ())
            working.extend(some)

        isolation.find_working("rows of the summary", keys, add)
        return self.answer_from(working, sorted({*keys} - {*working}))

    def answer_from(self, keys: Sequence[RowKey], omitted: Sequence[RowKey]) -> _Answer:
        """The answer from these rows alone, with a flag for the omitted ones."""
        comparison = compare(self.selection, self.viewer, most=self.most, version=self.version, only=frozenset(keys), presets=True)
        return self.make(replace(comparison, flags=[_flag(omitted), *comparison.flags]) if omitted else comparison)


def _flag(omitted: Sequence[RowKey]) -> Flag:
    metrics = ", ".join(sorted({metric for metric, _, _ in omitted}))
    rows = f"{len(omitted)} row{'' if len(omitted) == 1 else 's'}"
    return Flag(LEFT_OUT, f"{isolation.FAILURE_NOTE} Left out: {rows} of the summary, of {metrics}.")


def find_row_keys(selection: Selection, viewer, version: int) -> tuple[Selection, list[RowKey]]:
    """The selection with the metric, axes and baseline of its comparison, and the keys of the rows that this is made of.

    Those of the baseline come first, then those of the drawn set: any part of them is drawn alike and compared with the same
    baseline, whereas another set and another baseline may be the best of other rows.
    """
    rows = read_rows(ask(selection, viewer, version=version))
    usual = rows.source.read_columns(rows.selection.metrics).rows
    withdrawn = [row for row, _ in rows.absent.withdrawn]
    every = {row.key for row in (*usual, *withdrawn)} | {row.key for row in rows.absent.unmeasured}

    def find_axes() -> Selection:
        return choose_axes(name_front_axis(rows), rows.passing)

    def rank_drawn() -> tuple[Selection, dict[RowKey, int]]:
        compared = choose_set(replace(rows, selection=with_axes))
        return with_axes.changed(baseline=compared.drawn.baseline), _rank(compared)

    with_axes = isolation.run_isolated("axes", query_string(rows.selection), find_axes, lambda: rows.selection)
    if not rows.is_drawn:
        return with_axes, sorted(every)
    resolved, ranks = isolation.run_isolated("drawn set", query_string(with_axes), rank_drawn, lambda: (with_axes, {}))
    return resolved, sorted(every, key=lambda key: (ranks.get(key, 2), key))


def _rank(compared: ComparedSet) -> dict[RowKey, int]:
    """0 for each row of the baseline, 1 for the other drawn ones."""
    drawn = compared.drawn
    axes = [axis for axis in (drawn.x, drawn.series) if axis in DIMENSIONS]
    return {
        row.key: int(drawn.baseline not in [row.texts[axis] for axis in axes] + [row.metric]) for row in compared.chosen.rows.rows
    }
