"""The lines of one file of an archive as uploaded, a page at a time, for files of any length."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

import ingest
from webapp.files import blobs, disk_cache
from webapp.files.addresses import LINES_PER_PAGE
from webapp.models import Archive, File

_MAX_LINE = 20_000  # characters of a line that are shown
_CACHE_LIMIT = disk_cache.LIMIT
_BLOCK = 2**20  # bytes of a file, or of a line, in memory at once
_PICTURES = {code: 0x2400 + code for code in range(0x20) if code != 9} | {0x7F: 0x2421}


@dataclass(frozen=True, slots=True)
class RawLines:
    """Lines `first` and following of `total`; `text` has the Unicode pictures of control characters."""

    first: int
    total: int
    text: list[str]

    @property
    def last(self) -> int:
        return self.first + len(self.text) - 1


def read_lines(archive: Archive, file: File, start: int, count: int = LINES_PER_PAGE) -> RawLines:
    """`count` lines from line `start` (1-based; moved to the last page where the file is shorter)."""
    cached = _cached(archive, file)
    index = json.loads(cached.with_suffix(".index").read_text())
    start = max(1, min(start, max(1, index["lines"])))
    block = (start - 1) // LINES_PER_PAGE
    with cached.open("rb") as stream:
        stream.seek(index["starts"][block] if block < len(index["starts"]) else 0)
        for _ in range((start - 1) - block * LINES_PER_PAGE):
            while (part := stream.readline(_BLOCK)) and not part.endswith(b"\n"):
                pass
        lines = islice(iter(lambda: _line(stream, index["encoding"]), None), count)
        return RawLines(start, index["lines"], list(lines))


def _line(stream: BinaryIO, encoding: str) -> str | None:
    """The next line as `printable_line`, None after the last; of a very long one at most a block is in memory."""
    head = stream.readline(_BLOCK)
    if not head or len(head) < _BLOCK or head.endswith(b"\n"):
        return printable_line(head, encoding) if head else None
    position = stream.tell()
    try:
        return _truncated_line(stream, head, codecs.getincrementaldecoder(encoding)())
    except UnicodeDecodeError:
        stream.seek(position)
        return _truncated_line(stream, head, codecs.getincrementaldecoder("cp1252")("replace"))


def _truncated_line(stream: BinaryIO, head: bytes, decoder: codecs.IncrementalDecoder) -> str:
    """The result of `printable_line` for the line that begins with `head` and continues in the stream."""
    text, last = decoder.decode(head), head[-2:]
    length = len(text)
    while not last.endswith(b"\n") and (part := stream.readline(_BLOCK)):
        length, last = length + len(decoder.decode(part)), (last + part)[-2:]
    length += len(decoder.decode(b"", final=True)) - len(last) + len(last.removesuffix(b"\n").removesuffix(b"\r"))
    return f"{text[:_MAX_LINE].translate(_PICTURES)} ... ({length - _MAX_LINE} more characters)"


def read_selected_lines(
    archive: Archive, wanted: Mapping[str, Collection[int]], look: Callable[[str, BinaryIO], object] = lambda path, raw: None
) -> dict[str, dict[int, str]]:
    """These lines (1-based) of files of one archive by path, in full; missing ones are left out.

    The archive is unpacked once for all files, and nothing is cached. `look` gets path and bytes of each file, and leaves the
    stream at its beginning.
    """
    lines_by_path: dict[str, dict[int, str]] = {}
    with blobs.local_path(archive.sha256) as kept:
        for path, raw in ingest.open_files(kept, archive.name, wanted):
            look(path, raw)
            with raw, tempfile.TemporaryFile() if utf16_encoding(raw) else contextlib.nullcontext(raw) as data:
                if data is not raw:
                    write_lines(raw, data)
                    data.seek(0)
                lines = islice(data, max(wanted[path], default=0))
                lines_by_path[path] = {
                    number: printable_line(line, "utf-8", longest=None)
                    for number, line in enumerate(lines, 1)
                    if number in wanted[path]
                }
    return lines_by_path


def is_binary(archive: Archive, file: File) -> bool:
    """Whether the file is no text (a spreadsheet)."""
    with _cached(archive, file).open("rb") as stream:
        head = stream.read(4096)
    return head.startswith((b"\x09\x00", b"\x09\x02", b"\x09\x04", b"\xd0\xcf\x11\xe0", b"PK\x03\x04")) or (
        head.count(b"\0") > len(head) // 20
    )


def printable_line(line: bytes, encoding: str, longest: int | None = _MAX_LINE) -> str:
    """A line as text: without its line feed, control characters as pictures, truncated where it is longer than `longest`."""
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError:
        text = line.decode("cp1252", "replace")
    text = text.rstrip("\n").removesuffix("\r").translate(_PICTURES)
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]} ... ({len(text) - longest} more characters)"


def _cached(archive: Archive, file: File) -> Path:
    """The file's bytes as lines in UTF-8 or the file's own 8-bit encoding, with an index of every LINES_PER_PAGE-th line."""
    target = Path(settings.POOLMARK_DATA) / "cache" / "raw" / f"{file.sha256}.text"
    if not target.with_suffix(".index").exists() or not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with blobs.local_path(archive.sha256) as kept, ingest.open_file(kept, archive.name, file.path) as raw:
            _write(target, raw)
        disk_cache.prune(target.parent, target, ending=".text", limit=_CACHE_LIMIT)
    os.utime(target)
    return target


def utf16_encoding(raw: BinaryIO) -> str:
    """The name of a file's encoding where it is UTF-16, else ''. The stream is at its beginning, before and after."""
    head = raw.read(200)
    raw.seek(0)
    marks = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
    without_mark = "utf-16-le" if head[1::2].count(b"\0") * 3 > len(head[1::2]) * 2 and len(head) > 3 else ""
    return marks.get(head[:2], without_mark)


def write_lines(raw: BinaryIO, out: BinaryIO) -> tuple[list[int], int]:
    """Copy the file, in UTF-8 where it is UTF-16, block by block. Returns the offsets of the first lines of the pages, and the
    number of lines."""
    encoding = utf16_encoding(raw)
    decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
    raw.seek(2 if encoding and raw.read(2) in (b"\xff\xfe", b"\xfe\xff") else 0)
    starts, lines, offset, has_open_line = [0], 0, 0, False
    is_last = False
    while not is_last:
        block = raw.read(_BLOCK)
        is_last = not block
        if decoder is not None:
            block = decoder.decode(block, final=is_last).encode("utf-8", "replace")
        out.write(block)
        end = block.find(b"\n") + 1
        while end:
            lines += 1
            if lines % LINES_PER_PAGE == 0:
                starts.append(offset + end)
            end = block.find(b"\n", end) + 1
        has_open_line = not block.endswith(b"\n") if block else has_open_line
        offset += len(block)
    if starts[-1] == offset and offset:
        starts.pop()
    return starts, lines + has_open_line


def _write(target: Path, raw: BinaryIO) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as out:
        starts, lines = write_lines(raw, out)
    os.replace(name, target)
    handle, name = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "w") as out:
        json.dump({"lines": lines, "starts": starts, "encoding": "utf-8"}, out)
    os.replace(name, target.with_suffix(".index"))
