"""A stop that was asked for is no attempt of an archive that was being read."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest
from django.db import connection

from webapp.infrastructure.embedded_postgres import CLEAN_STOP
from webapp.management.commands.prepare import Command
from webapp.models import Archive
from webapp.storage.locks import lock_archive
from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("clean", "state", "attempts"), [(True, "received", 2), (False, "reading", 3)])
def test_only_a_clean_stop_is_forgiven(settings, clean, state, attempts):
    archive = making.archive()
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.READING, attempts=3)
    marker = Path(settings.POOLMARK_DATA) / CLEAN_STOP
    marker.parent.mkdir(parents=True, exist_ok=True)
    if clean:
        marker.touch()
    Command()._forgive_interrupted()
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == (state, attempts)
    assert not marker.exists()


@pytest.mark.django_db(transaction=True)
def test_what_another_machine_reads_is_left_to_it(settings):
    archive = making.archive()
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.READING, attempts=1)
    marker = Path(settings.POOLMARK_DATA) / CLEAN_STOP
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    reading, end = Event(), Event()

    def other_machine():
        with lock_archive(archive.pk) as is_locked:
            assert is_locked
            reading.set()
            end.wait(60)
        connection.close()

    thread = Thread(target=other_machine)
    thread.start()
    try:
        assert reading.wait(60)
        Command()._forgive_interrupted()
    finally:
        end.set()
        thread.join()
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == ("reading", 1)
