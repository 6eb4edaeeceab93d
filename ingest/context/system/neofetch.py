"""Rows that neofetch, fastfetch and screenfetch print beside the picture of a system: `OS: ...`, `Kernel: ...`, `CPU: ...`.

Without the picture the reader of spec sheets reads them. `Host` is the make of the machine; the name of the host stands in the
title, over a rule. `CPU` counts threads, so no cores are read.
Source: neofetch(1), fastfetch(1), screenfetch's shell script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest import normalise
from ingest.context.labels._row_values import read_row
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_ANCHOR = lazy(r"[ \t]Kernel: \S")
_ROW = lazy(
    r"(?P<picture>[^\n]*\s)"
    r"(?P<name>OS|Kernel|CPU|Memory|RAM|Host|Uptime|Packages|Shell|Resolution|DE|WM|Terminal|GPU|Disk(?: \(/\))?): "
    r"(?P<value>\S[^\n]*?)[ \t]*\Z"
)
_TITLE = lazy(r"[^\n]*\s[\w.-]{1,40}@(?P<host>[A-Za-z][\w.-]{0,62})[ \t]*\Z")
_KIND = {"OS": "system", "Kernel": "kernel", "CPU": "cpu", "Memory": "memory", "RAM": "memory"}
_ROOT = lazy(r"\S[^\n]* - (?P<fs>[a-z0-9]{2,10})(?: \[[\w, -]+\])?\Z")
_APART, _LEAST = 3, 4  # lines between two rows; rows that make a listing


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing beside a picture, of four rows at least, with those of the system and the kernel."""
    rows: list[tuple[int, re.Match[str]]] = []
    for line, match in text.matches(_ROW):
        if rows and line - rows[-1][0] > _APART:
            yield from _listing(text, rows)
            rows = []
        rows.append((line, match))
    yield from _listing(text, rows)


def _listing(text: Text, rows: Sequence[tuple[int, re.Match[str]]]) -> Iterator[Clue]:
    names = {match["name"] for _, match in rows}
    pictured = any(match["picture"].strip() for _, match in rows)
    if len(names) < _LEAST or len(names) < len(rows) or not {"OS", "Kernel"} <= names or not pictured:
        return
    group = f"sheet {rows[0][0]}"
    for line, match in rows:
        for key, value in _values(match["name"], match["value"]):
            yield Clue(line, key, value, text.lines[line - 1].strip(), "label", "shows", "/" if key == "fs.type" else "", group)
    for line in range(max(rows[0][0] - 2, 1), rows[0][0]):
        if title := _TITLE.match(text.lines[line - 1]):
            yield Clue(line, "host", title["host"], text.lines[line - 1].strip(), "label", "shows", group=group)


def _values(name: str, value: str) -> Iterator[tuple[str, Any]]:
    if name in _KIND:
        yield from read_row(_KIND[name], value)
    elif name == "Disk (/)" and (root := _ROOT.match(value)) and (kind := normalise.file_system_type(root["fs"])):
        yield "fs.type", kind


READER = Reader("fetch", 3, Anchor(_ANCHOR, "kernel:"), read, "neofetch(1), fastfetch(1), screenfetch")
