"""Labels for a row of places by the widths of their letters: level, broken, turned, and where nothing else fits cut or thinned."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Measure = Callable[[str], float]
"""A line of text -> its width in mm."""
LINES = 3
"""Lines of a level label."""
_LEADING = 1.2
_ELLIPSIS = "\u2026"


@dataclass(frozen=True)
class Fitted:
    """Labels of every `step`-th place. Lines are separated by newlines. `height`: of the highest label in mm."""

    texts: list[str]
    step: int
    turned: bool
    height: float


def fit(texts: Sequence[str], place_mm: float, line_mm: float, most_mm: float, measure: Measure) -> Fitted:
    """Labels for places that are `place_mm` apart, at most `most_mm` high. `line_mm`: height of the letters of a line."""
    gap = 0.5 * line_mm
    level = [wrap(text, place_mm - gap, measure) for text in texts]
    if all(lines and len(lines) <= LINES for lines in level) and _LEADING * line_mm * max(map(len, level), default=1) <= most_mm:
        return Fitted(["\n".join(lines) for lines in level], 1, False, _LEADING * line_mm * max(map(len, level), default=1))
    step = max(1, -int(-(_LEADING * line_mm) // place_mm))
    shown = texts[::step]
    lines = max(1, int(place_mm * step / (_LEADING * line_mm)))
    turned = [_turn(text, most_mm, min(lines, 2), measure) for text in shown]
    return Fitted(
        ["\n".join(label) for label in turned],
        step,
        True,
        max((measure(line) for label in turned for line in label), default=0.0),
    )


def wrap(text: str, width_mm: float, measure: Measure) -> list[str]:
    """The text in lines of at most this width, broken at spaces and after `-`, `/`, `_`, `:` and `,`; [] where a word is wider."""
    lines, current = [], ""
    for piece in re.findall(r"\s*[^\s\-/_:,]*[\-/_:,]*", text):
        if not piece:
            continue
        if measure((current + piece).strip()) <= width_mm:
            current += piece
        elif measure(piece.strip()) <= width_mm:
            lines.append(current.strip())
            current = piece
        else:
            return []
    lines.append(current.strip())
    return [line for line in lines if line] or [""]


def force_wrap(text: str, width_mm: float, measure: Measure, most: int = 99) -> list[str]:
    """The text in at most `most` lines of this width; a wider word, and what follows the last line, is cut."""
    words = [cut(word, width_mm, measure) for word in text.split()]
    lines = wrap(" ".join(words), width_mm, measure) or [cut(text, width_mm, measure)]
    return lines if len(lines) <= most else [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width_mm, measure)]


def cut(text: str, width_mm: float, measure: Measure) -> str:
    """The text, without its middle where it is wider: both ends tell names of a family apart."""
    if measure(text) <= width_mm:
        return text
    for kept in range(len(text) - 1, 1, -1):
        head, tail = text[: kept - kept // 2], text[len(text) - kept // 2 :]
        if measure(shorter := head.rstrip() + _ELLIPSIS + tail.lstrip()) <= width_mm:
            return shorter
    return text[:1] + _ELLIPSIS


def _turn(text: str, most_mm: float, lines: int, measure: Measure) -> list[str]:
    if measure(text) <= most_mm:
        return [text]
    return force_wrap(text, most_mm, measure, lines)
