"""What every reading of an archive does, alone or with others: its records, its progress, its counts, what it changed."""

from __future__ import annotations

import gc
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import ingest
from ingest.errors import TooLarge
from webapp.archives import reparse, statements
from webapp.files import blobs
from webapp.infrastructure.reading_limits import FileGuard
from webapp.models import Archive
from webapp.monitoring import metrics
from webapp.storage import load
from webapp.storage.batch import Batch

log = logging.getLogger(__name__)

_PROGRESS_SECONDS = 0.5  # between two writes of the progress
_findings = ingest.FindingsCache()
"""Of files that archives of one machine have in common, in a process that reads several."""

Counts = list[tuple[tuple[str, ...], int]]
"""Labels of `metrics.READ` (one) and `metrics.FILES` (two) with numbers, counted by the process that stays."""


def count(counts: Counts) -> None:
    """Add them to the metrics of this process."""
    for labels, n in counts:
        (metrics.FILES if len(labels) == 2 else metrics.READ).labels(*labels).inc(n)


def file_counts(batch: Batch) -> Counts:
    """The files of a reading by parser and status."""
    found = Counter((report.parser or "none", report.status) for file in batch.files.values() if (report := file.report))
    return list(found.items())


def keep_differences(archive: Archive, old: list[tuple] | None, seconds: float) -> None:
    """Keep what the reading changed; the archive is read whether that works or not."""
    try:
        reparse.compare_readings(archive, old, seconds)
    except Exception:
        log.exception("the differences of archive %s could not be kept", archive.pk)


def read_batch(archive: Archive, progress: Progress | None = None, guard: FileGuard | None = None) -> Batch:
    """The records of the archive's bytes and of the statements about it, with nothing written."""
    stated = statements.active_statements(archive)
    batch = Batch(archive.pk)
    if progress is not None:
        progress.batch = batch
    with blobs.local_path(archive.sha256) as kept:
        path = str(kept)
        names = {path: archive.name}
        batch.gather(ingest.read([path], stated, names=names, progress=progress, cache=_findings, guard=guard))
    return batch


@contextmanager
def rare_collections() -> Iterator[None]:
    """Raise the thresholds of the garbage collector: records are many and have no reference cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(200_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


class Progress:
    """Writes the progress of a reading at most every half second, outside of any transaction; once it has, also the beginning
    and end of each step."""

    def __init__(self, archive_id: int, most: int | None = None) -> None:
        self.archive_id, self.last, self.has_written, self.most = archive_id, monotonic(), False, most
        self.batch: Batch | None = None
        """What was gathered so far."""

    def __call__(self, done: int, total: int | None, measurements: int) -> None:
        """Raises TooLarge where there are more values than `most`."""
        if self.most is not None and measurements > self.most:
            raise TooLarge(f"It gives more than {self.most} values, too many for its size. Upload it in parts.")
        if monotonic() - self.last >= _PROGRESS_SECONDS or (self.has_written and done in (0, total)):
            self.last, self.has_written = monotonic(), True
            found = self.batch.found if self.batch else {}
            load.write_progress(self.archive_id, files_done=done, files_total=total or 0, measurements=measurements, **found)
