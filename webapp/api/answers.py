"""What holds of every answer under /api/v1/: problems instead of pages, HEAD, OPTIONS, CORS, ETags."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from webapp.http import problems
from webapp.http.data_version import data_version
from webapp.http.page_cache import VersionedRequest, etag_of_call

BASE = "/api/"
_PAGES = ("/api/v1/docs",)
_EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
_OF_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "ETag")
_ASKED = {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def api_answers(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware; stands inside the compression of answers, which weakens their ETags."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(BASE) or request.path_info in _PAGES:
            return get_response(request)
        if request.method != "HEAD":
            return _finish(request, get_response(request))
        request.method = "GET"
        response = _finish(request, get_response(request))
        request.method = "HEAD"
        return _without_body(response)

    return answer


def _without_body(response: HttpResponseBase) -> HttpResponse:
    """The answer to HEAD: that to GET without its body."""
    bare = HttpResponse(status=response.status_code, headers=dict(response.headers))
    if isinstance(response, HttpResponse):
        bare["Content-Length"] = str(len(response.content))
    response.close()
    return bare


def versioned(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of what changes with the data version alone: 304 before it is made, and `request.data_version` for it."""

    @wraps(view)
    def call(request: VersionedRequest, *args: Any, **kwargs: Any) -> Any:
        request.data_version = data_version()
        request.api_etag = etag_of_call(request)
        return get_conditional_response(request, etag=request.api_etag) or view(request, *args, **kwargs)

    return call


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    response = _with_allowed(request, response)
    if response.status_code >= 400 and not response.get("Content-Type", "").startswith(problems.MEDIA_TYPE):
        response = problems.answer(request, response.status_code, headers=_without_those_of_body(response))
    patch_vary_headers(response, ("Authorization", "Accept"))
    patch_cache_control(response, private=True, no_cache=True)
    if request.method == "GET" and response.status_code == 200:
        response = _with_etag(request, response)
    for name, value in getattr(request, "rate", {}).items():
        response[name] = value
    if request.method == "GET" and "Authorization" not in request.headers:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = _EXPOSED
    return response


def _without_those_of_body(response: HttpResponseBase) -> dict[str, str]:
    return {name: value for name, value in response.items() if name not in _OF_BODY}


def _with_etag(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer with its ETag, the SHA-256 of its body where the route gives none; or 304."""
    if "ETag" not in response:
        etag = getattr(request, "api_etag", "")
        if not etag and isinstance(response, HttpResponse):
            etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        if not etag:
            return response
        response["ETag"] = etag
    return get_conditional_response(request, etag=response["ETag"], response=cast(HttpResponse, response)) or response


def _with_allowed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """405 with every method of the address; the same list as the answer to OPTIONS, by which browsers learn what is public."""
    if response.status_code != 405:
        return response
    methods = {name.strip() for name in response.get("Allow", "").split(",")} | {"OPTIONS"}
    methods |= {"HEAD"} if "GET" in methods else set()
    response["Allow"] = ", ".join(sorted(methods))
    if request.method != "OPTIONS":
        return response
    options = HttpResponse(status=204, headers=_without_those_of_body(response))
    if "GET" in methods:
        for name, value in {"Access-Control-Allow-Origin": "*", **_ASKED}.items():
            options[name] = value
    return options
