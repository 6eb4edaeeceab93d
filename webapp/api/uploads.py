"""An upload in pieces: announced, sent in any number of requests, finished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, JsonResponse
from django.http.request import UnreadablePostError
from ninja import Field, Router, Schema

from webapp.accounts import blocklist
from webapp.api import auth
from webapp.api.archives import ArchiveRecord
from webapp.api.bodies import clean_name, open_body, refusals
from webapp.api.once import Answer, once, plain
from webapp.api.pushes import Wanted, answer, check_wanted, plain_record, take
from webapp.archives.upload import QuotaExceeded, read_quota
from webapp.archives.uploaded_files import upload_limit
from webapp.files import blobs, pieces
from webapp.files.stores import BLOCK, MissingBytes
from webapp.http.problems import Problem, invalid
from webapp.models import ApiUpload, Archive
from webapp.models.api_clients import KEPT
from webapp.storage.locks import lock_uploads_of

router = Router(auth=auth.push)
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


class NewUpload(Wanted):
    name: Annotated[str, Field(min_length=1, max_length=255)]
    size: Annotated[int, Field(ge=1, lt=2**63)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="Of all bytes")]


class UploadRecord(Schema):
    id: UUID
    url: str
    name: str
    size: int
    sha256: str
    received: int = Field(description="Bytes 0 to received - 1 are there; the next request begins with byte received")
    expires: datetime
    archive: int | None = Field(description="Once it is finished")


def _record(request: HttpRequest, upload: ApiUpload) -> dict[str, Any]:
    made = UploadRecord(
        id=upload.pk,
        url=request.build_absolute_uri(f"/api/v1/uploads/{upload.pk}"),
        name=upload.name,
        size=upload.size,
        sha256=upload.sha256,
        received=upload.size if upload.archive else upload.received,
        expires=upload.created_at + KEPT,
        archive=upload.archive,
    )
    return plain(made)


def _find(request: HttpRequest, pk: UUID) -> ApiUpload:
    upload = ApiUpload.objects.kept().owned_by(request.user).filter(pk=pk).first()
    if upload is None:
        raise Http404("There is no such upload of yours, or it was forgotten after a day.")
    return upload


@router.post("", response={201: UploadRecord}, summary="Announce an upload in pieces")
def begin(request: HttpRequest, asked: NewUpload):
    """Refused at once where so many bytes, or these, would be refused at the end. It is forgotten after a day."""
    with refusals():
        check_wanted(request, asked)
        if asked.size > upload_limit():
            raise blobs.UploadTooLarge(upload_limit())
        status, body = once(request, asked.model_dump(), lambda: _begin(request, asked))
    return JsonResponse(body, status=status, headers={"Location": body["url"]})


def _begin(request: HttpRequest, asked: NewUpload) -> Answer:
    user: Any = request.user
    blocklist.check(asked.sha256, user.pk)
    with transaction.atomic():
        lock_uploads_of(user.pk)
        _check_quota(user, asked.size)
        wanted = asked.model_dump(exclude={"name", "size", "sha256"})
        upload = ApiUpload.objects.create(
            owner=user, name=clean_name(asked.name), size=asked.size, sha256=asked.sha256, wanted=wanted
        )
    return 201, _record(request, upload)


def _check_quota(user: Any, size: int) -> None:
    """Raise QuotaExceeded where the upload does not fit beside the person's others that are not finished."""
    quota = read_quota(user)
    if quota is None:
        return
    others = ApiUpload.objects.kept().owned_by(user).unfinished().aggregate(n=Count("pk"), size=Sum("size"))
    if others["n"] >= quota.archives_left:
        raise QuotaExceeded(quota, False)
    quota.check(size + (others["size"] or 0))


@router.get("/{uuid:pk}", response=UploadRecord, summary="Which bytes of an upload are there")
def show(request: HttpRequest, pk: UUID):
    """`received` says it."""
    return _record(request, _find(request, pk))


@router.put(
    "/{uuid:pk}",
    response={200: UploadRecord},
    summary="Send bytes of an upload",
    openapi_extra={
        "parameters": [
            {
                "in": "header",
                "name": "Content-Range",
                "required": True,
                "schema": {"type": "string", "pattern": "^bytes [0-9]+-[0-9]+/[0-9]+$"},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        },
    },
)
def send(request: HttpRequest, pk: UUID):
    """Bytes that are there already are passed over; bytes beyond a gap are refused (416). Where the connection breaks, what came
    stays."""
    upload = _find(request, pk)
    first, last = _read_range(request, upload)
    if upload.archive is None and last >= upload.received:
        if first > upload.received:
            said = f"Byte {upload.received} is the next one, not {first}: there is no gap between pieces."
            raise Problem(416, said, headers={"Content-Range": f"bytes */{upload.size}"})
        with refusals():
            open_body(request)
            if not _append(upload, _blocks(request, upload.received - first, last + 1 - first)):
                raise Problem(409, "Another request sends bytes of this upload. Ask by GET which are there, and go on from these.")
    return _record(request, upload)


def _read_range(request: HttpRequest, upload: ApiUpload) -> tuple[int, int]:
    given = _RANGE.fullmatch(request.headers.get("Content-Range", ""))
    if given is None:
        raise invalid("header.Content-Range", "Say which bytes these are: Content-Range: bytes FIRST-LAST/SIZE.")
    first, last, size = map(int, given.groups())
    if size != upload.size or not first <= last < size:
        raise invalid("header.Content-Range", f"The upload has {upload.size} bytes, the first is 0, the last {upload.size - 1}.")
    return first, last


def _append(upload: ApiUpload, blocks: Iterator[bytes]) -> bool:
    try:
        return pieces.append(upload, blocks)
    except pieces.TooManyPieces as error:
        raise Problem(409, f"An upload may come in {pieces.MAX_PIECES} pieces at most; begin another one.") from error


def _blocks(request: HttpRequest, passed: int, length: int) -> Iterator[bytes]:
    """The bytes of the body after the first `passed`, up to `length` of it, for as long as they come."""
    left = length
    while left:
        try:
            block = request.read(min(BLOCK, left))
        except UnreadablePostError:
            return
        if not block:
            return
        left -= len(block)
        if len(block) > passed:
            yield block[passed:]
        passed = max(0, passed - len(block))


@router.delete("/{uuid:pk}", response={204: None}, summary="Give an upload up")
def give_up(request: HttpRequest, pk: UUID):
    """Its bytes are deleted, and count no more."""
    upload = _find(request, pk)
    pieces.drop(upload)
    upload.delete()
    return 204, None


@router.post("/{uuid:pk}/finish", response={200: ArchiveRecord, 201: ArchiveRecord}, summary="Make an upload an archive")
def finish(request: HttpRequest, pk: UUID):
    """As a push of all bytes at once. Where these have not the SHA-256 that was announced, 422, and the upload begins anew."""
    upload = _find(request, pk)
    wanted = Wanted(**upload.wanted)
    with refusals():
        check_wanted(request, wanted)
        try:
            return answer(request, once(request, str(pk), lambda: _finish(request, upload, wanted)))
        except _WrongBytes as error:  # after the transaction, which keeps the rows
            pieces.drop(upload)
            raise invalid("body.sha256", str(error)) from error


class _WrongBytes(Exception):
    """Its text is a sentence."""


def _finish(request: HttpRequest, upload: ApiUpload, wanted: Wanted) -> Answer:
    if upload.archive is not None:
        return 200, _finished(request, upload.archive)
    if upload.received != upload.size:
        raise Problem(409, f"{upload.received} of {upload.size} bytes are there. Send the others first.")
    try:
        incoming = blobs.write_incoming(pieces.read(upload), upload_limit())
    except MissingBytes as error:
        upload.refresh_from_db()
        if upload.archive is not None:
            return 200, _finished(request, upload.archive)
        raise Problem(409, "Another request finishes this upload. Try again.", headers={"Retry-After": "1"}) from error
    try:
        if incoming.sha256 != upload.sha256:
            raise _WrongBytes(
                f"The bytes have the SHA-256 {incoming.sha256}, not {upload.sha256}. They were not kept: send them again."
            )
        status, body = take(request, incoming, upload.name, wanted)
    finally:
        incoming.discard()
    ApiUpload.objects.filter(pk=upload.pk).update(archive=body["id"])
    transaction.on_commit(lambda: pieces.drop(upload))
    return status, body


def _finished(request: HttpRequest, pk: int) -> dict[str, Any]:
    archive = Archive.objects.owned_by(request.user).filter(pk=pk).first() or Archive.objects.public().filter(pk=pk).first()
    if archive is None:
        raise Problem(410, "The archive that this upload became was deleted.")
    return plain_record(request, archive)
