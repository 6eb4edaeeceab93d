"""Headers of tar archives (POSIX.1-1988 ustar; GNU tar's manual, "Basic Tar Format").

Most archives hold plain files and folders only, under names of up to 100 bytes. Their headers are read here, which takes
a tenth of the time that `tarfile` needs; an archive with a single header of another make is left to `tarfile` as a whole.
"""
from __future__ import annotations

import re
from tarfile import ENCODING
from zlib import adler32

from ingest.patterns import late

_BLOCK = 512
_SEVEN, _ELEVEN = rb"(?:[0-7]{7}[\0 ]|[0-7]{6} \0)", rb"[0-7]{11}[\0 ]"  # octal figures as all writers of tar pad them
_PLAIN = late(
    rb"(?=([^\0]{1,100})).{100}" + _SEVEN * 3  # name, mode, uid, gid
    + rb"([0-7]{11})[\0 ]" + _ELEVEN + rb"(?:([0-7]{6})\0 |([0-7]{7})\0)"  # size, time, checksum
    + rb"([05]).{100}ustar(?:\x0000|  \0).{64}"  # file or folder, link, magic, names of user and group
    + rb"(?:" + _SEVEN + rb"|\0{8}){2}\0",  # device; no prefix of the name
    re.S)


def is_tar(head: bytes) -> bool:
    """By the checksum of the first header, which old archives without a magic have as well."""
    if len(head) < _BLOCK or not head[0]:
        return False
    try:
        told = int(head[148:156].strip(b"\0 ") or b"x", 8)
    except ValueError:
        return False
    return told == _sum(head)


def _sum(head: bytes) -> int:
    """The sum of a header's bytes, those of the checksum taken as blanks.

    Adler-32 (RFC 1950) ends in 1 more than the sum of the bytes modulo 65521, which 256 bytes do not reach.
    """
    return sum([(adler32(part) & 0xffff) - 1 for part in (head[:148], head[156:412], head[412:_BLOCK])], 8 * 32)


def plain_files(whole: bytes) -> list[tuple[str, int, int]] | None:
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
    # tarfile ends at the first empty block as well.
    return found if at + _BLOCK <= len(whole) and not any(whole[at : at + _BLOCK]) else None
