"""Constructed containers with doubled members, and cut and damaged ones: case -> (name of the upload, bytes)."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zipfile
from collections.abc import Callable
from functools import lru_cache

import zstandard

from ingest.tests.hostile import build
from ingest.tests.hostile.content import bonnie, dd, many

Case = Callable[[], tuple[str, bytes]]

_GARBAGE = b"trailing garbage \x00\x01\x02" * 30
_TWICE = [("run/a.log", dd(1)), ("run/a.log", dd(2, 3))]


@lru_cache
def log() -> bytes:
    """One long log: 3 of bzip2's smallest blocks, several of all others'."""
    return many(0, 3000)


@lru_cache
def tree() -> bytes:
    """A tar archive of 24 files of different length."""
    return build.tar(*build.named("run", [many(100 * at, 20 + 5 * at) for at in range(23)]), ("run/bonnie.csv", bonnie(1, 2, 3)))


@lru_cache
def zip_tree(method: int = zipfile.ZIP_DEFLATED, streamed: bool = False) -> bytes:
    """A zip archive of 12 files of different length."""
    members = build.named("run", [many(100 * at, 10 + 5 * at) for at in range(11)])
    return build.zipped(*members, ("run/bonnie.csv", bonnie(1, 2, 3)), method=method, streamed=streamed)


def by_bzip2(data: bytes) -> bytes:
    """In blocks of 100 KB."""
    return bz2.compress(data, 1)


def by_zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(data)


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": by_bzip2, "xz": lzma.compress, "zst": by_zstd}
CASES: dict[str, Case] = {}


def _add(case: str, name: str, make: Callable[[], bytes]) -> None:
    CASES[case] = lambda: (name, make())


def _doubled() -> None:
    tar, zipped = build.tar, build.zipped
    _add("doubled-tar-appended", "appended.tar", lambda: tar(*_TWICE))
    _add("doubled-tar-gz", "appended.tar.gz", lambda: gzip.compress(tar(*_TWICE)))
    _add(
        "doubled-tar-thrice-and-own-number",
        "thrice.tar",
        lambda: tar(("a.log", dd(1)), ("a.log", dd(2)), ("a.log (2)", dd(3)), ("a.log", dd(4)), ("a.log (2)", dd(5))),
    )
    _add("doubled-tar-own-number-last", "last.tar", lambda: tar(("a.log", dd(1)), ("a.log", dd(2)), ("a.log (2)", dd(3))))
    _add("doubled-tar-dot-slash", "dot.tar", lambda: tar(("./a.log", dd(1)), ("a.log", dd(2))))
    _add("doubled-tar-two-slashes", "slashes.tar", lambda: tar(("a//b.log", dd(1)), ("a/b.log", dd(2)), ("a/./b.log", dd(3))))
    _add("doubled-tar-backslash", "backslash.tar", lambda: tar(("a\\b.log", dd(1)), ("a/b.log", dd(2))))
    _add("doubled-tar-climbing", "climbing.tar", lambda: tar(("../a.log", dd(1)), ("a.log", dd(2)), ("/a.log", dd(3))))
    _add("doubled-tar-bad-bytes", "bytes.tar", lambda: tar((b"a\xff.log", dd(1)), (b"a\xfe.log", dd(2))))
    _add("doubled-tar-file-and-folder", "folder.tar", lambda: tar(("a", dd(1)), ("a/b.log", dd(2)), ("a", dd(3))))
    _add("doubled-tar-of-a-hundred", "hundred.tar", lambda: tar(*[("a.log", dd(at)) for at in range(100)]))
    _add("doubled-zip", "doubled.zip", lambda: zipped(*_TWICE))
    _add("doubled-zip-stored", "stored.zip", lambda: zipped(*_TWICE, method=zipfile.ZIP_STORED))
    _add("doubled-zip-dot-slash", "dot.zip", lambda: zipped(("./a.log", dd(1)), ("a.log", dd(2)), ("b/../a.log", dd(3))))
    _add("doubled-zip-own-number", "number.zip", lambda: zipped(("a.log", dd(1)), ("a.log (2)", dd(2)), ("a.log", dd(3))))
    _add("doubled-zip-without-directory", "doubled.zip", lambda: build.without_directory(zipped(*_TWICE)))
    _add("doubled-nested-tar", "outer.tar", lambda: tar(("in.tar", tar(*_TWICE)), ("in.tar", tar(*_TWICE, ("b.log", dd(9))))))
    _add("doubled-nested-zip", "outer.zip", lambda: zipped(("in.zip", zipped(*_TWICE)), ("in.zip", zipped(("run/a.log", dd(7))))))
    _add(
        "doubled-nested-beside-a-file",
        "beside.tar",
        lambda: tar(("in.zip", zipped(("a.log", dd(1)))), ("in.zip/a.log", dd(2)), ("in.zip", dd(3))),
    )
    _add(
        "doubled-nested-compressed", "logs.tar", lambda: tar(("a.log.gz", gzip.compress(dd(1))), ("a.log.gz", gzip.compress(dd(2))))
    )


def _compressed() -> None:
    """A log and a tree in each of the compressions, whole and damaged."""
    for suffix, pack in PACKERS.items():
        for kind, made, ending in (("log", log, "log"), ("tar", tree, "tar")):
            name, case = f"bench.{ending}.{suffix}", f"{kind}-{suffix}"
            _add(f"{case}-cut-early", name, lambda pack=pack, made=made: build.cut(pack(made()), 0.1))
            _add(f"{case}-cut", name, lambda pack=pack, made=made: build.cut(pack(made()), 0.6))
            _add(f"{case}-cut-last-bytes", name, lambda pack=pack, made=made: pack(made())[:-5])
            _add(f"{case}-flipped", name, lambda pack=pack, made=made: build.flipped(pack(made()), 0.5))
            _add(f"{case}-flipped-late", name, lambda pack=pack, made=made: build.flipped(pack(made()), 0.9, 1))
            _add(f"{case}-trailing-garbage", name, lambda pack=pack, made=made: pack(made()) + _GARBAGE)
            _add(f"{case}-trailing-zeros", name, lambda pack=pack, made=made: pack(made()) + bytes(1000))
            _add(f"{case}-members", name, lambda pack=pack, made=made: pack(made()[:50_000]) + pack(made()[50_000:]))
            _add(
                f"{case}-members-second-cut",
                name,
                lambda pack=pack, made=made: pack(made()[:50_000]) + build.cut(pack(made()[50_000:]), 0.5),
            )
    _add("log-gz-wrong-sum", "bench.log.gz", lambda: build.flipped(gzip.compress(log()), 1 - 7.5 / len(gzip.compress(log())), 2))
    _add("log-gz-header-only", "bench.log.gz", lambda: gzip.compress(log())[:10])
    _add(
        "log-zst-skippable-frame",
        "bench.log.zst",
        lambda: by_zstd(log()[:50_000]) + struct.pack("<LL", 0x184D2A50, 100) + bytes(100) + by_zstd(log()[50_000:]),
    )
    _add(
        "log-xz-blocks-flipped",
        "bench.log.xz",
        lambda: lzma.compress(log()[:150_000]) + build.flipped(lzma.compress(log()[150_000:]), 0.4),
    )
    _add("log-bz2-first-block-damaged", "bench.log.bz2", lambda: build.flipped(by_bzip2(log()), 0.15))
    _add("log-bz2-last-block-damaged", "bench.log.bz2", lambda: build.flipped(by_bzip2(log()), 0.85))


def _tars() -> None:
    _add("tar-cut-in-a-file", "bench.tar", lambda: build.cut(tree(), 0.6))
    _add("tar-cut-in-a-header", "bench.tar", lambda: tree()[: _header(12) + 200])
    _add("tar-cut-after-a-header", "bench.tar", lambda: tree()[: _header(12) + 512])
    _add("tar-without-end", "bench.tar", lambda: tree()[:-1024])
    _add("tar-header-damaged", "bench.tar", lambda: build.overwritten(tree(), _header(5) + 20, b"\xff" * 200))
    _add("tar-size-damaged", "bench.tar", lambda: build.overwritten(tree(), _header(5) + 124, b"77777777777"))
    _add(
        "tar-two-headers-damaged",
        "bench.tar",
        lambda: build.overwritten(build.overwritten(tree(), _header(3), b"\xff" * 512), _header(17), b"?" * 512),
    )
    _add("tar-header-and-content-damaged", "bench.tar", lambda: build.overwritten(tree(), _header(5) - 700, b"\xee" * 2500))
    _add("tar-first-header-damaged", "bench.tar", lambda: build.overwritten(tree(), 0, b"x" * 200))
    _add("tar-zero-block-inside", "bench.tar", lambda: tree()[: _header(5)] + bytes(512) + tree()[_header(5) :])
    _add("tar-trailing-garbage", "bench.tar", lambda: tree() + _GARBAGE)
    _add("tar-gz-header-damaged", "bench.tar.gz", lambda: gzip.compress(build.overwritten(tree(), _header(5) + 20, b"\xff" * 200)))
    _add("tar-empty", "empty.tar", lambda: bytes(10240))
    _add("tar-long-name-cut", "long.tar", lambda: build.tar(("a.log", dd(1)), ("n" * 300, dd(2)))[:1700])
    _add(
        "tar-nested-gz-cut",
        "nested.tar",
        lambda: build.tar(
            ("one.tar.gz", build.cut(gzip.compress(tree()), 0.6)),
            ("two.log", dd(900)),
            ("three.log.xz", build.cut(lzma.compress(log()), 0.5)),
        ),
    )


def _header(number: int) -> int:
    """Where in `tree` the header of the file of that number stands."""
    return tree().index(f"run/{number}.log\0".encode())


def _zips() -> None:
    deflated, stored = zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED
    for word, method, streamed in (("deflated", deflated, False), ("streamed", deflated, True), ("stored", stored, False)):

        def whole(method=method, streamed=streamed) -> bytes:
            return zip_tree(method, streamed)

        _add(f"zip-{word}-without-directory", "bench.zip", lambda whole=whole: build.without_directory(whole()))
        _add(f"zip-{word}-cut-in-directory", "bench.zip", lambda whole=whole: whole()[: whole().index(b"PK\1\2") + 100])
        _add(f"zip-{word}-cut-early", "bench.zip", lambda whole=whole: build.cut(whole(), 0.1))
        _add(f"zip-{word}-cut", "bench.zip", lambda whole=whole: build.cut(whole(), 0.5))
        _add(f"zip-{word}-flipped", "bench.zip", lambda whole=whole: build.flipped(whole(), 0.5))
        _add(
            f"zip-{word}-directory-flipped",
            "bench.zip",
            lambda whole=whole: build.flipped(whole(), (whole().index(b"PK\1\2") + 60) / len(whole()), 100),
        )
        _add(
            f"zip-{word}-local-header-damaged",
            "bench.zip",
            lambda whole=whole: build.overwritten(whole(), whole().index(b"run/5.log") - 30, b"XXXX"),
        )
    _add("zip-wrong-sum", "bench.zip", lambda: zip_tree().replace(zip_tree()[14:18], b"\1\2\3\4"))
    _add("zip-cut-last-bytes", "bench.zip", lambda: zip_tree()[:-7])
    _add("zip-trailing-garbage", "bench.zip", lambda: zip_tree() + _GARBAGE)
    _add("zip-first-bytes-lost", "bench.zip", lambda: zip_tree()[100:])
    _add("zip-empty", "empty.zip", build.zipped)
    _add(
        "zip-nested-without-directory",
        "outer.zip",
        lambda: build.zipped(("in.zip", build.without_directory(zip_tree())), ("a.log", dd(900))),
    )
    _add(
        "zip-in-cut-tar-gz",
        "outer.tar.gz",
        lambda: build.cut(gzip.compress(build.tar(("in.zip", zip_tree()), ("b.log", log()))), 0.7),
    )


_doubled()
_compressed()
_tars()
_zips()
