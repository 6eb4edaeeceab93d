"""A plate: the panels of a permalink below each other, with a shared legend and the stamp as footer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from webapp.figures.notes import print_notes
from webapp.formats.drawing import bars, box, dots, heat, lines, scatter, style
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.drawing.style import MM, POINTS, printable

WIDTHS = (85, 180)
"""Widths of a journal's column and page, in mm."""
KINDS: dict[str, Callable[[Axes, dict, float], None]] = {
    "bars": bars.draw,
    "dots": dots.draw,
    "lines": lines.draw,
    "box": box.draw,
    "scatter": scatter.draw,
    "heat": heat.draw,
    "ratio": dots.draw_ratio,
}
_PANEL_MM = {85: 58.0, 180: 82.0}
_HIGHEST_MM = 230.0
_AXIS_MM = 14.0  # width of the y axis and its labels
_STAMP_SIZE = {85: 4.1, 180: 4.6}
_LINE_MM = 2.5  # of the footer
_TITLE_LETTERS = 0.52  # bold letters of the title per mm of width
_SUBTITLE_LETTERS = 0.62
_SUBTITLE_MM = 3.3  # a line of the subtitle
_NOTE_LETTERS = 1.05


def draw_plate(figures: list[dict], stamp: Stamp, width: int) -> Figure:
    """A matplotlib figure of `width` mm with all panels. Raises ValueError without figures."""
    if not figures:
        raise ValueError("there is no figure to draw")
    heights = [_height(figure, width) for figure in figures]
    footer = _footer_lines(figures, stamp, width)
    footer_mm = _LINE_MM * len(footer) + 1.5
    with matplotlib.rc_context(style.SETTINGS):
        plate = Figure(figsize=(width * MM, (sum(heights) + footer_mm) * MM), layout="constrained")
        upper, lower = plate.subfigures(2, 1, squeeze=False, height_ratios=[sum(heights), footer_mm])[:, 0]
        panels = upper.subplots(len(figures), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, figure in zip(panels, figures, strict=True):
            _panel(axes, figure, width)
        _legend(upper, width, {name for figure in figures if (name := figure.get("legend"))})
        # Without ligatures, so that a digest copied from a PDF is intact.
        lower.text(
            0.012,
            0.5,
            "\n".join(footer),
            ha="left",
            va="center",
            color=style.MUTED,
            fontsize=_STAMP_SIZE[width],
            linespacing=1.4,
            fontfeatures=("-liga",),
        )
    return plate


def _height(figure: dict, width: int) -> float:
    """Height of a panel in mm; it depends on the number of rows and on long slanted labels."""
    kind, places = figure.get("kind") or "bars", figure["x"]["values"]
    subtitle_mm = _SUBTITLE_MM * len(_wrap_subtitle(figure, width))
    if kind in ("dots", "ratio"):
        return min(_HIGHEST_MM, len(places) * dots.row_height_mm(figure) + 18 + subtitle_mm)
    labels = min(18.0, max(map(len, places), default=0) * 0.6) + subtitle_mm
    if kind == "heat":
        return min(_HIGHEST_MM, len(figure["series"]) * heat.CELL_MM + 18 + labels)
    return _PANEL_MM[width] + labels


def _wrap_subtitle(figure: dict, width: int) -> list[str]:
    """Lines of the subtitle, none where there is none."""
    return textwrap.wrap(printable(figure.get("subtitle") or ""), int(width * _SUBTITLE_LETTERS))


def _panel(axes: Axes, figure: dict, width: int) -> None:
    title = textwrap.fill(printable(figure["title"]), int(width * _TITLE_LETTERS))
    subtitle = _wrap_subtitle(figure, width)
    axes.set_title(title, loc="left", fontweight="bold", pad=4 + _SUBTITLE_MM * POINTS * len(subtitle))
    if subtitle:
        axes.annotate(
            "\n".join(subtitle),
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 4),
            textcoords="offset points",
            va="bottom",
            color=style.MUTED,
            fontsize=style.SUBTITLE_SIZE,
        )
    KINDS[figure.get("kind") or "bars"](axes, figure, width - _AXIS_MM)


def _legend(panels: SubFigure, width: int, names: Collection[str]) -> None:
    """Draw the shared legend below the panels: every series once. `names`: of the dimensions of the series."""
    handles: dict[str, Artist] = {}
    for axes in panels.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label:
                handles.setdefault(label, handle)
    if len(handles) > 1:
        columns = max(1, min(len(handles), int(width / (max(map(len, handles)) * 1.5 + 9))))
        panels.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower left",
            ncols=columns,
            handlelength=1.6,
            handleheight=0.9,
            columnspacing=1.2,
            title=printable(f"{', '.join(sorted(names))}:") if names else None,
            title_fontsize=6.5,
            alignment="left",
        )


def _footer_lines(figures: list[dict], stamp: Stamp, width: int) -> list[str]:
    """Lines of the footer: notes of the figures, empty places and honesty flags, without repetition, then the stamp."""
    notes = dict.fromkeys([*print_notes(figures), *stamp.flags])
    wrapped = [line for note in notes for line in textwrap.wrap(printable(note), int(width * _NOTE_LETTERS))]
    return [*wrapped, printable(stamp.line), stamp.digest_line]
