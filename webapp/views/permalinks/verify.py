"""The check of a dropped evidence bundle."""

from __future__ import annotations

from threading import BoundedSemaphore

from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from webapp.permalinks.bundles import dropped

_checks = BoundedSemaphore(2)
"""Checks at a time in one process: each may take a core."""


@require_http_methods(["GET", "HEAD", "POST"])
def verify(request):
    """The form, and the outcome for a posted bundle. Nothing of it is kept."""
    if request.method != "POST":
        return render(request, "permalink/verify.html")
    digest, file = "".join(request.POST.get("digest", "").split()).lower(), request.FILES.get("bundle")
    page = {"digest": digest, "name": file.name if file else ""}
    if file is None or file.size > dropped.MAX_BYTES:
        wrong = "Choose the .zip file of a permalink or a collection." if file is None else f"{file.name} is larger than 64 MiB."
        return render(request, "permalink/verify.html", page | {"wrong": wrong}, status=400)
    if digest and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
        wrong = f"{digest[:70]} is no SHA-256, which has 64 digits 0 to 9 and a to f."
        return render(request, "permalink/verify.html", page | {"wrong": wrong}, status=400)
    if not _checks.acquire(blocking=False):
        wrong = "Two bundles are being checked at the moment. Try again in a minute."
        return render(request, "permalink/verify.html", page | {"wrong": wrong}, status=503)
    try:
        outcome = dropped.check_dropped(file, digest)
    except dropped.NotABundle as error:
        return render(request, "permalink/verify.html", page | {"wrong": str(error)}, status=400)
    finally:
        _checks.release()
    return render(request, "permalink/verify.html", page | {"outcome": outcome})
