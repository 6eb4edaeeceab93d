"""Gunicorn's threads without slow clients in them: who sends or takes a byte now and then holds a connection, and no thread.

A request gets a thread once its head has arrived, and its body where that is short. Long bodies (uploads) have a part of the
threads; the client of one that waits has to send until the kernel takes no more. What is sent fits into the kernel's buffer as a
rule; a client that takes or sends less than `LEAST_RATE` is cut off.
"""

from __future__ import annotations

import errno
import re
import socket
import time
from collections import deque
from contextlib import suppress
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

HEAD_SECONDS = 10.0
"""Until head and short body have arrived."""
SHORT_BODY = 16 << 10  # bytes; with the head less than the kernel keeps for a connection
MAX_HEAD = 32 << 10  # bytes; gunicorn refuses longer ones
WAIT_SECONDS = 600.0
"""For a thread, of a long body."""
LEAST_RATE = 1000.0  # bytes a second
GRACE = 10.0  # seconds of waiting for a client before its rate counts
SEND_BUFFER = 1 << 20  # bytes; the kernel may allow fewer
_SLICE = 32 << 10  # bytes sent at once, each within `_SLICE / LEAST_RATE` seconds
_LINGER = 2.0  # seconds for the client to close, so that what was sent last arrives
_TICK = 0.05  # seconds between two looks at what has arrived
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class BoundedSocket(socket.socket):
    """A connection that ends where the other side is too slow."""

    def begin(self) -> None:
        """A request begins."""
        self._received, self._waited = 0, 0.0
        self.settimeout(_SLICE / LEAST_RATE)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Raises ConnectionResetError where less than `LEAST_RATE` arrives."""
        if flags:
            return super().recv(size, flags)
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
        self.worker, self.has_body, self.began, self.deadline = worker, False, 0.0, 0.0

    def init(self) -> None:
        super().init()
        self.data_ready = True
        self.sock.begin()

    def close(self, graceful: bool = False) -> None:
        """Gunicorn waits here for the client to close; the worker's loop does it beside its other work."""
        if not graceful:
            return super().close()
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
        self.worker.lingering.append((time.monotonic() + _LINGER, self.sock))


class BoundedWorker(ThreadWorker):
    """The worker class of the web server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arriving: deque[_Connection] = deque()
        self.lingering: deque[tuple[float, socket.socket]] = deque()
        self.bodies = 0
        """Long bodies that are read by threads."""

    @property
    def most_bodies(self) -> int:
        return max(1, self.cfg.threads // 2)

    def accept(self, listener: socket.socket) -> None:
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self.nr_conns += 1
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.enqueue_req(_Connection(self, sock, client, listener.getsockname()))

    def enqueue_req(self, conn: _Connection) -> None:
        """A thread for the request, as soon as it has arrived."""
        conn.began = time.monotonic()
        conn.deadline = conn.began + HEAD_SECONDS
        if not self._start(conn):
            self.arriving.append(conn)

    def finish_request(self, conn: _Connection, fs: Any) -> None:
        if conn.has_body:
            self.bodies, conn.has_body = self.bodies - 1, False
        super().finish_request(conn, fs)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        super().wait_for_and_dispatch_events(_TICK if self.arriving or self.lingering else timeout)
        for conn in [self.arriving.popleft() for _ in range(len(self.arriving))]:
            if self._start(conn):
                continue
            if time.monotonic() < conn.deadline:
                self.arriving.append(conn)
            else:
                self._refuse(conn)
        for end, sock in [self.lingering.popleft() for _ in range(len(self.lingering))]:
            if time.monotonic() < end and _is_open(sock):
                self.lingering.append((end, sock))
            else:
                sock.close()

    def _start(self, conn: _Connection) -> bool:
        """Give the request a thread, if it has arrived; whether it has."""
        if conn.parser is None or not conn.parser.unreader.buf.getvalue():
            conn.sock.setblocking(False)
            try:
                data = conn.sock.recv(MAX_HEAD + SHORT_BODY, socket.MSG_PEEK)
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if data and not self._has_arrived(conn, data):
                return False
        self.bodies += conn.has_body
        super().enqueue_req(conn)
        return True

    def _has_arrived(self, conn: _Connection, data: bytes) -> bool:
        """Whether a thread would not wait for these bytes, or may; sets `has_body`."""
        end = data.find(b"\r\n\r\n")
        if end < 0:
            return len(data) >= MAX_HEAD
        head = data[: end + 2]
        length = _LENGTH.search(head)
        size = int(length[1][:20]) if length else 0
        is_chunked = bool(_CHUNKED.search(head))
        if not is_chunked and size <= SHORT_BODY:
            return len(data) >= end + 4 + size
        if self.bodies >= self.most_bodies:
            has_all = data.endswith(b"0\r\n\r\n") if is_chunked else len(data) >= end + 4 + size
            self._let_wait(conn, len(data), has_all)
            return False
        conn.has_body = True
        return True

    def _let_wait(self, conn: _Connection, arrived: int, has_all: bool) -> None:
        """Give the client more time where it has sent what it could, or sends it fast enough."""
        now = time.monotonic()
        is_fast = arrived >= LEAST_RATE * (now - conn.began)
        if has_all or arrived >= MAX_HEAD + SHORT_BODY or is_fast:
            conn.deadline = min(now + HEAD_SECONDS, conn.began + WAIT_SECONDS)

    def _refuse(self, conn: _Connection) -> None:
        self.nr_conns -= 1
        with suppress(OSError):
            conn.sock.send(_TIMEOUT)
        conn.close(graceful=True)


def _is_open(sock: socket.socket) -> bool:
    """Whether the client has not closed yet; what it still sends is thrown away."""
    sock.setblocking(False)
    try:
        return bool(socket.socket.recv(sock, 65536, socket.MSG_DONTWAIT))
    except BlockingIOError:
        return True
    except OSError:
        return False
