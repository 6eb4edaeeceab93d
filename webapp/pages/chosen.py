"""What is set in the address beside metric and axes, each with the query that is left without it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, WORKLOAD, value_label
from webapp.comparison.dimensions import PARAM as PARAMETER
from webapp.comparison.labels import workload_label
from webapp.comparison.selection import Selection, query_string
from webapp.formatting.visible_text import make_visible

MANY_PARAMETERS = 3
"""Filters by one value of a parameter of the workload from which on they are one chip."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that is set: `label`, its `value` in words, and `rest`, the query string without it."""

    label: str
    value: str
    rest: str


def list_settings(selection: Selection) -> list[Setting]:
    """Filters, search, archives, and choices of what is drawn; parameters that together make one workload are one entry."""
    settings, together = _others(selection), _one_workload(selection)
    for name, values in selection.filters:
        if name not in together:
            shown = " or ".join(value_label(DIMENSIONS[name], value) for value in values)
            settings.append(Setting(DIMENSIONS[name].label, shown, query_string(selection.having(name, ()))))
    if together:
        shown = workload_label([(name, values[0]) for name, values in selection.filters if name in together], ())
        rest = query_string(selection.narrowed(dict.fromkeys(together, ())))
        settings.insert(0, Setting("Workload", shown or "unknown", rest))
    return sorted(settings, key=lambda setting: setting.value == "unknown")


def _one_workload(selection: Selection) -> tuple[str, ...]:
    """The parameters that are filtered by one value each, where there are many; such is the address of a controlled set."""
    names = tuple(
        name
        for name, values in selection.filters
        if DIMENSIONS[name].source in (WORKLOAD, PARAMETER) and len(values) == 1 and ".." not in values[0]
    )
    known = [name for name in names if selection.values(name) != (UNKNOWN,)]
    return names if len(names) >= MANY_PARAMETERS and known else ()


def _others(selection: Selection) -> list[Setting]:
    found = []
    if selection.q:
        found.append(Setting("Search", make_visible(selection.q), query_string(selection.changed(q=""))))
    for label, field in (("Archive", "archives"), ("Study", "studies"), ("Beside", "overlay")):
        values = getattr(selection, field)
        if values:
            shown = ", ".join(make_visible(str(value)) for value in values)
            found.append(
                Setting(label, f"archive {shown}" if field == "overlay" else shown, query_string(_without(selection, field)))
            )
    for label, field in (("Held equal", "hold"), ("Pooled", "pool")):
        names = getattr(selection, field)
        if names:
            found.append(
                Setting(label, ", ".join(DIMENSIONS[name].label for name in names), query_string(_without(selection, field)))
            )
    if selection.control:
        found.append(Setting("All runs", "whatever else differs", query_string(selection.changed(control=""))))
    found += _words(selection)
    if selection.normalise:
        found.append(Setting("Per", selection.normalise, query_string(selection.changed(normalise=""))))
    return found


def _words(selection: Selection) -> list[Setting]:
    """Order, names and hidden values by the author."""
    words, found = selection.words, []
    if words.hidden:
        shown = f"{len(words.hidden)} value{'' if len(words.hidden) == 1 else 's'}: {make_visible(words.reason)}"
        found.append(Setting("Not shown", shown, query_string(selection.changed(words=replace(words, hidden=(), reason="")))))
    if words.labels:
        shown = ", ".join(make_visible(name) for _, name in words.labels)
        found.append(Setting("Names", shown, query_string(selection.changed(words=replace(words, labels=())))))
    if words.order:
        found.append(Setting("Order", "by the author", query_string(selection.changed(words=replace(words, order=())))))
    return found


def _without(selection: Selection, field: str) -> Selection:
    return selection.changed(**{field: ()})
