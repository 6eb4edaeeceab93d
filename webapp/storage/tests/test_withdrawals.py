"""What is withdrawn leaves summaries and exports, and comes back; reading again changes neither."""

from __future__ import annotations

from io import StringIO

import pytest

from webapp.formats import export
from webapp.jobs import tasks
from webapp.models import Archive, File, Measurement, Withdrawal
from webapp.storage import load, summary_writer, withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def archived(other=None, **more):
    return samples.received(samples.tar({"a.txt": samples.dd(2.5, 3), "b.txt": samples.dd(4)} | (other or {})), **more)


def snapshot(*scopes):
    """n and mean of every summary row, which must come out alike however they were worked out."""
    return {
        scope: {key: (fold.n, pytest.approx(fold.mean)) for key, fold in summary_writer.read(scope).items()} for scope in scopes
    }


def total(scope):
    return sum(fold.n for fold in summary_writer.read(scope).values())


def exported():
    return export.write_csv(StringIO())


def read_again(archive):
    Archive.objects.filter(pk=archive.pk).update(state="received")
    tasks.ingest_archive(archive.pk)


def one_value(archive):
    first = File.objects.get(archive=archive, path="a.txt").first_measurement
    return Measurement.objects.get(pk=first + 1)


def withdraw(archive, what: str):
    """Of an archive its file a.txt, or one value of that."""
    if what == "file":
        return withdrawals.withdraw_file(archive.pk, "a.txt", "why", archive.owner)
    return withdrawals.withdraw_measurement(archive.pk, one_value(archive).pk, "why", archive.owner)


def test_a_measurement_leaves_and_comes_back():
    archive = archived()
    before, count = snapshot(0, archive.pk), exported()
    made = withdrawals.withdraw_measurement(archive.pk, one_value(archive).pk, "A cable was loose.", archive.owner)
    assert (total(0), total(archive.pk), exported()) == (count - 1,) * 3
    assert not one_value(archive).counted and made.raw
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    assert snapshot(0, archive.pk) == before and exported() == count
    made.refresh_from_db()
    assert made.restored_by == archive.owner


def test_a_file_leaves_and_comes_back():
    archive = archived()
    before, count = snapshot(0, archive.pk), exported()
    file = archive.files.get(path="a.txt")
    made = withdrawals.withdraw_file(archive.pk, "a.txt", "The disk was failing.", archive.owner)
    assert (total(0), total(archive.pk), exported()) == (count - file.measurements,) * 3
    assert withdrawals.withdraw_file(archive.pk, "a.txt", "again", archive.owner) == made
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    assert snapshot(0, archive.pk) == before and exported() == count


@pytest.mark.parametrize("what", ["file", "measurement"])
def test_reading_again_keeps_it_out_and_it_still_comes_back(what):
    archive = archived()
    before = snapshot(0, archive.pk)
    made = withdraw(archive, what)
    without = snapshot(0, archive.pk)
    read_again(archive)
    assert snapshot(0, archive.pk) == without != before
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    assert snapshot(0, archive.pk) == before


def test_of_values_that_are_alike_only_the_one_that_was_meant():
    records = [*making.file_records("a", "a", [1.0, 1.0, 1.0])]
    for record in records[:3]:
        record.line = 2  # three alike on one line
    archive = making.archive(public=True, records=records)
    first = archive.files.get().first_measurement
    withdrawals.withdraw_measurement(archive.pk, first + 1, "why", archive.owner)
    load.store(archive.pk, records)
    first = archive.files.get().first_measurement
    assert list(Measurement.objects.order_by("id").values_list("id", "counted")) == [
        (first, True),
        (first + 1, False),
        (first + 2, True),
    ]


def test_another_archive_of_the_same_file_takes_its_place_and_gives_it_back():
    one = archived()
    two = archived({"notes.md": b"mine"}, owner="bob")
    assert total(two.pk) == 0
    count = total(0)
    made = withdraw(one, "file")
    assert total(0) == count and two.files.get(path="a.txt").duplicate_of is None
    withdrawals.undo_withdrawal(made.pk, one.owner)
    assert total(0) == count and two.files.get(path="a.txt").duplicate_of.archive_id == one.pk


def test_the_same_value_that_another_published_counts_on_and_the_place_is_given_back():
    one = archived()
    two = archived({"notes.md": b"mine"}, owner="bob")
    before, count = snapshot(0, one.pk, two.pk), total(0)
    made = withdraw(one, "measurement")
    assert total(0) == count
    assert two.files.get(path="a.txt").duplicate_of is None and one_value(two).counted and not one_value(one).counted
    assert one.files.get(path="a.txt").duplicate_of.archive_id == two.pk
    read_again(one)
    assert total(0) == count and one_value(two).counted
    withdrawals.undo_withdrawal(made.pk, one.owner)
    assert snapshot(0, one.pk, two.pk) == before and not one_value(two).counted


def test_a_withdrawn_copy_takes_nothing_from_the_archive_that_counts_and_stays_out_in_its_place():
    one = archived()
    two = archived({"notes.md": b"mine"}, owner="bob")
    before, count = snapshot(0), total(0)
    withdraw(two, "measurement")
    assert snapshot(0) == before
    load.withdraw(one.pk, "All of it.", one.owner)
    assert total(0) == count - 1 and not one_value(two).counted


def test_a_value_that_both_withdrew_is_gone():
    one = archived()
    two = archived({"notes.md": b"mine"}, owner="bob")
    count = total(0)
    for archive in (one, two):
        withdraw(archive, "measurement")
    assert total(0) == count - 1 and not one_value(one).counted and not one_value(two).counted


def test_what_is_withdrawn_in_a_withdrawn_archive_stays_so_when_the_archive_comes_back():
    archive = archived()
    withdraw(archive, "measurement")
    without = snapshot(0, archive.pk)
    load.withdraw(archive.pk, "All of it.", archive.owner)
    assert total(0) == 0 and exported() == 0
    load.restore(archive.pk, archive.owner)
    assert snapshot(0, archive.pk) == without
    assert [w.what for w in Withdrawal.objects.filter(restored_at__isnull=False)] == ["archive"]


def test_a_private_archive_is_published_without_it():
    archive = archived(public=False)
    withdraw(archive, "file")
    assert total(archive.pk) == archive.files.get(path="b.txt").measurements
    load.publish(archive.pk)
    assert total(0) == archive.files.get(path="b.txt").measurements


def test_only_values_of_the_archive_itself():
    one, two = archived(), samples.received(samples.dd(9), "c.txt")
    with pytest.raises(Measurement.DoesNotExist):
        withdrawals.withdraw_measurement(two.pk, one_value(one).pk, "why", two.owner)
    with pytest.raises(File.DoesNotExist):
        withdraw(two, "file")


def test_what_was_undone_is_not_undone_again():
    """Who undid it and when stays; a second withdrawal of the same value is another one."""
    archive = archived()
    made = withdraw(archive, "measurement")
    assert withdrawals.withdraw_measurement(archive.pk, one_value(archive).pk, "again", archive.owner) == made
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    made.refresh_from_db()
    before, count = made.restored_at, total(0)
    second = withdrawals.withdraw_measurement(archive.pk, one_value(archive).pk, "Again.", archive.owner)
    withdrawals.undo_withdrawal(made.pk, making.user("bob"))
    made.refresh_from_db()
    assert (made.restored_at, made.restored_by) == (before, archive.owner)
    assert second != made and total(0) == count - 1 and not one_value(archive).counted


def test_the_withdrawal_of_an_archive_is_not_undone_as_one_of_a_file():
    archive = archived()
    load.withdraw(archive.pk, "All of it.", archive.owner)
    made = archive.withdrawals.get(what="archive")
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    made.refresh_from_db()
    archive.refresh_from_db()
    assert made.restored_at is None and archive.withdrawn_at and total(0) == 0


@pytest.mark.parametrize("what", ["file", "measurement"])
def test_undone_in_a_withdrawn_archive_it_counts_once_that_is_restored(what):
    archive = archived()
    before = snapshot(0, archive.pk)
    made = withdraw(archive, what)
    load.withdraw(archive.pk, "All of it.", archive.owner)
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    assert total(0) == 0 and exported() == 0
    load.restore(archive.pk, archive.owner)
    assert snapshot(0, archive.pk) == before
    assert not archive.files.get(path="a.txt").withdrawn and one_value(archive).counted


def test_a_value_of_a_withdrawn_file_stays_out_until_the_file_is_back():
    archive = archived()
    before, count = snapshot(0, archive.pk), exported()
    value = withdraw(archive, "measurement")
    assert not archive.files.get(path="a.txt").withdrawn
    file = withdrawals.withdraw_file(archive.pk, "a.txt", "all of it", archive.owner)
    without = snapshot(0, archive.pk)
    withdrawals.undo_withdrawal(value.pk, archive.owner)
    assert archive.files.get(path="a.txt").withdrawn and not one_value(archive).counted
    assert snapshot(0, archive.pk) == without
    withdrawals.undo_withdrawal(file.pk, archive.owner)
    assert snapshot(0, archive.pk) == before and exported() == count


def test_a_file_without_a_value_is_withdrawn_without_a_trace():
    archive = archived({"notes.md": b"mine"})
    before = snapshot(0, archive.pk)
    made = withdrawals.withdraw_file(archive.pk, "notes.md", "why", archive.owner)
    made.refresh_from_db()
    assert (made.first, made.beyond) == (0, 0) and not archive.files.get(path="notes.md").withdrawn
    withdrawals.undo_withdrawal(made.pk, archive.owner)
    made.refresh_from_db()
    assert made.restored_at and snapshot(0, archive.pk) == before


@pytest.mark.parametrize("left", ["another line", "another file"])
def test_a_withdrawal_of_what_a_later_reading_lacks_waits_for_it(left):
    """A reading that finds the value again withdraws it again."""
    records = [*making.file_records("a", "a", [1.0, 2.0])]
    archive = making.archive(public=True, records=records)
    made = withdrawals.withdraw_measurement(archive.pk, archive.files.get().first_measurement, "why", archive.owner)
    other = [*making.file_records("b" if left == "another file" else "a", "b", [3.0])]
    other[0].line = 99
    load.store(archive.pk, other)
    made.refresh_from_db()
    assert (made.first, made.beyond) == (0, 0) and made.restored_at is None
    assert list(Measurement.objects.values_list("counted", flat=True)) == [True]
    load.store(archive.pk, records)
    assert list(Measurement.objects.order_by("pk").values_list("counted", flat=True)) == [False, True]
