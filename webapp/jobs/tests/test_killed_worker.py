"""A reader killed in the middle leaves nothing half done, and the next one gives the rows of an undisturbed run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection, transaction

from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs import tasks
from webapp.jobs.reconciler import TaskResender, find_unread_archives
from webapp.models import Archive, Measurement, Run, Summary
from webapp.storage.locks import is_archive_locked
from webapp.tests import making, samples
from webapp.tests.serving import database_url, wait_for

SECONDS = [round(1 + n / 1000, 3) for n in range(4000)]
_CHILD = "import django; django.setup(); from webapp.jobs.tasks import ingest_archive; ingest_archive({})"


def waiting(owner: str) -> Archive:
    data = samples.tar({"a.txt": samples.dd(*SECONDS), "b.txt": samples.dd(7, 8)})
    return upload.receive(blobs.write_incoming([data]), making.user(owner), "big.tar", send=lambda pk: None)[0]


def start(archive: Archive) -> subprocess.Popen:
    env = os.environ | {
        "DATABASE_URL": database_url(),
        "POOLMARK_DATA": str(settings.POOLMARK_DATA),
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }
    return subprocess.Popen([sys.executable, "-c", _CHILD.format(archive.pk)], env=env, cwd=settings.BASE_DIR)


def is_reading(archive: Archive) -> bool:
    return Archive.objects.filter(pk=archive.pk, state="reading").exists()


def is_storing(archive: Archive) -> bool:
    """Whether the child has copied its measurements and waits for the summary, which the test holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction the view would stay as it was
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            " AND query LIKE '%webapp_summary%'"
        )
        return cursor.fetchone()[0] > 0


def rows(archive: Archive) -> list[tuple]:
    """Every measurement and summary row of the archive, without ids; not of its configurations: machines are of one owner."""
    runs = dict(Run.objects.filter(archive_id=archive.pk).values_list("pk", "file__path"))
    values = (
        Measurement.objects.filter(run_id__in=list(runs))
        .order_by("id")
        .values_list("run_id", "line", "metric__name", "value", "raw", "repetition", "counted", "workload_id")
    )
    summary = Summary.objects.filter(scope=archive.pk).order_by("metric_id", "workload_id", "m2")
    return [
        *((runs[row[0]], *row[1:]) for row in values),
        *summary.values_list("metric_id", "workload_id", "n", "m2", "values", "histogram"),
    ]


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", [is_reading, is_storing])
def test_killed_and_read_again_it_is_as_if_nothing_had_happened(moment):
    undisturbed, archive = waiting("ann"), waiting("bob")
    tasks.ingest_archive(undisturbed.pk)
    with transaction.atomic(), connection.cursor() as cursor:
        if moment is is_storing:
            cursor.execute("LOCK TABLE webapp_summary IN SHARE MODE")
        child = start(archive)
        try:
            wait_for(lambda: moment(archive))
        finally:
            child.kill()
            child.wait()
    wait_for(lambda: not is_archive_locked(archive.pk))
    assert not Run.objects.filter(archive_id=archive.pk).exists()
    assert TaskResender(tasks.ingest_archive, find_unread_archives).round(0) == [archive.pk]
    archive.refresh_from_db()
    assert archive.state == "read" and rows(archive) == rows(undisturbed)
    assert len(rows(archive)) > 2 * len(SECONDS)
