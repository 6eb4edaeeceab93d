"""Many archives for the workers of all machines: one process takes their bytes into the store and makes their rows, in the order of
their names, and workers read them. The bytes are some 8 for each value, the reading is what takes time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from webapp.accounts import access, audit
from webapp.accounts.blocks import Blocked
from webapp.archives import lifecycle, upload
from webapp.files import blobs, stores
from webapp.jobs.tasks import send_archive
from webapp.models import Archive

_WAITING = (Archive.State.RECEIVED, Archive.State.READING)
_SECONDS = 0.5  # between two looks at what is read


@dataclass(frozen=True, slots=True)
class HandedOver:
    """An archive that workers read, or have read; `is_new`: it was made for this file."""

    archive_id: int
    is_new: bool


def send(prefix: str, owner, public: bool) -> Iterator[tuple[str, HandedOver | str]]:
    """Hand over every file below a folder or `s3://BUCKET/PREFIX`; name, and the archive or why it was refused. What is here
    already is not sent again. Raises ValueError where there is no such place, StoreError, DiskFull."""
    store = stores.find_store(prefix)
    for name in store.names():
        try:
            incoming = blobs.write_incoming(store.blocks(name), settings.POOLMARK_UPLOAD_LIMIT)
            archive, is_new = upload.receive(incoming, owner, name.rpartition("/")[2], public=public, send=send_archive)
        except (Blocked, blobs.UploadTooLarge, stores.MissingBytes, stores.DamagedBytes) as refused:
            yield name, str(refused)
            continue
        if not is_new and public and access.owns(owner, archive):
            lifecycle.perform_action(archive.pk, "publish", audit.command_line_actor())
        yield name, HandedOver(archive.pk, is_new)


def wait(sent: list[HandedOver]) -> Iterator[tuple[Archive, bool]]:
    """The archives in their order, each once it is read or has failed, with whether it is new; those that were deleted meanwhile
    are left out."""
    for one in sent:
        while Archive.objects.filter(pk=one.archive_id, state__in=_WAITING).exists():
            time.sleep(_SECONDS)
        for archive in Archive.objects.filter(pk=one.archive_id):
            yield archive, one.is_new
