"""One panel: how much room its parts need, and the drawing of them. Panels beside each other are given the same room.

A kind of figure is a module of `kinds` with a panel of its own, which says what is otherwise than here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from webapp.drawing import frame, looks
from webapp.drawing import text as texts
from webapp.drawing.canvas import Canvas
from webapp.drawing.frame import SIZE, Frame
from webapp.figures import layout, ticks
from webapp.figures.notes import FigureData
from webapp.figures.scales import Scale

_NAME_SHARE = 0.34
"""Share of the width that the names of rows may take."""
_LINE = 1.1
"""Height of a line of such a name in font sizes."""


@dataclass(slots=True)
class Room:
    """Pixels around and of the frame in which the marks stand."""

    head: float
    left: float
    right: float
    height: float
    foot: float = 0.0


class DrawnPanel:
    """A figure at a width: values to the left of the frame, names below it. `title`: whether its own title is printed. `small`:
    beside another, with less height. `most_lines` of a title or subtitle; `legend_rows`: 0 where another place has the legend.
    """

    def __init__(
        self, figure: FigureData, width: float, title: bool, small: bool = False, most_lines: int = 99, legend_rows: int = 99
    ) -> None:
        self.figure, self.width, self.sizes = figure, width, looks.current()
        self.title = texts.wrap(figure["title"], width, self.sizes.title, most_lines, bold=True) if title else []
        subtitle = figure.get("subtitle") or ""
        self.subtitle = texts.wrap(subtitle, width, self.sizes.subtitle, most_lines) if subtitle else []
        self.legend = frame.lay_out_legend(figure, width, legend_rows) if legend_rows else []
        self.scale = layout.value_scale(figure.get("whole") or figure)  # all parts of the rows have one scale
        self.names = figure["x"]["values"]
        height = self.plot_height(small)
        self.unit = frame.title_lines(join_words(figure["unit"], figure["better"]), width)
        self.room = Room(self._head(), self.left(height), self.right(), height)

    @property
    def across_title(self) -> str:
        """The title of the level axis."""
        return self.figure["x"]["label"]

    def _head(self) -> float:
        sizes = self.sizes
        words = len(self.title) * sizes.title * texts.LINE + len(self.subtitle) * sizes.subtitle * texts.LINE
        return words + (2 if self.subtitle else 0) + frame.legend_height(self.legend) + self.head()

    def head(self) -> float:
        """Height above the frame, below title and legend: of the unit."""
        return 24.0 + max(0, len(self.unit) - 1) * self.sizes.unit * texts.LINE

    def left(self, height: float) -> float:
        """Width to the left of a frame of that height."""
        return frame.tick_room(self.scale)

    def right(self) -> float:
        """Width to the right of the frame."""
        return 10.0

    def plot_height(self, small: bool) -> float:
        """Height of the frame."""
        return self.sizes.small_plot if small else self.sizes.plot

    def foot(self, width: float) -> float:
        """Height below a frame of that width."""
        return frame.names_height(self.labels, self.across_title, width)

    def fit_foot(self) -> float:
        """The height below the frame, once its sides are settled."""
        width = self.width - self.room.left - self.room.right
        self.labels = texts.lay_out_labels(self.names, width / max(1, len(self.names)), SIZE, self.room.left)
        self.room.foot = self.foot(width)
        return self.room.foot

    @property
    def height(self) -> float:
        return self.room.head + self.room.height + self.room.foot

    def draw(self, canvas: Canvas, left: float, top: float) -> None:
        """Draw at a place of the plate."""
        y = canvas.lines(left, top, self.title, self.sizes.title, bold=True)
        y = canvas.lines(left, y, self.subtitle, self.sizes.subtitle, "fm") + (2 if self.subtitle else 0)
        frame.draw_legend(canvas, self.figure, self.legend, left, y)
        start = top + self.room.head
        box = Frame(left + self.room.left, start, left + self.width - self.room.right, start + self.room.height)
        self.draw_head(canvas, left, start)
        if not any(self.figure.get(key) for key in ("groups", "empty", "curves")):
            canvas.text(box.left + box.width / 2, box.top + box.height / 2, "nothing to draw", kind="fm", anchor="middle")
        self.draw_frame(canvas, box)

    def draw_head(self, canvas: Canvas, left: float, start: float, above: float = 10) -> None:
        """The unit over the frame, which begins at `start`."""
        size = self.sizes.unit
        for number, line in enumerate(reversed(self.unit)):
            canvas.text(left, start - above - number * size * texts.LINE, line, size=size, kind="fm")

    def draw_frame(self, canvas: Canvas, box: Frame) -> None:
        """The axes and the marks."""
        scale = self.scale.over(box.bottom, box.top)
        frame.draw_value_axis(canvas, box, scale)
        self.draw_marks(canvas, box, scale)
        self.draw_names(canvas, box)

    def draw_marks(self, canvas: Canvas, box: Frame, scale: Scale) -> None:
        """The marks; `scale` is that of the values in the frame."""
        raise NotImplementedError

    def draw_names(self, canvas: Canvas, box: Frame) -> None:
        """The names below the frame."""
        step = box.width / max(1, len(self.names))
        places = [box.left + (place + 0.5) * step for place in range(len(self.names))]
        frame.draw_names(canvas, box, places, self.labels, self.across_title)


class NumbersPanel(DrawnPanel):
    """A panel with numbers below the frame, too."""

    @property
    def across(self) -> Scale:
        """The level axis."""
        found = layout.across_scale(self.figure)
        assert found is not None
        return found

    def right(self) -> float:
        return half_of(max(ticks.labels(self.across.ticks()), key=len, default=""))

    def foot(self, width: float) -> float:
        return 44.0 + frame.title_height(self.across_title, width)


class RowsPanel(DrawnPanel):
    """A panel with names to the left of its rows."""

    from_below = False
    """Whether the first row is the lowest."""

    @property
    def rows(self) -> Sequence[str]:
        """The names of the rows."""
        return self.names

    def left(self, height: float) -> float:
        row = height / max(1, len(self.rows))
        lines, room = max(1, min(2, int(row / SIZE + 0.02))), self.width * _NAME_SHARE
        self.every = max(1, ceil(SIZE * _LINE / row))
        self.row_lines = [texts.wrap(name, room, SIZE, lines) for name in self.rows[:: self.every]]
        return max((texts.width(line, SIZE) for name in self.row_lines for line in name), default=0.0) + 10

    def name_rows(self, canvas: Canvas, box: Frame) -> None:
        """The name of each row, or of every n-th."""
        step = box.height / max(1, len(self.rows))
        for at, name in enumerate(self.row_lines):
            down = (at * self.every + 0.5) * step
            middle = (box.bottom - down if self.from_below else box.top + down) + 4 - (len(name) - 1) * SIZE * _LINE / 2
            for number, line in enumerate(name):
                canvas.text(box.left - 8, middle + number * SIZE * _LINE, line, size=SIZE, anchor="end")


PANELS: dict[str, type[DrawnPanel]] = {}
"""Kind of figure -> how it is drawn."""


def draws(*kinds: str) -> Callable[[type[DrawnPanel]], type[DrawnPanel]]:
    """Says of a panel which kinds of figures are drawn by it."""

    def enter(panel: type[DrawnPanel]) -> type[DrawnPanel]:
        PANELS.update(dict.fromkeys(kinds, panel))
        return panel

    return enter


def half_of(label: str) -> float:
    """Width to the right of a frame for half of the last label below it."""
    return max(10.0, texts.width(label, SIZE) / 2 + 2)


def join_words(*words: str | None) -> str:
    """Those that there are, with commas."""
    return ", ".join(word for word in words if word)
