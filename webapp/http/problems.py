"""Problem details (RFC 9457): every error under /api/, and of pages of which JSON is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, JsonResponse
from ninja import Schema

MEDIA_TYPE = "application/problem+json"
KINDS = {
    400: ("bad-request", "The request cannot be read."),
    401: ("token", "This needs a token that is valid: Authorization: Bearer poolmark_..."),
    403: ("scope", "The token, or its account, may not do this."),
    404: ("not-found", "There is nothing at this address, or it is not public and not yours."),
    405: ("method", "This address does not know the method; the header Allow lists those it knows."),
    406: ("not-acceptable", "There is no form of this that the header Accept allows."),
    409: ("conflict", "What is stored contradicts the request."),
    410: ("gone", "What was here was withdrawn or is no longer kept."),
    411: ("length", "The header Content-Length is missing."),
    412: ("precondition", "What is stored is not what the request's conditions expect."),
    413: ("too-large", "What was sent is larger than this site takes."),
    414: ("long-address", "The address is longer than this site takes."),
    415: ("media-type", "This address does not take content of this media type."),
    416: ("range", "The bytes named are not those that come next."),
    422: ("invalid", "Something in the request is not valid; errors names the places."),
    429: ("too-many", "Too many requests: wait for the seconds in Retry-After."),
    431: ("long-head", "The headers of the request are longer than this site takes."),
    500: ("fault", "Something failed on this site. Its operator finds it in the log by the X-Request-ID of this answer."),
    503: ("unavailable", "The database or the storage of this site does not answer; try again."),
    507: ("disk-full", "The disk of this site is full."),
}
"""Status -> name of the kind, and what it says where nothing more is known. `type` leads to the list on the page of the API."""


def is_wanted(request: HttpRequest) -> bool:
    """Whether the reader asks for JSON instead of a page."""
    return request.headers.get("Accept", "").startswith(("application/json", MEDIA_TYPE))


def answer(
    request: HttpRequest,
    status: int,
    detail: str = "",
    *,
    errors: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JsonResponse:
    """The response of a problem."""
    name, usual = KINDS.get(status, (str(status), ""))
    body: dict[str, Any] = {
        "type": f"/api/v1/docs#{name}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail or usual,
        "instance": request.path,
    }
    if errors:
        body["errors"] = [{"place": place, "detail": sentence} for place, sentence in errors]
    response = JsonResponse(body, status=status, headers=headers, json_dumps_params={"ensure_ascii": False})
    response["Content-Type"] = MEDIA_TYPE
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="Poolmark"'
    return response


COMMON = tuple(KINDS)
"""Statuses that every address may answer with."""


class ErrorPlace(Schema):
    """One thing that is wrong: `place` as `query.cursor`, `body.title`, `header.Content-Range`."""

    place: str
    detail: str


class ProblemDetails(Schema):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ErrorPlace] = []


class Problem(Exception):
    """Raised in a route: the request ends with this problem. `errors`: (place, sentence); `headers`: of the answer."""

    def __init__(
        self, status: int, detail: str = "", *, errors: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail)
        self.status, self.detail, self.errors, self.headers = status, detail, errors, headers


def invalid(place: str, detail: str) -> Problem:
    """The problem of one wrong value."""
    return Problem(422, detail, errors=[(place, detail)])
