"""Arrays in files that all processes of a host map, so that each page of them is in memory once.

A file is a copy of what PostgreSQL holds, made by whichever process had to read it; any of them may be missing, broken or old.
It starts with a line: name of the format, checksum of the rest, length of the header; then a header in JSON and the arrays.
"""

from __future__ import annotations

import json
import logging
import mmap
import os
import shutil
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from django.conf import settings
from django.db import DatabaseError

from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.summary import queries

_FORMAT = b"poolmark-columns-1"
_ALIGNED = 64
MAX_FILES = 500
"""Files of one database; of more the oldest are removed."""
FORGOTTEN_AFTER = 7 * 86_400
"""Seconds after which the files of another release, or of another database, are removed."""
_log = logging.getLogger(__name__)


@lru_cache(1)
def folder() -> Path | None:
    """The folder of the files of this database as this release reads it; None where the database does not say which it is. One
    query."""
    try:
        identity = queries.read_identity()
    except DatabaseError:  # a role may be forbidden to ask
        return None
    known = zlib.crc32(repr((*identity, *DIMENSIONS)).encode())
    return Path(settings.POOLMARK_DATA) / "cache" / "columns" / f"{known:08x}"


def read(name: str) -> tuple[Any, list[np.ndarray]] | None:
    """Header and arrays of a file, mapped; None where there is none that is whole."""
    place = folder()
    try:
        if place is None:
            return None
        with open(place / name, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        first = mapped.readline()
        kind, checksum, length = first.split()
        view, start = memoryview(mapped), len(first)
        if kind != _FORMAT or zlib.crc32(view[start:]) != int(checksum):
            return None
        header = json.loads(bytes(view[start : start + int(length)]))
        at, arrays = _align(start + int(length)), []
        for kind, count in header["arrays"]:
            arrays.append(np.frombuffer(mapped, kind, count, at))
            at = _align(at + arrays[-1].nbytes)
        return header["of"], arrays
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(name: str, of: Any, arrays: Sequence[np.ndarray]) -> None:
    """Replace a file. What cannot be written is left: each process has it in its own memory then."""
    place = folder()
    if place is None:
        return
    part = place / f".{uuid4()}.part"
    header = json.dumps({"of": of, "arrays": [[array.dtype.str, len(array)] for array in arrays]}).encode()
    try:
        if not place.exists():
            place.mkdir(parents=True, exist_ok=True)
            for other in place.parent.iterdir():
                if other.stat().st_mtime < time.time() - FORGOTTEN_AFTER:
                    shutil.rmtree(other, ignore_errors=True)
        start = len(_first_line(0, len(header)))
        parts: list[bytes | memoryview] = [header]
        at = start + len(header)
        for array in arrays:
            parts += [bytes(_align(at) - at), np.ascontiguousarray(array).data.cast("B")]
            at = _align(at) + array.nbytes
        checksum = 0
        for piece in parts:
            checksum = zlib.crc32(piece, checksum)
        with open(part, "wb") as file:
            file.write(_first_line(checksum, len(header)))
            for piece in parts:
                file.write(piece)
        os.replace(part, place / name)
        for old in sorted(place.iterdir(), key=lambda path: path.stat().st_mtime)[:-MAX_FILES]:
            old.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("columns of %s stay in the memory of each process: %s", name, error)
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _first_line(checksum: int, length: int) -> bytes:
    return b"%s %010d %012d\n" % (_FORMAT, checksum, length)


def _align(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED
