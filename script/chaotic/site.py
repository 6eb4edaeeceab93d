"""The site that is broken: its supervisor, which is started again where it ends, its database and its folders."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import psycopg

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests.serving import ROOT, Server, free_port, manage, redis_server

DISKS = {"blobs": 96, "queue": 4, "postgres": 1536, "log": 16, "temporary": 64}
"""Folder -> MiB of the file system that it gets."""
_MOUNT, _UMOUNT = (shutil.which(name) or name for name in ("mount", "umount"))
_LINK = re.compile(r"\S*/sign-in/\S+")
_CLOCK = Path(__file__).with_name("clock.c")


class Clock:
    """The wall clock of the site's processes alone, by a library that is compiled where there is a compiler."""

    def __init__(self, folder: Path) -> None:
        self._offset, self._library = folder / "clock", folder / "clock.so"
        self.set(0)
        compiler = shutil.which("cc")
        command = [str(compiler), "-shared", "-fPIC", "-O1", "-o", str(self._library), str(_CLOCK)]
        self.is_movable = bool(compiler) and subprocess.run(command, capture_output=True, check=False).returncode == 0

    @property
    def env(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "CHAOS_CLOCK": str(self._offset)} if self.is_movable else {}

    def set(self, seconds: int) -> None:
        """So many seconds before or after the true time, at once: the file is mapped by every process."""
        with open(self._offset, "r+b" if self._offset.exists() else "wb", buffering=0) as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))


class LiveSite:
    """As a context manager. `serve` makes sure that a supervisor runs."""

    def __init__(self, data: Path, with_redis: bool, earlier: Path | None = None) -> None:
        """`earlier`: the folder of a release that runs until `upgrade`."""
        self.data, self.cluster, self.root = data, Cluster(data), earlier or ROOT
        self._stack = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._server: Server | None = None
        self._env = {
            "POOLMARK_RESERVE": str(2 << 20),
            "POOLMARK_QUOTA_ARCHIVES": "1000000",
            "POOLMARK_READERS": "3",
            "TMPDIR": str(data / "temporary"),
        }
        (data / "temporary").mkdir()
        self.clock = Clock(data)
        self._env |= self.clock.env
        self.with_redis = with_redis
        self.starts = 0
        self.is_mounted = os.geteuid() == 0 and self._mount()

    @property
    def disks_kind(self) -> str:
        return "small file systems in memory" if self.is_mounted else "a limit of file sizes (not root, or mount is refused)"

    def _mount(self) -> bool:
        for name, size in DISKS.items():
            folder = self.data / name
            folder.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                [_MOUNT, "-t", "tmpfs", "-o", f"size={size}m,mode=0700", "none", str(folder)], capture_output=True, check=False
            )
            if done.returncode:
                return False
            self._stack.callback(subprocess.run, [_UMOUNT, "-l", str(folder)], check=False)
        return True

    def __enter__(self) -> LiveSite:
        if self.with_redis:
            self.redis_port = free_port()
            self._env["REDIS_URL"] = f"redis://127.0.0.1:{self.redis_port}/0"
            self.start_redis()
        self.serve()
        self.wait_ready(300)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.server.close()
        self._stack.close()

    def start_redis(self) -> None:
        """A Redis that has nothing."""
        self._stack.enter_context(redis_server(self.redis_port))

    @property
    def server(self) -> Server:
        assert self._server is not None
        return self._server

    @property
    def port(self) -> int:
        return self.server.port

    def serve(self) -> None:
        """Start the supervisor where none runs, as an init system does."""
        with self._lock:
            if self._server is None or self._server.process.poll() is not None:
                port = self._server.port if self._server else None
                self._server = Server(self.data, port=port, root=self.root, **self._env)
                self.starts += 1

    def restart(self) -> None:
        """A stop and a start."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.server.process.send_signal(signal.SIGTERM)
            self.server.process.wait(90)
        self.serve()

    def upgrade(self) -> None:
        """A stop, and a start of this release."""
        self.root = ROOT
        self.restart()

    def wait_ready(self, seconds: float) -> bool:
        """Wait until a page answers, starting what has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.serve()
            with contextlib.suppress(Exception):
                if self.server.get("/readyz")[0] == 200:
                    return True
            time.sleep(0.3)
        return False

    def family(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.Error):
            return [one for one in self.server.family() if one.is_running()]
        return []

    def connect(self, **options: object) -> psycopg.Connection:
        """A connection of the database's owner. Raises psycopg.Error."""
        return psycopg.connect(self.cluster.url, connect_timeout=5, autocommit=True, **options)  # type: ignore[arg-type]

    def rows(self, query: str, *parameters: object) -> list[tuple]:
        with self.connect() as connection:
            return connection.execute(query, parameters).fetchall()

    def manage(self, *args: str) -> subprocess.CompletedProcess[str]:
        return manage(self.data, *args, root=self.root, **self._env)

    def sign_in_link(self) -> str:
        done = self.manage("sign_in_link")
        found = _LINK.search(done.stdout)
        assert found, done.stdout + done.stderr
        return found[0]

    def settle(self, seconds: float = 300) -> None:
        """Wait until the site answers and nothing waits to be read; so long after the last time that less waited."""
        self.wait_ready(seconds)
        end, least = time.monotonic() + seconds, sys.maxsize
        while time.monotonic() < end:
            with contextlib.suppress(psycopg.Error):
                waiting = self.rows("SELECT count(*) FROM webapp_archive WHERE state IN ('received', 'reading')")[0][0]
                if not waiting:
                    return
                if waiting < least:
                    least, end = waiting, time.monotonic() + seconds
            self.serve()
            time.sleep(1)
