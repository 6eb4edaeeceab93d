"""What docs/reliability.md promises has tests, and those of its promises that are tried nowhere else."""

from __future__ import annotations

import ast
import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs.reconciler import find_unread_archives
from webapp.models import Archive
from webapp.tests import making, samples

ROOT = Path(__file__).resolve().parents[2]
ROWS = [line for line in (ROOT / "docs" / "reliability.md").read_text().splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:42])
def it_has_a_test_for_every_promise(row):
    named = re.findall(r"`((?:webapp|ingest)/\S+\.py)::(\w+)`", row.rsplit(" | ", 1)[1])
    assert named, f"docs/reliability.md names no test of {row[:60]!r}"
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text())
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, f"{path} has no {name}"


@pytest.mark.django_db
def it_has_the_bytes_on_disk_before_the_row(monkeypatch):
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), fsync(handle))[1])
    incoming = blobs.write_incoming([samples.dd(2.5)])
    number = incoming.file.stat().st_ino
    create = Archive.objects.create

    def after_the_bytes(**fields):
        path = blobs.path(fields["sha256"])
        assert path.read_bytes() == samples.dd(2.5)
        assert number in synced and path.parent.stat().st_ino in synced  # the bytes, and the name under which they stand
        return create(**fields)

    monkeypatch.setattr(Archive.objects, "create", after_the_bytes)
    assert upload.receive(incoming, making.user("ann"), "dd.txt", send=lambda pk: None)[1]


@pytest.mark.django_db(transaction=True)
def it_takes_an_upload_that_the_queue_does_not():
    def fail(pk):
        raise ConnectionError("the queue does not answer")

    archive, is_new = upload.receive(blobs.write_incoming([samples.dd(2.5)]), making.user("ann"), "dd.txt", send=fail)
    assert is_new and Archive.objects.get().state == "received"
    assert find_unread_archives(timedelta(0)) == [archive.pk]
