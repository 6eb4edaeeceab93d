"""Everything public in bulk: the page of its editions, and their files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from webapp.bulk import editions, package
from webapp.files import stores
from webapp.jobs.tasks import make_public_data
from webapp.models import PublicData

_EDITIONS = 100
_BLOCK = 1 << 20
_range = re.compile(r"bytes=(\d{0,19})-(\d{0,19})", re.ASCII).fullmatch


@never_cache
@require_safe
def page(request):
    """The newest edition and the earlier ones. The first look after a change has a new one made, by a worker."""
    making = editions.ask(make_public_data.delay)
    if request.htmx:
        return render(request, "data/_making.html", {"making": making}) if making else HttpResponseClientRefresh()
    made = list(PublicData.objects.filter(state=PublicData.State.READY)[:_EDITIONS])
    newest = made[0] if made else None
    return render(
        request,
        "data/page.html",
        {
            "making": making,
            "newest": newest,
            "earlier": made[1:],
            "files": package.list_files(newest) if newest else [],
            "licences": Counter(row["licence_spdx"] or row["licence"] or "" for row in newest.archives).most_common()
            if newest
            else [],
            "failed": PublicData.objects.filter(state=PublicData.State.FAILED).first() if not making else None,
        },
    )


@never_cache
@require_safe
def latest(request, name):
    """The file of that name of the newest edition."""
    newest = editions.newest()
    if newest is None:
        raise Http404("No edition of the public data is made yet: ask for it at /data.")
    return redirect(reverse("data-file", args=[newest.date.isoformat(), name]))


@never_cache
@require_safe
def file(request, day: str, name: str):
    """A file of an edition, or the range of it that is asked for."""
    edition = _find(day)
    if edition is None:
        raise Http404("There is no edition of the public data of this day: see /data.")
    if name in package.MADE:
        text = package.write(edition, name, settings.PUBLIC_ORIGIN)
        return HttpResponse(text, content_type=f"{package.MADE[name]}; charset=utf-8")
    kept = next((one for one in package.list_files(edition) if one.name == name), None)
    if kept is None:
        raise Http404("This edition has no such file: datapackage.json lists its files. What is no longer public is taken out.")
    try:
        with stores.local(kept.key) as path:
            stream = path.open("rb")
    except (stores.MissingBytes, stores.DamagedBytes):
        raise Http404("This file is missing or damaged in this site's storage.") from None
    return _answer(request, stream, kept)


def _find(day: str) -> PublicData | None:
    try:
        return PublicData.objects.filter(date=date.fromisoformat(day), state=PublicData.State.READY).first()
    except ValueError:
        return None


def _answer(request, stream: BinaryIO, kept: package.DataFile):
    """The file, or one range of it (RFC 9110, 14); a list of ranges is answered with the file."""
    asked = _range(request.headers.get("Range", ""))
    etag = f'"{kept.sha256}"'
    if asked is None or not any(asked.groups()) or request.headers.get("If-Range", etag) != etag:
        response: StreamingHttpResponse = FileResponse(
            stream, as_attachment=True, filename=kept.name, content_type="application/octet-stream"
        )
    else:
        first, last = (int(text) if text else None for text in asked.groups())
        start = max(0, kept.size - (last or 0)) if first is None else first
        end = kept.size if first is None or last is None else min(kept.size, last + 1)
        if start >= end:
            stream.close()
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{kept.size}"})
        response = StreamingHttpResponse(_part(stream, start, end), status=206, content_type="application/octet-stream")
        response["Content-Range"], response["Content-Length"] = f"bytes {start}-{end - 1}/{kept.size}", str(end - start)
    response["ETag"], response["Accept-Ranges"] = etag, "bytes"
    return response


def _part(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    with stream:
        stream.seek(start)
        while start < end and (block := stream.read(min(_BLOCK, end - start))):
            start += len(block)
            yield block
