"""Figures on paper: the panels of a permalink at a width in mm, with heading and stamp unless they are bare, as SVG.

A file of a page's height has the name of every row only up to a number of them: figures of many rows are divided in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.drawing import frame, looks
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, number
from webapp.drawing.kinds import make_panel
from webapp.drawing.looks import FROZEN, HIGHEST_MM, POINTS, Look, row_mm
from webapp.drawing.plate import BELOW, GAP, align, draw_row, shared_legend
from webapp.figures.kind import kind_of
from webapp.figures.notes import FigureData
from webapp.figures.stamp import Stamp

_EDGE_MM, _LEAST_MM, _PANEL_MM = 0.7, 16.0, 74.0
"""Room around the whole; the height that a frame needs; the least width of panels beside each other."""
_STAMP_POINTS = 6.0


class NoRoom(ValueError):
    """The figure needs more room than was asked for; the text says how much."""


@dataclass(frozen=True)
class Sheet:
    """Width and height in mm; without a height as high as the figure needs."""

    width: float
    height: float | None = None


def draw(
    figures: Sequence[dict], stamp: Stamp, sheet: Sheet, look: Look = FROZEN, headings: Sequence[str] = (), description: str = ""
) -> str:
    """All panels as SVG. `headings`: of each of several panels of a bare sheet; `description`: for screen readers. Raises
    ValueError without figures, NoRoom where the height is too small."""
    if not figures:
        raise ValueError("there is no figure to draw")
    with looks.applied(looks.sizes_on_paper(look)):
        named = [_printable(_headed(figure, at, figures, look, headings), look.font) for at, figure in enumerate(figures)]
        return _Layout(named, stamp, look, sheet).draw(description)


def _headed(figure: dict, at: int, figures: Sequence[dict], look: Look, headings: Sequence[str]) -> dict:
    """The figure with the title that is printed above it: of several bare ones what distinguishes it from its neighbours."""
    if look.is_bare:
        return figure | {"title": headings[at] if len(figures) > 1 and at < len(headings) else "", "subtitle": ""}
    return figure | ({"subtitle": ""} if len(figures) > 1 else {})


def _printable(value: Any, font: str) -> Any:
    """The value with every text as the font has it."""
    if isinstance(value, str):
        return texts.in_font(value, font)
    if isinstance(value, dict):
        return {key: _printable(inner, font) for key, inner in value.items()}
    return [_printable(inner, font) for inner in value] if isinstance(value, list | tuple) else value


class _Layout:
    """The rows of panels, and what stands around them."""

    def __init__(self, figures: Sequence[FigureData], stamp: Stamp, look: Look, sheet: Sheet) -> None:
        self.look, self.sheet = look, sheet
        self.edge = _EDGE_MM * look.pixels
        self.width = sheet.width * look.pixels
        self.inner = self.width - 2 * self.edge
        self.shared = shared_legend(figures)
        self.legend = frame.lay_out_legend(self.shared, self.inner) if self.shared else []
        rows_below = any(kind_of(figure).rows for figure in figures)
        columns = 1 if rows_below else max(1, min(len(figures), int(sheet.width / _PANEL_MM)))
        each = (self.inner - GAP * (columns - 1)) / columns
        panels = [make_panel(figure, each, bool(figure["title"]), legend_rows=0 if self.shared else 99) for figure in figures]
        self.rows = [panels[first : first + columns] for first in range(0, len(panels), columns)]
        self.needed = self.edge + sum(map(align, self.rows)) + BELOW * (len(self.rows) - 1) + frame.legend_height(self.legend)
        self.notes: list[str] = []
        self.stamp = ""
        if not look.is_bare:
            size, notes = looks.current().note, dict.fromkeys(note for figure in figures for note in figure.get("notes", ()))
            if stamp.live:
                notes[stamp.line] = None
            self.notes = [line for note in notes for line in texts.wrap(note, self.inner, size)]
            self.stamp_size = _STAMP_POINTS / POINTS * look.pixels
            self.stamp = "" if stamp.live else _stamp_line(stamp, self.inner, self.stamp_size)
            self.needed += (len(self.notes) * size + self.stamp_size) * texts.LINE + self.edge
        self.about = f"{stamp.line} {stamp.digest_line}".strip()
        self.title = stamp.title or "Poolmark figure"
        if sheet.height:
            self._fit(sheet.height)

    def _fit(self, height_mm: float) -> None:
        """Make the frames higher or lower. Raises NoRoom where labels leave too little for them."""
        spare = height_mm * self.look.pixels - self.needed
        for row in self.rows:
            for panel in row:
                panel.room.height += spare / len(self.rows)
        least = _LEAST_MM * self.look.pixels
        lack = 0.0
        for row in self.rows:
            height = row[0].room.height
            natural = height - spare / len(self.rows)
            lack = max(lack, (0.95 * natural if kind_of(row[0].figure).rows else least) - height)
        if lack > 0:
            needed = -int(-(height_mm + lack * len(self.rows) / self.look.pixels) // 5) * 5
            raise NoRoom(
                f"At a width of {self.sheet.width:g} mm the labels of this figure leave no room for the marks in a height of "
                f"{height_mm:g} mm; it needs some {max(needed, int(height_mm) + 5)} mm."
            )
        self.needed += spare

    def draw(self, description: str) -> str:
        canvas, y = Canvas(), self.edge
        if self.shared:
            frame.draw_legend(canvas, self.shared, self.legend, self.edge, y - 2)
            y += frame.legend_height(self.legend)
        for row in self.rows:
            y = draw_row(canvas, row, self.edge, y)
        y = canvas.lines(self.edge, y - BELOW + self.edge, self.notes, looks.current().note, "fm")
        if self.stamp:
            canvas.text(self.edge, y + self.stamp_size, self.stamp, size=self.stamp_size, kind="fm")
        canvas.settle(self.width, self.needed)
        width, height = number(self.width), number(self.needed)
        high = self.sheet.height or self.needed / self.look.pixels
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{number(self.sheet.width)}mm" '
            f'height="{number(high)}mm" role="img" aria-labelledby="pm-title pm-desc">'
            f'<title id="pm-title">{texts.xml(self.title)}</title><desc id="pm-desc">'
            f"{texts.xml(f'{description} {self.about}'.strip())}</desc><style>{looks.paper_style_sheet(self.look)}</style>"
            f'<rect width="100%" height="100%" class="fp"/>{"".join(canvas.parts)}</svg>'
        )


def _stamp_line(stamp: Stamp, room: float, size: float) -> str:
    """`example.org/p/k3m9xq2abc · 2 notes there · SHA-256 0123...`: as much of the digest as fits."""
    address = texts.in_font(stamp.address.split("://", 1)[-1], looks.FONTS[0])
    notes = f"{len(stamp.flags)} note{'' if len(stamp.flags) == 1 else 's'} there \u00b7 " if stamp.flags else ""
    for kept in (64, 48, 32, 16, 8) if stamp.digest else ():
        digest = stamp.digest if kept == 64 else f"{stamp.digest[:kept]}\u2026"
        line = f"{address} \u00b7 {notes}SHA-256 {digest}"
        if texts.width(line, size) <= room:
            return line
    return texts.shorten(address, room, size)


@dataclass(frozen=True)
class Part:
    """Rows of a panel, from `first` to before `last`, counted from 0; `last` is 0 of a panel without rows."""

    panel: int
    first: int
    last: int

    @property
    def label(self) -> str:
        """`rows 1 to 51`, `panel 2, rows 1 to 51`, `panel 1`"""
        panel = f"panel {self.panel + 1}" if self.panel or not self.last else ""
        rows = f"rows {self.first + 1} to {self.last}" if self.last else ""
        return ", ".join(filter(None, [panel, rows]))


def count_rows(figure: dict) -> int:
    """Rows of a panel; 0 for a kind without rows."""
    return {"x": len(figure["x"]["values"]), "series": len(figure["series"])}.get(kind_of(figure).rows, 0)


def most_rows(figure: dict, look: Look) -> int:
    """Rows of a panel that fit the highest axes with the name of each."""
    rows = [mark["x"] for mark in (*figure["groups"], *figure.get("empty", ()))]
    marks = len(figure["series"]) if kind_of(figure).rows == "x" and len(rows) > len(set(rows)) else 1
    return max(1, int(HIGHEST_MM / row_mm(look, 1, marks)))


def split_rows(figures: Sequence[dict], look: Look) -> list[Part]:
    """Parts of about equal length of which each has the name of every row; [] where the whole has."""
    parts = []
    for panel, figure in enumerate(figures):
        rows = count_rows(figure)
        if not rows:
            parts.append(Part(panel, 0, 0))
            continue
        count = -(-rows // most_rows(figure, look))
        size = -(-rows // count)
        parts += [Part(panel, first, min(first + size, rows)) for first in range(0, rows, size)]
    return parts if len(parts) > len(figures) else []


def take_part(figures: Sequence[dict], part: Part) -> dict:
    """The panel with the rows of a part, and a note of which these are."""
    figure = figures[part.panel]
    if not part.last:
        return figure
    rows = take_rows(figure, kind_of(figure).rows, part.first, part.last)
    return rows | {"notes": [*figure.get("notes", ()), f"Rows {part.first + 1} to {part.last} of {count_rows(figure)}."]}


def take_rows(figure: dict, by: str, first: int, last: int) -> dict:
    """The rows from `first` to before `last` of `by`, `x` or `series`. `whole` of the result is what its scale spans."""
    part = figure | {"whole": figure}
    if by == "series":
        part["series"] = figure["series"][first:last]
    else:
        part["x"] = figure["x"] | {
            name: figure["x"][name][first:last] for name in ("values", "numbers") if figure["x"].get(name) is not None
        }
    for name in ("groups", "empty"):
        if name in figure:
            part[name] = [mark | {by: mark[by] - first} for mark in figure[name] if first <= mark[by] < last]
    return part
