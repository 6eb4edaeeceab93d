"""The capture kit is served as it stands in the checkout, with its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from django.conf import settings

KIT = Path(settings.BASE_DIR) / "client" / "poolmark-capture.sh"


@pytest.mark.django_db
def test_the_kit_and_its_digest(client):
    digest = hashlib.sha256(KIT.read_bytes()).hexdigest()
    answer = client.get("/poolmark-capture.sh")
    assert (answer.status_code, answer.content) == (200, KIT.read_bytes())
    assert answer["Content-Type"].startswith("text/x-shellscript") and "poolmark-capture.sh" in answer["Content-Disposition"]
    assert client.get("/poolmark-capture.sh.sha256").content.decode() == f"{digest}  poolmark-capture.sh\n"


@pytest.mark.django_db
def test_the_upload_page_shows_the_digest_and_how_to_run_it(ann):
    page = ann.get("/upload").content.decode()
    assert hashlib.sha256(KIT.read_bytes()).hexdigest() in page
    assert "curl -O http://testserver/poolmark-capture.sh" in page


@pytest.mark.parametrize("address", ["/poolmark-capture.sh", "/poolmark-capture.sh.sha256"])
@pytest.mark.django_db
def test_it_takes_no_posts(client, address):
    assert client.post(address).status_code == 405
