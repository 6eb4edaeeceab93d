"""Characters that pages and typesetters substitute for those of a terminal, converted back.

Ligatures and the minus sign come from PDFs (Unicode, Alphabetic Presentation Forms; U+2212), characters without width from
wikis and boards that break long words, wide blanks from pages; classic Mac OS and some exports use other line ends. Word
processors and blogs turn straight quotes into curly ones, and the two hyphens before an option into a dash.
"""

from __future__ import annotations

from collections import Counter

from ingest.lazy_regex import lazy

_WIDE = [*range(0x2002, 0x2007), 0x2008, 0x200A, 0x205F, 0x3000]
_GROUPING = "\u2007\u2009\u202f"  # blanks that group digits, and are blanks elsewhere
_NO_WIDTH = [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0xFEFF]
_SIGNS: dict[int, str | None] = {
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212, 0xFE63), "-"),
    **dict.fromkeys(_WIDE, " "),
    **dict.fromkeys(_NO_WIDTH, None),
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
}
_ANY = lazy(f"[{''.join(map(chr, _SIGNS))}{_GROUPING}]")
_APART = lazy(rf"(?<!\d)[{_GROUPING}]|[{_GROUPING}](?!\d)")
_ENDS = lazy("\r\n?|[\u2028\u2029\u0085]")
_ONE_LINE = lazy(r"\n*+[^\n]*+\n*+\Z")
_FIGURE = lazy(r"[\d.,]+")
_ROW = lazy(r"(?:[^,\n]*,(?! )){6}|(?:[^;\n]*;){6}|(?:[^\t\n]*\t){6}|\s*(?:[\d.]+[ \t]+){6,}[\d.]+\s*\Z")
_OPTION = lazy(r"(?<!\S)\u2013(?=([a-z]{3})?[A-Za-z])")
_DOUBLE = "\u201c\u201d\u201e\u201f"
_SINGLE = lazy("(?<!\\d)[\u2018\u2019]|[\u2018\u2019](?!\\d)")  # between digits it groups thousands
_MIN_LINE_ENDS = 3  # of another kind


def plain_characters(text: str) -> str:
    """The text in characters that programs print; the same object if it has no others."""
    if _ONE_LINE.match(text) and _has_other_line_ends(text):
        text = _ENDS.sub("\n", text)
    if text.isascii():
        return text
    text = _straight_quotes(text)
    if not _ANY.search(text):
        return text
    return _APART.sub(" ", text.translate(_SIGNS))


def _straight_quotes(text: str) -> str:
    """The text with straight quotes if it has curly ones only, and with the hyphens of options that became a dash."""
    if '"' not in text and any(quote in text for quote in _DOUBLE):
        text = text.translate(dict.fromkeys(map(ord, _DOUBLE), '"'))
    if "'" not in text and ("\u2018" in text or "\u2019" in text):
        text = _SINGLE.sub("'", text)
    if "\u2013" in text:
        text = _OPTION.sub(lambda match: "--" if match[1] else "-", text)
    return text


def _has_other_line_ends(text: str) -> bool:
    """Whether its lines end in another character. A program that overwrites its progress line uses them too, but its lines are
    alike, and it does not overwrite rows of many fields.
    """
    nonblank = [line for line in _ENDS.split(text) if line.strip()]
    if len(nonblank) > 1 and sum(map(bool, map(_ROW.match, nonblank))) * 2 > len(nonblank):
        return True
    lines = [_FIGURE.sub("0", line) for line in nonblank]
    return len(lines) > _MIN_LINE_ENDS and max(Counter(lines).values()) * 2 <= len(lines)
