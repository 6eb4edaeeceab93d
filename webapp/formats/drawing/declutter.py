"""After the layout: titles are broken to the length of their axes, ticks thinned, and texts beside marks moved or left out
where they would cover others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, NullLocator
from matplotlib.transforms import Bbox

from webapp.formats.drawing import fitting, style

_offered: WeakKeyDictionary[Text, list[dict[str, Any]]] = WeakKeyDictionary()
_whole: WeakKeyDictionary[Text, str] = WeakKeyDictionary()
"""Titles of axes before they are broken."""
_MM = 25.4
_TITLE_LINES = 3
_SERIF_LEADING = 1.2  # the serif font has lines of 1.5 of its own


def offer(text: Text, places: list[dict[str, Any]]) -> None:
    """Let a text beside a mark stand at the first of these places (properties of the text) where it covers no other, or nowhere."""
    _offered[text] = places


def break_titles(plate: Figure) -> bool:
    """Break the titles of axes that are longer than their axes. Whether one is broken in another way than before: the lines of
    one take space from other axes, so that it has to be laid out and broken again."""
    size, is_changed = style.current().size, False
    for axes in all_axes(plate):
        box = axes.get_window_extent()
        for title, length in ((axes.xaxis.label, box.width), (axes.yaxis.label, box.height)):
            words = _whole.setdefault(title, title.get_text())
            if words:
                most = length / plate.dpi * _MM
                lines = fitting.force_wrap(words, most, lambda line: style.text_mm(line, size), _TITLE_LINES)
                is_changed |= title.get_text() != "\n".join(lines)
                title.set_text("\n".join(lines))
    for text in shown_texts(plate) if style.current().font == "serif" else ():
        text.set_linespacing(_SERIF_LEADING)
    return is_changed


def thin_ticks(plate: Figure) -> None:
    """Leave out every second number of an axis as long as one touches another."""
    for axes in all_axes(plate):
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator | NullLocator):  # categories, which are fitted
                continue
            while len(ticks := _numbered(axis)) > 2 and _any_touch([box for _, box in ticks]):
                axis.set_ticks([tick for tick, _ in ticks][len(ticks) % 2 == 0 :: 2])


def _numbered(axis: Axis) -> list[tuple[float, Bbox]]:
    """Ticks with a label, and its extent."""
    return [(place, label.get_window_extent()) for place, label in _labels(axis) if label.get_text()]


def _labels(axis: Axis) -> list[tuple[float, Text]]:
    """Places and labels of the ticks within the limits of an axis."""
    low, high = sorted(axis.get_view_interval())
    slack = (high - low) * 1e-6
    axis.get_ticklabels()  # brings the ticks up to date
    ticks = [(float(tick.get_loc()), label) for tick in axis.get_major_ticks() for label in (tick.label1, tick.label2)]
    return [(place, label) for place, label in ticks if label.get_visible() and low - slack <= place <= high + slack]


def _any_touch(boxes: list[Bbox]) -> bool:
    return any(_touch(one, other, 1.0) for one, other in pairwise(boxes))


def place_texts(plate: Figure) -> None:
    """Put the offered texts where they cover no other text, and leave out those without such a place."""
    offered = [text for axes in all_axes(plate) for text in axes.texts if text in _offered]
    taken = [text.get_window_extent() for text in shown_texts(plate) if text not in _offered]
    for text in offered:
        marks = _marks(text.axes) if len(_offered[text]) > 1 and text.axes else []
        outer = plate.bbox
        for place in _offered[text]:
            _put(text, place)
            box = text.get_window_extent()
            is_inside = outer.x0 <= box.x0 and box.x1 <= outer.x1 and outer.y0 <= box.y0 and box.y1 <= outer.y1
            if is_inside and not any(_touch(box, other) for other in [*taken, *marks]):
                taken.append(box)
                break
        else:
            text.remove()


def _put(text: Text, place: dict[str, Any]) -> None:
    place = dict(place)
    if "xytext" in place and isinstance(text, Annotation):
        text.xyann = place.pop("xytext")
    text.set(**place)


def _marks(axes: Any) -> list[Bbox]:
    """The places of the marks of a panel."""
    places = [
        axes.transData.transform(point)
        for line in axes.lines
        if line.get_marker() not in ("None", None, "") and not str(line.get_label()).startswith("_")
        for point in line.get_xydata()
    ]
    return [Bbox.from_extents(x - 2, y - 2, x + 2, y + 2) for x, y in places]


def _touch(one: Bbox, other: Bbox, gap: float = 0.0) -> bool:
    return one.x0 < other.x1 + gap and other.x0 < one.x1 + gap and one.y0 < other.y1 + gap and other.y0 < one.y1 + gap


def all_axes(plate: Figure) -> Iterable[Axes]:
    """The axes of a plate and its parts."""
    return list(dict.fromkeys([*plate.axes, *(axes for part in plate.subfigs for axes in part.axes)]))


def shown_texts(plate: Figure) -> list[Text]:
    """Every text of a plate that is printed."""
    found: list[Any] = []
    for part in (plate, *plate.subfigs):
        found += [*part.texts, *(text for legend in part.legends for text in [legend.get_title(), *legend.get_texts()])]
    for axes in all_axes(plate):
        found += [*axes.texts, *axes.findobj(_is_title, include_self=False)]
        for axis in (axes.xaxis, axes.yaxis):
            found += [axis.label, axis.get_offset_text(), *(label for _, label in _labels(axis))]
    return [text for text in dict.fromkeys(found) if text.get_visible() and text.get_text().strip()]


def _is_title(artist: Artist) -> bool:
    axes: Any = artist.axes
    return isinstance(artist, Text) and axes is not None and artist in (axes.title, axes._left_title, axes._right_title)
