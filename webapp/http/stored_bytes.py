"""Responses with stored bytes: 304 where the reader has them, and one byte range (RFC 9110, sections 13 and 14)."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

_RANGE = re.compile(r"bytes=(\d*)-(\d*)", re.ASCII)


def bytes_response(request: HttpRequest, data: bytes, content_type: str, sha256: str, disposition: str) -> HttpResponse:
    """The bytes, the requested range of them, or 304. `disposition`: the Content-Disposition header.

    Several ranges, and a range of other bytes than those of `If-Range`, are answered with all bytes.
    """
    etag = f'"{sha256}"'
    response = get_conditional_response(request, etag=etag) or _body(request, data, etag)
    if response.status_code in (200, 206):
        response["Content-Type"] = content_type
        response["Content-Disposition"] = disposition
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    return response


def _body(request: HttpRequest, data: bytes, etag: str) -> HttpResponse:
    """200 with all bytes, 206 with a range, or 416 where the range begins beyond the end."""
    match = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if match is None or match[0] == "bytes=-" or request.headers.get("If-Range", etag) != etag:
        return HttpResponse(data)
    first, last = match.groups()
    if first:
        start, end = int(first), min(int(last) if last else len(data) - 1, len(data) - 1)
        if last and int(last) < int(first):
            return HttpResponse(data)  # not a valid range
    else:
        start, end = max(len(data) - int(last), 0), len(data) - 1
    if start > end:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{len(data)}"})
    return HttpResponse(data[start : end + 1], status=206, headers={"Content-Range": f"bytes {start}-{end}/{len(data)}"})
