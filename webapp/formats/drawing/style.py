"""Print style: a font shipped with matplotlib, the colours of the site's light theme, and hatches or markers that
distinguish series in greyscale copies."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path

import matplotlib
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font
from matplotlib.typing import RcKeyType

MM = 1 / 25.4
"""Inches in a millimetre."""
POINTS = 72 / 25.4
"""Points in a millimetre."""
SUBTITLE_SIZE = 6.5
INK, MUTED, RULE = "#1d2023", "#595e65", "#dcd9d1"
FONT = "DejaVu Sans"

# Indexed by the style of a series (0 to 7), as in the tokens of the light theme.
COLOURS = ("#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3")
# Straight lines only: dots are curves, which make the file ten times as large.
HATCHES = ("", "////", "\\\\\\\\", "----", "xxxx", "||||", "++++", "//--")
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 3)), (0, (4, 1, 1, 1)))
MARKERS = {
    "circle": "v",
    "triangleDown": "v",
    "rect": "s",
    "triangle": "^",
    "rectRot": "D",
    "star": "*",
    "cross": "P",
    "crossRot": "X",
    "dash": "_",
}

SETTINGS: dict[RcKeyType, object] = {
    "font.family": [FONT],
    "font.size": 7.0,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.parse_math": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "ytick.minor.size": 1.5,
    "hatch.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "pdf.fonttype": 42,
    "pdf.compression": 9,
    "svg.fonttype": "path",
    "svg.hashsalt": "poolmark",
    "figure.constrained_layout.h_pad": 2 / 72,
    "figure.constrained_layout.w_pad": 2 / 72,
}


def colour(style: int) -> str:
    return COLOURS[style % len(COLOURS)]


def hatch(style: int) -> str:
    return HATCHES[style % len(HATCHES)]


def dashes(style: int):
    return DASHES[style % len(DASHES)]


def marker(name: str) -> str:
    """matplotlib's marker for the site's marker name; a square for an unknown name. A dot is a run: `circle`, which series had
    in older records, is a triangle too."""
    return MARKERS.get(name, "s")


_FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
# Ignore installed fonts: another edition of the font would change the figures.
font_manager.fontManager.ttflist = [font for font in font_manager.fontManager.ttflist if Path(font.fname).parent == _FONTS]


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(FT2Font(str(_FONTS / "DejaVuSans.ttf")).get_charmap())


def printable(text: str) -> str:
    """The text with characters missing in the font replaced by their code points: `[U+6F22]`."""
    plain = "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    if all(ord(letter) in _glyphs() for letter in plain):
        return plain
    return "".join(letter if ord(letter) in _glyphs() else f"[U+{ord(letter):04X}]" for letter in plain)
