"""304 and cached pages before Django makes a request of it, which takes most of the time of either.

Answered are readers without a session, at addresses that this process has answered through Django before, which checked
host, path and view; the one query is that for the data version. All other requests go on to Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.db import Error, close_old_connections

from webapp.http.data_version import data_version
from webapp.http.page_cache import (
    DATA_VERSION_KEY,
    ETAG_KEY,
    VARY_HEADERS,
    cache_key,
    find_page,
    is_known_address,
    make_etag,
    response_form,
)

Environ = dict[str, Any]
Application = Callable[[Environ, Callable], Iterable[bytes]]


def with_early_answers(application: Application, close_connections: Callable[[], None] = close_old_connections) -> Application:
    """The WSGI application with an early answer where there is one.

    `close_connections`: called before each query, as Django does before each request.
    """

    def answer(environ: Environ, start_response: Callable) -> Iterable[bytes]:
        early = _find_early_answer(environ, close_connections)
        if early is None:
            return application(environ, start_response)
        status, headers, body = early
        start_response(status, headers)
        return [body]

    return answer


def _find_early_answer(environ: Environ, close_connections: Callable[[], None]) -> tuple[str, list[tuple[str, str]], bytes] | None:
    """(status, headers, body) of a 304 or of the cached page; None where Django must answer."""
    host, path = environ.get("HTTP_HOST", ""), environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    if (
        environ["REQUEST_METHOD"] != "GET"
        or not is_known_address(host, path)
        or settings.SESSION_COOKIE_NAME in environ.get("HTTP_COOKIE", "")
    ):
        return None
    close_connections()
    version = _version()
    if version is None:
        return None
    form = response_form(environ.get("HTTP_HX_REQUEST"), environ.get("HTTP_HX_HISTORY_RESTORE_REQUEST"))
    page_etag = make_etag(host, path, environ.get("QUERY_STRING", ""), form, (), version)
    environ[DATA_VERSION_KEY], environ[ETAG_KEY] = version, page_etag
    # A compressed page has a weak ETag.
    if environ.get("HTTP_IF_NONE_MATCH", "").removeprefix("W/") == page_etag:
        return (
            "304 Not Modified",
            [("ETag", page_etag), ("Vary", ", ".join(VARY_HEADERS)), ("Cache-Control", "private, no-cache")],
            b"",
        )
    cached = find_page(cache_key(page_etag, environ.get("HTTP_ACCEPT_ENCODING", "")))
    return None if cached is None else ("200 OK", list(cached[1].items()), cached[0])


def _version() -> int | None:
    """The data version; None where the database does not answer, which Django then handles."""
    try:
        return data_version()
    except Error:
        return None
