"""Several writers at once: nobody waits in a circle, and the summary is as true as after one by one."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import sleep

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.models import Archive, Permalink
from webapp.storage import load
from webapp.storage.archive_transaction import change_archives
from webapp.storage.locks import is_archive_locked, lock_archive
from webapp.storage.tests.test_load import check_everything, read_some, some_records
from webapp.tests import making


def in_threads(work, items, workers: int = 4) -> None:
    def one(item):
        try:
            return work(item)
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, items))


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_leave_the_summary_true():
    rows = [making.archive(owner=random.Random(n).choice(["ann", "bob"])) for n in range(12)]
    changes = [(row.pk, n) for n in range(3) for row in rows]

    def change(item):
        pk, n = item
        rng = random.Random(pk * 10 + n)
        if n != 1:
            load.store(pk, list(some_records(rng)))
        else:
            rng.choice([load.publish, load.publish, load.unpublish])(pk)

    in_threads(change, changes)
    assert Archive.objects.filter(state="read").count() == 12
    check_everything()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", [1, 2])
def test_eight_workers_read_read_again_and_delete_archives_that_overlap(seed):
    """The same files stand in several archives, and every change comes in a random order."""
    rng = random.Random(seed)
    files = [
        list(
            making.file_records(
                f"{n}.csv",
                f"bytes {n}",
                [1e8 + n, 2e8 + n][: 1 + n % 2],
                config={"os.family": "Linux", "pool.compression": f"gzip-{n % 3 + 1}"},
            )
        )
        for n in range(9)
    ]
    rows = [making.archive(owner=rng.choice(["ann", "bob"])) for _ in range(10)]
    changes = [(row.pk, kind, rng.sample(files, 4)) for row in rows for kind in ("read", "publish", "read", "unpublish", "publish")]
    changes += [(row.pk, "delete", []) for row in rows[:3]]
    rng.shuffle(changes)

    def change(item):
        pk, kind, chosen = item
        with suppress(Archive.DoesNotExist):
            if kind == "read":
                load.store(pk, [record for file in chosen for record in file])
            else:
                getattr(load, kind)(pk)

    in_threads(change, changes, workers=8)
    assert Archive.objects.count() == 7
    check_everything()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_groups_that_are_stored_together_and_single_writers_wait_for_each_other_in_no_circle():
    """Groups that share archives, dimensions and files, in random orders, beside publishing, withdrawing and reading alone."""
    rng = random.Random(3)
    rows = [making.archive(owner=rng.choice(["ann", "bob"]), records=list(some_records(rng))).pk for _ in range(12)]
    changes = [("together", rng.sample(rows, 5)) for _ in range(12)]
    changes += [(kind, [pk]) for pk in rows for kind in ("publish", "store")]
    rng.shuffle(changes)

    def change(item):
        kind, ids = item
        own = random.Random(repr(item))
        if kind == "together":
            load.store_together(read_some(own, ids))
        elif kind == "store":
            load.store(ids[0], list(some_records(own)))
        else:
            load.publish(ids[0])

    in_threads(change, changes, workers=8)
    assert Archive.objects.filter(state="read").count() == 12
    check_everything()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("count", [1, 2])
def test_bytes_are_blocked_while_archives_with_them_are_read(count):
    """A reader has an archive's row and wants the write lock, which hiding another one takes."""
    rows = [
        making.archive(owner=name, public=True, records=list(some_records(random.Random(name)))) for name in ("ann", "bob", "eve")
    ]
    Archive.objects.filter(pk__in=[row.pk for row in rows[:2]]).update(sha256="f" * 64)
    begun = threading.Event()

    def read():
        with change_archives([row.pk for row in rows[1 : 1 + count]]) as changes:
            begun.set()
            sleep(0.5)
            for change in changes:
                change.lock_writes()

    def block():
        begun.wait()
        lifecycle.block_bytes("f" * 64, "not theirs", audit.command_line_actor())

    in_threads(lambda work: work(), [read, block])
    assert [row.pk for row in Archive.objects.public()] == [rows[2].pk]


@pytest.mark.django_db(transaction=True)
def test_an_archive_is_claimed_by_one_reader_at_a_time():
    with lock_archive(7) as mine:
        others = []
        in_threads(lambda pk: others.append(is_archive_locked(pk)), [7, 8])
        assert mine and sorted(others) == [False, True]
    others.clear()
    in_threads(lambda pk: others.append(is_archive_locked(pk)), [7])
    assert others == [False]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", [lambda link: link.delete(), lambda link: link.save(), lambda _: Permalink.objects.update(title="x")]
)
def test_the_database_refuses_every_change_of_a_permalink(change):
    link = Permalink.objects.create(id="abc", digest="d", record=b"{}", frozen_at=timezone.now())
    with pytest.raises(IntegrityError, match="frozen for ever"), transaction.atomic():
        change(link)
    assert Permalink.objects.get().title == ""
