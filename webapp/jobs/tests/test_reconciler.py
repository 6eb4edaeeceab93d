"""A killed worker takes its message with it; the row stays, and its task is sent again."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from webapp.jobs.reconciler import TaskResender, find_unread_archives
from webapp.models import Archive
from webapp.storage.locks import _CLASS
from webapp.tests import making
from webapp.tests.serving import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def archive(state: str) -> int:
    owner = making.user("ann")
    count = Archive.objects.count()
    return Archive.objects.create(sha256=f"{count:064}", name="a", size=1, owner=owner, state=state).pk


@pytest.mark.parametrize(("state", "waits"), [("received", True), ("reading", True), ("read", False), ("failed", False)])
def test_what_waits_or_was_cut_off_is_unfinished(state, waits):
    pk = archive(state)
    assert find_unread_archives(timedelta(0)) == ([pk] if waits else [])


def test_a_fresh_upload_is_left_to_its_own_task():
    archive("received")
    assert find_unread_archives(timedelta(minutes=1)) == []


def test_one_from_the_future_is_not_left_until_then():
    """A clock that went a day ahead, and back."""
    pk = archive("received")
    Archive.objects.update(uploaded_at=timezone.now() + timedelta(days=1))
    assert find_unread_archives(timedelta(minutes=1)) == [pk]


def test_one_from_a_machine_whose_clock_is_seconds_ahead_is_left_to_its_own_task():
    archive("received")
    Archive.objects.update(uploaded_at=timezone.now() + timedelta(seconds=5))
    assert find_unread_archives(timedelta(minutes=1)) == []


def test_one_that_another_process_reads_is_left_alone_until_that_process_dies():
    pk = archive("reading")
    reader = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None, "context": None})
    reader.execute("SELECT pg_advisory_lock(%s, %s)", [_CLASS, pk])
    assert find_unread_archives(timedelta(0)) == []
    reader.close()
    wait_for(lambda: find_unread_archives(timedelta(0)) == [pk])


def test_reminders_grow_rarer_and_stop():
    pk, sent = archive("received"), []
    reminder = TaskResender(sent.append, find_unread_archives, first=10, longest=25)
    times = [now for now in range(100) if reminder.round(now)]
    assert times == [0, 10, 30, 55, 80] and sent == [pk] * 5
    Archive.objects.update(state="read")
    assert reminder.round(1000) == []


def test_an_archive_that_waits_again_is_sent_at_once():
    pk = archive("received")
    reminder = TaskResender(lambda _: None, find_unread_archives, first=10)
    assert reminder.round(0) == [pk]
    Archive.objects.update(state="read")
    assert reminder.round(1) == []
    Archive.objects.update(state="received")
    assert reminder.round(2) == [pk]
