"""The header that tells browsers where a page may take scripts, styles and pictures from; written once for most pages."""
from __future__ import annotations

from functools import lru_cache

from csp.middleware import HEADER, CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_usual = lru_cache(1)(build_policy)


class Policy(CSPMiddleware):
    """The package's middleware, which puts the header together anew only for views that have a policy of their own."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        # Its decorators leave attributes of this name on the answer; Django's own pages on errors need what we forbid.
        if settings.DEBUG or any(name.startswith("_csp") for name in vars(response)):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _usual())
        return response
