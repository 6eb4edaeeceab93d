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
    assert "is the output of a known tool" not in ann.get(reverse("archive", args=[archive.pk])).text
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


TABLE = b"# NAS\n\n| FS | write | read |\n|---|---|---|\n| ext4 | 512 MB/s | 601 MB/s |\n| xfs | 401 MB/s | 702 MB/s |\n"


def test_a_handmade_table_is_taken_by_a_form_that_proposes_what_its_columns_are(ann):
    archive = samples.received(samples.tar({"a/notes.md": TABLE, "a/dd.txt": samples.dd(2.5)}), public=False)
    before = Run.objects.filter(archive=archive).count()
    note = archive.notes.get(code="by-hand")
    link = f"{at('table', archive)}?note={note.pk}"
    assert link in ann.get(reverse("archive", args=[archive.pk])).text
    form = ann.get(link).text
    for filled in ("config.fs.type", "write.throughput", "read.throughput", "MB/s"):
        assert f'value="{filled}"' in form
    assert link in ann.get(at("review", archive)).text and "Left out, for you to decide" in ann.get(at("review", archive)).text
    nothing = {"note": note.pk, "tool": "", "column": ["config.fs.type", "", "nonsense"], "unit": ["", "MB/s", ""]}
    assert "Say of at least one column" in ann.post(at("take", archive), nothing, follow=True).text
    assert not Statement.objects.exists()
    posted = {"note": note.pk, "tool": "dd\0", "column": ["config.fs.type", "write.throughput", ""], "unit": ["", "MiB/s", "MB/s"]}
    assert "Taken as results" in ann.post(at("take", archive), posted, follow=True).text
    tasks.ingest_archive(archive.pk)
    runs = Run.objects.filter(archive=archive, file__path="a/notes.md")
    assert sorted((run.first_line, run.tool) for run in runs) == [("5", "dd"), ("6", "dd")]
    assert not archive.notes.filter(code="by-hand").exists()
    stated = Statement.objects.get()
    assert stated.value == {"tool": "dd", "columns": ["config.fs.type", "write.throughput MiB/s", ""]}
    ann.post(at("undo", archive, stated.pk))
    tasks.ingest_archive(archive.pk)
    assert Run.objects.filter(archive=archive).count() == before and archive.notes.filter(code="by-hand").count() == 1


def test_the_form_is_the_owners_and_of_tables_alone(ann, client):
    archive = quoting()
    quoted = archive.notes.filter(code="quoted").first().pk
    for note in ("", "x", quoted):
        assert "check its warnings once more" in ann.get(f"{at('table', archive)}?note={note}", follow=True).text
    client.force_login(making.user("bob"))
    assert client.get(f"{at('table', archive)}?note={quoted}").status_code == 404


MACHINES = [
    (b"machine,bw\nalpha,100\nbeta,220\ngamma,330\n", ("config.host", "write.throughput"), ("", "MB/s")),
    (b"bw;box\n100;alpha\n220;beta\n330;gamma\n", ("write.throughput", "config.host"), ("MiB/s", "")),
    (
        b"Node\tBandwidth\tRuns\nalpha\t100\t3\nbeta\t220\t3\ngamma\t330\t3\n",
        ("config.host", "read.throughput", ""),
        ("", "MB/s", ""),
    ),
    (
        b"| server | IOPS |\n|---|---|\n| alpha | 100 |\n| beta | 220 |\n| gamma | 330 |\n",
        ("config.host", "random_read.rate"),
        ("", "IOPS"),
    ),
]


@pytest.mark.parametrize(("table", "column", "unit"), MACHINES)
def test_each_machine_of_a_table_of_ones_own_is_a_system(ann, table, column, unit):
    archive = samples.received(samples.tar({"a/bw.csv": table, "a/dd.txt": samples.dd(2.5)}), public=False)
    note = archive.notes.get(code="by-hand")
    assert ann.get(f"{at('table', archive)}?note={note.pk}").status_code == 200
    assert "Taken as results" in ann.post(at("take", archive), {"note": note.pk, "column": column, "unit": unit}, follow=True).text
    tasks.ingest_archive(archive.pk)
    runs = Run.objects.filter(archive=archive, file__path="a/bw.csv").select_related("configuration__system")
    assert sorted(run.configuration.system.host for run in runs) == ["alpha", "beta", "gamma"]
    listed = [row["name"] for row in ann.get("/systems.json").json()["systems"]]
    assert {"alpha", "beta", "gamma"} <= {*listed}
    for run in runs:
        assert f"{run.configuration.host}</h1>" in ann.get(reverse("system", args=[run.configuration.system_id])).text
