"""Whose archive is read next, by order and not by time: a large one or a person with many uploads holds nobody up."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from webapp.archives import upload
from webapp.files import blobs
from webapp.jobs import state, tasks
from webapp.models import Archive
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """The reading itself, without a process for it, which would not see the rows of a test's transaction."""

    def read(archive_id: int, as_small: bool) -> str:
        return tasks._ingest(archive_id, tasks.FileGuard())[0]

    monkeypatch.setattr(tasks, "_read_apart", read)
    monkeypatch.setattr(tasks, "is_archive_locked", lambda archive_id: False)


def waiting(owner: str, number: int, **columns: object) -> Archive:
    data = blobs.write_incoming([samples.dd(1 + number / 100)])
    archive = upload.receive(data, making.user(owner), f"{owner} {number}", send=lambda pk: None)[0]
    Archive.objects.filter(pk=archive.pk).update(**columns)
    return archive


def read_all(queue: str) -> list[str]:
    """The names of the archives in the order in which they are read."""
    order = []
    while (pk := state.find_next(queue)) is not None:
        assert tasks.take_turn(queue) == "read"
        order.append(Archive.objects.get(pk=pk).name)
    return order


def test_fifty_uploads_of_one_person_do_not_hold_up_another():
    for number in range(50):
        waiting("ann", number)
    assert tasks.take_turn(state.SMALL) == "read"
    waiting("bob", 100)
    waiting("bob", 101)
    waiting("eve", 200)
    order = read_all(state.SMALL)
    assert order[:6] == ["bob 100", "eve 200", "ann 1", "bob 101", "ann 2", "ann 3"]
    assert order[6:] == [f"ann {number}" for number in range(4, 50)]


def test_a_clock_that_was_ahead_holds_nobody_up():
    """One reading began in the future, and those after it take turns as ever."""
    waiting("ann", 0, state="read", began_at=timezone.now() + timedelta(days=365))
    for number in range(1, 4):
        waiting("ann", number), waiting("bob", number + 10)
    assert read_all(state.SMALL) == ["bob 11", "ann 1", "bob 12", "ann 2", "bob 13", "ann 3"]


def test_small_ones_do_not_wait_for_large_ones_of_anybody():
    large = {"size": 2 * 2**30}
    waiting("ann", 1, **large), waiting("ann", 2, **large), waiting("bob", 3)
    waiting("eve", 4, is_slow=True)
    assert read_all(state.SMALL) == ["bob 3"]
    waiting("bob", 5)
    assert read_all(state.LARGE) == ["ann 1", "eve 4", "ann 2", "bob 5"], "small ones are read there when no other waits"


@pytest.mark.parametrize(
    ("size", "is_slow", "queue"),
    [(1000, False, "small"), (2**20, False, "small"), (2**20 + 1, False, "celery"), (1, True, "celery")],
)
def test_a_message_goes_to_the_queue_of_its_size(size, is_slow, queue, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.ingest_archive, "apply_async", lambda args, queue: sent.append((args, queue)))
    archive = waiting("ann", 1, size=size, is_slow=is_slow)
    tasks.send_archive(archive.pk)
    assert sent == [((archive.pk,), queue)]


def test_a_turn_without_anything_to_read_is_no_error():
    assert [tasks.take_turn(queue) for queue in (state.SMALL, state.LARGE)] == ["nothing-to-do"] * 2


def test_what_another_process_reads_is_passed_over(monkeypatch):
    first, second = waiting("ann", 1), waiting("ann", 2)
    monkeypatch.setattr(tasks, "is_archive_locked", lambda archive_id: archive_id == first.pk)
    assert tasks.take_turn(state.SMALL) == "read"
    second.refresh_from_db(), first.refresh_from_db()
    assert (first.state, second.state) == ("received", "read")
