"""Labels of categories along an axis, as they fit its length."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.axes import Axes

from webapp.formats.drawing import fitting, style
from webapp.formats.drawing.style import POINTS, printable


class LabelRoom(NamedTuple):
    """Widths in mm: of a panel, and of its axes between the labels."""

    panel: float
    axes: float


HIGHEST_MM = 26.0
"""The height of turned labels; longer ones are broken or cut."""


def set_labels(axes: Axes, texts: list[str], label: str, room_mm: float) -> None:
    """Set a label at each integer from 0, and the title of the axis. `room_mm`: length of the axis."""
    size = style.current().small
    fitted = fitting.fit(
        [printable(text) for text in texts],
        room_mm / max(1, len(texts)),
        size / POINTS,
        HIGHEST_MM,
        lambda text: style.text_mm(text, size),
    )
    options: dict[str, Any] = {"rotation": 90, "va": "top", "ha": "center"} if fitted.turned else {}
    axes.set_xticks(list(range(0, len(texts), fitted.step)), fitted.texts, **options)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(printable(f"{label} ({one_in(fitted.step)} named)".strip() if fitted.step > 1 else label))


def one_in(step: int) -> str:
    """`every 2nd`"""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(step % 10 if step % 100 not in (11, 12, 13) else 0, "th")
    return f"every {step}{ending}"


def break_names(texts: list[str], most_mm: float, lines: int = 2) -> list[str]:
    """Names of rows, broken into lines of at most `most_mm`."""
    size = style.current().small
    return [
        "\n".join(fitting.force_wrap(printable(text), most_mm, lambda line: style.text_mm(line, size), lines)) for text in texts
    ]
