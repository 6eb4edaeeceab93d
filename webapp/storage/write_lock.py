"""The turn of a writer, and what a change leaves to be put right before its commit."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import connection

from webapp.models import Archive
from webapp.storage import bulk_insert, deduplication, summary_writer
from webapp.storage.deduplication import FileKey
from webapp.storage.summary_writer import Aggregate, SummaryKey


def lock_writes() -> None:
    """Wait until no other writer is between here and its commit, and raise the data version."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO webapp_dataversion (id, number) VALUES (1, 1)"
            " ON CONFLICT (id) DO UPDATE SET number = webapp_dataversion.number + 1"
        )


def lock_bytes(sha256: str) -> None:
    """One at a time per digest, to the commit: nobody deletes, blocks or publishes bytes that another is about to name.

    Taken before any row is locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [sha256])


@dataclass(slots=True)
class PendingChanges:
    """What a change touched and has to be put right before the commit."""

    files: set[FileKey] = field(default_factory=set)
    public: set[SummaryKey] = field(default_factory=set)
    gone: dict[SummaryKey, Aggregate] = field(default_factory=dict)
    """What an archive had in the public summary and has no longer."""


def read_file_keys(archive: Archive) -> set[FileKey]:
    """The keys of the archive's files with values, for `counting.recount`."""
    return set(archive.files.filter(measurements__gt=0).values_list("sha256", "config_digest"))


def update_summaries(
    turned: list[tuple[deduplication.DuplicateFile, bool]], stirred: PendingChanges, only_own: bool = False
) -> None:
    """Work out again the summary rows of files that began or ceased to count, and of the public keys touched."""
    for twin, _ in turned:
        keys = bulk_insert.find_summary_keys(twin.first, twin.first + twin.count)
        summary_writer.rebuild_archive(twin.archive, keys)
        if twin.published_at is not None and not only_own:
            stirred.public |= keys
    summary_writer.subtract_from_public({key: part for key, part in stirred.gone.items() if key not in stirred.public})
    summary_writer.rebuild_public(stirred.public)
