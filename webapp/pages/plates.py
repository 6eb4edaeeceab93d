"""Comparison -> the plate that the server draws of it: the figures of the page with its texts."""

from __future__ import annotations

from webapp.comparison.model import Comparison
from webapp.formats.svg.plate import Plate
from webapp.pages import comparison_page, sentences
from webapp.pages.compared_curves import draw_curves
from webapp.pages.drawings import make_drawings


class NoSuchPanel(Exception):
    """The comparison has fewer panels."""


def make_plate(comparison: Comparison, panel: int | None = None) -> Plate:
    """All panels, or that one (1 is the first). Without a panel the plate says that there is nothing to compare.

    Raises NoSuchPanel.
    """
    beside = draw_curves(comparison)
    curves, drawings = beside.drawings, beside.drawings or make_drawings(comparison)
    if panel is not None and not 0 < panel <= len(drawings):
        raise NoSuchPanel(panel)
    chosen = drawings if panel is None else [drawings[panel - 1]]
    heading = comparison_page.describe_heading(comparison)
    title = chosen[0].title if panel is not None and len(drawings) > 1 else heading
    shown = sentences.summarise(comparison) if chosen and not curves else ""
    description = " ".join([*(f"{drawing.summary}." for drawing in chosen), shown]).strip()
    counted = comparison_page.describe_counts(comparison) if chosen else ""
    footer = " \u00b7 ".join(part for part in ("Poolmark", counted) if part)
    method = comparison_page.describe_method(comparison, chosen) if chosen and not curves else ""
    figures = [drawing.figure for drawing in chosen]
    if figures and beside.missing:
        figures[-1] = {**figures[-1], "notes": [*figures[-1]["notes"], beside.missing]}
    return Plate(title, description or heading, figures, footer, method)
