"""Query strings of a selection with one change each, for the many links of a page. Plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webapp.comparison.selection import Selection, dimension_position, encode_pair, query_pairs


class Links:
    """Query strings of a selection with one change each; the unchanged parts are encoded once."""

    def __init__(self, selection: Selection) -> None:
        pairs = [encode_pair(*pair) for pair in query_pairs(selection)]
        # Positions of parts in the order of `query_pairs`, counted from its end.
        tail = sum(
            map(
                len,
                (
                    selection.archives,
                    selection.studies,
                    selection.overlay,
                    selection.settings,
                    selection.words.pairs(),
                    selection.strange,
                ),
            )
        ) + bool(selection.q)
        filters_end = len(pairs) - tail
        filters = filters_end - sum(len(values) for _, values in selection.filters)
        pooled = filters - len(selection.prices) - len(selection.pool)
        held = pooled - len(selection.hold)
        facet = len(selection.metrics) + bool(selection.x) + bool(selection.series)
        self._head, self._tail = pairs[:filters], pairs[filters_end:]
        self._around_filters = _around(self._head, self._tail)
        self._around_facet = _around(pairs[:facet], pairs[facet + bool(selection.facet) :])
        self._around_hold = _around(pairs[:held], pairs[pooled:])
        self._filters = [(name, [encode_pair(name, value) for value in values]) for name, values in selection.filters]

    def with_filters(self, values: Mapping[str, str], encoded: str | None = None) -> str:
        """The query with each of these dimensions filtered by its value alone. `encoded`: `filter_query(values)`, if known."""
        others = [(name, pairs) for name, pairs in self._filters if name not in values]
        if values and not others:
            before, after = self._around_filters
            return f"{before}{filter_query(values) if encoded is None else encoded}{after}"
        changed = [(name, [encode_pair(name, value)]) for name, value in values.items()]
        filters = [pair for _, pairs in sorted(others + changed, key=lambda item: dimension_position(item[0])) for pair in pairs]
        return "&".join([*self._head, *filters, *self._tail])

    def with_facet(self, dimension: str) -> str:
        """The query with one figure for each value of the dimension."""
        before, after = self._around_facet
        return f"{before}{encode_pair('facet', dimension)}{after}"

    def with_hold(self, names: Iterable[str]) -> str:
        """The query with these dimensions held equal; they are in the order of DIMENSIONS."""
        before, after = self._around_hold
        return f"{before}{'&'.join([encode_pair('hold', name) for name in names])}{after}"


def _around(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The text of a query before and after a pair, with the ampersands."""
    return "&".join([*before, ""]), "&".join(["", *after])


def filter_query(values: Mapping[str, str]) -> str:
    """Filters of dimensions by one value each, as part of a query string."""
    return "&".join([encode_pair(name, values[name]) for name in sorted(values, key=dimension_position)])
