"""What holds of every answer under /api/v1/: problems instead of pages, HEAD, OPTIONS, CORS, ETags."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from webapp.api import problems
from webapp.http.data_version import data_version
from webapp.http.page_cache import VersionedRequest, make_etag

BASE = "/api/v1/"
_PAGES = (f"{BASE}docs",)
_READING = "GET, HEAD, OPTIONS"
_EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
_KEPT = ("Retry-After", "Allow")


def api_answers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware; stands inside the compression of answers, which weakens their ETags."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith("/api/") or request.path_info in _PAGES:
            return get_response(request)
        is_head = request.method == "HEAD"
        if is_head:
            request.method = "GET"
        response = _finish(request, get_response(request))
        if is_head and isinstance(response, HttpResponse):
            request.method = "HEAD"
            length = len(response.content)
            response.content = b""
            response["Content-Length"] = str(length)
        return response

    return answer


def versioned(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of what changes with the data version alone: 304 before it is made, and `request.data_version` for it."""

    @wraps(view)
    def call(request: VersionedRequest, *args: Any, **kwargs: Any) -> Any:
        request.data_version = data_version()
        viewer = (request.user.pk, request.user.is_staff) if request.user.is_authenticated else ()
        query = request.META.get("QUERY_STRING", "")
        request.api_etag = make_etag(request.get_host(), request.path, query, "api", viewer, request.data_version)
        return get_conditional_response(request, etag=request.api_etag) or view(request, *args, **kwargs)

    return call


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code >= 400 and not response.get("Content-Type", "").startswith(problems.MEDIA_TYPE):
        kept = {name: response[name] for name in _KEPT if name in response}
        response = problems.answer(request, response.status_code, headers=kept)
    patch_vary_headers(response, ("Authorization", "Accept"))
    patch_cache_control(response, private=True, no_cache=True)
    if request.method == "GET" and "Authorization" not in request.headers:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = _EXPOSED
    if request.method == "GET" and response.status_code == 200 and isinstance(response, HttpResponse):
        if "ETag" not in response:
            response["ETag"] = getattr(request, "api_etag", "") or f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        return get_conditional_response(request, etag=response["ETag"], response=response) or response
    return response
