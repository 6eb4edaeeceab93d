"""ETags and the page cache: pages that answer 304 or from Django's cache, which takes a small part of the CPU time of making them.

The ETag of a page is computed before the page, from everything that decides its content. It is also the cache key, so a
stale page cannot be found: every change of what a reader can see raises the data version in its own transaction, and the
version is part of the key. Only pages that are the same for all readers are cached: those of readers who are not signed
in, without a form token in them.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from functools import lru_cache, wraps
from pathlib import Path
from urllib.parse import urlencode

import brotli
from django.conf import settings
from django.contrib.messages.storage.session import SessionStorage
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.gzip import GZipMiddleware
from django.urls import Resolver404, resolve
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from webapp.http.data_version import data_version
from webapp.http.process_cache import MB, ProcessCache

# Answers as they travel: brotli, which is smaller, for readers without a session who accept it; gzip for the others.

BROTLI_QUALITY = 5
"""Takes about the time of gzip at Django's level; the next ones take several times as long for a few per cent."""
MIN_BYTES = 200
_brotli_word, _gzip_word = re.compile(r"\bbr\b"), re.compile(r"\bgzip\b")


def preferred_encoding(accepted: str) -> str:
    """The encoding for the value of a header Accept-Encoding: br, gzip or none (an empty string)."""
    if _brotli_word.search(accepted):
        return "br"
    return "gzip" if _gzip_word.search(accepted) else ""


class CompressionMiddleware(GZipMiddleware):
    def process_response(self, request, response):
        if (
            preferred_encoding(request.META.get("HTTP_ACCEPT_ENCODING", "")) != "br"
            or settings.SESSION_COOKIE_NAME in request.COOKIES
            or response.streaming
            or len(response.content) < MIN_BYTES
            or response.has_header("Content-Encoding")
        ):
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        packed = brotli.compress(response.content, quality=BROTLI_QUALITY)
        if len(packed) >= len(response.content):
            return response
        response.content = packed
        response.headers["Content-Length"] = str(len(packed))
        response.headers["Content-Encoding"] = "br"
        etag = response.get("ETag", "")
        if etag.startswith('"'):
            response.headers["ETag"] = f"W/{etag}"
        return response


@lru_cache(maxsize=1)
def _cached_release_digest() -> str:
    digest = hashlib.sha256(settings.POOLMARK_CONTACT.encode())
    for folder in ("webapp", "templates", "static/dist"):
        for file in sorted((Path(settings.BASE_DIR) / folder).rglob("*")):
            if file.suffix in (".py", ".html", ".js", ".css"):
                facts = file.stat()
                digest.update(f"{file} {facts.st_mtime_ns} {facts.st_size}\n".encode())
    return digest.hexdigest()


def release_digest() -> str:
    """SHA-256 of what pages depend on: the contact; names, times and sizes of code, templates, assets. Computed once."""
    if settings.DEBUG:
        _cached_release_digest.cache_clear()
    return _cached_release_digest()


DATA_VERSION_KEY = "poolmark.data_version"
ETAG_KEY = "poolmark.etag"
"""Keys of the WSGI environment: the data version that `early_answers` has read, and the ETag that it has made of it."""
VARY_HEADERS = ("HX-Request", "HX-History-Restore-Request", "Cookie")
MAX_CACHED = 1_000_000
"""Bytes of a body above which an answer is not cached."""
CONDITIONAL = "is_conditional"
"""The attribute of a view that answers 304 by the data version alone."""


class VersionedRequest(HttpRequest):
    """Type of Django's request with the attributes set here; never instantiated.

    `data_version`: that of the page; set for every request to a conditional page. `anonymous_etag`: the ETag computed before
    Django's middleware; set for readers without a session. `api_etag`: that of an answer of the API.
    """

    data_version: int
    anonymous_etag: str
    api_etag: str


def response_form(htmx_request: str | None, history_restore: str | None) -> str:
    """Which of the two answers of an address is requested, by the headers HX-Request and HX-History-Restore-Request: the
    page, or the part of it that htmx swaps in."""
    return "part" if htmx_request == "true" and history_restore != "true" else "page"


def request_etag(request: VersionedRequest) -> str | None:
    """Hash of release, page or part, query, viewer and data version; the version becomes an attribute of the request.

    None (no ETag) where a one-time message waits to be shown. The secret of the form token is part of the viewer: a page
    cached by the browser before signing in has a token that is no longer valid.
    """
    request.data_version = getattr(request, "data_version", None) or data_version()
    if SessionStorage.session_key in request.session:
        return None
    if request.user.is_authenticated:
        return _etag(request, request.user.pk, request.user.is_staff, request.COOKIES.get(settings.CSRF_COOKIE_NAME, ""))
    return getattr(request, "anonymous_etag", None) or _etag(request)


def etag_of_call(request: VersionedRequest) -> str:
    """The ETag of an answer of the API, which changes with the data version alone."""
    user = request.user
    viewer = (user.pk, user.is_staff) if user.is_authenticated else ()
    return make_etag(request.get_host(), request.path, request.META.get("QUERY_STRING", ""), "api", viewer, request.data_version)


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
    """The ETag of what one viewer sees of an address; queries with the same pairs in another order share it."""
    fields = QueryDict(query)
    pairs = urlencode(sorted(((key, value) for key, values in fields.lists() for value in values), key=lambda pair: pair[0]))
    parts = (release_digest(), host, path, pairs, form, viewer, version)
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def conditional(view):
    """Decorator: answer 304 where the reader's copy is current; for pages that change with the data version alone."""

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

    page.__dict__[CONDITIONAL] = True  # outer decorators copy it (`functools.wraps`)
    return page


def page_cache(get_response):
    """Middleware for readers without a session: 304 or the cached answer before any other middleware.

    It is the outermost, so that the whole answer is cached (see `webapp.http.early_answers`).
    """

    def answer(request):
        etag = _anonymous_etag(request)
        if etag is None:
            return get_response(request)
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            patch_vary_headers(unchanged, VARY_HEADERS)
            return unchanged
        key = cache_key(etag, request.META.get("HTTP_ACCEPT_ENCODING", ""))
        cached = find_page(key)
        if cached is not None:
            body, headers = cached
            return HttpResponse(body, headers=headers)
        request.anonymous_etag = etag
        response = get_response(request)
        if settings.PAGE_CACHE and _is_cacheable(request, response, etag):
            _keep_page(key, (response.content, dict(response.headers)))
        return response

    return answer


def cache_key(etag: str, encodings: str) -> str:
    """The key of the answer with this ETag, compressed or not by the header Accept-Encoding."""
    return f"page:{etag}:{preferred_encoding(encodings)}"


def _anonymous_etag(request: VersionedRequest) -> str | None:
    """The ETag of a page that changes with the data version alone, where the reader has no session; else None."""
    if ETAG_KEY in request.META:
        request.data_version = request.META[DATA_VERSION_KEY]
        return request.META[ETAG_KEY]
    if request.method not in ("GET", "HEAD") or settings.SESSION_COOKIE_NAME in request.COOKIES:
        return None
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    if not getattr(match.func, CONDITIONAL, False):
        return None
    request.data_version = data_version()
    remember_address(request.get_host(), request.path)
    return _etag(request)


_addresses = ProcessCache(1 * MB, lambda path: 300 + len(path))


def remember_address(host: str, path: str) -> None:
    """Remember an address of a conditional page under a host that Django has accepted."""
    _addresses.put((host, path), path)


def is_known_address(host: str, path: str) -> bool:
    """Whether this process has answered that address of a conditional page before."""
    return _addresses.get((host, path)) is not None


def _is_cacheable(request: HttpRequest, response: HttpResponse, etag: str) -> bool:
    """A page with an ETag of its own changes with something else than the data version, and is not kept."""
    return (
        request.method == "GET"
        and response.status_code == 200
        and not response.streaming
        and not response.cookies
        and etag.strip('"') in response.get("ETag", "")
        and len(response.content) <= MAX_CACHED
        # Set where the page has a form token.
        and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE")
    )


# Pages in Django's cache. A cache that does not answer has no page, and is left alone for some seconds.

_log = logging.getLogger(__name__)

_CACHE_SECONDS = 3600
_RETRY_SECONDS = 5.0
"""Seconds after an error during which the cache is not asked, so that readers do not wait for its timeout."""
_retry_at = 0.0
Page = tuple[bytes, dict[str, str]]
"""Body and headers."""


def find_page(key: str) -> Page | None:
    """The page of that key; None where the cache has none, does not answer, or is switched off."""
    if not _is_asked():
        return None
    try:
        return cache.get(key)
    except _errors() as error:
        _leave_alone(error)
        return None


def _keep_page(key: str, page: Page) -> None:
    if not _is_asked():
        return
    try:
        cache.set(key, page, _CACHE_SECONDS)
    except _errors() as error:
        _leave_alone(error)


def count_up(key: str, seconds: int) -> int:
    """The number of times that the key was counted, which is forgotten after the seconds; 0 where the cache does not answer."""
    if not _is_asked():
        return 0
    try:
        cache.add(key, 0, seconds)
        return cache.incr(key)
    except (ValueError, *_errors()) as error:  # type: ignore[misc]  # ValueError: forgotten between the two
        _leave_alone(error)
        return 0


def _is_asked() -> bool:
    return settings.PAGE_CACHE and time.monotonic() >= _retry_at


def _errors() -> tuple[type[Exception], ...]:
    """What the cache raises where its server fails. Redis is not imported where it is not used."""
    if not settings.REDIS_URL:
        return ()
    from redis import RedisError

    return (RedisError,)


def _leave_alone(error: Exception) -> None:
    global _retry_at
    _retry_at = time.monotonic() + _RETRY_SECONDS
    _log.warning("the page cache does not answer: %s", error)
