"""Download of the uploaded bytes under their original name."""

from __future__ import annotations

from csp.constants import NONE
from csp.decorators import csp
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from webapp.files import blobs
from webapp.http.stored_bytes import find_range, name_range, refuse_range
from webapp.views.archives.pages import get_bytes, get_readable_archive


@require_safe
@csp({"default-src": [NONE], "sandbox": True})  # type: ignore[arg-type]  # views with arguments too
def download(request, pk) -> HttpResponseBase:
    """Always an attachment of type octet-stream, so that uploads are never rendered as pages of this site. Where a block of 1 MiB
    is not what was uploaded, the answer ends before it, short of its length."""
    archive = get_readable_archive(request, pk)
    etag = f'"{archive.sha256}"'
    with get_bytes(archive) as path:
        size = path.stat().st_size
        part = find_range(request, size, etag)
        if part is not None and not part:
            return refuse_range(size)
        sent = range(size) if part is None else part
        blocks = blobs.checked_blocks(archive.sha256, path)(sent)
    response = StreamingHttpResponse(blocks, status=200 if part is None else 206, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, archive.name)
    response["Content-Length"] = len(sent)
    response["ETag"], response["Accept-Ranges"] = etag, "bytes"
    if part is not None:
        response["Content-Range"] = name_range(part, size)
    return response
