"""How requests are shared out among the threads of a web process: a real gunicorn with one process and a small application."""

from __future__ import annotations

import ast
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db.backends.base.base import BaseDatabaseWrapper

from webapp.http import page_cache
from webapp.infrastructure import gunicorn_config as config
from webapp.infrastructure.gunicorn_config import FIRST_PAGES, MAX_AGE
from webapp.tests import making
from webapp.tests.serving import free_port

APPLICATION = '''
import threading, time
class Answer(list):
    close = list.clear
guard, awake, now, most, at_sleep, asked = threading.Lock(), threading.Event(), 0, 0, 0, []
def application(environ, start_response):
    """/work takes a moment; /sleep lasts until /wake; /most tells how many worked at once; /asleep how many sleep;
    /asked which pages were asked for."""
    global now, most, at_sleep
    path = environ["PATH_INFO"]
    asked.append(path)
    if path == "/work":
        with guard:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with guard:
            now -= 1
    if path == "/sleep":
        at_sleep += 1
        awake.wait(60)
    if path == "/wake":
        awake.set()
    body = str(at_sleep if path == "/asleep" else asked if path == "/asked" else most).encode()
    if path == "/archives":
        body = b'<a href="/archives/7">'
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return Answer([body])
'''


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture(autouse=True)
def server(tmp_path: Path, port: int) -> Iterator[psutil.Process]:
    (tmp_path / "small.py").write_text(APPLICATION)
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "small:application",
            f"--pythonpath={tmp_path}",
            "--workers=1",
            "--config=python:webapp.infrastructure.gunicorn_config",
            "--threads=8",
            f"--bind=127.0.0.1:{port}",
            "--no-control-socket",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        _until_it_answers(port)
        yield psutil.Process(child.pid)
    finally:
        child.kill()
        child.wait()


def _until_it_answers(port: int) -> None:
    for _ in range(600):
        try:
            ask(port, "/most")
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("gunicorn did not start")


def ask(port: int, path: str, connection: http.client.HTTPConnection | None = None) -> str:
    """The answer, over a connection of its own unless there is one."""
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    return connection.getresponse().read().decode()


def it_asks_itself_for_the_first_pages(port: int):
    while "/archives/7" not in (told := ast.literal_eval(ask(port, "/asked"))):
        time.sleep(0.05)
    assert [path for path in told if path not in ("/most", "/asked")] == [*FIRST_PAGES, "/archives/7"]


@pytest.mark.django_db
def test_first_pages_are_made_by_each_process_anew(monkeypatch, settings):
    """Not taken from the cache of pages, which keeps those of other processes."""
    settings.PAGE_CACHE = True
    making.archive(public=True, records=making.file_records("a.csv", "a", [1e8]))
    answers: list[str] = []
    kept: list[object] = []
    find = page_cache.find_page
    monkeypatch.setattr(page_cache, "find_page", lambda key: kept.append(find(key)))
    # This test would lose its transaction with its connection.
    monkeypatch.setattr(config, "connections", Mock())
    monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", lambda self: None)
    django = WSGIHandler()
    for _ in range(2):
        config.ask_first_pages(lambda environ, _: django(environ, lambda status, headers: answers.append(status)))
    assert answers == ["200 OK"] * 2 * (len(config.FIRST_PAGES) + 1)
    assert kept
    assert not any(kept)


def it_answers_all_of_many_at_once(port: int):
    with ThreadPoolExecutor(12) as readers:
        told = list(readers.map(lambda _: ask(port, "/work"), range(60)))
    assert len(told) == 60
    assert 1 < int(ask(port, "/most")) <= 8, "the threads work at the same time"


def it_lets_nobody_wait_for_what_takes_long(port: int):
    with ThreadPoolExecutor(4) as sleepers:
        sleeping = [sleepers.submit(ask, port, "/sleep") for _ in range(4)]
        while ask(port, "/asleep") != "4":
            time.sleep(0.05)
        time.sleep(2 * MAX_AGE)
        reader = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        assert ask(port, "/work", reader) == "1"
        assert reader.sock is not None, "who reads beside them keeps the connection"
        assert not any(one.done() for one in sleeping)
        ask(port, "/wake")


def it_keeps_connections_while_nobody_waits(port: int):
    time.sleep(2 * MAX_AGE)  # until what asked whether the server is up is in hand no more
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    ask(port, "/work", connection)
    kept = connection.sock
    assert kept is not None
    for _ in range(5):
        ask(port, "/work", connection)
    assert connection.sock is kept


def it_ends_connections_while_others_wait(port: int):
    """Twelve who would keep their connections: were they kept, they would be answered by this process alone for ever."""

    def reader(_: int) -> int:
        connection, ended = http.client.HTTPConnection("127.0.0.1", port, timeout=60), 0
        for _ in range(10):
            ask(port, "/work", connection)
            ended += connection.sock is None
        return ended

    with ThreadPoolExecutor(12) as readers:
        assert sum(readers.map(reader, range(12))) > 12


@pytest.mark.parametrize("request_line", [b"GET /most HTTP/1.1", b"GET /most HTTP/9.9", b"nonsense"])
def it_does_not_say_what_answers(port: int, request_line: bytes):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request_line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b"")).lower()
    assert answer.startswith(b"http/1.1 ") and b"\r\nconnection: close\r\n" in answer
    assert b"server:" not in answer and b"gunicorn" not in answer


HALF_A_HEAD = b"GET /most HTTP/1.1\r\nHost: localhost\r\nX-"


def answer_of(sock: socket.socket) -> bytes:
    """With its body of one byte."""
    answer = b""
    while not answer.partition(b"\r\n\r\n")[2]:
        part = sock.recv(4096)
        assert part, answer
        answer += part
    return answer


def it_gives_no_thread_to_half_a_head_behind_a_whole_one(port: int):
    """Both in one packet, so that the first request's reader takes the second along."""
    with ExitStack() as stack:
        socks = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(9)]
        for sock in socks:
            time.sleep(2 * MAX_AGE)  # until none is in hand, so that the connection is kept
            sock.sendall(HALF_A_HEAD + b"A: 1\r\n\r\n" + HALF_A_HEAD)
            assert answer_of(sock).startswith(b"HTTP/1.1 200 ")
        assert ask(port, "/most") == "0"
        for sock in socks:
            sock.sendall(b"A: 1\r\n\r\n")
            assert answer_of(sock).startswith(b"HTTP/1.1 200 ")


def it_sleeps_until_something_arrives(server: psutil.Process, port: int):
    """Clients that have sent half a head, or do not close: the process wakes once a second, and for what they send."""
    (worker,) = server.children()
    with ExitStack() as stack:
        for sent in [HALF_A_HEAD] * 20 + [b"GET /most HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"] * 20:
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)).sendall(sent)
        time.sleep(1)
        before = worker.num_ctx_switches().voluntary
        time.sleep(1)
        assert worker.num_ctx_switches().voluntary - before < 10


def it_has_views_and_templates_before_the_first_request():
    told = subprocess.run(
        [sys.executable, "-c", _LOADED], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=120
    ).stdout.split()
    templates = len([*Path(settings.BASE_DIR, "templates").rglob("*.html")])
    assert told[:2] == ["True", "True"] and int(told[2]) >= templates > 0


_LOADED = """
import sys, webapp.wsgi
from django.template import Engine
loader = Engine.get_default().template_loaders[0].loaders[0]  # below that of template_partials
print("webapp.urls" in sys.modules, "scipy.special" in sys.modules, len(loader.get_template_cache))
"""
