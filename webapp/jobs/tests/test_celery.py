"""The processes that read, and the worker that forks them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings

from webapp.tests.serving import PATIENCE, environment

# A worker and one reader of it, which asks whether to end only when its worker lives, or only when it is dead.
_FORKED = """
import os, sys, time
from celery.signals import worker_init, worker_process_init
import webapp.celery
worker_init.send(sender=None)
worker, reader = os.getpid(), os.fork()
if reader and sys.argv[1] == "lives":
    os.waitpid(reader, 0)
elif not reader:
    while sys.argv[1] == "dies" and os.getppid() == worker:
        time.sleep(0.01)
    worker_process_init.send(sender=None)
    print("it reads", flush=True)
os._exit(0)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("worker", "said"), [("lives", "it reads\n"), ("dies", "")])
def test_a_reader_whose_worker_died_before_the_kernel_was_asked_to_end_it_ends_by_itself(tmp_path, worker, said):
    done = subprocess.run(
        [sys.executable, "-c", _FORKED, worker],
        cwd=settings.BASE_DIR,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == said, done.stderr
