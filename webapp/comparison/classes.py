"""Codes of configurations: the class for some axes, the machine, and the population of one bar. Pure."""

from __future__ import annotations

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, Columns, RowDimensions, refine


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
    columns = []
    for name in core_keys.class_dimensions(axes):
        column = dimensions.column(name)
        codes = column.codes
        if freed and column.unknown_code >= 0:
            codes = np.where(codes == column.unknown_code, len(column.values) + machines, codes)
        columns.append((codes, int(codes.max(initial=0)) + 1))
    return refine(np.zeros(len(machines), np.intp) if freed else machines, columns)


def machine_codes(dimensions: RowDimensions) -> np.ndarray:
    """The machine of each configuration; one whose machine is unknown is a machine of its own."""
    column, own = dimensions.column(core_keys.MACHINE), dimensions.column("configuration")
    if column.unknown_code < 0:
        return column.codes
    return np.where(column.codes == column.unknown_code, len(column.values) + own.codes, column.codes)


def described_codes(dimensions: RowDimensions) -> tuple[tuple[str, ...], np.ndarray]:
    """The dimensions of configurations that have several values, but the identifiers, and a line of codes for each of them."""
    if described_codes not in dimensions.cache:
        described = [name for name in dimensions.names if DIMENSIONS[name].source == CONFIGURATION]
        names = [name for name in described if name not in core_keys.IDENTIFIERS and len(dimensions.column(name).values) > 1]
        codes = np.array([dimensions.column(name).codes for name in names], np.int32)
        dimensions.cache[described_codes] = tuple(names), codes.reshape(len(names), dimensions.size(CONFIGURATION_INDEX))
    return dimensions.cache[described_codes]


def populations(rows: Columns) -> np.ndarray:
    """A code for each row, equal where the machine and every dimension of the configuration but the identifiers agree."""
    occurring = np.flatnonzero(rows.occurring(CONFIGURATION_INDEX))
    lines = described_codes(rows.dimensions)[1][:, occurring]
    varying = lines[lines.min(axis=1, initial=2**31 - 1) != lines.max(axis=1, initial=-1)]
    codes = np.zeros(rows.dimensions.size(CONFIGURATION_INDEX), np.intp)
    codes[occurring] = refine(machine_codes(rows.dimensions)[occurring], [(line, int(line.max()) + 1) for line in varying])
    return codes[rows.indices[CONFIGURATION_INDEX]]


def known_core(dimensions: RowDimensions) -> np.ndarray:
    """The number of known core dimensions of each configuration."""
    if known_core not in dimensions.cache:
        columns = [dimensions.column(name) for name in core_keys.CORE]
        dimensions.cache[known_core] = np.sum([column.codes != column.unknown_code for column in columns], axis=0)
    return dimensions.cache[known_core]
