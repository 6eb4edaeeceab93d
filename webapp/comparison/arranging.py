"""What is drawn, in the order and with the words of its author. Done after everything is judged: no claim depends on it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.catalogue import METRICS
from webapp.comparison.author_words import METRIC, NO_WORDS, AuthorWords, Level, comparable
from webapp.comparison.dimensions import DIMENSIONS, value_label
from webapp.comparison.model import Panel
from webapp.comparison.selection import Selection


def arrange(selection: Selection, panels: Sequence[Panel]) -> Selection:
    """Order the panels' axes, and set aside the groups that are not shown. Returns the selection with the words that were used.

    Not used, and said to be so: a name that is another value's; hiding the baseline, or everything.
    """
    words = selection.words
    if words is NO_WORDS or words == NO_WORDS:
        return selection
    axes = (selection.x, METRIC if _shows_metrics(selection, panels) else selection.series)
    refused_labels = _misleading_labels(words, {axis: _values(panels, at) for at, axis in enumerate(axes)})
    refused_hidden = _unhidable(words, axes, panels)
    used = replace(
        words,
        labels=tuple(label for label in words.labels if label not in refused_labels),
        hidden=tuple(level for level in words.hidden if level not in refused_hidden),
    )
    for panel in panels:
        _order(panel, axes, used)
        _hide(panel, axes, used)
    refused = replace(NO_WORDS, labels=tuple(refused_labels), hidden=tuple(refused_hidden)).pairs()
    return selection.changed(words=used, strange=(*selection.strange, *refused))


def _shows_metrics(selection: Selection, panels: Sequence[Panel]) -> bool:
    """Whether the series are metrics: chosen, or since several are drawn together."""
    return selection.series == METRIC or (
        not selection.series and any(name in METRICS for panel in panels for name in panel.series)
    )


def _values(panels: Sequence[Panel], at: int) -> list[str]:
    return list(dict.fromkeys(value for panel in panels for value in (panel.series if at else panel.xs)))


def _usual_label(axis: str, value: str) -> str:
    if axis == METRIC:
        return METRICS[value].label.split(",")[0] if value in METRICS else value
    return value_label(DIMENSIONS[axis], value)


def _misleading_labels(words: AuthorWords, values: dict[str, list[str]]) -> list[tuple[Level, str]]:
    """Names that another value of the same axis has, by its configuration or by the author."""
    refused: list[tuple[Level, str]] = []
    taken: dict[str, set[str]] = {}
    for label in words.labels:
        (axis, value), name = label
        if value not in values.get(axis, ()):
            continue
        others = (text for other in values[axis] if other != value for text in (other, _usual_label(axis, other)))
        known = taken.setdefault(axis, set())
        if comparable(name) in known or comparable(name) in map(comparable, others):
            refused.append(label)
        known.add(comparable(name))
    return refused


def _unhidable(words: AuthorWords, axes: tuple[str, str], panels: Sequence[Panel]) -> list[Level]:
    """The baseline; every hidden level where otherwise nothing is left of a panel."""
    if any(
        not any(not _is_hidden(words, axes, group.x, group.series) for group in panel.groups) for panel in panels if panel.groups
    ):
        return [level for level in words.hidden if level[0] in axes]
    baselines = {(axis, panel.baseline) for panel in panels if panel.baseline for axis in axes}
    return [level for level in words.hidden if level in baselines]


def _is_hidden(words: AuthorWords, axes: tuple[str, str], x: str, series: str) -> bool:
    return words.hides(axes[0], x) or words.hides(axes[1], series)


def _order(panel: Panel, axes: tuple[str, str], words: AuthorWords) -> None:
    if not words.order:
        return
    panel.xs = _ordered(panel.xs, axes[0], words)
    panel.series = _ordered(panel.series, axes[1], words)
    xs, series = ({value: at for at, value in enumerate(values)} for values in (panel.xs, panel.series))
    panel.groups.sort(key=lambda group: (xs[group.x], series[group.series]))


def _ordered(values: Iterable[str], axis: str, words: AuthorWords) -> list[str]:
    return sorted(values, key=lambda value: words.position(axis, value))


def _hide(panel: Panel, axes: tuple[str, str], words: AuthorWords) -> None:
    if not words.hidden:
        return
    panel.hidden = [group for group in panel.groups if _is_hidden(words, axes, group.x, group.series)]
    panel.groups = [group for group in panel.groups if not _is_hidden(words, axes, group.x, group.series)]
    panel.empty = [place for place in panel.empty if not _is_hidden(words, axes, place.x, place.series)]
    panel.hidden_xs = [x for x in panel.xs if words.hides(axes[0], x)]
    panel.hidden_series = [name for name in panel.series if words.hides(axes[1], name)]
    panel.xs = [x for x in panel.xs if x not in panel.hidden_xs]
    panel.series = [name for name in panel.series if name not in panel.hidden_series]
    panel.overall = [row for row in panel.overall if row.name not in (*panel.hidden_xs, *panel.hidden_series)]
