"""What a figure says of the order and words of its author: values that are not shown and why, and what its names stand for."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.catalogue import METRICS
from webapp.comparison.dimensions import DIMENSIONS, in_sentence
from webapp.comparison.model import Panel
from webapp.comparison.selection import METRIC, Selection
from webapp.figures import naming
from webapp.figures.plain import Figure

MAX_NAMED = 12
"""Values that a note names."""


def add_values(selection: Selection, panel: Panel, figure: Figure) -> None:
    """Put the values of configurations beside the names that the author has given."""
    if not selection.words.labels:
        return
    configured = [naming.x_value(selection, x) for x in panel.xs]
    if configured != figure["x"]["values"]:
        figure["x"]["configured"] = configured
    for series, name in zip(figure["series"], panel.series, strict=True):
        if series["name"] != (value := naming.series_value(selection, name)):
            series["configured"] = value


def list_notes(selection: Selection, panel: Panel) -> list[str]:
    """The sentences that are printed beneath the figure; none without an author's words."""
    return [*_describe_hidden(selection, panel), *_describe_names(selection, panel)]


def hidden_levels(selection: Selection, panel: Panel) -> list[tuple[str, int, list[str]]]:
    """(name of the axis, number of all its values, hidden values) of each axis of which not all is shown."""
    x_name, series_name = naming.axis_title(selection), naming.legend_title(selection) or "Metric"
    axes = [
        (x_name, panel.xs, [naming.x_value(selection, x) for x in panel.hidden_xs]),
        (series_name, panel.series, [naming.series_value(selection, name) for name in panel.hidden_series]),
    ]
    return [(name, len(shown) + len(hidden), hidden) for name, shown, hidden in axes if hidden]


def _describe_hidden(selection: Selection, panel: Panel) -> list[str]:
    """`2 of 9 levels shown (Compression): REASON. Not shown by the author: lzjb, gzip-9.`"""
    notes = []
    for name, count, hidden in hidden_levels(selection, panel):
        reason = selection.words.reason.rstrip(".")
        notes.append(
            f"{count - len(hidden)} of {count} levels shown ({name}): {reason}. Not shown by the author: {_listed(hidden)}."
        )
    return notes


def _describe_names(selection: Selection, panel: Panel) -> list[str]:
    """`Names by the author: fast is Compression lz4.`"""
    if not selection.words.labels:
        return []
    pairs = [(naming.x_label(selection, x), naming.x_value(selection, x), selection.x) for x in panel.xs]
    pairs += [
        (
            naming.series_label(selection, name),
            naming.series_value(selection, name),
            METRIC if name in METRICS else selection.series,
        )
        for name in panel.series
    ]
    named = [f"{label} is {_axis_name(axis)} {value}" for label, value, axis in pairs if label != value]
    return [f"Names by the author: {_listed(named, '; ', ' in the table')}."] if named else []


def _axis_name(axis: str) -> str:
    return in_sentence(DIMENSIONS[axis].label) if axis in DIMENSIONS else "metric"


def _listed(values: Sequence[str], separator: str = ", ", where: str = "") -> str:
    rest = len(values) - MAX_NAMED
    return separator.join(values[:MAX_NAMED]) + (f" and {rest} more{where}" if rest > 0 else "")
