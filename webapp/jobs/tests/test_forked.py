"""Processes that read archives end with the one that started them, and take nothing more once they are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from webapp.tests.serving import PATIENCE, ROOT, environment, wait_for

PROGRAM = """
import os, signal, sys, time
from pathlib import Path
import django
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a script started the tests in the background
django.setup()
from webapp.jobs.forked import map_in_processes
def work(number):
    Path(sys.argv[1], f"{number}.{os.getpid()}").touch()
    time.sleep(600)
list(map_in_processes(work, range(6), 2))
"""


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_children_end_with_their_parent(how, tmp_path):
    begun = tmp_path / "begun"
    begun.mkdir()
    settings = {**environment(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, begun], cwd=ROOT, env=settings, start_new_session=True)
    try:
        wait_for(lambda: len(list(begun.iterdir())) == 2)
        children = [psutil.Process(int(path.suffix[1:])) for path in begun.iterdir()]
        if how == "killed":
            program.kill()
        else:
            os.killpg(program.pid, signal.SIGINT)  # as a terminal does
        assert program.wait(PATIENCE) != 0
        assert psutil.wait_procs(children, PATIENCE)[1] == []
        assert len(list(begun.iterdir())) == 2
    finally:
        program.kill()
