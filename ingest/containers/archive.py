"""Folders, tar, zip and compressed files -> the files in them, within limits. The only place that unpacks.

Containers are told by content, never by name. Nothing is written to disk and no link is followed.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ingest.containers.budget import Budget, Limits
from ingest.containers.damage_report import damage_doubt, zip_damage_doubt
from ingest.containers.decompress import TRUNCATED, DecompressedStream, find_decompressor
from ingest.containers.heads import is_container, is_zip
from ingest.containers.paths import decode_name, inner_path, is_platform_file, shorten_path, strip_suffix
from ingest.containers.peek import PeekedStream, Readable, read_ahead
from ingest.containers.skip_noise import HEAD_SIZE, NoiseSkipper, NoiseTest
from ingest.containers.spool import Spool
from ingest.containers.tar import MemberContent, list_plain_files, open_tolerant, skip_to_header, starts_as_tar
from ingest.containers.zip import ZipReader, has_zip_trailer
from ingest.errors import BrokenArchive, TooLarge, UnreadableInput
from ingest.records import DAMAGED_BYTES, Doubt

_Stream = BinaryIO | DecompressedStream
_BLOCK, _SHORT = 1 << 18, 16 << 20  # bytes read at once; of what is held as a whole
_DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError, RuntimeError)


@dataclass(slots=True)
class ArchiveEntry:
    """One file inside the upload, or (with `data` None) only what is to be said about a place in it."""

    path: str
    data: bytes | None
    doubts: list[Doubt] = field(default_factory=list)
    # Of a file that was thinned while it was read: those of the whole, and what was left out (see `ingest.containers.skip_noise`).
    sha256: str = ""
    size: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    cut: bool = False  # where the bytes end is not where the file ended
    # Of a long file that was thinned or asked for as a stream, in place of `data`.
    stream: BinaryIO | None = None


def iter_files(
    path: str | Path,
    name: str | None = None,
    limits: Limits | None = None,
    judges: Callable[[], NoiseTest] | None = None,
    streams: bool = False,
) -> Iterator[ArchiveEntry]:
    """Every file of a folder, archive or bare file, in the container's order (folders: sorted).

    `name` is what a bare file is called, where that differs from its path. Raises UnreadableInput where `path` cannot
    be opened. `judges` makes a judge for each long file, which then is thinned (see `ingest.containers.skip_noise`);
    `streams`: long files come as streams, for the caller to close. What breaks a limit or is damaged ends the reading with
    a doubt of the entry it happened in.
    """
    limits, path = limits or Limits(), Path(path)
    try:
        if path.is_dir():
            yield from _folder(path, Budget(limits, 1 << 62, judges, streams))
            return
        with open(path, "rb") as stream:
            budget = Budget(limits, os.fstat(stream.fileno()).st_size, judges, streams)
            yield from _guarded(stream, decode_name(name or str(path)), budget)
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
    for entry in iter_files(path, name, limits, streams=True) if wanted else ():
        stream = entry.stream or (None if entry.data is None else io.BytesIO(entry.data))
        if stream is not None and entry.path in wanted:
            wanted.remove(entry.path)
            yield entry.path, stream
            if not wanted:
                return
        elif stream is not None:
            stream.close()


def _folder(root: Path, budget: Budget) -> Iterator[ArchiveEntry]:
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        for name in sorted(names):
            full = Path(folder, name)
            inner = decode_name(full.relative_to(root).as_posix())
            mode = full.lstat().st_mode
            if not stat.S_ISREG(mode):
                yield _skipped(inner, "a link" if stat.S_ISLNK(mode) else "no regular file")
            elif is_platform_file(inner):
                yield _skipped(inner, "a twin file that the system made")
            else:
                with open(full, "rb") as stream:
                    yield from _guarded(stream, budget.names.own(inner), budget, outermost=False)


def _guarded(stream: BinaryIO, name: str, budget: Budget, outermost: bool = True) -> Iterator[ArchiveEntry]:
    try:
        yield from _stream(stream, name, budget, 0, outermost)
    except TooLarge as error:
        yield ArchiveEntry(error.place or name, None, [Doubt(1, "limit", f"{error} What was read before stays.")])


def _stream(stream: _Stream, name: str, budget: Budget, depth: int, outermost: bool) -> Iterator[ArchiveEntry]:
    """The files in one stream of bytes, which may be a container, a compressed file, or the file itself."""
    head = _peek(stream)
    if depth > budget.limits.depth:
        yield ArchiveEntry(name, None, [Doubt(1, "limit", f"Archives are nested deeper than {budget.limits.depth}; not unpacked.")])
        return
    within = "" if outermost else name
    try:
        if is_zip(head) or (
            depth == 0 and outermost and not isinstance(stream, DecompressedStream) and has_zip_trailer(stream, head)
        ):
            yield from _zip(stream, name, within, budget, depth)
        elif starts_as_tar(head):
            yield from _tar(stream, name, within, budget, depth)
        elif (unpack := find_decompressor(head)) is not None:
            with closing(_seekable(stream, name, budget)) as source:
                inner = strip_suffix(name) if outermost else name
                yield from _stream(DecompressedStream(unpack(source), source), inner, budget, depth + 1, outermost)
        else:
            yield _bare(stream, name, budget)
    except BrokenArchive as error:
        yield ArchiveEntry(name, None, [damage_doubt(within, str(error))])
    except _DAMAGE as error:
        yield ArchiveEntry(name, None, [damage_doubt(within, _reason(error))])


def _seekable(stream: _Stream, name: str, budget: Budget) -> BinaryIO:
    if not isinstance(stream, DecompressedStream) and stream.seekable():
        return stream
    entry = _bare(stream, name, budget)
    budget.count -= 1
    return entry.stream or io.BytesIO(entry.data or b"")


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0][:120] or type(error).__name__


def _bare(stream: Readable, name: str, budget: Budget, doubts: list[Doubt] | None = None) -> ArchiveEntry:
    """The whole file. A compressed one that is cut gives what could be unpacked."""
    budget.one_more(name)
    whole, container, damage = Spool(), False, ""
    thinner: NoiseSkipper | None = None
    size = 0
    while True:
        try:
            block = stream.read(_BLOCK) or (DAMAGED_BYTES if _resumed(stream) else b"")
        except _DAMAGE as error:
            block, damage = b"", _reason(error)
        if not block:
            break
        size += len(block)
        budget.take(len(block), name)
        if size > budget.limits.file:
            raise _too_large(budget, name)
        if thinner is not None:
            thinner.add(block)
            continue
        container = is_container(block[:560]) if size == len(block) else container
        whole.write(block)
        if budget.judges is not None and size > HEAD_SIZE and not container:
            thinner = NoiseSkipper(budget.judges())
            thinner.add(whole.bytes())
            whole = Spool()
        elif size > _SHORT and (container or budget.streams):
            whole.put_aside()
    whole = whole if thinner is None else thinner.finish()
    damage = damage or getattr(stream, "damage", "")
    doubts = [*(doubts or []), *([damage_doubt(None, damage, getattr(stream, "where", 0))] if damage else [])]
    entry = ArchiveEntry(name, b"", doubts, stream=whole.stream()) if whole.aside else ArchiveEntry(name, whole.bytes(), doubts)
    entry.cut = bool(damage)
    if thinner is not None:
        entry.sha256, entry.size, entry.gaps = thinner.sha256, thinner.size, thinner.gaps
    return entry


def _resumed(stream: Readable) -> bool:
    """At the end of a stream: whether there is more of it behind a damaged place."""
    return isinstance(stream, DecompressedStream) and stream.resume()


def _too_large(budget: Budget, name: str) -> TooLarge:
    return TooLarge(f"A file is larger than {budget.limits.file >> 20} MiB.", name)


def _peek(stream: _Stream) -> bytes:
    """The first 560 bytes without using them up; less where the stream is damaged."""
    try:
        if isinstance(stream, DecompressedStream) or (isinstance(stream, io.BufferedReader) and not stream.seekable()):
            return stream.peek(560)[:560]
        head = stream.read(560)
        stream.seek(0)
        return head
    except _DAMAGE:
        return b""


def _tar(stream: _Stream, name: str, within: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    """The files of a tar archive; behind a damaged place, from the next header on."""
    damage = ""
    whole, rest = read_ahead(stream, _SHORT)
    while True:
        plain = list_plain_files(whole) if whole is not None else None
        if whole is not None and plain is not None:
            yield from _slices(whole, plain, within, budget, depth)
        else:
            damage = (yield from _headers(whole, rest, within, budget, depth)) or damage
        if not _resumed(stream):
            break
        whole, rest = None, PeekedStream(skip_to_header(stream), stream)
    told, where = getattr(stream, "damage", ""), getattr(stream, "where", 0)
    if told or damage:
        yield ArchiveEntry(
            name, None, [damage_doubt(within, told or damage, where or (_size(stream) if damage == TRUNCATED else 0))]
        )


def _size(stream: _Stream) -> int:
    return stream.seek(0, 2) if not isinstance(stream, DecompressedStream) and stream.seekable() else 0


def _headers(
    whole: bytes | None, rest: PeekedStream | None, within: str, budget: Budget, depth: int
) -> Generator[ArchiveEntry, None, str]:
    """The files behind the headers that tarfile finds; returns what is damaged."""
    # Of a short archive each file is a slice; file objects over file objects cost as much as parsing what they hold.
    source = io.BytesIO(whole) if whole is not None else rest
    damage = ""
    try:
        with open_tolerant(source, whole is None) as tar:
            for member in tar:
                if member.isdir():
                    continue
                if (why := _why_not(member)) is not None:
                    yield _skipped(_joined(within, member.name, budget), why)
                    continue
                inner, doubts = budget.path(within, member.name)
                start, end = member.offset_data, member.offset_data + member.size
                if member.issparse() and (sparse := tar.extractfile(member)) is not None:
                    entry = _bare(sparse, inner, budget, doubts)
                elif whole is not None and end <= len(whole):
                    entry = _slice(whole[start:end], inner, budget, doubts)
                else:
                    entry = _bare(MemberContent(tar, member.size), inner, budget, doubts)
                damage = TRUNCATED if entry.cut else damage
                yield from _unpacked(entry, inner, budget, depth)
            torn = whole is not None and len(whole) % 512 and not tar.empty
            return damage or ("a header is damaged" if tar.damaged else TRUNCATED if torn else "")
    except BrokenArchive as error:
        return damage or (str(error) if tar.damaged else "")
    except _DAMAGE as error:
        return damage or (TRUNCATED if "unexpected end" in str(error) else _reason(error))


def _why_not(member: tarfile.TarInfo) -> str | None:
    """Why a member is passed over, if it is."""
    if is_platform_file(inner_path(member.name)[0]):
        return "a twin file that the system made"
    if member.isreg():
        return None
    return "a link" if member.issym() or member.islnk() else "no regular file"


def _joined(within: str, name: str, budget: Budget) -> str:
    """The path of a member that is passed over."""
    inner = inner_path(name)[0]
    return shorten_path(f"{within}/{inner}" if within else inner, budget.limits.path)


def _slices(whole: bytes, plain: list[tuple[str, int, int]], within: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    """The files of a short tar archive of plain files."""
    for name, start, end in plain:
        if is_platform_file(inner_path(name)[0]):
            yield _skipped(_joined(within, name, budget), "a twin file that the system made")
            continue
        inner, doubts = budget.path(within, name)
        yield from _unpacked(_slice(whole[start:end], inner, budget, doubts), inner, budget, depth)


def _slice(data: bytes, inner: str, budget: Budget, doubts: list[Doubt]) -> ArchiveEntry:
    """A file of which all bytes are there."""
    if len(data) > HEAD_SIZE:
        return _bare(io.BytesIO(data), inner, budget, doubts)
    entry = _short(data, inner, budget)
    entry.doubts = doubts
    return entry


def _short(data: bytes, name: str, budget: Budget) -> ArchiveEntry:
    """A file too short to be thinned, of which all bytes are there."""
    budget.one_more(name)
    budget.take(len(data), name)
    if len(data) > budget.limits.file:
        raise _too_large(budget, name)
    return ArchiveEntry(name, data)


def _unpacked(entry: ArchiveEntry, inner: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    """A file of a container, unpacked once more where it is a container itself."""
    data = entry.data or b""
    head = _peek(entry.stream) if entry.stream else data[:560]
    if not is_container(head):
        yield entry
        return
    budget.count -= 1
    if entry.doubts:
        yield ArchiveEntry(inner, None, entry.doubts)
    with closing(entry.stream or io.BytesIO(data)) as stream:
        yield from _stream(stream, inner, budget, depth + 1, outermost=False)


def _zip(stream: _Stream, name: str, within: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    with closing(_seekable(stream, name, budget)) as source:
        packed = ZipReader(source)
        damaged = 0
        for member in packed.members():
            why = "a twin file that the system made" if is_platform_file(inner_path(member.name)[0]) else member.why
            if why is not None:
                yield _skipped(_joined(within, member.name, budget), why)
                continue
            inner, doubts = budget.path(within, member.name)
            entry = _bare(member.stream, inner, budget, doubts)
            damaged += entry.cut
            yield from _unpacked(entry, inner, budget, depth)
        if packed.damage or damaged:
            yield ArchiveEntry(name, None, [zip_damage_doubt(within, packed, damaged)])


def _skipped(path: str, why: str) -> ArchiveEntry:
    return ArchiveEntry(path, None, [Doubt(1, "skipped-entry", f"Not unpacked: {why}.")])
