"""Every value of one dimension, for a list that the comparison page loads on demand."""

from __future__ import annotations

from typing import NamedTuple

from webapp.comparison import facets
from webapp.comparison.compare import find_source
from webapp.comparison.compared_set import choose_metric
from webapp.comparison.model import Choice
from webapp.comparison.rows import count_metrics, count_passing, filter_rows, search_metrics
from webapp.comparison.selection import METRIC, Selection

MAX_VALUES = 500


class FoundValues(NamedTuple):
    """The values that give something, at most `MAX_VALUES`; `more`: how many others there are; `selection` with its metric."""

    selection: Selection
    choices: list[Choice]
    more: int


def find_values(selection: Selection, viewer, version: int, name: str, search: str) -> FoundValues:
    """The values of a dimension, or the metrics, that have the searched text and give something with the other filters."""
    source, _ = find_source(selection, viewer, version)
    available = count_metrics(version, source.scopes)
    selection = choose_metric(search_metrics(source, selection, available)[0], available)
    if name == METRIC:
        offered = facets.metric_choices(selection, available, count_passing(source, selection, available))
        found = [choice for choice in offered if (choice.n or choice.chosen) and search.lower() in choice.label.lower()]
        return FoundValues(selection, found[:MAX_VALUES], max(0, len(found) - MAX_VALUES))
    choices, more = facets.list_values(facets.RowFilter(selection), name, filter_rows(source, selection).rows, search, MAX_VALUES)
    return FoundValues(selection, choices, more)
