"""Which Python script/setup takes."""

from __future__ import annotations

import os
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
