"""Records -> rows, and every change of who sees them: each one transaction that leaves the summary true.

The order of locks and steps is in `archive_transaction`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.utils import timezone

from ingest.records import CAPTURED, Evidence, Record
from webapp.models import Archive, Withdrawal
from webapp.models.summary import ACCEPTED
from webapp.storage import archive_rows, deduplication, summary_writer, withdrawals
from webapp.storage.archive_rows import InsertedRows
from webapp.storage.archive_transaction import ArchiveTransaction, change_archive, change_archives, save_dimensions
from webapp.storage.batch import Batch
from webapp.storage.configuration_rows import DimensionIds
from webapp.storage.pg_copy import replace_unstorable
from webapp.storage.summary_writer import Aggregate, SummaryKey

# The progress of reading an archive, in its row.

_BEGAN = """greatest(clock_timestamp(), (
    SELECT began_at + interval '1 microsecond' FROM webapp_archive WHERE began_at IS NOT NULL ORDER BY began_at DESC LIMIT 1
))"""
"""After every reading that began before, also where a clock was ahead then: whose turn is next follows from the order."""


def write_beginning(archive_id: int, attempts: int) -> None:
    """Say in the archive's row that its reading begins. One that begins at the same moment may have the same time."""
    _write(
        archive_id,
        {"state": Archive.State.READING, "attempts": attempts, "files_done": 0, "files_total": 0},
        f", began_at = {_BEGAN}",
    )


def write_progress(archive_id: int, **columns: int | str) -> None:
    """Set columns of the archive's row without waiting for the disk.

    If the database server crashes within the second, the row has its previous values, which loses no bytes or values: an
    archive that is `received` is read all the same. What the reading stores waits for the disk.
    """
    _write(archive_id, columns)


def _write(archive_id: int, columns: Mapping[str, int | str], more: str = "") -> None:
    assignments = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in columns) + more
    with connection.cursor() as cursor:  # one statement, since it is executed very often
        cursor.execute(
            "WITH soon AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"  # noqa: S608 names and conditions are constants of the code; values are parameters
            f" UPDATE webapp_archive SET {assignments} FROM soon WHERE id = %s",
            [*columns.values(), archive_id],
        )


# What a `poolmark.toml` states about the archive as a whole: title, authors, licence and the like.

_FIELDS = {"title": "title", "authors": "authors", "licence": "licence", "published_in": "published_in", "caveat": "caveat"}
_CAPTURES = 10  # of one archive, of which the sentence is kept


def read_archive_fields(evidence: Iterable[Evidence]) -> dict[str, str | int]:
    """Fields of `Archive` by the stated evidence; of several manifests, the one nearest to the root wins for each key."""
    stated = [e for e in evidence if e.kind == "stated" and isinstance(e.value, str)]
    values: dict[str, str] = {}
    for e in sorted(stated, key=lambda e: (e.file.count("/"), e.file), reverse=True):
        values[e.key] = replace_unstorable(e.value)
    captured = [e.value for e in stated if e.key == CAPTURED]
    fields: dict[str, str | int] = {field: values[key] for key, field in _FIELDS.items() if key in values}
    fields["captured"] = "; ".join(captured[:_CAPTURES])
    if "doi" in values and "published_in" not in fields:
        fields["published_in"] = f"doi:{values['doi'].removeprefix('doi:').removeprefix('https://doi.org/')}"
    if re.fullmatch(r"[12]\d{3}", values.get("year", "")):
        fields["year"] = int(values["year"])
    if re.fullmatch(r"[\w-]{1,50}", values.get("study", ""), re.ASCII):
        fields["study"] = values["study"]
    return fields


# Where the runs of an archive went that is read again: from which configuration to which.

_CAPTURE = """CREATE TEMP TABLE previous_runs ON COMMIT DROP AS
SELECT f.path, r.first_line, r.tool, r.configuration_id FROM webapp_run r JOIN webapp_file f ON f.id = r.file_id
WHERE r.archive_id = %s"""
_WRITE = """INSERT INTO webapp_configurationmove (archive_id, previous_id, current_id)
SELECT DISTINCT r.archive_id, p.configuration_id, r.configuration_id FROM previous_runs p
JOIN webapp_file f ON f.archive_id = %s AND f.path = p.path
JOIN webapp_run r ON r.archive_id = f.archive_id AND r.file_id = f.id AND r.first_line = p.first_line AND r.tool = p.tool
WHERE r.configuration_id <> p.configuration_id ON CONFLICT DO NOTHING"""


def capture(archive_id: int) -> None:
    """Keep the configurations of the archive's runs, to the end of the transaction, before their rows are deleted."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS previous_runs")
        cursor.execute(_CAPTURE, [archive_id])


def write(archive_id: int) -> None:
    """Store which configurations the new runs are on that stand where captured ones stood."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE previous_runs")
        cursor.execute(_WRITE, [archive_id])


def store(archive_id: int, records: Iterable[Record] | Batch, stated_version: int | None = None) -> Archive:
    """Replace what the database has of the archive by its records; state `read`.

    `stated_version`: that of the statements with which the records were read; where statements were added since, the
    state is `received`, since the archive has to be read again.
    Raises Archive.DoesNotExist where the archive was deleted meanwhile.
    """
    batch = records if isinstance(records, Batch) else Batch.from_records(records, archive_id)
    with change_archive(pk=archive_id) as change:
        ids = save_dimensions([change], [batch])
        _settle(change, ArchiveBatch(batch, stated_version), *_insert(change, batch, ids))
    return change.archive


class ArchiveBatch(NamedTuple):
    """What was read of an archive, with the version of the statements it was read with."""

    batch: Batch
    stated_version: int | None


def store_together(batches: Mapping[int, ArchiveBatch]) -> set[int]:
    """Like `store`, of several archives in one transaction: dimensions are saved and the shared rows updated once for all.

    Returns the ids of the archives that are there; those deleted meanwhile are left out.
    """
    with change_archives(batches) as changes:
        ids = save_dimensions(changes, [batches[change.archive.pk].batch for change in changes])
        # Rows of those that were never read go in before the write lock is taken.
        changes.sort(key=lambda change: change.archive.read_at is not None)
        new = {
            change.archive.pk: _insert(change, batches[change.archive.pk].batch, ids) for change in changes if not change.is_reread
        }
        for change in changes:
            one = batches[change.archive.pk]
            _settle(change, one, *(new.pop(change.archive.pk, None) or _insert(change, one.batch, ids)))
    return {change.archive.pk for change in changes}


def _insert(change: ArchiveTransaction, batch: Batch, ids: DimensionIds) -> tuple[InsertedRows, dict[SummaryKey, Aggregate]]:
    """The new rows in place of those before, and the archive's own summary, which is written where there was none."""
    archive = change.archive
    if change.is_reread:
        capture(archive.pk)
        change.remove_rows()
    rows = change.insert_rows(batch, ids)
    if change.is_reread:
        write(archive.pk)
    summary = {} if archive.withdrawn_at else rows.aggregate()
    if not change.is_reread:
        summary_writer.write(archive.pk, summary)
    return rows, summary


def _settle(change: ArchiveTransaction, one: ArchiveBatch, rows: InsertedRows, summary: dict[SummaryKey, Aggregate]) -> None:
    """Decide which of the new rows count, and have the summaries follow."""
    change.lock_writes()
    summary = _decide_counted(change, rows, summary, change.is_reread)
    if change.is_reread:
        change.replace_own_summary(summary)
    else:
        change.add_to_shared()
    change.update_summaries()
    if change.is_reread:
        withdrawals.reapply(change)
    _mark_read(change.archive, one.batch, one.stated_version)


def _decide_counted(
    change: ArchiveTransaction, rows: InsertedRows, summary: dict[SummaryKey, Aggregate], is_reread: bool
) -> dict[SummaryKey, Aggregate]:
    """Decide which of the new rows count; the archive's own summary. Of a first reading it is written again where some do not."""
    archive = change.archive
    keys = rows.file_keys | change.previous_files if is_reread else deduplication.find_shared_keys(archive.pk, rows.file_keys)
    change.update_duplicates(() if archive.withdrawn_at else keys)
    if archive.withdrawn_at:
        deduplication.set_counted(rows.first, rows.end, False)
    elif uncounted := change.take_uncounted_ranges():
        # Files that count in another archive, which is seen only now. Rare enough to write the rows twice.
        summary = rows.aggregate(without=uncounted)
        if not is_reread:
            summary_writer.drop(archive.pk)
            summary_writer.write(archive.pk, summary)
    return summary


def _mark_read(archive: Archive, batch: Batch, stated_version: int | None) -> None:
    is_current, files = stated_version in (None, archive.stated_version), len(batch.files)
    columns = {
        "state": Archive.State.READ if is_current else Archive.State.RECEIVED,
        "failure": "",
        "read_at": timezone.now(),
        "files_total": files,
        "files_done": files,
        "measurements": batch.measurements - batch.rank_values,
        "rank_values": batch.rank_values,
        "unmeasured": batch.unmeasured,
        "warnings": batch.warnings,
        "attempts": 0,
        **batch.found,
    }
    # A title that was given with the upload stays, and so does a chosen licence.
    stated = read_archive_fields(batch.evidence)
    columns |= {name: value for name, value in stated.items() if not (name in ("title", "licence") and getattr(archive, name))}
    for name, value in columns.items():
        setattr(archive, name, value)
    Archive.objects.filter(pk=archive.pk).update(**columns)  # cheaper than `save`


def describe(
    archive_id: int, title: str | None = None, description: str | None = None, labels: Mapping[str, str] | None = None
) -> bool:
    """Set the title, empty for that of the file, the description and the labels, each where one is given. False where they are so
    already."""
    wanted = {"title": title, "description": description, "labels": labels}
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        changed = [name for name, value in wanted.items() if value is not None and value != getattr(archive, name)]
        if not changed:
            return False
        change.lock_writes()  # pages that show them have to be made anew
        for name in changed:
            setattr(archive, name, wanted[name])
        archive.save(update_fields=changed)
    return True


def publish(archive_id: int, licence: str = "") -> bool:
    """Let everybody see it, under the licence where one is given. False where nothing happens: it is already public, or
    withdrawn."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if archive.published_at or archive.withdrawn_at:
            return False
        change.lock_writes()
        archive.published_at, archive.licence = timezone.now(), licence or archive.licence
        archive.save(update_fields=["published_at", "licence"])
        change.update_duplicates(deduplication.read_file_keys(archive.pk))
        change.update_own_summary()
        change.add_to_shared()
        change.update_summaries()
    return True


def unpublish(archive_id: int) -> bool:
    """Make it private to its owner again. False where nothing happens: it is private already, or withdrawn."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if not archive.is_public:
            return False
        change.lock_writes()
        change.capture_previous()
        archive.published_at = None
        archive.save(update_fields=["published_at"])
        change.update_duplicates(change.previous_files)
        change.update_summaries()
    return True


def accept(archive_id: int, reason: str, by=None) -> bool:
    """Let its values enter front pages, presets and the default comparison while it is public.

    Acceptance stays through `unpublish` and `withdraw`. False where nothing happens: it is already accepted, or not public,
    or not read yet.
    """
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if archive.is_accepted or not archive.is_public or archive.read_at is None:
            return False
        change.lock_writes()
        _save_acceptance(archive, timezone.now(), reason, by)
        change.update_duplicates(deduplication.read_file_keys(archive.pk))
        change.update_own_summary()
        change.add_to_shared([ACCEPTED])
        change.update_summaries()
    return True


def revoke_acceptance(archive_id: int) -> bool:
    """Undo `accept`; the archive stays as visible as it is. False where it is not accepted."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if not archive.is_accepted:
            return False
        change.lock_writes()
        change.capture_previous(leaving=[ACCEPTED])
        _save_acceptance(archive, None, "", None)
        change.update_duplicates(change.previous_files)
        change.update_summaries()
    return True


def _save_acceptance(archive: Archive, at: datetime | None, reason: str, by) -> None:
    archive.accepted_at, archive.accepted_reason, archive.accepted_by = at, reason, by
    archive.save(update_fields=["accepted_at", "accepted_reason", "accepted_by"])


def withdraw(archive_id: int, reason: str, by=None) -> bool:
    """Take it out of every comparison; the row stays with the reason. `restore` undoes it. False where it is withdrawn."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if archive.withdrawn_at:
            return False
        change.lock_writes()
        change.capture_previous()
        archive.withdrawn_at, archive.withdrawn_reason = timezone.now(), reason
        archive.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        Withdrawal.objects.create(archive=archive, what=Withdrawal.What.ARCHIVE, reason=reason, made_by=by)
        summary_writer.drop(archive.pk)
        archive.files.update(duplicate_of=None)
        deduplication.set_counted(*archive_rows.id_range(archive.pk), False)
        change.update_duplicates(change.previous_files)
        change.update_summaries()
    return True


def restore(archive_id: int, by=None) -> bool:
    """Undo the withdrawal of the archive; withdrawals of its files and values stay. False where it is not withdrawn."""
    with change_archive(pk=archive_id) as change:
        archive = change.archive
        if not archive.withdrawn_at:
            return False
        change.lock_writes()
        archive.withdrawn_at, archive.withdrawn_reason = None, ""
        archive.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        archive.withdrawals.active().filter(what=Withdrawal.What.ARCHIVE).update(restored_at=timezone.now(), restored_by=by)
        first, beyond = archive_rows.id_range(archive.pk)
        deduplication.set_counted(first, beyond, True)
        change.update_duplicates(deduplication.read_file_keys(archive.pk))
        change.rebuild_own_summary(first, beyond)
        change.update_summaries()
    return True


def delete(archive_id: int) -> None:
    """Delete every row of it. Its bytes stay for others who uploaded the same (see `blobs.delete_blob`)."""
    with change_archive(pk=archive_id) as change:
        change.remove_rows()
        summary_writer.drop(archive_id)
        change.update_duplicates(change.previous_files)
        change.update_summaries()
        change.archive.delete()
