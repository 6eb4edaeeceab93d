"""How figures are set: tables of sizes, of colours and of what makes series differ, for pages and for paper. `applied` sets the
one by which everything within its block is measured and drawn.

Lengths are pixels. On paper a pixel is a twelfth of the smallest text, so that marks grow with the letters beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

FORMS = ("annotated", "bare")
FONTS = ("sans", "serif")
SMALLEST = 7.0
"""The smallest text of a figure on paper in points; the stamp of an annotated one is smaller."""
POINTS = 72 / 25.4
"""Points in a millimetre."""
HIGHEST_MM = 230.0
"""Height of the rows of a panel on paper at most."""
_SERIES_MM = 2.4
_LONG_NAME = 24


@dataclass(frozen=True)
class Look:
    """The look of a figure on paper. `form`: with heading and stamp, or bare for a caption of the paper's own. `size` of the text
    in points; numbers beside marks and at ticks are a point smaller. `grey`: shades of grey, distinguished by patterns.
    `patterns`: beside colours, too."""

    form: str = "annotated"
    font: str = "sans"
    size: float = 8.0
    grey: bool = False
    patterns: bool = False

    @property
    def small(self) -> float:
        """Size of numbers beside marks and at ticks."""
        return max(SMALLEST, self.size - 1)

    @property
    def is_bare(self) -> bool:
        return self.form == "bare"

    @property
    def pixels(self) -> float:
        """Pixels in a millimetre."""
        return POINTS * Sizes.axis / self.small


FROZEN = Look(patterns=True)
"""The look of the files of a bundle."""


@dataclass(frozen=True)
class Sizes:
    """Font sizes of the texts, heights of frames and rows, and how series differ.

    `look`: that of paper; None on a page, where the font is the reader's. `hatched`, `dashed`: patterns of fills and of lines.
    `names_ends`: whether lines are named at their ends, too.
    """

    axis: float = 12.0
    unit: float = 12.0
    label: float = 11.0
    legend: float = 12.5
    title: float = 14.0
    subtitle: float = 12.5
    note: float = 11.5
    plot: float = 300.0
    small_plot: float = 220.0
    turned: float = 170.0
    highest: float = inf
    bar_opacity: float = 0.72
    hatched: bool = False
    dashed: bool = False
    names_ends: bool = True
    look: Look | None = None

    @property
    def is_grey(self) -> bool:
        return self.look is not None and self.look.grey


PAGE = Sizes()


def sizes_on_paper(look: Look) -> Sizes:
    """The sizes of a look."""
    text = look.size * Sizes.axis / look.small
    return Sizes(
        unit=text,
        label=Sizes.axis,
        legend=Sizes.axis,
        title=text,
        subtitle=Sizes.axis,
        note=Sizes.axis,
        plot=42.0 * look.pixels,
        small_plot=42.0 * look.pixels,
        turned=26.0 * look.pixels,
        highest=HIGHEST_MM * look.pixels,
        bar_opacity=1.0,
        hatched=look.patterns or look.grey,
        dashed=True,
        names_ends=False,
        look=look,
    )


def row_mm(look: Look, lines: int, marks: int) -> float:
    """Height of a row on paper in mm: that of its name of so many lines with the space around it, or of the marks below each other
    in it."""
    return max(look.small / POINTS * (1.25 * lines + 0.4), _SERIES_MM * marks + 1)


def lines_of_names(names: list[str]) -> int:
    """Lines of the names of rows on paper: two where one of them is long."""
    return 2 if any(len(name) > _LONG_NAME for name in names) else 1


_current: ContextVar[Sizes] = ContextVar("sizes", default=PAGE)


def current() -> Sizes:
    """The sizes that are applied."""
    return _current.get()


@contextmanager
def applied(sizes: Sizes) -> Iterator[None]:
    """Measure and draw by these sizes within the block."""
    token = _current.set(sizes)
    try:
        yield
    finally:
        _current.reset(token)


LIGHT_NAME, DARK_NAME, AUTOMATIC = "light", "dark", "auto"
THEMES = (AUTOMATIC, LIGHT_NAME, DARK_NAME)
"""Themes of a page. Colours are CSS classes: those of the site (static/css/tokens.css, which a test compares)."""
PAGE_FONTS = "'Source Sans 3','Source Sans Pro','Segoe UI',Roboto,Helvetica,Arial,'DejaVu Sans',sans-serif"
PAPER_FONTS = {
    "sans": "'Source Sans Pro','Source Sans 3',Carlito,Calibri,'DejaVu Sans',Arial,sans-serif",
    "serif": "'Source Serif Pro','Source Serif 4','Times New Roman','DejaVu Sans',serif",
}
"""The packaged family, then those in its place where a reader of the SVG has it not."""


class Colours(NamedTuple):
    """The colours of one theme, as in the tokens of the same names."""

    paper: str
    ink: str
    muted: str
    rule: str
    rule_strong: str
    heat: str
    on_heat: str
    series: tuple[str, ...]
    bars: tuple[str, ...] = ()
    """Of the fills of bars where they are other than those of lines and markers."""


LIGHT = Colours(
    "#fcfbf8",
    "#1d2023",
    "#595e65",
    "#dcd9d1",
    "#8b8f94",
    "#08456b",
    "#ffffff",
    ("#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3"),
)
DARK = Colours(
    "#15181b",
    "#e6e5e0",
    "#a5abb2",
    "#343a40",
    "#747b83",
    "#9ad4f5",
    "#0d161c",
    ("#4a9bd6", "#fbbd7c", "#178862", "#e697c3", "#b3e2ff", "#d0a83a", "#e6e8eb", "#8b73cc"),
)
PAPER = LIGHT._replace(paper="#ffffff")
# Dark lines, distinguished by dashes and shapes; neighbouring fills differ by a third of the way from black to white.
GREY = PAPER._replace(
    heat="#1a1a1a",
    series=("#1a1a1a", "#666666") * 4,
    bars=("#4d4d4d", "#b8b8b8", "#1a1a1a", "#8c8c8c", "#d6d6d6", "#666666", "#333333", "#a3a3a3"),
)


@lru_cache(len(THEMES))
def style_sheet(theme: str) -> str:
    """The rules of a theme; `auto` follows the reader's system."""
    fonts = f"text{{font-family:{PAGE_FONTS}}}"
    if theme == AUTOMATIC:
        return f"{fonts}{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
    return fonts + _rules(DARK if theme == DARK_NAME else LIGHT)


def paper_style_sheet(look: Look) -> str:
    """The rules of a figure on paper."""
    return f"text{{font-family:{PAPER_FONTS[look.font]}}}{_rules(GREY if look.grey else PAPER)}"


def _rules(colours: Colours) -> str:
    """`fp` fills with paper, `li` draws lines of ink, and so on; `f0` and `l0` have the colour of the first series."""
    names = {
        "p": colours.paper,
        "i": colours.ink,
        "m": colours.muted,
        "r": colours.rule,
        "R": colours.rule_strong,
        "h": colours.heat,
        "o": colours.on_heat,
        **{str(number): colour for number, colour in enumerate(colours.series)},
        **{f"b{number}": colour for number, colour in enumerate(colours.bars)},
    }
    return ".n{fill:none}" + "".join(f".f{name}{{fill:{colour}}}.l{name}{{stroke:{colour}}}" for name, colour in names.items())
