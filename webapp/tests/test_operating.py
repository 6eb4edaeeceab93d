"""docs/operating.md: its commands run, in its order; what stands in deploy/ is accepted by the programs that it is for."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.tests.tools import needed
from webapp.tests import samples
from webapp.tests.serving import ROOT, environment

pytestmark = pytest.mark.slow
TEXT = (ROOT / "docs/operating.md").read_text()
DEPLOY = ROOT / "deploy"
_COMMAND = re.compile(r"^    (?:POOLMARK_DATA=\S+ )?\.venv/bin/python manage\.py (\S.*)$", re.MULTILINE)
COMMANDS = [re.sub(r" \[[^]]*\]", "", command) for command in _COMMAND.findall(TEXT)]
FOLDERS = {"/backup/poolmark": "backup", "TARGET": "backup", "/backup/dumps": "dumps"}
"""What stands for a folder in the commands, and what it is here."""


@pytest.fixture
def place() -> Iterator[Path]:
    """A short path, for sockets."""
    made = Path(tempfile.mkdtemp(prefix="pm-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def run(data: Path, command: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *shlex.split(command)],
        cwd=ROOT,
        env=environment(data),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.server
def test_its_commands_run_one_after_the_other(place):
    (place / "dd.txt").write_bytes(samples.dd(2.5, 2))
    for folder in set(FOLDERS.values()):
        (place / folder).mkdir()
    ran = set()
    number = re.findall(r"archive (\d+)", run(place / "data", f"ingest {place / 'dd.txt'}"))[0]
    for at, command in enumerate(COMMANDS):
        data = place / (f"restored{at}" if command.startswith("restore") else "data")
        for printed, own in ({name: place / folder for name, folder in FOLDERS.items()} | {"ID": number}).items():
            command = re.sub(rf"(?<!\S){printed}(?!\S)", str(own), command)
        command = re.sub(r"(?<!\S)SOURCE(?!\S)", f"{place / 'backup'} --check", command)
        run(data, command)
        ran.add(command.split()[0])
    assert ran >= {"backup", "restore", "check_data", "sign_in_link", "archive", "axes_reset_username", "axes_reset_ip", "shell"}


def test_systemd_accepts_the_units(place):
    needed("systemd-analyze")
    units = sorted((DEPLOY / "systemd").iterdir())
    for unit in units:
        # The folder of the installation is where this is; nothing else of it is changed.
        python = unit.read_text().replace("/srv/poolmark/.venv/bin/python", sys.executable)
        (place / unit.name).write_text(python.replace("/srv/poolmark", str(ROOT)))
    done = subprocess.run(
        ["systemd-analyze", "verify", *(place / unit.name for unit in units)], capture_output=True, text=True, check=False
    )
    own = [line for line in done.stderr.splitlines() if "poolmark" in line]
    assert (done.returncode, own) == (0, [])


def test_nginx_accepts_its_file(place):
    needed("nginx", "openssl")
    make = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=bench.example.org -keyout privkey.pem -out fullchain.pem"
    subprocess.run(["openssl", *make.split()], cwd=place, check=True, capture_output=True)
    text = (DEPLOY / "nginx/poolmark.conf").read_text().replace("/etc/letsencrypt/live/bench.example.org", str(place))
    (place / "poolmark.conf").write_text(text.replace("listen 80", "listen 18080").replace("listen [::]:80", "listen [::]:18080"))
    (place / "nginx.conf").write_text(
        f"pid {place}/pid; error_log stderr; events {{}} http {{ include {place}/poolmark.conf; access_log off; }}"
    )
    done = subprocess.run(["nginx", "-t", "-c", place / "nginx.conf"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_caddy_accepts_its_file(place):
    needed("caddy")
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "caddy/Caddyfile"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(place, HOME=str(place)), check=False)
    assert done.returncode == 0 and "Valid configuration" in done.stdout + done.stderr, done.stderr


def test_prometheus_accepts_the_rules():
    needed("promtool")
    done = subprocess.run(
        ["promtool", "check", "rules", DEPLOY / "prometheus/alerts.yml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
