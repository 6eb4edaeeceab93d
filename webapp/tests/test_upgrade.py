"""The database of the last release with data in it (script/release-data), migrated to this version: what it held is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from webapp.backups import postgres
from webapp.backups.tests.test_restore import place  # noqa: F401 a fixture
from webapp.infrastructure.embedded_postgres import run_cluster
from webapp.tests.serving import ROOT, manage

pytestmark = [pytest.mark.server, pytest.mark.slow]
RELEASE = ROOT / "webapp/tests/releases/0.2.0.dump"
LOOK = """
import json
from django.test import Client
from webapp.models import LogEntry, Permalink
from webapp.storage import consistency
pages = ["/", "/compare", "/archives", "/runs", "/systems", *(f"/p/{pk}" for pk in Permalink.objects.values_list("pk", flat=True))]
answers = {page: Client(headers={"host": "localhost"}).get(page).status_code for page in pages}
print(json.dumps({
    "answers": answers,
    "problems": [*consistency.find_summary_problems(), *consistency.find_problems()],
    "logged": dict(LogEntry.objects.filter(kind="freeze").values_list("subject", "sha256")),
}))
"""
HELD = {
    "archives": "SELECT id, sha256, name, owner_id, state, measurements, published_at FROM webapp_archive ORDER BY id",
    "measurements": "SELECT id, metric_id, value, raw FROM webapp_measurement ORDER BY id",
    "permalinks": "SELECT id, digest, md5(record::text) FROM webapp_permalink ORDER BY id",
    "accounts": "SELECT id, username FROM auth_user ORDER BY id",
}


@pytest.fixture
def url(place) -> Iterator[str]:  # noqa: F811
    with run_cluster(place / "server") as address:
        env = {"PGDATABASE": address}
        postgres.load_dump(RELEASE, 18, 18, env)
        yield address


def read(url: str) -> dict[str, list]:
    with psycopg.connect(url) as connection:
        return {what: connection.execute(query).fetchall() for what, query in HELD.items()}


def it_keeps_what_the_last_release_held(url: str, place: Path):  # noqa: F811
    before = read(url)
    assert len(before["measurements"]) > 100 and len(before["archives"]) == 3 and before["permalinks"]
    ended = manage(place / "data", "prepare", DATABASE_URL=url)
    assert ended.returncode == 0, ended.stderr
    assert "Migrating the database" in ended.stdout and "does not answer until it is done" in ended.stdout
    assert read(url) == before
    ended = manage(place / "data", "shell", "--no-imports", "-c", LOOK, DATABASE_URL=url)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    assert set(found["answers"].values()) == {200}, found["answers"]
    assert found["problems"] == []
    assert found["logged"] == {f"p/{pk}": digest for pk, digest, _ in before["permalinks"]}
    again = manage(place / "data", "prepare", DATABASE_URL=url)
    assert again.returncode == 0 and "Migrating" not in again.stdout
