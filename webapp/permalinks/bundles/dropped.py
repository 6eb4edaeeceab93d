"""The check of a bundle that somebody drops: unpacked within limits, checked by this server's own verify.py in a process of
its own, and compared byte by byte with what was frozen here."""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from webapp.files.stores import read_blocks
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import bounded, manifest, permalink_bundle, verify

MAX_BYTES, MAX_UNPACKED, MAX_FILES = 64 * 2**20, 256 * 2**20, 10_000
_MAX_PARSED, _MAX_LINES = 4 * 2**20, 200
_ADDRESS = re.compile(rb'\s*\{\s*"address"\s*:\s*"[^"]*/(\w{1,16})"')
"""How every record begins: its keys are sorted."""


@dataclass(slots=True)
class Outcome:
    """`code`: exit code of verify.py. `lines`: what it printed. `frozen`: the permalink or collection of this server with that
    name. `is_same`: whether the file has the very bytes of the bundle frozen here; None where there is none to compare with."""

    code: int
    lines: list[str] = field(default_factory=list)
    frozen: Permalink | Collection | None = None
    is_same: bool | None = None


def check_dropped(file: IO[bytes], digest: str) -> Outcome:
    """Check a dropped bundle. `digest`: as typed, or '': then that of the permalink with this name here, if there is one.

    Raises NotABundle; TooMuch for another one than was frozen here.
    """
    sha256 = hashlib.sha256()
    for block in read_blocks(file):
        sha256.update(block)
    with _open_zip(file) as archive, tempfile.TemporaryDirectory(prefix="poolmark-verify-") as place:
        frozen = _find_frozen(archive)
        digests = manifest.read_digests(frozen) if frozen is not None else manifest.Digests("", "", True)
        stored = frozen and Rendering.objects.filter(of=frozen.pk, name=manifest.BUNDLE).values_list("sha256", flat=True).first()
        outcome = Outcome(verify.DIFFERS, [], frozen, stored == sha256.hexdigest() if stored else None)
        try:
            problems = _unpack(file, archive, Path(place, "bundle"))
            _add_manifest(Path(place, "bundle"), outcome, digests)
            outcome.code, outcome.lines = _run(Path(place), digest or digests.bundle)
        except TooMuch as reason:
            if not outcome.is_same:
                raise
            problems = []
            outcome.code, outcome.lines = _compare_bytes(digest, digests, str(reason))
    if outcome.is_same is False and outcome.code != verify.DIFFERS:
        problems.append(
            f"changed: the .zip file has not the bytes of the one frozen here, whose SHA-256 is {stored}; its files agree"
        )
    if problems:
        outcome.lines = [*problems, *(outcome.lines if outcome.code == verify.DIFFERS else [])]
        outcome.code = verify.DIFFERS
    return outcome


def _unpack(file: IO[bytes], archive: zipfile.ZipFile, folder: Path) -> list[str]:
    """Unpack within the limits; what has no place in the zip file. Raises NotABundle, TooMuch."""
    infos = archive.infolist()
    if len(infos) > MAX_FILES or sum(info.file_size for info in infos) > MAX_UNPACKED:
        raise TooMuch(f"more than {MAX_FILES:,} files or {MAX_UNPACKED >> 20} MiB unpacked")
    problems = unpack(file, archive, folder)
    if not any((folder / name).is_file() for name in ("record.json", verify.COLLECTION)):
        raise NotABundle(
            "The file holds neither record.json nor collection.json. An evidence bundle is the .zip file of a permalink."
        )
    return problems


def _find_frozen(archive: zipfile.ZipFile) -> Permalink | Collection | None:
    """The permalink or collection of this server that the record names: a short one anywhere, a long one where records have it."""
    try:
        collected = verify.COLLECTION in archive.namelist()
        info = archive.getinfo(verify.COLLECTION if collected else "record.json")
        with archive.open(info) as record:
            if info.file_size <= _MAX_PARSED:
                name = str(json.loads(record.read())["id"])
            else:
                begins = _ADDRESS.match(record.read(4096))
                name = begins[1].decode() if begins else ""
    except (*verify.UNREADABLE, zipfile.BadZipFile, RuntimeError, EOFError):
        return None
    return (Collection if collected else Permalink).objects.filter(pk=name[:16]).first()


def _add_manifest(folder: Path, outcome: Outcome, digests: manifest.Digests) -> None:
    """The manifest of a bundle that was frozen before there were any, which this server keeps beside it."""
    if outcome.frozen is not None and not digests.is_bundle_cited and not (folder / manifest.NAME).exists():
        stored = stored_files.find_file(outcome.frozen.pk, manifest.NAME)
        if stored is not None:
            (folder / manifest.NAME).write_bytes(bytes(stored.data))


def _compare_bytes(digest: str, digests: manifest.Digests, reason: str) -> tuple[int, list[str]]:
    """Exit code and lines for the very bytes that were frozen here, where verify.py would take too long."""
    code = {"": verify.COVERED, digests.bundle: verify.COVERED, digests.record: verify.RECORD_ALONE}.get(digest, verify.DIFFERS)
    if code == verify.DIFFERS:
        return code, [
            f"changed: neither {manifest.NAME} ({digests.bundle}) nor the record ({digests.record}) has the digest {digest}"
        ]
    return code, [f"every byte of the file is as frozen here; nothing was computed again, since it has {reason}"]


def _run(place: Path, digest: str) -> tuple[int, list[str]]:
    """(exit code, printed lines) of the check of the folder `bundle` in the place, limited in work, time and memory. Raises
    TooMuch."""
    tool = place / "tool"
    for part in permalink_bundle.code_parts():
        target = tool / part.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(part.data)
    (tool / "verify.py").write_bytes(Path(verify.__file__).read_bytes())
    arguments = [sys.executable, "-I", "-S", bounded.__file__, str(tool / "verify.py"), *([digest] if digest else [])]
    with (place / "printed").open("w+b") as out, (place / "failed").open("w+b") as failed:
        try:
            done = subprocess.run(  # noqa: S603 a fixed program, with a list of arguments
                [*arguments, str(place / "bundle")], stdout=out, stderr=failed, timeout=3 * bounded.SECONDS, cwd="/", check=False
            )
        except subprocess.TimeoutExpired:
            raise Stopped(f"more than {bounded.SECONDS} s of work") from None
        out.seek(0)
        lines = out.read(bounded.PRINTED).decode("utf-8", "replace").splitlines()
        if done.returncode == bounded.TOO_MUCH:
            raise TooMuch(lines[0])
        if failed.tell() or done.returncode not in (verify.COVERED, verify.DIFFERS, verify.ITSELF, verify.RECORD_ALONE):
            raise Stopped(f"more than {bounded.SECONDS} s, {bounded.MEMORY >> 30} GiB or {bounded.PRINTED >> 20} MiB of findings")
    more = [f"and {len(lines) - _MAX_LINES:,} more"] if len(lines) > _MAX_LINES else []
    return done.returncode, lines[:_MAX_LINES] + more


# Zip files that are unpacked within limits and have not a byte that belongs to none of their files: a reader that begins at the
# other end, or at another header, would find what this one does not.

_BLOCK = 1 << 20


class NotABundle(Exception):
    """What was dropped is no bundle; the text says why."""


class TooMuch(Exception):
    """What was dropped needs more than a check on the page may take; the text says of what."""


class Stopped(TooMuch):
    """The check took more, although there was not too much to count."""


def _open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """Raises NotABundle."""
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise _no_zip(error) from error


def _no_zip(error: Exception) -> NotABundle:
    return NotABundle(f"The file cannot be unpacked: {error}. An evidence bundle is the .zip file of a permalink.")


def unpack(file: IO[bytes], archive: zipfile.ZipFile, folder: Path) -> list[str]:
    """Write the files of the archive below the folder; what has no place in a zip file of these files, a line each. Raises
    NotABundle."""
    _check_names([info.filename.removesuffix("/") for info in archive.infolist()])
    problems, at = [], 0
    try:
        for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
            if info.header_offset != at:
                problems.append(f"{abs(info.header_offset - at)} bytes before {info.filename} belong to no file, or to two")
            start, is_plain = _find_data(file, info)
            if not is_plain:
                problems.append(
                    f"{info.filename} is a link or a folder with bytes, or its two headers differ or say more than needed"
                )
            _write(file, info, start, folder / info.filename)
            at = start + info.compress_size
    except (RuntimeError, NotImplementedError, EOFError, OSError, ValueError, struct.error, zlib.error) as error:
        raise _no_zip(error) from error
    if archive.start_dir != at or not _ends_with_directory(file, archive):
        problems.append("bytes before, in or behind its directory belong to no file")
    return [f"changed: the .zip file: {problem}" for problem in problems]


def _check_names(names: list[str]) -> None:
    paths = [PurePosixPath(name) for name in names]
    if len(set(paths)) < len(paths):
        raise NotABundle("A path stands twice in the file.")
    if any(path.is_absolute() or ".." in path.parts or str(path) != name for path, name in zip(paths, names, strict=True)):
        raise NotABundle("The file names a path outside of its folder, or with needless parts.")


def _find_data(file: IO[bytes], info: zipfile.ZipInfo) -> tuple[int, bool]:
    """Where the bytes of an entry begin, and whether its local header says what the directory says, and no more."""
    expected = info.FileHeader()
    file.seek(info.header_offset)
    header = file.read(len(expected))
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise ValueError(f"{info.filename} has no header")
    mode, name_and_extra = stat.S_IFMT(info.external_attr >> 16), sum(struct.unpack("<2H", header[26:30]))
    is_kind = mode in (0, stat.S_IFDIR) and not info.compress_size if info.is_dir() else mode in (0, stat.S_IFREG)
    return info.header_offset + 30 + name_and_extra, is_kind and header == expected and not info.extra and not info.comment


def _ends_with_directory(file: IO[bytes], archive: zipfile.ZipFile) -> bool:
    """Whether the file ends with the entries of the directory, and the record of where it is."""
    infos = archive.infolist()
    size = sum(16 + len(info.FileHeader()) for info in infos)  # 46 bytes and the name, where a local header has 30
    file.seek(archive.start_dir + size)
    return file.read(23) == struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(infos), len(infos), size, archive.start_dir, 0)


def _write(file: IO[bytes], info: zipfile.ZipInfo, start: int, target: Path) -> None:
    """Raises ValueError where the bytes are not those of the size and checksum, or end before the entry does."""
    if info.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    size = crc = 0
    with target.open("xb") as out:
        for block in _inflate(file, info, start):
            size, crc = size + len(block), zlib.crc32(block, crc)
            if size > info.file_size:
                break
            out.write(block)
    if (size, crc) != (info.file_size, info.CRC):
        raise ValueError(f"{info.filename} has not its size and checksum")


def _inflate(file: IO[bytes], info: zipfile.ZipInfo, start: int) -> Iterator[bytes]:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{info.filename} is compressed in another way than by Deflate")
    decoder, left = zlib.decompressobj(-15) if info.compress_type else None, info.compress_size
    file.seek(start)
    while left:
        block = file.read(min(left, _BLOCK))
        if not block or (decoder and decoder.eof):
            raise ValueError(f"{info.filename} ends before its entry, or behind it")
        left -= len(block)
        if decoder is None:
            yield block
            continue
        made = decoder.decompress(block, _BLOCK)
        while made:
            yield made
            made = decoder.decompress(decoder.unconsumed_tail, _BLOCK)
    if decoder and (not decoder.eof or decoder.unused_data):
        raise ValueError(f"{info.filename} ends before its entry, or behind it")
