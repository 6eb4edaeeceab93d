"""A plate: title, legend, panels, notes and footer, on one sheet of SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.drawing import frame, looks
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas, number
from webapp.drawing.kinds import make_panel
from webapp.drawing.panel import DrawnPanel
from webapp.figures.kind import kind_of
from webapp.figures.notes import FigureData, print_notes

MARGIN, GAP, BELOW = 16.0, 28.0, 14.0
"""Around a plate, between panels beside each other, and below a row of them."""
WIDTH = 800.0
CARD = (800.0, 420.0)
"""Size of a picture for link previews, which `png` enlarges to 1200 x 630."""
TITLE = 18.0
"""Font size."""
NOTE = looks.Sizes.note
_SMALL_GROUPS = 16


@dataclass(frozen=True, slots=True)
class Plate:
    """What is drawn: figures, and the texts around them. `description`: what a screen reader reads. `method` stands before
    the footer where there is room.
    """

    title: str
    description: str
    panels: Sequence[FigureData]
    footer: str = ""
    method: str = ""


def draw(plate: Plate, name: str = looks.AUTOMATIC) -> str:
    """The plate at reading width in the theme of that name, as high as it needs to be."""
    canvas, inner = Canvas(), WIDTH - 2 * MARGIN
    y = canvas.lines(MARGIN, MARGIN, texts.wrap(plate.title, inner, TITLE, bold=True), TITLE, bold=True) + 4
    shared = shared_legend(plate.panels)
    if shared:
        entries = frame.lay_out_legend(shared, inner)
        frame.draw_legend(canvas, shared, entries, MARGIN, y)
        y += frame.legend_height(entries)
    for row in _rows(plate.panels, inner, legend_rows=0 if shared else 99):
        align(row)
        y = draw_row(canvas, row, MARGIN, y)
    notes = [line for note in print_notes(plate.panels) for line in texts.wrap(note, inner, NOTE)]
    y = canvas.lines(MARGIN, y, notes, NOTE, "fm")
    if footer := " \u00b7 ".join(part for part in (plate.footer, plate.method) if part):
        y = canvas.lines(MARGIN, y + 4, texts.wrap(footer, inner, NOTE), NOTE, "fm")
    return _document(plate, canvas, WIDTH, y + MARGIN / 2, name)


def draw_card(plate: Plate, name: str = looks.LIGHT_NAME) -> str:
    """The first panel on a sheet of the size `CARD`; of many rows the first ones, which the footer says."""
    (width, height), canvas = CARD, Canvas()
    inner, footer = width - 2 * MARGIN, [plate.footer] if plate.footer else []
    y = canvas.lines(MARGIN, MARGIN, texts.wrap(plate.title, inner, TITLE, 2, bold=True), TITLE, bold=True) + 2
    if plate.panels:
        figure, bottom = plate.panels[0], height - NOTE - MARGIN
        panel = make_panel(figure, inner, title=False, most_lines=1, legend_rows=2)
        panel.fit_foot()
        room = bottom - 8 - y - panel.room.head - panel.room.foot
        if kind_of(figure).rows == "x" and panel.room.height > room:
            kept = max(1, int(room / (panel.room.height / max(1, len(figure["x"]["values"])))))
            footer.append(f"the first {kept} of {len(figure['x']['values'])}")
            panel = make_panel(_first_rows(figure, kept), inner, title=False, most_lines=1, legend_rows=2)
            panel.fit_foot()
        panel.room.height = room
        panel.draw(canvas, MARGIN, y)
        if len(plate.panels) > 1:
            footer.append(f"1 of {len(plate.panels)} figures")
    line = texts.shorten(" \u00b7 ".join(footer), inner, NOTE)
    canvas.text(MARGIN, height - MARGIN + 4, line, size=NOTE, kind="fm")
    return _document(plate, canvas, width, height, name)


def draw_inline(
    figure: FigureData, description: str, name: str, width: float = 440.0, title: bool = True, scrolls: bool = False, **more
) -> str:
    """One figure as an element of a page, whose style sheet has its colours (`static/css/components/drawn.css`).

    `title`: whether it has its own, where the page has none. `name`: the beginning of the ids of its elements, of its own on the
    page. `scrolls`: whether it keeps its size on a phone, where it would be too small to read, and is reached by keys. `more`: of
    the panel.
    """
    canvas = Canvas()
    panel = make_panel(figure, width, title=title, small=True, **more)
    panel.fit_foot()
    panel.draw(canvas, 0, 0)
    canvas.settle(width, panel.height + 4)
    kind = 'class="drawn drawn-wide" tabindex="0"' if scrolls else 'class="drawn"'
    return (
        f'<svg {kind} viewBox="0 0 {number(width)} {number(panel.height + 4)}" role="img" aria-labelledby="{name}-title">'
        f'<title id="{name}-title">{texts.xml(description)}</title>{"".join(canvas.parts)}</svg>'
    )


def _first_rows(figure: FigureData, kept: int) -> FigureData:
    """The figure with its first values of x alone."""
    short: dict[str, Any] = {**figure, "x": {**figure["x"], "values": figure["x"]["values"][:kept]}}
    for key in ("groups", "empty"):
        if key in short:
            short[key] = [one for one in short[key] if one["x"] < kept]
    return short


def _rows(panels: Sequence[FigureData], width: float, legend_rows: int) -> Iterator[list[DrawnPanel]]:
    """Panels beside each other where they are small, else each in a row of its own."""
    small = len(panels) > 1 and all(not kind_of(figure).rows and len(figure["groups"]) <= _SMALL_GROUPS for figure in panels)
    step, each = (2, (width - GAP) / 2) if small else (1, width)
    for start in range(0, len(panels), step):
        yield [
            make_panel(figure, each, title=len(panels) > 1, small=small, legend_rows=legend_rows)
            for figure in panels[start : start + step]
        ]


def align(row: Sequence[DrawnPanel]) -> float:
    """Give panels beside each other aligned frames; returns the height of the row."""
    for key in ("head", "left", "right", "height"):
        most = max(getattr(panel.room, key) for panel in row)
        for panel in row:
            setattr(panel.room, key, most)
    foot = max(panel.fit_foot() for panel in row)
    for panel in row:
        panel.room.foot = foot
    return row[0].height


def draw_row(canvas: Canvas, row: Sequence[DrawnPanel], left: float, y: float) -> float:
    """Draw aligned panels; returns the y below them."""
    for at, panel in enumerate(row):
        panel.draw(canvas, left + at * (panel.width + GAP), y)
    return y + row[0].height + BELOW


def shared_legend(panels: Sequence[FigureData]) -> FigureData | None:
    """The first of several panels where the legend of all is the same, else None."""
    first = panels[0] if panels else None
    return first if first and len(panels) > 1 and all(panel["series"] == first["series"] for panel in panels) else None


def _document(plate: Plate, canvas: Canvas, width: float, height: float, name: str) -> str:
    """The SVG as text: no script, no reference to another file."""
    canvas.settle(width, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" '
        f'height="{number(height)}" role="img" aria-labelledby="pm-title pm-desc">'
        f'<title id="pm-title">{texts.xml(plate.title)}</title><desc id="pm-desc">{texts.xml(plate.description)}</desc>'
        f"<style>{looks.style_sheet(name)}</style>"
        f'<rect width="100%" height="100%" class="fp"/>{"".join(canvas.parts)}</svg>'
    )
