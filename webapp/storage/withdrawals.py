"""Withdrawal of files and of single measurements from every comparison, and its undoing: each one transaction.

The withdrawal of a whole archive is in `load`, which calls `reapply` after it has replaced an archive's rows.
"""

from __future__ import annotations

import hashlib

from django.utils import timezone

from webapp.models import File, Measurement, Withdrawal
from webapp.storage import archive_rows, deduplication
from webapp.storage.archive_transaction import ArchiveTransaction, change_archive

What = Withdrawal.What


class ChangedValueError(Exception):
    """The measurement is another than the one that was shown: its archive was read again meanwhile."""


def fingerprint(value: Measurement) -> str:
    """16 hex digits of what a person sees of a measurement. Its id alone may be another value's once its archive is read again."""
    parts = (value.run.file.path, value.line, value.metric.name, value.native, value.raw, value.raw_unit)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def withdraw_file(archive_id: int, path: str, reason: str, by) -> Withdrawal:
    """Withdraw every value of a file. Raises File.DoesNotExist. Nothing changes where it is already withdrawn."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        file = archive.files.get(path=path)
        existing = archive.withdrawals.active().filter(what=What.FILE, path=path).first()
        if existing:
            return existing
        change.lock_writes()
        withdrawal = Withdrawal.objects.create(archive=archive, what=What.FILE, path=path, reason=reason, made_by=by)
        _apply(change, withdrawal, file)
    return withdrawal


def withdraw_measurement(archive_id: int, measurement_id: int, reason: str, by, shown: str | None = None) -> Withdrawal:
    """Withdraw one value. Raises Measurement.DoesNotExist where the archive has none of this id, and ChangedValueError where it has
    not the fingerprint `shown`."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        first, beyond = archive_rows.id_range(archive.pk)
        value = Measurement.objects.select_related("metric", "run__file").get(pk=measurement_id, id__gte=first, id__lt=beyond)
        if shown is not None and shown != fingerprint(value):
            raise ChangedValueError
        existing = archive.withdrawals.active().filter(what=What.MEASUREMENT, first=value.pk).first()
        if existing:
            return existing
        change.lock_writes()
        withdrawal = Withdrawal(
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
        withdrawal.nth = list(_same_printed(value.run.file, withdrawal).values_list("pk", flat=True)).index(value.pk)
        withdrawal.save()
        _apply(change, withdrawal, value.run.file)
    return withdrawal


def undo_withdrawal(withdrawal_id: int, by) -> None:
    """Undo the withdrawal of a file or measurement. Nothing happens where it was undone already."""
    with change_archive(withdrawals=withdrawal_id) as change:
        archive = change.archive
        withdrawal = archive.withdrawals.select_for_update().get(pk=withdrawal_id)
        if withdrawal.restored_at or withdrawal.what == What.ARCHIVE:
            return
        change.lock_writes()
        withdrawal.restored_at, withdrawal.restored_by = timezone.now(), by
        withdrawal.save(update_fields=["restored_at", "restored_by"])
        file = archive.files.filter(path=withdrawal.path).first()
        if file is not None and withdrawal.what == What.FILE:  # of a withdrawn archive too, whose restoration leaves it
            archive.files.filter(pk=file.pk).update(withdrawn=False)
        if file is None or archive.withdrawn_at or withdrawal.first == withdrawal.beyond:
            return
        change.update_duplicates({(file.sha256, file.config_digest)})
        file.refresh_from_db()
        if not file.withdrawn and file.duplicate_of_id is None:
            deduplication.set_counted(withdrawal.first, withdrawal.beyond, True)
        change.rebuild_own_summary(withdrawal.first, withdrawal.beyond)
        change.update_summaries()


def reapply(change: ArchiveTransaction) -> None:
    """Find among the new rows of an archive what is withdrawn, and withdraw it again. The summaries are up to date."""
    archive = change.archive
    for withdrawal in archive.withdrawals.active().exclude(what=What.ARCHIVE).order_by("pk"):
        _apply(change, withdrawal, archive.files.filter(path=withdrawal.path).first())


def _apply(change: ArchiveTransaction, withdrawal: Withdrawal, file: File | None) -> None:
    archive = change.archive
    withdrawal.first, withdrawal.beyond = _id_range(withdrawal, file)
    withdrawal.save(update_fields=["first", "beyond"])
    if file is None or withdrawal.first == withdrawal.beyond:
        return
    deduplication.set_counted(withdrawal.first, withdrawal.beyond, False)
    if withdrawal.what == What.FILE:
        archive.files.filter(pk=file.pk).update(withdrawn=True, duplicate_of=None)
    if not archive.withdrawn_at:
        change.update_duplicates({(file.sha256, file.config_digest)})
        change.rebuild_own_summary(withdrawal.first, withdrawal.beyond)
        change.update_summaries()


def _id_range(withdrawal: Withdrawal, file: File | None) -> tuple[int, int]:
    """First id and the one after the last of the withdrawn measurements; (0, 0) where there are none."""
    if file is None or not file.measurements:
        return 0, 0
    if withdrawal.what == What.FILE:
        return file.first_measurement, file.first_measurement + file.measurements
    ids = list(_same_printed(file, withdrawal).values_list("pk", flat=True)[withdrawal.nth : withdrawal.nth + 1])
    return (ids[0], ids[0] + 1) if ids else (0, 0)


def _same_printed(file: File, withdrawal: Withdrawal):
    """The file's measurements of the withdrawal's line, metric and native name."""
    return Measurement.objects.of(file).filter(line=withdrawal.line, metric__name=withdrawal.metric, native=withdrawal.native)
