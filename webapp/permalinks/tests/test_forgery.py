"""A forged bundle is found, whatever was forged and however well: by verify.py with the digest of the bundle, and by the page."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import override_settings

from webapp.models import Permalink, Rendering
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import manifest, permalink_bundle, verify
from webapp.tests import frozen, making

pytestmark = pytest.mark.django_db
OLD = Path(__file__).parent / "bundle_without_manifest.zip"
"""A bundle as the first version made it."""


@pytest.fixture(scope="module")
def maker(tmp_path_factory):
    """Makes the unpacked bundle of three values once for the module; its rows are gone again."""

    @cache
    def make() -> Path:
        folder = tmp_path_factory.mktemp("forgery")
        with override_settings(POOLMARK_DATA=folder / "data"), transaction.atomic():
            data = bytes(permalink_bundle.get_bundle(frozen.with_plain_pictures(frozen.frozen())).data)
            transaction.set_rollback(True)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(folder / "bundle")
        return folder / "bundle"

    return make


@pytest.fixture
def sealed(db, maker) -> Path:
    """An unpacked bundle that no test changes."""
    return maker()


def names() -> list[str]:
    """The files of a bundle, in the order in which a forger tries them. `*` stands for the one file of a folder."""
    made = [
        "record.json",
        "data.csv",
        "data.xlsx",
        "files.csv",
        "points.csv",
        "configurations.csv",
        "README.txt",
        "ARTIFACT.md",
        "redo.py",
        "ro-crate-metadata.json",
        "excerpts/file-*",
    ]
    made += ["verify.py", "manifest.json", "checksums.txt", "digest.txt"]
    made += [f"figures/caption.{ending}" for ending in ("tex", "md", "html")]
    made += [f"code/{path}" for path in permalink_bundle.CODE]
    made += [name if name == "CITATION.cff" else f"citation/{name}" for name in permalink_bundle.CITATIONS]
    return made + [f"figures/{name}" for name in permalink_bundle.rendering.RENDERED_FILES]


def check(folder: Path, *arguments: str, python: str = sys.executable) -> tuple[int, list[str]]:
    """Exit code and lines of the reviewer's own verify.py over the folder."""
    tool = folder.parent / "tool"
    done = subprocess.run(
        [python, "-I", "-S", str(tool / "verify.py"), *arguments, str(folder)], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def copy(sealed, tmp_path) -> Path:
    """A bundle to be forged; beside it, in `tool`, the verify.py of an honest copy."""
    shutil.copytree(sealed, tmp_path / "bundle")
    (tmp_path / "tool").mkdir()
    shutil.copy(sealed / "verify.py", tmp_path / "tool")
    shutil.copytree(sealed / "code", tmp_path / "tool" / "code")
    return tmp_path / "bundle"


def adapt_checksums(folder: Path) -> None:
    """What a forger does next: checksums.txt is made to agree."""
    sums = {name: verify.digest_of(folder / name) for name in verify.find_files(folder) if name != "checksums.txt"}
    (folder / "checksums.txt").write_text(verify.checksums_text(sums))


def adapt_manifest(folder: Path) -> None:
    """And what a better one does: manifest, citations and digest.txt too."""
    old = json.loads((folder / "manifest.json").read_text())
    before = verify.digest_of(folder / "manifest.json")
    for name in old["citations"]:
        path = folder / name
        if path.exists():
            path.write_bytes(path.read_bytes().replace(before.encode(), verify.ZEROS))
    listed = {name: verify.digest_of(folder / name) for name in verify.find_files(folder) if name not in verify.DERIVED}
    record = verify.digest_of(folder / "record.json")
    data = verify.manifest_bytes(record, listed, [name for name in old["citations"] if name in listed])
    (folder / "manifest.json").write_bytes(data)
    for name in old["citations"]:
        path = folder / name
        if path.exists():
            path.write_bytes(path.read_bytes().replace(verify.ZEROS, verify.sha256(data).encode()))
    (folder / "digest.txt").write_text(verify.digest_text(record, verify.sha256(data)))
    adapt_checksums(folder)


def forge(path: Path) -> None:
    """Another digit where there is one, else another byte."""
    data = bytearray(path.read_bytes())
    at = next((at for at, byte in enumerate(data) if 0x31 <= byte <= 0x38), 0)
    data[at] += 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("adapt", [False, True], ids=["alone", "checksums-adapted"])
@pytest.mark.parametrize("name", names())
def it_names_every_changed_file(copy, sealed, name, adapt):
    bundle = verify.digest_of(sealed / "manifest.json")
    [path] = copy.glob(name)
    forge(path)
    if adapt and name not in verify.DERIVED:
        adapt_checksums(copy)
    code, lines = check(copy, bundle)
    assert code == 1 and any(path.relative_to(copy).as_posix() in line for line in lines), lines


@pytest.mark.parametrize("name", names())
def it_names_every_missing_file(copy, sealed, name):
    [path] = copy.glob(name)
    path.unlink()
    code, lines = check(copy, verify.digest_of(sealed / "manifest.json"))
    assert code == 1 and f"missing: {path.relative_to(copy).as_posix()}" in lines, lines


@pytest.mark.parametrize("name", ["note.txt", "figures/figure-90mm.pdf", "code/webapp/formats/extra.py", ".hidden"])
def it_names_every_unknown_file(copy, sealed, name):
    (copy / name).write_text("more")
    adapt_checksums(copy)
    code, lines = check(copy, verify.digest_of(sealed / "manifest.json"))
    assert code == 1 and f"unknown: {name}" in lines


@pytest.mark.parametrize("name", [name for name in names() if name not in verify.DERIVED])
def it_is_not_fooled_by_a_manifest_that_was_adapted(copy, sealed, name):
    """With the digest of the paper. Without it, or with the record's alone, the exit code says that not all is covered."""
    [path] = copy.glob(name)
    forge(path)
    adapt_manifest(copy)
    code, lines = check(copy, verify.digest_of(sealed / "manifest.json"))
    assert code == 1 and any("manifest.json" in line for line in lines)
    assert check(copy)[0] in (1, 3)
    assert check(copy, verify.digest_of(sealed / "record.json"))[0] in (1, 4)


@pytest.mark.parametrize(
    "name", ["data.csv", "groups.csv", "files.csv", "points.csv", "figures/table.tex", "figures/table-plain.tex"]
)
def it_finds_what_does_not_follow_from_the_record_without_any_digest(copy, name):
    forge(copy / name)
    adapt_manifest(copy)
    code, lines = check(copy)
    assert code == 1 and f"changed: {name} does not follow from the record" in lines


def it_finds_a_citation_that_prints_another_digest_or_zeros(copy, sealed):
    bundle = verify.digest_of(sealed / "manifest.json")
    for other in (b"a" * 64, verify.ZEROS):
        path = copy / "citation" / "citation.bib"
        honest = path.read_bytes()
        path.write_bytes(honest.replace(bundle.encode(), other))
        adapt_checksums(copy)
        code, lines = check(copy, bundle)
        assert code == 1 and "changed: citation/citation.bib" in lines
        path.write_bytes(honest)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"files": [], "citations": {}, "record": 7}', "[" * 100_000])
@pytest.mark.parametrize("name", ["manifest.json", "record.json"])
def it_says_what_it_cannot_read(copy, sealed, name, text):
    (copy / name).write_text(text)
    code, lines = check(copy, verify.digest_of(sealed / "manifest.json"))
    assert code == 1 and any(name in line for line in lines)


def it_has_no_pattern_of_zeros_to_hide_in(sealed):
    """Each citation prints the digest at least once, and 64 zeros nowhere."""
    bundle = verify.digest_of(sealed / "manifest.json").encode()
    for name in json.loads((sealed / "manifest.json").read_text())["citations"]:
        data = (sealed / name).read_bytes()
        assert bundle in data and verify.ZEROS not in data


# --- the page ---


def drop(client, data: bytes, digest: str = ""):
    return client.post("/verify", {"bundle": SimpleUploadedFile("poolmark-x.zip", data), "digest": digest})


def zipped(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in verify.find_files(folder):
            archive.write(folder / name, name)
    return out.getvalue()


def it_checks_a_dropped_bundle_against_the_frozen_one(client, tmp_path):
    link = frozen.with_plain_pictures(frozen.frozen())
    data = bytes(permalink_bundle.get_bundle(link).data)
    page = drop(client, data).content.decode()
    assert "every file is as frozen" in page and f"/p/{link.pk}" in page and "as frozen here on" in page
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path / "bundle")
    forge(tmp_path / "bundle" / "figures" / "figure-85mm.pdf")
    adapt_manifest(tmp_path / "bundle")
    page = drop(client, zipped(tmp_path / "bundle")).content.decode()
    assert "differs from what was frozen" in page and "is not the bundle that was frozen here" in page


def it_says_that_a_foreign_bundle_agrees_only_with_itself(client, sealed):
    page = drop(client, zipped(sealed)).content.decode()
    assert "agrees with itself" in page and "Enter the digest that is printed in the paper" in page
    assert "every file is as frozen" in drop(client, zipped(sealed), verify.digest_of(sealed / "manifest.json")).content.decode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "cannot be unpacked"),
        (b"\x89PNG", "cannot be unpacked"),
        (b"PK\x05\x06" + bytes(18), "holds neither record.json nor collection.json"),
    ],
)
def it_says_what_is_no_bundle(client, data, said):
    answer = drop(client, data)
    assert answer.status_code == 400 and said in answer.content.decode()


def it_refuses_paths_out_of_the_folder_and_twice(client, tmp_path):
    for listed in (["../evil.txt", "record.json"], ["record.json", "record.json"], ["/etc/evil", "record.json"]):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name in listed:
                archive.writestr(name, "{}")
        assert drop(client, out.getvalue()).status_code == 400


def it_says_what_is_no_digest(client, sealed):
    answer = drop(client, zipped(sealed), "abc")
    assert answer.status_code == 400 and "is no SHA-256" in answer.content.decode()


# --- bundles that were frozen before there were manifests ---


@pytest.fixture
def old() -> Permalink:
    """A permalink of the first version, with its stored bundle."""
    data = OLD.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        record = archive.read("record.json")
    told = json.loads(record)
    link = Permalink.objects.create(
        id=told["id"],
        digest=verify.sha256(record),
        record=record,
        content="0" * 64,
        title=told["title"],
        owner=making.user("ann"),
        frozen_at=told["frozen_at"],
    )
    stored_files.store_file(link.pk, "bundle.zip", "application/zip", data)
    return link


def it_keeps_an_old_bundle_and_lists_it(client, old):
    digests = manifest.read_digests(old)
    assert digests.cited == digests.record == old.digest and len(digests.bundle) == 64
    assert client.get(f"/p/{old.pk}.zip").content == OLD.read_bytes()
    page = client.get(f"/p/{old.pk}").content.decode()
    assert digests.bundle in page and "frozen before bundles had a manifest" in page
    assert old.digest in client.get(f"/p/{old.pk}.bib").content.decode()
    assert permalink_bundle.check_permalink(old)[0] == []


def it_finds_a_forged_old_bundle(client, old, tmp_path):
    assert "every file is as frozen" in drop(client, OLD.read_bytes()).content.decode()
    with zipfile.ZipFile(OLD) as archive:
        archive.extractall(tmp_path / "bundle")
    for name in ("figures/figure-85mm.pdf", "data.csv", "digest.txt", "checksums.txt"):
        honest = (tmp_path / "bundle" / name).read_bytes()
        forge(tmp_path / "bundle" / name)
        page = drop(client, zipped(tmp_path / "bundle")).content.decode()
        assert f"changed: {name}" in page and "is not the bundle that was frozen here" in page
        (tmp_path / "bundle" / name).write_bytes(honest)


def it_finds_a_stored_bundle_that_was_exchanged(old):
    """As somebody with the database could do, without its triggers."""
    stored = manifest.read_digests(old)
    listed = Rendering(
        of=old.pk, name="manifest.json", data=verify.manifest_bytes(old.digest, {"data.csv": "0" * 64}, []), sha256=""
    )
    problems = manifest.find_differences(old, listed)
    assert stored.bundle and "data.csv is not as the manifest lists it" in problems


# --- workbooks ---


def exchange(path: Path, name: str, change) -> None:
    """Change a part of a workbook."""
    with zipfile.ZipFile(path) as book:
        parts = {part: book.read(part) for part in book.namelist()}
    assert change(parts[name]) != parts[name]
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w") as book:
        for part, data in parts.items():
            book.writestr(part, data)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("xl/worksheets/sheet1.xml", lambda data: re.sub(rb"<v>(\d\d+)\.", rb"<v>9\1.", data, count=1)),
        (
            "xl/worksheets/sheet2.xml",
            lambda data: data.replace(b"</sheetData>", b'<row r="99"><c r="A99"><v>7</v></c></row></sheetData>'),
        ),
        ("xl/worksheets/sheet2.xml", lambda data: data.replace(b"<v>", b"<f>1+1</f><v>", 1)),
        ("xl/sharedStrings.xml", lambda data: data.replace(b"MiB/s", b"GiB/s")),
        ("xl/sharedStrings.xml", lambda data: data.replace(b"<sst", b'<!DOCTYPE s [<!ENTITY a "b">]><sst', 1)),
        ("xl/workbook.xml", lambda data: data.replace(b'name="values"', b'name="other"')),
    ],
)
def it_finds_cells_that_do_not_follow_from_the_record(copy, part, change):
    exchange(copy / "data.xlsx", part, change)
    adapt_manifest(copy)
    code, lines = check(copy)
    assert code == 1 and "changed: data.xlsx has cells that do not follow from the record" in lines


# --- bundles of records of version 2 ---


def it_checks_a_bundle_of_the_version_before(tmp_path, client):
    """With a manifest, and tables of an earlier form: its own verify.py and the page say that it is as it was frozen."""
    with zipfile.ZipFile(OLD.with_name("bundle_version_2.zip")) as archive:
        archive.extractall(tmp_path / "bundle")
    folder = tmp_path / "bundle"
    bundle = verify.digest_of(folder / "manifest.json")
    assert json.loads((folder / "record.json").read_text())["version"] == 2
    done = subprocess.run([sys.executable, "-I", "-S", str(folder / "verify.py"), bundle], capture_output=True, text=True)
    assert done.returncode == 0 and "every file is as frozen" in done.stdout
    data = OLD.with_name("bundle_version_2.zip").read_bytes()
    assert "every file is as frozen" in drop(client, data, bundle).content.decode()
