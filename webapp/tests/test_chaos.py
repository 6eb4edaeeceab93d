"""Three minutes of `script/chaos`: nothing doubled, lost, seen half read, or changed."""

from __future__ import annotations

import re
import subprocess

import pytest

from webapp.tests.serving import ROOT

_LAST = re.compile(
    r"faults (\d+), uploads (\d+), archives (\d+), doubled 0, lost 0, half-read 0, changed permalinks 0, untrue pages 0$",
    re.MULTILINE,
)


@pytest.mark.slow
def test_nothing_is_doubled_lost_half_read_or_changed():
    done = subprocess.run([ROOT / "script" / "chaos", "--minutes", "3", "--seed", "7"], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    numbers = _LAST.search(said)
    assert done.returncode == 0 and numbers, said[-4000:]
    assert re.search(r"columns (gone|torn|changed|all gone) \d", said), "no file of columns was there to be damaged"
    assert all(int(number) > 10 for number in numbers.groups()), numbers[0]
