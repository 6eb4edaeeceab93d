"""The query of a call in the grammar of /compare: as the OpenAPI document describes it, and as it is read."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from webapp.comparison.selection import Selection, parse

OWN = ("cursor", "limit")
"""Keys of the API beside those of /compare."""
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_SAID = {
    "metric": "OPERATION.QUANTITY of the catalogue; repeatable",
    "q": "Words that must occur",
    "archive": "Number of an archive; repeatable",
    "study": "Name of a study; repeatable",
    "tool": "A tool; repeatable. Every dimension of /compare is a filter like this one, sizes also as ranges (memory=8GiB..64GiB)",
}


def example(query: str) -> dict[str, Any]:
    """An example of a query, which a test runs."""
    return {"x-example": query}


def filters(extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """`openapi_extra` of a call that takes the filters of /compare."""
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": _TEXTS if name != "q" else {"type": "string"},
            "description": said,
        }
        for name, said in _SAID.items()
    ]
    return {"parameters": parameters, **(extra or {})}


def read_selection(query: QueryDict) -> Selection:
    """The query without what belongs to the API."""
    return parse([(key, value) for key, values in query.lists() if key not in OWN for value in values])
