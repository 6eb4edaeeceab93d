"""Many archives for the workers of all machines: one process takes their bytes into the store and makes their rows, in the order of
their names, and workers read them. The bytes are some 8 for each value, the reading is what takes time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings

from webapp.accounts import access, audit
from webapp.accounts.blocks import Blocked
from webapp.archives import lifecycle, upload
from webapp.files import blobs, stores
from webapp.jobs.tasks import send_archive
from webapp.models import Archive

_WAITING = (Archive.State.RECEIVED, Archive.State.READING)
_SECONDS = 0.5  # between two looks at what is read


def send(prefix: str, owner, public: bool) -> Iterator[tuple[str, int | str]]:
    """Hand over every file below a folder or `s3://BUCKET/PREFIX`; name, and id of the archive or why it was refused. What is
    here already is not sent again. Raises ValueError where there is no such place, StoreError."""
    for name, blocks in _files(prefix):
        try:
            incoming = blobs.write_incoming(blocks, settings.POOLMARK_UPLOAD_LIMIT)
            archive, is_new = upload.receive(incoming, owner, name.rpartition("/")[2], public=public, send=send_archive)
        except (Blocked, blobs.UploadTooLarge, stores.MissingBytes, stores.DamagedBytes) as refused:
            yield name, str(refused)
            continue
        if not is_new and public and access.owns(owner, archive):
            lifecycle.perform_action(archive.pk, "publish", audit.command_line_actor())
        yield name, archive.pk


def _files(prefix: str) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Name and bytes, in the order of names."""
    store = stores.find_store(prefix)
    if not isinstance(store, stores.FolderStore):
        from webapp.files.bucket import BucketStore

        assert isinstance(store, BucketStore)
        for name in store.names():
            yield name, store.blocks(name)
        return
    if not store.root.is_dir():
        raise ValueError(f"There is no folder {store.root}")
    for path in sorted((path for path in store.root.rglob("*") if path.is_file()), key=lambda path: path.as_posix()):
        yield path.relative_to(store.root).as_posix(), _blocks(path)


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield from blobs.read_blocks(stream)


def wait(ids: list[int]) -> Iterator[Archive]:
    """The archives in the order of ids, each once it is read or has failed; those that were deleted meanwhile are left out."""
    for archive_id in ids:
        while Archive.objects.filter(pk=archive_id, state__in=_WAITING).exists():
            time.sleep(_SECONDS)
        yield from Archive.objects.filter(pk=archive_id)
