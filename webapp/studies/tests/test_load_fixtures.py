"""A start reads the studies that are new or changed, and no other."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.management.commands import load_fixtures
from webapp.models import Archive, StudyFigure
from webapp.permalinks import record
from webapp.storage import load as storing
from webapp.studies import registry
from webapp.tests import making

MANIFEST = 'title = "A sweep"\nstudy = "sweep"\n'
RUN = "fs=zfs compression=off\n1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {seconds} s, 1.0 GB/s\n"


@pytest.fixture
def library(db, tmp_path, settings, monkeypatch):
    """A folder fixtures/ with one study of one file and one comparison."""
    settings.BASE_DIR = tmp_path
    settings.POOLMARK_DATA = tmp_path / "data"
    folder = tmp_path / "fixtures" / "sweep"
    folder.mkdir(parents=True)
    (folder / "poolmark.toml").write_text(MANIFEST)
    (folder / "dd.txt").write_text(RUN.format(seconds=1))
    told = registry.Study("sweep", "About it.", (registry.StudyLink("Speed", "metric=transfer.throughput&study=sweep"),))
    monkeypatch.setattr(registry, "shipped_studies", lambda: {"sweep": told})
    monkeypatch.setattr(registry, "comparisons_across", lambda: ())
    return folder


def load() -> str:
    out = StringIO()
    call_command("load_fixtures", stdout=out)
    return out.getvalue()


def values() -> list[str]:
    """Rows of the export."""
    out = StringIO()
    call_command("export", format="csv", stdout=out, stderr=StringIO())
    return [line for line in out.getvalue().splitlines() if "throughput" in line]


def it_reads_an_unchanged_folder_once(library):
    assert "Loading 1 published study ... done\n" in load()
    library.joinpath("dd.txt").touch()
    assert load() == ""
    assert Archive.objects.count() == 1


def it_reads_a_changed_folder_again_in_place_of_the_old(library, client):
    load()
    frozen = StudyFigure.objects.get().permalink_id
    before = client.get(f"/p/{frozen}.json").content
    assert b"1073741824" in before
    (library / "dd.txt").write_text(RUN.format(seconds=2))
    assert "Loading 1 published study ... done\n" in load()
    old, new = Archive.objects.order_by("pk")
    assert old.withdrawn_at and f"archive {new.pk}" in old.withdrawn_reason
    assert len(values()) == 1 and "536870912" in values()[0]
    assert StudyFigure.objects.get().permalink_id != frozen
    assert client.get(f"/p/{frozen}.json").content == before
    assert client.get("/studies/sweep").status_code == 200 and load() == ""


def it_takes_the_old_one_back_where_the_change_is_undone(library):
    load()
    (library / "dd.txt").write_text(RUN.format(seconds=2))
    load()
    (library / "dd.txt").write_text(RUN.format(seconds=1))
    assert "Loading 1 published study ... done\n" in load()
    old, new = Archive.objects.order_by("pk")
    assert new.withdrawn_at and not old.withdrawn_at
    assert len(values()) == 1 and "1073741824" in values()[0] and load() == ""


def it_leaves_a_study_alone_that_was_withdrawn_by_hand(library):
    load()
    storing.withdraw(Archive.objects.get().pk, "Measured on a broken disk.")
    assert load() == "" and Archive.objects.get().withdrawn_at


def it_accepts_what_it_reads_and_leaves_alone_what_was_revoked(library):
    load()
    archive = Archive.objects.get()
    assert archive.is_accepted and archive.accepted_reason == "Shipped with Poolmark." and archive.accepted_by is None
    lifecycle.perform_action(archive.pk, "revoke-acceptance", audit.command_line_actor(), "A doubt.")
    load()
    assert not Archive.objects.get().is_accepted
    (library / "dd.txt").write_text(RUN.format(seconds=2))
    load()
    assert [archive.is_accepted for archive in Archive.objects.order_by("pk")] == [False, True]


def it_accepts_studies_that_an_earlier_version_has_read(library):
    load()
    Archive.objects.update(accepted_at=None)
    with connection.cursor() as cursor:  # the log refuses to be changed
        cursor.execute("ALTER TABLE webapp_auditentry DISABLE TRIGGER USER")
        cursor.execute("DELETE FROM webapp_auditentry WHERE action = 'accept'")
    load()
    assert Archive.objects.get().is_accepted


def it_accepts_nothing_else(library):
    load()
    other = making.archive(owner=load_fixtures.LIBRARY, public=True, records=making.file_records("a", "a", [1e8]))
    Archive.objects.filter(pk=other.pk).update(study="sweep")
    load()
    assert list(Archive.objects.accepted().values_list("pk", flat=True)) == [Archive.objects.exclude(pk=other.pk).get().pk]


def it_freezes_the_studies_under_the_public_address(library, settings, client):
    """First under the address that the server prints, as a local version; a public origin makes the next version."""
    settings.LOCAL_ORIGIN = "http://127.0.0.1:8000"
    load()
    local = StudyFigure.objects.get().permalink_id
    assert client.get(f"/p/{local}.json").json()["address"] == f"http://127.0.0.1:8000/p/{local}"
    assert "Local instance, not a public address" in client.get(f"/p/{local}.bib").content.decode()
    settings.PUBLIC_ORIGIN = "https://bench.example.org"
    load()
    name = StudyFigure.objects.get().permalink_id
    assert client.get(f"/p/{name}.json").json()["address"] == f"https://bench.example.org/p/{name}"
    assert f"/p/{name}" in client.get(f"/p/{local}").content.decode() and f"/p/{local}" in client.get(f"/p/{name}").content.decode()
    load()
    assert StudyFigure.objects.get().permalink_id == name


def it_freezes_anew_what_was_frozen_before_records_named_a_design(library, client, monkeypatch):
    """The study shows the new permalink; the old one stays, to the byte."""
    with monkeypatch.context() as patch:
        patch.setattr(record, "build_permalink_record", without_design(record.build_permalink_record))
        load()
    old = StudyFigure.objects.get().permalink
    before = client.get(f"/p/{old.pk}.json").content
    assert "design" not in json.loads(before)
    assert "Drawing their figures ... 1 frozen\n" in load()
    new = StudyFigure.objects.get().permalink
    assert new.pk != old.pk and "design" in client.get(f"/p/{new.pk}.json").json()
    assert client.get(f"/p/{old.pk}.json").content == before
    assert load() == ""


def without_design(build):
    """The function with the design removed from the record that it makes."""

    def build_without(*args, **options):
        built = build(*args, **options)
        del built["design"]
        return built

    return build_without


def it_freezes_nothing_of_strangers_between_the_studies(library, client, monkeypatch):
    making.archive(records=making.file_records("dd.csv", "x", [9e8], metric="transfer.throughput", tool="dd"), public=True)
    monkeypatch.setattr(
        registry, "comparisons_across", lambda: (registry.StudyLink("Between", "metric=transfer.throughput&x=compression"),)
    )
    load()
    frozen = StudyFigure.objects.get(study="").permalink_id
    frozen_record = client.get(f"/p/{frozen}.json").json()
    assert [archive["title"] for archive in frozen_record["archives"].values()] == ["A sweep"]


def test_a_study_that_is_blocked_does_not_stop_the_start(library):
    """Else no server would come up again after staff had deleted and blocked one."""
    lifecycle.block_bytes(load_fixtures.folder_digest(library), "No longer.", audit.command_line_actor())
    out = StringIO()
    call_command("load_fixtures", stdout=out)
    assert not Archive.objects.exists() and "sweep: This archive is blocked: No longer." in out.getvalue()
