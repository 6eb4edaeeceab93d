"""The query of a call in the grammar of /compare: as the OpenAPI document describes it, and as it is read."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from django.http import QueryDict

from ingest.catalogue import METRICS
from webapp.comparison.question import ask
from webapp.comparison.rows import RowSource, filter_rows
from webapp.comparison.selection import LONGEST_SEARCH, Selection, parse
from webapp.comparison.summary.columns import Columns
from webapp.http.page_cache import VersionedRequest
from webapp.http.problems import Problem

OWN = ("cursor", "limit")
"""Keys of the API beside those of /compare."""


def _texts(**of_each: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1, **of_each}}


FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "metric": (_texts(enum=sorted(METRICS)), "OPERATION.QUANTITY of the catalogue; repeatable"),
    "q": ({"type": "string", "maxLength": LONGEST_SEARCH}, "Words that must occur"),
    "archive": (_texts(pattern="^[0-9]{1,9}$"), "Number of an archive; repeatable"),
    "study": (_texts(pattern=r"^[^\x00]+$"), "Name of a study; repeatable"),
    "tool": (_texts(), "A tool; repeatable. Every dimension of /compare is such a filter, sizes as ranges too: memory=8GiB..64GiB"),
}
"""Key -> schema and description."""


def filters() -> dict[str, Any]:
    """`openapi_extra` of a call that takes the filters of /compare."""
    parameters = [
        {"name": name, "in": "query", "required": False, "schema": schema, "description": said}
        for name, (schema, said) in FILTERS.items()
    ]
    return {"parameters": parameters}


def read_selection(query: QueryDict, checked: Container[str] | None = None) -> Selection:
    """The query without what belongs to the API. Problem 422 where something is not understood; `checked`: of these keys alone."""
    pairs = [(key, value) for key, values in query.lists() if key not in OWN for value in values if key != "q" or value.strip()]
    selection = parse(pairs)
    empty = [(key, "") for key in FILTERS if key != "q" and "" in query.getlist(key)]
    if wrong := [pair for pair in (*selection.strange, *empty) if checked is None or pair[0] in checked]:
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
