"""Archives that are read again together: what they share is updated once, and none costs another anything."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.archives import statements, upload
from webapp.archives.statements import StatementScope
from webapp.files import blobs
from webapp.files.stores import StoreError
from webapp.infrastructure.direct_connection import open_direct
from webapp.jobs import rereading
from webapp.models import Archive, Rereading, Run, Summary
from webapp.storage import batch, consistency, load, summary_writer
from webapp.storage.locks import is_archive_locked
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


@pytest.fixture
def archives() -> list[int]:
    return made(3)


def made(count: int) -> list[int]:
    """Ids of archives of the same configuration with other values."""
    return [samples.received(samples.tar({"a.txt": samples.dd(2 + n / 64, 3 + n / 64)})).pk for n in range(count)]


def outcomes(ids) -> dict[int, str]:
    found = dict(rereading.reread_all(ids))
    assert consistency.find_wrong_rows() == {}
    assert not any(map(is_archive_locked, ids))
    return found


@pytest.fixture
def transactions(monkeypatch) -> list[list[int]]:
    """The archives of each transaction that stores several."""
    seen: list[list[int]] = []
    store = load.store_together
    monkeypatch.setattr(load, "store_together", lambda batches: (seen.append(sorted(batches)), store(batches))[1])
    return seen


def test_they_are_stored_in_one_transaction_and_their_differences_kept(archives, transactions):
    assert outcomes(archives) == dict.fromkeys(archives, "read")
    assert transactions == [archives]
    assert sorted(Rereading.objects.values_list("archive", "changed", "is_compared")) == [(pk, 0, True) for pk in archives]
    assert not Archive.objects.exclude(state="read", attempts=0).exists()


@pytest.mark.parametrize(("most", "groups"), [("MAX_ARCHIVES", [2, 1]), ("MAX_VALUES", [2, 1])])
def test_a_transaction_has_a_bound(archives, transactions, monkeypatch, most, groups):
    values = Archive.objects.get(pk=archives[0]).measurements
    monkeypatch.setattr(rereading, most, 2 if most == "MAX_ARCHIVES" else values + 1)
    assert set(outcomes(archives).values()) == {"read"}
    assert list(map(len, transactions)) == groups


@pytest.mark.parametrize("count", [4, 40])
def test_a_shared_row_is_put_together_once_whatever_the_number_of_archives(count, monkeypatch):
    """Every value gets another configuration. Read one by one, each archive would read the rows of all others."""
    ids, rebuilt, make = made(count), [], batch.make_configuration_row
    rebuild = summary_writer.rebuild_scope
    monkeypatch.setattr(summary_writer, "rebuild_scope", lambda scope, keys: (rebuilt.extend(keys), rebuild(scope, keys))[1])
    monkeypatch.setattr(batch, "make_configuration_row", lambda config, *more: make({**config, "fs.type": "zfs"}, *more))
    before = Summary.objects.filter(scope=0).count()
    assert set(outcomes(ids).values()) == {"read"}
    assert len(rebuilt) <= before and Summary.objects.filter(scope=0).count() == before


def test_one_whose_bytes_are_gone_keeps_its_values_and_the_others_are_read(archives, transactions):
    lost = Archive.objects.get(pk=archives[1])
    blobs.path(lost.sha256).unlink()
    found = outcomes(archives)
    assert found == {archives[0]: "read", archives[1]: "failed", archives[2]: "read"}
    assert transactions == [[archives[0], archives[2]]]
    assert Archive.objects.get(pk=lost.pk).files.exists()


def test_what_cannot_be_stored_together_is_read_one_by_one(archives, monkeypatch):
    monkeypatch.setattr(load, "store_together", lambda batches: 1 / 0)
    assert outcomes(archives) == dict.fromkeys(archives, "read")


def is_free(pk: int) -> bool:
    """Whether a worker could read the archive now."""
    with closing(open_direct()) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [0x504D, pk])
        return cursor.fetchone()[0]


def test_no_worker_takes_what_waits_to_be_read_alone(archives, monkeypatch):
    free, read = [], rereading.ingest_archive
    monkeypatch.setattr(load, "store_together", lambda batches: 1 / 0)
    monkeypatch.setattr(rereading, "ingest_archive", lambda pk: (free.extend(filter(is_free, archives)), read(pk))[1])
    assert dict(rereading.reread_all(archives)) == dict.fromkeys(archives, "read")
    assert free == [archives[0], *archives[:2]], "those that are done"


def test_a_store_that_fails_is_no_attempt(archives, monkeypatch):
    def down(*args):
        raise StoreError("down")

    monkeypatch.setattr(load, "store_together", lambda batches: 1 / 0)
    monkeypatch.setattr(load, "store", down)
    assert outcomes(archives) == dict.fromkeys(archives, "waiting")
    assert set(Archive.objects.values_list("state", "attempts")) == {("received", 0)}


@pytest.mark.parametrize("where", ["store_together", "read_batch"])
def test_interrupted_from_the_keyboard_all_of_it_waits_again_and_is_stored_together_the_next_time(
    archives, transactions, monkeypatch, where
):
    def cut(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr(load if where == "store_together" else rereading, where, cut)
        with pytest.raises(KeyboardInterrupt):
            list(rereading.reread_all(archives))
    assert set(Archive.objects.values_list("state", "attempts")) <= {("received", 0), ("read", 0)}
    assert outcomes(archives) == dict.fromkeys(archives, "read") and transactions == [archives]


def test_one_that_is_deleted_meanwhile_is_gone(archives, monkeypatch):
    store = load.store_together
    monkeypatch.setattr(load, "store_together", lambda batches: (load.delete(archives[0]), store(batches))[1])
    assert outcomes(archives) == {archives[0]: "gone", archives[1]: "read", archives[2]: "read"}


def test_one_that_got_a_statement_meanwhile_is_read_with_it(archives, monkeypatch):
    store, row = load.store_together, Archive.objects.get(pk=archives[0])

    def stated(batches):
        statements.add_statements(row.pk, row.owner, {"cpu.cores": "8"}, [StatementScope()], lambda pk: None)
        return store(batches)

    monkeypatch.setattr(load, "store_together", stated)
    assert outcomes(archives) == dict.fromkeys(archives, "read")
    row.refresh_from_db()
    assert row.state == "read" and set(Run.objects.filter(archive=row).values_list("configuration__cpu_cores", flat=True)) == {8}


def test_those_that_were_never_read_are_read_with_others_and_those_that_were_cut_off_alone(archives, transactions):
    Archive.objects.filter(pk=archives[0]).update(state=Archive.State.READING, attempts=1)
    bytes_ = blobs.write_incoming([samples.dd(9)])
    new, _ = upload.receive(bytes_, making.user("bob"), "new.txt", public=True, send=lambda pk: None)
    assert outcomes([*archives, new.pk]) == dict.fromkeys([*archives, new.pk], "read")
    assert transactions == [[*archives[1:], new.pk]]


@given(st.lists(st.integers(0, 30_000), max_size=300))
def test_groups_keep_the_order_and_the_bounds(values):
    rows = [Archive(pk=pk, measurements=count, size=count * 10**3) for pk, count in enumerate(values)]
    groups = rereading.group(rows)
    assert [pk for group in groups for pk in group] == list(range(len(values)))
    for group in groups:
        assert len(group) == 1 or sum(values[pk] for pk in group) <= min(rereading.MAX_VALUES, rereading.MAX_BYTES // 10**3)
        assert 1 <= len(group) <= rereading.MAX_ARCHIVES
