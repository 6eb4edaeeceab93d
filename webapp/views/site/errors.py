"""Error pages."""

from __future__ import annotations

import sys

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from webapp.files.stores import StoreError
from webapp.infrastructure.readiness import is_disk_full, is_site_failure


def bad_request(request, exception=None):
    return render(request, "errors/400.html", status=400)


def forbidden(request, exception=None):
    return render(request, "errors/403.html", status=403)


def csrf(request, reason=""):
    """A form without its token, or with one that is too old (`CSRF_FAILURE_VIEW`)."""
    return render(request, "errors/403.html", {"reason": reason or "no token"}, status=403)


def not_found(request, exception=None):
    """Shows the message of an Http404 raised by this project's views, but not Django's."""
    said = exception.args[0] if exception is not None and exception.args else ""
    sentence = said if isinstance(said, str) and not said.startswith("No ") else ""
    return render(request, "errors/404.html", {"sentence": sentence}, status=404)


def fault(request):
    """Rendered without context processors, which may be the cause of the error. 507 where the disk is full, 503 where the store
    of the bytes or the database does not answer."""
    error = sys.exc_info()[1]
    if is_disk_full(error):
        return HttpResponse(render_to_string("errors/507.html"), status=507)
    if (is_store := isinstance(error, StoreError)) or is_site_failure(error):
        page = render_to_string("errors/503.html", {"is_store": is_store})
        return HttpResponse(page, status=503, headers={"Retry-After": "30"})
    return HttpResponse(render_to_string("errors/500.html"), status=500)
