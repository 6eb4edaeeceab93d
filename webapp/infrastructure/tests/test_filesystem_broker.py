"""The queue of files: whoever looks at any moment sees whole messages and whole tables."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from queue import Empty

import pytest
from kombu import Connection

from webapp.infrastructure import filesystem_broker

QUEUE = "celery"


@pytest.fixture
def folder(tmp_path):
    for name in ("in", "control"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def channel(folder):
    """Makes channels on one folder, as several processes have them."""

    def made() -> filesystem_broker.Channel:
        options = {
            "data_folder_in": str(folder / "in"),
            "data_folder_out": str(folder / "in"),
            "control_folder": str(folder / "control"),
        }
        return Connection("filesystem://", transport_options=options).channel()

    return made


@pytest.fixture
def on_rename(monkeypatch):
    """Has something looked at just before a file gets its name; what was seen."""

    def look(at) -> list:
        seen, rename = [], os.replace

        def replace(source, target):
            seen.append(at())
            rename(source, target)

        monkeypatch.setattr(os, "replace", replace)
        return seen

    return look


def taken(channel) -> object:
    try:
        return channel._get(QUEUE)
    except Empty:
        return None


def it_is_what_the_application_uses():
    assert isinstance(Connection("filesystem://").transport, filesystem_broker.Transport)


def it_shows_a_message_when_it_is_whole(channel, on_rename, folder):
    sender, worker = channel(), channel()
    seen = on_rename(lambda: taken(worker))
    sender._put(QUEUE, {"body": "x" * 100_000})
    assert seen == [None]
    assert taken(worker) == {"body": "x" * 100_000} and taken(worker) is None
    assert list((folder / "in").iterdir()) == []


def it_gives_each_message_once_and_keeps_queues_apart(channel):
    sender, worker = channel(), channel()
    sender._put("other", "not mine")
    for number in range(3):
        sender._put(QUEUE, number)
    assert sorted(taken(worker) for _ in range(3)) == [0, 1, 2] and taken(worker) is None


def it_gives_the_oldest_first_also_where_the_clock_gets_a_digit_more(channel, monkeypatch):
    sender = channel()
    for seconds in (999.0, 1000.0, 10000.0):
        monkeypatch.setattr(filesystem_broker, "monotonic", lambda: seconds)  # noqa: B023  # asked for at once
        sender._put(QUEUE, seconds)
    assert [taken(sender) for _ in range(3)] == [999.0, 1000.0, 10000.0]


def it_leaves_nothing_behind_where_a_message_cannot_be_sent(channel, monkeypatch, folder):
    def refuse(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        channel()._put(QUEUE, "x")
    assert list((folder / "in").iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b'{"body": "x', b"\xff\xfe"])
def it_passes_over_a_message_that_cannot_be_read(channel, folder, damage, caplog):
    (folder / "in" / f"{0:015}_a.{QUEUE}.msg").write_bytes(damage)
    worker = channel()
    worker._put(QUEUE, "the next")
    assert taken(worker) == "the next"
    assert QUEUE in caplog.text and "cannot be read" in caplog.text


def it_shows_a_table_when_it_is_whole(channel, on_rename):
    one, other = channel(), channel()
    one._queue_bind("tasks", "celery", "", "celery")
    before = other.get_table("tasks")
    seen = on_rename(lambda: other.get_table("tasks"))
    one._queue_bind("tasks", "second", "", "second")
    assert seen == [before] and {row.queue for row in other.get_table("tasks")} == {"celery", "second"}
    one._queue_bind("tasks", "second", "", "second")
    assert len(seen) == 1, "who listens already changes nothing"


def it_makes_a_damaged_table_anew(channel, folder):
    (folder / "control" / "tasks.exchange").write_bytes(b"")
    one = channel()
    assert one.get_table("tasks") == []
    one._queue_bind("tasks", "celery", "", "celery")
    assert [row.queue for row in one.get_table("tasks")] == ["celery"]


def it_forgets_nobody_who_comes_at_the_same_time(channel):
    channels = [channel() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: channels[at]._queue_bind("tasks", f"{at}", "", f"{at}"), range(8)))
    assert {row.queue for row in channels[0].get_table("tasks")} == {f"{at}" for at in range(8)}
