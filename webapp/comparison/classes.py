"""Codes of configurations: the class for some axes, the machine, and the population of one bar. Pure."""

from __future__ import annotations

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, RowDimensions, renumber


def configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    """The class of each configuration: equal where the core dimensions agree, and the machine unless an axis frees it.

    An unknown core dimension of a freed machine equals that of the same machine alone.
    """
    key = (configuration_classes, axes)
    if key not in dimensions.cache:
        dimensions.cache[key] = _configuration_classes(dimensions, axes)
    return dimensions.cache[key]


def _configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    machines = machine_codes(dimensions)
    freed = any(axis in core_keys.HARDWARE for axis in axes)
    codes = np.zeros(len(machines), np.intp) if freed else machines
    for name in core_keys.class_dimensions(axes):
        column = dimensions.column(name)
        values = column.codes
        if freed and column.unknown_code >= 0:
            values = np.where(values == column.unknown_code, len(column.values) + machines, values)
        codes, _ = renumber(codes * (int(values.max(initial=0)) + 1) + values)
    return codes


def machine_codes(dimensions: RowDimensions) -> np.ndarray:
    """The machine of each configuration; one whose machine is unknown is a machine of its own."""
    column, own = dimensions.column(core_keys.MACHINE), dimensions.column("configuration")
    if column.unknown_code < 0:
        return column.codes
    return np.where(column.codes == column.unknown_code, len(column.values) + own.codes, column.codes)


def populations(dimensions: RowDimensions) -> np.ndarray:
    """A code for each configuration, equal where the machine and every dimension but the identifiers agree."""
    if populations not in dimensions.cache:
        codes = machine_codes(dimensions)
        for name in dimensions.names:
            if DIMENSIONS[name].source == CONFIGURATION and name not in core_keys.IDENTIFIERS:
                column = dimensions.column(name)
                if len(column.values) > 1:
                    codes, _ = renumber(codes * len(column.values) + column.codes)
        dimensions.cache[populations] = codes
    return dimensions.cache[populations]


def known_core(dimensions: RowDimensions) -> np.ndarray:
    """The number of known core dimensions of each configuration."""
    counts = np.zeros(dimensions.size(CONFIGURATION_INDEX), np.intp)
    for name in core_keys.CORE:
        counts += dimensions.column(name).codes != dimensions.column(name).unknown_code
    return counts
