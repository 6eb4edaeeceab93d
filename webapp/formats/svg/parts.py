"""Parts of a figure of many rows: a file of a page's height has the name of every row only up to a number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.formats.svg.looks import HIGHEST_MM, ROWS, Look, row_mm


@dataclass(frozen=True)
class Part:
    """Rows of a panel, from `first` to before `last`, counted from 0; `last` is 0 of a panel without rows."""

    panel: int
    first: int
    last: int

    @property
    def label(self) -> str:
        """`rows 1 to 51`, `panel 2, rows 1 to 51`, `panel 1`"""
        panel = f"panel {self.panel + 1}" if self.panel or not self.last else ""
        rows = f"rows {self.first + 1} to {self.last}" if self.last else ""
        return ", ".join(filter(None, [panel, rows]))


def count_rows(figure: dict) -> int:
    """Rows of a panel; 0 for a kind without rows."""
    if figure.get("kind") not in ROWS:
        return 0
    return len(figure["series"] if figure["kind"] == "heat" else figure["x"]["values"])


def most_rows(figure: dict, look: Look) -> int:
    """Rows of a panel that fit the highest axes with the name of each."""
    rows = [mark["x"] for mark in (*figure["groups"], *figure.get("empty", ()))]
    marks = len(figure["series"]) if figure["kind"] != "heat" and len(rows) > len(set(rows)) else 1
    return max(1, int(HIGHEST_MM / row_mm(look, 1, marks)))


def split(figures: Sequence[dict], look: Look) -> list[Part]:
    """Parts of about equal length of which each has the name of every row; [] where the whole has."""
    parts = []
    for panel, figure in enumerate(figures):
        rows = count_rows(figure)
        if not rows:
            parts.append(Part(panel, 0, 0))
            continue
        count = -(-rows // most_rows(figure, look))
        size = -(-rows // count)
        parts += [Part(panel, first, min(first + size, rows)) for first in range(0, rows, size)]
    return parts if len(parts) > len(figures) else []


def take(figures: Sequence[dict], part: Part) -> dict:
    """The panel with the rows of a part, and a note of which these are."""
    figure = figures[part.panel]
    if not part.last:
        return figure
    by = "series" if figure["kind"] == "heat" else "x"
    rows = take_rows(figure, by, part.first, part.last)
    return rows | {"notes": [*figure.get("notes", ()), f"Rows {part.first + 1} to {part.last} of {count_rows(figure)}."]}


def take_rows(figure: dict, by: str, first: int, last: int) -> dict:
    """The rows from `first` to before `last` of `by`, `x` or `series`. `whole` of the result is what its scale spans."""
    part = figure | {"whole": figure}
    if by == "series":
        part["series"] = figure["series"][first:last]
    else:
        part["x"] = figure["x"] | {
            name: figure["x"][name][first:last] for name in ("values", "numbers") if figure["x"].get(name) is not None
        }
    for name in ("groups", "empty"):
        if name in figure:
            part[name] = [mark | {by: mark[by] - first} for mark in figure[name] if first <= mark[by] < last]
    return part
