"""The road of a comparison: `Question -> Rows -> Rows of a set -> ComparedSet -> Groups -> Judged -> Comparison`.

Each stage takes the former one's result and returns its own, frozen. Only the rows ask the summary.
"""

from __future__ import annotations

from typing import Any

from webapp.comparison.compared_set import choose_set
from webapp.comparison.comparison import Comparison, make_comparison
from webapp.comparison.groups import make_groups
from webapp.comparison.judged import judge
from webapp.comparison.landing import land
from webapp.comparison.question import MAX_POINTS, RowKey, Selection, ask
from webapp.comparison.rows import read_rows


def compare(
    selection: Selection,
    viewer: Any,
    *,
    exact: bool = False,
    most: int | None = MAX_POINTS,
    version: int | None = None,
    only: frozenset[RowKey] | None = None,
    presets: bool = False,
) -> Comparison:
    """The comparison that a reader may see. In a process that has nothing of it cached at most nine queries, with a search eleven.

    See `Question` for what may be asked.
    """
    question = ask(selection, viewer, version=version, exact=exact, most=most, only=only, presets=presets)
    rows = read_rows(question)
    landed = land(rows)
    compared = choose_set(landed)
    groups = make_groups(compared)
    judged = judge(groups)
    return make_comparison(judged)
