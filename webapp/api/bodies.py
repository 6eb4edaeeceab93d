"""Bodies of requests as streams: bytes or a form with files, of a known length or in chunks; never whole in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Protocol

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError

from webapp.archives.uploaded_files import (
    FORM_BYTES,
    REFUSED,
    check_before_body,
    explain_refusal,
    name_of,
    pack_together,
    upload_limit,
)
from webapp.files import blobs
from webapp.files.stores import BLOCK
from webapp.http.problems import Problem, invalid

FORM = "multipart/form-data"
JSON = "application/json"
_REFRAME_KEYS = (b'"check_name"', b'"check_perf_')
"""In each record that ReFrame's handler httpjson sends, whose address holds no name of a file."""
_NO_FILES = ("application/x-www-form-urlencoded", "multipart/")
_LONGEST_NAME = 255


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Body:
    """Exactly `length` bytes of a source or, with None, as many as come until the server says that they end. Raises OSError where
    they end too soon, UploadTooLarge beyond `limit`."""

    def __init__(self, source: _Source, length: int | None, limit: int) -> None:
        self.source, self.left, self.room, self.limit = source, length, limit + FORM_BYTES, limit

    def read(self, size: int = BLOCK) -> bytes:
        if self.left == 0:
            return b""
        block = self.source.read(size if self.left is None else min(size, self.left))
        self.room -= len(block)
        if self.room < 0:
            raise blobs.UploadTooLarge(self.limit)
        if self.left is not None:
            if not block:
                raise OSError("the body ended before its length")
            self.left -= len(block)
        return block

    readline = read
    """For Django's parser of forms, which reads what follows the form to the end."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what an upload is refused for into problems, in the words of the upload page, and bodies that cannot be read."""
    try:
        yield
    except REFUSED as error:
        refusal = explain_refusal(error)
        headers = {"Retry-After": str(refusal.seconds)} if refusal.seconds else None
        raise Problem(refusal.status, refusal.sentence, headers=headers) from error
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise Problem(400, "The form cannot be read: it is no whole multipart/form-data, or has too many parts.") from error
    except UnreadablePostError as error:
        raise Problem(400, "The body ended before its length; nothing was kept.") from error


def open_body(request: HttpRequest) -> None:
    """Prepare the request's stream: Django reads no body without Content-Length. Raises what `refusals` turns into problems, before
    any of the body is read."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem(415, "A body with Content-Encoding is not taken: send the bytes of the file itself.")
    limit, said = upload_limit(), request.META.get("CONTENT_LENGTH") or ""
    is_chunked = "chunked" in request.headers.get("Transfer-Encoding", "").lower() and request.META.get("wsgi.input_terminated")
    length = None if is_chunked else int(said) if said.isdecimal() else 0
    if (length or 0) > limit + FORM_BYTES:
        raise blobs.UploadTooLarge(limit)
    check_before_body(request.user, length or 0, FORM_BYTES if request.content_type == FORM else 0)
    request._stream = Body(request.META["wsgi.input"], length, limit)  # type: ignore[assignment]
    if is_chunked:
        request.META["CONTENT_LENGTH"] = str(limit + FORM_BYTES)  # for the parser of forms, which reads until the end


def read_files(request: HttpRequest, name: str) -> tuple[str, Iterable[bytes]]:
    """(name, blocks) of the archive that the body is: its one file, all its files packed, or the bare bytes under `name`;
    JSON needs none."""
    if request.content_type == FORM:
        files = request.FILES.getlist("file")
        if not files:
            raise invalid("form.file", "No file was sent. Send at least one in the form field “file”.")
        if len(files) > 1:
            return pack_together([(file, name_of(file)) for file in files])
        return clean_name(name or name_of(files[0])), files[0].chunks()
    if (request.content_type or "").startswith(_NO_FILES):
        said = "Send the files as multipart/form-data (curl -F file=@PATH), or the bare bytes as application/octet-stream"
        raise Problem(415, f"{said} (curl -H 'Content-Type: application/octet-stream' --data-binary @PATH).")
    blocks = iter(lambda: request.read(BLOCK), b"")
    if name or request.content_type != JSON:
        return clean_name(name), blocks
    first = next(blocks, b"")
    return ("reframe.json" if all(key in first for key in _REFRAME_KEYS) else "results.json"), chain([first], blocks)


def clean_name(name: str) -> str:
    """The name of a file without folders and characters that cannot be stored."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1].replace("\0", "")
    return last.strip()[-_LONGEST_NAME:] or "upload"
