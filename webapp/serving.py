"""How gunicorn serves: one queue for all processes, and one request in hand for each.

The threads of a process share one interpreter. Were every connection taken at once, of eight readers six would stand at one
process and two at the other, and stay there as long as they keep their connections; those at the full one would share its
time and all be late. A process therefore takes a connection only while it has no request in hand, which leaves the others
in the queue of the socket, and while somebody stands there it ends connections with their answer, so that their next request
queues as well. What takes longer than `YOUNG` (a slow upload, a stream, a drawing) keeps a thread but nobody out.
"""
from __future__ import annotations

import select
import socket
import time
from concurrent.futures import Future

from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn, ThreadWorker

IN_HAND, YOUNG = 1, 0.1
"""Requests that a process has in hand before it takes no further connection; seconds for which one counts."""


class Worker(ThreadWorker):
    """Gunicorn's threaded worker, which takes connections only while it has a hand free."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self._begun: dict[TConn, float] = {}
        self._full = False

    def in_hand(self) -> int:
        """How many young requests there are. Other threads may ask."""
        since = time.monotonic() - YOUNG
        return sum(begun > since for begun in list(self._begun.values()))

    def awaited(self) -> bool:
        """Whether connections stand in the queue of a socket."""
        return bool(select.select(self.sockets, (), (), 0)[0])

    def enqueue_req(self, conn: TConn) -> None:
        self._begun[conn] = time.monotonic()
        super().enqueue_req(conn)

    def finish_request(self, conn: TConn, fs: Future) -> None:
        self._begun.pop(conn, None)
        super().finish_request(conn, fs)

    def accept(self, listener: socket.socket) -> None:
        self._full = self.in_hand() >= IN_HAND
        if not self._full:
            super().accept(listener)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        self._full = self._full and self.in_hand() >= IN_HAND
        if self._full:
            self.set_accept_enabled(False)
        super().wait_for_and_dispatch_events(min(timeout, YOUNG) if self._full else timeout)


def pre_request(worker: Worker, request: Request) -> None:
    """Gunicorn's hook before each request: while others wait, the connection ends with the answer."""
    if worker.in_hand() > IN_HAND or worker.awaited():
        request.must_close = True


worker_class = Worker
