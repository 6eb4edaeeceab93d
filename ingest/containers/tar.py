"""Headers of tar archives (POSIX.1-1988 ustar; GNU tar's manual, "Basic Tar Format").

Most archives contain only plain files and folders with names of up to 100 bytes. Their headers are parsed here, ten times
as fast as by `tarfile`; an archive with any other header is left to `tarfile` as a whole.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Collection
from tarfile import ENCODING
from typing import Any, NamedTuple, Self
from zlib import adler32

from ingest.containers.decompress import TRUNCATED
from ingest.containers.spool import Readable
from ingest.errors import BrokenArchive
from ingest.lazy_regex import lazy

_BLOCK = 512
_MAX_NAME = 1 << 20  # bytes of a name or extended header
_MAX_EMPTY, _MAX_SKIPPED = 1 << 17, 1 << 21  # blocks of zeros, and other blocks that are no header: 64 MiB, 1 GiB
_EXTENDED = b"LKxgX"
_MAGIC = b"ustar"
_SEVEN, _ELEVEN = rb"(?:[0-7]{7}[\0 ]|[0-7]{6} \0)", rb"[0-7]{11}[\0 ]"  # octal figures as all writers of tar pad them
_PLAIN = lazy(
    rb"(?=([^\0]{1,100})).{100}"
    + _SEVEN * 3  # name, mode, uid, gid
    + rb"([0-7]{11})[\0 ]"
    + _ELEVEN
    + rb"(?:([0-7]{6})\0 |([0-7]{7})\0)"  # size, time, checksum
    + rb"([05]).{100}ustar(?:\x0000|  \0).{64}"  # file or folder, link, magic, names of user and group
    + rb"(?:"
    + _SEVEN
    + rb"|\0{8}){2}\0",  # device; no prefix of the name
    re.S,
)


def is_tar(head: bytes) -> bool:
    """Whether the checksum of the first header is right, which old archives without a magic number have as well."""
    if len(head) < _BLOCK or not head[0]:
        return False
    try:
        stated = int(head[148:156].strip(b"\0 ") or b"x", 8)
    except ValueError:
        return False
    return stated == _checksum(head)


def starts_as_tar(head: bytes) -> bool:
    """Whether it is a tar archive, or one whose first header is damaged."""
    return is_tar(head) or head[257:265] in (b"ustar\x0000", b"ustar  \0")


def _checksum(head: bytes) -> int:
    """The sum of a header's bytes, those of the checksum counted as blanks.

    Adler-32 (RFC 1950) ends in 1 more than the sum of the bytes modulo 65521, which 256 bytes do not reach.
    """
    return sum([(adler32(part) & 0xFFFF) - 1 for part in (head[:148], head[156:412], head[412:_BLOCK])], 8 * 32)


class PlainFile(NamedTuple):
    """A file in the bytes of an archive."""

    name: str
    start: int
    end: int


def list_plain_files(content: bytes) -> list[PlainFile] | None:
    """Each file of an archive, None if it contains anything but plain files and folders."""
    members: list[PlainFile] = []
    offset = 0
    while header := _PLAIN.match(content, offset):
        name, size, six, seven, kind = header.groups()
        if int(six or seven, 8) != _checksum(content[offset : offset + _BLOCK]):
            return None
        offset += _BLOCK
        if kind == b"0":
            end = offset + int(size, 8)
            members.append(PlainFile(name.decode(ENCODING, "surrogateescape"), offset, end))
            offset = end + -end % _BLOCK
    return members if offset + _BLOCK <= len(content) and content.count(0, offset) == len(content) - offset else None


def find_named(files: list[PlainFile], wanted: Collection[str]) -> list[PlainFile]:
    """The files of an archive that have these paths, none unless the path of each file is its name."""
    by_name = {file.name: file for file in files}
    parts = f"/{'/'.join(by_name)}/"
    is_renamed = not parts.isascii() or any(part in parts for part in ("\\", "//", "/./", "/../"))
    if len(by_name) < len(files) or is_renamed or not by_name.keys() >= set(wanted):
        return []
    # A container among the folders of a path may unpack to it.
    is_within = any(name[:at] in by_name for name in wanted for at, letter in enumerate(name) if letter == "/")
    return [] if is_within else [file for file in files if file.name in wanted]


def _error(name: str) -> type[tarfile.HeaderError]:
    """One of the errors by which `tarfile` goes on; its stubs have only what all of them are."""
    error: type[tarfile.HeaderError] = getattr(tarfile, name)
    return error


_Invalid, _Subsequent, _End = _error("InvalidHeaderError"), _error("SubsequentHeaderError"), _error("EOFHeaderError")


class DamagedHeader(tarfile.TarInfo):
    """A header whose damage makes tarfile search for the next one, as tar does."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type and header.type in _EXTENDED and not 0 <= header.size <= _MAX_NAME:
            raise _Invalid("a name is too long")
        if header.size < 0:
            raise _Invalid("a size is negative")
        return header

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        assert isinstance(tar, TarReader)
        try:
            return super().fromtarfile(tar)
        except _End:
            tar.empty += 1
            if tar.empty > _MAX_EMPTY:
                raise BrokenArchive("nothing more was found") from None
            raise
        except (_Invalid, _Subsequent, ValueError, OverflowError) as error:
            tar.skipped += 1
            if not tar.empty:  # blocks after the end are no damage
                tar.damaged += 1
            if tar.skipped > _MAX_SKIPPED:
                raise BrokenArchive("nothing more was found") from None
            raise _Invalid(str(error)) from None


class TarReader(tarfile.TarFile):
    """A tar archive read to the end of its bytes. `damaged`: number of blocks that should be headers but are none."""

    tarinfo = DamagedHeader
    damaged = empty = skipped = 0


def open_tolerant(source: Any, streamed: bool) -> TarReader:
    """`source` as a tar archive in which damaged headers and empty blocks are skipped."""
    return TarReader.open(fileobj=source, mode="r|" if streamed else "r:", errorlevel=1, ignore_zeros=True)


class MemberContent:
    """The bytes of a member, straight from the stream; `damage` is set if there were fewer."""

    def __init__(self, tar: tarfile.TarFile, size: int) -> None:
        self._source, self._remaining, self.offset, self.damage = tar.fileobj, size, 0, ""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        data = self._source.read(min(size, self._remaining)) if self._remaining else b""
        self._remaining -= len(data)
        if not data and self._remaining:
            self.damage = TRUNCATED
        return data


def _next_header(data: bytes) -> int | None:
    """Offset, at any byte, of the first header of a POSIX archive."""
    magic = data.find(_MAGIC)
    while magic >= 0:
        start = magic - 257
        if start >= 0 and is_tar(data[start : start + _BLOCK]):
            return start
        magic = data.find(_MAGIC, magic + 1)
    return None


def skip_to_header(stream: Readable) -> bytes:
    """Read on to the first header, at any byte; returns the bytes read from there on."""
    buffer = b""
    while block := stream.read(1 << 18):
        buffer += block
        if (start := _next_header(buffer)) is not None:
            return buffer[start:]
        buffer = buffer[-511:]
    return b""
