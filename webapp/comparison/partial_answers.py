"""The answer to a comparison (page, JSON, CSV) even where some of its rows cannot be computed, serialised or drawn.

All rows are tried first. Where that fails, the rows of the summary with which it fails are found by bisection, those of the
drawn set first, and the answer is made without them and with a flag that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from webapp.comparison import compare, groups
from webapp.comparison.model import Comparison, Flag
from webapp.comparison.selection import Selection, query_string
from webapp.comparison.summary.reader import RowKey
from webapp.http import isolation

LEFT_OUT = "left-out"
"""The id of the flag."""
_Answer = TypeVar("_Answer")


def make_answer(
    selection: Selection, viewer, make: Callable[[Comparison], _Answer], version: int, most: int | None = groups.MAX_POINTS
) -> _Answer:
    """`make` of the comparison that the reader may see; where it fails, without the failing rows and with a flag.

    `most` as for `compare.compare`. Raises what `make` raises for the comparison without any row.
    """
    try:
        return make(compare.compare(selection, viewer, most=most, version=version, presets=most is not None))
    except Exception as error:
        if isolation.is_database_unusable(error):
            raise
        isolation.log_failure("comparison", query_string(selection))
    # The axes of all rows: for a part of the rows others might be chosen, with which nothing fails.
    selection, keys = compare.find_row_keys(selection, viewer, version)
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
        comparison = compare.compare(
            self.selection, self.viewer, most=self.most, version=self.version, only=frozenset(keys), presets=True
        )
        if omitted:
            comparison.flags.insert(0, _flag(omitted))
        return self.make(comparison)


def _flag(omitted: Sequence[RowKey]) -> Flag:
    metrics = ", ".join(sorted({metric for metric, _, _ in omitted}))
    rows = f"{len(omitted)} row{'' if len(omitted) == 1 else 's'}"
    return Flag(LEFT_OUT, f"{isolation.FAILURE_NOTE} Left out: {rows} of the summary, of {metrics}.")
