"""The page of the public data, and its files."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import duckdb
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db.models import Sum

from webapp.bulk import editions, parts, whole
from webapp.files import stores
from webapp.jobs import tasks
from webapp.models import Archive, Measurement, PublicData
from webapp.tests import samples

DOCUMENT = Path(settings.BASE_DIR) / "docs" / "data.md"


@pytest.fixture
def sent(db, monkeypatch):
    """Dates that were given to the worker; nothing is made by itself."""
    dates: list[str] = []
    monkeypatch.setattr(tasks.make_public_data, "delay", dates.append)
    return dates


@pytest.fixture
def archive(db):
    samples.received(samples.tar({"secret.txt": samples.dd(9.5)}), "secret.tar", public=False)
    return samples.received(samples.tar({"a.txt": samples.dd(2.5, 3.5)}))


def made(client, sent, callbacks) -> str:
    """The date of an edition that somebody asked for and the worker made."""
    with callbacks(execute=True):
        client.get("/data")
    tasks.make_public_data(sent[-1])
    return sent[-1]


def content(response) -> bytes:
    return b"".join(response) if response.streaming else response.content


@pytest.mark.django_db
def test_home_status_and_data_name_the_same_numbers(client, archive, sent, django_capture_on_commit_callbacks):
    samples.received(samples.tar({"copy.txt": samples.dd(2.5, 3.5), "b.txt": samples.dd(4.5)}), "copy.tar", owner="bo")
    made(client, sent, django_capture_on_commit_callbacks)
    counted = r"(\d+) measurements, of which (\d+) are drawn"
    found = {page: re.findall(counted, re.sub("<[^>]+>", "", client.get(page).text)) for page in ("/", "/status", "/data")}
    every = Archive.objects.filter(published_at__isnull=False).aggregate(n=Sum("measurements"))["n"]
    drawn = Measurement.objects.filter(counted=True, run__archive__published_at__isnull=False).count()
    assert 0 < drawn < every and list(found.values()) == 3 * [[(str(every), str(drawn))]]


@pytest.mark.django_db
def test_the_first_look_has_it_made_by_the_worker(client, archive, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first = client.get("/data")
    assert "is being made" in first.text and 'hx-trigger="every 2s"' in first.text and len(sent) == 1
    PublicData.objects.update(done=10, total=40)
    polled = client.get("/data", headers={"HX-Request": "true"})
    assert "10 of 40 values" in polled.text and "<html" not in polled.text and len(sent) == 1
    tasks.make_public_data(sent[0])
    assert client.get("/data", headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    page = client.get("/data").text
    assert "4 of 1 archive," in page and "is being made" not in page and len(sent) == 1
    for name in ("datapackage.json", "archives.csv", "SHA256SUMS", f"measurements-{archive.pk}-{archive.pk}.parquet"):
        assert f"/data/{sent[0]}/{name}" in page


@pytest.mark.django_db
def test_every_file_has_the_digest_that_is_listed(client, archive, sent, tmp_path, django_capture_on_commit_callbacks):
    day = made(client, sent, django_capture_on_commit_callbacks)
    sums = client.get(f"/data/{day}/SHA256SUMS").text.splitlines()
    assert len(sums) == 5
    for line in sums:
        digest, name = line.split("  ")
        response = client.get(f"/data/{day}/{name}")
        data = content(response)
        assert response.status_code == 200 and hashlib.sha256(data).hexdigest() == digest, name
        assert b"secret" not in data
        (tmp_path / name).write_bytes(data)
        assert client.get(f"/data/latest/{name}").url == f"/data/{day}/{name}"
    _validate(tmp_path)


FORMS = ["parquet", "csv", "jsonl", "archives"]


def _validate(folder: Path) -> None:
    """By frictionless: the description itself, and each table of CSV."""
    import frictionless

    package = frictionless.Package.from_descriptor(json.loads((folder / "datapackage.json").read_text()), basepath=str(folder))
    assert sorted(resource.name.rsplit("-", 1)[-1] for resource in package.resources) == sorted(FORMS)
    for resource in package.resources:
        if resource.format != "csv":  # frictionless needs further packages for these: DuckDB reads them
            columns = [row[0] for row in duckdb.sql(f"DESCRIBE FROM '{folder / resource.path}'").fetchall()]
            assert columns == [field.name for field in resource.schema.fields]
            continue
        report = resource.validate()
        assert report.valid and report.stats["warnings"] == 0, report.flatten(["type", "note", "message"])[:5]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "cut"),
    [
        ("bytes=0-9", slice(0, 10)),
        ("bytes=10-", slice(10, None)),
        ("bytes=-8", slice(-8, None)),
        ("bytes=5-99999999", slice(5, None)),
        ("bytes=0-1,4-5", None),
        ("bytes=5-3", None),
        ("bytes=-", None),
        (f"bytes={'9' * 5000}-", None),
        ("lines=1-2", None),
    ],
)
def test_a_range_of_a_file(client, archive, sent, django_capture_on_commit_callbacks, asked, cut):
    day = made(client, sent, django_capture_on_commit_callbacks)
    address = f"/data/{day}/measurements-{archive.pk}-{archive.pk}.parquet"
    response = client.get(address)
    whole = content(response)
    part = client.get(address, headers={"Range": asked})
    data = content(part)
    assert data == (whole if cut is None else whole[cut]) and part.status_code == (200 if cut is None else 206)
    if cut is not None:
        start = len(whole) - len(data) if cut.start < 0 else cut.start
        assert part["Content-Range"] == f"bytes {start}-{start + len(data) - 1}/{len(whole)}" and part["Content-Length"] == str(
            len(data)
        )
    assert content(client.get(address, headers={"Range": asked, "If-Range": '"other"'})) == whole
    assert client.get(address, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


@pytest.mark.django_db
def test_what_is_not_there_is_not_found(client, archive, sent, django_capture_on_commit_callbacks):
    assert client.get("/data/latest/SHA256SUMS").status_code == 404
    day = made(client, sent, django_capture_on_commit_callbacks)
    for address in (f"/data/{day}/none", "/data/1999-01-01/SHA256SUMS", "/data/none/SHA256SUMS"):
        assert client.get(address).status_code == 404, address
    edition = PublicData.objects.get()
    stores.delete(parts.key_of(edition.parts[0]["files"]["csv"]))
    assert client.get(f"/data/{day}/measurements-{archive.pk}-{archive.pk}.csv.gz").status_code == 404


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


@pytest.mark.usefixtures("archive")
def test_the_examples_of_the_document_run(client, sent, tmp_path, monkeypatch, capsys, django_capture_on_commit_callbacks):
    day = made(client, sent, django_capture_on_commit_callbacks)
    for line in client.get(f"/data/{day}/SHA256SUMS").text.splitlines():
        name = line.split("  ")[1]
        (tmp_path / name).write_bytes(content(client.get(f"/data/{day}/{name}")))
    monkeypatch.chdir(tmp_path)
    by_metric, by_licence = (duckdb.sql(block).fetchall() for block in blocks("sql"))
    assert {row[0] for row in by_metric} == {"write.throughput", "write.elapsed"}
    assert sum(row[-2] for row in by_metric) == sum(row[-1] for row in by_licence) == 4
    exec(blocks("python")[0], {})
    assert capsys.readouterr().out.count("\n") == 1
    assert all(len(blocks(language)) == 1 for language in ("pandas", "r", "spark"))


LATEST = [f"/data/latest/{name}" for name in whole.NAMES]


@pytest.mark.django_db
@pytest.mark.parametrize("address", LATEST)
def test_stable_names_are_whole_files(client, archive, sent, tmp_path, django_capture_on_commit_callbacks, address):
    """Without anything public, while the first edition is made, and from then on."""
    archive.delete()
    empty = client.get(address)
    assert empty.status_code == 200 and _count(content(empty), tmp_path / address.rsplit("/")[-1]) == 0
    samples.received(samples.tar({"b.txt": samples.dd(2.5, 3.5)}))
    samples.received(samples.tar({"c.txt": samples.dd(4.5)}))
    with django_capture_on_commit_callbacks(execute=True):
        waiting = client.get(address)
    assert waiting.status_code == 503 and waiting["Retry-After"] and len(sent) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editions, "PART_VALUES", 1)
        tasks.make_public_data(sent[0])
    whole_file = client.get(address)
    data = content(whole_file)
    assert whole_file.status_code == 200 and _count(data, tmp_path / address.rsplit("/")[-1]) > 0
    tag = whole_file["ETag"]
    part = client.get(address, headers={"Range": "bytes=2-5", "If-Range": tag})
    assert part.status_code == 206 and content(part) == data[2:6]
    assert b"secret" not in data


def _count(data: bytes, path: Path) -> int:
    path.write_bytes(data)
    read = {".parquet": "parquet", ".csv.gz": "csv", ".jsonl.gz": "json"}["".join(path.suffixes)]
    if read == "json" and not gzip.decompress(data):
        return 0
    return duckdb.execute(f"SELECT count(*) FROM read_{read}('{path}')").fetchone()[0]


@pytest.mark.django_db
def test_whole_files_that_are_missing_are_made(client, archive, sent, monkeypatch, django_capture_on_commit_callbacks):
    made(client, sent, django_capture_on_commit_callbacks)
    PublicData.objects.update(whole={})
    asked = []
    monkeypatch.setattr(tasks.sweep_public_data, "delay", lambda: asked.append(1))
    cache.clear()
    assert client.get(LATEST[0]).status_code == 503 and asked == [1]
    tasks.sweep_public_data()
    assert client.get(LATEST[0]).status_code == 200
