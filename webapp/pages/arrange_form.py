"""The form in which an author orders, names and hides the values of a figure's axes: a row for each; works without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from webapp.comparison.dimensions import (
    LONGEST_NAME,
    LONGEST_REASON,
    METRIC,
    NO_WORDS,
    AuthorWords,
    Level,
    clean,
    comparable,
)
from webapp.comparison.model import Comparison
from webapp.comparison.selection import Selection
from webapp.figures import naming

MAX_ROWS = 60
"""Values of one axis in the form."""


@dataclass(frozen=True, slots=True)
class ArrangeRow:
    """A value of an axis: `label` as its configuration has it, the author's `name`, its `position` as typed."""

    key: str
    level: Level
    label: str
    name: str
    position: str
    shown: bool


@dataclass(slots=True)
class ArrangeForm:
    """`axes`: (title, rows) of x axis and series. `left_out`: values beyond MAX_ROWS. `problems`: what has to be changed."""

    axes: list[tuple[str, list[ArrangeRow]]]
    reason: str
    left_out: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[ArrangeRow]:
        return [row for _, rows in self.axes for row in rows]


def make_form(comparison: Comparison, words: AuthorWords, typed: Mapping[str, str] | None = None) -> ArrangeForm:
    """The form of a comparison without any words, filled with `words`, or with what was typed."""
    selection = comparison.selection.changed(words=NO_WORDS)
    form = ArrangeForm([], words.reason if typed is None else typed.get("reason", ""))
    for number, (axis, title, values) in enumerate(_axes(comparison)):
        places = {value: words.position(axis, value) for value in values[:MAX_ROWS]}
        ordered = sorted(places, key=places.__getitem__)
        form.left_out += len(values) - len(values[:MAX_ROWS])
        rows = []
        for at, value in enumerate(values[:MAX_ROWS]):
            label = naming.series_value(selection, value) if number else naming.x_value(selection, value)
            row = ArrangeRow(
                f"{number}-{at}",
                (axis, value),
                label,
                words.name(axis, value),
                str(ordered.index(value) + 1),
                not words.hides(axis, value),
            )
            rows.append(row if typed is None else _as_typed(row, typed))
        if typed is None:
            rows.sort(key=lambda row: int(row.position))
        form.axes.append((title, rows))
    return form


def _axes(comparison: Comparison) -> list[tuple[str, str, list[str]]]:
    """(axis, title, values) of the x axis and the series; neither with a single nameless value."""
    selection, panels = comparison.selection, comparison.panels
    xs = list(dict.fromkeys(x for panel in panels for x in panel.xs))
    series = list(dict.fromkeys(name for panel in panels for name in panel.series))
    of_metrics = any(naming.is_metric(name) for name in series)
    axes = [
        (selection.x, naming.axis_title(selection), xs),
        (METRIC if of_metrics else selection.series, naming.legend_title(selection) or "Metric", series),
    ]
    return [axis for axis in axes if axis[0] and any(axis[2])]


def _as_typed(row: ArrangeRow, typed: Mapping[str, str]) -> ArrangeRow:
    return replace(
        row,
        name=typed.get(f"name-{row.key}", ""),
        position=typed.get(f"position-{row.key}", ""),
        shown=f"shown-{row.key}" in typed,
    )


def read_words(form: ArrangeForm, natural: Mapping[str, list[str]]) -> AuthorWords:
    """The words of a filled form. Adds to `form.problems`. `natural`: axis -> its values in their usual order."""
    labels, order = [], []
    for _, rows in form.axes:
        labels += _read_names(form, rows)
        places = {row.level: _read_position(form, row, at) for at, row in enumerate(rows, 1)}
        usual = {value: at for at, value in enumerate(natural[rows[0].level[0]])}
        by_place = sorted(places, key=lambda level: (places[level], usual[level[1]]))
        if [value for _, value in by_place] != [value for value in usual if (rows[0].level[0], value) in places]:
            order += by_place
    hidden = tuple(row.level for row in form.rows if not row.shown)
    for title, rows in form.axes:
        if not any(row.shown for row in rows):
            form.problems.append(f"{title}: leave at least one value shown.")
    reason = clean(form.reason, LONGEST_REASON)
    if hidden and not reason:
        form.problems.append(
            f"Say why values are not shown, in at most {LONGEST_REASON} characters: the reason is printed under the figure."
        )
    return AuthorWords(tuple(order), tuple(labels), hidden, reason if hidden else "")


def _read_names(form: ArrangeForm, rows: list[ArrangeRow]) -> list[tuple[Level, str]]:
    found: list[tuple[Level, str]] = []
    for row in rows:
        name = clean(row.name, LONGEST_NAME)
        if not name and row.name.strip():
            form.problems.append(f"{row.label}: a name has at most {LONGEST_NAME} characters, all of which can be printed.")
        if not name or name == row.label:
            continue
        others = [text for other in rows if other is not row for text in (other.label, other.level[1], other.name)]
        if comparable(name) in map(comparable, others):
            form.problems.append(f"{row.label}: another value is called {name} already; choose a name of its own.")
        found.append((row.level, name))
    return found


def _read_position(form: ArrangeForm, row: ArrangeRow, usual: int) -> int:
    """The typed position; the usual one where it is empty."""
    text = row.position.strip()
    if not text:
        return usual
    if text.isascii() and text.isdecimal() and len(text) < 5:
        return int(text)
    form.problems.append(f"{row.label}: the position is a whole number such as {usual}.")
    return usual


def natural_order(form: ArrangeForm) -> dict[str, list[str]]:
    """Axis -> its values in their usual order, of a form without words."""
    return {rows[0].level[0]: [row.level[1] for row in rows] for _, rows in form.axes}


def with_words(selection: Selection, words: AuthorWords) -> Selection:
    """The selection with other words, and without those that meant nothing."""
    kept = tuple(pair for pair in selection.strange if pair[0] not in ("order", "label", "hide", "reason"))
    return selection.changed(words=words, strange=kept)
