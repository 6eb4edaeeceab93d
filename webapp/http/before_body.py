"""A check of a request by its head alone, before the CSRF check reads its body.

A view with an attribute `before_body` is asked first; the answer it returns, if any, is sent and the body is never read.
"""

from __future__ import annotations


def before_body(get_response):
    """Middleware; stands before Django's CsrfViewMiddleware, whose check reads the form."""

    def middleware(request):
        return get_response(request)

    def process_view(request, view, _args, _kwargs):
        check = getattr(view, "before_body", None)
        return check(request) if check else None

    middleware.process_view = process_view  # type: ignore[attr-defined]
    return middleware
