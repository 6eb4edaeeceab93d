"""The packaged fonts of drawn figures: their files, the widths of their letters, and the letters that they have.

Fonts of the system are never used: another edition of a font would change the figures.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple


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
FONTS = {
    "sans": Font("Source Sans Pro", _SANS / "SourceSansPro-Regular.ttf", _SANS / "SourceSansPro-Semibold.ttf"),
    "serif": Font("Source Serif Pro", _SERIF / "SourceSerifPro-Regular.ttf", _SERIF / "SourceSerifPro-Semibold.ttf"),
}
FALLBACK = _folder("ziafont") / "fonts" / "DejaVuSans.ttf"
FALLBACK_FAMILY = "DejaVu Sans"
"""The font of letters that the others lack."""


def files(font: str) -> list[Path]:
    """The files from which texts of a font are set."""
    return [FONTS[font].regular, FONTS[font].bold, FALLBACK]


@lru_cache(8)
def _advances(file: Path) -> Mapping[int, float]:
    """Width of every letter of a font, as a share of its size, by code point."""
    from fontTools.ttLib import TTFont  # here, for processes that draw nothing

    with TTFont(file, lazy=True) as font:
        widths, unit = font["hmtx"].metrics, font["head"].unitsPerEm
        return {code: widths[name][0] / unit for code, name in font.getBestCmap().items()}


@lru_cache(20_000)
def advance(letter: str, font: str, bold: bool = False) -> float:
    """Width of a letter as a share of the font size; that of the fallback where the font lacks it."""
    own = _advances(FONTS[font].bold if bold else FONTS[font].regular)
    known = own.get(ord(letter))
    return _advances(FALLBACK).get(ord(letter), 0.6) if known is None else known


def printable(text: str, font: str) -> str:
    """The text with letters that no font has replaced by their code points: `[U+6F22]`. A letter without a glyph would be dropped
    from a PDF without a word."""
    own = _advances(FONTS[font].regular)
    plain = (" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    return "".join(
        letter if ord(letter) in own or ord(letter) in _advances(FALLBACK) else f"[U+{ord(letter):04X}]" for letter in plain
    )
