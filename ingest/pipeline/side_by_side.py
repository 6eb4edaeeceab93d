"""Reads several uploads in parallel processes and writes their records in the order of the paths.

Each process writes its lines to its own file, so that memory does not grow if the output is read slowly; only a few
are in progress at a time.
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

_cache = FindingsCache()  # shared by the uploads of one process
_MIN_SIZE = 1 << 17  # bytes of input below which starting processes takes longer than it saves


def count_processes(paths: Sequence[str]) -> int:
    """The number of processes: at most that of processors and of paths; 1 for little input."""
    size = sum(os.path.getsize(path) if os.path.isfile(path) else _MIN_SIZE for path in paths if os.path.exists(path))
    return min(_processors(), len(paths)) if size >= _MIN_SIZE else 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_records(paths: Sequence[str], out: BinaryIO, count: int) -> bool:
    """Write the records of every path; returns whether any was a measurement or an unmeasured value.

    Raises UnreadableInput if a path cannot be opened, after the records of those before it were written.
    """
    if count < 2:
        return _write(paths, out)
    # Imported here, since the import takes as long as a short run.
    import tempfile
    from concurrent.futures import ProcessPoolExecutor

    # Load the plug-ins once, before the fork.
    detect.parsers(), detect.readers()
    has_result = False
    with tempfile.TemporaryDirectory(prefix="ingest-") as folder, ProcessPoolExecutor(count) as pool:
        waiting: deque[tuple[Future[bool], Path]] = deque()
        for index, path in enumerate(paths):
            lines = Path(folder, str(index))
            waiting.append((pool.submit(_write_to_file, path, lines), lines))
            if len(waiting) > 2 * count:
                has_result |= _copy_result(*waiting.popleft(), out)
        while waiting:
            has_result |= _copy_result(*waiting.popleft(), out)
    return has_result


def _write(paths: Sequence[str], out: BinaryIO) -> bool:
    return RecordWriter().write(read(paths, cache=_cache), out)


def _write_to_file(path: str, lines: Path) -> bool:
    with open(lines, "wb", buffering=1 << 20) as out:
        return _write([path], out)


def _copy_result(future: Future[bool], lines: Path, out: BinaryIO) -> bool:
    has_result = future.result()
    with open(lines, "rb") as stream:
        shutil.copyfileobj(stream, out, 1 << 20)
    lines.unlink()
    return has_result
