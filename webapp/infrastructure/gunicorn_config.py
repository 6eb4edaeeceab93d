"""Gunicorn's hooks: they distribute readers over the processes, which lowers the 95th percentile of response times, give
memory back, and ask a new process for its first pages.

A keep-alive connection stays with the process that accepted it, so of eight readers six may share one process while the
other is idle. A request that meets another in its process therefore closes its connection with the answer, and the next
one is accepted by a free process. A request that takes longer than `MAX_AGE` (a slow upload, a stream) does not count.
"""

from __future__ import annotations

import ctypes
import re
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from resource import getpagesize
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.db import connections
from gunicorn.http.message import Request
from gunicorn.http.wsgi import Response
from gunicorn.workers.base import Worker

worker_class = "webapp.infrastructure.bounded_worker.BoundedWorker"
MAX_AGE = 0.1
"""Seconds for which a request counts."""
_start_times: dict[Request, float] = {}
"""Of the requests in progress in this process."""


def pre_request(worker: Worker, request: Request) -> None:
    """Gunicorn's hook before each request, in the thread that answers it."""
    now = time.monotonic()
    if any(now - start < MAX_AGE for start in list(_start_times.values())):
        request.force_close()
    _start_times[request] = now


def post_request(worker: Worker, request: Request, environ: dict[str, Any], response: Any) -> None:
    """Gunicorn's hook after each request, also after one that failed."""
    _start_times.pop(request, None)
    give_back()


FIRST_PAGES = ("/", "/compare", "/rankings", "/metrics", "/archives")
"""Made by a new process before readers ask, then the newest archive: they load rows, templates and patterns of others too."""


def post_worker_init(worker: Worker) -> None:
    """Gunicorn's hook in a new process. Beside the first requests, which need not wait for pages that they do not ask for."""
    threading.Thread(target=ask_first_pages, args=(worker.wsgi,), daemon=True).start()


def ask_first_pages(application: Callable) -> None:
    """Ask the application for pages as a reader without an account would, from this machine."""
    host = f"127.0.0.1:{secrets.randbits(16)}"  # or the pages that another process has shown would come from the cache
    archives = [_ask(application, host, path) for path in FIRST_PAGES][-1]
    for address in re.findall(rb'"(/archives/\d+)"', archives)[:1]:
        _ask(application, host, address.decode())
    connections.close_all()  # which belong to this thread


def _ask(application: Callable, host: str, path: str) -> bytes:
    environ: dict[str, Any] = {"HTTP_HOST": host, "PATH_INFO": path, "QUERY_STRING": "", "HTTP_X_REQUEST_ID": "first-pages"}
    setup_testing_defaults(environ)
    with closing(application(environ, lambda *_: None)) as answer:  # which ends the request, as a server does
        return b"".join(answer)


MAX_GROWTH = 64 << 20
"""Bytes by which a process grows before freed memory is given back."""
_resident = 0


def give_back() -> None:
    """glibc keeps what was freed: after a page over a million rows hundreds of megabytes, for good."""
    global _resident
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None or _read_resident() < _resident + MAX_GROWTH:
        return
    trim(0)
    _resident = _read_resident()


def _read_resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()


_with_server = Response.default_headers


def _without_server(response: Response) -> list[str]:
    """Gunicorn's own headers but `Server`."""
    return [line for line in _with_server(response) if not line.startswith("Server:")]


Response.default_headers = _without_server  # type: ignore[method-assign]
