"""Archives short enough to be read as a whole and longer ones give the same files, whole, cut or damaged."""

import gzip
import io
import tarfile

import pytest

from ingest.containers import archive
from ingest.containers.decompress import TRUNCATED, DecompressedStream, gunzip
from ingest.containers.spool import read_ahead


def _packed(sizes: list[int]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for at, size in enumerate(sizes):
            entry = tarfile.TarInfo(f"run/{at}.txt")
            entry.size = size
            tar.addfile(entry, io.BytesIO(bytes([65 + at % 26]) * size))
    return out.getvalue()


def _cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def _damaged(data: bytes) -> bytes:
    packed = bytearray(gzip.compress(data, 1))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    return bytes(packed)


@pytest.mark.parametrize("sizes", [[], [0], [3, 512, 513, 70_000], [9] * 60])
@pytest.mark.parametrize("change", [bytes, gzip.compress, _cut, lambda data: _cut(gzip.compress(data)), _damaged])
def it_gives_the_same_files_from_memory_and_from_the_stream(tmp_path, monkeypatch, sizes, change):
    path = tmp_path / "one.tar"
    path.write_bytes(change(_packed(sizes)))
    short = list(archive.iter_files(path))
    monkeypatch.setattr(archive, "_SHORT", 0)
    assert list(archive.iter_files(path)) == short
    assert short


def it_loses_nothing_that_was_read_before_the_damage():
    whole = bytes(range(256)) * 4000
    source = io.BytesIO(gzip.compress(whole, 0)[:-300])
    stream = DecompressedStream(gunzip(source), source)
    data, rest = read_ahead(stream, 1 << 24)
    assert rest is None
    assert data == whole[: len(data)] and len(data) >= len(whole) - 300
    assert stream.damage == TRUNCATED
