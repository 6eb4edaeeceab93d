"""Problem details (RFC 9457): the body of every error under /api/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ninja import Schema

from webapp.http.problem_answers import KINDS, MEDIA_TYPE, answer

__all__ = ["KINDS", "MEDIA_TYPE", "answer"]
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
