"""Runs of the capture kit on a small stage: shells, programs that stand for others, a clock of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.tests.tools import needed

KIT = Path(__file__).parent.parent / "poolmark-capture.sh"
SHELLS = ("dash", "busybox sh", "bash", "ksh")
START = 1_800_000_000
FIRST = 1_700_000_000  # before the clock of any test, a real one too: a clock that lost its place says 1970
# The clock is the size of a file, which only grows. A second's rest is real: those who watch beside the kit rest so, and the
# kit alone moves the clock.
_DATE = '#!/bin/sh\nprintf . >>"$CLOCK"\nexec /bin/date -u -d "@$(($BEGAN + $(wc -c <"$CLOCK")))" "$2"\n'
_SLEEP = '#!/bin/sh\ncase $1 in 1 | *.*) exec /bin/sleep "$1" ;; esac\nprintf "%${1}s" "" >>"$CLOCK"\n'
_started: list[subprocess.Popen[str]] = []


def shell_command(shell: str) -> list[str]:
    """The words that run a script in that shell; skips the test where it is not installed."""
    words = shell.split()
    needed(words[0])
    return words


class Stage:
    """A folder with `bin/`, whose programs come first, and the captures made in it."""

    def __init__(self, folder: Path, shell: str = "sh") -> None:
        self.folder, self.shell, self.kit = folder, shell, KIT
        self.environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "CLOCK": str(folder / "clock")}
        (folder / "bin").mkdir(parents=True, exist_ok=True)

    def program(self, name: str, script: str) -> None:
        """A program of that name; its script is one of sh."""
        path = self.folder / "bin" / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def turn_clock(self, seconds: int = START) -> None:
        """A clock that each look at it moves on by a second, and each rest by its length, without waiting."""
        self.environment["BEGAN"] = str(seconds)
        (self.folder / "clock").touch()
        self.program("date", _DATE)
        self.program("sleep", _SLEEP)

    def start(self, *options: str, as_user: str = "") -> subprocess.Popen[str]:
        words = [*shell_command(self.shell), str(self.kit), *options]
        if as_user:
            needed("setpriv")
            words = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--clear-groups", *words]
        started = subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        _started.append(started)
        return started

    def run(self, *options: str, fails: bool = False, as_user: str = "") -> str:
        """What the kit says. `fails`: whether it must end with an error."""
        running = self.start(*options, as_user=as_user)
        said, _ = running.communicate(timeout=60)
        assert (running.returncode != 0) == fails, said
        return said

    def capture(self, *options: str, name: str = "capture") -> Path:
        """The archive of a capture into the folder of that name."""
        self.run("--out", name, *options)
        return self.folder / f"{name}.tar.gz"


def end_all() -> None:
    """End what still runs of every kit that was started, with all that it started."""
    while _started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(_started.pop().pid, signal.SIGKILL)


def unpack(archive: Path) -> Path:
    """The folder of an archive, unpacked beside it."""
    target = archive.parent / f"{archive.name}.unpacked"
    shutil.rmtree(target, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(target)
    [folder] = target.iterdir()
    return folder


def manifest_of(archive: Path) -> Mapping[str, Any]:
    """The manifest of an archive, none of whose runs began before the clock of any stage."""
    manifest = tomllib.loads((unpack(archive) / "poolmark.toml").read_text())
    starts = [run["started_at"].timestamp() for run in manifest.get("runs", ()) if "started_at" in run]
    assert min(starts, default=START) >= FIRST, starts
    return manifest
