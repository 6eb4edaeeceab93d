"""A hundred bundles as they were frozen before there were manifests: each still verifies as what it is.

`old_permalinks.tar.xz` holds their files, as the code of that time made them: comparisons and archives, of one to ten
values, with one or two archives, public and private, and with titles and authors that need escaping. Pictures are a few bytes each.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.models import Permalink
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import manifest, permalink_bundle, verify
from webapp.tests import making

pytestmark = pytest.mark.django_db
OLD = Path(__file__).parent / "old_permalinks.tar.xz"


@cache
def bundles() -> dict[str, dict[str, bytes]]:
    """Number of each bundle -> path -> bytes."""
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(OLD) as archive:
        for member in archive:
            number, _, path = member.name.partition("/")
            found.setdefault(number, {})[path] = archive.extractfile(member).read()
    return found


def write(files: dict[str, bytes], folder: Path) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def store(files: dict[str, bytes]) -> Permalink:
    """The permalink with its stored bundle, as a database of that time has it."""
    record = files["record.json"]
    told = json.loads(record)
    link = Permalink.objects.create(
        id=told["id"],
        digest=verify.sha256(record),
        record=record,
        content=verify.sha256(record),
        title=told["title"],
        owner=making.user("ann"),
        frozen_at=told["frozen_at"],
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 24, 4, 0, 0)), files[name])
    stored_files.store_file(link.pk, "bundle.zip", "application/zip", out.getvalue())
    return link


def it_has_a_hundred_of_every_kind():
    records = [json.loads(files["record.json"]) for files in bundles().values()]
    assert len(records) == 100 and {record["kind"] for record in records} == {"comparison", "archive"}
    assert not any("manifest.json" in files for files in bundles().values())


def it_verifies_each_as_what_it_is(tmp_path):
    """By today's check, with the manifest that the server keeps beside it: 0 with that manifest's digest, 4 with the record's
    alone, 3 without one, 1 with another or with any changed value."""
    for number, files in bundles().items():
        link = store(files)
        digests = manifest.read_digests(link)
        assert digests.cited == link.digest == files["digest.txt"].decode().split()[0] and not digests.is_bundle_cited
        assert permalink_bundle.check_permalink(link)[0] == []
        folder = write(files, tmp_path / number)
        (folder / "manifest.json").write_bytes(bytes(stored_files.find_file(link.pk, "manifest.json").data))
        for digest, code in ((digests.bundle, 0), (link.digest, 4), ("", 3), ("0" * 64, 1)):
            problems, found, sentence = verify.check_bundle(str(folder), digest)
            count = len(json.loads(files["record.json"])["values"])
            assert found == code and f"{count} values" in sentence, (number, problems)
        csv = folder / "data.csv"
        csv.write_bytes(csv.read_bytes().replace(b"copied", b"copiad", 1) + b"1\r\n")
        assert "changed: data.csv" in verify.check_bundle(str(folder), digests.bundle)[0]


def it_answers_for_some_of_them_under_every_address(client):
    for number in ("00", "33", "34", "66", "99"):
        link = store(bundles()[number])
        for ending in (
            "",
            ".json",
            ".zip",
            ".bib",
            ".ris",
            ".csl",
            "/embed",
            "/history",
            "/datacite.xml",
            "/cite/citation.txt",
        ):
            assert client.get(f"/p/{link.pk}{ending}").status_code == 200, (number, ending)
        assert link.digest in client.get(f"/p/{link.pk}.bib").content.decode()
        data = client.get(f"/p/{link.pk}.zip").content
        page = client.post("/verify", {"bundle": SimpleUploadedFile("x.zip", data), "digest": ""}).content.decode()
        assert "every file is as frozen" in page
        page = client.post("/verify", {"bundle": SimpleUploadedFile("x.zip", data), "digest": link.digest}).content.decode()
        assert "pictures, tables and citation are not covered" in page
