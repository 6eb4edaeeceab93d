"""Containers built in code, for the constructed cases: tar with names of any bytes, zip with names of any bytes, and damage."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable

Member = tuple[str | bytes, bytes]


def tar(*members: Member, end: bool = True) -> bytes:
    """A ustar archive whose headers are made by hand where a name is no longer than 100 bytes, else with a GNU long name."""
    return b"".join([tar_member(name, data) for name, data in members]) + (b"\0" * 1024 if end else b"")


def tar_member(name: str | bytes, data: bytes, kind: bytes = b"0") -> bytes:
    """Header and content of one member, padded to blocks."""
    name = _bytes(name)
    long = tar_member(b"././@LongLink", name + b"\0", b"L") if len(name) > 100 else b""
    head = bytearray(
        name[:100].ljust(100, b"\0")
        + b"0000644\0"
        + b"0000000\0" * 2
        + b"%011o\x0014524770400\0" % len(data)
        + b" " * 8
        + kind
        + b"\0" * 100
        + b"ustar\x0000"
        + b"\0" * 64
        + b"0000000\0" * 2
    ).ljust(512, b"\0")
    head[148:156] = b"%06o\0 " % sum(head)
    return long + bytes(head) + data + b"\0" * (-len(data) % 512)


def pax(*members: tuple[str, bytes]) -> bytes:
    """A pax archive, as tarfile and bsdtar write it for names that are long or not ASCII."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as packed:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(*members: Member, method: int = zipfile.ZIP_DEFLATED, streamed: bool = False) -> bytes:
    """A zip archive with the very names. `streamed`: sizes stand in data descriptors, as where the writer cannot go back."""
    parts, directory, at = [], [], 0
    for name, data in members:
        local, entry = _zip_member(_bytes(name), data, method, streamed, at)
        parts.append(local)
        directory.append(entry)
        at += len(local)
    listing = b"".join(directory)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(parts), len(parts), len(listing), at, 0)
    return b"".join(parts) + listing + end


def _zip_member(name: bytes, data: bytes, method: int, streamed: bool, at: int) -> tuple[bytes, bytes]:
    body = packed_by(method, data)
    flags = (8 if streamed else 0) | (0x800 if _is_utf8(name) else 0)
    common = struct.pack("<4HLLL", flags, method, 0, 0x21, zlib.crc32(data), len(body), len(data))
    shown = struct.pack("<4HLLL", flags, method, 0, 0x21, 0, 0, 0) if streamed else common
    local = b"PK\3\4" + struct.pack("<H", 20) + shown + struct.pack("<2H", len(name), 0) + name + body
    if streamed:
        local += struct.pack("<4sLLL", b"PK\7\x08", zlib.crc32(data), len(body), len(data))
    more = struct.pack("<5H2L", len(name), 0, 0, 0, 0, 0o100644 << 16, at)
    return local, b"PK\1\2" + struct.pack("<2H", 0x0314, 20) + common + more + name


def packed_by(method: int, data: bytes) -> bytes:
    """The bytes as a zip member of that method holds them (0: stored, 8: deflated)."""
    if method == zipfile.ZIP_STORED:
        return data
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def without_directory(packed: bytes) -> bytes:
    """A zip archive up to its central directory."""
    return packed[: packed.index(b"PK\1\2")]


def cut(data: bytes, share: float) -> bytes:
    """The first part of the bytes."""
    return data[: int(len(data) * share)]


def flipped(data: bytes, share: float, count: int = 16) -> bytes:
    """The bytes with `count` of them inverted from that place on."""
    at = int(len(data) * share)
    return data[:at] + bytes([byte ^ 0xFF for byte in data[at : at + count]]) + data[at + count :]


def overwritten(data: bytes, at: int, by: bytes) -> bytes:
    """The bytes with others in their place from `at` on."""
    return data[:at] + by + data[at + len(by) :]


def _bytes(name: str | bytes) -> bytes:
    return name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")


def _is_utf8(name: bytes) -> bool:
    try:
        return bool(name.decode("utf-8")) and not name.isascii()
    except UnicodeDecodeError:
        return False


def named(prefix: str, contents: Iterable[bytes]) -> list[Member]:
    """Members `PREFIX/0.log`, `PREFIX/1.log` ..."""
    return [(f"{prefix}/{at}.log", data) for at, data in enumerate(contents)]
