"""Records -> rows, and every change of who sees them: each one transaction that leaves the summary true.

Order of locks, the same everywhere so that writers never wait in a circle: the archive's row, then rows of dimensions
(sorted), then the turn (the row of the data version, held to the commit). Whatever reads or changes rows of more than
one archive (duplicates, the public summary) is done with the turn held; new rows, which nobody sees yet, go in before.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from ingest.records import Record
from webapp.models import Archive, Withdrawal
from webapp.storage import bulk_insert, deduplication, dimensions, manifest, summary_writer, withdrawals
from webapp.storage.batch import Batch
from webapp.storage.summary_writer import Aggregate, SummaryKey
from webapp.storage.write_lock import PendingChanges, lock_writes, read_file_keys, update_summaries


def store(archive_id: int, records: Iterable[Record] | Batch, stated_version: int | None = None) -> Archive:
    """Replace what the database knows of the archive by its records; state `read`.

    `stated_version`: that of the statements with which the records were read; where somebody has stated something since,
    the state is `received`, since the archive has to be read again.
    Raises Archive.DoesNotExist where the archive was deleted meanwhile.
    """
    batch = records if isinstance(records, Batch) else Batch.of(records)
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        known = dimensions.save(batch.places.values(), batch.works.values(), batch.metrics)
        again = archive.read_at is not None
        stirred = _remove(archive) if again else PendingChanges()
        rows = bulk_insert.insert(archive.pk, batch, known)
        folds = {} if archive.withdrawn_at else rows.fold()
        summary_writer.write(archive.pk, folds)
        if not again:
            lock_writes()
        stirred.files.update(rows.file_keys if again else deduplication.find_shared_keys(archive.pk, rows.file_keys))
        turned = [] if archive.withdrawn_at else deduplication.update_duplicates(stirred.files)
        if archive.withdrawn_at:
            deduplication.set_counted(rows.first, rows.end, False)
        elif elsewhere := [
            (twin.first, twin.first + twin.count) for twin, counts in turned if twin.archive == archive.pk and not counts
        ]:
            # Files that count in another archive, which is seen only now. Seldom enough to write the rows twice.
            summary_writer.drop(archive.pk)
            folds = rows.fold(without=elsewhere)
            summary_writer.write(archive.pk, folds)
        _join_public(archive, folds, stirred, again)
        update_summaries([(twin, counts) for twin, counts in turned if twin.archive != archive.pk], stirred)
        if again:
            withdrawals.reapply(archive)
        _mark_read(archive, batch, stated_version)
    return archive


def _join_public(archive: Archive, folds: dict[SummaryKey, Aggregate], stirred: PendingChanges, again: bool) -> None:
    """A first reading is merged; of a repeated one the touched rows are worked out again."""
    if not archive.is_public:
        return
    if again:
        stirred.public |= folds.keys()
    else:
        summary_writer.add_to_public(archive.pk)


def _mark_read(archive: Archive, batch: Batch, stated_version: int | None) -> None:
    true, files = stated_version in (None, archive.stated_version), len(batch.files)
    told = {
        "state": Archive.State.READ if true else Archive.State.RECEIVED,
        "failure": "",
        "read_at": timezone.now(),
        "files_total": files,
        "files_done": files,
        "measurements": batch.measurements,
        "warnings": batch.warnings,
        "attempts": 0,
    }
    # A title that was given with the upload stays.
    told |= {
        name: value for name, value in manifest.read_archive_fields(batch.evidence).items() if name != "title" or not archive.title
    }
    for name, value in told.items():
        setattr(archive, name, value)
    Archive.objects.filter(pk=archive.pk).update(**told)  # a quarter of what `save` takes


def publish(archive_id: int) -> bool:
    """Let everybody see it. False where nothing happens: it is public already, or withdrawn."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        if archive.published_at or archive.withdrawn_at:
            return False
        lock_writes()
        archive.published_at = timezone.now()
        archive.save(update_fields=["published_at"])
        turned = deduplication.update_duplicates(read_file_keys(archive))
        own = [pair for pair in turned if pair[0].archive == archive.pk]
        update_summaries(own, PendingChanges(), only_own=True)
        summary_writer.add_to_public(archive.pk)
        update_summaries([pair for pair in turned if pair[0].archive != archive.pk], PendingChanges())
    return True


def unpublish(archive_id: int) -> bool:
    """Its owner's alone again. False where nothing happens: it is private already, or withdrawn."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        if not archive.is_public:
            return False
        lock_writes()
        stirred = PendingChanges(read_file_keys(archive), gone=summary_writer.read(archive.pk))
        archive.published_at = None
        archive.save(update_fields=["published_at"])
        update_summaries(deduplication.update_duplicates(stirred.files), stirred)
    return True


def withdraw(archive_id: int, reason: str, by=None) -> bool:
    """Take it out of every comparison; the row stays with the reason. `restore` takes it back. False where it is withdrawn."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        if archive.withdrawn_at:
            return False
        lock_writes()
        stirred = PendingChanges(read_file_keys(archive), gone=summary_writer.read(archive.pk) if archive.is_public else {})
        archive.withdrawn_at, archive.withdrawn_reason = timezone.now(), reason
        archive.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        Withdrawal.objects.create(archive=archive, what=Withdrawal.What.ARCHIVE, reason=reason, made_by=by)
        summary_writer.drop(archive.pk)
        archive.files.update(duplicate_of=None)
        deduplication.set_counted(*bulk_insert.id_range(archive.pk), False)
        update_summaries(deduplication.update_duplicates(stirred.files), stirred)
    return True


def restore(archive_id: int, by=None) -> bool:
    """Take the withdrawal of the archive back; what is withdrawn inside of it stays so. False where it is not withdrawn."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        if not archive.withdrawn_at:
            return False
        lock_writes()
        archive.withdrawn_at, archive.withdrawn_reason = None, ""
        archive.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        archive.withdrawals.holding().filter(what=Withdrawal.What.ARCHIVE).update(restored_at=timezone.now(), restored_by=by)
        first, end = bulk_insert.id_range(archive.pk)
        deduplication.set_counted(first, end, True)
        turned = deduplication.update_duplicates(read_file_keys(archive))
        keys = bulk_insert.find_summary_keys(first, end)
        summary_writer.rebuild_archive(archive.pk, keys)
        update_summaries(
            [pair for pair in turned if pair[0].archive != archive.pk], PendingChanges(public=keys if archive.is_public else set())
        )
    return True


def delete(archive_id: int) -> None:
    """Every row of it. Its bytes stay for others who uploaded the same (see `blobs.forget`)."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        stirred = _remove(archive)
        update_summaries(deduplication.update_duplicates(stirred.files), stirred)
        archive.delete()


def _remove(archive: Archive) -> PendingChanges:
    """Take the turn and delete the archive's rows; their part of the public summary is left to `put_right`."""
    lock_writes()
    stirred = PendingChanges(read_file_keys(archive), gone=summary_writer.read(archive.pk) if archive.is_public else {})
    summary_writer.drop(archive.pk)
    bulk_insert.delete_rows(archive.pk)
    return stirred
