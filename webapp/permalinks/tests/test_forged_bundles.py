"""Bundles that lead their reader astray without a changed file: what stands beside, behind and between the files, and work without
end. `test_forgery.py` has the changed ones."""

from __future__ import annotations

import io
import json
import os
import py_compile
import struct
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.formats.canonical import canonical_json
from webapp.models import Permalink
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import dropped, manifest, permalink_bundle, verify
from webapp.permalinks.tests.test_forgery import adapt_manifest, copy, maker, sealed, zipped
from webapp.tests import frozen, making
from webapp.views.permalinks import bundle_check

__all__ = ["copy", "maker", "sealed"]
pytestmark = pytest.mark.django_db
SAID = "digest matches: every file is as frozen"


def evil(mark: Path) -> str:
    """What a forger has run: it leaves a mark and says what an honest check says."""
    return f"import os, sys\nopen({str(mark)!r}, 'w').close()\nprint('all 3 values recomputed, {SAID}', flush=True)\nos._exit(0)\n"


def plant(folder: Path, name: str, source: str) -> None:
    """A file with that source: compiled where its name says so."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    if path.suffix == ".pyc":
        made = py_compile.compile(str(path), f"{path}.made", doraise=True, invalidation_mode=py_compile.PycInvalidationMode(2))
        os.replace(made, path)


TAG = sys.implementation.cache_tag
SHADOWS = [
    *("hashlib.py", "json.py", "json/__init__.py", "csv/__init__.py", "os.py", "re.py", "bisect.py", "functools.pyc", "stat.pyc"),
    *("sitecustomize.py", "usercustomize.py", "evil.pth", "verify_figure.py", "importlib/machinery.py", "encodings/__init__.py"),
    *(
        f"__pycache__/json.{TAG}.pyc",
        f"__pycache__/verify.{TAG}.pyc",
        "__init__.py",
        "__main__.py",
        "zipfile.py",
        "xml/__init__.py",
    ),
    *("code/csv.py", "code/json.py", "code/webapp.py", "code/webapp/__init__.py", "code/webapp/formats/__init__.py", "code/io.py"),
    *("code/webapp/formats/tidy.pyc", "code/webapp/formats/tidy/__init__.py", f"code/webapp/formats/__pycache__/tidy.{TAG}.pyc"),
    *(f"code/webapp/formats/tidy.{TAG}-x86_64-linux-gnu.so", "code/sitecustomize.py", "code/webapp/formats/csv.py"),
]
STARTS = {"-I": (["-I"], "/"), "plain": ([], "/"), "inside": ([], "."), "-S": (["-S"], "."), "-I inside": (["-I"], ".")}


def run(folder: Path, *arguments: str, start: str = "-I", script: str = "verify.py", **environment: str) -> tuple[int, list[str]]:
    """Exit code and lines of the bundle's own script."""
    flags, place = STARTS[start]
    done = subprocess.run(
        [sys.executable, *flags, str(folder / script), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder if place == "." else place,
        env={"PATH": os.environ["PATH"], **environment},
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def bundle_of(folder: Path) -> str:
    return verify.digest_of(folder / "manifest.json")


@pytest.mark.parametrize("start", STARTS)
def it_says_that_an_honest_bundle_is_one(sealed, start):
    code, [line] = run(sealed, bundle_of(sealed), start=start)
    assert code == 0 and SAID in line
    assert run(sealed, start=start, script="redo.py")[0] == 0
    assert run(sealed, bundle_of(sealed), start=start)[0] == 0  # the first left nothing behind


@pytest.mark.parametrize("name", SHADOWS)
def it_runs_nothing_that_stands_beside_it(copy, tmp_path, name):
    bundle, mark = bundle_of(copy), tmp_path / "mark"
    plant(copy, name, evil(mark))
    for start in STARTS:
        code, lines = run(copy, bundle, start=start)
        assert code == 1 and not mark.exists(), (start, lines)
        assert f"unknown: {name}" in lines


def it_runs_nothing_of_the_current_folder_that_a_path_names(copy, tmp_path):
    """An entry without a name in PYTHONPATH is the current folder."""
    bundle, mark = bundle_of(copy), tmp_path / "mark"
    plant(copy, "bisect.py", evil(mark))
    plant(copy, "code/csv.py", evil(mark))
    for path in (":/nowhere", ".", str(copy)):
        code, lines = run(copy, bundle, start="inside", PYTHONPATH=path)
        assert code == 1 and {"unknown: bisect.py", "unknown: code/csv.py"} <= {*lines} and not mark.exists(), path


@pytest.mark.parametrize("name", [name for name in SHADOWS if "/" not in name])
def it_computes_centres_again_by_nothing_that_stands_beside(copy, tmp_path, name):
    plant(copy, name, evil(tmp_path / "mark"))
    for start in STARTS:
        assert "4 groups" in (last := run(copy, start=start, script="redo.py")[1][-1]) or "0 differ" in last
        assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["webapp/formats/tidy.py", "webapp/figures/notes.py", "webapp/__init__.py", "csv.py"])
def it_runs_code_of_its_own_folder_only_where_the_digest_of_the_bundle_covers_it(copy, tmp_path, name):
    """With a manifest that was adapted: nobody has given a digest of it."""
    honest, record = bundle_of(copy), verify.digest_of(copy / "record.json")
    plant(copy, f"code/{name}", evil(tmp_path / "mark"))
    adapt_manifest(copy)
    assert run(copy)[0] == 3 and run(copy, record)[0] == 4 and run(copy, honest)[0] == 1
    assert not (tmp_path / "mark").exists()


# --- what else is in the folder ---


def _link(path: Path, to: str) -> None:
    path.symlink_to(to)


EXTRAS = {
    "empty/": Path.mkdir,
    "figures/empty/": Path.mkdir,
    "a/b/c/": partial(Path.mkdir, parents=True),
    ".hidden": Path.touch,
    ".git/": Path.mkdir,
    "code/webapp/.x.py": Path.touch,
    "Data.csv": Path.touch,
    "RECORD.JSON": Path.touch,
    "d\u0430ta.csv": Path.touch,
    "data.csv\u200b": Path.touch,
    "data.csv ": Path.touch,
    "data.csv.": Path.touch,
    "nul": Path.touch,
    "con.txt": Path.touch,
    "data.csv:stream": Path.touch,
    "figures\\figure.tex": Path.touch,
    "line\nfeed": Path.touch,
    "to-file": partial(_link, to="data.csv"),
    "to-folder": partial(_link, to="figures"),
    "to-nothing": partial(_link, to="nowhere"),
    "pipe": os.mkfifo,
    "\udcff": Path.touch,
}


@pytest.mark.parametrize("name", EXTRAS)
def it_names_whatever_else_is_there(copy, name):
    bundle = bundle_of(copy)
    EXTRAS[name](copy / name)
    code, lines = run(copy, bundle)
    assert (code, lines) == (1, [f"unknown: {ascii(name)[1:-1]}", "1 problem"])


def it_names_a_folder_that_it_cannot_read(copy, monkeypatch):
    def unreadable(folder):
        if str(folder).endswith("closed"):
            raise PermissionError(13, "denied", str(folder))
        return scan(folder)

    (copy / "closed").mkdir()
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", unreadable)
    assert "unknown: closed/" in verify.manifest_problems(str(copy))[0]


@pytest.mark.parametrize("name", ["data.csv", "record.json", "manifest.json", "digest.txt", "verify.py", "data.xlsx"])
@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir, partial(_link, to="/dev/zero"), partial(_link, to=".")])
def it_waits_for_nothing_that_is_no_file(copy, sealed, name, kind):
    """Checked by the honest copy's script."""
    (copy / name).unlink()
    kind(copy / name)
    code, lines = run(sealed, bundle_of(sealed), str(copy))
    assert code == 1 and any(name in line for line in lines) and SAID not in "".join(lines)


# --- the zip file ---


def drop(client, data: bytes, digest: str = ""):
    return client.post("/verify", {"bundle": SimpleUploadedFile("poolmark-x.zip", data), "digest": digest})


def entry(name: str, data: bytes) -> bytes:
    """A local header with stored bytes, in no directory."""
    info = zipfile.ZipInfo(name)
    info.file_size = info.compress_size = len(data)
    info.CRC = zipfile.crc32(data)
    return info.FileHeader() + data


def _directory(data: bytes) -> int:
    return struct.unpack("<L", data[-6:-2])[0]


def _shifted(data: bytes, more: bytes) -> bytes:
    """Bytes before the directory, whose place is adapted."""
    at = _directory(data)
    return data[:at] + more + data[at:-6] + struct.pack("<L", at + len(more)) + data[-2:]


def _again(data: bytes, change) -> bytes:
    """Packed again; `change(archive, info, data)` writes an entry."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            change(new, info, old.read(info))
    return out.getvalue()


def _plain(new, info, data):
    new.writestr(info, data)


def _with(name: str, **fields):
    def change(new, info, data):
        if info.filename == name:
            for field, value in fields.items():
                setattr(info, field, value)
        new.writestr(info, data)

    return partial(_again, change=change)


def _and(name: str, data: bytes = b"", **fields):
    def make(old: bytes) -> bytes:
        out = io.BytesIO(old)
        with zipfile.ZipFile(out, "a") as archive:
            info = zipfile.ZipInfo(name)
            for field, value in fields.items():
                setattr(info, field, value)
            archive.writestr(info, data)
        return out.getvalue()

    return make


def _commented(data: bytes) -> bytes:
    return data[:-2] + struct.pack("<H", 7) + b"comment"


def _patched(data: bytes, name: bytes, at: int, new: bytes) -> bytes:
    """Other bytes in the local header of a file."""
    start = data.index(b"PK\x03\x04" + data[4:6], 0)
    while data[start + 30 : start + 30 + len(name)] != name:
        start = data.index(b"PK\x03\x04", start + 4)
    return data[: start + at] + new + data[start + at + len(new) :]


def _behind_deflate(data: bytes) -> bytes:
    """Bytes behind the end of the last file's Deflate stream, within its entry."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.infolist()[-1].compress_size
    made = bytearray(_shifted(data, b"hidden"))
    last = made.rindex(b"PK\x01\x02")
    made[last + 20 : last + 24] = struct.pack("<L", size + 6)
    local = struct.unpack("<L", made[last + 42 : last + 46])[0]
    made[local + 18 : local + 22] = struct.pack("<L", size + 6)
    return bytes(made)


def _fewer(data: bytes) -> bytes:
    """An entry less in the count of the directory."""
    count = struct.unpack("<H", data[-12:-10])[0] - 1
    return data[:-14] + struct.pack("<2H", count, count) + data[-10:]


def _zip64(data: bytes) -> bytes:
    """The end records of ZIP64, which say the same."""
    at, count = _directory(data), struct.unpack("<H", data[-12:-10])[0]
    size = len(data) - 22 - at
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, at)
    return data[:-22] + end + struct.pack("<4sLQL", b"PK\x06\x07", 0, len(data) - 22, 1) + data[-22:]


TRICKS = {
    "prefix": lambda data: b"#!/bin/sh\n" + data,
    "suffix": lambda data: data + b"more",
    "two-files": lambda data: data + entry("data.csv", b"other"),
    "between": lambda data: _shifted(data, b"hidden"),
    "unlisted": lambda data: _shifted(data, entry("data.csv", b"other")),
    "comment": _commented,
    "entry-comment": _with("data.csv", comment=b"hidden"),
    "extra-field": _with("data.csv", extra=struct.pack("<2H", 0x6666, 4) + b"hide"),
    "unicode-path": _with("data.csv", extra=struct.pack("<2HBL", 0x7075, 10, 1, 0) + b"other"),
    "local-name": lambda data: _patched(data, b"data.csv", 30, b"DATA.csv"),
    "local-time": lambda data: _patched(data, b"data.csv", 10, b"\1\1"),
    "local-size": lambda data: _patched(data, b"data.csv", 22, b"\1\1"),
    "behind-deflate": _behind_deflate,
    "fewer": _fewer,
    "zip64": _zip64,
    "link": _with("data.csv", external_attr=0o120777 << 16),
    "folder": _and("empty/"),
    "folder-with-bytes": _and("figures/", b"hidden"),
    "unknown": _and("note.txt", b"more"),
    "dotfile": _and(".hidden"),
    "look-alike": _and("d\u0430ta.csv"),
    "twice": _and("data.csv", b"other"),
    "twice-in-other-words": _and("./data.csv", b"other"),
    "backslash": _and("figures\\figure.tex", b"other"),
    "null": lambda data: _and("data.csv?x")(data).replace(b"data.csv?x", b"data.csv\0x"),
    "packed-again": partial(_again, change=_plain),
}


@pytest.fixture(autouse=True)
def no_turns():
    bundle_check._stopped.clear()
    yield bundle_check
    bundle_check._stopped.clear()


@pytest.fixture
def honest(db) -> tuple[Permalink, bytes]:
    link = frozen.with_plain_pictures(frozen.frozen())
    return link, bytes(permalink_bundle.get_bundle(link).data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def it_calls_no_other_bytes_the_bundle_frozen_here(client, honest):
    _, data = honest
    assert "byte for byte" in drop(client, data).content.decode()
    for trick, change in TRICKS.items():
        made = change(data)
        assert made != data or trick == "packed-again"
        answer = drop(client, made)
        page = answer.content.decode()
        if made != data:
            assert answer.status_code in (200, 400), trick
            assert "byte for byte" not in page and "as frozen here on" not in page and SAID not in page, trick
            assert "differs from what was frozen" in page or answer.status_code == 400, trick


@pytest.mark.filterwarnings("ignore:Duplicate name")
def it_finds_tricks_in_bundles_of_other_sites(client, sealed):
    digest, data = bundle_of(sealed), zipped(sealed)
    assert SAID in drop(client, data, digest).content.decode()
    for trick, change in TRICKS.items():
        answer = drop(client, change(data), digest)
        if trick not in ("packed-again", "behind-deflate"):  # nothing is compressed here
            assert SAID not in answer.content.decode(), trick


def it_says_that_a_bundle_packed_again_has_other_bytes(client, honest, tmp_path):
    _, data = honest
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path / "bundle")
    page = drop(client, zipped(tmp_path / "bundle")).content.decode()
    assert "differs from what was frozen" in page and "its files agree" in page


# --- work ---


def crafted(sealed: Path, change) -> bytes:
    """The bundle with a record that `change` has made another one of."""
    told = json.loads((sealed / "record.json").read_text())
    told["id"] = "foreign"
    files = {name: (sealed / name).read_bytes() for name in verify.find_files(sealed)}
    files["record.json"] = json.dumps(told).encode()
    change(told, files)
    if files["record.json"][:1] == b"{":
        files["record.json"] = json.dumps(told).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def _many_values(told, files):
    told["values"] *= 20_000


def _many_groups(told, files):
    told["panels"][0]["groups"] *= 6_000


def _many_marks(told, files):
    told["figures"][0]["groups"] *= 6_000


def _many_references(told, files):
    for group in told["panels"][0]["groups"]:
        group["values"] *= 200_000


def _long_lines(told, files):
    """The lines stand in the excerpts alone."""
    told["values"] *= 1_000
    for number, file in told["files"].items():
        lines = [*file["lines"], told["values"][0]["line"]]
        files[f"excerpts/file-{number}.txt"] = "".join(f"{line}\t{'9 ' * 10_000}\n" for line in lines).encode()
        file["lines"] = {}


def _deep(told, files):
    files["record.json"] = b"[" * 1_000_000


def _wide(told, files):
    files["record.json"] = b"[" + b"[]," * 20_000_000 + b"[]]"


def _workbook(told, files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/sharedStrings.xml", bytes(120 << 20))
    files["data.xlsx"] = out.getvalue()


def _far_row(told, files):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", f'<workbook xmlns="{main}"><sheets><sheet name="groups"/></sheets></workbook>')
        book.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><row r="999999999999"/></worksheet>')
    files["data.xlsx"] = out.getvalue()


def _many_bounds(told, files):
    """As records had it before each run without a number was in them."""
    for group in told["panels"][0]["groups"]:
        group.pop("missing", None)
        group["unmeasured"] = [{"bound": 1.0, "side": "above", "count": 10**10}]


def _long_findings(told, files):
    """A finding a value, each with the path."""
    for file in told["files"].values():
        file["path"] = "x" * 100_000
    told["values"] = [value | {"value": 1.0} for value in told["values"] * 1_000]


CRAFTED = {
    _many_values: "values",
    _many_groups: "groups",
    _many_marks: "groups",
    _many_references: "points and values",
    _long_lines: "characters",
    _wide: "bytes in records",
    _workbook: "bytes in workbooks",
    _many_bounds: "",
    _long_findings: "",
    _deep: None,
    _far_row: None,
}
"""Change -> what is said; '' for what the system stops, None for what is found wrong with little work."""


@pytest.mark.parametrize("change", CRAFTED, ids=lambda change: change.__name__)
def it_counts_the_work_before_it_does_any(client, sealed, change):
    answer, said = drop(client, crafted(sealed, change)), CRAFTED[change]
    page = answer.content.decode()
    assert len(page) < 200_000 and SAID not in page
    if said is None:
        assert answer.status_code == 200 and "differs from what was frozen" in page
    else:
        assert answer.status_code == 400 and f"it has more than {'' if said else '10 s'}" in page and said in page


def it_still_knows_the_largest_bundle_that_was_frozen_here(client, honest, monkeypatch):
    """More values than are computed again: every byte is compared instead."""
    link, _ = honest
    told = json.loads(bytes(link.record))
    told |= {"id": "large", "address": "https://poolmark.example/p/large", "values": told["values"] * 20_000}
    record = canonical_json(told)
    large = Permalink.objects.create(
        id="large",
        digest=verify.sha256(record),
        record=record,
        content="1" * 64,
        title="large",
        owner=making.user("ann"),
        frozen_at=told["frozen_at"],
    )
    listed = verify.manifest_bytes(large.digest, {"record.json": large.digest}, ["CITATION.cff"])
    parts = [permalink_bundle.CratePart(name, data, "", "") for name, data in (("manifest.json", listed), ("record.json", record))]
    data = bytes(permalink_bundle.store_bundle(large, parts).data)
    digests = manifest.read_digests(large)
    for digest in ("", digests.bundle):
        page = drop(client, data, digest).content.decode()
        assert "byte for byte" in page and "every byte of the file is as frozen here" in page
    assert "the record is as frozen" in drop(client, data, digests.record).content.decode()
    assert "has the digest 0000" in drop(client, data, "0" * 64).content.decode()
    assert drop(client, data + b"x").status_code == 400
    monkeypatch.setattr(dropped, "MAX_UNPACKED", 1000)
    assert "byte for byte" in drop(client, data).content.decode()
    assert stored_files.find_file("large", "bundle.zip") is not None


# --- turns ---


def it_gives_an_address_one_slot_and_so_much_work(client, sealed, no_turns):
    data = zipped(sealed)
    with no_turns._slot("127.0.0.1"):
        answer = drop(client, data)
        assert answer.status_code == 429 and answer["Retry-After"] and "from your address" in answer.content.decode()
    with no_turns._slot("192.0.2.1"):
        assert drop(client, data).status_code == 200
        with no_turns._slot("192.0.2.2"):
            assert drop(client, data).status_code == 503
    no_turns._stopped["127.0.0.1"] = no_turns.MOST
    assert drop(client, data).status_code == 429 and drop(client, b"").status_code == 429
    no_turns._stopped.clear()
    assert drop(client, data).status_code == 200 and not no_turns._running
