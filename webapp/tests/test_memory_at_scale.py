"""A process that has shown every page of a database with a million rows of the summary."""

from __future__ import annotations

import re
import subprocess

import pytest

from webapp.tests.serving import ROOT

MAX_MB = 300
"""Of the process alone; files that processes map are shared."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_process_that_has_shown_every_page_stays_within_its_bound():
    few = ["--requests", "1", "--rounds", "1", "--rows", "1000", "--no-freeze-whole"]
    command = [ROOT / "script" / "bench", "growth", "--sizes", "20000", "--summary-rows", "1000000", *few]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^a process that has shown every page, MB +([\d.]+)", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and found, (done.stdout + done.stderr)[-3000:]
    assert float(found[1]) <= MAX_MB
