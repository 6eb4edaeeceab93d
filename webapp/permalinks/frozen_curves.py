"""Curves and distributions as a record keeps them: what is drawn, each point with the file of its line (`#f12` for file 12)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from webapp.curves.compared import ComparedCurves
from webapp.figures.plain import CurvePoints, Figure
from webapp.files.addresses import file_address

FILE = "#f"


@dataclass(frozen=True, slots=True)
class FrozenCurves:
    """The figures, and the ids of the files that their points were read from."""

    figures: list[Figure]
    files: tuple[int, ...]


def freeze_curves(made: ComparedCurves | None) -> FrozenCurves | None:
    """What is drawn, with the notes of all figures on the last one; None where nothing is."""
    if made is None or not made.figures:
        return None
    rows = [row.row for table in made.drawn.tables for row in table]
    places = {file_address(row.archive_id, row.file.path): row.file_id for row in rows}
    figures = [_figure(figure, places) for figure in made.figures]
    figures[-1]["notes"] = list(dict.fromkeys([*figures[-1]["notes"], *made.drawn.notes]))
    return FrozenCurves(figures, tuple(dict.fromkeys(places.values())))


def _figure(figure: Figure, places: Mapping[str, int]) -> Figure:
    """Points of marks (percentiles) have no address: their lines are not among the values of the record. `beside` marks what stands
    beside these values, whose centres are those of no group."""
    changed: dict[str, Any] = {
        "beside": True,
        "groups": [{**mark, "points": [[point[0], ""] for point in mark["points"]]} for mark in figure["groups"]],
        "notes": list(figure["notes"]),
    }
    if "curves" in figure:
        changed["curves"] = [_curve(curve, places) for curve in figure["curves"]]
    return cast(Figure, {**figure, **changed})


def _curve(curve: CurvePoints, places: Mapping[str, int]) -> CurvePoints:
    return {**curve, "raw": f"{FILE}{places[curve['raw']]}"} if "raw" in curve else curve


def with_addresses(figure: dict[str, Any], files: Mapping[str, Any], linked: Collection[int]) -> dict[str, Any]:
    """A figure of a record with the addresses of files whose archives can be read, and without the lines of others."""
    if "curves" not in figure:
        return figure
    curves = []
    for curve in figure["curves"]:
        file = files.get(str(curve.get("raw", "")).removeprefix(FILE))
        if file is not None and file["archive"] in linked:
            curves.append({**curve, "raw": file_address(file["archive"], file["path"])})
        else:
            curves.append({key: value for key, value in curve.items() if key not in ("raw", "lines")})
    return {**figure, "curves": curves}
