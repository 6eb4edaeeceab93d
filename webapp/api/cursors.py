"""Pages of lists: `{"items": [...], "next": address or null}`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query

from webapp.http.pagination import decode_page_token, paginate, paginate_rows
from webapp.http.problems import Problem

SIZE, MAX_SIZE = 50, 500
Cursor: Any = Query(None, description="Of the next page, as the address in next has it", min_length=1, max_length=2000)
Limit: Any = Query(SIZE, ge=1, le=MAX_SIZE, description="Rows of a page")


def check_cursor(cursor: str | None, parts: int) -> None:
    """Problem 404 for a cursor that is none of a list with so many keys."""
    if cursor and decode_page_token(cursor, parts) is None:
        raise no_page()


def no_page() -> Problem:
    """There is no page at this cursor."""
    said = "There is no page at this cursor: take it from next, or leave it out."
    return Problem(404, said, errors=[("query.cursor", said)])


def list_page(
    request: HttpRequest,
    query: QuerySet | Sequence[QuerySet],
    fields: tuple[str, ...],
    describe: Callable[[Any], Any],
    page: tuple[str | None, int],
    rising: bool = False,
) -> dict[str, Any]:
    """A page of rows of the database, as `paginate` has them. `page`: cursor and size."""
    check_cursor(page[0], len(fields))
    rows, further = paginate(query, page[0], fields, size=page[1], rising=rising)
    return {"items": [describe(row) for row in rows], "next": next_address(request, further)}


def list_rows(
    request: HttpRequest,
    rows: Sequence[Any],
    key: Callable[[Any], tuple],
    describe: Callable[[Any], Any],
    page: tuple[str | None, int],
) -> dict[str, Any]:
    """A page of rows in memory, in rising order of `key`."""
    check_cursor(page[0], len(key(rows[0])) if rows else 1)
    shown, further = paginate_rows(rows, page[0], key, page[1])
    return {"items": [describe(row) for row in shown], "next": next_address(request, further)}


def next_address(request: HttpRequest, cursor: str | None) -> str | None:
    """The request's address with that cursor; None where there is no further page."""
    if cursor is None:
        return None
    query = request.GET.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
