"""What holds of every answer under /api/v1/: problems instead of pages, HEAD, OPTIONS, CORS, ETags."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from webapp.api import problems

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
            response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        return get_conditional_response(request, etag=response["ETag"], response=response) or response
    return response
