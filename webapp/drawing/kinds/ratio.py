"""Ratios to the baseline, which is a line at 1."""

from __future__ import annotations

from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import Frame
from webapp.drawing.kinds.dots import DotsPanel
from webapp.drawing.panel import draws
from webapp.figures.scales import Scale


@draws("ratio")
class RatioPanel(DotsPanel):
    """Ratios."""

    def draw_marks(self, canvas: Canvas, box: Frame, scale: Scale) -> None:
        canvas.line(scale(1), box.top, scale(1), box.bottom, "li", 1.5)
        super().draw_marks(canvas, box, scale)
