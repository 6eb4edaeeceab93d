"""Several uploads read at once, one process each, their lines written out in the order in which they were asked for.

A process leaves its lines in a file of its own, so that memory does not grow with what a slow reader of the output has
not taken yet; only a few are under way at a time.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ingest.detect import detect
from ingest.detect.result_cache import FindingsCache
from ingest.pipeline.jsonlines import RecordWriter
from ingest.pipeline.read import read

if TYPE_CHECKING:
    from concurrent.futures import Future

_known = FindingsCache()  # each process carries over what the files of one upload told to the next
_WORTH = 1 << 17  # bytes of input below which starting processes takes longer than it saves


def count_processes(paths: Sequence[str]) -> int:
    """How many are of use: as many as there are processors and paths; 1 where there is little to read."""
    size = sum(os.path.getsize(path) if os.path.isfile(path) else _WORTH for path in paths if os.path.exists(path))
    return min(_processors(), len(paths)) if size >= _WORTH else 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_records(paths: Sequence[str], out: BinaryIO, count: int) -> bool:
    """Writes the records of every path; whether any was a measurement.

    Raises UnreadableInput where a path cannot be opened, after what came before it was written.
    """
    if count < 2:
        return _write(paths, out)
    # Imported where there are processes to start: half of a short run's time would go into it.
    import tempfile
    from concurrent.futures import ProcessPoolExecutor

    # What every process needs is set up once, before there are several.
    detect.parsers(), detect.readers()
    found = False
    with tempfile.TemporaryDirectory(prefix="ingest-") as folder, ProcessPoolExecutor(count) as pool:
        waiting: deque[tuple[Future[bool], Path]] = deque()
        for at, path in enumerate(paths):
            lines = Path(folder, str(at))
            waiting.append((pool.submit(_aside, path, lines), lines))
            if len(waiting) > 2 * count:
                found |= _taken(*waiting.popleft(), out)
        while waiting:
            found |= _taken(*waiting.popleft(), out)
    return found


def _write(paths: Sequence[str], out: BinaryIO) -> bool:
    return RecordWriter().write(read(paths, known=_known), out)


def _aside(path: str, lines: Path) -> bool:
    with open(lines, "wb", buffering=1 << 20) as out:
        return _write([path], out)


def _taken(done: Future[bool], lines: Path, out: BinaryIO) -> bool:
    found = done.result()
    with open(lines, "rb") as stream:
        shutil.copyfileobj(stream, out, 1 << 20)
    lines.unlink()
    return found
