"""The memory limit of a reading: a file that needs more is not read, and the machine is not affected."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")  # Linux alone: elsewhere RLIMIT_DATA counts other memory, and no limit is set


@contextmanager
def limit_memory(extra: int) -> Iterator[None]:
    """Raise MemoryError in the block once the process grows by more than `extra` bytes."""
    if not _STATM.exists():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit_bytes = int(_STATM.read_text().split()[5]) * resource.getpagesize() + extra
    allowed = min((limit for limit in (before, hard) if limit != resource.RLIM_INFINITY), default=limit_bytes)
    resource.setrlimit(resource.RLIMIT_DATA, (min(limit_bytes, allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))
