"""Keeps database, workers, reconciler and web server running together, and leaves none of them behind.

Every child is the leader of a session of its own, asks the kernel for a signal when this process dies, and is stopped
with its whole group. The end of any child is the end of all.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from webapp.infrastructure.embedded_postgres import SERVER, Cluster, StartError, lock_data_folder  # noqa: E402

_PR_SET_PDEATHSIG = 1
_GRACE = 15  # seconds that a child has to stop by itself
_WORKER_GRACE = 1.0
"""The same of the worker: at once it ends its readers and takes nothing more, and then waits for threads of its own that look up
every other second. What was being read is not lost: the row knows it, and the next reconciler sends it again."""


class Stop(BaseException):
    """A signal asked for the end. No Exception: psycopg passes over those while it is imported, and the signal would be lost."""


def die_with_parent() -> None:
    """In the child, between fork and exec: have the kernel kill it when the supervisor dies (Linux).

    No gentler signal: nobody is left to see to it that the child ends, and what it was doing survives that.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Child:
    """One process with its group, its log and the signal that asks it to stop; `nice` is how far it stands back for others."""

    def __init__(
        self, name: str, command: list[str], log: Path, stop: int, env: dict[str, str], grace: float = _GRACE, nice: int = 0
    ) -> None:
        self.name, self.stop_signal, self.grace, self.nice = name, stop, grace, nice
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=self._prepare
            )

    def _prepare(self) -> None:
        os.setsid()
        os.nice(self.nice)
        die_with_parent()

    def ask(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(self.stop_signal)

    def end(self, seconds: float) -> None:
        """Wait for it, then make sure of its whole group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def arguments() -> argparse.Namespace:
    ask = argparse.ArgumentParser(prog="script/server", description="Starts Poolmark.")
    ask.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000), help="default: %(default)s")
    ask.add_argument("--empty", action="store_true", help="do not load the studies in fixtures/")
    return ask.parse_args()


def refuse(text: str) -> None:
    sys.exit(f"Poolmark cannot start: {text}")


def check_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            refuse(f"port {port} on {host} cannot be used ({error.strerror}). Try another: script/server --port {port + 1}")


def manage(env: dict[str, str], *args: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: (os.setsid(), die_with_parent()),
    )
    if done.returncode:
        refuse(f"`manage.py {' '.join(args)}` failed (see above).")


def number(name: str, usual: int = 2) -> int:
    """A positive number from the environment."""
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or int(text) < 1:
        refuse(f"{name} is {text}, and should be a number of processes, such as {usual}.")
    return int(text)


def children(env: dict[str, str], logs: Path, host: str, port: int, readers: int, web: int) -> list[Child]:
    python = sys.executable
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    worker = [
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
    return [
        Child(
            "worker",
            [*worker, "--queues=celery", f"--concurrency={readers}"],
            logs / "worker.log",
            signal.SIGQUIT,
            env,
            _WORKER_GRACE,
        ),
        Child(
            "drawing worker",
            [*worker, "--queues=drawing", "--hostname=drawing@%h", "--pool=solo"],
            logs / "drawing.log",
            signal.SIGQUIT,
            env,
            _WORKER_GRACE,
            nice=10,
        ),
        Child("reconciler", [python, "manage.py", "reconcile", "--forever"], logs / "reconciler.log", signal.SIGTERM, env),
        Child(
            "web server",
            [
                python,
                "-m",
                "gunicorn",
                "webapp.wsgi:application",
                "--config=python:webapp.infrastructure.gunicorn_config",
                "--bind",
                bind,
                f"--workers={web}",
                "--threads=8",
                "--timeout=120",
                "--graceful-timeout=5",
                "--access-logfile=-",
                "--no-control-socket",
            ],
            logs / "web.log",
            signal.SIGTERM,
            env,
        ),
    ]


def healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "healthz", timeout=5) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def watch(family: list[Child], cluster: Cluster | None, address: str, logs: Path) -> int:
    """Until a child ends. Announces the address when it answers."""
    announced, since = False, time.monotonic()
    while True:
        for child in family:
            code = child.process.poll()
            if code is not None:
                print(f"The {child.name} has ended (exit {code}); stopping everything. See {logs}/", file=sys.stderr)
                return 1
        if cluster is not None and cluster.process is not None and cluster.process.poll() is not None:
            print(f"The database has ended; stopping everything. See {cluster.log}", file=sys.stderr)
            return 1
        if not announced and healthy(address):
            announced = True
            print(f"Poolmark is ready: {address}", flush=True)
        if not announced and time.monotonic() - since > 120:
            print(f"The web server does not answer; stopping everything. See {logs}/", file=sys.stderr)
            return 1
        time.sleep(0.2 if announced else 0.1)


def stop_all(family: list[Child]) -> None:
    for child in family:
        child.ask()
    asked = time.monotonic()
    for child in family:
        child.end(asked + child.grace - time.monotonic())


def serve(options: argparse.Namespace, data: Path, stack: contextlib.ExitStack) -> int:
    logs = data / "log"
    logs.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, POOLMARK_DATA=str(data), DJANGO_SETTINGS_MODULE="webapp.settings", PYTHONUNBUFFERED="1")
    host = os.environ.get("POOLMARK_BIND") or "127.0.0.1"
    check_port(host, options.port)
    counts = number("POOLMARK_READERS"), number("POOLMARK_WEB_PROCESSES")
    cluster = None
    if not env.get("DATABASE_URL"):
        cluster = Cluster(data)
        # Before the start, so that a signal in the middle of it stops the server too.
        stack.callback(cluster.stop)
        cluster.start()
        env["POOLMARK_EMBEDDED_URL"] = cluster.url
    here = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    address = f"http://{here}:{options.port}/"
    manage(env, "prepare", "--address", address)
    if not options.empty:
        manage(env, "load_fixtures")
    family: list[Child] = []
    stack.callback(stop_all, family)
    family += children(env, logs, host, options.port, *counts)
    return watch(family, cluster, address, logs)


def main() -> int:
    options = arguments()
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
        return 0
    except StartError as error:
        refuse(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
