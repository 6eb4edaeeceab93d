"""What goes wrong: processes are killed, database, queue and disks fail for some seconds."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
from chaotic.site import DISKS, LiveSite

from webapp.tests.serving import ROOT

_SECONDS = (0.3, 2.5)
"""How long a failure lasts."""
_BETWEEN = (0.1, 0.6)
_RESTS = 0.15
"""How often a fault is waited for until the site answers again; the others hit what is still starting."""
_JUMPS = (3600, 86400, -3600, -86400)  # seconds


class Faults:
    """`counts`: faults by their name."""

    def __init__(self, site: LiveSite, random_: random.Random) -> None:
        self.site, self.random, self.counts = site, random_, Counter[str]()
        kills: list[tuple[int, Callable[[], str]]] = [(12, self.kill_one), (1, self.kill_supervisor)]
        database = [(2, one) for one in (self.kill_database, self.restart_database, self.no_connections, self.read_only, self.slow)]
        others = [(3, self.full_disk), (3, self.damage_columns), (1, self.reload), (1, self.restart)]
        redis = [(2, one) for one in (self.flush_redis, self.redis_away, self.kill_redis)] if site.with_redis else []
        clock = [(2, self.move_clock)] if site.clock.is_movable else []
        self._choices = [*kills, *database, *others, *redis, *clock]

    def go_on(self, end: float) -> None:
        """Until then; half-way an earlier release is replaced by this one."""
        half = (time.monotonic() + end) / 2
        while time.monotonic() < end:
            if self.site.root != ROOT and time.monotonic() > half:
                self.site.upgrade()
                self.counts["new version"] += 1
            weights, acts = zip(*self._choices, strict=True)
            act = self.random.choices(acts, weights)[0]
            try:
                self.counts[act()] += 1
            except (psutil.Error, psycopg.Error, OSError) as error:
                self.counts[f"{act.__name__} not done ({type(error).__name__})"] += 0
            time.sleep(self.random.uniform(*_BETWEEN))
            self.site.serve()
            if self.random.random() < _RESTS:
                self.site.wait_ready(60)

    def _pause(self) -> None:
        time.sleep(self.random.uniform(*_SECONDS))

    def kill_one(self) -> str:
        """Any process but the database's."""
        found = [one for one in self.site.family() if "postgres" not in one.name()]
        if not found:
            raise psutil.NoSuchProcess(0)
        one = self.random.choice(found)
        name = _role(one)
        one.kill()
        return f"SIGKILL of {name}"

    def kill_supervisor(self) -> str:
        self.site.server.process.kill()
        self.site.server.process.wait()
        self.site.serve()
        return "SIGKILL of the supervisor"

    def _postmaster(self) -> psutil.Process:
        return psutil.Process(int((self.site.data / "postgres" / "postmaster.pid").read_text().split("\n")[0]))

    def kill_database(self) -> str:
        """The server or one of its processes."""
        master = self._postmaster()
        self.random.choice([master, *master.children()]).kill()
        return "SIGKILL of the database"

    def restart_database(self) -> str:
        self._postmaster().send_signal(signal.SIGINT)
        return "database stopped"

    def no_connections(self) -> str:
        with contextlib.ExitStack() as stack, contextlib.suppress(psycopg.Error):
            for _ in range(100):
                stack.enter_context(self.site.connect())
        # Once more, and kept open this time until the pause is over.
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(psycopg.Error):
                for _ in range(100):
                    stack.enter_context(contextlib.closing(self.site.connect()))
            self._pause()
        return "no connection left"

    def read_only(self) -> str:
        with self._setting("default_transaction_read_only", "on"):
            self._pause()
        return "database read-only"

    @contextlib.contextmanager
    def _setting(self, name: str, value: str) -> Iterator[None]:
        with self.site.connect(options="-c default_transaction_read_only=off") as connection:
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            connection.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                with (
                    contextlib.suppress(psycopg.Error),
                    self.site.connect(options="-c default_transaction_read_only=off") as connection,
                ):
                    connection.execute(f"ALTER SYSTEM RESET {name}")
                    connection.execute("SELECT pg_reload_conf()")
                    break
                self.site.serve()
                time.sleep(0.3)

    def slow(self) -> str:
        """The database stands still."""
        master = self._postmaster()
        family = [master, *master.children()]
        try:
            for one in family:
                with contextlib.suppress(psutil.Error):
                    one.suspend()
            self._pause()
        finally:
            for one in family:
                with contextlib.suppress(psutil.Error):
                    one.resume()
        return "database slow"

    def full_disk(self) -> str:
        name = self.random.choice(sorted(DISKS))
        if self.site.is_mounted:
            filler = self.site.data / name / "filler"
            try:
                _fill(filler)
                self._pause()
            finally:
                filler.unlink(missing_ok=True)
            return f"disk full: {name}"
        limited = [one for one in self.site.family() if _role(one) in ("web server", "worker", "reader")]
        for one in limited:
            with contextlib.suppress(psutil.Error):
                one.rlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
        self._pause()
        for one in limited:
            with contextlib.suppress(psutil.Error):
                one.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return "files limited"

    def damage_columns(self) -> str:
        """Files of columns are gone, torn or changed, as after a power cut: new ones, since processes map the old ones."""
        files = [path for path in (self.site.data / "cache" / "columns").glob("*/*") if path.is_file()]
        if not files:
            raise OSError("there are none")
        kind = self.random.choice(("gone", "torn", "changed", "all gone"))
        for path in files if kind == "all gone" else self.random.sample(files, -(-len(files) // 2)):
            with contextlib.suppress(OSError):
                data = bytearray(path.read_bytes())
                path.unlink()
                if kind == "torn":
                    path.write_bytes(data[: self.random.randrange(len(data))])
                elif kind == "changed":
                    data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
                    path.write_bytes(data)
        return f"columns {kind}"

    def reload(self) -> str:
        """Only of a supervisor that watches already: before that the signal would end it."""
        if "ready" not in self.site.server.said:
            raise OSError("it is starting")
        self.site.server.process.send_signal(signal.SIGUSR1)
        return "reload"

    def restart(self) -> str:
        self.site.restart()
        return "stop and start"

    def move_clock(self) -> str:
        """The wall clock of every process of the site is another one for some seconds."""
        self.site.clock.set(self.random.choice(_JUMPS))
        try:
            self._pause()
        finally:
            self.site.clock.set(0)
        return "clock moved"

    def _redis(self) -> psutil.Process:
        """Raises OSError where none runs."""
        port = str(self.site.redis_port)
        for one in psutil.Process().children():
            if port in " ".join(one.cmdline()):
                return one
        raise OSError("no Redis")

    def kill_redis(self) -> str:
        """What it had is lost."""
        one = self._redis()
        one.kill()
        one.wait()
        self._pause()
        self.site.start_redis()
        return "SIGKILL of Redis"

    def flush_redis(self) -> str:
        import redis

        with contextlib.suppress(redis.RedisError):
            redis.Redis(port=self.site.redis_port, socket_timeout=2).flushall()
        return "Redis flushed"

    def redis_away(self) -> str:
        one = self._redis()
        one.suspend()
        try:
            self._pause()
        finally:
            one.resume()
        return "Redis away"


def _fill(path: Path) -> None:
    """Write the file until its disk is full."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    os.write(handle, b"x" * size)
    finally:
        os.close(handle)


def _role(one: psutil.Process) -> str:
    """What the process is for, by its command line; a child of a reader has that of its parent."""
    words = " ".join(one.cmdline())
    for word, role in (
        ("gunicorn", "web server"),
        ("queues=drawing", "drawing"),
        ("celery", "reader"),
        ("reconcile", "reconciler"),
    ):
        if word in words:
            return role
    return "a command"
