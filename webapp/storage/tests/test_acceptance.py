"""The accepted scope holds what the public and accepted archives measured, whatever is done in whatever order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.tests.thinning import examples
from webapp.comparison.question import accepted_scopes
from webapp.comparison.summary import queries, reader
from webapp.comparison.summary import queries as summary_queries
from webapp.models import Archive, DataVersion, File, Measurement, Summary, SystemCount
from webapp.models.summary import ACCEPTED, PUBLIC
from webapp.storage import load, summary_writer, withdrawals
from webapp.storage.tests.test_load import check_everything
from webapp.tests import making

pytestmark = pytest.mark.django_db


def records(*names: str, own: str = "") -> list:
    """A file for each name, always of the same bytes and values; and one of values that no other archive has."""
    files = [making.file_records(f"{name}.txt", name, [ord(name) + 0.25, ord(name) * 2.0]) for name in names]
    if own:
        files.append(making.file_records("own.txt", own, [float(len(own))]))
    return list(chain(*files))


def values(scope: int) -> list[float]:
    return sorted(value for row in Summary.objects.filter(scope=scope) for value in row.values)


def accepted_rows() -> dict:
    return summary_writer.read(ACCEPTED)


def rebuilt_rows() -> dict:
    """The rows of the accepted scope computed from scratch."""
    keys = {key for archive in Archive.objects.all() for key in summary_writer.read(archive.pk)} | accepted_rows().keys()
    summary_writer.rebuild_scope(ACCEPTED, keys)
    return accepted_rows()


@contextmanager
def undone() -> Iterator[None]:
    """What is done inside is rolled back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_accepted_is_a_part_of_public():
    one = making.archive(public=True, records=records("a"))
    two = making.archive(public=True, accepted=True, records=records("b"))
    assert values(PUBLIC) == [97.25, 98.25, 194.0, 196.0] and values(ACCEPTED) == [98.25, 196.0]
    assert (one.shared_scopes, two.shared_scopes) == ((PUBLIC,), (PUBLIC, ACCEPTED))
    assert load.revoke_acceptance(two.pk) and not load.revoke_acceptance(two.pk)
    assert values(ACCEPTED) == [] and len(values(PUBLIC)) == 4
    check_everything()


@pytest.mark.parametrize(
    ("leave", "enter"),
    [
        (load.unpublish, load.publish),
        (lambda pk: load.withdraw(pk, "A loose cable."), load.restore),
        (load.revoke_acceptance, lambda pk: load.accept(pk, "again")),
    ],
)
def test_it_leaves_and_comes_back(leave, enter):
    archive = making.archive(public=True, accepted=True, records=records("a", "b"))
    before = accepted_rows()
    leave(archive.pk)
    assert accepted_rows() == {}
    check_everything()
    enter(archive.pk)
    assert accepted_rows() == before
    check_everything()


@pytest.mark.parametrize("state", ["private", "withdrawn", "unread", "accepted"])
def test_what_cannot_be_accepted_stays_as_it_is(state):
    archive = making.archive(records=None if state == "unread" else records("a"), public=state in ("unread", "accepted"))
    if state == "withdrawn":
        load.withdraw(archive.pk, "why")
    if state == "accepted":
        load.accept(archive.pk, "first")
    version = DataVersion.objects.get().number
    assert not load.accept(archive.pk, "second", making.staff())
    archive.refresh_from_db()
    assert (archive.accepted_by, archive.accepted_reason) == (None, "first" if state == "accepted" else "")
    assert DataVersion.objects.get().number == version


def test_an_accepted_archive_is_deleted_and_read_again():
    archive = making.archive(public=True, accepted=True, records=records("a", "b"))
    load.store(archive.pk, records("c"))
    assert values(ACCEPTED) == values(PUBLIC) == [99.25, 198.0]
    load.delete(archive.pk)
    assert not Summary.objects.exists() and not SystemCount.objects.exists()


def test_single_values_and_files_are_withdrawn_from_it():
    archive = making.archive(public=True, accepted=True, records=records("a", "b"))
    before = accepted_rows()
    first = archive.files.get(path="a.txt").first_measurement
    value = withdrawals.withdraw_measurement(archive.pk, first, "why", archive.owner)
    assert values(ACCEPTED) == [98.25, 194.0, 196.0]
    file = withdrawals.withdraw_file(archive.pk, "b.txt", "why", archive.owner)
    assert values(ACCEPTED) == [194.0]
    for withdrawal in (file, value):
        withdrawals.undo_withdrawal(withdrawal.pk, archive.owner)
    assert accepted_rows() == before


def test_a_copy_that_is_accepted_counts_before_one_published_earlier():
    early = making.archive(public=True, records=records("a"), owner="bob")
    late = making.archive(public=True, records=records("a", "b"))
    assert late.files.get(path="a.txt").duplicate_of == early.files.get()
    load.accept(late.pk, "read")
    assert early.files.get().duplicate_of == late.files.get(path="a.txt")
    assert values(ACCEPTED) == values(PUBLIC) == [97.25, 98.25, 194.0, 196.0]
    check_everything()
    load.revoke_acceptance(late.pk)
    assert late.files.get(path="a.txt").duplicate_of == early.files.get()
    assert values(ACCEPTED) == [] and len(values(PUBLIC)) == 4
    check_everything()


def test_withdrawing_in_an_accepted_archive_moves_no_value_to_one_that_is_not():
    """Else whoever uploads a copy would take the file, with its other values, from the front pages."""
    one = making.archive(public=True, accepted=True, records=records("a"))
    withdrawals.withdraw_measurement(one.pk, one.files.get().first_measurement, "why", one.owner)
    making.archive(public=True, records=records("a"), owner="bob")
    assert values(ACCEPTED) == values(PUBLIC) == [194.0]
    two = making.archive(public=True, accepted=True, records=records("a"), owner="cid")
    assert values(ACCEPTED) == values(PUBLIC) == [97.25, 194.0]
    assert one.files.get().duplicate_of.archive_id == two.pk
    check_everything()


def test_comparisons_of_the_accepted_scope_read_its_archives():
    making.archive(public=True, records=records("a", "b"), owner="bob")
    archive = making.archive(public=True, accepted=True, records=records("b"))
    base = accepted_scopes().base
    assert base == (ACCEPTED,) and accepted_scopes().all == base and not accepted_scopes().overlays
    [counts] = reader.count_metrics(DataVersion.objects.get().number, [base])
    assert counts == {"write.throughput": (2, 1)}
    row = Summary.objects.get(scope=ACCEPTED)
    [every] = queries.read_every_value([("write.throughput", row.configuration_id, row.workload_id)], base, ())
    assert [value for value, _ in every] == [98.25, 196.0]
    assert summary_queries.read_absent(base, ["write.throughput"]) == ([], [])
    first = File.objects.get(archive=archive).first_measurement
    withdrawals.withdraw_measurement(archive.pk, first, "why", archive.owner)
    assert [(row[3], row[4]) for row in summary_queries.read_absent(base, ["write.throughput"])[0]] == [("why", 1)]


ACTS: dict[str, Callable[[Archive], object]] = {
    "publish": lambda archive: load.publish(archive.pk),
    "unpublish": lambda archive: load.unpublish(archive.pk),
    "accept": lambda archive: load.accept(archive.pk, "read"),
    "revoke": lambda archive: load.revoke_acceptance(archive.pk),
    "withdraw": lambda archive: load.withdraw(archive.pk, "why"),
    "restore": lambda archive: load.restore(archive.pk),
    "withdraw value": lambda archive: _withdraw_value(archive),
    "withdraw file": lambda archive: _withdraw_file(archive),
    "take back": lambda archive: _take_back(archive),
    "read other files": lambda archive: load.store(archive.pk, records("b", "c", own="x")),
    "read the same": lambda archive: load.store(archive.pk, records("a", "b", own="x" * archive.pk)),
    "delete": lambda archive: load.delete(archive.pk),
}


def _withdraw_value(archive: Archive) -> None:
    if file := archive.files.filter(measurements__gt=0).order_by("path").first():
        value = Measurement.objects.of(file).order_by("id")[0]
        withdrawals.withdraw_measurement(archive.pk, value.pk, "why", archive.owner)


def _withdraw_file(archive: Archive) -> None:
    if file := archive.files.filter(measurements__gt=0).order_by("path").first():
        withdrawals.withdraw_file(archive.pk, file.path, "why", archive.owner)


def _take_back(archive: Archive) -> None:
    for withdrawal in archive.withdrawals.active().exclude(what="archive"):
        withdrawals.undo_withdrawal(withdrawal.pk, archive.owner)


def perform(steps: list[tuple[int, str]], archives: list[Archive]) -> None:
    """Perform each act on the archive of its number, where that is not deleted."""
    for number, act in steps:
        archive = Archive.objects.filter(pk=archives[number].pk).first()
        if archive is not None:
            ACTS[act](archive)


def three_archives(accepted: tuple[bool, ...]) -> list[Archive]:
    """Archives that share the file b; in one row of the summary are values of all of them."""
    owners = ("ann", "bob", "ann")
    files = (("a", "b"), ("b", "c"), ("a", "b", "c"))
    return [
        making.archive(owner=owner, public=True, accepted=is_accepted, records=records(*names, own="o" * at))
        for at, (owner, names, is_accepted) in enumerate(zip(owners, files, accepted, strict=True), 1)
    ]


@pytest.mark.thorough
@settings(max_examples=examples(50))
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(sorted(ACTS))), max_size=10))
def test_after_any_acts_the_scope_is_what_rebuilding_from_scratch_gives(steps):
    with undone():
        perform(steps, three_archives((True, True, False)))
        check_everything()
        kept, rebuilt = accepted_rows(), rebuilt_rows()
        assert {key: (row.n, row.ids, row.values, row.low, row.high, row.histogram) for key, row in kept.items()} == {
            key: (row.n, row.ids, row.values, row.low, row.high, row.histogram) for key, row in rebuilt.items()
        }
        assert all(row.mean == pytest.approx(rebuilt[key].mean) for key, row in kept.items())


@pytest.mark.thorough
@settings(max_examples=examples(50))
@given(st.lists(st.tuples(st.integers(1, 2), st.sampled_from(sorted(ACTS.keys() - {"accept"}))), max_size=10))
def test_no_act_on_archives_that_are_not_accepted_changes_the_scope(steps):
    with undone():
        archives = three_archives((True, False, False))
        before = accepted_rows()
        perform(steps, archives)
        assert accepted_rows() == before
