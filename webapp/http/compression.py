"""Answers as they travel: brotli, which is smaller, for readers without a session who accept it; gzip for the others.

Django's gzip hides the length of secrets in a page by random bytes (its remedy against the BREACH attack); brotli has no
place for them, so that the pages of users who are signed in stay with gzip.
"""

from __future__ import annotations

import re

import brotli
from django.conf import settings
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

BROTLI_QUALITY = 5
"""Takes about the time of gzip at Django's level; the next ones take several times as long for a few per cent."""
MIN_BYTES = 200
_brotli_word, _gzip_word = re.compile(r"\bbr\b"), re.compile(r"\bgzip\b")


def preferred_encoding(accepted: str) -> str:
    """The encoding for the value of a header Accept-Encoding: br, gzip or none (an empty string)."""
    if _brotli_word.search(accepted):
        return "br"
    return "gzip" if _gzip_word.search(accepted) else ""


class CompressionMiddleware(GZipMiddleware):
    def process_response(self, request, response):
        if (
            preferred_encoding(request.META.get("HTTP_ACCEPT_ENCODING", "")) != "br"
            or settings.SESSION_COOKIE_NAME in request.COOKIES
            or response.streaming
            or len(response.content) < MIN_BYTES
            or response.has_header("Content-Encoding")
        ):
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        packed = brotli.compress(response.content, quality=BROTLI_QUALITY)
        if len(packed) >= len(response.content):
            return response
        response.content = packed
        response.headers["Content-Length"] = str(len(packed))
        response.headers["Content-Encoding"] = "br"
        etag = response.get("ETag", "")
        if etag.startswith('"'):
            response.headers["ETag"] = f"W/{etag}"
        return response
