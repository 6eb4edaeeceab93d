"""NUL bytes in a text, and endless digits: the content is lost, and a number next to them is incomplete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ingest.lazy_regex import lazy
from ingest.records import LOST, Doubt, MissingValue, Value

_NULS = lazy("\0+")
_WIDE = lazy(r"\0?(?:[^\0]\0)+[^\0]?|\0*")  # two bytes a character, as a Windows shell appends them; or only NULs
_MAX_BLOCK = 256  # replacement characters per block of NULs; the text after a shorter block keeps its column
_ENDLESS = lazy(r"\d{150,}")  # no number: its square, or its product with a unit, overflows a float, and `int` refuses 4,300
# One digit for each task, 1 on the node of the first one: mdtest and md-workbench (QueryNodeMapping in utilities.c of IOR).
_NODE_MAP = lazy(r"(Nodemap: ?[01]{1,149})[01]*")
_WORD = r"[0-9A-Za-z.]*"
_Item = TypeVar("_Item", Value, MissingValue)


def mark_nul_bytes(text: str) -> str:
    """The text with `LOST` for each NUL, so that the text on both sides is not joined to one number.

    NULs that replace no character are removed: in lines of two bytes a character, alone on their line, and at the
    beginning of the file (a log that was truncated while its writer kept it open).
    """
    return "\n".join([_line(line) if "\0" in line else line for line in text.lstrip("\0").split("\n")])


def mark_endless_digits(text: str, doubts: list[Doubt]) -> str:
    """The text with `LOST` for sequences of 150 digits or more, which no tool prints; a doubt is added for the first of them.

    IOR's map of tasks to nodes, a setting that nothing reads, is cut to 149 digits instead.
    """
    match = _ENDLESS.search(text)
    if match and "Nodemap:" in text:
        text = _NODE_MAP.sub(r"\1", text)
        match = _ENDLESS.search(text)
    if not match:
        return text
    line = text.count("\n", 0, match.start()) + 1
    doubts.append(Doubt(line, "bad-number", f"{len(match[0])} digits in a row are not a number; nothing next to them was recorded"))
    return _ENDLESS.sub(LOST, text)


def _line(line: str) -> str:
    """The line with `LOST` for each NUL that replaces a character."""
    if _WIDE.fullmatch(line):
        return line.replace("\0", "")
    return _NULS.sub(lambda match: LOST * min(len(match[0]), _MAX_BLOCK), line)


def drop_damaged_values(values: Iterable[_Item], lines: Sequence[str]) -> tuple[list[_Item], list[Doubt]]:
    """(the values whose number does not touch damaged bytes, a doubt for each of the others)."""
    kept: list[_Item] = []
    doubts: list[Doubt] = []
    for value in values:
        line = lines[value.line - 1] if isinstance(value.line, int) else ""
        if LOST in line and not _is_intact(value.raw, line):
            doubts.append(Doubt(value.line, "bad-number", f"damaged bytes in or beside {value.raw[:40]!r}; not recorded"))
        else:
            kept.append(value)
    return kept, doubts


def _is_intact(raw: str, line: str) -> bool:
    """Whether the number occurs somewhere on the line with both its ends."""
    return any(LOST not in match[0] for match in re.finditer(rf"{LOST}?{_WORD}{re.escape(raw)}{_WORD}{LOST}?", line))
