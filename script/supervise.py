"""Runs database, workers, reconciler and web server together, starts again what dies, and stops all of them together."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
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

from webapp.infrastructure.children import (  # noqa: E402
    ROLES,
    Child,
    Database,
    DiskRoom,
    WorkerCounts,
    bound_logs,
    counters_folder,
    die_with_parent,
    make_children,
    revive,
    say,
)
from webapp.infrastructure.embedded_postgres import CLEAN_STOP, SERVER, Cluster, StartError, lock_data_folder  # noqa: E402

_LOGS_EVERY = 5.0  # seconds


class Stop(BaseException):
    """A stop signal was received. Not an Exception: psycopg suppresses those during its import, which would lose the signal."""


class ReloadRequest:
    """Whether a reload was asked for by SIGUSR1."""

    def __init__(self) -> None:
        self.is_asked = False

    def ask(self, number: int, frame: object) -> None:
        self.is_asked = True

    def take(self) -> bool:
        was_asked, self.is_asked = self.is_asked, False
        return was_asked


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
        say("\nPoolmark is ready. Open it, or sign in as its owner with the second link, which works once:\n", is_error=False)
        say(f"{address}\n{link}", is_error=False)
    else:
        say(f"\nPoolmark is ready:\n\n{address}\n", is_error=False)
        say("A new sign-in link: .venv/bin/python manage.py sign_in_link", is_error=False)


def read_count(name: str, default: int = 2, least: int = 1, of: str = "processes") -> int:
    """A number from the environment; ends the program with a message for any other text."""
    text = os.environ.get(name) or str(default)
    if not text.isdecimal() or int(text) < least:
        refuse(f"{name} is {text}, and should be a number of {of}, such as {default}.")
    return int(text)


def read_roles() -> list[str]:
    """What is started here, by POOLMARK_ROLES: everything, or one part of a site of several machines."""
    roles = [part.strip() for part in (os.environ.get("POOLMARK_ROLES") or ",".join(ROLES)).split(",") if part.strip()]
    if not roles or not set(roles) <= set(ROLES):
        refuse(f"POOLMARK_ROLES is {os.environ.get('POOLMARK_ROLES')}, and should be some of {', '.join(ROLES)}.")
    return roles


def is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "healthz", timeout=5) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def watch(children: list[Child | Database], room: DiskRoom, address: str, link: str) -> int:
    """Start again what dies, until something is given up; returns the exit code. Prints address and sign-in link once the server
    answers, where there is one (`address`). On SIGUSR1 all but the database take their code anew, without a lost request."""
    reload = ReloadRequest()
    signal.signal(signal.SIGUSR1, reload.ask)
    announced, since, looked = not address, time.monotonic(), 0.0
    while True:
        if not all([revive(child, time.monotonic(), room) for child in children]):
            return 1
        if room.is_awaited and room.is_missing():
            since = time.monotonic()
        if time.monotonic() > looked + _LOGS_EVERY:
            looked = time.monotonic()
            bound_logs(room.data / "log")
        if reload.take():
            say("Reloading.", is_error=False)
            for child in children:
                if isinstance(child, Child):
                    child.signal_reload()
        if not announced and is_healthy(address):
            announced = True
            announce(address, link)
        if not announced and time.monotonic() - since > 120:
            say(f"The web server does not answer; stopping everything. See {room.data / 'log'}/")
            return 1
        time.sleep(0.2 if announced else 0.1)


def stop_all(running: list[Child]) -> None:
    for child in running:
        child.signal_stop()
    signalled = time.monotonic()
    for child in running:
        child.wait_or_kill(signalled + child.grace - time.monotonic())


def serve(options: argparse.Namespace, data: Path, stack: contextlib.ExitStack) -> int:
    with contextlib.suppress(OSError):  # another's folder, which others may be meant to read
        data.chmod(0o700)
    logs = data / "log"
    logs.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, POOLMARK_DATA=str(data), DJANGO_SETTINGS_MODULE="webapp.settings", PYTHONUNBUFFERED="1")
    host = os.environ.get("POOLMARK_BIND") or "127.0.0.1"
    roles = read_roles()
    if "web" in roles:
        check_port(host, options.port)
    drain = read_count("POOLMARK_DRAIN_SECONDS", 0, least=0, of="seconds")
    workers = WorkerCounts(ingest=read_count("POOLMARK_READERS"), web=read_count("POOLMARK_WEB_PROCESSES"))
    if not env.get("PROMETHEUS_MULTIPROC_DIR"):
        counters = counters_folder(data, make=True)
        env["PROMETHEUS_MULTIPROC_DIR"] = str(counters)
        stack.callback(shutil.rmtree, counters, ignore_errors=True)
        # Counters of processes that have ended would be counted for ever.
        for left in (*counters.glob("*.db"), *(data / "metrics").glob("*.db")):
            left.unlink()
    room, children = DiskRoom(data), list[Child | Database]()
    if not env.get("DATABASE_URL"):
        cluster = Cluster(data)
        # Registered before the start, so that a signal during it stops the server too.
        stack.callback(cluster.stop)
        room.start(cluster.start)
        children.append(Database(cluster))
        env["POOLMARK_EMBEDDED_URL"] = cluster.url
    here = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104  what to print for it
    address = f"http://{here}:{options.port}/"
    env["POOLMARK_ADDRESS"] = address.rstrip("/")
    links: list[str] = []
    room.start(lambda: links.append(prepare(env, address)))
    if not options.empty and "scheduler" in roles:
        room.start(lambda: manage(env, "load_fixtures"))
    bind = f"[{host}]:{options.port}" if ":" in host else f"{host}:{options.port}"
    running = make_children(env, logs, bind, workers, roles, drain)
    stack.callback(stop_all, running)
    if "web" not in roles:
        for child in running:
            revive(child, time.monotonic(), room)
        say(f"\nPoolmark is ready: {', '.join(roles)}, for the web servers of other machines.", is_error=False)
    return watch([*children, *running], room, address if "web" in roles else "", links[0])


def main() -> int:
    options = parse_arguments()
    os.umask(0o077)
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
        with contextlib.suppress(OSError):
            (data / CLEAN_STOP).touch()
        return 0
    except (StartError, OSError) as error:
        refuse(str(error))
    return 1


if __name__ == "__main__":
    sys.exit(main())
