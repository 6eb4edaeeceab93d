"""Pages of a site whose bytes are in a bucket that does not answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.core.cache import cache

from ingest.tests.samples import FOLDER
from webapp.files import blobs
from webapp.files.addresses import file_address
from webapp.files.tests.buckets import bucket, s3_server  # noqa: F401 fixtures
from webapp.tests import samples

pytestmark = pytest.mark.django_db


def test_what_needs_the_bytes_says_when_to_try_again_and_the_rest_answers(client, bucket, settings, monkeypatch):  # noqa: F811
    named = "run/a\nb.txt"  # by a digest in its address
    sheet = (FOLDER / "iozone" / "spreadsheet-biff2.xls").read_bytes()
    files = {"run/dd.txt": samples.dd(2.5), named: samples.dd(3), "run/sheet.xls": sheet}
    archive = samples.received(samples.tar(files), public=True)
    raw = [f"/archives/{archive.pk}/raw/run/{name}" for name in ("dd.txt", "dd.txt?from=2", "sheet.xls", "sheet.xls?after=1")]
    raw.append(file_address(archive.pk, named))
    assert "?name=" in raw[-1] and [client.get(address).status_code for address in raw] == [200] * len(raw)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")  # the port that throws away, where nobody listens
    settings.POOLMARK_STORE = f"s3://{bucket.name}/away"
    assert bucket.keys() == [f"site/{blobs.key(archive.sha256)}"]
    shutil.rmtree(Path(settings.POOLMARK_DATA) / "cache" / "store", ignore_errors=True)  # what this host has of the bucket
    client.raise_request_exception = False
    cache.clear()  # of pages
    for are_lines_cached in (True, False):
        if not are_lines_cached:
            shutil.rmtree(Path(settings.POOLMARK_DATA) / "cache" / "raw")
        for address in (*raw, f"/archives/{archive.pk}/download"):
            answer = client.get(address)
            assert (answer.status_code, answer.get("Retry-After")) == (503, "30"), address
            assert "The storage of this site cannot be used" in answer.text
            answer = client.head(address)
            assert (answer.status_code, answer.get("Retry-After")) == (503, "30"), address
    for address in ("/", "/compare", f"/archives/{archive.pk}", f"/runs?archive={archive.pk}"):
        assert client.get(address).status_code == 200, address
    ready = client.get("/readyz")
    assert ready.status_code == 503 and "does not answer" in ready.json()["checks"]["store"]
