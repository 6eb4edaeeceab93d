"""How a drawing shall look: its form, fonts, sizes and shades. Plain data, without matplotlib."""

from __future__ import annotations

from dataclasses import dataclass

FORMS = ("annotated", "bare")
FONTS = ("sans", "serif")
SMALLEST = 7.0
"""The smallest text of a figure in points; the stamp of an annotated one is smaller."""


@dataclass(frozen=True)
class Look:
    """`form`: with heading and stamp, or bare for a caption of the paper's own. `size` of the text in points; numbers beside
    marks and at ticks are a point smaller. `grey`: shades of grey, distinguished by patterns. `patterns`: beside colours, too."""

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


FROZEN = Look(patterns=True)
"""The look of the files of a bundle."""


class NoRoom(ValueError):
    """The figure needs more room than was asked for; the text says how much."""
