"""What is printed: results on stdout, everything else on stderr; without colours where no terminal reads it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from poolmark.packing import Tell, silent

WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout; columns that are empty in every row are left out."""
    every = [list(map(plain, row)) for row in rows]
    if not every:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    shown = [at for at in range(len(heads)) if any(row[at] for row in every)]
    for at in shown:
        table.add_column(heads[at], overflow="fold")
    for row in every:
        table.add_row(*(Text(row[at]) for at in shown))
    Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else WIDTH).print(table)


@contextmanager
def progress() -> Iterator[Tell]:
    """What hears of progress, and shows it on stderr where that is a terminal."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        yield silent
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            shown.update(task, description=plain(what), completed=done, total=total or None)

        yield tell


def say(text: str) -> None:
    """A note for people."""
    print(text, file=sys.stderr)


def print_json(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1))


def plain(text: object) -> str:
    """Text of others without what a terminal would take for commands."""
    return "".join(sign if sign.isprintable() else " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}" for sign in str(text))
