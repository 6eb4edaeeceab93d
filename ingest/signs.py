"""Characters that pages and typesetters put in place of what a terminal prints: read as what was printed.

Ligatures and the minus sign come from PDFs (Unicode, Alphabetic Presentation Forms; U+2212), marks without width from
wikis and boards that break long words, wide blanks from pages; classic Mac OS and some exports end lines otherwise.
"""
from __future__ import annotations

import re
from collections import Counter

_WIDE = [*range(0x2002, 0x2007), 0x2008, 0x200A, 0x205F, 0x3000]
_GROUPING = "\u2007\u2009\u202f"  # blanks that group digits, and are blanks elsewhere
_NO_WIDTH = [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0xFEFF]
_SIGNS: dict[int, str | None] = {
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212, 0xFE63), "-"),
    **dict.fromkeys(_WIDE, " "),
    **dict.fromkeys(_NO_WIDTH, None),
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
}
_ANY = re.compile(f"[{''.join(map(chr, _SIGNS))}{_GROUPING}]")
_APART = re.compile(rf"(?<!\d)[{_GROUPING}]|[{_GROUPING}](?!\d)")
_ENDS = re.compile("\r\n?|[\u2028\u2029\u0085]")
_ONE_LINE = re.compile(r"\n*+[^\n]*+\n*+\Z")
_FIGURE = re.compile(r"[\d.,]+")
_LEAST = 3  # line ends of another kind before they are taken for such


def plain(text: str) -> str:
    """The text in characters that programs print; the very text where it holds no others."""
    if _ONE_LINE.match(text) and _ended_otherwise(text):
        text = _ENDS.sub("\n", text)
    if text.isascii() or not _ANY.search(text):
        return text
    return _APART.sub(" ", text.translate(_SIGNS))


def _ended_otherwise(text: str) -> bool:
    """Whether its lines end in another sign; of a program that counts on, each overwrites the last, which is like it."""
    lines = [_FIGURE.sub("0", line) for line in _ENDS.split(text) if line.strip()]
    return len(lines) > _LEAST and max(Counter(lines).values()) * 2 <= len(lines)
