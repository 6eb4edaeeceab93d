"""Files and measurements taken out of every comparison, and taken back: each one transaction, summaries right.

The archive as a whole is in `storing`, which calls `reapply` when it replaces an archive's rows.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from webapp.models import Archive, File, Measurement, Withdrawal
from webapp.storage import bulk_insert, deduplication, summary_writer
from webapp.storage.write_lock import PendingChanges, lock_writes, update_summaries

What = Withdrawal.What


def withdraw_file(archive_id: int, path: str, reason: str, by) -> Withdrawal:
    """Take every value of a file out. Raises File.DoesNotExist. Nothing changes where it is withdrawn already."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        file = archive.files.get(path=path)
        known = archive.withdrawals.holding().filter(what=What.FILE, path=path).first()
        if known:
            return known
        lock_writes()
        made = Withdrawal.objects.create(archive=archive, what=What.FILE, path=path, reason=reason, made_by=by)
        _apply(archive, made, file)
    return made


def withdraw_measurement(archive_id: int, measurement_id: int, reason: str, by) -> Withdrawal:
    """Take one value out. Raises Measurement.DoesNotExist where it is none of the archive's."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        first, end = bulk_insert.id_range(archive.pk)
        value = Measurement.objects.select_related("metric", "run__file").get(pk=measurement_id, id__gte=first, id__lt=end)
        known = archive.withdrawals.holding().filter(what=What.MEASUREMENT, first=value.pk).first()
        if known:
            return known
        lock_writes()
        made = Withdrawal(
            archive=archive,
            what=What.MEASUREMENT,
            path=value.run.file.path,
            line=value.line,
            metric=value.metric.name,
            native=value.native,
            raw=value.printed,
            reason=reason,
            made_by=by,
        )
        made.nth = list(_alike(value.run.file, made).values_list("pk", flat=True)).index(value.pk)
        made.save()
        _apply(archive, made, value.run.file)
    return made


def undo_withdrawal(withdrawal_id: int, by) -> None:
    """Take a withdrawal of a file or measurement back. Nothing happens to one that was taken back already."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(withdrawals=withdrawal_id)
        made = archive.withdrawals.select_for_update().get(pk=withdrawal_id)
        if made.restored_at or made.what == What.ARCHIVE:
            return
        lock_writes()
        made.restored_at, made.restored_by = timezone.now(), by
        made.save(update_fields=["restored_at", "restored_by"])
        file = archive.files.filter(path=made.path).first()
        if file is None or archive.withdrawn_at or made.first == made.beyond:
            return
        if made.what == What.FILE:
            archive.files.filter(pk=file.pk).update(withdrawn=False)
        turned = deduplication.update_duplicates({(file.sha256, file.config_digest)})
        file.refresh_from_db()
        if not file.withdrawn and file.duplicate_of_id is None:
            deduplication.set_counted(made.first, made.beyond, True)
        _refresh(archive, made, turned)


def reapply(archive: Archive) -> None:
    """Find again, among new rows, what is withdrawn. In the transaction that replaced them, with the turn held."""
    for made in archive.withdrawals.holding().exclude(what=What.ARCHIVE).order_by("pk"):
        _apply(archive, made, archive.files.filter(path=made.path).first())


def _apply(archive: Archive, made: Withdrawal, file: File | None) -> None:
    made.first, made.beyond = _ids(made, file)
    made.save(update_fields=["first", "beyond"])
    if file is None or made.first == made.beyond:
        return
    deduplication.set_counted(made.first, made.beyond, False)
    if made.what == What.FILE:
        archive.files.filter(pk=file.pk).update(withdrawn=True, duplicate_of=None)
    if not archive.withdrawn_at:
        _refresh(archive, made, deduplication.update_duplicates({(file.sha256, file.config_digest)}))


def _refresh(archive: Archive, made: Withdrawal, turned: list) -> None:
    keys = bulk_insert.find_summary_keys(made.first, made.beyond)
    summary_writer.rebuild_archive(archive.pk, keys)
    update_summaries(turned, PendingChanges(public=set(keys) if archive.is_public else set()))


def _ids(made: Withdrawal, file: File | None) -> tuple[int, int]:
    """First id and the one after the last of what is withdrawn; (0, 0) where nothing is."""
    if file is None or not file.measurements:
        return 0, 0
    if made.what == What.FILE:
        return file.first_measurement, file.first_measurement + file.measurements
    alike = list(_alike(file, made).values_list("pk", flat=True)[made.nth : made.nth + 1])
    return (alike[0], alike[0] + 1) if alike else (0, 0)


def _alike(file: File, made: Withdrawal):
    return Measurement.objects.of(file).filter(line=made.line, metric__name=made.metric, native=made.native)
