"""How figures are set: tables of sizes and of what tells series apart, for pages and for paper. `applied` sets the one by which
everything within its block is measured and drawn.

Lengths are pixels. On paper a pixel is a twelfth of the smallest text, so that marks grow with the letters beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf

FORMS = ("annotated", "bare")
FONTS = ("sans", "serif")
SMALLEST = 7.0
"""The smallest text of a figure on paper in points; the stamp of an annotated one is smaller."""
POINTS = 72 / 25.4
"""Points in a millimetre."""
HIGHEST_MM = 230.0
"""Height of the rows of a panel on paper at most."""
ROWS = ("dots", "ratio", "heat")
"""Kinds of figures with a row for each value of x, heat maps for each series."""
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
    """Font sizes of the texts, heights of frames and rows, and how series are told apart.

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
