"""Responses with stored bytes: 304 where the reader has them, and one byte range (RFC 9110, sections 13 and 14)."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})", re.ASCII)


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


def find_range(request: HttpRequest, size: int, etag: str) -> range | None:
    """The positions of the bytes that are asked for, of `size` bytes; empty where the range begins beyond the end.

    None, for all bytes: without a range, with a list of ranges, with one that ends before it begins, which is invalid and to be
    ignored (RFC 9110, 14.1.1 and 14.2), or with one of other bytes than those of `If-Range`.
    """
    match = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if match is None or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = (int(text) if text else None for text in match.groups())
    if first is None:
        return None if last is None else range(max(0, size - last), size)
    if last is not None and last < first:
        return None
    return range(first, size if last is None else min(size, last + 1))


def refuse_range(size: int) -> HttpResponse:
    """416, with the number of bytes there are."""
    return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})


def name_range(part: range, size: int) -> str:
    """`bytes 0-9/20`, for Content-Range."""
    return f"bytes {part.start}-{part.stop - 1}/{size}"


def _body(request: HttpRequest, data: bytes, etag: str) -> HttpResponse:
    """200 with all bytes, 206 with a range, or 416 where the range begins beyond the end."""
    part = find_range(request, len(data), etag)
    if part is None:
        return HttpResponse(data)
    if not part:
        return refuse_range(len(data))
    return HttpResponse(data[part.start : part.stop], status=206, headers={"Content-Range": name_range(part, len(data))})
