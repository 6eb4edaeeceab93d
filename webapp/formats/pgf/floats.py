"""Panels -> floats that are no higher than a page: panels of many rows are cut between rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.formats.drawing import parts
from webapp.formats.pgf import axes
from webapp.formats.pgf.frame import PgfSetting, line_mm

_PANELS = 2
"""Panels of a float at most."""
_HIGHEST_MM = 190.0
"""The lowest text height of the usual classes (LNCS: 193 mm)."""
_AROUND_MM = 26.0
"""Title, legend, labels and number of the axis below a panel."""
_LEAST_ROWS = 6


@dataclass(frozen=True)
class PgfPanel:
    """A figure, or some of its rows, with the title above it."""

    figure: dict
    title: str


def make_floats(figures: Sequence[dict], titles: Sequence[str], setting: PgfSetting) -> list[list[PgfPanel]]:
    """The panels of each float. The first one leaves space for the caption."""
    floats: list[list[PgfPanel]] = [[]]
    left = _HIGHEST_MM - _caption_mm(setting)
    for figure, title in zip(figures, titles, strict=False):
        room = _HIGHEST_MM if floats[-1] else left
        for part in _parts(figure, setting, room - _AROUND_MM):
            needed = axes.height_mm(part, setting) + _AROUND_MM
            if floats[-1] and (len(floats[-1]) == _PANELS or needed > left):
                floats.append([])
                left = _HIGHEST_MM - _AROUND_MM
            floats[-1].append(PgfPanel(part, title))
            left -= needed
    return floats


def _caption_mm(setting: PgfSetting) -> float:
    """The height of the caption, about, at 10 pt."""
    return len(setting.caption) / max(20.0, setting.planned / 1.75) * line_mm(12)


def _parts(figure: dict, setting: PgfSetting, most_mm: float) -> list[dict]:
    """The figure; its rows in parts of equal length where they are higher. `whole` of a part is what its scale spans."""
    height = axes.height_mm(figure, setting)
    if figure.get("kind") not in axes.ROWS or setting.height or height <= max(most_mm, _HIGHEST_MM / 3):
        return [figure]
    row = axes.row_mm(figure, setting.look.small)
    most = max(_LEAST_ROWS, int(most_mm / row))
    by = "series" if figure["kind"] == "heat" else "x"
    count = len(figure["series"] if by == "series" else figure["x"]["values"])
    size = -(-count // -(-count // most))
    return [parts.take_rows(figure, by, first, min(first + size, count)) for first in range(0, count, size)]
