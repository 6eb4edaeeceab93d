"""docs/metrics.md and docs/formats.md tell what the code does."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_generated_pages_are_current():
    done = subprocess.run([sys.executable, "script/docs", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
