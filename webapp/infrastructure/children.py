"""The processes of a machine: database, workers, reconciler and web server, started again when they die. Plain Python.

Each child leads its own session, has a parent death signal, and is stopped with its whole process group.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from webapp.infrastructure.embedded_postgres import Cluster, StartError

ROOT = Path(__file__).resolve().parents[2]
ROLES = ("web", "worker", "scheduler")
"""What a machine of a site of several may be."""
_PR_SET_PDEATHSIG = 1
_GRACE = 15  # seconds between the stop signal and SIGKILL
_WORKER_GRACE = 1.0
"""Grace of a worker: it ends its pool at once, and only waits for housekeeping threads that wake every other second. Archives
being ingested are not lost: their rows have the state, and the next reconciler queues them again."""
_QUICK, _MOST_QUICK = 10.0, 5
"""A child that ended five times in a row within ten seconds of its start will not get better: everything is stopped, and said."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a child that has died is started again: doubled with every quick death."""
_LEAST_BYTES, _LEAST_INODES = 32 << 20, 64
"""What PostgreSQL needs to start: two segments of its log, and some files."""
LOG_LIMIT = 20 << 20
"""Bytes of a log before it becomes the earlier one, of which one is kept."""


def say(text: str, *, is_error: bool = True) -> None:
    """Print, also where what is printed goes to a file on a full disk."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr if is_error else sys.stdout, flush=True)


class DiskRoom:
    """Whether the disk of a data folder has room for a start, said once, and once more when there is some again."""

    def __init__(self, data: Path) -> None:
        self.data, self.is_awaited = data, False

    def is_missing(self) -> bool:
        places = [self.data, *(self.data / name for name in ("postgres", "log", "queue"))]
        is_missing = any(_is_full(place) for place in places if place.is_dir())
        if is_missing and not self.is_awaited:
            say(f"No room on the disk of {self.data}: waiting for some; delete or move something.")
        elif self.is_awaited and not is_missing:
            say(f"There is room on the disk of {self.data} again: going on.")
        self.is_awaited = is_missing
        return is_missing

    def start(self, begin: Callable[[], object]) -> None:
        """Call `begin`; once more after a pause where it failed for want of room."""
        pause = _FIRST_PAUSE
        while True:
            try:
                begin()
            except (OSError, StartError, SystemExit):
                if not self.is_missing():
                    raise
            else:
                return
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _is_full(place: Path) -> bool:
    disk = os.statvfs(place)
    return disk.f_bavail * disk.f_frsize < _LEAST_BYTES or (disk.f_files > 0 and disk.f_favail < _LEAST_INODES)


def bound_logs(folder: Path) -> None:
    """Move what a long log has into NAME.1. The log stays the same file, to which the children append."""
    for log in folder.glob("*.log"):
        with contextlib.suppress(OSError):
            if (size := log.stat().st_size) > LOG_LIMIT:
                with log.open("rb") as file:
                    file.seek(size - LOG_LIMIT)
                    newest = file.read()
                os.truncate(log, 0)  # first, so that a full disk has room for the copy
                log.with_name(f"{log.name}.1").write_bytes(newest)


def counters_folder(data: Path, *, make: bool = False) -> Path:
    """Where the processes of a server count (PROMETHEUS_MULTIPROC_DIR): in memory, which no full disk takes away; in the data
    folder where that cannot be had, or no server has made it."""
    name = hashlib.sha256(str(data).encode()).hexdigest()[:12]
    folder = Path("/dev/shm") / f"poolmark-{os.geteuid()}-{name}"  # noqa: S108 used only where it is ours alone
    with contextlib.suppress(OSError):
        if make:
            folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and (found.st_uid, found.st_mode & 0o077) == (os.geteuid(), 0):
            return folder
    return data / "metrics"


def die_with_parent() -> None:
    """Set the parent death signal of a child between fork and exec (Linux).

    SIGKILL, as no process remains that could enforce the end; the children's work survives it.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Deaths:
    """When a child may be started again after it died, by a monotonic clock in seconds."""

    def __init__(self, due: float = float("inf")) -> None:
        self.quick, self.since, self.due = 0, 0.0, due
        self.forgiven = 0
        """How many of the quick deaths had a full disk as their cause."""

    def started(self, now: float) -> None:
        self.since, self.due = now, float("inf")

    def died(self, now: float, is_forgiven: bool = False) -> float:
        """Count a death; returns the pause before the next start."""
        self.quick = self.quick + 1 if now - self.since < _QUICK else 0
        self.forgiven = self.quick if is_forgiven else min(self.forgiven, self.quick)
        pause = min(_FIRST_PAUSE * 2 ** max(0, self.quick - 1), _LONGEST_PAUSE)
        self.due = now + pause
        return pause

    @property
    def is_hopeless(self) -> bool:
        return self.quick - self.forgiven >= _MOST_QUICK


class Database:
    """The embedded database as a child: PostgreSQL repairs itself when it is started again."""

    name = "database"

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.log, self.deaths = cluster, cluster.log, Deaths()
        self.deaths.started(time.monotonic())

    def has_ended(self) -> int | None:
        return self.cluster.process.poll() if self.cluster.process is not None else 1

    def clear(self) -> None:
        self.cluster.process = None

    def start(self) -> None:
        self.cluster.start()
        self.deaths.started(time.monotonic())


class Child:
    """A process in a process group of its own, started by `revive`, again when it dies. `grace`: seconds to stop after
    `stop_signal`; `nice`: its scheduling priority. `reload_signal` has it take the code anew, or end after its work,
    upon which it is started again."""

    def __init__(
        self,
        name: str,
        command: list[str],
        *,
        log: Path,
        stop_signal: int,
        env: dict[str, str],
        grace: float = _GRACE,
        nice: int = 0,
        reload_signal: int = signal.SIGTERM,
    ) -> None:
        self.name, self.stop_signal, self.grace, self.nice = name, stop_signal, grace, nice
        self.reload_signal = reload_signal
        self.command, self.log, self.env = command, log, env
        self.deaths = Deaths(due=0.0)
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """Raises OSError."""
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(  # noqa: S603 fixed programs, with a list of arguments
                self.command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=self._prepare
            )
        self.deaths.started(time.monotonic())

    def has_ended(self) -> int | None:
        return self.process.poll() if self.process is not None else 1

    def clear(self) -> None:
        """Kill what a dead child has left of its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.process is not None:
                os.killpg(self.process.pid, signal.SIGKILL)

    def _prepare(self) -> None:
        os.setsid()
        os.nice(self.nice)
        die_with_parent()

    def signal_stop(self) -> None:
        self._signal(self.stop_signal)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self.process is not None:
                self.process.send_signal(number)

    def signal_reload(self) -> None:
        self.deaths.quick = 0
        self._signal(self.reload_signal)

    def wait_or_kill(self, seconds: float) -> None:
        """Wait at most so many seconds for the process, then kill its group."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(max(seconds, 0))
            self.clear()
            self.process.wait()


class WorkerCounts(NamedTuple):
    """Numbers of ingest and web server processes."""

    ingest: int
    web: int


def make_children(
    env: dict[str, str], logs: Path, bind: str, workers: WorkerCounts, roles: Sequence[str], drain: int
) -> list[Child]:
    """`drain`: seconds in which a worker may finish what it reads when it is stopped; 0: it is read again later."""
    children: list[Child] = []
    if "worker" in roles:
        children += _make_workers(env, logs, workers.ingest, drain)
    if "scheduler" in roles:
        command = [sys.executable, "manage.py", "reconcile", "--forever"]
        children.append(Child("reconciler", command, log=logs / "reconciler.log", stop_signal=signal.SIGTERM, env=env))
    if "web" in roles:
        children.append(_make_web(env, logs, bind, workers.web))
    return children


def _make_workers(env: dict[str, str], logs: Path, readers: int, drain: int) -> list[Child]:
    python = sys.executable
    stop_signal, grace = (signal.SIGTERM, float(drain)) if drain else (signal.SIGQUIT, _WORKER_GRACE)
    worker = partial(Child, env=env, stop_signal=stop_signal, grace=grace)
    celery = [
        python, "-m", "celery", "-A", "webapp.celery", "worker", "--loglevel=INFO", "--without-gossip", "--without-mingle",
        "--without-heartbeat",
    ]  # fmt: skip
    # Of several readers one is kept for small archives, which then never wait for large ones.
    small = [*celery, "--queues=small", "--hostname=small@%h", "--pool=solo"]
    drawing = [*celery, "--queues=drawing", "--hostname=drawing@%h", "--pool=solo"]
    return [
        worker("worker", [*celery, "--queues=celery,small", f"--concurrency={max(1, readers - 1)}"], log=logs / "worker.log"),
        *(worker("worker of small archives", small, log=logs / "small.log") for _ in range(readers > 1)),
        worker("drawing worker", drawing, log=logs / "drawing.log", nice=10),
    ]


def _make_web(env: dict[str, str], logs: Path, bind: str, processes: int) -> Child:
    return Child(
        "web server",
        [
            sys.executable,
            "-m",
            "gunicorn",
            "webapp.wsgi:application",
            "--config=python:webapp.infrastructure.gunicorn_config",
            "--bind",
            bind,
            f"--workers={processes}",
            "--threads=8",
            "--timeout=120",
            "--graceful-timeout=10",
            "--no-control-socket",
        ],
        log=logs / "web.log",
        stop_signal=signal.SIGTERM,
        env=env,
        reload_signal=signal.SIGHUP,  # new processes on the same socket, then the end of the old ones after their requests
    )


def revive(child: Child | Database, now: float, room: DiskRoom) -> bool:
    """Start a child that does not run, once its pause is over. False where it died so often that it is given up, which is not
    the case while the disk is full."""
    deaths, code = child.deaths, child.has_ended()
    if code is None:
        return True
    if deaths.due == float("inf"):
        pause = deaths.died(now, is_forgiven=room.is_missing())
        child.clear()
        if deaths.is_hopeless:
            say(
                f"The {child.name} has ended {_MOST_QUICK} times within {_QUICK:g} seconds of its start (exit {code}); stopping "
                f"everything. See {child.log}"
            )
            return False
        if not room.is_awaited or deaths.quick < _MOST_QUICK:
            say(f"The {child.name} has ended (exit {code}) and is started again in {pause:g} s. See {child.log}")
    elif now >= deaths.due:
        try:
            child.start()
        except (StartError, OSError) as error:
            deaths.started(now)
            if not room.is_awaited:
                say(f"The {child.name} does not start: {error}")
    return True
