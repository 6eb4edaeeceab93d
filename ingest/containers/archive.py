"""Folders, tar, zip and compressed files: the files in them, within limits. The only module that unpacks.

Containers are recognised by content, never by name. Nothing is written to disk and no link is followed.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ingest.containers.budget import Budget, Limits
from ingest.containers.decompress import TRUNCATED, DecompressedStream, find_decompressor
from ingest.containers.paths import ArchiveEntry, decode_name, inner_path, is_platform_file, shorten_path, strip_suffix
from ingest.containers.skip_noise import HEAD_SIZE, NoiseSkipper, NoiseTest
from ingest.containers.spool import PeekedStream, Readable, Spool, read_ahead
from ingest.containers.tar import (
    MemberContent,
    PlainFile,
    find_named,
    list_plain_files,
    open_tolerant,
    skip_to_header,
    starts_as_tar,
)
from ingest.containers.zip import ENCRYPTED, ZipReader, has_zip_trailer
from ingest.errors import BrokenArchive, TooLarge, UnreadableInput
from ingest.records import DAMAGED_BYTES, Doubt

if TYPE_CHECKING:
    pass

# Recognises containers by the first bytes of a file.


def is_zip(head: bytes) -> bool:
    """Whether it is a zip archive, but no office file: those are zip archives too, but contain no text files."""
    return head.startswith(b"PK\x03\x04") and b"[Content_Types].xml" not in head[:128] and head[30:38] != b"mimetype"


def is_container(head: bytes) -> bool:
    """Whether it can be unpacked, office files included."""
    return head.startswith(b"PK\x03\x04") or starts_as_tar(head) or find_decompressor(head) is not None


_Stream = BinaryIO | DecompressedStream
_NAMED, _NAME = 5, 120  # files that a message names, and bytes of a path in it
_BLOCK, _SHORT = 1 << 18, 16 << 20  # bytes read at once; of archives and containers kept in memory
_DAMAGE = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError, RuntimeError)


def iter_files(
    path: str | Path,
    name: str | None = None,
    limits: Limits | None = None,
    make_noise_test: Callable[[str], NoiseTest] | None = None,
    streams: bool = False,
    wanted: Collection[str] = (),
) -> Iterator[ArchiveEntry]:
    """Every file of a folder, archive or bare file, in the container's order (folders: sorted).

    `name`: what a bare file is called, if not by its path. `make_noise_test`: creates the test, of a path, by which noise in a
    long file is skipped (see `ingest.containers.skip_noise`); `streams`: long files come as streams, to be closed by the caller.
    `wanted`: paths without which others need not come, none for all.
    A limit or damage ends the reading with a doubt about the entry in which it occurred. Raises UnreadableInput if `path` cannot
    be opened.
    """
    limits, path = limits or Limits(), Path(path)
    try:
        if path.is_dir():
            yield from _folder(path, Budget(limits, 1 << 62, make_noise_test, streams))
            return
        with open(path, "rb") as stream:
            budget = Budget(limits, os.fstat(stream.fileno()).st_size, make_noise_test, streams, wanted=wanted)
            yield from _guarded(stream, decode_name(name or str(path)), budget)
    except FileNotFoundError:
        raise UnreadableInput(f"{path}: no such file or folder") from None
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None


def open_file(path: str | Path, name: str, inner: str, limits: Limits | None = None) -> BinaryIO:
    """The bytes of one file of an upload, as a stream to be closed by the caller; a temporary file if it is long.
    Raises KeyError if there is no such file.
    """
    for _, stream in open_files(path, name, {inner}, limits):
        return stream
    raise KeyError(inner)


def open_files(
    path: str | Path, name: str, inner: Collection[str] | None, limits: Limits | None = None
) -> Iterator[tuple[str, BinaryIO]]:
    """(path, stream of the bytes) of these files of an upload, None for all, in one pass that ends with the last of them."""
    wanted = set(inner or ())
    for entry in iter_files(path, name, limits, streams=True, wanted=frozenset(wanted)) if wanted or inner is None else ():
        stream = entry.stream or (None if entry.data is None else io.BytesIO(entry.data))
        if stream is not None and (inner is None or entry.path in wanted):
            wanted.discard(entry.path)
            yield entry.path, stream
            if not wanted and inner is not None:
                return
        elif stream is not None:
            stream.close()


def _folder(root: Path, budget: Budget) -> Iterator[ArchiveEntry]:
    """The files of a folder."""
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        for name in sorted(names):
            full = Path(folder, name)
            inner = decode_name(full.relative_to(root).as_posix())
            mode = full.lstat().st_mode
            if not stat.S_ISREG(mode):
                yield _skipped(inner, "a link" if stat.S_ISLNK(mode) else "not a regular file")
            elif is_platform_file(inner):
                yield _skipped(inner, "a metadata file of the operating system")
            else:
                with open(full, "rb") as stream:
                    yield from _guarded(stream, budget.names.claim(inner), budget, outermost=False)


def _guarded(stream: BinaryIO, name: str, budget: Budget, outermost: bool = True) -> Iterator[ArchiveEntry]:
    """The files of a stream up to the first limit."""
    try:
        yield from _stream(stream, name, budget, 0, outermost)
    except TooLarge as error:
        yield ArchiveEntry(error.place or name, None, [Doubt(1, "limit", f"{error} Everything before that point was kept.")])


def _stream(stream: _Stream, name: str, budget: Budget, depth: int, outermost: bool) -> Iterator[ArchiveEntry]:
    """The files in a stream of bytes, which may be a container, a compressed file, or the file itself."""
    head = _peek(stream)
    if depth > budget.limits.depth:
        yield ArchiveEntry(
            name, None, [Doubt(1, "limit", f"Archives are nested more than {budget.limits.depth} deep; this one was not unpacked.")]
        )
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
            yield _read_file(stream, name, budget)
    except BrokenArchive as error:
        yield ArchiveEntry(name, None, [_damage_doubt(within, str(error))])
    except _DAMAGE as error:
        yield ArchiveEntry(name, None, [_damage_doubt(within, _reason(error))])


def _seekable(stream: _Stream, name: str, budget: Budget) -> BinaryIO:
    """The stream, or a copy of it if it cannot seek."""
    if not isinstance(stream, DecompressedStream) and stream.seekable():
        return stream
    entry = _read_file(stream, name, budget)
    budget.count -= 1
    return entry.stream or io.BytesIO(entry.data or b"")


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0][:120] or type(error).__name__


def _read_file(stream: Readable, name: str, budget: Budget, doubts: list[Doubt] | None = None) -> ArchiveEntry:
    """The whole file. A truncated compressed file gives what can be unpacked."""
    budget.count_file(name)
    content, is_archive, damage = Spool(), False, ""
    skipper: NoiseSkipper | None = None
    size = 0
    while True:
        try:
            block = stream.read(_BLOCK) or (DAMAGED_BYTES if _resumed(stream) else b"")
        except _DAMAGE as error:
            block, damage = b"", _reason(error)
        if not block:
            break
        size += len(block)
        budget.add_bytes(len(block), name)
        if size > budget.limits.file:
            raise _too_large(budget, name)
        if skipper is not None:
            skipper.add(block)
            continue
        is_archive = is_container(block[:560]) if size == len(block) else is_archive
        content.write(block)
        if budget.make_noise_test is not None and size > HEAD_SIZE and not is_archive:
            skipper = NoiseSkipper(budget.make_noise_test(name))
            skipper.add(content.bytes())
            content = Spool()
        elif size > _SHORT and (is_archive or budget.streams):
            content.spill()
    content = content if skipper is None else skipper.finish()
    damage = damage or getattr(stream, "damage", "")
    doubts = [*(doubts or []), *([_damage_doubt(None, damage, getattr(stream, "offset", 0))] if damage else [])]
    entry = (
        ArchiveEntry(name, b"", doubts, stream=content.stream())
        if content.is_spilled
        else ArchiveEntry(name, content.bytes(), doubts)
    )
    entry.cut = bool(damage)
    if skipper is not None:
        entry.sha256, entry.size, entry.gaps = skipper.sha256, skipper.size, skipper.gaps
        entry.noise_test = skipper.noise_test
    return entry


def _resumed(stream: Readable) -> bool:
    """At the end of a stream: whether it continues after a damaged block."""
    return isinstance(stream, DecompressedStream) and stream.resume()


def _too_large(budget: Budget, name: str) -> TooLarge:
    return TooLarge(f"A file is larger than {budget.limits.file >> 20} MiB.", name)


def _peek(stream: _Stream) -> bytes:
    """The first 560 bytes without consuming them; fewer if the stream is damaged."""
    try:
        if isinstance(stream, DecompressedStream) or (isinstance(stream, io.BufferedReader) and not stream.seekable()):
            return stream.peek(560)[:560]
        head = stream.read(560)
        stream.seek(0)
        return head
    except _DAMAGE:
        return b""


def _tar(stream: _Stream, name: str, within: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    """The files of a tar archive, past damaged places, which a last entry `name` without data reports. `within`: path prefix."""
    damage = ""
    content, remainder = read_ahead(stream, _SHORT)
    while True:
        plain_files = list_plain_files(content) if content is not None else None
        if content is not None and plain_files is not None:
            yield from _files_of_slices(content, plain_files, within, budget, depth)
        else:
            damage = (yield from _files_of_headers(content, remainder, within, budget, depth)) or damage
        if not _resumed(stream):
            break
        content, remainder = None, PeekedStream(skip_to_header(stream), stream)
    stream_damage, offset = getattr(stream, "damage", ""), getattr(stream, "offset", 0)
    if stream_damage or damage:
        yield ArchiveEntry(
            name, None, [_damage_doubt(within, stream_damage or damage, offset or (_size(stream) if damage == TRUNCATED else 0))]
        )


def _size(stream: _Stream) -> int:
    return stream.seek(0, 2) if not isinstance(stream, DecompressedStream) and stream.seekable() else 0


def _files_of_headers(
    content: bytes | None, remainder: PeekedStream | None, within: str, budget: Budget, depth: int
) -> Generator[ArchiveEntry, None, str]:
    """The files after the headers that tarfile finds; returns a description of the damage."""
    # In a short archive each file is a slice: reading through nested file objects costs as much as parsing.
    source = io.BytesIO(content) if content is not None else remainder
    damage = ""
    try:
        with open_tolerant(source, content is None) as tar:
            for member in tar:
                if member.isdir():
                    continue
                if (reason := _reason_to_skip(member)) is not None:
                    yield _skipped(_skipped_path(within, member.name, budget), reason)
                    continue
                inner, doubts = budget.path(within, member.name)
                start, end = member.offset_data, member.offset_data + member.size
                if member.issparse() and (sparse := tar.extractfile(member)) is not None:
                    entry = _read_file(sparse, inner, budget, doubts)
                elif content is not None and end <= len(content):
                    entry = _file_of_slice(content[start:end], inner, budget, doubts)
                else:
                    entry = _read_file(MemberContent(tar, member.size), inner, budget, doubts)
                damage = TRUNCATED if entry.cut else damage
                yield from _unpack(entry, inner, budget, depth)
            incomplete = content is not None and len(content) % 512 and not tar.empty
            return damage or ("a header is damaged" if tar.damaged else TRUNCATED if incomplete else "")
    except BrokenArchive as error:
        return damage or (str(error) if tar.damaged else "")
    except _DAMAGE as error:
        return damage or (TRUNCATED if "unexpected end" in str(error) else _reason(error))


def _reason_to_skip(member: tarfile.TarInfo) -> str | None:
    """Why a member is skipped, None if it is not."""
    if is_platform_file(inner_path(member.name)[0]):
        return "a metadata file of the operating system"
    if member.isreg():
        return None
    return "a link" if member.issym() or member.islnk() else "not a regular file"


def _skipped_path(within: str, name: str, budget: Budget) -> str:
    """The path of a member that is skipped."""
    inner = inner_path(name)[0]
    return shorten_path(f"{within}/{inner}" if within else inner, budget.limits.path)


def _files_of_slices(
    content: bytes, plain_files: list[PlainFile], within: str, budget: Budget, depth: int
) -> Iterator[ArchiveEntry]:
    """The files of a short tar archive of plain files; `plain_files`: (name, start, end) of each."""
    if budget.wanted and not within and (named := find_named(plain_files, budget.wanted)):
        plain_files = named
    for name, start, end in plain_files:
        if is_platform_file(inner_path(name)[0]):
            yield _skipped(_skipped_path(within, name, budget), "a metadata file of the operating system")
            continue
        inner, doubts = budget.path(within, name)
        yield from _unpack(_file_of_slice(content[start:end], inner, budget, doubts), inner, budget, depth)


def _file_of_slice(data: bytes, inner: str, budget: Budget, doubts: list[Doubt]) -> ArchiveEntry:
    """A file whose bytes are all there."""
    if len(data) > HEAD_SIZE:
        return _read_file(io.BytesIO(data), inner, budget, doubts)
    entry = _file_of_bytes(data, inner, budget)
    entry.doubts = doubts
    return entry


def _file_of_bytes(data: bytes, name: str, budget: Budget) -> ArchiveEntry:
    """A file too short for noise to be skipped, whose bytes are all there."""
    budget.count_file(name)
    budget.add_bytes(len(data), name)
    if len(data) > budget.limits.file:
        raise _too_large(budget, name)
    return ArchiveEntry(name, data)


def _unpack(entry: ArchiveEntry, inner: str, budget: Budget, depth: int) -> Iterator[ArchiveEntry]:
    """A file of a container, unpacked again if it is a container itself."""
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
    """The files of a zip archive."""
    with closing(_seekable(stream, name, budget)) as source:
        reader = ZipReader(source)
        damaged, encrypted, count = 0, list[str](), 0
        for member in reader.members():
            count += 1
            reason = "a metadata file of the operating system" if is_platform_file(inner_path(member.name)[0]) else member.reason
            if reason == ENCRYPTED:
                encrypted.append(inner_path(member.name)[0])
                continue
            if reason is not None:
                yield _skipped(_skipped_path(within, member.name, budget), reason)
                continue
            inner, doubts = budget.path(within, member.name)
            entry = _read_file(member.stream, inner, budget, doubts)
            damaged += entry.cut
            yield from _unpack(entry, inner, budget, depth)
        if encrypted:
            yield ArchiveEntry(name, None, [_encrypted(encrypted, reader.total or count)])
        if reader.damage or damaged:
            yield ArchiveEntry(name, None, [_zip_damage_doubt(within, reader, damaged)])


def _encrypted(paths: list[str], total: int) -> Doubt:
    """The doubt about files of a zip archive that need a password."""
    listed = ", ".join(shorten_path(path, _NAME) for path in paths[:_NAMED])
    further = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    files = "Its only file is" if total == 1 else f"{len(paths)} of {total} files {'is' if len(paths) == 1 else 'are'}"
    were = "was" if len(paths) == 1 else "were"
    return Doubt(
        1,
        "encrypted",
        f"{files} protected by a password and {were} not read: {listed}{further}. "
        "Pack the files without a password and upload the archive again.",
    )


def _skipped(path: str, why: str) -> ArchiveEntry:
    return ArchiveEntry(path, None, [Doubt(1, "skipped-entry", f"Not unpacked: {why}.")])


# Doubts about damaged containers: where the damage is, and how many results were read.

_REST = "upload a complete copy to get the rest"


@dataclass(slots=True)
class DamageDoubt(Doubt):
    """A doubt whose message is completed by the number of results read.

    `within`: the path of the container ('' for the upload); None if the doubt is about a single file.
    """

    within: str | None = None
    whole: int = 0
    total: int | None = None
    """Number of files that the container's directory lists, None without one, and of those that are `whole`."""

    def complete(self, results: int, files: int = 0, cut: int = 0) -> Doubt:
        """The doubt with the whole message. `files`: that were read of a container, `cut` of them in part."""
        if self.within is None:
            return Doubt(self.line, self.code, f"{self.message}. {_results(results)} could be read from it; {_REST}.")
        if self.total is not None:
            read = f"{self.whole} of {self.total} files could be read"
        elif files:
            read = f"{files} file{'' if files == 1 else 's'} could be read{f', {cut} of them in part' if cut else ''}"
        else:
            read = "No file could be read"
        counted = f" ({_results(results).lower()})" if files else ""
        return Doubt(self.line, self.code, f"{self.message}. {read}{counted}; {_REST}.")

    def covers(self, path: str) -> bool:
        """Whether a file of that path is in the container."""
        return not self.within or path == self.within or path.startswith(f"{self.within}/")


def _damage_doubt(within: str | None, damage: str, offset: int = 0, whole: int = 0, total: int | None = None) -> DamageDoubt:
    """`damage`: TRUNCATED or a reason, '' where files of it are; `offset`: bytes of the container before it, 0 if unknown."""
    noun = "file" if within is None else "archive"
    if damage == TRUNCATED:
        message = f"The {noun} is truncated{_after(offset)}"
    else:
        message = f"The {noun} is damaged{f' ({damage})' if damage else ''}"
    return DamageDoubt(1, "broken-archive", message, within, whole, total)


def _zip_damage_doubt(within: str, reader: ZipReader, damaged: int) -> DamageDoubt:
    """Of a zip archive that is damaged, or has damaged files. `damaged`: how many of its files are not intact."""
    whole = (reader.total or 0) - damaged - reader.missing
    return _damage_doubt(within, reader.damage, reader.offset if reader.damage == TRUNCATED else 0, whole, reader.total)


def _after(size: int) -> str:
    if not size:
        return ""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f" after {size / factor:.3g} {unit}" if size < 100 * factor else f" after {size // factor} {unit}"
    return f" after {size} bytes"


def _results(count: int) -> str:
    return "No result" if not count else "1 result" if count == 1 else f"{count} results"
