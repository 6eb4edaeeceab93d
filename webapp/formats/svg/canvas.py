"""The elements of an SVG as a list of strings. Lengths are pixels; colours are classes of `theme`."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.formats.svg import text as texts


def number(value: float) -> str:
    """A coordinate with two decimals, without trailing zeros."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


class Canvas:
    """Collects elements in the order in which they are drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []

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

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        kind: str = "fi",
        anchor: str = "start",
        bold: bool = False,
        angle: float = 0,
        halo: bool = False,
    ) -> None:
        """A line of text from (x, y), its baseline. `halo`: room around it in the colour of the paper; `angle` in degrees."""
        more = "" if anchor == "start" else f' text-anchor="{anchor}"'
        more += ' font-weight="600"' if bold else ""
        more += f' transform="rotate({number(angle)} {number(x)} {number(y)})"' if angle else ""
        more += ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if halo else ""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" class="{kind}{" lp" if halo else ""}"{more}>'
            f"{texts.xml(words)}</text>"
        )

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
