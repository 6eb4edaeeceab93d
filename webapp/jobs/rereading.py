"""Archives that are read many in one transaction: what they share is updated once for all of them.

Read again one by one, each archive whose values change leaves shared rows of the summary that are put together again from every
other archive: the cost of all grows with the square of their number.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from time import monotonic

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, F, OuterRef

from webapp.accounts import blocklist
from webapp.archives import reparse
from webapp.files import stores
from webapp.infrastructure import reading_limits
from webapp.infrastructure.reading_limits import FileGuard, archive_limits
from webapp.jobs.reading import Progress, count, file_counts, keep_differences, rare_collections, read_batch
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive
from webapp.monitoring.logs import about_archive
from webapp.storage import load
from webapp.storage.batch import Batch
from webapp.storage.locks import lock_archive

log = logging.getLogger(__name__)

MAX_ARCHIVES, MAX_VALUES, MAX_BYTES = 100, 20_000, 16 * 2**20
"""Of one transaction: archives, their values, for which other writers wait some 2 s, and bytes as they were uploaded. An archive
that is too large is read alone."""


@dataclass(frozen=True, slots=True)
class _Read:
    """`old`: of `reparse.read_values_before`; `seconds`: that reading took, without storing."""

    archive: Archive
    old: list[tuple] | None
    batch: Batch
    seconds: float
    lock: ExitStack = field(default_factory=ExitStack)
    """Of the archive: until it is stored or read alone no worker takes it."""


def group(archives: Iterable[Archive]) -> list[list[int]]:
    """Ids of the archives, those that are stored together in one list, by their numbers of values now."""
    groups: list[list[Archive]] = []
    for archive in archives:
        if not groups or not _fit([*groups[-1], archive]):
            groups.append([])
        groups[-1].append(archive)
    return [[archive.pk for archive in one] for one in groups]


def _fit(archives: Sequence[Archive]) -> bool:
    """Whether the archives are few and small enough to be stored together."""
    return (
        len(archives) <= MAX_ARCHIVES
        and sum(archive.measurements for archive in archives) <= MAX_VALUES
        and sum(archive.size for archive in archives) <= MAX_BYTES
    )


def reread_all(ids: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Read archives again, whether they wait for it or not; the id and the outcome (see `ingest_archive`) of each, once it is
    committed."""

    def waiting() -> Iterator[int]:
        for pk in ids:
            rows = Archive.objects.filter(pk=pk).exclude(state=Archive.State.READING)
            rows.update(state=Archive.State.RECEIVED, attempts=0, failure="")
            yield pk

    return read_together(waiting())


def read_together(ids: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Read archives that wait for it, for the first time or again.

    What cannot be read or stored with others is read alone, so that an archive costs no other anything. Interrupted, it leaves
    archives that are not stored waiting.
    """
    together = _Group()
    try:
        for pk in ids:
            if outcome := together.read(pk):
                yield pk, outcome
            elif together.is_full:
                yield from together.store()
        yield from together.store()
    finally:
        together.give_back()


class _Group:
    """Archives that are locked and read, and wait to be stored together."""

    def __init__(self) -> None:
        self._read = dict[int, _Read]()

    @property
    def is_full(self) -> bool:
        """Whether there is hardly room for another one."""
        read = self._read.values()
        return (
            len(read) >= MAX_ARCHIVES
            or sum(one.batch.measurements for one in read) >= MAX_VALUES
            or sum(one.archive.size for one in read) >= MAX_BYTES
        )

    def read(self, pk: int) -> str:
        """Read an archive; the outcome where it was read alone, empty where it waits to be stored.

        The lock that reading it alone takes is of the same session: no worker comes between.
        """
        with ExitStack() as lock, about_archive(pk):
            if not lock.enter_context(lock_archive(pk)):
                return "busy"
            is_blocked = Exists(blocklist.blocks_on(OuterRef("sha256"), None))
            archive = Archive.objects.exclude(is_blocked).filter(pk=pk).first()
            # One whose reading was cut off may be what cuts it off.
            if archive is None or archive.attempts or archive.state != Archive.State.RECEIVED or not _fit([archive]):
                return ingest_archive(pk)
            try:
                read = _read(archive)
            except Exception:  # reading it alone says what is wrong
                log.info("archive %s is read alone", pk, exc_info=True)
                _uncount_attempt(pk)
                return ingest_archive(pk)
            except BaseException:
                _uncount_attempt(pk)
                raise
            self._read[pk] = replace(read, lock=lock.pop_all())
        return ""

    def store(self) -> Iterator[tuple[int, str]]:
        """Store what was read, and empty the group."""
        if not self._read:
            return
        batches = {pk: load.ArchiveBatch(one.batch, one.archive.stated_version) for pk, one in self._read.items()}
        started = monotonic()
        try:
            with reading_limits.limit_memory(settings.POOLMARK_READ_MEMORY):
                stored = load.store_together(batches)
        except Exception:
            log.warning("%s archives could not be stored together: each is read alone", len(batches), exc_info=True)
            del batches
            yield from self._read_alone()
            return
        values, seconds = sum(one.batch.measurements for one in batches.values()), monotonic() - started
        for pk in stored:
            one = self._read[pk]
            share = one.batch.measurements / values if values else 1 / len(stored)
            if one.archive.read_at is not None:
                keep_differences(one.archive, one.old, one.seconds + seconds * share)
            count([(("read",), 1), *file_counts(one.batch)])
        # Those of which a statement was added while they were being read.
        waiting = set(Archive.objects.filter(pk__in=stored, state=Archive.State.RECEIVED).values_list("pk", flat=True))
        for pk in batches:
            outcome = "gone" if pk not in stored else ingest_archive(pk) if pk in waiting else "read"
            self._read.pop(pk).lock.close()
            yield pk, outcome

    def _read_alone(self) -> Iterator[tuple[int, str]]:
        """Each under the lock that it has, so that no worker reads it meanwhile."""
        for pk in list(self._read):
            _uncount_attempt(pk)
            outcome = ingest_archive(pk)
            self._read.pop(pk).lock.close()
            yield pk, outcome

    def give_back(self) -> None:
        """Have what was not stored wait to be read, and unlock it."""
        while self._read:
            pk, one = self._read.popitem()
            with suppress(DatabaseError):  # the reconciler finds it
                _uncount_attempt(pk)
            one.lock.close()


def _read(archive: Archive) -> _Read:
    started = monotonic()
    load.write_beginning(archive.pk, archive.attempts + 1)
    with reading_limits.limit_memory(settings.POOLMARK_READ_MEMORY), rare_collections():
        stores.check_space(archive.size)
        old = reparse.read_values_before(archive) if archive.read_at else None
        batch = read_batch(archive, Progress(archive.pk, archive_limits(archive.size).values), FileGuard())
    return _Read(archive, old, batch, monotonic() - started)


def _uncount_attempt(pk: int) -> None:
    """Have an archive wait again that is not stored."""
    rows = Archive.objects.filter(pk=pk, state=Archive.State.READING, attempts__gt=0)
    rows.update(state=Archive.State.RECEIVED, attempts=F("attempts") - 1)
