"""Labels along the x axis: level where they fit, else broken, else slanted, and thinned only where nothing else helps."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes

from webapp.formats.drawing.style import printable

_LETTER = 0.62  # mean width of a letter in font sizes, measured on DejaVu Sans
_POINT_MM = 25.4 / 72
_LONGEST = 28


def set_labels(axes: Axes, texts: list[str], room_mm: float, size: float = 6.5) -> None:
    """One label for each whole number from 0. `room_mm` is the width of the axis."""
    letter = size * _LETTER * _POINT_MM
    each = room_mm / max(1, len(texts))
    texts = [printable(text) for text in texts]
    longest = max((len(text) for text in texts), default=0)
    fits = int(each / letter) - 1
    if longest <= fits:
        _put(axes, range(len(texts)), texts)
    elif fits >= 6 and all(_is_broken_well(text, fits) for text in texts):
        _put(axes, range(len(texts)), ["\n".join(textwrap.wrap(text, fits)) for text in texts])
    else:
        _slant(axes, texts, each, size)


def _is_broken_well(text: str, fits: int) -> bool:
    lines = textwrap.wrap(text, fits, break_long_words=False)
    return len(lines) <= 3 and all(len(line) <= fits for line in lines)


def _slant(axes: Axes, texts: list[str], each: float, size: float) -> None:
    line = size * _POINT_MM * 1.15
    step = max(1, -int(-line // each))
    if step > 1:
        axes.set_xlabel(f"{axes.get_xlabel()} (every {_ordinal(step)} of {len(texts)} named)".strip())
    shown = range(0, len(texts), step)
    cut = [texts[at] if len(texts[at]) <= _LONGEST else texts[at][: _LONGEST - 1] + "\u2026" for at in shown]
    upright = each * step < line * 1.6
    _put(
        axes,
        shown,
        cut,
        rotation=90 if upright else 40,
        ha="center" if upright else "right",
        rotation_mode="default" if upright else "anchor",
    )


def _put(axes: Axes, at, texts: list[str], **how) -> None:
    axes.set_xticks(list(at), texts, **how)
    axes.tick_params(axis="x", length=0)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{ending}"
