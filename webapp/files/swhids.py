"""Software Heritage identifiers (SWHID 1.2, swhid.org) of uploaded files: of the bytes alone, wherever a copy is kept.

The core is the hash by which git names a blob. `origin` and `lines` say where the bytes were found and which lines are meant.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from threading import Lock
from typing import BinaryIO

from cachetools import LRUCache

import ingest
from webapp.files import blobs
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.models import Archive, File

_BLOCK = 2**20
_known: LRUCache[str, str] = LRUCache(20_000)
"""SHA-256 of a file -> its identifier."""
_lock = Lock()


def content_id(stream: BinaryIO) -> str:
    """`swh:1:cnt:` and the hash of the stream's bytes; the stream is at its beginning, before and after."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while block := stream.read(_BLOCK):
        digest.update(block)
    stream.seek(0)
    return f"swh:1:cnt:{digest.hexdigest()}"


def keep_id(sha256: str, stream: BinaryIO) -> None:
    """Keep the identifier of the bytes, of which `content_ids` then need not be unpacked."""
    if sha256 not in _known:
        found = content_id(stream)
        with _lock:
            _known[sha256] = found


def content_ids(archive: Archive, files: Iterable[File]) -> dict[str, str]:
    """Path -> identifier of these files of the archive, without those whose bytes are lost. The archive is unpacked once, for
    the files that are not known yet."""
    by_path = {file.path: file.sha256 for file in files}
    with _lock:
        found = {sha256: _known[sha256] for sha256 in by_path.values() if sha256 in _known}
    wanted = [path for path, sha256 in by_path.items() if sha256 not in found]
    if wanted:
        with suppress(MissingBytes, DamagedBytes), blobs.local_path(archive.sha256) as kept:
            for path, stream in ingest.open_files(kept, archive.name, wanted):
                with stream:
                    found[by_path[path]] = content_id(stream)
        with _lock:
            _known.update(found)
    return {path: found[sha256] for path, sha256 in by_path.items() if sha256 in found}


def qualified(core: str, origin: str, first: int | str = "", last: int | str = "") -> str:
    """The identifier with its qualifiers, in the order of the specification; `;` and `%` within the origin are escaped."""
    lines = f"{first}-{last}" if last and str(last) != str(first) else str(first)
    escaped = origin.replace("%", "%25").replace(";", "%3B")
    return core + f";origin={escaped}" + (f";lines={lines}" if lines else "")
