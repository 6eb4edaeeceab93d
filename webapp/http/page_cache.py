"""Pages that answer 304 or from Django's cache: 0.1 ms of CPU time instead of the 2 to 5 ms that making the page takes.

Their ETag follows from what decides their content, known before it is read.

The ETag is the key of the cache too, so a page that could be stale cannot be found: every change of what a reader can
see raises the data version in its own transaction, and the version is part of the key. Kept are only pages that
everybody sees alike: those of readers who are not signed in, without a form token in them.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache, wraps
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.messages.storage.session import SessionStorage
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import Resolver404, resolve
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from webapp.http.data_version import data_version
from webapp.http.process_cache import ProcessCache


@lru_cache(maxsize=1)
def _release_once() -> str:
    digest = hashlib.sha256()
    for folder in ("webapp", "templates", "static/dist"):
        for file in sorted((Path(settings.BASE_DIR) / folder).rglob("*")):
            if file.suffix in (".py", ".html", ".js", ".css"):
                facts = file.stat()
                digest.update(f"{file} {facts.st_mtime_ns} {facts.st_size}\n".encode())
    return digest.hexdigest()


def release() -> str:
    """What this copy's pages are made of: another template or style sheet is another page. Once a process."""
    if settings.DEBUG:
        _release_once.cache_clear()
    return _release_once()


READ, FOUND = "poolmark.data_version", "poolmark.etag"
"""Where the WSGI environment holds the data version that `early_answers` has read, and the ETag that it has made of it."""
VARY_HEADERS = ("HX-Request", "HX-History-Restore-Request", "Cookie")
KEPT_SECONDS = 3600
MOST_KEPT = 1_000_000
"""Bytes of a body above which an answer is not kept."""
CONDITIONAL = "is_conditional"
"""The attribute of a view that answers 304 by the data version alone."""


class VersionedRequest(HttpRequest):
    """Django's request with what is known of its answer; never made, only a type.

    `data_version`: with which the page is made; of every request to a conditional page. `strangers_etag`: the ETag that was
    found before the reader was known; of readers without a session.
    """

    data_version: int
    strangers_etag: str


def response_form(asked: str | None, back: str | None) -> str:
    """Which of the two answers of an address is asked for, by the headers HX-Request and HX-History-Restore-Request: the
    page, or the part of it that htmx swaps in."""
    return "part" if asked == "true" and back != "true" else "page"


def request_etag(request: VersionedRequest) -> str | None:
    """Hash of release, page or part, query in the order given, viewer and data version, which the request keeps.

    None (no ETag) where a one-time message waits to be shown. The form token's secret belongs to the viewer: a page
    kept from before signing in holds a token that is no longer good.
    """
    request.data_version = getattr(request, "data_version", None) or data_version()
    if SessionStorage.session_key in request.session:
        return None
    if request.user.is_authenticated:
        return _etag(request, request.user.pk, request.user.is_staff, request.COOKIES.get(settings.CSRF_COOKIE_NAME, ""))
    return getattr(request, "strangers_etag", None) or _etag(request)


def _etag(request: VersionedRequest, *viewer: object) -> str:
    return make_etag(
        request.get_host(),
        request.path,
        request.META.get("QUERY_STRING", ""),
        response_form(request.headers.get("HX-Request"), request.headers.get("HX-History-Restore-Request")),
        viewer,
        request.data_version,
    )


@lru_cache(maxsize=1000)
def make_etag(host: str, path: str, query: str, form: str, viewer: tuple, version: int) -> str:
    """The ETag of what one viewer sees of an address; queries that name the same pairs in another order share it."""
    fields = QueryDict(query)
    pairs = urlencode(sorted(((key, value) for key, values in fields.lists() for value in values), key=lambda pair: pair[0]))
    facts = (release(), host, path, pairs, form, viewer, version)
    return f'"{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}"'


def conditional(view):
    """Answer 304 where the reader's copy is still true; for pages that change with the data version alone."""

    @wraps(view)
    def page(request, *args, **kwargs):
        etag = request_etag(request)
        response = get_conditional_response(request, etag=etag) if etag else None
        if response is None:
            response = view(request, *args, **kwargs)
            if etag and response.status_code == 200:
                response.headers.setdefault("ETag", etag)
        patch_vary_headers(response, VARY_HEADERS)
        patch_cache_control(response, private=True, no_cache=True)
        return response

    page.__dict__[CONDITIONAL] = True  # decorators around it take it over (`functools.wraps`)
    return page


def kept_pages(get_response):
    """Middleware for readers without a session: 304 or the kept answer before anything else is done for the request.

    It stands outside of all others, so that what is kept is the whole answer (see `webapp.http.early_answers`).
    """

    def answer(request):
        found = _strangers(request)
        if found is None:
            return get_response(request)
        unchanged = get_conditional_response(request, etag=found)
        if unchanged is not None:
            patch_vary_headers(unchanged, VARY_HEADERS)
            return unchanged
        key = cache_key(found, request.META.get("HTTP_ACCEPT_ENCODING", ""))
        kept = cache.get(key) if settings.PAGE_CACHE else None
        if kept is not None:
            return HttpResponse(kept[0], headers=kept[1])
        request.strangers_etag = found
        response = get_response(request)
        if settings.PAGE_CACHE and _is_everybodys(request, response):
            cache.set(key, (response.content, dict(response.headers)), KEPT_SECONDS)
        return response

    return answer


def cache_key(found: str, encodings: str) -> str:
    """Under which the cache holds the answer of that ETag, packed or not."""
    return f"page:{found}:{'gzip' if 'gzip' in encodings else ''}"


def _strangers(request: VersionedRequest) -> str | None:
    """The ETag of a page that changes with the data version alone, where the reader has no session; else None."""
    if FOUND in request.META:
        request.data_version = request.META[READ]
        return request.META[FOUND]
    if request.method not in ("GET", "HEAD") or settings.SESSION_COOKIE_NAME in request.COOKIES:
        return None
    try:
        found = resolve(request.path_info)
    except Resolver404:
        return None
    if not getattr(found.func, CONDITIONAL, False):
        return None
    request.data_version = data_version()
    answered(request.get_host(), request.path)
    return _etag(request)


_answered = ProcessCache(10_000)


def answered(host: str, path: str) -> None:
    """Remember an address of a conditional page under a host that Django has let through."""
    _answered.put((host, path), True)


def was_answered(host: str, path: str) -> bool:
    """Whether this process has answered that address of a conditional page before."""
    return _answered.get((host, path)) is not None


def _is_everybodys(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        request.method == "GET"
        and response.status_code == 200
        and not response.streaming
        and not response.cookies
        and "ETag" in response
        and len(response.content) <= MOST_KEPT
        # Set by whoever put a form's token into the page.
        and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE")
    )
