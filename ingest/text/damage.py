"""NUL bytes in a text, and digits without end: what they stand for is lost, and a number that they touch is torn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ingest.lazy_regex import lazy
from ingest.records import LOST, Doubt, Value

_NULS = lazy("\0+")
_WIDE = lazy(r"\0?(?:[^\0]\0)+[^\0]?|\0*")  # two bytes a character, as a Windows shell appends them; or nothing but NULs
_LONGEST = 256  # of a block; where it is shorter, what follows stays in its column
_ENDLESS = lazy(r"\d{150,}")  # no figure: squared, or times a unit, it would be beyond what a float holds, and `int` refuses 4,300
_WORD = r"[0-9A-Za-z.]*"


def mark_nul_bytes(text: str) -> str:
    """The text with `LOST` for each NUL, so that what stood on both sides is not joined to one number.

    NULs that took no character's place are left out: in lines of two bytes a character, alone on their line, and at the
    beginning of the file (a log that was cut to nothing while its writer held it open).
    """
    return "\n".join([_line(line) if "\0" in line else line for line in text.lstrip("\0").split("\n")])


def mark_endless_digits(text: str, doubts: list[Doubt]) -> str:
    """The text with `LOST` for digits of which no tool prints as many in a row; a doubt tells where the first of them stand."""
    first = _ENDLESS.search(text)
    if not first:
        return text
    line = text.count("\n", 0, first.start()) + 1
    doubts.append(Doubt(line, "bad-number", f"{len(first[0])} digits in a row are no figure; nothing that touches them was taken"))
    return _ENDLESS.sub(LOST, text)


def _line(line: str) -> str:
    if _WIDE.fullmatch(line):
        return line.replace("\0", "")
    return _NULS.sub(lambda found: LOST * min(len(found[0]), _LONGEST), line)


def drop_damaged_values(values: Iterable[Value], lines: Sequence[str]) -> tuple[list[Value], list[Doubt]]:
    """The values but for those whose figure touches what was lost, and a doubt for each of these."""
    kept: list[Value] = []
    doubts: list[Doubt] = []
    for value in values:
        line = lines[value.line - 1] if isinstance(value.line, int) else ""
        if LOST in line and not _whole(value.raw, line):
            doubts.append(Doubt(value.line, "bad-number", f"damaged bytes stand in or beside {value.raw[:40]!r}; it was not taken"))
        else:
            kept.append(value)
    return kept, doubts


def _whole(raw: str, line: str) -> bool:
    """Whether the figure stands somewhere on the line with its ends."""
    return any(LOST not in found[0] for found in re.finditer(rf"{LOST}?{_WORD}{re.escape(raw)}{_WORD}{LOST}?", line))
