"""Text of an SVG: escaped, measured and wrapped. On paper by the packaged fonts, on a page by widths of DejaVu Sans, a wide font,
so that text in a reader's own font has room too.

Fonts of the system are never used: another edition of a font would change the figures.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from webapp.drawing import looks


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None, f"the package {package} of requirements.txt is not installed"
    return Path(spec.origin).parent


class Font(NamedTuple):
    """A family by its name and its files."""

    family: str
    regular: Path
    bold: Path


_SANS, _SERIF = _folder("font_source_sans_pro") / "files", _folder("font_source_serif_pro") / "files"
FAMILIES = {
    "sans": Font("Source Sans Pro", _SANS / "SourceSansPro-Regular.ttf", _SANS / "SourceSansPro-Semibold.ttf"),
    "serif": Font("Source Serif Pro", _SERIF / "SourceSerifPro-Regular.ttf", _SERIF / "SourceSerifPro-Semibold.ttf"),
}
FALLBACK = _folder("ziafont") / "fonts" / "DejaVuSans.ttf"
"""The font of letters that the others lack."""


def font_files(font: str) -> list[Path]:
    """The files from which texts of a font are set."""
    return [FAMILIES[font].regular, FAMILIES[font].bold, FALLBACK]


@lru_cache(8)
def _advances(file: Path) -> Mapping[int, float]:
    """Width of every letter of a font, as a share of its size, by code point."""
    from fontTools.ttLib import TTFont  # here, for processes that draw nothing

    with TTFont(file, lazy=True) as font:
        widths, unit = font["hmtx"].metrics, font["head"].unitsPerEm
        return {code: widths[name][0] / unit for code, name in font.getBestCmap().items()}


@lru_cache(5_000)
def advance(letter: str, font: str, bold: bool = False) -> float:
    """Width of a letter as a share of the font size; that of the fallback where the font lacks it."""
    own = _advances(FAMILIES[font].bold if bold else FAMILIES[font].regular)
    known = own.get(ord(letter))
    return _advances(FALLBACK).get(ord(letter), 0.6) if known is None else known


def in_font(text: str, font: str) -> str:
    """The text with letters that no font has replaced by their code points: `[U+6F22]`. A letter without a glyph would be dropped
    from a PDF without a word."""
    own = _advances(FAMILIES[font].regular)
    plain = (" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    return "".join(
        letter if ord(letter) in own or ord(letter) in _advances(FALLBACK) else f"[U+{ord(letter):04X}]" for letter in plain
    )


ELLIPSIS = "\u2026"
_WIDTHS = {
    **dict.fromkeys("ijl'|\u202f", 0.28),
    **dict.fromkeys("fIJ.,:;!/\\ \u00a0()[]rt-", 0.36),
    **dict.fromkeys("mMW%@\u2014", 0.95),
    **dict.fromkeys("wNOQGDHUT+=<>~\u2212\u00d7", 0.8),
}
_CAPITAL, _OTHER, _WIDE = 0.68, 0.61, 1.0
LINE = 1.25
"""Height of a line in font sizes."""


@lru_cache(5_000)
def _letter(letter: str) -> float:
    known = _WIDTHS.get(letter)
    if known is not None:
        return known
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    if unicodedata.combining(letter):
        return 0.0
    return _CAPITAL if letter.isupper() else _OTHER


def _bold(letter: str) -> float:
    return _letter(letter) * 1.1


def _measure(bold: bool = False) -> Callable[[str], float]:
    """Letter -> its width as a share of the font size, by the look that is applied."""
    if look := looks.current().look:
        return partial(advance, font=look.font, bold=bold)
    return _bold if bold else _letter


def width(text: str, size: float, bold: bool = False) -> float:
    """The text's width in the unit of `size`; an upper estimate where the font is the reader's."""
    return sum(map(_measure(bold), text)) * size


def printable(text: str) -> str:
    """The text on one line without what XML excludes: a space for each control character, U+FFFD for a lone surrogate."""
    if text.isprintable():
        return text
    return "".join(
        " "
        if unicodedata.category(letter) == "Cc"
        else "\ufffd"
        if 0xD800 <= ord(letter) <= 0xDFFF or ord(letter) in (0xFFFE, 0xFFFF)
        else letter
        for letter in text
    )


def xml(text: object) -> str:
    """The text escaped for XML content and attributes."""
    return escape(printable(str(text)))


def shorten(text: str, room: float, size: float) -> str:
    """The text with its middle left out where it is wider than `room`."""
    if width(text, size) <= room:
        return text
    letter = _measure()
    before = [0.0, *accumulate(map(letter, text))]  # width of the first letters, by their number
    for kept in range(len(text) - 1, 1, -1):
        head = -(-kept * 5 // 8)
        tail = len(text) - (kept - head)
        if (before[head] + letter(ELLIPSIS) + before[-1] - before[tail]) * size <= room:
            return f"{text[:head]}{ELLIPSIS}{text[tail:]}"
    return ELLIPSIS


def wrap(text: str, room: float, size: float, most: int = 99, bold: bool = False) -> list[str]:
    """Lines that are no wider than `room`; a word that is wider is broken, what exceeds `most` lines loses its middle."""
    measure = _measure(bold)
    lines, line = [], ""
    for word in printable(text).split(" "):
        candidate = f"{line} {word}" if line else word
        if width(candidate, size, bold) <= room:
            line = candidate
            continue
        if line:
            lines.append(line)
        start, wide = 0, 0.0
        for at, letter in enumerate(word):
            if at > start and (wide + measure(letter)) * size > room:
                lines.append(word[start:at])
                start, wide = at, 0.0
            wide += measure(letter)
        line = word[start:]
    lines.append(line)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], shorten(" ".join(lines[most - 1 :]), room, size) if most else ""]


class Labels(NamedTuple):
    """Labels of places beside each other: lines of each (empty for a place that is skipped), the angle, and the height needed."""

    lines: list[list[str]]
    angle: int
    height: float
    every: int


MAX_LINES = 3


def lay_out_labels(texts: Sequence[str], slot: float, size: float, left: float = 200.0) -> Labels:
    """Level labels where they fit in `slot`, else wrapped at spaces, else slanted, else upright; of too many every n-th.

    `left`: room beside the first place, into which slanted labels reach.
    """
    texts = [printable(text) for text in texts]
    room = slot - size * 0.5
    if all(width(text, size) <= room for text in texts):
        return Labels([[text] for text in texts], 0, size * LINE, 1)
    wrapped = [wrap(text, room, size) for text in texts]
    if room > size and all(_is_whole(text, lines) and len(lines) <= MAX_LINES for text, lines in zip(texts, wrapped, strict=True)):
        return Labels(wrapped, 0, size * LINE * max(map(len, wrapped)), 1)
    every = max(1, -(-int(size * LINE) // max(1, int(slot))))
    short = [shorten(text, looks.current().turned, size) for text in texts]
    reaches = [width(text, size) * 0.77 - slot * (index + 0.5) for index, text in enumerate(short)]
    angle = -40 if slot * every >= size * 2.0 and max(reaches) <= left else -90
    turned = [[text] for text in short]
    if angle == -90 and slot * every >= 2 * size * LINE:  # upright in two lines
        turned = [wrap(text, looks.current().turned, size, 2) for text in texts]
    longest = max((width(line, size) for lines in turned[::every] for line in lines), default=0.0)
    height = longest * (0.643 if angle == -40 else 1.0) + size
    return Labels([lines if index % every == 0 else [] for index, lines in enumerate(turned)], angle, height, every)


def _is_whole(text: str, lines: Sequence[str]) -> bool:
    """Whether no word of the text has been broken."""
    return " ".join(lines) == text
