"""Error pages."""

from __future__ import annotations

import sys

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from webapp.http import problems
from webapp.infrastructure.readiness import is_disk_full, is_site_failure, storage_failure


def bad_request(request, exception=None):
    return render(request, "errors/400.html", status=400)


def forbidden(request, exception=None):
    return render(request, "errors/403.html", status=403)


def csrf(request, reason=""):
    """A form without its token, or with one that is too old (`CSRF_FAILURE_VIEW`)."""
    return render(request, "errors/403.html", {"reason": reason or "no token", "is_upload": request.path == "/upload"}, status=403)


def not_found(request, exception=None):
    """Shows the message of an Http404 raised by this project's views, but not Django's."""
    said = exception.args[0] if exception is not None and exception.args else ""
    sentence = said if isinstance(said, str) and not said.startswith("No ") else ""
    return render(request, "errors/404.html", {"sentence": sentence}, status=404)


def disk_full(request):
    """What was to be written has no room on the disk."""
    return _say(request, 507, "The disk of this site is full: what you sent could not be kept.")


def fault(request):
    """Rendered without context processors, which may be the cause of the error. 507 where the disk is full, 503 where the store
    of the bytes, the data folder or the database fails."""
    error = sys.exc_info()[1]
    if is_disk_full(error):
        return disk_full(request)
    if reason := storage_failure(error):
        return _say(request, 503, f"The storage of this site cannot be used: {reason}.")
    if is_site_failure(error):
        return _say(request, 503, "")
    return HttpResponse(render_to_string("errors/500.html"), status=500)


def _say(request, status: int, storage: str) -> HttpResponse:
    """`storage`: what is wrong with it; empty where the database is away."""
    headers = {"Retry-After": "30"} if status == 503 else None
    if problems.is_wanted(request):
        return problems.answer(request, status, storage or "The database of this site does not answer.", headers=headers)
    return HttpResponse(render_to_string(f"errors/{status}.html", {"storage": storage}), status=status, headers=headers)
