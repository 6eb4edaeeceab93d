"""Celery tasks: an id in, one call, state out. The state is in the row, not in the broker, so running again is harmless."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import wraps
from time import monotonic
from typing import Any

from celery import current_task, shared_task
from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, F, OuterRef

from ingest.errors import IngestError
from webapp.accounts import blocklist
from webapp.archives import exposure, reparse
from webapp.files import stores
from webapp.files.stores import DamagedBytes, MissingBytes, StoreError
from webapp.infrastructure import readiness, reading_limits
from webapp.infrastructure.reading_limits import FileGuard, archive_limits
from webapp.jobs import reading_process, state
from webapp.jobs.reading import Counts, Progress, count, file_counts, keep_differences, rare_collections, read_batch
from webapp.models import Archive, Collection, Permalink
from webapp.monitoring.logs import about_archive
from webapp.storage import load
from webapp.storage.locks import is_archive_locked, lock_archive

log = logging.getLogger(__name__)


@shared_task(name="poolmark.ingest_archive", ignore_result=True, acks_late=True)
def ingest_archive(archive_id: int) -> str:
    """Read the archive if it waits to be read. Returns the outcome: read, failed, busy, gone, nothing-to-do,
    waiting (for the store, a disk or the database), and for a worker also slow or interrupted.

    For a worker a message is a turn: it reads, in a process of its own, the archive whose turn it is in the message's queue.
    """
    request = current_task.request if current_task else None
    if request is None or request.called_directly or request.is_eager:
        outcome, counts = _ingest(archive_id, FileGuard())
        count(counts)
        return outcome
    return take_turn((request.delivery_info or {}).get("routing_key") or state.LARGE)


def send_archive(archive_id: int) -> None:
    """Send the message of an archive that waits to be read to the queue of its size."""
    ingest_archive.apply_async((archive_id,), queue=state.queue_of(archive_id))


def take_turn(queue: str) -> str:
    """Read the archive whose turn it is in the queue, in a process of its own; returns the outcome."""
    busy: list[int] = []
    while (archive_id := state.find_next(queue, busy)) is not None:
        outcome = "busy" if is_archive_locked(archive_id) else _read_apart(archive_id, as_small=queue == state.SMALL)
        if outcome not in ("busy", "gone", "nothing-to-do"):
            return outcome
        busy.append(archive_id)  # another worker was faster
    return "nothing-to-do"


def _read_apart(archive_id: int, as_small: bool) -> str:
    """Read the archive in a process with limits by its size. What ends that process is the archive's, or one of its files'."""
    size = Archive.objects.filter(pk=archive_id).values_list("size", flat=True).first() or 0
    limits = archive_limits(size, as_small)
    ended = reading_process.run_reader(lambda guard: _ingest(archive_id, guard), limits)
    if ended.result is not None:
        outcome, counts = ended.result
    elif as_small and ended.is_late:
        # No attempt: it is read with the large ones, so that the other small ones do not wait.
        rows = Archive.objects.filter(pk=archive_id, state=Archive.State.READING)
        rows.update(state=Archive.State.RECEIVED, is_slow=True, attempts=F("attempts") - 1)
        send_archive(archive_id)
        return "slow"
    elif ended.signal_number == signal.SIGXCPU or ended.path:
        what = f"its file {ended.path}" if ended.path else "it"
        took = f"{limits.wall:.0f} s" if ended.is_late else f"{limits.cpu} s of CPU time, or ended its process again and again"
        sentence = f"Reading {what} took more than {took}: "
        outcome = _fail(archive_id, f"{sentence}upload it in parts, or without what is no result. The upload is kept.")
        counts = [((outcome,), 1)]
    else:
        log.warning("the reading of archive %s was interrupted (signal %s)", archive_id, ended.signal_number or "none")
        outcome, counts = "interrupted", [(("interrupted",), 1)]
    count(counts)
    return outcome


def _ingest(archive_id: int, guard: FileGuard) -> tuple[str, Counts]:
    """Read the archive in this process, if it waits to be read; the outcome, and what is to be counted."""
    counts: Counts = []
    with about_archive(archive_id), lock_archive(archive_id) as is_locked, rare_collections():
        if not is_locked:
            return "busy", counts
        archive = (
            Archive.objects.filter(pk=archive_id).annotate(is_blocked=Exists(blocklist.blocks_on(OuterRef("sha256"), None))).first()
        )
        if archive is None:
            return "gone", counts
        if archive.state not in (Archive.State.RECEIVED, Archive.State.READING):
            return "nothing-to-do", counts
        outcome = _read(archive, archive.is_blocked, guard, counts)
        while outcome == "read" and Archive.objects.filter(pk=archive_id, state=Archive.State.RECEIVED).exists():
            # A statement was added while it was being read.
            archive.refresh_from_db()
            outcome = _read(archive, archive.is_blocked, guard, counts)
        return outcome, counts


def _read(archive: Archive, is_blocked: bool, guard: FileGuard, counts: Counts) -> str:
    outcome = _read_once(archive, is_blocked, guard, counts)
    counts.append(((outcome,), 1))
    return outcome


def _read_once(archive: Archive, is_blocked: bool, guard: FileGuard, counts: Counts) -> str:
    if archive.attempts >= state.MAX_ATTEMPTS:
        return _fail(
            archive.pk, f"Reading was interrupted {state.MAX_ATTEMPTS} times, so it will not be tried again. The upload is kept."
        )
    if is_blocked:
        try:
            blocklist.check(archive.sha256, None)
        except blocklist.Blocked as blocked:
            return _fail(archive.pk, str(blocked))
    attempts = archive.attempts + (not guard.skipped)  # going on without a file is the same attempt
    load.write_beginning(archive.pk, attempts)
    started, is_reread = monotonic(), archive.read_at is not None
    try:
        # Statements added after the row was fetched have a newer version; the archive is then read again.
        stores.check_space(archive.size)
        with reading_limits.limit_memory(settings.POOLMARK_READ_MEMORY):
            old = reparse.read_values_before(archive) if is_reread else None
            batch = read_batch(archive, Progress(archive.pk, archive_limits(archive.size).values), guard)
            load.store(archive.pk, batch, archive.stated_version)
        counts += file_counts(batch)
    except Archive.DoesNotExist:
        return "gone"
    except (IngestError, StoreError, MissingBytes, DamagedBytes, MemoryError) as error:
        return _wait(archive.pk, error) if readiness.is_site_failure(error) else _fail(archive.pk, _sentence(error))
    except Exception as error:  # whatever fails, the row must not stay `reading`
        if readiness.is_site_failure(error):
            return _wait(archive.pk, error)
        log.exception("archive %s could not be read", archive.pk)
        return _fail(archive.pk, f"Reading failed because of a bug in Poolmark ({type(error).__name__}). The upload is kept.")
    if is_reread:
        keep_differences(archive, old, monotonic() - started)
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


def _waits_for_room(task: Callable[..., Any]) -> Callable[..., Any]:
    """A task that finds the disk full ends as if it had not begun: the reconciler sends it again, or the next reader's request."""

    @wraps(task)
    def run(*args: Any) -> Any:
        try:
            return task(*args)
        except Exception as error:
            if not readiness.is_disk_full(error):
                raise
            log.warning("%s %s waits for room on the disk", task.__name__, args)
            return None

    return run


@shared_task(name="poolmark.search_exposure", ignore_result=True, acks_late=True)
@_waits_for_room
def search_exposure(archive_id: int) -> None:
    """Search a large archive for what its owner may not want to publish, once."""
    archive = Archive.objects.filter(pk=archive_id).first()
    if archive is not None and not exposure.is_searched(archive):
        exposure.search(archive)


def _wait(archive_id: int, error: BaseException) -> str:
    """The site failed and not the archive: it waits to be read again, which is no attempt."""
    log.warning("archive %s waits: %s", archive_id, type(error).__name__)
    with suppress(DatabaseError):  # what cannot be written now is `reading`, which the reconciler finds as well
        Archive.objects.filter(pk=archive_id).update(state=Archive.State.RECEIVED, attempts=F("attempts") - 1)
    return "waiting"


def _fail(archive_id: int, sentence: str) -> str:
    Archive.objects.filter(pk=archive_id).update(state=Archive.State.FAILED, failure=sentence)
    return "failed"


@shared_task(name="poolmark.render_permalink", ignore_result=True, acks_late=True)
@_waits_for_room
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
@_waits_for_room
def bundle_collection(name: str) -> None:
    """Make the bundle of a collection, and the missing bundles of its permalinks."""
    from webapp.permalinks.bundles import collection_bundle

    collection = Collection.objects.filter(pk=name).first()
    if collection is not None:
        collection_bundle.get_bundle(collection)


@shared_task(name="poolmark.make_public_data", ignore_result=True, acks_late=True)
@_waits_for_room
def make_public_data(day: str) -> str:
    """Make the edition of a date of everything public as files."""
    from webapp.bulk import editions

    return editions.make(date.fromisoformat(day))


@shared_task(name="poolmark.sweep_public_data", ignore_result=True, acks_late=True)
@_waits_for_room
def sweep_public_data() -> str:
    """Take out of the public data as files what is no longer public."""
    from webapp.bulk import editions

    return editions.sweep()


@shared_task(name="poolmark.deliver_webhook", ignore_result=True, acks_late=True)
def deliver_webhook(hook_id: int) -> str:
    """Deliver what waits for a webhook."""
    from webapp.jobs import hooks

    return hooks.deliver(hook_id)


@shared_task(name="poolmark.ask_permalinks_again", ignore_result=True, acks_late=True)
def ask_permalinks_again(owner_id: int) -> int:
    """Find claims of an account's permalinks that today's data turn."""
    from webapp.jobs import turned

    return turned.look(owner_id)
