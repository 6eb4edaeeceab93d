"""Print style: packaged fonts, the colours of the site's light theme or greys, and hatches, dashes and markers that
distinguish series in greyscale copies. `applied` sets the look of what is drawn within it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

import font_source_sans_pro
import matplotlib
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.typing import RcKeyType

from webapp.formats.drawing.look import FROZEN, Look

MM = 1 / 25.4
"""Inches in a millimetre."""
POINTS = 72 / 25.4
"""Points in a millimetre."""
INK, MUTED, RULE = "#1d2023", "#595e65", "#dcd9d1"
_SHIPPED = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
_SOURCE_SANS = Path(font_source_sans_pro.__file__).parent / "files"
FONT_FILES = {"sans": _SOURCE_SANS / "SourceSansPro-Regular.ttf", "serif": _SHIPPED / "STIXGeneral.ttf"}
_BOLD = {"sans": _SOURCE_SANS / "SourceSansPro-Semibold.ttf", "serif": _SHIPPED / "STIXGeneralBol.ttf"}
_FALLBACK = _SHIPPED / "DejaVuSans.ttf"
"""The font of letters that the others lack."""
FAMILIES = {"sans": "Source Sans Pro", "serif": "STIXGeneral"}

# Indexed by the style of a series (0 to 7), as in the tokens of the light theme.
COLOURS = ("#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3")
# Neighbours differ by a third of the way from black to white.
GREYS = ("#4d4d4d", "#b8b8b8", "#1a1a1a", "#8c8c8c", "#d6d6d6", "#666666", "#333333", "#a3a3a3")
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

_SETTINGS: dict[RcKeyType, object] = {
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
    "svg.hashsalt": "poolmark",
    "figure.constrained_layout.h_pad": 2 / 72,
    "figure.constrained_layout.w_pad": 2 / 72,
}


_look: ContextVar[Look] = ContextVar("look", default=FROZEN)


@contextmanager
def applied(look: Look) -> Iterator[None]:
    """Draw with this look within the block."""
    token = _look.set(look)
    sizes: dict[RcKeyType, object] = {
        "font.family": [FAMILIES[look.font], "DejaVu Sans"],
        "font.size": look.size,
        "axes.titlesize": look.size,
        "axes.labelsize": look.size,
        "xtick.labelsize": look.small,
        "ytick.labelsize": look.small,
        "legend.fontsize": look.small,
        "legend.title_fontsize": look.small,
    }
    try:
        with matplotlib.rc_context(_SETTINGS | sizes):
            yield
    finally:
        _look.reset(token)


def current() -> Look:
    """The look that is applied."""
    return _look.get()


def colour(style: int) -> str:
    colours = GREYS if current().grey else COLOURS
    return colours[style % len(colours)]


def line_colour(style: int) -> str:
    """The colour of lines and markers: in grey drawings dark ones, which dashes and shapes tell apart."""
    return ("#1a1a1a", "#666666")[style % 2] if current().grey else colour(style)


def hatch(style: int) -> str | None:
    """The pattern of a fill, None for a plain one."""
    return HATCHES[style % len(HATCHES)] or None if current().patterns or current().grey else None


def hatch_colour(style: int) -> str:
    """White on dark fills, black on light ones."""
    return "#1a1a1a" if current().grey and int(colour(style)[1:3], 16) > 0x80 else "white"


def dashes(style: int):
    return DASHES[style % len(DASHES)]


def marker(name: str) -> str:
    """matplotlib's marker for the site's marker name; a square for an unknown name. A dot is a run: `circle`, which series had
    in older records, is a triangle too."""
    return MARKERS.get(name, "s")


# Ignore installed fonts: another edition of a font would change the figures.
font_manager.fontManager.ttflist = [font for font in font_manager.fontManager.ttflist if Path(font.fname).parent == _SHIPPED]
for _file in (FONT_FILES["sans"], _BOLD["sans"]):
    font_manager.fontManager.addfont(_file)


@lru_cache(maxsize=4)
def _glyphs(file: Path = _FALLBACK) -> frozenset[int]:
    return frozenset(FT2Font(str(file)).get_charmap())


def printable(text: str) -> str:
    """The text with characters missing in the fonts replaced by their code points: `[U+6F22]`."""
    plain = "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    own = _glyphs(FONT_FILES[current().font])
    spaced = "".join("\u00a0" if letter in _THIN and ord(letter) not in own else letter for letter in plain)
    known = own | _glyphs()
    return "".join(letter if ord(letter) in known else f"[U+{ord(letter):04X}]" for letter in spaced)


_THIN = "\u2009\u202f"


@lru_cache(maxsize=4)
def _face(file: Path) -> FT2Font:
    return FT2Font(str(file))


@lru_cache(maxsize=4096)
def _advance(file: Path, letter: str) -> float:
    """Width of a letter as a share of the font size; that of the fallback where the font lacks it."""
    if ord(letter) not in _glyphs(file):
        file = _FALLBACK
    face = _face(file)
    face.set_size(100, 72)
    return face.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / 100


def text_mm(text: str, size: float, font: str = "", bold: bool = False) -> float:
    """Width of a line of text in mm, by the metrics of the font that is applied or named."""
    file = (_BOLD if bold else FONT_FILES)[font or current().font]
    return sum(_advance(file, letter) for letter in text) * size / POINTS
