"""`ingest --distribute`: what is handed over, and what the command says of it."""

from __future__ import annotations

import errno
import os
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from webapp.files import blobs
from webapp.jobs import distribution, tasks
from webapp.models import Archive
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    """A folder of two files, and workers that read at once."""
    monkeypatch.setattr(distribution, "send_archive", tasks.ingest_archive)
    place = tmp_path / "catalogue"
    (place / "b").mkdir(parents=True)
    (place / "a.txt").write_bytes(samples.dd(2.5))
    (place / "b" / "c.txt").write_bytes(samples.dd(3))
    return place


def distribute(place, *options: str) -> list[str]:
    out = StringIO()
    call_command("ingest", "--distribute", str(place), *options, stdout=out, stderr=StringIO())
    return out.getvalue().splitlines()


def it_says_which_archives_are_new(catalogue):
    (catalogue / "again.txt").write_bytes(samples.dd(2.5))
    told, first, again, other = distribute(catalogue)
    assert told == "3 archives are handed over to the workers"
    assert first.startswith("a.txt: archive ") and other.startswith("c.txt: archive ")
    assert again.startswith("a.txt: already uploaded, archive ")
    (catalogue / "d.txt").write_bytes(samples.dd(4))
    _, *lines = distribute(catalogue)
    assert [line.partition(", archive")[0] for line in lines[:3]] == [
        "a.txt: already uploaded",
        "a.txt: already uploaded",
        "c.txt: already uploaded",
    ]
    assert lines[3].startswith("d.txt: archive ") and Archive.objects.count() == 3


def it_does_not_wait_for_those_that_were_deleted(catalogue):
    sent = [outcome for _, outcome in distribution.send(str(catalogue), making.user(), None)]
    Archive.objects.filter(pk=sent[0].archive_id).delete()
    assert [(archive.pk, is_new) for archive, is_new in distribution.wait(sent)] == [(sent[1].archive_id, True)]


@pytest.mark.parametrize("way", ["distribute", "paths"])
def it_ends_with_a_sentence_where_the_disk_is_full(catalogue, monkeypatch, way):
    sync, synced = os.fsync, []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) > 3:  # the first one, the same where it lies, and its folder
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match=r"incoming has no space left\. 1 .*started again, it goes on"):
        if way == "distribute":
            distribute(catalogue)
        else:
            call_command("ingest", str(catalogue / "a.txt"), str(catalogue / "b" / "c.txt"), "--jobs", "1", stdout=StringIO())
    assert Archive.objects.count() == 1 and [path for path in (blobs.folder() / "incoming").iterdir() if path.is_file()] == []


def it_says_that_there_is_no_such_folder(tmp_path):
    with pytest.raises(CommandError, match=f"There is no folder {tmp_path}/none"):
        distribute(tmp_path / "none")
