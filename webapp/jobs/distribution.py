"""Many archives for the workers of all machines: one process takes their bytes into the store and makes their rows, in the order of
their names, and workers read them. The bytes are some 8 for each value, the reading is what takes time."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.conf import settings

from webapp.accounts import access, audit
from webapp.accounts.blocklist import Blocked
from webapp.archives import exposure, lifecycle, upload
from webapp.files import blobs, stores
from webapp.jobs.tasks import send_archive
from webapp.models import Archive

_WAITING = (Archive.State.RECEIVED, Archive.State.READING)
_SECONDS = 0.5  # between two looks at what is read
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandedOver:
    """An archive that workers read, or have read; `is_new`: it was made for this file."""

    archive_id: int
    is_new: bool


def describe_secrets(incoming: blobs.IncomingFile, name: str, confirmed: Collection[str]) -> str:
    """Why an upload is not published, with the name of each finding to confirm; empty where it has no other secrets."""
    try:
        exposure.require_confirmed_bytes(incoming.file, name, confirmed)
    except exposure.UnconfirmedSecrets as secrets:
        listed = [f"  {finding or '(too many to confirm)'}  {text}" for finding, text in secrets.findings]
        head = f"{name} stays private: secrets were found. Publish it on its page, or again with --publish-anyway FINDING for each:"
        return "\n".join([head, *listed])
    return ""


def send(prefix: str, owner, confirmed: Collection[str] | None) -> Iterator[tuple[str, HandedOver | str]]:
    """Hand over every file below a folder or `s3://BUCKET/PREFIX`; name, and the archive or why it was refused. What is here
    already is not sent again. Published are those without secrets but the `confirmed` ones; None: none. Raises ValueError where
    there is no such place, StoreError, DiskFull."""
    store = stores.find_store(prefix)
    for name in store.names():
        try:
            incoming = blobs.write_incoming(store.blocks(name), settings.POOLMARK_UPLOAD_LIMIT)
            short = name.rpartition("/")[2]
            kept_private = "" if confirmed is None else describe_secrets(incoming, short, confirmed)
            public = confirmed is not None and not kept_private
            archive, is_new = upload.receive(incoming, owner, short, public=public, send=send_archive)
        except (Blocked, blobs.UploadTooLarge, stores.MissingBytes, stores.DamagedBytes) as refused:
            yield name, str(refused)
            continue
        if not is_new and public and access.owns(owner, archive):
            lifecycle.perform_action(archive.pk, "publish", audit.command_line_actor(), confirmed=confirmed or ())
        if kept_private:
            log.warning("%s", kept_private)
        yield name, HandedOver(archive.pk, is_new)


def wait(sent: list[HandedOver]) -> Iterator[tuple[Archive, bool]]:
    """The archives in their order, each once it is read or has failed, with whether it is new; those that were deleted meanwhile
    are left out."""
    for one in sent:
        while Archive.objects.filter(pk=one.archive_id, state__in=_WAITING).exists():
            time.sleep(_SECONDS)
        for archive in Archive.objects.filter(pk=one.archive_id):
            yield archive, one.is_new
