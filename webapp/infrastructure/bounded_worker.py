"""Gunicorn's threads without slow clients in them: who sends or takes a byte now and then holds a connection, and no thread.

A request gets a thread once its head has arrived, and its body where that is short. Long bodies (uploads) have a part of the
threads; the client of one that waits has to send until the kernel takes no more. What is sent fits into the kernel's buffer as a
rule; a client that takes or sends less than `LEAST_RATE` is cut off.
"""

from __future__ import annotations

import errno
import math
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from selectors import EVENT_READ
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

HEAD_SECONDS = 10.0
"""Until head and short body have arrived."""
SHORT_BODY = 16 << 10  # bytes
MAX_HEAD = 32 << 10  # bytes; of longer ones gunicorn would wait for the end
WAIT_SECONDS = 600.0
"""For a thread, of a long body."""
LEAST_RATE = 1000.0  # bytes a second
GRACE = 10.0  # seconds of waiting for a client before its rate counts
SEND_BUFFER = 1 << 20  # bytes; the kernel may allow fewer
_SLICE = 32 << 10  # bytes sent at once, each within `_SLICE / LEAST_RATE` seconds
_LINGER, _LONGEST_LINGER = 2.0, 30.0
"""Seconds for the client to close, or to send more of a body that was refused, so that what was sent last arrives."""
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_REFUSAL = "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class BoundedSocket(socket.socket):
    """A connection that ends where the other side is too slow."""

    end = 0.0
    """Until when the other side may go on sending what nobody reads."""

    def setblocking(self, flag: bool) -> None:
        """Gunicorn blocks before each request; here that never lasts for ever."""
        self._received, self._waited = 0, 0.0
        self.settimeout(_SLICE / LEAST_RATE if flag else 0.0)

    def receive_now(self, size: int) -> bytes | None:
        """What has arrived, at most so many bytes; empty where the other side has ended, None where it has sent nothing."""
        self.settimeout(0.0)
        try:
            return super().recv(size)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Raises ConnectionResetError where less than `LEAST_RATE` arrives."""
        started = time.monotonic()
        try:
            data = super().recv(size)
        except TimeoutError as error:
            raise ConnectionResetError(errno.ECONNRESET, "the client sends nothing") from error
        self._received += len(data)
        self._waited += time.monotonic() - started
        if data and self._waited > GRACE and self._received < LEAST_RATE * self._waited:
            raise ConnectionResetError(errno.ECONNRESET, "the client sends too slowly")
        return data

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Raises ConnectionResetError where less than `LEAST_RATE` is taken."""
        view = memoryview(data)
        for start in range(0, len(view), _SLICE):
            try:
                super().sendall(view[start : start + _SLICE], flags)
            except TimeoutError as error:
                raise ConnectionResetError(errno.ECONNRESET, "the client takes nothing") from error


class _Connection(TConn):
    def __init__(self, worker: BoundedWorker, sock: socket.socket, client: Any, server: Any) -> None:
        super().__init__(worker.cfg, BoundedSocket(fileno=sock.detach()), client, server)
        self.init()
        self.worker = worker

    def begin(self) -> None:
        """A request begins, perhaps with what came behind the one before."""
        self.data, self.began, self.has_body = self.parser.unreader.take_buffered(), time.monotonic(), False
        self.end = 0.0

    def receive(self) -> bool:
        """Take what has arrived, as far as there is room; whether a thread would not wait for more, or may (`has_body`)."""
        data = self.sock.receive_now(MAX_HEAD + SHORT_BODY - len(self.data))
        self.data += data or b""
        head_end = self.data.find(b"\r\n\r\n")
        if data == b"" or head_end < 0:
            return data == b"" or len(self.data) >= MAX_HEAD
        length = _LENGTH.search(self.data, 0, head_end + 2)
        size = math.inf if _CHUNKED.search(self.data, 0, head_end + 2) else int(length[1][:20]) if length else 0
        self.end, self.has_body = head_end + 4 + size, size > SHORT_BODY
        return self.has_body or len(self.data) >= self.end

    def may_wait(self, now: float) -> bool:
        """Whether the client of a long body has sent what it could, or sends it fast enough."""
        self.receive()
        wanted = min(self.end, MAX_HEAD + SHORT_BODY, LEAST_RATE * (now - self.began))
        return now < self.began + WAIT_SECONDS and (len(self.data) >= wanted or self.data.endswith(b"0\r\n\r\n"))

    def close(self, graceful: bool = False) -> None:
        """Gunicorn waits here for the client to close; the worker's loop does it beside its other work."""
        if graceful and self.sock.fileno() >= 0:
            self.worker.linger(self.sock)
        else:
            super().close()


class BoundedWorker(ThreadWorker):
    """The worker class of the web server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Until when each may wait, in the order of these times.
        self.arriving: dict[_Connection, float] = {}
        self.queued: dict[_Connection, float] = {}
        """Long bodies for which no thread is free."""
        self.lingering: dict[BoundedSocket, float] = {}
        self.bodies = 0
        """Long bodies that are read by threads."""

    def accept(self, listener: socket.socket) -> None:
        with suppress(BlockingIOError, ConnectionAbortedError):
            sock, client = listener.accept()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            self.nr_conns += 1
            self.enqueue_req(_Connection(self, sock, client, listener.getsockname()))

    def enqueue_req(self, conn: _Connection) -> None:
        """A thread for the request, as soon as it has arrived."""
        conn.begin()
        if conn.receive():
            self._start(conn)
        else:
            self.arriving[conn] = conn.began + HEAD_SECONDS
            self.poller.register(conn.sock, EVENT_READ, lambda _: self._go_on(conn))

    def _go_on(self, conn: _Connection) -> None:
        if conn.receive():
            self.poller.unregister(conn.sock)
            del self.arriving[conn]
            self._start(conn)

    def _start(self, conn: _Connection) -> None:
        if not conn.end and len(conn.data) >= MAX_HEAD:
            self._refuse(conn, "431 Request Header Fields Too Large")
        elif conn.has_body and self.bodies >= max(1, self.cfg.threads // 2):
            self.queued[conn] = time.monotonic() + HEAD_SECONDS
        else:
            self.bodies += conn.has_body
            conn.parser.unreader.unread(conn.data)
            super().enqueue_req(conn)

    def finish_request(self, conn: _Connection, fs: Any) -> None:
        if conn.has_body:
            self.bodies, conn.has_body = self.bodies - 1, False
            if first := min(self.queued, key=lambda one: one.began, default=None):
                del self.queued[first]
                self._start(first)
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Gunicorn's hook after each look at the sockets, at least once a second."""
        now = time.monotonic()
        for conn in _overdue(self.arriving, now):
            self.poller.unregister(conn.sock)
            self._refuse(conn)
        for conn in _overdue(self.queued, now):
            if conn.may_wait(now):
                self.queued[conn] = now + HEAD_SECONDS
            else:
                self._refuse(conn)
        for sock in _overdue(self.lingering, now):
            self._end(sock)

    def _refuse(self, conn: _Connection, status: str = "408 Request Timeout") -> None:
        self.nr_conns -= 1
        with suppress(OSError):
            conn.sock.send((_REFUSAL % status).encode())
        conn.close(graceful=True)

    def linger(self, sock: BoundedSocket) -> None:
        """Close once the client has; what it still sends is thrown away."""
        with suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
        sock.end = time.monotonic() + _LONGEST_LINGER
        self.lingering[sock] = time.monotonic() + _LINGER
        self.poller.register(sock, EVENT_READ, self._drain)

    def _drain(self, sock: BoundedSocket) -> None:
        until = self.lingering.pop(sock)
        if sock.receive_now(65536) == b"":
            self._end(sock)
        else:
            self.lingering[sock] = max(until, min(sock.end, time.monotonic() + _LINGER))

    def _end(self, sock: BoundedSocket) -> None:
        self.poller.unregister(sock)
        sock.close()


def _overdue(waiting: dict[Any, float], now: float) -> Iterator[Any]:
    """Take out those whose time is over."""
    while waiting and waiting[first := next(iter(waiting))] <= now:
        del waiting[first]
        yield first
