"""Two hundred slow or half-open clients, and stops and reloads in the midst of requests, against a running server."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from webapp.tests.serving import PATIENCE, Server, data_folder

CLIENTS = 200
KINDS = {
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-",
    "a head without an end": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 40_000,
    "nothing": b"",
    "no body": b"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\nx",
    "a long body": b"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\nx",
    "chunks": b"POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
    "takes nothing": b"GET /compare HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3,
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    data = data_folder()
    one = Server(data, POOLMARK_READERS="1")
    try:
        yield one.wait_ready()
    finally:
        one.close()
        shutil.rmtree(data, ignore_errors=True)


def connect(server: Server, sent: bytes) -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", server.port))
    sock.sendall(sent)
    return sock


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_pages_answer_while_two_hundred_clients_are_slow(server, kind):
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            stack.enter_context(connect(server, KINDS[kind]))
        for path in ("/healthz", "/", "/compare"):
            assert server.get(path)[0] == 200


@pytest.mark.slow
def test_who_does_not_finish_a_head_is_told_so_and_cut_off(server):
    with connect(server, KINDS["half a head"]) as sock:
        sock.settimeout(PATIENCE)
        answer = b"".join(iter(lambda: sock.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
def test_who_announces_a_long_body_and_sends_nothing_of_it_is_cut_off(server):
    """Those too that wait while others of them have the threads for long bodies."""
    refused = 0
    with ExitStack() as stack:
        socks = [stack.enter_context(connect(server, KINDS["a long body"])) for _ in range(CLIENTS)]
        for sock in socks:
            sock.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                refused += b"".join(iter(lambda sock=sock: sock.recv(4096), b"")).startswith(b"HTTP/1.1 408 ")
    assert refused > CLIENTS / 2


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", "Connection: close\r\n"])
def test_a_refusal_reaches_a_client_that_first_sends_all(server, more):
    """50 MB at 4 MB/s, of an upload that the disk has no room for; nothing is read meanwhile, as many programs do."""
    with connect(server, f"POST /upload HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {10**15}\r\n\r\n".encode()) as sock:
        sock.settimeout(PATIENCE)
        for _ in range(50):
            sock.sendall(b"x" * 1_000_000)
            time.sleep(0.25)
        assert sock.recv(4096).startswith(b"HTTP/1.1 507 ")


@pytest.mark.slow
def test_a_reload_loses_no_request(server):
    """Requests go on while every process of the web server is replaced."""
    before = {one.pid for one in server.child("gunicorn").children()}
    statuses, stop = [], threading.Event()

    def ask() -> None:
        while not stop.is_set():
            statuses.append(server.get("/healthz")[0])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    os.kill(server.process.pid, signal.SIGUSR1)
    end = time.monotonic() + PATIENCE
    while before & {one.pid for one in server.child("gunicorn").children()} and time.monotonic() < end:
        time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
    assert not before & {one.pid for one in server.child("gunicorn").children()}
    assert len(statuses) > 10 and set(statuses) == {200}


@pytest.mark.slow
def test_a_stop_waits_for_the_request_in_flight(server):
    """The body comes in two halves, the second after the stop was asked for; last in this file, as it ends the server."""
    body = b"x" * 40_000
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("POST", "/sign-in")
    connection.putheader("Content-Length", str(len(body)))
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    connection.endheaders()
    connection.send(body[:20_000])
    time.sleep(1)
    os.kill(server.process.pid, signal.SIGTERM)
    time.sleep(1)
    connection.send(body[20_000:])
    assert connection.getresponse().status in (200, 400, 403)
    assert server.wait() == 0
