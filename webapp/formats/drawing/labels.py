"""Labels of the x axis: horizontal where they fit, else wrapped, else slanted and, where they overlap, thinned."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes

from webapp.formats.drawing.style import printable

_LETTER = 0.62  # mean width of a letter in font sizes, measured on DejaVu Sans
_POINT_MM = 25.4 / 72
_LONGEST = 28


def set_labels(axes: Axes, texts: list[str], room_mm: float, size: float = 6.5) -> None:
    """Set a label at each integer from 0. `room_mm`: width of the axis; `size`: font size in points."""
    letter = size * _LETTER * _POINT_MM
    place_mm = room_mm / max(1, len(texts))
    texts = [printable(text) for text in texts]
    longest = max((len(text) for text in texts), default=0)
    fits = int(place_mm / letter) - 1
    if longest <= fits:
        _set_ticks(axes, range(len(texts)), texts)
    elif fits >= 6 and all(_is_wrappable(text, fits) for text in texts):
        _set_ticks(axes, range(len(texts)), ["\n".join(textwrap.wrap(text, fits)) for text in texts])
    else:
        _set_slanted(axes, texts, place_mm, size)


def _is_wrappable(text: str, fits: int) -> bool:
    lines = textwrap.wrap(text, fits, break_long_words=False)
    return len(lines) <= 3 and all(len(line) <= fits for line in lines)


def _set_slanted(axes: Axes, texts: list[str], place_mm: float, size: float) -> None:
    line = size * _POINT_MM * 1.15
    step = max(1, -int(-line // place_mm))
    if step > 1:
        axes.set_xlabel(f"{axes.get_xlabel()} (every {_ordinal(step)} of {len(texts)} named)".strip())
    shown = range(0, len(texts), step)
    shortened = [texts[index] if len(texts[index]) <= _LONGEST else texts[index][: _LONGEST - 1] + "\u2026" for index in shown]
    upright = place_mm * step < line * 1.6
    _set_ticks(
        axes,
        shown,
        shortened,
        rotation=90 if upright else 40,
        ha="center" if upright else "right",
        rotation_mode="default" if upright else "anchor",
    )


def _set_ticks(axes: Axes, positions, texts: list[str], **options) -> None:
    axes.set_xticks(list(positions), texts, **options)
    axes.tick_params(axis="x", length=0)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{ending}"
