"""Text as GNU dd prints it, and archives of it."""

from __future__ import annotations

import io

from webapp.archives import upload
from webapp.files import blobs, pack
from webapp.jobs.tasks import ingest_archive
from webapp.tests import making
from webapp.tests.dd_text import GIB, UNAME, dd

__all__ = ["GIB", "UNAME", "dd", "dd_by_compression", "received", "tar"]


def tar(files: dict[str, bytes]) -> bytes:
    return b"".join(pack.pack([pack.PackEntry(path, len(data), io.BytesIO(data)) for path, data in files.items()]))


def received(data: bytes, name: str = "results.tar", *, owner: str = "ann", public: bool = True):
    """An archive that went the whole way of an upload, read in this process."""
    row, _ = upload.receive(blobs.write_incoming([data]), making.user(owner), name, public=public, send=lambda pk: None)
    ingest_archive(row.pk)
    row.refresh_from_db()
    return row


def dd_by_compression(**seconds: list[float]) -> bytes:
    """A transcript of one host: for each compression of its pool a write of 1 GiB for each number of seconds, in rounds."""
    text = f"root@tank:~# uname -a\n{UNAME}\n"
    for round_times in zip(*seconds.values(), strict=True):
        for compression, time in zip(seconds, round_times, strict=True):
            text += f"root@tank:~# zfs set compression={compression.replace('_', '-')} tank\n"
            text += (
                "root@tank:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1024+0 records in\n1024+0 records out\n"
                f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, {time} s, {GIB / time / 1e6:.0f} MB/s\n"
            )
    return text.encode()
