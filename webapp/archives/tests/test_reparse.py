"""`manage.py reread`: which archives, and what it says of what changed."""

from __future__ import annotations

import hashlib
import io

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.urls import reverse

import ingest
from webapp.archives import reparse
from webapp.jobs import rereading, tasks
from webapp.models import Archive, BulkReread, Configuration, ConfigurationMove, File, Measurement, Rereading, Run, Summary
from webapp.storage import batch, consistency, summary_writer
from webapp.storage.archive_transaction import ArchiveTransaction
from webapp.tests import samples

pytestmark = pytest.mark.django_db


def reread(*args) -> str:
    out = io.StringIO()
    call_command("reread", *args, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def archive():
    return samples.received(samples.tar({"a.txt": samples.dd(2.5, 3), "b.txt": samples.dd(4)}))


def test_nothing_changes_when_nothing_changed(archive):
    before = summary_writer.read(0)
    assert f"{archive.measurements} values, 0 changed, 0 appeared, 0 vanished, changes of configuration: 0" in reread()
    assert [(f.n, f.mean) for f in summary_writer.read(0).values()] == [(f.n, f.mean) for f in before.values()]


def test_it_says_what_changed_appeared_and_vanished_with_file_and_line(archive):
    first = File.objects.get(path="a.txt").first_measurement
    changed, gone, extra = Measurement.objects.filter(pk__gte=first).order_by("pk")[:3]
    was = changed.value
    Measurement.objects.filter(pk=changed.pk).update(value=1.0)
    Measurement.objects.filter(pk=gone.pk).update(native="older name")
    Run.objects.filter(pk=extra.run_id).update(config_exact={"host": "pond"})
    said = reread(str(archive.pk))
    assert "1 changed, 1 appeared, 1 vanished" in said
    assert f"a.txt:{changed.line} {changed.metric.name} {changed.native}: 1.0 -> {was!r}" in said
    assert f"a.txt:{gone.line} {gone.metric.name} older name: vanished" in said
    assert "host: pond -> tank" in said
    assert Measurement.objects.filter(value=1.0).count() == 0


def test_only_what_an_older_version_of_that_parser_read(archive):
    other = samples.received(samples.dd(9), "c.txt")
    assert "No archive needs to be read again" in reread("--parser", "dd")
    File.objects.filter(archive=other).update(parser_version=0)
    said = reread("--parser", "dd")
    assert f"archive {other.pk}," in said and f"archive {archive.pk}," not in said
    assert File.objects.get(archive=other).parser_version == ingest.versions()["dd"]
    assert reparse.find_outdated_archives() == []


def test_the_status_says_how_many_were_read_under_older_rules(archive, client):
    other = samples.received(samples.dd(9), "c.txt")
    assert "older rules" not in client.get("/status").text
    for count, words in ((1, "1 archive was"), (2, "2 archives were")):
        File.objects.filter(archive=(other, archive)[count - 1]).update(parser_version=0)
        cache.clear()  # as a minute later
        assert f"{words} read under older rules: manage.py reread" in client.get("/status").text
    reread()
    assert reparse.describe_outdated() == ""


def test_what_is_not_there_is_refused(archive):
    with pytest.raises(CommandError, match="No such archive: 99999"):
        reread("99999")
    with pytest.raises(CommandError, match="There is no parser nonsense"):
        reread("--parser", "nonsense")


def test_an_archive_whose_bytes_are_gone_keeps_its_values(archive, data_folder):
    for blob in (data_folder / "blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    with pytest.raises(CommandError, match="1 of 1 could not be read again"):
        reread()
    assert Measurement.objects.count() == archive.measurements


def test_it_says_beforehand_how_long_and_how_much_disk(archive):
    said = reread()
    assert said.startswith("1 archive, ") and "more disk space meanwhile" in said.splitlines()[0]


def test_interrupted_it_goes_on_where_it_was(archive, monkeypatch):
    second = samples.received(samples.dd(9), "c.txt")

    def interrupted(row, *args):
        if row.pk == second.pk:
            raise KeyboardInterrupt
        return read(row, *args)

    read = rereading.read_batch
    with monkeypatch.context() as cut:
        cut.setattr(rereading, "MAX_ARCHIVES", 1)
        cut.setattr(rereading, "read_batch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reread()
    said = reread()
    assert "1 archives are done" in said and f"archive {second.pk}," in said and f"archive {archive.pk}," not in said
    assert [row.finished_at is not None for row in BulkReread.objects.all()] == [True]
    assert f"archive {archive.pk}," in reread()


def test_the_browser_shows_and_keeps_what_changed(archive, client):
    first = Measurement.objects.filter(pk__gte=File.objects.get(path="a.txt").first_measurement).order_by("pk")[0]
    Measurement.objects.filter(pk=first.pk).update(value=1.0)
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED)
    tasks.ingest_archive(archive.pk)
    reading = Rereading.objects.get()
    assert (reading.changed, reading.appeared, reading.vanished, reading.values) == (1, 0, 0, archive.measurements)
    client.force_login(archive.owner)
    assert reverse("archive-readings", args=[archive.pk]) in client.get(reverse("archive", args=[archive.pk])).text
    page = client.get(reverse("archive-readings", args=[archive.pk])).text
    assert f"a.txt:{first.line} {first.metric.name}" in page and "1 changed, 0 appeared, 0 vanished" in page


def test_too_many_values_are_not_compared_one_by_one(archive, monkeypatch):
    monkeypatch.setattr(reparse, "MAX_COMPARED", 1)
    assert "too many to compare one by one" in reread()


def test_former_configurations_lead_to_what_became_of_them(archive, client):
    run = Run.objects.filter(archive=archive).order_by("pk")[0]
    current = run.configuration
    fields = {field.attname: getattr(current, field.attname) for field in Configuration._meta.concrete_fields if field.name != "id"}
    former, older = (Configuration.objects.create(**fields | {"digest": name}) for name in ("former", "older"))
    ConfigurationMove.objects.create(archive=archive, previous=older, current=former)
    Run.objects.filter(archive=archive).update(configuration=former)
    reread()
    assert set(ConfigurationMove.objects.values_list("previous", "current")) >= {(former.pk, current.pk)}
    client.force_login(archive.owner)
    for pk in (former.pk, older.pk):
        reply = client.get(reverse("configuration", args=[pk]))
        assert (reply.status_code, reply["Location"]) == (302, reverse("configuration", args=[current.pk]))
    client.logout()
    if not archive.is_public:
        assert client.get(reverse("configuration", args=[former.pk])).status_code == 404


STAGES = (
    "place",
    "remove_rows",
    "insert_rows",
    "update_duplicates",
    "replace_own_summary",
    "update_summaries",
    "check_complete",
)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("together", [1, 2])
def test_interrupted_at_any_stage_it_goes_on_and_gives_what_one_by_one_gives(stage, together, monkeypatch):
    """Six archives that share their rows, and a file; the reading is cut off once, at the second of those stored together."""
    monkeypatch.setattr(rereading, "MAX_ARCHIVES", together)
    for number in range(2, 8):
        samples.received(samples.tar({"a.txt": samples.dd(number, 2.5), "b.txt": samples.dd(9)}))
    for archive in Archive.objects.order_by("pk")[together:]:
        change_values(archive)
    before = exported(), summary_rows()
    whole, calls = getattr(ArchiveTransaction, stage), []

    def interrupted(self, *args):
        calls.append(self.archive.pk)
        if len(set(calls)) == 2 * together and not calls.count(None):
            calls.append(None)
            raise KeyboardInterrupt
        return whole(self, *args)

    monkeypatch.setattr(ArchiveTransaction, stage, interrupted)
    with pytest.raises(KeyboardInterrupt):
        reread()
    assert (exported(), summary_rows()) == before, "what was cut off is as it was"
    assert "Resuming" in reread() and consistency.find_wrong_rows() == {}
    at_once = exported(), summary_rows()
    for archive in Archive.objects.order_by("-pk"):
        reread(str(archive.pk))
    assert (exported(), summary_rows()) == at_once


def test_values_that_get_another_configuration_are_merged_without_reading_other_archives(archive, monkeypatch):
    """A reader finds one key more, and the one before it comes back: the summary is that of a first reading, to the last digit."""
    for number in (2, 3, 4):
        samples.received(samples.tar({"a.txt": samples.dd(number, 2.5), "b.txt": samples.dd(9 / number)}))
    before, rows, make = exported(), summary_rows(), batch.make_configuration_row
    rebuilt: list[int] = []
    rebuild = summary_writer.rebuild_scope
    monkeypatch.setattr(summary_writer, "rebuild_scope", lambda scope, keys: (rebuilt.append(len(keys)), rebuild(scope, keys))[1])
    with monkeypatch.context() as improved:
        improved.setattr(batch, "make_configuration_row", lambda config, *more: make({**config, "fs.type": "zfs"}, *more))
        assert "changes of configuration: 1" in reread()
    assert exported() != before and consistency.find_wrong_rows() == {}
    assert [row[4:] for row in summary_rows()] == [row[4:] for row in rows] and summary_rows() != rows
    reread()
    assert (exported(), summary_rows()) == (before, rows) and consistency.find_wrong_rows() == {}
    assert sum(rebuilt) == 0


def change_values(archive: Archive) -> None:
    """Have its values differ from what today's parsers read, and so its part of what is public."""
    Measurement.objects.filter(run__archive=archive).update(value=1.0, raw="1")
    consistency.repair_summary()


def exported() -> str:
    """The SHA-256 of `manage.py export`."""
    out = io.StringIO()
    call_command("export", stdout=out)
    return hashlib.sha256(out.getvalue().encode()).hexdigest()


def summary_rows() -> list[tuple]:
    return sorted(Summary.objects.values_list("scope", "metric", "configuration", "workload", "n", "mean", "low", "high", "values"))
