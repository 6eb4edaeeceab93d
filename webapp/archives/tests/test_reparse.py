"""`manage.py reread`: which archives, and what it says of what changed."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

import ingest
from webapp.archives import reparse
from webapp.models import File, Measurement, Run
from webapp.storage import summary_writer
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
    assert f"{archive.measurements} values, 0 changed, 0 appeared, 0 vanished, 0 changes of configuration" in reread()
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
    assert "No archive has to be read again" in reread("--parser", "dd")
    File.objects.filter(archive=other).update(parser_version=0)
    said = reread("--parser", "dd")
    assert f"archive {other.pk}," in said and f"archive {archive.pk}," not in said
    assert File.objects.get(archive=other).parser_version == ingest.versions()["dd"]
    assert reparse.find_outdated_archives() == []


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
