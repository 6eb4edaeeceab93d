"""Which Python script/setup takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OLD = "exit 1"
SHARED = 'case "$2" in *libpython*) exit 1;; esac; exit 0'
WHOLE = "exit 0"


@pytest.fixture
def chosen(tmp_path):
    """Makes programs of these names that answer as such a Python would; which one is chosen, or None."""

    def choose(**more: str) -> str | None:
        for name, answers in more.items():
            program = tmp_path / name.replace("_", ".")
            program.write_text(f"#!/bin/sh\n{answers}\n")
            program.chmod(0o755)
        done = subprocess.run(
            ["/bin/sh", ROOT / "script" / "python"],
            capture_output=True,
            text=True,
            env={"PATH": str(tmp_path)} | ({"PYTHON": os.environ["ASKED"]} if "ASKED" in os.environ else {}),
        )
        return done.stdout.strip() if done.returncode == 0 else None

    return choose


def it_takes_the_first_one_that_is_new_enough(chosen):
    assert chosen(python3=OLD, python3_13=WHOLE, python3_12=WHOLE) == "python3.13"


def it_takes_one_in_a_shared_library_only_where_there_is_no_other(chosen):
    assert chosen(python3=SHARED, python3_12=WHOLE) == "python3.12"
    assert chosen(python3=SHARED, python3_12=OLD) in ("python3", "/usr/bin/python3", "/usr/local/bin/python3")


def it_takes_the_one_that_was_asked_for(chosen, monkeypatch):
    monkeypatch.setenv("ASKED", sys.executable)
    assert chosen(python3=WHOLE) == sys.executable


@pytest.mark.slow
def it_brings_npm_to_a_machine_without(tmp_path):
    """With an empty page, one package of its own, and the wheel that has Node.js."""
    programs = tmp_path / "programs"
    for folder in (programs, tmp_path / "script", tmp_path / "requirements", tmp_path / "static/js", tmp_path / "static/css"):
        folder.mkdir(parents=True)
    for name in ("cat", "cksum", "tr", "dirname", "mkdir", "tail", "sort", "find", "rm", "ln", "chmod", "sh", "env"):
        (programs / name).symlink_to(shutil.which(name))
    for name in ("script/setup", "script/python", "requirements/node.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("requirements.txt", "static/js/app.js", "static/css/app.css", "script/subset-fonts"):
        (tmp_path / name).write_text("")
    own = {"name": "own", "version": "1.0.0"}
    (tmp_path / "own").mkdir()
    (tmp_path / "own/package.json").write_text(json.dumps(own))
    about = {
        "name": "page",
        "version": "1.0.0",
        "scripts": {"build": "node -e \"fs.mkdirSync('static/dist/fonts',{recursive:true})\""},
    }
    about["dependencies"] = {"own": "file:own"}
    (tmp_path / "package.json").write_text(json.dumps(about))
    packages = {"": about, "node_modules/own": {"resolved": "own", "link": True}, "own": own}
    lock = {"name": "page", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HOME", "http", "HTTP"))}
    (programs / "python3").symlink_to(sys.base_exec_prefix + "/bin/python3")
    done = subprocess.run(
        ["/bin/sh", tmp_path / "script/setup"], capture_output=True, text=True, env=kept | {"PATH": str(programs)}, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "this machine has no npm" in done.stderr and (tmp_path / "static/dist/poolmark-ready").exists()
