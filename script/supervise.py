"""Runs database, workers, reconciler and web server together, starts again what dies, and stops all of them together.

Each child leads its own session, has a parent death signal, and is stopped with its whole process group.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from webapp.infrastructure.embedded_postgres import CLEAN_STOP, SERVER, Cluster, StartError, lock_data_folder  # noqa: E402

_PR_SET_PDEATHSIG = 1
_GRACE = 15  # seconds between the stop signal and SIGKILL
_WORKER_GRACE = 1.0
"""Grace of a worker: it ends its pool at once, and only waits for housekeeping threads that wake every other second. Archives
being ingested are not lost: their rows have the state, and the next reconciler queues them again."""


_QUICK, _MOST_QUICK = 10.0, 5
"""A child that ended five times in a row within ten seconds of its start will not get better: everything is stopped, and said."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
"""Seconds before a child that has died is started again: doubled with every quick death."""


class Stop(BaseException):
    """A stop signal was received. Not an Exception: psycopg suppresses those during its import, which would lose the signal."""


def die_with_parent() -> None:
    """Set the parent death signal of a child between fork and exec (Linux).

    SIGKILL, as no process remains that could enforce the end; the children's work survives it.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ReloadRequest:
    """Whether a reload was asked for by SIGUSR1."""

    def __init__(self) -> None:
        self.is_asked = False

    def ask(self, number: int, frame: object) -> None:
        self.is_asked = True

    def take(self) -> bool:
        was_asked, self.is_asked = self.is_asked, False
        return was_asked


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
            self.process = subprocess.Popen(
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


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/server", description="Starts Poolmark.")
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000), help="default: %(default)s")
    parser.add_argument("--empty", action="store_true", help="do not load the studies in fixtures/")
    return parser.parse_args()


def refuse(text: str) -> None:
    sys.exit(f"Poolmark cannot start: {text}")


def check_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            refuse(f"port {port} on {host} cannot be used ({error.strerror}). Try another: script/server --port {port + 1}")


def manage(env: dict[str, str], *args: str, pass_fds: tuple[int, ...] = ()) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        pass_fds=pass_fds,
        preexec_fn=lambda: (os.setsid(), die_with_parent()),
    )
    if done.returncode:
        refuse(f"`manage.py {' '.join(args)}` failed (see above).")


def prepare(env: dict[str, str], address: str) -> str:
    """Prepare database and static files; the sign-in link of a first start, else empty."""
    reading, writing = os.pipe()
    with open(reading) as links:
        try:
            manage(env, "prepare", "--address", address, "--link-to", str(writing), pass_fds=(writing,))
        finally:
            os.close(writing)
        return links.read()


def announce(address: str, link: str) -> None:
    """The last lines of a start: what to click."""
    if link:
        print("\nPoolmark is ready. Open it, or sign in as its owner with the second link, which works once:\n")
        print(f"{address}\n{link}", flush=True)
    else:
        print(f"\nPoolmark is ready:\n\n{address}\n", flush=True)
        print("A new sign-in link: .venv/bin/python manage.py sign_in_link", flush=True)


def read_count(name: str, default: int = 2, least: int = 1, of: str = "processes") -> int:
    """A number from the environment; ends the program with a message for any other text."""
    text = os.environ.get(name) or str(default)
    if not text.isdecimal() or int(text) < least:
        refuse(f"{name} is {text}, and should be a number of {of}, such as {default}.")
    return int(text)


class WorkerCounts(NamedTuple):
    """Numbers of ingest and web server processes."""

    ingest: int
    web: int


ROLES = ("web", "worker", "scheduler")


def read_roles() -> list[str]:
    """What is started here, by POOLMARK_ROLES: everything, or one part of a site of several machines."""
    roles = [part.strip() for part in (os.environ.get("POOLMARK_ROLES") or ",".join(ROLES)).split(",") if part.strip()]
    if not roles or not set(roles) <= set(ROLES):
        refuse(f"POOLMARK_ROLES is {os.environ.get('POOLMARK_ROLES')}, and should be some of {', '.join(ROLES)}.")
    return roles


def start_children(
    env: dict[str, str], logs: Path, bind: str, workers: WorkerCounts, roles: Sequence[str] = ROLES, drain: int = 0
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
    stop = {"stop_signal": signal.SIGTERM if drain else signal.SIGQUIT, "grace": drain or _WORKER_GRACE}
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
    small = [
        Child(
            "worker of small archives",
            [*celery, "--queues=small", "--hostname=small@%h", "--pool=solo"],
            log=logs / "small.log",
            env=env,
            **stop,
        )
        for _ in range(readers > 1)
    ]
    return [
        Child(
            "worker",
            [*celery, "--queues=celery,small", f"--concurrency={max(1, readers - 1)}"],
            log=logs / "worker.log",
            env=env,
            **stop,
        ),
        *small,
        Child(
            "drawing worker",
            [*celery, "--queues=drawing", "--hostname=drawing@%h", "--pool=solo"],
            log=logs / "drawing.log",
            env=env,
            nice=10,
            **stop,
        ),
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


def is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "healthz", timeout=5) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


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


def watch(running: list[Child], cluster: Cluster | None, address: str, link: str, logs: Path) -> int:
    """Start again what dies, until something is given up; returns the exit code. Prints address and sign-in link once the server
    answers, where there is one (`address`). On SIGUSR1 all but the database take their code anew, without a lost request."""
    reload = ReloadRequest()
    signal.signal(signal.SIGUSR1, reload.ask)
    announced, since = not address, time.monotonic()
    children: list[Child | Database] = [*([Database(cluster)] if cluster is not None else []), *running]
    while True:
        if not all([revive(child, time.monotonic()) for child in children]):
            return 1
        if reload.take():
            print("Reloading.", flush=True)
            for child in running:
                child.signal_reload()
        if not announced and is_healthy(address):
            announced = True
            announce(address, link)
        if not announced and time.monotonic() - since > 120:
            print(f"The web server does not answer; stopping everything. See {logs}/", file=sys.stderr)
            return 1
        time.sleep(0.2 if announced else 0.1)


def stop_all(running: list[Child]) -> None:
    for child in running:
        child.signal_stop()
    signalled = time.monotonic()
    for child in running:
        child.wait_or_kill(signalled + child.grace - time.monotonic())


def serve(options: argparse.Namespace, data: Path, stack: contextlib.ExitStack) -> int:
    logs = data / "log"
    logs.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, POOLMARK_DATA=str(data), DJANGO_SETTINGS_MODULE="webapp.settings", PYTHONUNBUFFERED="1")
    host = os.environ.get("POOLMARK_BIND") or "127.0.0.1"
    roles = read_roles()
    if "web" in roles:
        check_port(host, options.port)
    drain = read_count("POOLMARK_DRAIN_SECONDS", 0, least=0, of="seconds")
    workers = WorkerCounts(ingest=read_count("POOLMARK_READERS"), web=read_count("POOLMARK_WEB_PROCESSES"))
    cluster = None
    if not env.get("DATABASE_URL"):
        cluster = Cluster(data)
        # Registered before the start, so that a signal during it stops the server too.
        stack.callback(cluster.stop)
        cluster.start()
        env["POOLMARK_EMBEDDED_URL"] = cluster.url
    here = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  what to print for it
    address = f"http://{here}:{options.port}/"
    env["POOLMARK_ADDRESS"] = address.rstrip("/")
    link = prepare(env, address)
    if not options.empty and "scheduler" in roles:
        manage(env, "load_fixtures")
    # Counters of processes that have ended would be counted for ever.
    shutil.rmtree(data / "metrics", ignore_errors=True)
    running: list[Child] = []
    stack.callback(stop_all, running)
    bind = f"[{host}]:{options.port}" if ":" in host else f"{host}:{options.port}"
    running += start_children(env, logs, bind, workers, roles, drain)
    if "web" not in roles:
        print(f"\nPoolmark is ready: {', '.join(roles)}, for the web servers of other machines.", flush=True)
    return watch(running, cluster, address if "web" in roles else "", link, logs)


def main() -> int:
    options = parse_arguments()
    data = Path(os.environ.get("POOLMARK_DATA") or ROOT / "var").resolve()

    def on_signal(number, frame):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Stop

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        with contextlib.ExitStack() as stack:
            if not stack.enter_context(lock_data_folder(data, SERVER)):
                refuse(f"another copy uses {data}. Stop it, or set POOLMARK_DATA to another folder.")
            return serve(options, data, stack)
    except Stop:
        if data.is_dir():
            (data / CLEAN_STOP).touch()
        return 0
    except StartError as error:
        refuse(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
