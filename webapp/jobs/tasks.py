"""Celery tasks: an id in, one call, state out. The state is in the row, not in the broker, so running again is harmless."""

from __future__ import annotations

import gc
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from time import monotonic

from celery import shared_task
from django.conf import settings
from django.db.models import Exists, OuterRef

import ingest
from ingest.errors import IngestError
from webapp.accounts import blocks
from webapp.archives import exposure, reparse, statements
from webapp.files import blobs
from webapp.files.stores import DamagedBytes, MissingBytes, StoreError
from webapp.infrastructure import memory_limit
from webapp.models import Archive, Collection, Permalink
from webapp.monitoring import metrics
from webapp.monitoring.logs import about_archive
from webapp.storage import load, reading_progress
from webapp.storage.archive_lock import lock_archive
from webapp.storage.batch import Batch

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
_PROGRESS_SECONDS = 0.5  # between two writes of the progress
_findings = ingest.FindingsCache()  # archives of one machine often have the same context files


@shared_task(name="poolmark.ingest_archive", ignore_result=True, acks_late=True)
def ingest_archive(archive_id: int) -> str:
    """Read the archive if it waits to be read. Returns the outcome: read, failed, waiting (for the store), busy, gone or
    nothing-to-do."""
    with about_archive(archive_id), lock_archive(archive_id) as is_locked, _rare_collections():
        if not is_locked:
            return "busy"
        archive = (
            Archive.objects.filter(pk=archive_id).annotate(is_blocked=Exists(blocks.blocks_on(OuterRef("sha256"), None))).first()
        )
        if archive is None:
            return "gone"
        if archive.state not in (Archive.State.RECEIVED, Archive.State.READING):
            return "nothing-to-do"
        outcome = _counted(_read(archive, archive.is_blocked))
        while outcome == "read" and Archive.objects.filter(pk=archive_id, state=Archive.State.RECEIVED).exists():
            # A statement was added while it was being read.
            archive.refresh_from_db()
            outcome = _counted(_read(archive, archive.is_blocked))
        return outcome


def _counted(outcome: str) -> str:
    metrics.READ.labels(outcome).inc()
    return outcome


def _count_files(batch: Batch) -> None:
    """Count the files of a reading by parser and status."""
    counts = Counter((report.parser or "none", report.status) for file in batch.files.values() if (report := file.report))
    for labels, n in counts.items():
        metrics.FILES.labels(*labels).inc(n)


def _read(archive: Archive, is_blocked: bool) -> str:
    if archive.attempts >= MAX_ATTEMPTS:
        return _fail(
            archive.pk, f"Reading was interrupted {MAX_ATTEMPTS} times, so it will not be tried again. The upload is kept."
        )
    if is_blocked:
        try:
            blocks.check(archive.sha256, None)
        except blocks.Blocked as blocked:
            return _fail(archive.pk, str(blocked))
    reading_progress.write_progress(
        archive.pk, state=Archive.State.READING, attempts=archive.attempts + 1, files_done=0, files_total=0
    )
    started, is_reread = monotonic(), archive.read_at is not None
    try:
        # Statements added after the row was fetched have a newer version; the archive is then read again.
        with memory_limit.limit_memory(settings.POOLMARK_READ_MEMORY):
            old = reparse.read_values_before(archive) if is_reread else None
            batch = read_batch(archive, _Progress(archive.pk))
            load.store(archive.pk, batch, archive.stated_version)
        _count_files(batch)
    except Archive.DoesNotExist:
        return "gone"
    except (IngestError, MissingBytes, DamagedBytes, MemoryError) as error:
        return _fail(archive.pk, _sentence(error))
    except StoreError as error:
        log.warning("archive %s waits: %s", archive.pk, error)  # no attempt of the archive; it is sent again
        reading_progress.write_progress(archive.pk, state=Archive.State.RECEIVED, attempts=archive.attempts)
        return "waiting"
    except Exception as error:  # whatever fails, the row must not stay `reading`
        log.exception("archive %s could not be read", archive.pk)
        return _fail(archive.pk, f"Reading failed because of a bug in Poolmark ({type(error).__name__}). The upload is kept.")
    if is_reread:
        _keep_differences(archive, old, monotonic() - started)
    return "read"


def _sentence(error: Exception) -> str:
    """Why an archive could not be read."""
    if isinstance(error, MemoryError):
        return (
            f"Reading it takes more than {settings.POOLMARK_READ_MEMORY >> 20} MiB of memory: upload it in "
            "parts, or ask the operator to raise POOLMARK_READ_MEMORY. The upload is kept."
        )
    if isinstance(error, MissingBytes | DamagedBytes):
        return f"It cannot be read: in the storage of this site, {error}. Upload it again."
    return str(error)


def _keep_differences(archive: Archive, old: dict | None, seconds: float) -> None:
    """Keep what the reading changed; the archive is read whether that works or not."""
    try:
        reparse.compare_readings(archive, old, seconds)
    except Exception:
        log.exception("the differences of archive %s could not be kept", archive.pk)


def read_batch(archive: Archive, progress: _Progress | None = None) -> Batch:
    """The records of the archive's bytes and of the statements about it, with nothing written."""
    stated = statements.active_statements(archive)
    batch = Batch(archive.pk)
    if progress is not None:
        progress.batch = batch
    with blobs.local_path(archive.sha256) as kept:
        path = str(kept)
        batch.gather(ingest.read([path], stated, names={path: archive.name}, progress=progress, cache=_findings))
    return batch


@shared_task(name="poolmark.search_exposure", ignore_result=True, acks_late=True)
def search_exposure(archive_id: int) -> None:
    """Search a large archive for what its owner may not want to publish, once."""
    archive = Archive.objects.filter(pk=archive_id).first()
    if archive is not None and not exposure.is_searched(archive):
        exposure.search(archive)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Raise the thresholds of the garbage collector: records are many and have no reference cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(200_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _fail(archive_id: int, sentence: str) -> str:
    Archive.objects.filter(pk=archive_id).update(state=Archive.State.FAILED, failure=sentence)
    return "failed"


@shared_task(name="poolmark.render_permalink", ignore_result=True, acks_late=True)
def render_permalink(name: str) -> list[str]:
    """Make the missing files of a permalink, the bundle last. Returns the names of the drawn ones."""
    from webapp.permalinks import rendering  # here, so that workers that read archives start sooner
    from webapp.permalinks.bundles import permalink_bundle

    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return []
    names = rendering.render_all(permalink)
    permalink_bundle.get_bundle(permalink)
    return names


@shared_task(name="poolmark.bundle_collection", ignore_result=True, acks_late=True)
def bundle_collection(name: str) -> None:
    """Make the bundle of a collection, and the missing bundles of its permalinks."""
    from webapp.permalinks.bundles import collection_bundle

    collection = Collection.objects.filter(pk=name).first()
    if collection is not None:
        collection_bundle.get_bundle(collection)


@shared_task(name="poolmark.make_public_data", ignore_result=True, acks_late=True)
def make_public_data(day: str) -> str:
    """Make the edition of a date of everything public as files."""
    from webapp.bulk import editions

    return editions.make(date.fromisoformat(day))


@shared_task(name="poolmark.sweep_public_data", ignore_result=True, acks_late=True)
def sweep_public_data() -> str:
    """Take out of the public data as files what is no longer public."""
    from webapp.bulk import editions

    return editions.sweep()


class _Progress:
    """Writes the progress of a reading at most every half second, outside of any transaction; once it has, also the beginning
    and end of each step."""

    def __init__(self, archive_id: int) -> None:
        self.archive_id, self.last, self.has_written = archive_id, monotonic(), False
        self.batch: Batch | None = None
        """What was gathered so far."""

    def __call__(self, done: int, total: int | None, measurements: int) -> None:
        if monotonic() - self.last >= _PROGRESS_SECONDS or (self.has_written and done in (0, total)):
            self.last, self.has_written = monotonic(), True
            found = self.batch.found if self.batch else {}
            reading_progress.write_progress(
                self.archive_id, files_done=done, files_total=total or 0, measurements=measurements, **found
            )


def _register_old_names() -> None:
    """Messages of version 0.1 name tasks by their former module; those still queued are accepted for one version."""
    for task in (ingest_archive, render_permalink, bundle_collection):
        shared_task(task.run, name=f"webapp.tasks.{task.run.__name__}", ignore_result=True, acks_late=True)


_register_old_names()
