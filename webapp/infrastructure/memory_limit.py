"""How much memory a reading may take: a file that needs more costs itself, never the machine."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")  # Linux; elsewhere the kernel counts other things under this limit, and none is set


@contextmanager
def limit_memory(more: int) -> Iterator[None]:
    """Whoever asks within for more than so many bytes beyond what the process has gets a MemoryError instead."""
    if not _STATM.exists():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(_STATM.read_text().split()[5]) * resource.getpagesize() + more
    allowed = min((limit for limit in (before, hard) if limit != resource.RLIM_INFINITY), default=wanted)
    resource.setrlimit(resource.RLIMIT_DATA, (min(wanted, allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))
