"""The site that is broken: its supervisor, which is started again where it ends, its database and its folders."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import psutil
import psycopg

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests.serving import Server, manage, redis_server

DISKS = {"blobs": 96, "queue": 4, "postgres": 1536}
"""Folder -> MiB of the file system that it gets."""
_MOUNT, _UMOUNT = (shutil.which(name) or name for name in ("mount", "umount"))
_LINK = re.compile(r"\S*/sign-in/\S+")


class Site:
    """As a context manager. `serve` makes sure that a supervisor runs."""

    def __init__(self, data: Path, with_redis: bool) -> None:
        self.data, self.cluster = data, Cluster(data)
        self._stack = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._server: Server | None = None
        self._env = {
            "POOLMARK_RESERVE": str(2 << 20),
            "POOLMARK_QUOTA_ARCHIVES": "1000000",
            "POOLMARK_READERS": "3",
        }
        self.with_redis = with_redis
        self.starts = 0
        self.is_mounted = os.geteuid() == 0 and self._mount()

    @property
    def disks_kind(self) -> str:
        return "small file systems in memory" if self.is_mounted else "a limit of file sizes (not root, or mount is refused)"

    def _mount(self) -> bool:
        for name, size in DISKS.items():
            folder = self.data / name
            folder.mkdir(parents=True)
            done = subprocess.run(
                [_MOUNT, "-t", "tmpfs", "-o", f"size={size}m,mode=0700", "none", str(folder)], capture_output=True, check=False
            )
            if done.returncode:
                return False
            self._stack.callback(subprocess.run, [_UMOUNT, "-l", str(folder)], check=False)
        return True

    def __enter__(self) -> Site:
        if self.with_redis:
            self._env["REDIS_URL"] = self._stack.enter_context(redis_server())
        self.serve()
        self.wait_ready(120)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.server.close()
        self._stack.close()

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
                self._server = Server(self.data, port=port, **self._env)
                self.starts += 1

    def restart(self) -> None:
        """A stop and a start, as for a new version."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.server.process.send_signal(signal.SIGTERM)
            self.server.process.wait(90)
        self.serve()

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
        return manage(self.data, *args, **self._env)

    def sign_in_link(self) -> str:
        done = self.manage("sign_in_link")
        found = _LINK.search(done.stdout)
        assert found, done.stdout + done.stderr
        return found[0]

    def settle(self, seconds: float = 300) -> None:
        """Wait until the site answers and nothing waits to be read."""
        end = time.monotonic() + seconds
        self.wait_ready(seconds)
        while time.monotonic() < end:
            with contextlib.suppress(psycopg.Error):
                if not self.rows("SELECT 1 FROM webapp_archive WHERE state IN ('received', 'reading') LIMIT 1"):
                    return
            self.serve()
            time.sleep(1)
