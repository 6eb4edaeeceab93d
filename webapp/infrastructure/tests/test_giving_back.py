"""A web process gives back what a large request took."""

from __future__ import annotations

import subprocess
import sys

CODE = """
from webapp.infrastructure import gunicorn_config as config
config.give_back()
first = config._read_resident()
blocks = [bytearray(100_000) for _ in range(2_000)]
grown, last = config._read_resident() - first, blocks.pop()  # the last one keeps the heap from shrinking by itself
blocks.clear()
config.give_back()
print(grown, config._read_resident() - first)
"""


def it_gives_back_what_a_request_took():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    grown, left = map(int, done.stdout.split())
    assert grown > 190_000_000 and left < 20_000_000
