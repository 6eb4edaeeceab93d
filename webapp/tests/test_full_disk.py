"""A real site on a small disk of its own that is filled to the last byte, and has room again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from webapp.tests.serving import PATIENCE, ROOT

_UNSHARE = shutil.which("unshare") or "unshare"


@pytest.mark.slow  # fills 520 MB under a whole site, and waits until that has read and drawn everything: a minute
@pytest.mark.server
def test_a_disk_that_is_filled_to_the_last_byte_and_has_room_again():
    """`full_disk.py` in namespaces of its own, in which a user may mount: no byte of the true disk is written to."""
    place = Path(tempfile.mkdtemp(prefix="pm-disk-"))
    try:
        allowed = subprocess.run([_UNSHARE, "-rm", "mount", "-t", "tmpfs", "none", str(place)], capture_output=True, check=False)
        if allowed.returncode:
            assert not os.environ.get("CI"), allowed.stderr
            pytest.skip(f"no file system may be mounted here: {allowed.stderr.decode().strip()}")
        done = subprocess.run(
            [_UNSHARE, "-rm", sys.executable, "-m", "webapp.tests.full_disk", str(place)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout.splitlines()[-1])
        assert told["filled by"] == ["uploads", "freezes", "logs"]
    finally:
        shutil.rmtree(place, ignore_errors=True)
