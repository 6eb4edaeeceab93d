"""Bytes of an upload that come in pieces. Each piece lies in the store before its row says that it is there, so that any process on
any host of the site takes the next one."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from uuid import UUID

from django.db import transaction

from webapp.files import blobs, stores
from webapp.models import ApiAnswer, ApiUpload, UploadPiece

PIECE = 64 << 20
"""Bytes of a piece at most: of a longer request what came before a fault stays."""
MAX_PIECES = 10_000


class TooManyPieces(Exception):
    """The upload has MAX_PIECES already."""


def append(upload: ApiUpload, blocks: Iterable[bytes]) -> bool:
    """Keep blocks that follow the bytes that are there, and raise `upload.received`. False where another request was faster, whose
    bytes stay then. Raises DiskFull, NoSpace, StoreError, TooManyPieces."""
    source = iter(blocks)
    for first in source:
        if upload.pieces.count() >= MAX_PIECES:
            raise TooManyPieces
        incoming = blobs.write_incoming(chain([first], _up_to(source, PIECE - len(first))))
        try:
            stores.current().put(_key(upload.pk, upload.received, incoming.sha256), incoming.file)
        finally:
            incoming.discard()
        if not _add(upload, incoming):
            return False
    return True


def _up_to(source: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Whole blocks of the source, until they are `most` bytes or more."""
    while most > 0 and (block := next(source, b"")):
        most -= len(block)
        yield block


def _add(upload: ApiUpload, incoming: blobs.IncomingFile) -> bool:
    with transaction.atomic():
        now = ApiUpload.objects.select_for_update().filter(pk=upload.pk, received=upload.received).first()
        if now is not None:
            UploadPiece.objects.create(upload=now, start=now.received, size=incoming.size, sha256=incoming.sha256)
            now.received += incoming.size
            now.save(update_fields=["received"])
            upload.received = now.received
            return True
    if not UploadPiece.objects.filter(upload=upload.pk, start=upload.received, sha256=incoming.sha256).exists():
        stores.delete(_key(upload.pk, upload.received, incoming.sha256))
    return False


def read(upload: ApiUpload) -> Iterator[bytes]:
    """All bytes in blocks of 1 MiB. Raises MissingBytes where another request has finished or dropped them, DamagedBytes."""
    for piece in upload.pieces.order_by("start"):
        with stores.local(_key(upload.pk, piece.start, piece.sha256)) as path, path.open("rb") as stream:
            yield from stores.read_blocks(stream)


def drop(upload: ApiUpload) -> None:
    """Delete the bytes; the upload begins anew."""
    pieces = list(upload.pieces.values_list("start", "sha256"))
    with transaction.atomic():
        ApiUpload.objects.filter(pk=upload.pk).update(received=0)
        upload.pieces.all().delete()
    for piece in pieces:
        stores.delete(_key(upload.pk, *piece))
    for store in stores.in_use():
        if isinstance(store, stores.FolderStore):
            shutil.rmtree(store.root / _area(upload.pk), ignore_errors=True)
    upload.received = 0


def forget_old() -> int:
    """Delete uploads and answers of a day ago and before; the number of uploads."""
    old = list(ApiUpload.objects.forgotten())
    for upload in old:
        drop(upload)
        upload.delete()
    ApiAnswer.objects.forgotten().delete()
    return len(old)


def _area(upload: UUID) -> str:
    return f"pieces/{upload.hex}"


def _key(upload: UUID, start: int, sha256: str) -> str:
    return stores.make_key(f"{_area(upload)}/{start}", sha256)
