"""A comparison's answer (page, JSON, CSV) that stands even where some of its rows cannot be computed, serialised or drawn.

The whole is tried first. Only where that fails the rows of the summary that it fails with are looked for, by halves, and the
answer is made without them and with a flag that says so.
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
_Made = TypeVar("_Made")


def make_answer(
    selection: Selection, viewer, make: Callable[[Comparison], _Made], version: int, most: int | None = groups.MAX_POINTS
) -> _Made:
    """`make` of the comparison that the reader may see; `most` as for `compare.compare`.

    Raises what `make` of the comparison without any row raises.
    """
    try:
        return make(compare.compare(selection, viewer, most=most, version=version))
    except Exception as error:
        if isolation.is_transaction_broken(error):
            raise
        isolation.log_failure("comparison", query_string(selection))
    # The axes of the whole: of a part of the rows others might be chosen, with which nothing fails.
    selection, keys = compare.find_row_keys(selection, viewer, version)
    return _PartialAnswer(selection, viewer, make, version, most).answer(keys)


@dataclass(frozen=True, slots=True)
class _PartialAnswer(Generic[_Made]):
    """The answer without some rows, see `make_answer`."""

    selection: Selection
    viewer: object
    make: Callable[[Comparison], _Made]
    version: int
    most: int | None

    def answer(self, keys: Sequence[RowKey]) -> _Made:
        """From those rows with which it can be made."""
        self.made((), ())  # where not even this can be made, no row is to blame
        good = isolation.find_working("rows of the summary", keys, lambda some: self.made(some, ()))
        while good:
            away = sorted({*keys} - {*good})
            try:
                return self.made(good, away)
            except Exception as error:
                if isolation.is_transaction_broken(error):
                    raise
                isolation.log_failure("rows that fail together", good)
                good = good[: len(good) // 2]
        return self.made((), keys)

    def made(self, only: Sequence[RowKey], away: Sequence[RowKey]) -> _Made:
        """The answer from these rows alone, with a flag for those that are `away`."""
        found = compare.compare(self.selection, self.viewer, most=self.most, version=self.version, only=frozenset(only))
        if away:
            found.flags.insert(0, _flag(away))
        return self.make(found)


def _flag(away: Sequence[RowKey]) -> Flag:
    metrics = ", ".join(sorted({metric for metric, _, _ in away}))
    rows = f"{len(away)} row{'' if len(away) == 1 else 's'}"
    return Flag(LEFT_OUT, f"{isolation.FAILURE_NOTE} Left out: {rows} of the summary, of {metrics}.")
