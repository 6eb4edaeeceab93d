"""Celery: an id in, one call, state out. The row, not the broker, knows the state, so running again is harmless."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from celery import shared_task
from django.conf import settings
from django.db.models import Exists, OuterRef

import ingest
from ingest.errors import IngestError
from webapp.accounts import blocks
from webapp.archives import statements
from webapp.files import blobs
from webapp.infrastructure import memory_limit
from webapp.models import Archive, Collection, Permalink
from webapp.storage import load, reading_progress
from webapp.storage.archive_lock import lock_archive
from webapp.storage.batch import Batch

log = logging.getLogger(__name__)

ATTEMPTS = 5
_EVERY = 0.5  # seconds between two notes of progress
_known = ingest.FindingsCache()  # what the context files of one archive told: those of a machine's archives are often the same


@shared_task(name="poolmark.ingest_archive", ignore_result=True, acks_late=True)
def ingest_archive(archive_id: int) -> str:
    """Read the archive if it waits to be read; says what became of it: read, failed, busy, gone or nothing-to-do."""
    with lock_archive(archive_id) as mine, _few_collections():
        if not mine:
            return "busy"
        archive = (
            Archive.objects.filter(pk=archive_id).annotate(is_blocked=Exists(blocks.blocks_on(OuterRef("sha256"), None))).first()
        )
        if archive is None:
            return "gone"
        if archive.state not in (Archive.State.RECEIVED, Archive.State.READING):
            return "nothing-to-do"
        became = _read(archive, archive.is_blocked)
        while became == "read" and Archive.objects.filter(pk=archive_id, state=Archive.State.RECEIVED).exists():
            # Somebody stated something while it was being read.
            archive.refresh_from_db()
            became = _read(archive, archive.is_blocked)
        return became


def _read(archive: Archive, is_blocked: bool) -> str:
    if archive.attempts >= ATTEMPTS:
        return _fail(archive.pk, f"Reading was cut off {ATTEMPTS} times, so it is not tried again. The bytes are kept.")
    if is_blocked:
        try:
            blocks.check(archive.sha256, None)
        except blocks.Blocked as blocked:
            return _fail(archive.pk, str(blocked))
    reading_progress.write_progress(
        archive.pk, state=Archive.State.READING, attempts=archive.attempts + 1, files_done=0, files_total=0
    )
    try:
        # What is stated after the row was fetched is newer than its version, and the archive is read once more.
        with memory_limit.limit_memory(settings.POOLMARK_READ_MEMORY):
            batch = read_batch(archive, _Progress(archive.pk))
            load.store(archive.pk, batch, archive.stated_version)
    except Archive.DoesNotExist:
        return "gone"
    except IngestError as error:
        return _fail(archive.pk, str(error))
    except MemoryError:
        return _fail(
            archive.pk,
            f"Reading it takes more than {settings.POOLMARK_READ_MEMORY >> 20} MiB of memory: upload it in "
            "parts, or have POOLMARK_READ_MEMORY raised. The bytes are kept.",
        )
    except Exception as error:  # the outermost edge: whatever it is, the row must not stay `reading`
        log.exception("archive %s could not be read", archive.pk)
        return _fail(archive.pk, f"Reading stopped with a fault of ours ({type(error).__name__}). The bytes are kept.")
    return "read"


def read_batch(archive: Archive, progress: Callable[[int, int | None, int], None] | None = None) -> Batch:
    """The records of the archive's bytes with what was stated about it, gathered, with nothing written."""
    path = str(blobs.path(archive.sha256))
    stated = statements.active_statements(archive)
    return Batch.from_records(ingest.read([path], stated, names={path: archive.name}, progress=progress, known=_known))


@contextmanager
def _few_collections() -> Iterator[None]:
    """Records are made by the thousand and hold no cycles: looking for some among them costs a quarter of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _fail(archive_id: int, sentence: str) -> str:
    Archive.objects.filter(pk=archive_id).update(state=Archive.State.FAILED, failure=sentence)
    return "failed"


@shared_task(name="poolmark.render_permalink", ignore_result=True, acks_late=True)
def render_permalink(name: str) -> list[str]:
    """Make the files of a permalink that are not there yet, the bundle of all last; names of the drawn ones."""
    from webapp.permalinks import rendering  # here, so that whoever reads archives starts sooner
    from webapp.permalinks.bundles import permalink_bundle

    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return []
    made = rendering.render_all(permalink)
    permalink_bundle.kept(permalink)
    return made


@shared_task(name="poolmark.bundle_collection", ignore_result=True, acks_late=True)
def bundle_collection(name: str) -> None:
    """Make the bundle of a collection, and with it what is missing of its permalinks' own."""
    from webapp.permalinks.bundles import collection_bundle

    collection = Collection.objects.filter(pk=name).first()
    if collection is not None:
        collection_bundle.kept(collection)


class _Progress:
    """Notes how far the reading is, at most every half second, outside of any transaction; of what takes longer each step's
    beginning and end too."""

    def __init__(self, archive_id: int) -> None:
        self.archive_id, self.last, self.noted = archive_id, monotonic(), False

    def __call__(self, done: int, total: int | None, measurements: int) -> None:
        if monotonic() - self.last >= _EVERY or (self.noted and done in (0, total)):
            self.last, self.noted = monotonic(), True
            reading_progress.write_progress(self.archive_id, files_done=done, files_total=total or 0, measurements=measurements)


def _register_old_names() -> None:
    """Messages of version 0.1 name tasks by the module that they stood in; those still queued are answered for one version."""
    for task in (ingest_archive, render_permalink, bundle_collection):
        shared_task(task.run, name=f"webapp.tasks.{task.run.__name__}", ignore_result=True, acks_late=True)


_register_old_names()
