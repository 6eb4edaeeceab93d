"""The layout of a figure that picture and page share: ends, ticks and labels of its axes."""

from __future__ import annotations

from typing import Any

from webapp.figures import notes, scales, ticks
from webapp.figures.kind import kind_of
from webapp.figures.notes import FigureData
from webapp.figures.scales import LOG, Scale


def value_scale(figure: FigureData) -> Scale:
    """The axis of values."""
    return scales.SHARES if figure.get("kind") == "cdf" else kind_of(figure).values(figure)


def across_scale(figure: FigureData) -> Scale | None:
    """The level axis of a figure that has numbers there, too; None where it has names."""
    if "curves" in figure:
        return scales.of_ends(figure)
    across = kind_of(figure).across
    return across(figure) if across else None


def lay_out(figure: FigureData) -> dict[str, Any]:
    """The axes as a script draws them: ends, ticks and their labels, and of a heat map those of its key."""
    axes = {"values": _axis(value_scale(figure))}
    if across := across_scale(figure):
        axes["places"] = _axis(across, named_ticks(figure))
    if "reach" in figure:
        low, high = figure["reach"]
        values = ticks.logarithmic(low, high, 4) if figure.get("scale") == LOG and low > 0 else ticks.linear(low, high, 4)
        axes["key"] = {"ticks": values, "labels": ticks.labels(values)}
    return axes


def named_ticks(figure: FigureData) -> list[tuple[float, str]]:
    """Ticks stand where something was measured, as it is called there, where values of x have numbers, but for an axis that has its
    own; else none are named."""
    if "ticks" in figure["x"]:
        return [(number, name) for number, name in figure["x"]["ticks"]]
    pairs = zip(figure["x"].get("numbers", ()), figure["x"]["values"], strict=False)
    return sorted((number, name) for number, name in pairs if number is not None)


def _axis(scale: Scale, named: list[tuple[float, str]] | None = None) -> dict[str, Any]:
    values = [value for value, _ in named] if named else scale.ticks()
    labels = [name for _, name in named] if named else ticks.labels(values)
    return {"kind": scale.kind, "low": scale.low, "high": scale.high, "ticks": values, "labels": labels}


def for_script(figure: FigureData) -> dict[str, Any]:
    """The figure as a script draws it: with its axes, and for each curve the points that bear the mark of its series."""
    if "groups" not in figure:  # a note in the place of a figure that cannot be drawn
        return dict(figure)
    made = {**figure, "axes": lay_out(figure), **({"barless": True} if notes.is_barless(figure) else {})}
    if "curves" in figure:
        made["curves"] = [{**curve, "marked": notes.marked(figure, curve)} for curve in figure["curves"]]
    return made
