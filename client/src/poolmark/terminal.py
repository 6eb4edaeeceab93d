"""What is printed: results on stdout, everything else on stderr; without colours where no terminal reads it."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console

WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""


def out() -> Console:
    """For tables; the rest is plain `print`."""
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else WIDTH)


def err() -> Console:
    """For progress and notes."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """A note for people."""
    print(text, file=sys.stderr)


def print_json(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1))


def plain(text: object) -> str:
    """Text of others without what a terminal would take for commands."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in str(text))
