"""The wheel that script/release builds installs and runs."""

from __future__ import annotations

import subprocess

import pytest

from client.tests.programs import ROOT


@pytest.mark.slow
def test_the_wheel_installs_and_runs():
    done = subprocess.run([ROOT / "script" / "release"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.endswith("installs and runs.\n"), done.stderr
