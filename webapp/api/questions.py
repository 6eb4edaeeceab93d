"""The query of a call in the grammar of /compare: as the OpenAPI document describes it, and as it is read."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from ingest.catalogue import METRICS
from webapp.comparison.question import ask
from webapp.comparison.rows import filter_rows
from webapp.comparison.selection import LONGEST_SEARCH, Selection, parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.source import RowSource
from webapp.http.page_cache import VersionedRequest
from webapp.http.problems import Problem

OWN = ("cursor", "limit")
"""Keys of the API beside those of /compare."""


_ANYTHING = {"type": "array", "items": {"type": "string"}}


def _texts(**of_each: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1, **of_each}}


_SAID: dict[str, tuple[dict[str, Any], str]] = {
    "metric": (_texts(enum=sorted(METRICS)), "OPERATION.QUANTITY of the catalogue; repeatable"),
    "q": ({"type": "string", "maxLength": LONGEST_SEARCH}, "Words that must occur"),
    "archive": (_texts(pattern="^[0-9]{1,9}$"), "Number of an archive; repeatable"),
    "study": (_texts(pattern=r"^[^\x00]+$"), "Name of a study; repeatable"),
    "tool": (_texts(), "A tool; repeatable. Every dimension of /compare is such a filter, sizes as ranges too: memory=8GiB..64GiB"),
}
"""Key -> schema and description."""


def filters(*, is_strict: bool = True) -> dict[str, Any]:
    """`openapi_extra` of a call that takes the filters of /compare, and refuses what it does not understand if it is strict."""
    parameters = [
        {"name": name, "in": "query", "required": False, "schema": schema if is_strict else _ANYTHING, "description": said}
        for name, (schema, said) in _SAID.items()
    ]
    return {"parameters": parameters}


def read_selection(query: QueryDict) -> Selection:
    """The query without what belongs to the API. Problem 422 where something in it is not understood."""
    pairs = [(key, value) for key, values in query.lists() if key not in OWN for value in values if key != "q" or value.strip()]
    selection = parse(pairs)
    empty = [(key, "") for key in _SAID if key != "q" and "" in query.getlist(key)]
    if wrong := [*selection.strange, *empty]:
        said = "is not understood: docs/addresses.md has the grammar."
        raise Problem(422, errors=[(f"query.{key[:200]}", f"{value[:200]!r} {said}") for key, value in wrong])
    return selection


def read_passing(request: VersionedRequest) -> tuple[RowSource, Columns]:
    """The rows of the summary that the reader sees and that pass the query's filters, of the metrics that it names or of all."""
    question = ask(read_selection(request.GET), request.user, version=request.data_version)
    source = RowSource(question.version, question.scopes)
    available = source.count_metrics()
    asked = question.selection
    metrics = tuple(name for name in sorted(available) if not asked.metrics or name in asked.metrics)
    return source, filter_rows(source, asked.changed(metrics=metrics)).passing
