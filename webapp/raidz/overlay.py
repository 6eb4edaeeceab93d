"""Model values over a comparison: `model=raidz:disks=12&iops=150` in the address of /compare."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from webapp.comparison.model import Comparison, Group, Panel
from webapp.comparison.selection import MODEL_PREFIX
from webapp.figures import naming
from webapp.figures.plain import Figure
from webapp.raidz.measured import QUANTITIES, model_value
from webapp.raidz.parameters import Parameters, parse

NOT_DRAWN = ("heat", "scatter", "ratio", "box")
"""Kinds of figures without a place for the value of a model."""


def model_parameters(comparison: Comparison) -> Parameters | None:
    """The parameters of `model=`; None without it."""
    text = comparison.selection.model
    return parse(parse_qsl(text.removeprefix(MODEL_PREFIX), keep_blank_values=True)) if text else None


def add_model(comparison: Comparison, panel: Panel, figure: Figure) -> None:
    """Add what the model gives for its layout to every mark that has one, in the unit of the figure, and a note."""
    parameters = model_parameters(comparison)
    if parameters is None:
        return
    unit, factor = naming.panel_unit(comparison.selection, panel)
    found = 0
    for mark, group in zip(figure["groups"], panel.groups, strict=True):
        value = None if comparison.selection.normalise else group_value(comparison, group, parameters)
        if value is not None:
            mark["model"] = value / factor
            found += 1
    figure["notes"] += [_note(figure, parameters, unit, found, len(panel.groups)), *parameters.problems]


def group_value(comparison: Comparison, group: Group, parameters: Parameters) -> float | None:
    """What the model gives for a group in base units; None where its layout is unknown or the model has no such metric."""
    known = {**_fixed(comparison), **dict(zip(comparison.selection.named_axes, (group.x, group.series, group.facet), strict=True))}
    size = known.get("recordsize", "")
    return model_value(group.metric, known.get("layout"), parameters, int(size) if size.isdecimal() else None)


def _fixed(comparison: Comparison) -> Mapping[str, str]:
    """What all groups share, and what the address chooses one value of."""
    chosen = {name: values[0] for name, values in comparison.selection.filters if len(values) == 1}
    return {**chosen, **dict(comparison.fixed)}


def _note(figure: Figure, parameters: Parameters, unit: str, found: int, groups: int) -> str:
    texts = parameters.texts
    disks = f"disks of {texts['iops']} IOPS and {texts['rate']}/s"
    if not found:
        return (
            "The RAID-Z model says nothing about these groups: it needs a layout with a number of disks, such as 2 x raidz2(6), "
            f"and one of {', '.join(QUANTITIES)}."
        )
    where = "in JSON" if figure["kind"] in NOT_DRAWN else "a dashed line across"
    some = "" if found == groups else f" ({found} of {groups} groups have a layout that it knows)"
    return f"Calculated, not measured: {where} is what the RAID-Z model gives for {disks}, in {unit}{some}."
