"""Of several schedulers one acts, and another one goes on where it ends: killed, stopped, or cut off from the database."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from webapp.archives import upload
from webapp.files import blobs
from webapp.storage.locks import SchedulerLock
from webapp.tests import making, samples
from webapp.tests.serving import PATIENCE, database_url, environment, wait_for

CHOSEN = "this is the scheduler"


class Scheduler:
    """A machine of its own that runs nothing else."""

    def __init__(self, place: Path) -> None:
        place.mkdir()
        self.out = place / "said"
        with self.out.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "manage.py", "reconcile", "--forever", "--every", "0.1"],
                cwd=settings.BASE_DIR,
                env=environment(place, DATABASE_URL=database_url()),
                stdout=out,
                stderr=out,
            )

    @property
    def said(self) -> str:
        return self.out.read_text()

    @property
    def has_acted(self) -> bool:
        return CHOSEN in self.said


@contextmanager
def two_schedulers(place: Path):
    both = [Scheduler(place / name) for name in ("one", "other")]
    try:
        wait_for(lambda: any(one.has_acted for one in both))
        yield sorted(both, key=lambda one: not one.has_acted)
    finally:
        for one in both:
            one.process.kill()
            one.process.wait()


def is_waiting(one: Scheduler) -> bool:
    """Whether it has asked for the lock and not got it: its session is there, idle after that query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%pg_try_advisory_lock(1396%'"
        )
        return cursor.fetchone()[0] == 1 and one.process.poll() is None


def end_of_session() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted",
            [0x5343_4845],
        )


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, "its session"], ids=["killed", "stopped", "cut off"])
def test_one_acts_and_another_goes_on_where_it_ends(tmp_path, ending):
    archive = upload.receive(blobs.write_incoming([samples.dd(2.5)]), making.user(), "dd.txt", send=lambda pk: None)[0]
    sent = f"archive {archive.pk} is queued again"
    with two_schedulers(tmp_path) as (first, second):
        wait_for(lambda: sent in first.said)
        wait_for(lambda: is_waiting(second))
        assert not second.has_acted and sent not in second.said
        if ending == "its session":
            # Whichever asks first then is the one; it has to take the lock again.
            end_of_session()
            wait_for(lambda: (first.said + second.said).count(CHOSEN) == 2)
            return
        first.process.send_signal(ending)
        first.process.wait(PATIENCE)
        wait_for(lambda: sent in second.said)
        assert second.has_acted


@pytest.mark.django_db(transaction=True)
def test_the_lock_is_of_one_and_of_the_next_after_it():
    first, second = SchedulerLock(), SchedulerLock()
    try:
        assert [first.hold(), second.hold(), first.hold(), second.hold()] == [True, False, True, False]
        first.release()
        wait_for(second.hold)
        assert not first.hold()
    finally:
        first.release()
        second.release()
