"""Download of the uploaded bytes under their original name."""

from __future__ import annotations

from csp.constants import NONE
from csp.decorators import csp
from django.http import FileResponse
from django.views.decorators.http import require_safe

from webapp.views.archives.pages import get_bytes, get_readable_archive


@require_safe
@csp({"default-src": [NONE], "sandbox": True})  # type: ignore[arg-type]  # views with arguments too
def download(request, pk):
    """Always an attachment of type octet-stream, so that uploads are never rendered as pages of this site."""
    archive = get_readable_archive(request, pk)
    with get_bytes(archive) as path:
        stream = path.open("rb")
    response = FileResponse(stream, as_attachment=True, filename=archive.name, content_type="application/octet-stream")
    response["ETag"] = f'"{archive.sha256}"'
    return response
