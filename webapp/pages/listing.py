"""Lists with search, sorting, facets and pages: what the address asks for, and the links and choices that the page shows.

Everything works by the address alone: the controls are a form, heads of columns and pages are links.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict

from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.search import parse_search
from webapp.comparison.selection import LONGEST_SEARCH

MAX_CHOICES = 60
"""Choices of a facet, those with most rows."""
LONGEST_VALUE = 300
_SQUEEZED = re.compile(r"[\W_]+")
ASCENDING, DESCENDING = "ascending", "descending"


class Column(NamedTuple):
    """A column that sorts. `key`: its value in a row, None where unknown; `falls`: whether a click puts the largest first."""

    name: str
    label: str
    key: Callable[[Any], Any]
    number: bool = False
    falls: bool = False


class FacetKey(NamedTuple):
    """A facet of rows in memory. `values`: those of a row, none where they are unknown; `show`: a value for people."""

    name: str
    label: str
    values: Callable[[Any], Sequence[str]]
    show: Callable[[str], str] = str


class FacetValue(NamedTuple):
    """A value of a facet with its number of rows."""

    value: str
    label: str
    n: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class FacetChoices:
    """The choices of a facet: those with most rows first."""

    name: str
    label: str
    choices: Sequence[FacetValue]

    @property
    def chosen(self) -> bool:
        """Whether the list is filtered by it."""
        return any(choice.chosen for choice in self.choices)


class Head(NamedTuple):
    """The head of a column: the query string of its link, and how the list is sorted by it (ARIA's words), '' where it is not."""

    name: str
    label: str
    number: bool
    query: str
    direction: str


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What an address asks of a list. `filters`: value by facet; `sort`: a column, with `-` in front where it falls; `kept`: pairs
    of the address that stay."""

    q: str
    filters: Mapping[str, str]
    sort: str
    usual_sort: str
    after: str
    kept: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """The words of the search, in lower case."""
        return parse_search(self.q)

    @property
    def narrowed(self) -> bool:
        """Whether it asks for less than the whole list."""
        return bool(self.q or self.filters)

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """(column, whether it falls)."""
        return self.sort.removeprefix("-"), self.sort.startswith("-")

    def query(self, sort: str | None = None, after: str = "", without: str = "") -> str:
        """The query string of the same list, sorted in another way, from another row, or without a filter."""
        sort = self.sort if sort is None else sort
        filters = {"q": self.q, **dict(sorted(self.filters.items()))}
        pairs = [*self.kept, *((name, value) for name, value in filters.items() if name != without)]
        pairs += [("sort", sort if sort != self.usual_sort else ""), ("after", after)]
        return urlencode([(name, value) for name, value in pairs if value])

    def heads(self, columns: Sequence[Column]) -> list[Head]:
        """A head for each column; its link sorts by it, or turns the order."""
        name, falls = self.sorted_by
        heads = []
        for column in columns:
            now = name == column.name
            sort = f"{'' if falls else '-'}{name}" if now else f"{'-' if column.falls else ''}{column.name}"
            direction = (DESCENDING if falls else ASCENDING) if now else ""
            heads.append(Head(column.name, column.label, column.number, self.query(sort), direction))
        return heads


def parse_list_query(
    get: QueryDict, columns: Sequence[str], facets: Sequence[str], usual_sort: str, kept: Sequence[str] = ()
) -> ListQuery:
    """The list that the query string asks for; what is not understood is left out."""
    asked = {name: text.replace("\0", "") for name in get if isinstance(text := get[name], str) and text}
    sort = asked.get("sort", "")
    return ListQuery(
        " ".join(asked.get("q", "").split())[:LONGEST_SEARCH],
        {name: asked[name][:LONGEST_VALUE] for name in facets if name in asked},
        sort if sort.removeprefix("-") in columns else usual_sort,
        usual_sort,
        asked.get("after", "")[:LONGEST_VALUE],
        tuple((name, asked[name][:LONGEST_VALUE]) for name in kept if name in asked),
    )


def squeeze(text: str) -> str:
    """Letters and digits alone, in lower case: `E5-2620 v3` is found by `e52620v3`."""
    return _SQUEEZED.sub("", text.lower())


def matches_words(text: str, words: frozenset[str]) -> bool:
    """Whether each word is in the text, as written or without signs and spaces."""
    text = text.lower()
    return all(word in text or (len(squeeze(word)) > 2 and squeeze(word) in squeeze(text)) for word in words)


class ListPage(NamedTuple):
    """A page of a list in memory: the rows, the number of the first one and of all, and the tokens of the pages beside it."""

    rows: Sequence
    first: int
    total: int
    after: str
    before: str | None
    """The token of the page before, '' for the first one; None where this is the first."""

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1


def page_of(rows: Sequence, after: str, size: int) -> ListPage:
    """The page behind the row with the id `after`; the first one where there is no such row. Rows have `pk`."""
    start = next((number + 1 for number, row in enumerate(rows) if str(row.pk) == after), 0) if after else 0
    page = rows[start : start + size]
    further = str(page[-1].pk) if start + size < len(rows) else ""
    before = None if start == 0 else str(rows[start - size - 1].pk) if start > size else ""
    return ListPage(page, start + 1, len(rows), further, before)


@dataclass(frozen=True, slots=True)
class ShownList:
    """What a list shows of all rows: those that were `found`, a page of them, and the choices of its facets."""

    query: ListQuery
    every: Sequence
    found: Sequence
    page: ListPage
    facets: Sequence[FacetChoices]
    heads: Mapping[str, Head]
    """By the name of the column, in their order."""

    def context(self, heads: Iterable[str] | None = None, limit: int = 0) -> dict[str, Any]:
        """What the templates of every list need: the heads (all, or those named), the query strings of the pages beside this one,
        and what is set, each as (label, value, query string without it). `limit`: rows beyond which none are listed, 0 where there
        are no more."""
        query = self.query
        chosen = [(facet, value) for facet in self.facets for value in facet.choices if value.chosen]
        words = [("Search", query.q, query.query(without="q"))] if query.q else []
        return {
            "list": query,
            "page": self.page,
            "facets": self.facets,
            "heads": [self.heads[name] for name in (self.heads if heads is None else heads)],
            "every": len(self.every),
            "limit": limit,
            "next_query": query.query(after=self.page.after),
            "previous_query": query.query(after=self.page.before or ""),
            "chosen": words + [(facet.label, value.label, query.query(without=facet.name)) for facet, value in chosen],
        }


@dataclass(frozen=True, slots=True)
class ListView:
    """A list of rows in memory: its columns and facets, the usual order, rows of a page, and what a search looks at in a row, None
    where the rows are searched by the database."""

    columns: Sequence[Column]
    facets: Sequence[FacetKey]
    usual_sort: str
    size: int
    text: Callable[[Any], str] | None = None

    def parse(self, get: QueryDict, kept: Sequence[str] = ()) -> ListQuery:
        """What the address asks for."""
        return parse_list_query(
            get, [column.name for column in self.columns], [facet.name for facet in self.facets], self.usual_sort, kept
        )

    def show(self, query: ListQuery, every: Sequence) -> ShownList:
        """Search, filter, sort and cut the rows."""
        asked = query if self.text else replace(query, q="")
        found, facets = filter_rows(every, asked, self.facets, self.text or str)
        page = page_of(sort_rows(found, query, self.columns), query.after, self.size)
        return ShownList(query, every, found, page, facets, {head.name: head for head in query.heads(self.columns)})


def attribute(name: str) -> Callable[[Any], Sequence[str]]:
    """The value of an attribute of a row, as those of a facet."""
    return lambda row: [value] if (value := getattr(row, name)) else ()


def sort_rows(rows: Sequence, query: ListQuery, columns: Sequence[Column]) -> list:
    """The rows in the order that is asked for, unknown values last; equal ones as they were."""
    name, falls = query.sorted_by
    key = next(column.key for column in columns if column.name == name)
    known = [row for row in rows if key(row) is not None]
    return sorted(known, key=key, reverse=falls) + [row for row in rows if key(row) is None]


def filter_rows(
    rows: Sequence, query: ListQuery, facets: Sequence[FacetKey], text: Callable[[Any], str]
) -> tuple[list, list[FacetChoices]]:
    """The rows that pass search and filters; and for each facet its choices with the rows that they would give."""
    if query.words:
        rows = [row for row in rows if matches_words(text(row), query.words)]
    values = {facet.name: [facet.values(row) or (UNKNOWN,) for row in rows] for facet in facets}
    masks = {name: [value in own for own in values[name]] for name, value in query.filters.items()}

    def passing(items: Sequence, but: str = "") -> Iterable:
        """The items of the rows that pass every filter, or every other one."""
        others = [mask for name, mask in masks.items() if name != but]
        return compress(items, map(all, zip(*others, strict=True))) if others else items

    choices = []
    for facet in facets:
        counts = Counter(chain.from_iterable(map(set, passing(values[facet.name], facet.name))))
        choices.append(make_choices(facet.name, facet.label, counts, query.filters.get(facet.name, ""), facet.show))
    return list(passing(rows)), choices


def make_choices(name: str, label: str, counts: Mapping[str, int], chosen: str, show: Callable[[str], str] = str) -> FacetChoices:
    """The choices of a facet from its counts, the chosen one always among them, an unknown value last."""
    ranked = sorted(counts.items(), key=lambda item: (item[0] == UNKNOWN, -item[1], item[0]))
    offered = dict(ranked[:MAX_CHOICES])
    if chosen and chosen not in offered:
        offered[chosen] = counts.get(chosen, 0)
    return FacetChoices(
        name,
        label,
        [FacetValue(value, _label(value, counts, show), n, value == chosen) for value, n in offered.items()],
    )


def _label(value: str, counts: Mapping[str, int], show: Callable[[str], str]) -> str:
    """A value as it is shown; one that no row has as it was asked for."""
    return "unknown" if value == UNKNOWN else show(value) if value in counts else value
