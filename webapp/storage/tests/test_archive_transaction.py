"""The steps of a change of an archive can be taken in their order alone."""

from __future__ import annotations

import pytest

from webapp.models import Archive
from webapp.storage.archive_transaction import change_archive, change_archives
from webapp.storage.batch import Batch
from webapp.storage.machines import OwnMachines
from webapp.tests import making

pytestmark = pytest.mark.django_db

CAPTURED = ("lock_writes", "capture_previous")
COUNTED = (*CAPTURED, "update_duplicates")
ARGUMENTS = {
    "place": (Batch.from_records([], 1), OwnMachines(1)),
    "insert_rows": (Batch.from_records([], 1), None),
    "update_duplicates": ((),),
    "rebuild_own_summary": (0, 0),
    "touch_shared": ((),),
}


@pytest.fixture
def archive() -> Archive:
    return making.archive(records=making.file_records("a.txt", "x", [1.5, 2.5]))


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ((), "capture_previous"),
        ((), "update_duplicates"),
        ((), "update_summaries"),
        ((), "rebuild_own_summary"),
        (("lock_writes",), "place"),
        (("lock_writes",), "insert_rows"),
        (("lock_writes",), "add_to_shared"),
        (("lock_writes",), "update_summaries"),
        (CAPTURED, "capture_previous"),
        (CAPTURED, "update_own_summary"),
        (CAPTURED, "touch_shared"),
        (CAPTURED, "update_summaries"),
        (CAPTURED, "check_complete"),
        (COUNTED, "update_duplicates"),
        (COUNTED, "insert_rows"),
        (COUNTED, "check_complete"),
        ((*COUNTED, "update_summaries"), "take_uncounted_ranges"),
    ],
)
def test_a_step_out_of_order_is_refused(archive, steps, wrong):
    with pytest.raises(RuntimeError, match="cannot follow"), change_archive(pk=archive.pk) as change:
        for step in steps:
            getattr(change, step)(*ARGUMENTS.get(step, ()))
        getattr(change, wrong)(*ARGUMENTS.get(wrong, ()))


def test_what_is_not_complete_is_not_committed(archive):
    with pytest.raises(RuntimeError, match="DUPLICATES_STALE"), change_archive(pk=archive.pk) as change:
        change.remove_rows()
    assert archive.files.exists()


def test_all_steps_are_taken_and_may_be_taken_again(archive):
    with change_archive(pk=archive.pk) as change:
        for step in (*COUNTED, "update_own_summary", "update_summaries", *COUNTED, "update_summaries"):
            getattr(change, step)(*ARGUMENTS.get(step, ()))


def test_of_several_archives_those_that_are_gone_are_left_out_and_none_is_committed_alone(archive):
    other = making.archive(records=making.file_records("a.txt", "y", [3.5]))
    with change_archives([other.pk, archive.pk, 10**6]) as changes:
        assert [change.archive.pk for change in changes] == [archive.pk, other.pk]
    with pytest.raises(RuntimeError, match="DUPLICATES_STALE"), change_archives([archive.pk, other.pk]) as changes:
        for change in changes:
            change.remove_rows()
        changes[0].update_duplicates(())
        changes[0].update_summaries()
    assert archive.files.exists() and other.files.exists()
