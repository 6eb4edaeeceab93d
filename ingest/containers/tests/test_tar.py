"""Headers of tar archives that are read without tarfile: the very files that tarfile finds, or none at all."""

from __future__ import annotations

import io
import tarfile

import pytest

from ingest.containers.archive import iter_files, open_files
from ingest.containers.tar import list_plain_files

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def _tar(form: str, *members: tuple[str, bytes | None], **more) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=FORMATS[form]) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.size = (tarfile.DIRTYPE, 0) if data is None else (tarfile.REGTYPE, len(data))
            info.mtime, info.uname = 1_700_000_000, "root"
            for key, value in more.items():
                setattr(info, key, value)
            tar.addfile(info, None if data is None else io.BytesIO(data))
    return out.getvalue()


def _by_tarfile(whole: bytes) -> list[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        return [(m.name, whole[m.offset_data : m.offset_data + m.size]) for m in tar if m.isreg()]


@pytest.mark.parametrize("form", FORMATS)
def it_finds_what_tarfile_finds(form):
    letter = "u" if form == "pax" else "ü"  # which pax tells in a header of its own
    whole = _tar(form, ("a", None), ("a/dd.txt", b"x" * 512), ("a/b/empty", b""), (letter * 50, b"y" * 513), ("n" * 100, b"z"))
    found = list_plain_files(whole)
    assert found is not None
    assert [(name, whole[start:end]) for name, start, end in found] == _by_tarfile(whole)


@pytest.mark.parametrize(
    ("form", "name", "more"),
    [
        ("ustar", "p" * 90 + "/" + "n" * 60, {}),
        ("gnu", "n" * 200, {}),
        ("pax", "n" * 200, {}),
        ("pax", "a", {"mtime": 1.5}),
        ("gnu", "a", {"uid": 1 << 40}),
        ("gnu", "a", {"type": tarfile.LNKTYPE, "linkname": "b"}),
        ("gnu", "a", {"type": tarfile.CONTTYPE}),
        ("gnu", "a", {"type": tarfile.AREGTYPE}),
    ],
)
def it_leaves_headers_of_another_make_to_tarfile(form, name, more):
    whole = _tar(form, ("first", b"1"), (name, b""), ("last", b"2"), **more)
    assert list_plain_files(whole) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:1400],  # inside the second file
        lambda whole: whole[:2048],  # without the empty blocks at the end
        lambda whole: whole[:1024] + b"B" + whole[1025:],  # a letter of the second name: the checksum tells
        lambda whole: whole[:1024] + b"\xff" * 512 + whole[1536:],
        lambda whole: b"",
    ],
)
def it_leaves_what_is_damaged_to_tarfile(damage):
    assert list_plain_files(damage(_tar("gnu", ("a", b"1"), ("b", b"2" * 512)))) is None


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b/c", "b/d"),
        ("./a", "a"),
        ("a", "./a"),
        ("a", "a"),
        ("b//c", "b/c", "b/./c"),
        ("x/../a", "a"),
        ("b\\c", "b/c"),
        ("inner.tar", "inner.tar/1", "1"),
        ("inner.tar/1", "inner.tar"),
        ("ü", "\udcfc", "a\nb"),
        ("._a", "a", "__MACOSX/a"),
    ],
)
def it_opens_a_file_alone_as_among_all(names, tmp_path):
    inner = _tar("gnu", ("1", b"within"))
    upload = tmp_path / "upload.tar"
    upload.write_bytes(_tar("gnu", *((name, inner if name == "inner.tar" else f"{at}".encode()) for at, name in enumerate(names))))
    every = {entry.path: entry.data for entry in iter_files(upload, upload.name) if entry.data is not None}
    assert {path: stream.read() for path, stream in open_files(upload, upload.name, every)} == every
    assert {path: [stream.read() for _, stream in open_files(upload, upload.name, [path])] for path in every} == {
        path: [data] for path, data in every.items()
    }
