"""Files of a request: which archives they become, what is checked before they are read, and why they are refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from webapp.accounts.blocklist import Blocked
from webapp.archives.upload import DAY, QuotaExceeded, read_quota
from webapp.files import blobs, pack, stores
from webapp.formatting.numbers import size
from webapp.monitoring import metrics

GIB = 2**30
FORM_BYTES = 2**24
"""Bytes of a form that may be more than its files: names and paths."""


def upload_limit() -> int:
    """Maximum size of an uploaded archive in bytes."""
    return getattr(settings, "POOLMARK_UPLOAD_LIMIT", 2 * GIB)


def check_before_body(user, length: int, spare: int = FORM_BYTES) -> None:
    """Raise NoSpace or QuotaExceeded for a body of `length` bytes, of which `spare` may be no file; it is kept twice while it is
    taken."""
    stores.check_space(2 * length)
    if user.is_authenticated and (quota := read_quota(user)) is not None:
        quota.check(max(1, length - spare))


def split_uploads(files: list[UploadedFile], paths: list[str]) -> list[tuple[str, Iterable[bytes]]]:
    """(name, chunks) of each archive to create: one for every packed file, one for all loose files."""
    if len(paths) != len(files):
        paths = [name_of(file) for file in files]
    packed: list[tuple[UploadedFile, str]] = []
    loose: list[tuple[UploadedFile, str]] = []
    for file, path in zip(files, paths, strict=True):
        head = file.read(512)
        file.seek(0)
        # A packed file inside a dropped folder is part of that folder.
        (packed if pack.is_packed(name_of(file), head) and "/" not in path else loose).append((file, path))
    groups: list[tuple[str, Iterable[bytes]]] = [(name_of(file), file.chunks()) for file, _ in packed]
    if len(loose) == 1 and "/" not in loose[0][1]:
        groups.append((name_of(loose[0][0]), loose[0][0].chunks()))
    elif loose:
        groups.append(pack_together(loose))
    return groups


def name_of(file: UploadedFile) -> str:
    """The file's name; Django drops files without one."""
    return file.name or ""


def pack_together(loose: list[tuple[UploadedFile, str]]) -> tuple[str, Iterable[bytes]]:
    """(name, chunks) of one archive of several files, each with its path."""
    names = pack.make_safe_names([path for _, path in loose])
    tops = {name.split("/")[0] for name in names if "/" in name}
    is_single_folder = len(tops) == 1 and all("/" in name for name in names)
    if is_single_folder:
        names = [name.split("/", 1)[1] for name in names]
    entries = [pack.PackEntry(name, file.size or 0, file) for name, (file, _) in zip(names, loose, strict=True)]
    return (f"{tops.pop()}.tar" if is_single_folder else f"{len(entries)}-files.tar"), pack.pack(entries)


# Refusals, in the words of the upload page.

REFUSED = (blobs.UploadTooLarge, stores.NoSpace, blobs.DiskFull, QuotaExceeded, Blocked)
"""What `explain_refusal` explains."""


class Refusal(NamedTuple):
    """Why nothing was kept: HTTP status, a name for the counters, a sentence; `seconds`: until it may be tried again, or 0."""

    status: int
    reason: str
    sentence: str
    seconds: int = 0


def explain_refusal(error: Exception) -> Refusal:
    """The refusal for an exception of REFUSED, which is counted."""
    refusal = _explain(error)
    metrics.REFUSED.labels(refusal.reason).inc()
    return refusal


def _explain(error: Exception) -> Refusal:
    if isinstance(error, blobs.UploadTooLarge):
        most = f"{error.limit / GIB:.3g} GiB"
        return Refusal(413, "too_large", f"An archive may have {most} at most. Split it, or ask the operator for a higher limit.")
    if isinstance(error, QuotaExceeded):
        status, reason = (413, "quota_bytes") if error.in_bytes else (429, "quota_archives")
        return Refusal(status, reason, describe_quota(error), error.quota.seconds_until_more)
    if isinstance(error, Blocked):
        return Refusal(403, "blocked", str(error))
    asked = f" Write to {settings.POOLMARK_CONTACT}, or try again later." if settings.POOLMARK_CONTACT else " Try again later."
    free = size(stores.free_bytes())
    sentence = f"The disk of this site is full: {free} are free, which is not enough for this upload. It was not kept."
    return Refusal(507, "disk_full", sentence + asked)


def describe_quota(exceeded: QuotaExceeded) -> str:
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
