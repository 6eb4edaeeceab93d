"""The choices of the comparison page in groups: what can be chosen, and what cannot with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.comparison.dimensions import APART, DIMENSIONS, MACHINE, PARAM, SOURCE, UNKNOWN, WORKLOAD, is_open
from webapp.comparison.facets import NOT_RECORDED, SAME_IN_ALL
from webapp.comparison.model import Comparison, Facet
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.sets.core_keys import IDENTIFIERS
from webapp.formatting.printed_times import MONTH

HARDWARE, SYSTEM, STORAGE, OF_WORKLOAD, ARCHIVE = "Hardware", "System", DIMENSIONS["fs"].label, "Workload", "Archive"
GROUPS = (HARDWARE, SYSTEM, STORAGE, OF_WORKLOAD, ARCHIVE)
_MEMBERS = {
    HARDWARE: ("cpu", "cores", "memory", "arch", "disk", "disks", "network"),
    SYSTEM: ("host", "os", "os_family", "os_version", "kernel", "machine", "system"),
    STORAGE: (
        "fs",
        "stack",
        "fs_version",
        "layout",
        "compression",
        "compression_effective",
        "dedup",
        "recordsize",
        "atime",
        "sync",
        "copies",
        "ashift",
        "log",
        "cache",
    ),
    ARCHIVE: ("month", "origin", "stated", "configuration", "source"),
}
_NO_PROPERTIES = ("configuration", "system", MACHINE, APART, SOURCE)
"""Dimensions that are numbers of ours: not named where a property is missing."""
_GROUP_OF = {name: group for group, names in _MEMBERS.items() for name in names}
_ORDER = {name: position for position, name in enumerate(name for names in _MEMBERS.values() for name in names)}


@dataclass(frozen=True, slots=True)
class RailGroup:
    """A group of choices. `id`: of its element; `opened`: something of it is chosen; `hint`: what it has, in a few words."""

    id: str
    label: str
    facets: Sequence[Facet]
    opened: bool
    hint: str


def group_of(name: str) -> str:
    """The group in which a dimension is offered: parameters and options with the workload, open keys with the file system."""
    if is_open(name):
        return STORAGE
    if name in _GROUP_OF:
        return _GROUP_OF[name]
    return OF_WORKLOAD if DIMENSIONS[name].source in (WORKLOAD, PARAM) else ARCHIVE


def is_choosable(facet: Facet) -> bool:
    """Whether a choice of it changes anything, or one was made."""
    return facet.active or facet.wanted or sum(choice.n > 0 for choice in facet.choices) > 1


def make_groups(comparison: Comparison) -> list[RailGroup]:
    """Every group with the facets that can be chosen; groups without any are there too, as other choices stand in them."""
    members: dict[str, list[Facet]] = {label: [] for label in GROUPS}
    for facet in comparison.facets:
        if not is_open(facet.name) and is_choosable(facet):
            members[group_of(facet.name)].append(facet)
    groups = []
    for number, (label, facets) in enumerate(members.items(), 1):
        facets.sort(key=lambda facet: _ORDER.get(facet.name, len(_ORDER)))
        hint = ", ".join(facet.label for facet in facets)
        groups.append(RailGroup(f"group-{number}", label, facets, any(facet.active for facet in facets), hint))
    return groups


@dataclass(frozen=True, slots=True)
class Fixed:
    """A dimension that cannot be chosen, since all runs have one value."""

    label: str
    value: str


def list_not_recorded(comparison: Comparison) -> list[str]:
    """Labels of the dimensions that no run of the page records."""
    return [axis.label for axis in comparison.axes if axis.reason == NOT_RECORDED and axis.text not in _NO_PROPERTIES]


def list_fixed(comparison: Comparison) -> list[Fixed]:
    """The dimensions in which all runs of the page agree, with the value that they have; not those that are filtered by."""
    filtered = {name for name, _ in comparison.selection.filters}
    return [
        Fixed(axis.label, axis.reason.removeprefix(SAME_IN_ALL).removesuffix("."))
        for axis in comparison.axes
        if axis.reason.startswith(SAME_IN_ALL) and axis.text not in _NO_PROPERTIES and axis.text not in filtered
    ]


def axis_options(comparison: Comparison) -> list[tuple[str, list[tuple[str, str]]]]:
    """(group, (name, label) of the dimensions that can be an axis, and of the chosen ones); open keys are the group `Settings`."""
    options: dict[str, list[tuple[str, str]]] = {label: [] for label in (*GROUPS, "Settings")}
    for axis in comparison.axes:
        if not axis.reason or axis.chosen:
            options["Settings" if is_open(axis.text) else group_of(axis.text)].append((axis.text, axis.label))
    for label in GROUPS:
        options[label].sort(key=lambda option: _ORDER.get(option[0], len(_ORDER)))
    return [(label, offered) for label, offered in options.items() if offered]


def holdable_options(
    options: Iterable[tuple[str, list[tuple[str, str]]]], selection: Selection
) -> list[tuple[str, list[tuple[str, str]]]]:
    """The options that may be held equal and are not."""
    taken = {*selection.hold, *IDENTIFIERS}
    kept = [(label, [option for option in offered if option[0] not in taken]) for label, offered in options]
    return [(label, offered) for label, offered in kept if offered]


# Links to common comparisons, from the current selection.

PRESET_AXES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("per OS", "os", {}),
    ("per compression", "compression", {}),
    ("per CPU", "cpu", {"sort": "value"}),
    ("per file system", "fs", {}),
    ("per layout", "layout", {}),
)
SCALES = ("threads", "processes", "nodes", "iodepth", "record_size", "transfer_size", "block_size", "file_size")
"""Dimensions of the preset `scaling`, in the order of preference."""
SURFACE = (("iozone",), "record_size", "file_size")


@dataclass(frozen=True, slots=True)
class Preset:
    """A link above the figure; pale, with the reason, where its axis would have one value."""

    label: str
    query: str
    chosen: bool = False
    reason: str = ""


def list_presets(comparison: Comparison) -> list[Preset]:
    """Every preset, for the comparison's selection."""
    selection = comparison.selection
    base, pale = _without_axes(selection), {axis.text: axis.reason for axis in comparison.axes}
    per_axis = [
        _make_preset(selection, _with_metric(comparison, base, x), label, {"x": x, **changes}, _reason(comparison, x, label))
        for label, x, changes in PRESET_AXES
    ]
    return [
        *per_axis,
        _over_time(comparison, base, pale.get(MONTH, "")),
        _scaling(selection, base, pale),
        _surface(comparison, base),
    ]


def _reason(comparison: Comparison, axis: str, label: str) -> str:
    """Why nothing can be compared along an axis; empty where something can."""
    return "" if axis in comparison.answers else f"No two runs differ in {label.removeprefix('per ')} alone."


def _with_metric(comparison: Comparison, base: Selection, axis: str) -> Selection:
    """The selection with a metric with which something can be compared along the axis."""
    metrics = comparison.answers.get(axis, base.metrics)
    return base if metrics == base.metrics else base.changed(metrics=metrics, series="")


def _without_axes(selection: Selection) -> Selection:
    """The selection without its axes, and without what depends on them."""
    series = METRIC if len(selection.metrics) > 1 else ""
    return selection.changed(series=series, facet="", baseline="", hold=(), kind="bars", sort="", control="")


def _make_preset(selection: Selection, base: Selection, label: str, changes: dict[str, str], reason: str) -> Preset:
    chosen = selection.x == changes["x"] and selection.kind == "bars"
    return Preset(label, query_string(base.changed(**changes)), chosen, "" if chosen else reason)


def _over_time(comparison: Comparison, base: Selection, reason: str) -> Preset:
    """Lines over months. `reason`: why months are no possible axis, empty where they are."""
    selection = comparison.selection
    known = {choice.text for facet in comparison.facets if facet.name == MONTH for choice in facet.choices if choice.n}
    if not reason and len(known - {UNKNOWN}) < 2:
        reason = "No two months are known of these runs."
    chosen = selection.x == MONTH and selection.kind == "lines"
    return Preset("over time", query_string(base.changed(x=MONTH, kind="lines")), chosen, "" if chosen else reason)


def _scaling(selection: Selection, base: Selection, pale: dict[str, str]) -> Preset:
    """Lines over the first of `SCALES` that has several values."""
    x = next((name for name in SCALES if pale.get(name) == ""), "")
    chosen = selection.x in SCALES and selection.kind == "lines"
    reason = "" if x or chosen else "No size, number of threads or number of nodes has several values here."
    return Preset("scaling", query_string(base.changed(x=x or selection.x, kind="lines")), chosen, reason)


def _surface(comparison: Comparison, base: Selection) -> Preset:
    """A heat map of iozone's file sizes by record sizes."""
    selection, (tools, x, series) = comparison.selection, SURFACE
    chosen = selection.kind == "heat" and (selection.x, selection.series) == (x, series)
    has_tool = any(facet.name == "tool" and any(choice.text in tools for choice in facet.choices) for facet in comparison.facets)
    has_tool = has_tool or selection.values("tool") == tools
    surface = base.having("tool", tools).changed(metrics=selection.metrics[:1], x=x, series=series, kind="heat")
    return Preset("iozone surface", query_string(surface), chosen, "" if has_tool or chosen else "No iozone run is among these.")
