"""The upload page: several archives at once, or loose files packed as one."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from webapp.accounts import access
from webapp.accounts.blocklist import Blocked
from webapp.archives.upload import DAY, Quota, QuotaExceeded, read_quota, receive
from webapp.files import blobs, pack, stores
from webapp.formatting.numbers import line, size
from webapp.jobs.tasks import send_archive
from webapp.models import Archive
from webapp.monitoring import metrics
from webapp.views.site.capture import read_kit

GIB = 2**30
_FORM_BYTES = 2**24
"""Bytes of a form that may be more than its files: names and paths."""


def upload_limit() -> int:
    """Maximum size of an uploaded archive in bytes."""
    return getattr(settings, "POOLMARK_UPLOAD_LIMIT", 2 * GIB)


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
        received, refused = _receive_all(request.user, _split_uploads(files, request.POST.getlist("paths")))
    except blobs.UploadTooLarge as error:
        return _refuse(
            request,
            f"An archive may have {error.limit / GIB:.3g} GiB at most. Split it, or ask the operator for a higher limit.",
            413,
            "too_large",
        )
    except (stores.NoSpace, blobs.DiskFull):
        return _refuse_full(request)
    except QuotaExceeded as exceeded:
        return _refuse_quota(request, exceeded)
    if not received:
        return _refuse(request, " ".join(refused), 403, "blocked")
    return _answer(request, received, refused)


def _split_uploads(files: list[UploadedFile], paths: list[str]) -> list[tuple[str, Iterable[bytes]]]:
    """(name, chunks) of each archive to create: one for every packed file, one for all loose files."""
    if len(paths) != len(files):
        paths = [_name(file) for file in files]
    packed: list[tuple[UploadedFile, str]] = []
    loose: list[tuple[UploadedFile, str]] = []
    for file, path in zip(files, paths, strict=True):
        head = file.read(512)
        file.seek(0)
        # A packed file inside a dropped folder is part of that folder.
        (packed if pack.is_packed(_name(file), head) and "/" not in path else loose).append((file, path))
    groups: list[tuple[str, Iterable[bytes]]] = [(_name(file), file.chunks()) for file, _ in packed]
    if len(loose) == 1 and "/" not in loose[0][1]:
        groups.append((_name(loose[0][0]), loose[0][0].chunks()))
    elif loose:
        groups.append(_pack_loose(loose))
    return groups


def _name(file: UploadedFile) -> str:
    """The file's name; Django drops files without one."""
    return file.name or ""


def _pack_loose(loose: list[tuple[UploadedFile, str]]) -> tuple[str, Iterable[bytes]]:
    names = pack.make_safe_names([path for _, path in loose])
    tops = {name.split("/")[0] for name in names if "/" in name}
    is_single_folder = len(tops) == 1 and all("/" in name for name in names)
    if is_single_folder:
        names = [name.split("/", 1)[1] for name in names]
    entries = [pack.PackEntry(name, file.size or 0, file) for name, (file, _) in zip(names, loose, strict=True)]
    return (f"{tops.pop()}.tar" if is_single_folder else f"{len(entries)}-files.tar"), pack.pack(entries)


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
            refused.append(f"{name}: {_describe_quota(exceeded)}")
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
    if request.headers.get("Accept", "").startswith("application/json"):
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
        stores.check_space(2 * int(length))
        if request.user.is_authenticated and (quota := read_quota(request.user)) is not None:
            quota.check(max(1, int(length) - _FORM_BYTES))
    except stores.NoSpace:
        return _refuse_full(request)
    except QuotaExceeded as exceeded:
        return _refuse_quota(request, exceeded)
    return None


upload.before_body = refuse_before_body  # type: ignore[attr-defined]


def _refuse_full(request) -> HttpResponse:
    asked = f" Write to {settings.POOLMARK_CONTACT}, or try again later." if settings.POOLMARK_CONTACT else " Try again later."
    free = size(stores.free_bytes())
    sentence = f"The disk of this site is full: {free} are free, which is not enough for this upload. It was not kept."
    return _refuse(request, sentence + asked, 507, "disk_full")


def _describe_quota(exceeded: QuotaExceeded) -> str:
    """What was too much, when there is room again, and whom to ask."""
    quota, asked = exceeded.quota, settings.POOLMARK_CONTACT or "the operator of this site"
    if exceeded.in_bytes:
        most, left = size(settings.POOLMARK_QUOTA_BYTES), size(quota.bytes_left)
        said = f"You may upload {most} within 24 hours, and {left} of these are left; this is more. It was not kept."
    else:
        said = f"You may upload {settings.POOLMARK_QUOTA_ARCHIVES} archives within 24 hours, and have. This one was not kept."
    if quota.first is None:
        return f"{said} Split it, or ask {asked} for more."
    again = quota.first + DAY
    return f"{said} There is room again from {again:%-d %B, %H:%M} UTC on; delete what you do not need, or ask {asked} for more."


def _refuse_quota(request, exceeded: QuotaExceeded) -> HttpResponse:
    """413 where the bytes are too many, 429 where the archives are."""
    status, reason = (413, "quota_bytes") if exceeded.in_bytes else (429, "quota_archives")
    answer = _refuse(request, _describe_quota(exceeded), status, reason)
    if exceeded.quota.seconds_until_more:
        answer["Retry-After"] = str(exceeded.quota.seconds_until_more)
    return answer


def _refuse(request, sentence: str, status: int, reason: str) -> HttpResponse:
    metrics.REFUSED.labels(reason).inc()
    if request.headers.get("Accept", "").startswith("application/json"):
        return JsonResponse({"error": sentence}, status=status)
    return _show(request, sentence, status)


def _read_left(user) -> Quota | None:
    """The quota for the page; None for staff, and without a sign-in."""
    return read_quota(user) if user.is_authenticated else None


def _show(request, error: str = "", status: int = 200) -> HttpResponse:
    context = {"limit": upload_limit(), "kit": read_kit(), "error": error, "quota": _read_left(request.user)}
    return render(request, "upload/upload.html", context, status=status)
