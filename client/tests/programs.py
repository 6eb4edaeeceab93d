"""The client run as people run it: a process of its own, on each Python that this machine has, against a real server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from webapp.tests.serving import Server, data_folder, manage

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "client" / "src"
PROGRAMS = ROOT / ".venv" / "programs" / "bin" / "python"
"""Has what the client needs, as script/setup --test makes it; tests of the client run on it at least."""
_OLDEST, _NEWEST = 9, 14
_TOKEN = """
from django.contrib.auth import get_user_model
from webapp.accounts import api_tokens
for name in ("ann", "bob"):
    user, _ = get_user_model().objects.get_or_create(username=name)
    for scope in ("read", "push", "manage"):
        print("token", name, scope, api_tokens.make_token(user, scope, [scope]))
"""


@cache
def pythons() -> list[str]:
    """The Pythons on which the client is tried: that of `PROGRAMS`, and the oldest and the newest other one that is found, in PATH
    or of pyenv. A machine may have no other: then the first stands alone, also where CI is set."""
    own = _version_of(str(PROGRAMS))
    found: dict[int, str] = {}
    for minor in range(_OLDEST, _NEWEST):
        beside = sorted(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3")))
        candidates = [*filter(None, [shutil.which(f"python3.{minor}")]), *beside]
        usable = next((one for one in candidates if _version_of(one) == minor != own), None)
        if usable:
            found[minor] = usable
    return [str(PROGRAMS), *{found[minor]: None for minor in (min(found), max(found))}] if found else [str(PROGRAMS)]


def _version_of(python: str) -> int | None:
    """The number behind `3.` of an interpreter that can make virtual environments."""
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        said = subprocess.run(
            [python, "-c", "import ensurepip, sys; print(sys.version_info[1])"], capture_output=True, text=True, check=True
        )
        return int(said.stdout)
    return None


@cache
def python_with_client(python: str) -> str:
    """An interpreter of that version which has what the client needs, in a virtual environment that is kept. Where its packages
    cannot be had the test is skipped, unless CI is set."""
    if python == str(PROGRAMS):
        return python
    project = (ROOT / "client" / "pyproject.toml").read_bytes()
    place = ROOT / ".venv" / f"client-3.{_version_of(python)}"
    ready = place / "ready"
    if not ready.exists() or ready.read_bytes() != project:
        made = [python, "-m", "venv", "--clear", str(place)]
        subprocess.run(made, check=True, capture_output=True)
        installed = subprocess.run([place / "bin" / "pip", "install", "-q", ROOT / "client"], capture_output=True, text=True)
        if installed.returncode and not os.environ.get("CI"):
            pytest.skip(f"packages of the client cannot be installed: {installed.stderr[-300:]}")
        assert installed.returncode == 0, installed.stderr
        ready.write_bytes(project)
    return str(place / "bin" / "python")


@dataclass
class Program:
    """The client with a home of its own. `url`: the server it is told of, by POOLMARK_URL."""

    home: Path
    url: str = ""
    token: str = ""
    python: str = str(PROGRAMS)
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if re.fullmatch("PATH|LANG|LC_.*|TMPDIR", name)}
        own = {"HOME": str(self.home), "PYTHONPATH": str(SOURCE), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
        named = {"POOLMARK_URL": self.url, "POOLMARK_TOKEN": self.token}
        return {**kept, **own, **{name: value for name, value in named.items() if value}, **self.more}

    def run(self, *args: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """`poolmark ARGS` to its end."""
        return self.python_run("-m", "poolmark", *args, stdin=stdin, cwd=cwd)

    def python_run(self, *args: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        words = [python_with_client(self.python), *args]
        return subprocess.run(
            words, env=self.environment, input=stdin, capture_output=True, text=True, timeout=120, cwd=cwd or self.home, check=False
        )

    def says(self, *args: str, code: int = 0, **more: Any) -> str:
        """What it prints, where it ends with that code."""
        done = self.run(*args, **more)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout

    def data(self, *args: str, code: int = 0) -> Any:
        """What it prints with --json."""
        return json.loads(self.says(*args, "--json", code=code))

    def evaluate(self, script: str) -> Any:
        """What a script prints as JSON."""
        done = self.python_run("-c", script)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@dataclass
class Site:
    """A real server. `tokens`: by account and scope."""

    server: Server
    data: Path
    tokens: dict[tuple[str, str], str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def program(self, home: Path, scope: str = "manage", owner: str = "ann", python: str = str(PROGRAMS)) -> Program:
        home.mkdir(parents=True, exist_ok=True)
        return Program(home, self.url, self.tokens[owner, scope], python)

    def manage(self, *args: str) -> str:
        done = manage(self.data, *args)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextlib.contextmanager
def running_site() -> Iterator[Site]:
    """A server with two accounts, ann and bob, and tokens of each scope."""
    data = data_folder()
    server = Server(data)
    try:
        server.wait_ready()
        said = manage(data, "shell", "-c", _TOKEN)
        assert said.returncode == 0, said.stderr
        lines = [line.split()[1:] for line in said.stdout.splitlines() if line.startswith("token ")]
        yield Site(server, data, {(owner, scope): token for owner, scope, token in lines})
    finally:
        server.close()
        shutil.rmtree(data, ignore_errors=True)


def dd_session(day: int, rates: list[float], host: str = "stor01") -> str:
    """A transcript of dd runs of 16 GiB on one day of January 2026. `rates`: MB/s, each a run."""
    size = 2**34
    lines = [
        f"root@{host}:~# uname -a",
        f"Linux {host} 6.8.0-31-generic #31-Ubuntu SMP x86_64 GNU/Linux",
        f"root@{host}:~# lscpu | grep -i model",
        "Model name:            AMD EPYC 7302P 16-Core Processor",
        f"root@{host}:~# free -b",
        "              total        used        free",
        "Mem:    8589934592  1000000  1000000",
        f"root@{host}:~# mount | grep tank",
        "/dev/sdb1 on /tank type ext4 (rw,noatime)",
        f"root@{host}:~# date -u",
        f"Mon Jan {day:2d} 10:00:00 UTC 2026",
    ]
    for rate in rates:
        seconds = size / rate / 1e6
        lines += [
            f"root@{host}:~# dd if=/dev/urandom of=/tank/file bs=1M count=16384 conv=fsync",
            "16384+0 records in",
            "16384+0 records out",
            f"{size} bytes (17 GB, 16 GiB) copied, {seconds:.4f} s, {rate:.0f} MB/s",
        ]
    return "\n".join(lines) + "\n"


def sessions(folder: Path, days: dict[int, float], spread: float = 0.01) -> list[Path]:
    """A folder for each day with a transcript of four runs around that rate."""
    steps = (-1.2, -0.3, 0.4, 1.1)
    made = []
    for day, rate in days.items():
        made.append(folder / f"day-{day}")
        made[-1].mkdir(parents=True)
        (made[-1] / "run.txt").write_text(dd_session(day, [rate * (1 + spread * step) for step in steps]))
    return made
