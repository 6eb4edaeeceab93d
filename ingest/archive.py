"""Folders, tar, zip and compressed files -> the files in them, within limits. The only place that unpacks.

Containers are told by content, never by name. Nothing is written to disk and no link is followed.
"""
from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ingest.ahead import read_ahead
from ingest.errors import BrokenArchive, TooLarge, UnreadableInput
from ingest.inner_paths import is_twin, judge, without_suffix
from ingest.records import Doubt
from ingest.spool import Spool
from ingest.tars import is_tar, plain_files
from ingest.thinning import HEAD, Judge, Thinner

_BLOCK, _SHORT = 1 << 18, 16 << 20  # bytes read at once; of what is held as a whole
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError, KeyError,
           NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one upload may unpack to. Sizes in bytes; `ratio` is unpacked to packed, judged beyond `ratio_from`."""

    total: int = 8 << 30
    file: int = 1 << 30
    ratio: int = 1000
    ratio_from: int = 64 << 20
    count: int = 100_000
    depth: int = 3
    path: int = 1024


@dataclass(slots=True)
class Entry:
    """One file inside the upload, or (with `data` None) only what is to be said about a place in it."""

    path: str
    data: bytes | None
    doubts: list[Doubt] = field(default_factory=list)
    # Of a file that was thinned while it was read: those of the whole, and what was left out (see `ingest.thinning`).
    sha256: str = ""
    size: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    # Of a long file that was thinned or asked for as a stream, in place of `data`.
    stream: BinaryIO | None = None


@dataclass(slots=True)
class _Budget:
    """What is used up of the limits over the whole upload."""

    limits: Limits
    packed: int
    judges: Callable[[], Judge] | None = None
    streams: bool = False
    total: int = 0
    count: int = 0

    def take(self, size: int, place: str) -> None:
        self.total += size
        if self.total > self.limits.total:
            raise TooLarge(f"The archive unpacks to more than {self.limits.total >> 20} MiB.", place)
        if self.total > self.limits.ratio_from and self.total > self.limits.ratio * max(self.packed, 1):
            raise TooLarge(f"The archive unpacks to more than {self.limits.ratio} times its size.", place)

    def one_more(self, place: str) -> None:
        self.count += 1
        if self.count > self.limits.count:
            raise TooLarge(f"The archive holds more than {self.limits.count} files.", place)


def files(path: str | Path, name: str | None = None, limits: Limits | None = None,
          judges: Callable[[], Judge] | None = None, streams: bool = False) -> Iterator[Entry]:
    """Every file of a folder, archive or bare file, in the container's order (folders: sorted).

    `name` is what a bare file is called, where that differs from its path. Raises UnreadableInput where `path` cannot
    be opened. `judges` makes a judge for each long file, which then is thinned (see `ingest.thinning`);
    `streams`: long files come as streams, for the caller to close. What breaks a limit or is damaged ends the reading with
    a doubt of the entry it happened in.
    """
    limits, path = limits or Limits(), Path(path)
    try:
        if path.is_dir():
            yield from _folder(path, _Budget(limits, 1 << 62, judges, streams))
            return
        with open(path, "rb") as stream:
            budget = _Budget(limits, os.fstat(stream.fileno()).st_size, judges, streams)
            yield from _guarded(stream, name or str(path), budget)
    except FileNotFoundError:
        raise UnreadableInput(f"{path}: no such file or folder") from None
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None


def open_file(path: str | Path, name: str, inner: str, limits: Limits | None = None) -> BinaryIO:
    """The bytes of one file of an upload, as a stream for the caller to close; of a long file it is a temporary file.
    Raises KeyError where it has none of that path."""
    for _, stream in open_files(path, name, {inner}, limits):
        return stream
    raise KeyError(inner)


def open_files(path: str | Path, name: str, inner: Collection[str], limits: Limits | None = None) -> Iterator[tuple[str, BinaryIO]]:
    """(path, stream of the bytes) of these files of an upload, in one pass that ends with the last of them."""
    wanted = set(inner)
    for entry in files(path, name, limits, streams=True) if wanted else ():
        stream = entry.stream or (None if entry.data is None else io.BytesIO(entry.data))
        if stream is not None and entry.path in wanted:
            wanted.remove(entry.path)
            yield entry.path, stream
            if not wanted:
                return
        elif stream is not None:
            stream.close()


def _folder(root: Path, budget: _Budget) -> Iterator[Entry]:
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        for name in sorted(names):
            full = Path(folder, name)
            inner = full.relative_to(root).as_posix()
            mode = full.lstat().st_mode
            if not stat.S_ISREG(mode):
                yield _skipped(inner, "a link" if stat.S_ISLNK(mode) else "no regular file")
            elif is_twin(inner):
                yield _skipped(inner, "a twin file that the system made")
            else:
                with open(full, "rb") as stream:
                    yield from _guarded(stream, inner, budget, outermost=False)


def _guarded(stream: BinaryIO, name: str, budget: _Budget, outermost: bool = True) -> Iterator[Entry]:
    try:
        yield from _stream(stream, name, budget, 0, outermost)
    except TooLarge as error:
        yield Entry(error.place or name, None, [Doubt(1, "limit", f"{error} What was read before stays.")])


def _stream(stream: BinaryIO, name: str, budget: _Budget, depth: int, outermost: bool) -> Iterator[Entry]:
    """The files in one stream of bytes, which may be a container, a compressed file, or the file itself."""
    head = _peek(stream)
    if depth > budget.limits.depth:
        yield Entry(name, None, [Doubt(1, "limit", f"Archives are nested deeper than {budget.limits.depth}; not unpacked.")])
        return
    try:
        if head.startswith(b"PK\x03\x04") and not _is_document(head):
            yield from _zip(stream, name, budget, depth, outermost)
        elif is_tar(head):
            yield from _tar(stream, name, budget, depth, outermost)
        elif (opened := _opened(head, stream)) is not None:
            yield from _stream(_Buffered(opened), without_suffix(name) if outermost else name, budget, depth + 1, outermost)
        else:
            yield _bare(stream, name, budget)
    except BrokenArchive as error:
        yield Entry(name, None, [Doubt(1, "broken-archive", str(error))])
    except _DAMAGE as error:
        yield Entry(name, None, [Doubt(1, "broken-archive", f"The container is damaged ({_reason(error)}); "
                                                            "what stands before the damage was read.")])


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0][:120] or type(error).__name__


def _bare(stream: BinaryIO, name: str, budget: _Budget) -> Entry:
    """The whole file. A compressed one that is cut gives what could be unpacked."""
    budget.one_more(name)
    whole, container = Spool(), False
    thinner: Thinner | None = None
    size, doubts = 0, []
    while True:
        try:
            block = stream.read(_BLOCK)
        except _DAMAGE as error:
            doubts.append(Doubt(1, "broken-archive", f"The compressed file is damaged ({_reason(error)}); "
                                                     "what stands before the damage was read."))
            break
        if not block:
            break
        size += len(block)
        budget.take(len(block), name)
        if size > budget.limits.file:
            raise _too_large(budget, name)
        if thinner is not None:
            thinner.add(block)
            continue
        container = _is_container(block[:560]) if size == len(block) else container
        whole.write(block)
        if budget.judges is not None and size > HEAD and not container:
            thinner = Thinner(budget.judges())
            thinner.add(whole.bytes())
            whole = Spool()
        elif size > _SHORT and (container or budget.streams):
            whole.put_aside()
    whole = whole if thinner is None else thinner.finish()
    entry = Entry(name, b"", doubts, stream=whole.stream()) if whole.aside else Entry(name, whole.bytes(), doubts)
    if thinner is not None:
        entry.sha256, entry.size, entry.gaps = thinner.sha256, thinner.size, thinner.gaps
    return entry


def _too_large(budget: _Budget, name: str) -> TooLarge:
    return TooLarge(f"A file is larger than {budget.limits.file >> 20} MiB.", name)


class _Buffered(io.BufferedReader):
    """A decompressor with `peek`."""

    def __init__(self, raw) -> None:
        super().__init__(raw, _BLOCK)


def _peek(stream: BinaryIO) -> bytes:
    """The first 560 bytes without using them up; less where the stream is damaged."""
    try:
        if stream.seekable():
            head = stream.read(560)
            stream.seek(0)
            return head
        return stream.peek(560)[:560]  # type: ignore[attr-defined]
    except _DAMAGE:
        return b""


def _opened(head: bytes, stream: BinaryIO):
    """A decompressing reader where the head is that of a compressed file."""
    if head.startswith(b"\x1f\x8b\x08"):
        return gzip.GzipFile(fileobj=stream)
    if head.startswith(b"BZh") and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return bz2.BZ2File(stream)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(stream)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        import zstandard

        return zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(stream, read_across_frames=True)
    return None


def _is_container(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04") or is_tar(head) or _opened(head, io.BytesIO(head)) is not None


def _is_document(head: bytes) -> bool:
    """Office files are zip files; what they hold is no folder of text files."""
    return b"[Content_Types].xml" in head[:128] or head[30:38] == b"mimetype"


def _tar(stream: BinaryIO, name: str, budget: _Budget, depth: int, outermost: bool) -> Iterator[Entry]:
    whole, rest = read_ahead(stream, _SHORT, _DAMAGE)
    plain = plain_files(whole) if whole is not None else None
    if whole is not None and plain is not None:
        yield from _slices(whole, plain, "" if outermost else f"{name}/", budget, depth)
        return
    # Of a short archive each file is a slice; file objects over file objects cost as much as parsing what they hold.
    given: tuple[Any, str] = (io.BytesIO(whole), "r:") if whole is not None else (rest, "r|")
    with tarfile.open(fileobj=given[0], mode=given[1], errorlevel=1, ignore_zeros=False) as tar:
        for member in tar:
            inner, why = judge(member.name, budget.limits.path)
            inner = inner if outermost else f"{name}/{inner}"
            if member.isdir():
                continue
            if why is None and not member.isreg():
                why = "a link" if member.issym() or member.islnk() else "no regular file"
            if why is not None:
                yield _skipped(inner, why)
                continue
            start, end = member.offset_data, member.offset_data + member.size
            if whole is not None and member.size <= HEAD and end <= len(whole) and not member.issparse():
                yield from _unpacked(_short(whole[start:end], inner, budget), inner, budget, depth)
            elif (source := tar.extractfile(member)) is not None:
                yield from _unpacked(_bare(source, inner, budget), inner, budget, depth)


def _slices(whole: bytes, plain: list[tuple[str, int, int]], within: str, budget: _Budget, depth: int) -> Iterator[Entry]:
    """The files of a short tar archive of plain files."""
    for name, start, end in plain:
        inner, why = judge(name, budget.limits.path)
        inner = within + inner
        if why is not None:
            yield _skipped(inner, why)
        elif end - start <= HEAD:
            yield from _unpacked(_short(whole[start:end], inner, budget), inner, budget, depth)
        else:
            yield from _unpacked(_bare(io.BytesIO(whole[start:end]), inner, budget), inner, budget, depth)


def _short(data: bytes, name: str, budget: _Budget) -> Entry:
    """A file too short to be thinned, of which all bytes are there."""
    budget.one_more(name)
    budget.take(len(data), name)
    if len(data) > budget.limits.file:
        raise _too_large(budget, name)
    return Entry(name, data)


def _unpacked(entry: Entry, inner: str, budget: _Budget, depth: int) -> Iterator[Entry]:
    """A file of a container, unpacked once more where it is a container itself."""
    data = entry.data or b""
    head = _peek(entry.stream) if entry.stream else data[:560]
    if _is_container(head):
        budget.count -= 1
        with closing(entry.stream or io.BufferedReader(io.BytesIO(data))) as stream:  # type: ignore[type-var]
            yield from _stream(stream, inner, budget, depth + 1, outermost=False)
    else:
        yield entry


def _zip(stream: BinaryIO, name: str, budget: _Budget, depth: int, outermost: bool) -> Iterator[Entry]:
    if not stream.seekable():
        entry = _bare(stream, name, budget)
        stream = entry.stream or io.BytesIO(entry.data or b"")
    with zipfile.ZipFile(stream) as packed:
        for info in packed.infolist():
            inner, why = judge(info.filename, budget.limits.path)
            inner = inner if outermost else f"{name}/{inner}"
            if info.is_dir():
                continue
            mode = info.external_attr >> 16
            if why is None and mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                why = "a link" if stat.S_ISLNK(mode) else "no regular file"
            if why is None and info.flag_bits & 1:
                why = "encrypted"
            if why is not None:
                yield _skipped(inner, why)
                continue
            with packed.open(info) as source:
                yield from _unpacked(_bare(source, inner, budget), inner, budget, depth)


def _skipped(path: str, why: str) -> Entry:
    return Entry(path, None, [Doubt(1, "skipped-entry", f"Not unpacked: {why}.")])
