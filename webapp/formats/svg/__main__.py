"""`python -m webapp.formats.svg`: draws a figure in a process of its own, so that one that fails or needs much harms no other.

Standard input is the JSON of `order.DrawingOrder`, standard output the file. Exit code 3: there is no room; standard error says
for what.
"""

from __future__ import annotations

import os
import resource
import sys

from webapp.formats.svg import order
from webapp.formats.svg.paper import NoRoom

_SECONDS, _MEMORY = 50, 3 << 30
"""Limits of CPU time and memory."""


def main() -> int:
    """Draw what standard input asks for, and give way to other processes."""
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    asked = order.DrawingOrder.from_json(sys.stdin.buffer.read())
    try:
        sys.stdout.buffer.write(order.draw(asked))
    except NoRoom as error:
        sys.stderr.write(str(error))
        return order.NO_ROOM
    return 0


if __name__ == "__main__":
    sys.exit(main())
