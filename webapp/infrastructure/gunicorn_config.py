"""Gunicorn's hooks that spread readers over the processes: p95 of eight readers 4 to 29 % lower, p50 24 % lower to 15 % higher.

A kept connection stays with the process that accepted it, so of eight readers six may share one process while the other is
idle. A request that meets another in its process therefore closes its connection with the answer, and the next one is
accepted by whichever process is free first. A request that takes longer than `YOUNG` (a slow upload, a stream) does not count.
"""

from __future__ import annotations

import time
from typing import Any

from gunicorn.http.message import Request
from gunicorn.workers.base import Worker

worker_class = "gthread"
YOUNG = 0.1
"""Seconds for which a request counts."""
_begun: dict[Request, float] = {}
"""When the requests began that this process works on."""


def pre_request(worker: Worker, request: Request) -> None:
    """Gunicorn's hook before each request, in the thread that answers it."""
    now = time.monotonic()
    if any(now - begun < YOUNG for begun in list(_begun.values())):
        request.force_close()
    _begun[request] = now


def post_request(worker: Worker, request: Request, environ: dict[str, Any], response: Any) -> None:
    """Gunicorn's hook after each request, also after one that failed."""
    _begun.pop(request, None)
