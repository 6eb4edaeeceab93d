"""Warnings about what was left out: one button takes it, and that can be undone."""

from __future__ import annotations

import pytest
from django.urls import reverse

from ingest.records import TAKE
from webapp.jobs import tasks
from webapp.models import Run, Statement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

README = b"# fsbench\n\nYou should see something like:\n\n```\n" + samples.dd(2.5).split(b"\n", 3)[3] + b"```\n"


def at(name, archive, *more):
    return reverse(f"archive-{name}", args=[archive.pk, *more])


def quoting():
    return samples.received(samples.tar({"a/README.md": README, "a/b.md": README.replace(b"fsbench", b"other")}), public=False)


def test_a_quotation_is_taken_by_the_button_beside_its_warning_and_left_out_again(ann):
    archive = quoting()
    assert not Run.objects.filter(archive=archive).exists()
    note = archive.notes.filter(code="quoted").order_by("id").first()
    for page in (reverse("archive", args=[archive.pk]), at("notes", archive, "quoted")):
        assert f'name="note" value="{note.pk}"' in ann.get(page).text
    answer = ann.post(at("take", archive), {"note": note.pk}, follow=True)
    assert "Taken as results" in answer.text and f"{note.path}:{note.line}" in answer.text
    tasks.ingest_archive(archive.pk)
    assert [run.file.path for run in Run.objects.filter(archive=archive)] == [note.path]
    assert [one.path for one in archive.notes.filter(code="quoted")] == ["a/b.md"]
    stated = Statement.objects.get()
    assert (stated.key, stated.value, stated.lines) == (TAKE, "quoted", [int(note.line)])
    assert "is left out again" in ann.post(at("undo", archive, stated.pk), follow=True).text
    tasks.ingest_archive(archive.pk)
    assert not Run.objects.filter(archive=archive).exists() and archive.notes.filter(code="quoted").count() == 2


def test_what_was_read_again_or_cannot_be_taken_changes_nothing(ann):
    archive = samples.received(samples.tar({"a/1.txt": b"dd: cannot open\n", "a/README.md": README}), public=False)
    for note in ("", "x", "999999999", *archive.notes.exclude(code="quoted").values_list("pk", flat=True)):
        assert "check its warnings once more" in ann.post(at("take", archive), {"note": note}, follow=True).text
    assert not Statement.objects.exists()


def test_only_the_owner_takes(client):
    archive = quoting()
    note = archive.notes.filter(code="quoted").first().pk
    client.force_login(making.user("bob"))
    assert client.post(at("take", archive), {"note": note}).status_code == 404
    assert client.get(at("take", archive)).status_code == 405
    assert not Statement.objects.exists()
