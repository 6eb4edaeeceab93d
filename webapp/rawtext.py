"""The lines of one file of an archive as uploaded, a page at a time, however long the file is."""
from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.urls import reverse

import ingest
from webapp import blobs
from webapp.models import Archive, File

PAGE = 1000
_LONGEST = 20_000  # characters shown of one line
_CACHE_LIMIT = 2 * 2**30
_PICTURES = {code: 0x2400 + code for code in range(0x20) if code != 9} | {0x7F: 0x2421}


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines `first` and following of `total`; `text` has control characters as their pictures."""

    first: int
    total: int
    text: list[str]

    @property
    def last(self) -> int:
        return self.first + len(self.text) - 1


@lru_cache(20_000)
def _file_address(archive_id: int, path: str) -> str:
    """Kept: a page links to hundreds of lines of the same files."""
    return reverse("archive-raw", args=[archive_id, path])


def line_address(archive_id: int, path: str, line: int | str | None) -> str:
    """The address of a line in the raw view, on the page that holds it; that of the file where there is no line."""
    address = _file_address(archive_id, path)
    if line in (None, ""):
        return address
    if not str(line).isdecimal():
        return f"{address}#{line}"
    start = (int(line) - 1) // PAGE * PAGE + 1
    return f"{address}{f'?from={start}' if start > 1 else ''}#L{line}"


def place_address(archive_id: int, place: str) -> str:
    """The address of a `FILE:LINE`, '' where it is none (`stated`)."""
    path, colon, line = place.rpartition(":")
    return line_address(archive_id, path, line) if colon and path else ""


def read_lines(archive: Archive, file: File, start: int, count: int = PAGE) -> Lines:
    """`count` lines from line `start` (1-based; moved to the last page where the file is shorter)."""
    data = _cached(archive, file)
    index = json.loads(data.with_suffix(".index").read_text())
    start = max(1, min(start, max(1, index["lines"])))
    block = (start - 1) // PAGE
    with data.open("rb") as stream:
        stream.seek(index["starts"][block] if block < len(index["starts"]) else 0)
        skipped = (start - 1) - block * PAGE
        text = [line for at, line in zip(range(skipped + count), stream, strict=False) if at >= skipped]
    return Lines(start, index["lines"], [shown(line, index["encoding"]) for line in text])


def some_lines(archive: Archive, wanted: Mapping[str, Collection[int]]) -> dict[str, dict[int, str]]:
    """These lines (1-based) of files of one archive by path, each whole; what is not there is left out.

    The archive is unpacked once, however many files are asked for, and nothing of it is kept.
    """
    found = {}
    for path, raw in ingest.open_files(blobs.path(archive.sha256), archive.name, wanted):
        data, encoding = _as_lines(raw)
        lines = islice(io.BytesIO(data), max(wanted[path], default=0))
        found[path] = {at: shown(line, encoding, longest=None) for at, line in enumerate(lines, 1) if at in wanted[path]}
    return found


def is_binary(archive: Archive, file: File) -> bool:
    """Whether the file holds no text lines worth showing (a spreadsheet)."""
    with _cached(archive, file).open("rb") as stream:
        head = stream.read(4096)
    return head.startswith((b"\x09\x00", b"\x09\x02", b"\x09\x04", b"\xd0\xcf\x11\xe0", b"PK\x03\x04")) or (
        head.count(b"\0") > len(head) // 20)


def shown(line: bytes, encoding: str, longest: int | None = _LONGEST) -> str:
    """A line as text: without its line feed, control characters as pictures, cut where it is longer than `longest`."""
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        text = line.decode("cp1252", "replace")
    text = text.rstrip("\n").removesuffix("\r").translate(_PICTURES)
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]} ... ({len(text) - longest} more characters)"


def _cached(archive: Archive, file: File) -> Path:
    """The file's bytes as lines in UTF-8 or the file's own 8-bit encoding, beside an index of every PAGE-th line."""
    target = Path(settings.POOLMARK_DATA) / "cache" / "raw" / f"{file.sha256}.text"
    if not target.with_suffix(".index").exists() or not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        data = ingest.open_file(blobs.path(archive.sha256), archive.name, file.path)
        _write(target, _as_lines(data))
        _prune(target.parent, keep=target)
    os.utime(target)
    return target


def _as_lines(data: bytes) -> tuple[bytes, str]:
    """UTF-16 has line feeds of two bytes: such a file is turned into UTF-8, all others stay as they are."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace").encode(), "utf-8"
    if data[1:200:2].count(b"\0") * 3 > len(data[1:200:2]) * 2 and len(data) > 3:
        return data.decode("utf-16-le", "replace").encode(), "utf-8"
    return data, "utf-8"


def _write(target: Path, text: tuple[bytes, str]) -> None:
    data, encoding = text
    starts, lines = _index(data)
    index = {"lines": lines, "starts": starts, "encoding": encoding}
    for place, body in ((target, data), (target.with_suffix(".index"), json.dumps(index).encode())):
        handle, name = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(body)
        os.replace(name, place)


def _index(data: bytes) -> tuple[list[int], int]:
    """Offsets of lines 1, PAGE + 1, 2 PAGE + 1 ..., and the number of lines."""
    starts, lines, at = [0], 0, 0
    while at < len(data):
        end = data.find(b"\n", at)
        at = len(data) if end < 0 else end + 1
        lines += 1
        if lines % PAGE == 0 and at < len(data):
            starts.append(at)
    return starts, lines


def _prune(folder: Path, keep: Path) -> None:
    """Drop the longest unused of the cache beyond its limit; whatever is dropped is made again when asked for."""
    files, total = sorted(_files(folder), reverse=True), 0
    for _, size, file in files:
        total += size
        if total > _CACHE_LIMIT and file != str(keep):
            Path(file).unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[tuple[float, int, str]]:
    """(last use, size, path) of each kept file that is still there."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".text"):
                with contextlib.suppress(FileNotFoundError):
                    facts = entry.stat()
                    yield facts.st_mtime, facts.st_size, entry.path
