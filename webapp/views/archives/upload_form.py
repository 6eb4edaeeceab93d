"""The upload page: several archives at once, or loose files packed as one."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from webapp.accounts import access
from webapp.accounts.blocklist import Blocked
from webapp.archives.upload import Quota, QuotaExceeded, read_quota, receive
from webapp.archives.uploaded_files import (
    REFUSED,
    check_before_body,
    describe_quota,
    explain_refusal,
    split_uploads,
    upload_limit,
)
from webapp.files import blobs, stores
from webapp.formatting.numbers import line
from webapp.http import problems
from webapp.jobs.tasks import send_archive
from webapp.models import Archive
from webapp.monitoring import metrics
from webapp.views.site.capture import read_kit


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request):
    """GET: the page. POST: the form field `files`, with a `paths` for each file of a dropped folder."""
    if request.method != "POST":
        return _show(request)
    files = request.FILES.getlist("files")
    if not files:
        return _refuse(request, "No file was sent. Choose at least one.", 400, "no_file")
    try:
        stores.check_space(sum(file.size or 0 for file in files))
        received, refused = _receive_all(request.user, split_uploads(files, request.POST.getlist("paths")))
    except REFUSED as error:
        return _refuse_for(request, error)
    if not received:
        return _refuse(request, " ".join(refused), 403, "blocked")
    return _answer(request, received, refused)


def _receive_all(user, groups) -> tuple[list[tuple[Archive, bool]], list[str]]:
    """The stored archives with whether each is new, and a message for each blocked one, or beyond the quota.

    Raises QuotaExceeded where nothing was stored and the first did not fit.
    """
    received: list[tuple[Archive, bool]] = []
    refused: list[str] = []
    for name, data in groups:
        try:
            received.append(_receive(user, name, data))
        except Blocked as blocked:
            refused.append(f"{name}: {blocked}")
        except QuotaExceeded as exceeded:
            if not received:
                raise
            refused.append(f"{name}: {describe_quota(exceeded)}")
    return received, refused


def _receive(user, name, data) -> tuple[Archive, bool]:
    return receive(blobs.write_incoming(data, upload_limit()), user, name, limited=True, send=send_archive)


def _answer(request, received, refused) -> HttpResponse:
    """JSON for API clients, else a redirect to the archive, or to the list for several."""
    addresses = [reverse("archive", args=[archive.pk]) for archive, _ in received]
    target = addresses[0] if len(addresses) == 1 else reverse("archives") + "?mine=1"
    for archive, new in received:
        if not new:
            messages.info(request, _describe_existing(request.user, archive))
    for sentence in refused:
        messages.error(request, sentence)
    if problems.is_wanted(request):
        return JsonResponse(
            {
                "location": target,
                "archives": [
                    {"id": archive.pk, "name": archive.name, "address": address, "new": new}
                    for (archive, new), address in zip(received, addresses, strict=True)
                ],
                "refused": refused,
            },
            status=201,
        )
    if request.headers.get("HX-Request"):
        return HttpResponse(status=201, headers={"HX-Redirect": target})
    return redirect(target)


def _describe_existing(user, archive: Archive) -> SafeString:
    """That the archive was uploaded before, by whom and when, with its link."""
    link = format_html('<a href="{}">{}</a>', reverse("archive", args=[archive.pk]), line(archive))
    when = f"{archive.uploaded_at:%-d %B %Y}"
    if access.owns(user, archive):
        return format_html("You already uploaded this archive, on {}: {}.", when, link)
    return format_html("This archive is already public here: {}, uploaded by {} on {}.", link, line(archive.owner), when)


def refuse_before_body(request) -> HttpResponse | None:
    """507 for an upload that the disk has no room for, before any of it is read; a body is kept twice while it is taken.
    413 or 429 for one beyond the quota of the person."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if request.method != "POST" or not length.isdecimal():
        return None
    try:
        check_before_body(request.user, int(length))
    except REFUSED as error:
        return _refuse_for(request, error)
    return None


upload.before_body = refuse_before_body  # type: ignore[attr-defined]


def _refuse_for(request, error: Exception) -> HttpResponse:
    refusal = explain_refusal(error)
    answer = _show_refusal(request, refusal.sentence, refusal.status)
    if refusal.seconds:
        answer["Retry-After"] = str(refusal.seconds)
    return answer


def _refuse(request, sentence: str, status: int, reason: str) -> HttpResponse:
    metrics.REFUSED.labels(reason).inc()
    return _show_refusal(request, sentence, status)


def _show_refusal(request, sentence: str, status: int) -> HttpResponse:
    """A problem (RFC 9457) where JSON is asked for, else the page."""
    if problems.is_wanted(request):
        return problems.answer(request, status, sentence)
    return _show(request, sentence, status)


def _read_left(user) -> Quota | None:
    """The quota for the page; None for staff, and without a sign-in."""
    return read_quota(user) if user.is_authenticated else None


def _show(request, error: str = "", status: int = 200) -> HttpResponse:
    context = {"limit": upload_limit(), "kit": read_kit(), "error": error, "quota": _read_left(request.user)}
    return render(request, "upload/upload.html", context, status=status)
