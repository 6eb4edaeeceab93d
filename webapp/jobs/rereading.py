"""Archives that are read again, many in one transaction: what they share is updated once for all of them.

Read one by one, each archive whose values change leaves shared rows of the summary that are put together again from every other
archive: the cost of all grows with the square of their number.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic

from django.conf import settings
from django.db.models import Exists, OuterRef

from webapp.accounts import blocks
from webapp.archives import reparse
from webapp.infrastructure import memory_limit
from webapp.infrastructure.reading_limits import FileGuard, archive_limits
from webapp.jobs.reading import Progress, count, file_counts, keep_differences, rare_collections, read_batch
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive
from webapp.monitoring.logs import about_archive
from webapp.storage import load, reading_progress
from webapp.storage.archive_lock import lock_archive
from webapp.storage.batch import Batch

log = logging.getLogger(__name__)

MAX_ARCHIVES = 100
MAX_VALUES = 20_000
"""Values of one transaction, for which other writers wait some 2 s. An archive with more is read alone."""


@dataclass(frozen=True, slots=True)
class _Read:
    """`old`: of `reparse.read_values_before`; `seconds`: that reading took, without storing."""

    archive: Archive
    old: list[tuple] | None
    batch: Batch
    seconds: float


def group(archives: Iterable[Archive]) -> list[list[int]]:
    """Ids of the archives, those that are stored together in one list, by their numbers of values now."""
    groups: list[list[int]] = []
    values = 0
    for archive in archives:
        if not groups or values + archive.measurements > MAX_VALUES or len(groups[-1]) >= MAX_ARCHIVES:
            groups.append([])
            values = 0
        groups[-1].append(archive.pk)
        values += archive.measurements
    return groups


def reread_all(ids: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Read archives again, whether they wait for it or not; the id and the outcome (see `ingest_archive`) of each, once it is
    committed.

    What cannot be read or stored with others is read alone, so that an archive costs no other anything.
    """
    together = _Group()
    try:
        for pk in ids:
            Archive.objects.filter(pk=pk).exclude(state=Archive.State.READING).update(
                state=Archive.State.RECEIVED, attempts=0, failure=""
            )
            if not together.read(pk):
                yield pk, ingest_archive(pk)
            elif together.is_full:
                yield from together.store()
        yield from together.store()
    finally:
        together.clear()


class _Group:
    """Archives that are locked and read, and wait to be stored together."""

    def __init__(self) -> None:
        self._locks, self._read = ExitStack(), dict[int, _Read]()

    @property
    def is_full(self) -> bool:
        values = sum(read.batch.measurements for read in self._read.values())
        return len(self._read) >= MAX_ARCHIVES or values >= MAX_VALUES

    def read(self, pk: int) -> bool:
        """Whether the archive was read; False for one that has to be read alone."""
        with ExitStack() as locks, about_archive(pk):
            if not locks.enter_context(lock_archive(pk)):
                return False
            is_blocked = Exists(blocks.blocks_on(OuterRef("sha256"), None))
            archive = Archive.objects.exclude(is_blocked).filter(pk=pk).first()
            if archive is None or not _fits(archive):
                return False
            try:
                self._read[pk] = _read(archive)
            except Exception:  # reading it alone says what is wrong
                log.info("archive %s is read alone", pk, exc_info=True)
                return False
            self._locks.push(locks.pop_all())
        return True

    def store(self) -> Iterator[tuple[int, str]]:
        """Store what was read, and empty the group."""
        read, started = self._read, monotonic()
        if not read:
            return
        batches = {pk: load.ArchiveBatch(one.batch, one.archive.stated_version) for pk, one in read.items()}
        try:
            with memory_limit.limit_memory(settings.POOLMARK_READ_MEMORY):
                stored = load.store_together(batches)
        except Exception:
            log.warning("%s archives could not be stored together: each is read alone", len(read), exc_info=True)
            self.clear()
            yield from ((pk, ingest_archive(pk)) for pk in read)
            return
        values, seconds = sum(one.batch.measurements for one in read.values()), monotonic() - started
        for pk in stored:
            one = read[pk]
            share = one.batch.measurements / values if values else 1 / len(stored)
            keep_differences(one.archive, one.old, one.seconds + seconds * share)
            count([(("read",), 1), *file_counts(one.batch)])
        self.clear()
        waiting = set(Archive.objects.filter(pk__in=stored, state=Archive.State.RECEIVED).values_list("pk", flat=True))
        for pk in read:
            if pk in waiting:  # a statement was added while it was being read
                yield pk, ingest_archive(pk)
            else:
                yield pk, "read" if pk in stored else "gone"

    def clear(self) -> None:
        """Forget what was not stored, and unlock it."""
        self._locks.close()
        self._read = {}


def _fits(archive: Archive) -> bool:
    """Whether it was read before, no earlier attempt was cut off, and it is not too large to be stored with others."""
    return archive.read_at is not None and not archive.attempts and archive.measurements < MAX_VALUES


def _read(archive: Archive) -> _Read:
    started = monotonic()
    reading_progress.write_beginning(archive.pk, archive.attempts + 1)
    with memory_limit.limit_memory(settings.POOLMARK_READ_MEMORY), rare_collections():
        old = reparse.read_values_before(archive)
        batch = read_batch(archive, Progress(archive.pk, archive_limits(archive.size).values), FileGuard())
    return _Read(archive, old, batch, monotonic() - started)
