"""The frame of a pgfplots axis: its size in mm, limits and ticks, so that where texts stand, and whether one covers another, is
known before LaTeX sets them.

The paper's font is unknown: text is taken to be as wide as in wide ones. Small letters of Computer Modern are a quarter wider
than those of STIX (a Times), those of Helvetica a sixth wider than those of Source Sans.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from webapp.figures import ticks
from webapp.formats.drawing import style
from webapp.formats.drawing.look import FROZEN, Look
from webapp.formats.drawing.style import POINTS
from webapp.formats.latex import escape_latex

MARKS = {
    "circle": "pentagon*",
    "triangleDown": "pentagon*",
    "rect": "square*",
    "triangle": "triangle*",
    "rectRot": "diamond*",
    "star": "star",
    "cross": "+",
    "crossRot": "x",
    "dash": "-",
}
DASHES = ("solid", "dashed", "dotted", "dashdotted", "densely dashed", "loosely dashed", "densely dotted", "dashdotdotted")
"""pgfplots' names of marks by those of the site, and of dashes by style."""
_WIDER = {"serif": 1.25, "sans": 1.18}


@dataclass(frozen=True)
class PgfSetting:
    """How a figure for pgfplots is set: `width` in mm that its labels are planned for, None for the narrowest column, which is as
    wide as the line then; `caption`: what follows the word in LaTeX, '' for the title alone. `family`: `sans`, `serif`, or
    '' for the paper's font."""

    look: Look = FROZEN
    width: float | None = None
    height: float | None = None
    caption: str = ""
    family: str = ""

    @property
    def planned(self) -> float:
        """The width in mm."""
        return self.width or 84.7


def text_mm(text: str, size: float) -> float:
    """Width of a line of text in mm in whatever font the paper has; of the code points of letters that LaTeX lacks."""
    shown = style.printable("".join(escaped if (escaped := escape_latex(letter)).startswith("[U+") else letter for letter in text))
    return max(style.text_mm(shown, size, font) * factor for font, factor in _WIDER.items())


def line_mm(size: float) -> float:
    """Height of a line of text in mm."""
    return size / POINTS


@dataclass
class PgfScale:
    """An axis of numbers: its limits, and whether it is logarithmic."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between the limits, 0 to 1."""
        if self.is_log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low)) if value > 0 else 0.0
        return (value - self.low) / (self.high - self.low)

    def ticks(self, room_mm: float, size: float, is_level: bool) -> tuple[list[float], list[str]]:
        """Places and labels of ticks of which none covers another. `is_level`: along a horizontal axis."""
        for most in (7, 6, 5, 4, 3, 2):
            found = (ticks.logarithmic if self.is_log else ticks.linear)(self.low, self.high, most)
            slack = 1e-9 * (self.high - self.low)
            places = [float(place) for place in found if self.low - slack <= place <= self.high + slack]
            labels = [ticks.labels([place])[0] for place in places] if self.is_log else ticks.labels(places)
            extents = [text_mm(label, size) if is_level else line_mm(size) for label in labels]
            positions = [self.share(place) * room_mm for place in places]
            gaps = zip(positions, positions[1:], extents, extents[1:], strict=False)
            if all(after - before > (one + other) / 2 + 1 for before, after, one, other in gaps):
                return places, labels
        return places[:1], labels[:1]


@dataclass(frozen=True)
class LabelAnchor:
    """Where a text stands beside a point: shift of its middle in mm, or of an edge in halves of its extent, and TikZ's options."""

    options: str
    x: float = 0.0
    y: float = 0.0
    turned: bool = False
    shift: tuple[float, float] = (0.0, 0.0)


BESIDE = (
    LabelAnchor("anchor=south west", 1, 1),
    LabelAnchor("anchor=south east", -1, 1),
    LabelAnchor("anchor=north west", 1, -1),
    LabelAnchor("anchor=north east", -1, -1),
    LabelAnchor("anchor=west", 1, 0),
    LabelAnchor("anchor=east", -1, 0),
)
SEPARATION_MM = 0.7
_MARK_MM = 0.6


@dataclass
class PgfFrame:
    """The axes of a panel: size in mm, scales, size of small text, and the boxes of the texts in it."""

    width: float
    height: float
    x: PgfScale
    y: PgfScale
    size: float
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)

    def take_mark(self, x: float, y: float) -> None:
        """Keep texts off a mark."""
        left, bottom = self.x.share(x) * self.width, self.y.share(y) * self.height
        self.taken.append((left - _MARK_MM, bottom - _MARK_MM, left + _MARK_MM, bottom + _MARK_MM))

    def find_place(self, x: float, y: float, text: str, anchors: Iterable[LabelAnchor]) -> LabelAnchor | None:
        """The first anchor at which a text beside the point covers no other and stays within the axes; it is taken then."""
        left, bottom = self.x.share(x) * self.width, self.y.share(y) * self.height
        wide, high = text_mm(text, self.size) + 2 * SEPARATION_MM, line_mm(self.size) * 1.1 + 2 * SEPARATION_MM
        for anchor in anchors:
            across, along = (high, wide) if anchor.turned else (wide, high)
            middle = left + anchor.shift[0] + anchor.x * across / 2, bottom + anchor.shift[1] + anchor.y * along / 2
            box = (middle[0] - across / 2, middle[1] - along / 2, middle[0] + across / 2, middle[1] + along / 2)
            is_inside = box[0] >= -1.5 and box[2] <= self.width + 1.5 and box[1] >= -0.8 and box[3] <= self.height + 1.5
            if is_inside and not any(_overlap(box, other) for other in self.taken):
                self.taken.append(box)
                return anchor
        return None


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


DEFAULT = PgfSetting()
"""The setting of the file of a bundle."""
