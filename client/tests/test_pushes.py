"""Pushes to a real server by every way that the client has: over lines that break, by `capture --push`, by the tools of `mcp`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from client.tests.programs import Program, Site, running_site, sessions
from client.tests.test_program import large_archive

PIECE = 1 << 16
SIZE = 5 * PIECE
HEADS = 8000
"""More than all heads of the requests of a push have."""
UP, DOWN = "up", "down"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as site:
        yield site


class Line(socketserver.ThreadingTCPServer):
    """A way to a server, which breaks once so many bytes went `UP` to it, or came `DOWN`. `passed`: bytes by direction."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self, port: int) -> None:
        self.target, self.limits, self.passed = ("127.0.0.1", port), dict[str, int](), {UP: 0, DOWN: 0}
        super().__init__(("127.0.0.1", 0), Passing)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def break_after(self, **limits: int) -> None:
        """Count anew; without a limit nothing breaks."""
        self.limits, self.passed = limits, {UP: 0, DOWN: 0}

    def take(self, way: str, data: bytes) -> tuple[bytes, bool]:
        """What still passes, and whether the line breaks then."""
        left = self.limits.get(way, 1 << 40) - self.passed[way]
        self.passed[way] += min(len(data), left)
        return data[:left], left <= len(data)


class Passing(socketserver.BaseRequestHandler):
    server: Line

    def handle(self) -> None:
        with socket.create_connection(self.server.target) as there:
            back = threading.Thread(target=self._pass, args=(there, self.request, DOWN), daemon=True)
            back.start()
            self._pass(self.request, there, UP)
            back.join()

    def _pass(self, source: socket.socket, target: socket.socket, way: str) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(PIECE):
                data, breaks = self.server.take(way, data)
                target.sendall(data)
                if breaks:
                    break
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


TWICE = f"""
import json, sys
from pathlib import Path
from poolmark import push
from poolmark.errors import SiteError
from poolmark.http import Site
from poolmark.settings import find_site
push.PIECE = {PIECE}
url, token = find_site().url, {{token!r}}
cut = ""
try:
    with Site(url, token, attempts=1) as site:
        push.push(site, [Path(sys.argv[1])])
except SiteError as error:
    cut = str(error)
print(json.dumps(cut), flush=True)
sys.stdin.readline()
starts = []
with Site(url, token) as site:
    archive = push.push(site, [Path(sys.argv[1])], tell=lambda what, done, total: starts.append(done))
print(json.dumps([starts, archive["sha256"], archive["size"]]))
"""


@pytest.mark.parametrize("n", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_push_that_was_cut_anywhere_goes_on(site: Site, tmp_path, n):
    """The first push is cut at a random byte of what it sends or hears; the second sends what the server does not have."""
    dice, program = random.Random(n), site.program(tmp_path / "home", "push")
    with Line(site.server.port) as line:
        program.url = f"http://127.0.0.1:{line.server_address[1]}"
        for number in range(n):
            archive = large_archive(tmp_path / "large.tar", SIZE + 1000 * n + number)
            size, way = archive.stat().st_size, UP if number % 4 else DOWN
            limit = dice.randrange(1, size) if way == UP else dice.randrange(1, 3000)
            line.break_after(**{way: limit})
            words = [program.python, "-c", TWICE.format(token=program.token), str(archive)]
            with subprocess.Popen(
                words, env=program.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as pushing:
                assert pushing.stdin and pushing.stdout
                cut = json.loads(pushing.stdout.readline())
                assert "cannot be reached" in cut, (way, limit, cut)
                line.break_after()
                said, error = pushing.communicate("on\n", timeout=60)
            assert pushing.returncode == 0, (way, limit, error)
            starts, digest, received = json.loads(said)
            assert (digest, received) == (hashlib.sha256(archive.read_bytes()).hexdigest(), size), (way, limit)
            assert line.passed[UP] < size - starts[0] + HEADS, (way, limit, starts)
            if way == UP:  # pieces that were taken whole are never sent again
                assert starts[0] >= (limit - HEADS) // PIECE * PIECE, (limit, starts)
    assert list((program.home / ".cache" / "poolmark" / "uploads").iterdir()) == []


def test_a_capture_is_pushed_and_read(site: Site, tmp_path):
    program = site.program(tmp_path / "home", "push")
    bench = ("--no-evidence", "--no-drop", "--run", "dd if=/dev/zero of=file bs=1M count=16 conv=fsync")
    words = ("--push", "--wait", "--label", "branch=main", "--out", "c", "-n", "3", *bench)
    done = program.run("capture", *words)
    assert done.returncode == 0, done.stderr
    link = done.stdout.strip().splitlines()[-1]
    assert link.startswith(f"{site.url}/archives/") and " values in " in done.stderr
    pushed = program.data("push", str(program.home / "c.tar.gz"))
    assert (pushed["url"], pushed["state"], pushed["labels"]) == (link, "read", {"branch": "main"})
    assert pushed["counts"]["measurements"] >= 3 and pushed["visibility"] == "private"
    elsewhere = program.run("capture", "--push", "--server", "http://127.0.0.1:9", "--out", "d", *bench)
    assert elsewhere.returncode == 2 and "cannot be reached" in elsewhere.stderr
    assert (program.home / "d.tar.gz").exists(), "what was measured stays"


def ask(program: Program, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The answers of a session with `poolmark mcp`: [whether it is an error, what it says]."""
    done = program.python_run(str(Path(__file__).with_name("mcp_session.py")), stdin=json.dumps(calls))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["answers"]


def test_agents_push_and_freeze(site: Site, tmp_path):
    program = site.program(tmp_path / "home")
    [private] = sessions(tmp_path / "private", {3: 350.0})
    [(is_error, pushed)] = ask(program, ("push", {"paths": [str(private)], "title": "Of an agent", "labels": {"by": "agent"}}))
    assert not is_error and pushed["state"] == "read" and pushed["doubts"] == ["8 values in 1 file."]
    found = program.data("push", str(private))
    assert (found["id"], found["url"], found["title"], found["labels"], found["visibility"]) == (
        pushed["archive"], pushed["address"], "Of an agent", {"by": "agent"}, "private",
    )  # fmt: skip
    [public] = sessions(tmp_path / "public", {4: 360.0})
    shown = program.data("push", str(public), "--visibility", "public", "--licence", "CC0-1.0", "--wait")
    address = "/compare?metric=write.throughput&archive={}"
    frozen, again, refused, nothing = ask(
        program,
        ("permalink", {"freeze": f"{site.url}{address.format(shown['id'])}"}),
        ("permalink", {"freeze": address.format(shown["id"])}),
        ("permalink", {"freeze": address.format(pushed["archive"])}),
        ("permalink", {}),
    )
    assert not frozen[0] and frozen == again, "the same content is the same permalink"
    assert frozen[1]["address"].startswith(f"{site.url}/p/") and frozen[1]["frozen_at"]
    [finding] = frozen[1]["findings"]
    assert finding["about"].startswith("write.throughput") and finding["n"] == 4 and finding["claim"] is None
    assert refused[0] and "which only you can see now" in refused[1]
    assert nothing[0] and "Name a permalink" in nothing[1]
    pusher = site.program(tmp_path / "pusher", "push")
    read, denied = ask(
        pusher, ("permalink", {"name": frozen[1]["address"]}), ("permalink", {"freeze": address.format(shown["id"])})
    )
    assert read == frozen and denied[0] and "manage" in denied[1]
