"""The elements of an SVG as a list of strings. Lengths are pixels; colours are classes of `looks`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.drawing import looks
from webapp.drawing import text as texts

_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def number(value: float) -> str:
    """A coordinate with two decimals, without trailing zeros."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


class Box(NamedTuple):
    """Edges in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


class Words(NamedTuple):
    """A line of text from (x, y), its baseline. `halo`: room around it in the colour of the paper; `angle` in degrees."""

    x: float
    y: float
    words: str
    size: float
    kind: str = "fi"
    anchor: str = "start"
    bold: bool = False
    angle: float = 0
    halo: bool = False

    @property
    def width(self) -> float:
        return texts.width(self.words, self.size, self.bold)

    @property
    def box(self) -> Box | None:
        """What it covers; None where it is slanted."""
        start = -_ANCHORS[self.anchor] * self.width
        up, down = self.size * 0.75, self.size * 0.2
        if self.angle == 0:
            return Box(self.x + start, self.y - up, self.x + start + self.width, self.y + down)
        if self.angle == -90:
            return Box(self.x - up, self.y - start - self.width, self.x + down, self.y - start)
        return None


class Canvas:
    """Collects elements in the order in which they are drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._placed: list[Words] = []
        self._taken: list[Box] = []
        self._offered: list[tuple[int, list[Words], Box | None]] = []

    def rect(self, x: float, y: float, width: float, height: float, kind: str, more: str = "") -> None:
        """`kind`: the classes."""
        self.parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(max(0, width))}" height="{number(max(0, height))}" '
            f'class="{kind}"{more}/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, width: float = 1) -> None:
        self.parts.append(f'<path d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" class="{kind}" stroke-width="{width}"/>')

    def path(self, data: str, kind: str, width: float = 0, more: str = "") -> None:
        """A path of any data; `width`: of its line."""
        stroke = f' stroke-width="{number(width)}"' if width else ""
        self.parts.append(f'<path d="{data}" class="{kind}"{stroke}{more}/>')

    def circle(self, x: float, y: float, r: float, kind: str, width: float = 0) -> None:
        stroke = f' stroke-width="{number(width)}"' if width else ""
        self.parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}" class="{kind}"{stroke}/>')

    def text(self, x: float, y: float, words: str, *, size: float = 12, **options) -> None:
        """A line of text: the fields of `Words`."""
        placed = Words(x, y, words, size, **options)
        self._placed.append(placed)
        self.parts.append(_element(placed))

    def offer(self, places: Sequence[Words], within: Box | None = None) -> None:
        """A text that stands at the first of these places where it covers no other text and lies `within`, or nowhere: `settle`
        decides, when all is drawn."""
        self._offered.append((len(self.parts), list(places), within))
        self.parts.append("")

    def take(self, box: Box) -> None:
        """Keep offered texts from a place."""
        self._taken.append(box)

    def settle(self, width: float, height: float) -> None:
        """Put the offered texts on a sheet of this size."""
        taken = [*self._taken, *(box for placed in self._placed if self._offered and (box := placed.box) is not None)]
        for at, places, within in self._offered:
            edges = within or Box(0, 0, width, height)
            for place in places:
                box = place.box
                if box is None or not (edges.left <= box.left and box.right <= edges.right):
                    continue
                if edges.top <= box.top and box.bottom <= edges.bottom and not any(map(box.touches, taken)):
                    taken.append(box)
                    self.parts[at] = _element(place)
                    break
        self._offered = []

    def lines(self, x: float, y: float, lines: Sequence[str], size: float, kind: str = "fi", bold: bool = False) -> float:
        """Lines of text below each other from the top y; returns the y below them."""
        for line in lines:
            self.text(x, y + size, line, size=size, kind=kind, bold=bold)
            y += size * texts.LINE
        return y

    def open(self, label: str) -> None:
        """Begin a group of elements with a title, which readers show on hover and screen readers read."""
        self.parts.append(f"<g><title>{texts.xml(label)}</title>")

    def close(self) -> None:
        self.parts.append("</g>")


def _element(text: Words) -> str:
    more = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    more += ' font-weight="600"' if text.bold else ""
    more += f' transform="rotate({number(text.angle)} {number(text.x)} {number(text.y)})"' if text.angle else ""
    more += ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if text.halo else ""
    if looks.current().look and len(text.words) > 1:
        # It keeps its width where a reader of the SVG has another font.
        more += f' textLength="{number(text.width)}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{number(text.x)}" y="{number(text.y)}" font-size="{number(text.size)}" '
        f'class="{text.kind}{" lp" if text.halo else ""}"{more}>{texts.xml(text.words)}</text>'
    )
