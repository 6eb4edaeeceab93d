"""Everything public in bulk: the page of its editions, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from io import BytesIO
from typing import BinaryIO

from csp.constants import NONE
from csp.decorators import csp
from django.conf import settings
from django.core.cache import cache
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from webapp.bulk import editions, package, whole
from webapp.files import stores
from webapp.http import stored_bytes
from webapp.http.data_version import data_version
from webapp.jobs.tasks import make_public_data, sweep_public_data
from webapp.models import PublicData
from webapp.systems import system_index

_EDITIONS = 100
_BLOCK = 1 << 20
_RETRY_AFTER = 30  # seconds
_sandboxed = csp({"default-src": [NONE], "sandbox": True})  # what people uploaded is in the files


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
            "totals": system_index.read_totals(data_version()),
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
@_sandboxed  # type: ignore[arg-type]  # views with arguments too
def latest(request, name):
    """The file of that name of the newest edition; a whole table of it. The first look after a change has a new edition made."""
    if name in whole.NAMES:
        return _whole(request, name)
    newest = editions.newest()
    if newest is None:
        raise Http404("No edition of the public data is made yet: ask for it at /data.")
    return redirect(reverse("data-file", args=[newest.date.isoformat(), name]))


def _whole(request, name: str):
    """A table of the newest edition in one file: without rows where nothing is public, 503 while it is being made."""
    newest, (table, form) = editions.newest(), whole.NAMES[name]
    if newest is None and not editions.has_public():
        data = whole.write_empty(name)
        return _answer(request, BytesIO(data), package.DataFile(name, form, sha256(data).hexdigest(), len(data), {}))
    editions.ask(make_public_data.delay)
    if newest is None:
        return _try_later("This file is being made for the first time: try again in a minute.\n")
    if not newest.whole or editions.has_gone(newest):
        return _being_made_anew()
    kept = newest.whole[table][form]
    found = package.DataFile(name, form, kept["sha256"], kept["bytes"], {})
    try:
        with stores.local(found.key) as path:
            stream = path.open("rb")
    except (stores.MissingBytes, stores.DamagedBytes):
        PublicData.objects.filter(pk=newest.pk).update(whole={})
        return _being_made_anew()
    return _answer(request, stream, found)


@never_cache
@require_safe
@_sandboxed  # type: ignore[arg-type]  # views with arguments too
def file(request, day: str, name: str):
    """A file of an edition, or the range of it that is asked for; 503 while it has something that is not public any more."""
    edition = _find(day)
    if edition is None:
        raise Http404("There is no edition of the public data of this day: see /data.")
    kept = next((one for one in package.list_files(edition) if one.name == name), None)
    if kept is None and name not in package.MADE:
        raise Http404("This edition has no such file: datapackage.json lists its files. What is no longer public is taken out.")
    # Those that are written when asked for name every file and archive, so that they wait for all of them.
    if editions.has_gone(edition, None if kept is None else [kept.part]):
        return _being_made_anew()
    if kept is None:
        text = package.write(edition, name, settings.PUBLIC_ORIGIN)
        return HttpResponse(text, content_type=f"{package.MADE[name]}; charset=utf-8")
    try:
        with stores.local(kept.key) as path:
            stream = path.open("rb")
    except (stores.MissingBytes, stores.DamagedBytes):
        raise Http404("This file is missing or damaged in this site's storage.") from None
    return _answer(request, stream, kept)


def _being_made_anew() -> HttpResponse:
    """503, and a worker takes out at once what is not public any more; it is asked at most once in `_RETRY_AFTER` seconds."""
    if cache.add("public-data-sweep", True, _RETRY_AFTER):
        sweep_public_data.delay()
    return _try_later(
        "Something in this file is not public any more. The file is being made again without it: try again in a minute.\n"
    )


def _try_later(text: str) -> HttpResponse:
    return HttpResponse(text, status=503, headers={"Retry-After": str(_RETRY_AFTER)}, content_type="text/plain; charset=utf-8")


def _find(day: str) -> PublicData | None:
    try:
        return PublicData.objects.filter(date=date.fromisoformat(day), state=PublicData.State.READY).first()
    except ValueError:
        return None


def _answer(request, stream: BinaryIO, kept: package.DataFile):
    """The file, or one range of it."""
    etag = f'"{kept.sha256}"'
    part = stored_bytes.find_range(request, kept.size, etag)
    if part is None:
        response: StreamingHttpResponse = FileResponse(
            stream, as_attachment=True, filename=kept.name, content_type="application/octet-stream"
        )
    elif not part:
        stream.close()
        return stored_bytes.refuse_range(kept.size)
    else:
        response = StreamingHttpResponse(_part(stream, part.start, part.stop), status=206, content_type="application/octet-stream")
        response["Content-Range"], response["Content-Length"] = stored_bytes.name_range(part, kept.size), str(len(part))
    response["ETag"], response["Accept-Ranges"] = etag, "bytes"
    return response


def _part(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    with stream:
        stream.seek(start)
        while start < end and (block := stream.read(min(_BLOCK, end - start))):
            start += len(block)
            yield block
