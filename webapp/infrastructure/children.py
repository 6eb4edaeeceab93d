"""The processes of a machine: database, workers, reconciler and web server, started again when they die. Plain Python.

Each child leads its own session, has a parent death signal, and is stopped with its whole process group.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
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


def die_with_parent() -> None:
    """Set the parent death signal of a child between fork and exec (Linux).

    SIGKILL, as no process remains that could enforce the end; the children's work survives it.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Deaths:
    """When a child may be started again after it died, by a monotonic clock in seconds."""

    def __init__(self) -> None:
        self.quick, self.since, self.due = 0, 0.0, float("inf")

    def started(self, now: float) -> None:
        self.since, self.due = now, float("inf")

    def died(self, now: float) -> float:
        """Count a death; returns the pause before the next start."""
        self.quick = self.quick + 1 if now - self.since < _QUICK else 0
        pause = min(_FIRST_PAUSE * 2 ** max(0, self.quick - 1), _LONGEST_PAUSE)
        self.due = now + pause
        return pause

    @property
    def is_hopeless(self) -> bool:
        return self.quick >= _MOST_QUICK


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
    """A process in a process group of its own, started again when it dies. `grace`: seconds to stop after `stop_signal`; `nice`:
    its scheduling priority. `reload_signal` has it take the code anew, or end after its work, upon which it is started again."""

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
        self.deaths = Deaths()
        self.start()

    def start(self) -> None:
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(  # noqa: S603 fixed programs, with a list of arguments
                self.command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=self._prepare
            )
        self.deaths.started(time.monotonic())

    def has_ended(self) -> int | None:
        return self.process.poll()

    def clear(self) -> None:
        """Kill what a dead child has left of its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def _prepare(self) -> None:
        os.setsid()
        os.nice(self.nice)
        die_with_parent()

    def signal_stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(self.stop_signal)

    def signal_reload(self) -> None:
        self.deaths.quick = 0
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(self.reload_signal)

    def wait_or_kill(self, seconds: float) -> None:
        """Wait at most so many seconds for the process, then kill its group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class WorkerCounts(NamedTuple):
    """Numbers of ingest and web server processes."""

    ingest: int
    web: int


def start_children(
    env: dict[str, str], logs: Path, bind: str, workers: WorkerCounts, roles: Sequence[str], drain: int
) -> list[Child]:
    """`drain`: seconds in which a worker may finish what it reads when it is stopped; 0: it is read again later."""
    children: list[Child] = []
    if "worker" in roles:
        children += start_workers(env, logs, workers.ingest, drain)
    if "scheduler" in roles:
        command = [sys.executable, "manage.py", "reconcile", "--forever"]
        children.append(Child("reconciler", command, log=logs / "reconciler.log", stop_signal=signal.SIGTERM, env=env))
    if "web" in roles:
        children.append(start_web(env, logs, bind, workers.web))
    return children


def start_workers(env: dict[str, str], logs: Path, readers: int, drain: int) -> list[Child]:
    python = sys.executable
    stop_signal, grace = (signal.SIGTERM, float(drain)) if drain else (signal.SIGQUIT, _WORKER_GRACE)
    worker = partial(Child, env=env, stop_signal=stop_signal, grace=grace)
    celery = [
        python,
        "-m",
        "celery",
        "-A",
        "webapp.celery",
        "worker",
        "--loglevel=INFO",
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
    ]
    # Of several readers one is kept for small archives, which then never wait for large ones.
    small = [*celery, "--queues=small", "--hostname=small@%h", "--pool=solo"]
    drawing = [*celery, "--queues=drawing", "--hostname=drawing@%h", "--pool=solo"]
    return [
        worker("worker", [*celery, "--queues=celery,small", f"--concurrency={max(1, readers - 1)}"], log=logs / "worker.log"),
        *(worker("worker of small archives", small, log=logs / "small.log") for _ in range(readers > 1)),
        worker("drawing worker", drawing, log=logs / "drawing.log", nice=10),
    ]


def start_web(env: dict[str, str], logs: Path, bind: str, processes: int) -> Child:
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


def revive(child: Child | Database, now: float) -> bool:
    """Start a child again that has died, once its pause is over. False where it died so often that it is given up."""
    deaths, code = child.deaths, child.has_ended()
    if code is None:
        return True
    if deaths.due == float("inf"):
        pause = deaths.died(now)
        child.clear()
        if deaths.is_hopeless:
            print(
                f"The {child.name} has ended {_MOST_QUICK} times within {_QUICK:g} seconds of its start (exit {code}); stopping "
                f"everything. See {child.log}",
                file=sys.stderr,
                flush=True,
            )
            return False
        print(f"The {child.name} has ended (exit {code}) and is started again in {pause:g} s. See {child.log}", file=sys.stderr)
    elif now >= deaths.due:
        try:
            child.start()
        except StartError as error:
            deaths.started(now)
            print(f"The {child.name} does not start: {error}", file=sys.stderr)
    return True
