"""The bytes as uploaded, under the name they came with."""

from __future__ import annotations

from django.http import FileResponse
from django.views.decorators.http import require_safe

from webapp.views.archives.pages import blob_of, readable


@require_safe
def download(request, pk):
    """Always an attachment of no particular type: what people upload is never shown as a page of this site."""
    archive = readable(request, pk)
    response = FileResponse(
        blob_of(archive).open("rb"), as_attachment=True, filename=archive.name, content_type="application/octet-stream"
    )
    response["ETag"] = f'"{archive.sha256}"'
    return response
