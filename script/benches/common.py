"""Shared parts of the benchmarks: statistics, a load client, and servers of the product and of a minimal reference."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
_AWAY = 0.003
"""Seconds between a connection and its first byte, as where a network is between."""


def spread_of(figures: Sequence[float], digits: int = 4) -> list[float]:
    """[median, minimum, maximum], rounded to significant digits."""
    return [float(f"%.{digits}g" % of(figures)) for of in (statistics.median, min, max)]


def parse_sizes(text: str) -> tuple[int, ...]:
    """Numbers of measurements in an argument: `100000,1000000`."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or min(found) <= 0:
        raise argparse.ArgumentTypeError(f"“{text}” are no numbers of measurements; give whole ones, such as 10000,100000")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, removed at exit."""
    place = Path(tempfile.mkdtemp(prefix="poolmark-bench-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def run_server(command: list[str], address: str, env: dict[str, str] | None = None, seconds: int = 600) -> Iterator[str]:
    """A running server in its own process group; yields its address after the first answer and stops it at exit."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            _await(process, address, seconds, log)
            yield address.rsplit("/", 1)[0]
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _await(process: subprocess.Popen, address: str, seconds: int, log) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.1)
    log.seek(0)
    raise SystemExit(f"{address} does not answer:\n{log.read()[-2000:].decode(errors='replace')}")


def run_product(data: Path, **env: str) -> contextlib.AbstractContextManager[str]:
    """The product as `script/server --empty` runs it, on a database of its own in `data`."""
    port = free_port()
    return run_server(
        [sys.executable, "script/supervise.py", "--port", str(port), "--empty"],
        f"http://127.0.0.1:{port}/healthz",
        clean_environment(data, **env),
    )


def clean_environment(data: Path, **env: str) -> dict[str, str]:
    """Environment of a run on a data folder, independent of the caller's installation."""
    return {"POOLMARK_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": "", "POOLMARK_EMBEDDED_URL": "", **env}


def manage(data: Path, *args: str) -> str:
    """The output of `manage.py ARGS` on the database in `data`."""
    done = subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=ROOT,
        env={**os.environ, **clean_environment(data)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"manage.py {args[0]} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def run_reference(place: Path) -> contextlib.AbstractContextManager[str]:
    """The reference server: Django with a hello view and a template page of 60 groups, under gunicorn with as many
    workers as the product."""
    shutil.copy(Path(__file__).with_name("bare_app.py"), place / "bare_app.py")
    port = free_port()
    return run_server(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "-w",
            "2",
            "-b",
            f"127.0.0.1:{port}",
            "--no-control-socket",
            "--chdir",
            str(place),
            "bare_app:application",
        ],
        f"http://127.0.0.1:{port}/hello",
        {"PYTHONPATH": str(place)},
    )


def measure_load(
    address: str, connections: int = 1, seconds: float = 2.0, headers: dict[str, str] | None = None, *, fresh: bool = False
) -> dict[str, float]:
    """Send requests over persistent connections for some seconds; returns {p50, p95 in ms, requests, errors}. `fresh`: each
    over a connection of its own, whose making is part of the time, and whose first byte comes when the server has accepted it."""
    times: list[float] = []
    errors: list[int] = []
    threads = [
        threading.Thread(target=_ask, args=(address, seconds, headers or {}, fresh, times, errors)) for _ in range(connections)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    if not times:
        raise SystemExit(f"{address} gave no answer")
    return {
        "p50": 1e3 * statistics.median(times),
        "p95": 1e3 * times[int(0.95 * (len(times) - 1))],
        "requests": len(times),
        "errors": len(errors),
    }


def _ask(address: str, seconds: float, headers: dict[str, str], fresh: bool, times: list[float], errors: list[int]) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    path, end = f"{parts.path}?{parts.query}" if parts.query else parts.path, time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end or not times:
        if fresh:
            connection.connect()
            connected = time.perf_counter()
            time.sleep(_AWAY)
            begin += time.perf_counter() - connected
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - begin)
        if fresh:
            connection.close()
        if answer.status not in (200, 304):
            errors.append(answer.status)
    connection.close()
