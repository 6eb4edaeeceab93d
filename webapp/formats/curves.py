"""A figure over time as CSV, a row for each drawn point, and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from webapp.figures.notes import print_notes
from webapp.figures.plain import CurvePoints, Figure
from webapp.formats.sheets import escape_row

COLUMNS = ("figure", "series", "seconds", "value", "low", "high", "n", "unit", "address", "line", "begins_after_gap")


def to_csv(figures: Sequence[Figure]) -> str:
    """The points of all curves as they are drawn; `low`, `high` and `n` of bands, `address` of the file and `line` of points."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(COLUMNS)
    for figure in figures:
        for curve in figure["curves"]:
            head = escape_row([figure["title"], figure["series"][curve["series"]]["name"]])
            breaks = set(curve["breaks"])
            for at, (time, value) in enumerate(zip(curve["t"], curve["v"], strict=True)):
                write.writerow([*head, time, value, *_band(curve, at), figure["unit"], *_place(curve, at), int(at in breaks)])
    return out.getvalue()


def _band(curve: CurvePoints, at: int) -> list[Any]:
    return [curve["low"][at], curve["high"][at], curve["n"][at]] if "low" in curve else ["", "", ""]


def _place(curve: CurvePoints, at: int) -> list[Any]:
    return [curve["raw"], curve["lines"][at]] if "lines" in curve else ["", ""]


def to_json(query: str, figures: Sequence[Figure], notes: Sequence[str]) -> str:
    """The query, the figures as the page draws them, and everything that is noted beneath them."""
    said = print_notes(figures, notes)
    return json.dumps({"query": query, "figures": figures, "notes": said}, ensure_ascii=False, indent=1)
