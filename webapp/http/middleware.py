"""Middleware: the Content-Security-Policy header, and a check of a request by its head alone."""

from __future__ import annotations

from functools import lru_cache

from csp.middleware import HEADER, CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# A check of a request by its head alone, before the CSRF check reads its body.


def before_body(get_response):
    """Middleware; stands before Django's CsrfViewMiddleware, whose check reads the form."""

    def middleware(request):
        return get_response(request)

    def process_view(request, view, _args, _kwargs):
        check = getattr(view, "before_body", None)
        return check(request) if check else None

    middleware.process_view = process_view  # type: ignore[attr-defined]
    return middleware


_default_policy, _NO_PARTS = lru_cache(1)(build_policy), PolicyParts()


class PolicyMiddleware(CSPMiddleware):
    """django-csp's middleware, which builds the header anew only for views decorated with `csp`, `csp_update` or `csp_replace`.

    Its `csp_exempt` has no effect: a page without a policy is not wanted.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        # Django's debug pages need what this policy forbids.
        if settings.DEBUG or any(
            self.get_policy_parts(request, response, report_only) != _NO_PARTS for report_only in (False, True)
        ):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _default_policy())
        return response
