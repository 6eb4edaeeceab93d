"""Each kind of bad input has a sentence of its own, with what to do; files of the test are built here."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import zipfile

import pytest

from ingest import FindingsCache, read
from ingest.records import FileReport, Measurement, Warning
from ingest.tests.hostile.content import dd
from ingest.warning_codes import CODES

_PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
_SCRIPT = b"#!/bin/sh\nfor c in off lz4; do\n  zfs set compression=$c tank\n  dd if=/dev/zero of=/tank/f bs=1M count=1000\ndone\n"
_PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def _zip(files: dict[str, bytes], password: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    data = bytearray(out.getvalue())
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)) if password else ():
        place = data.find(mark)
        while place >= 0:
            data[place + at] |= 1  # the flag of an encrypted member
            place = data.find(mark, place + 4)
    return bytes(data)


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _runs(count: int) -> dict[str, bytes]:
    noise = random.Random(1)
    return {f"run{n:02}.txt": dd(n) + noise.randbytes(2000).hex().encode() + b"\n" for n in range(count)}


def _cut_between_files() -> bytes:
    """A gzip file that ends with the last byte of the 31st of 33 files."""
    files = _runs(33)
    kept = sum(512 + -(-len(data) // 512) * 512 for data in list(files.values())[:31])
    return gzip.compress(_tar(files)[:kept])[:-8]


def _read(folder, name: str, data: bytes) -> list:
    path = folder / "upload"
    path.write_bytes(data)
    return list(read([path], names={str(path): name}))


KINDS = [
    ("empty.txt", b"", "empty file", "empty-file", "The file is empty."),
    ("blank.txt", b" \n\n\t\n", "blank file", "empty-file", "The file contains only white space."),
    ("chart.png", _PNG, "PNG picture", "picture", "This is a picture (PNG): numbers in pictures are not read."),
    ("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(30), "JPEG picture", "picture", "This is a picture (JPEG)"),
    (
        "plot.svg",
        b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'></svg>\n",
        "SVG picture",
        "picture",
        "This is a p",
    ),
    ("paper.pdf", _PDF, "PDF", "document", "This is a PDF: numbers in it are not read."),
    ("report.docx", _zip({"[Content_Types].xml": b"<Types/>"}), "Office document", "document", "This is an Office document"),
    (
        "r.7z",
        b"7z\xbc\xaf\x27\x1c\0\4" + os.urandom(60),
        "7z archive",
        "not-unpacked",
        "This is a 7z archive, which is not unpacked.",
    ),
    (
        "r.rar",
        b"Rar!\x1a\x07\x01\0" + os.urandom(60),
        "RAR archive",
        "not-unpacked",
        "This is a RAR archive, which is not unpacked.",
    ),
    ("bench", b"\x7fELF\2\1\1" + bytes(60), "program or core dump (ELF)", "binary-file", "This is a program or core dump (ELF)"),
    ("x.bin", bytes(range(1, 32)) * 9, "binary file", "binary-file", "This is a binary file: nothing in it is read."),
    ("run.sh", _SCRIPT, "script", "only-scripts", "Only scripts were uploaded: run.sh."),
]


@pytest.mark.parametrize(("name", "data", "label", "code", "sentence"), KINDS, ids=[kind[0] for kind in KINDS])
def test_each_kind_has_its_sentence(tmp_path, name, data, label, code, sentence):
    records = _read(tmp_path, name, data)
    assert [(r.file, r.format, r.status, r.measurements) for r in records if isinstance(r, FileReport)] == [
        (name, label, "unrecognised", 0)
    ]
    warnings = [r for r in records if isinstance(r, Warning)]
    assert [(w.file, w.code) for w in warnings] == [(name, code)]
    assert warnings[0].message.startswith(sentence) and warnings[0].message.endswith(".") and code in CODES
    assert any(word in warnings[0].message for word in ("Upload", "upload", "Pack", "Save"))


@pytest.mark.parametrize(("name", "data", "label", "code", "sentence"), KINDS, ids=[kind[0] for kind in KINDS])
def test_beside_results_pictures_documents_and_scripts_are_no_fault(tmp_path, name, data, label, code, sentence):
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / name).write_bytes(data)
    (tmp_path / "both" / "dd.txt").write_bytes(dd(1))
    records = list(read([tmp_path / "both"]))
    assert sum(isinstance(r, Measurement) for r in records) == 2
    assert {r.file: r.format for r in records if isinstance(r, FileReport)} == {name: label, "dd.txt": "dd"}
    named = [r.file for r in records if isinstance(r, Warning) and r.code == code]
    assert named == ([name] if code in ("empty-file", "not-unpacked") else [])


def test_an_empty_file_of_errors_is_usual(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "dd.stderr").write_bytes(b"")
    (tmp_path / "run" / "dd.txt").write_bytes(dd(1))
    assert "empty-file" not in {r.code for r in read([tmp_path / "run"]) if isinstance(r, Warning)}


def test_scripts_are_named_once(tmp_path):
    data = _tar({f"s{n}.sh": _SCRIPT for n in range(5)} | {"README": b"How we measured.\n"})
    messages = [r.message for r in _read(tmp_path, "s.tar", data) if isinstance(r, Warning)]
    assert messages == [
        "There are scripts and no output of a run: s0.sh, s1.sh, s2.sh and 2 more. "
        "Upload what they print as well, for example with ./s0.sh > results.txt 2>&1."
    ]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (1, "Its only file is protected by a password and was not read: run0.txt. "),
        (2, "2 of 2 files are protected by a password and were not read: run0.txt, run1.txt. "),
        (
            7,
            "7 of 7 files are protected by a password and were not read: run0.txt, run1.txt, run2.txt, run3.txt, run4.txt "
            "and 2 more. ",
        ),
    ],
)
def test_files_behind_a_password_are_counted_and_named_in_one_sentence(tmp_path, files, said):
    data = _zip({f"run{n}.txt": b"x" for n in range(files)}, password=True)
    remedy = "Pack the files without a password and upload the archive again."
    assert [(r.file, r.code, r.message) for r in _read(tmp_path, "secret.zip", data)] == [
        ("secret.zip", "encrypted", said + remedy)
    ]


def test_a_truncated_archive_says_how_many_files_could_be_read(tmp_path):
    records = _read(tmp_path, "runs.tar.gz", _cut_between_files())
    [message] = [r.message for r in records if isinstance(r, Warning) and r.file == "runs.tar"]
    assert message.startswith("The archive is truncated after ")
    assert message.endswith("31 files could be read (62 results); upload a complete copy to get the rest.")
    assert sum(isinstance(r, FileReport) for r in records) == 31


def test_a_file_that_is_cut_is_counted_apart(tmp_path):
    packed = gzip.compress(_tar(_runs(33)))
    records = _read(tmp_path, "runs.tar.gz", packed[: len(packed) // 2])
    [message] = [r.message for r in records if isinstance(r, Warning) and r.file == "runs.tar"]
    files = sum(isinstance(r, FileReport) for r in records)
    assert f" {files} files could be read, 1 of them in part (" in message


def test_a_damaged_zip_says_how_many_of_its_files_could_be_read(tmp_path):
    data = bytearray(_zip(_runs(33)))
    for name in (b"run03.txt", b"run20.txt"):
        data[data.find(name) + 60] ^= 0xFF
    [message] = [r.message for r in _read(tmp_path, "runs.zip", bytes(data)) if isinstance(r, Warning) and r.file == "runs.zip"]
    assert message == "The archive is damaged. 31 of 33 files could be read (66 results); upload a complete copy to get the rest."


def test_a_truncated_file_says_how_much_could_be_read(tmp_path):
    packed = gzip.compress(dd(*range(2000)))
    messages = [r.message for r in _read(tmp_path, "log.txt.gz", packed[: len(packed) // 2]) if isinstance(r, Warning)]
    assert any(
        m.startswith("The file is truncated after ") and m.endswith("upload a complete copy to get the rest.") for m in messages
    )


def test_a_kind_is_the_same_from_the_cache(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.sh").write_bytes(_SCRIPT)
    cache = FindingsCache()
    first, second = (
        [(type(r), getattr(r, "message", getattr(r, "format", ""))) for r in read([tmp_path / folder], cache=cache)]
        for folder in ("a", "b")
    )
    assert first == second and len(first) == 2
