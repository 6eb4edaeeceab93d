"""Programs that some tests need besides Python's packages."""

from __future__ import annotations

import os
import shutil

import pytest


def needed(*programs: str) -> None:
    """Skips the test where one is not installed; fails it where CI is set, since nothing may be left out there."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"not installed: {', '.join(missing)}")
