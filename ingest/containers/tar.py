"""Headers of tar archives (POSIX.1-1988 ustar; GNU tar's manual, "Basic Tar Format").

Most archives hold plain files and folders only, under names of up to 100 bytes. Their headers are read here, which takes
a tenth of the time that `tarfile` needs; an archive with a single header of another make is left to `tarfile` as a whole.
"""

from __future__ import annotations

import re
import tarfile
from tarfile import ENCODING
from typing import Any, Self
from zlib import adler32

from ingest.containers.decompress import TRUNCATED
from ingest.containers.peek import Readable
from ingest.errors import BrokenArchive
from ingest.lazy_regex import lazy

_BLOCK = 512
_LONGEST = 1 << 20  # bytes of a name or extended header
_EMPTY, _MOST = 1 << 17, 1 << 21  # blocks of zeros, and others that are no header, passed over in one archive: 64 MiB, 1 GiB
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
    """By the checksum of the first header, which old archives without a magic have as well."""
    if len(head) < _BLOCK or not head[0]:
        return False
    try:
        told = int(head[148:156].strip(b"\0 ") or b"x", 8)
    except ValueError:
        return False
    return told == _sum(head)


def starts_as_tar(head: bytes) -> bool:
    """Whether it is one, or one whose first header is damaged."""
    return is_tar(head) or head[257:265] in (b"ustar\x0000", b"ustar  \0")


def _sum(head: bytes) -> int:
    """The sum of a header's bytes, those of the checksum taken as blanks.

    Adler-32 (RFC 1950) ends in 1 more than the sum of the bytes modulo 65521, which 256 bytes do not reach.
    """
    return sum([(adler32(part) & 0xFFFF) - 1 for part in (head[:148], head[156:412], head[412:_BLOCK])], 8 * 32)


def list_plain_files(whole: bytes) -> list[tuple[str, int, int]] | None:
    """(name, start, end) of each file of an archive, None where anything in it is more than a plain file or folder."""
    found: list[tuple[str, int, int]] = []
    at = 0
    while header := _PLAIN.match(whole, at):
        name, size, six, seven, kind = header.groups()
        if int(six or seven, 8) != _sum(whole[at : at + _BLOCK]):
            return None
        at += _BLOCK
        if kind == b"0":
            end = at + int(size, 8)
            found.append((name.decode(ENCODING, "surrogateescape"), at, end))
            at = end + -end % _BLOCK
    return found if at + _BLOCK <= len(whole) and whole.count(0, at) == len(whole) - at else None


def _error(name: str) -> type[tarfile.HeaderError]:
    """One of the errors by which `tarfile` goes on; its stubs have only what all of them are."""
    error: type[tarfile.HeaderError] = getattr(tarfile, name)
    return error


_Invalid, _Subsequent, _End = _error("InvalidHeaderError"), _error("SubsequentHeaderError"), _error("EOFHeaderError")


class DamagedHeader(tarfile.TarInfo):
    """A header whose damage makes tarfile look for the next one, as tar does."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type and header.type in _EXTENDED and not 0 <= header.size <= _LONGEST:
            raise _Invalid("a name is too long")
        if header.size < 0:
            raise _Invalid("a size is below zero")
        return header

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        assert isinstance(tar, TarReader)
        try:
            return super().fromtarfile(tar)
        except _End:
            tar.empty += 1
            if tar.empty > _EMPTY:
                raise BrokenArchive("nothing more was found") from None
            raise
        except (_Invalid, _Subsequent, ValueError, OverflowError) as error:
            tar.passed += 1
            if not tar.empty:  # what stands behind the end is no damage
                tar.damaged += 1
            if tar.passed > _MOST:
                raise BrokenArchive("nothing more was found") from None
            raise _Invalid(str(error)) from None


class TarReader(tarfile.TarFile):
    """A tar archive read to the end of its bytes. `damaged`: how many blocks that should be headers are none."""

    tarinfo = DamagedHeader
    damaged = empty = passed = 0


def open_tolerant(source: Any, streamed: bool) -> TarReader:
    """`source` as a tar archive in which damaged headers and empty blocks are passed over."""
    return TarReader.open(fileobj=source, mode="r|" if streamed else "r:", errorlevel=1, ignore_zeros=True)


class MemberContent:
    """The bytes of a member, straight from the stream; `damage` where there were fewer."""

    def __init__(self, tar: tarfile.TarFile, size: int) -> None:
        self._source, self._left, self.where, self.damage = tar.fileobj, size, 0, ""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        data = self._source.read(min(size, self._left)) if self._left else b""
        self._left -= len(data)
        if not data and self._left:
            self.damage = TRUNCATED
        return data


def _next_header(data: bytes) -> int | None:
    """Where in the bytes, at any place, the first header of a POSIX archive begins."""
    at = data.find(_MAGIC)
    while at >= 0:
        start = at - 257
        if start >= 0 and is_tar(data[start : start + _BLOCK]):
            return start
        at = data.find(_MAGIC, at + 1)
    return None


def skip_to_header(stream: Readable) -> bytes:
    """Reads on to the first header, at any place; what was read from there on."""
    held = b""
    while block := stream.read(1 << 18):
        held += block
        if (start := _next_header(held)) is not None:
            return held[start:]
        held = held[-511:]
    return b""
