"""Codes of configurations: the class for some axes, the machine, and the population of one bar. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from webapp.comparison import core_keys
from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, UNKNOWN
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, Columns, RowDimensions, refine


def configuration_classes(dimensions: RowDimensions, axes: tuple[str, ...]) -> np.ndarray:
    """The class of each configuration: equal where the core dimensions agree, and the machine unless an axis frees it.

    An unknown core dimension of a freed machine equals that of the same machine alone. Along file systems the default of each
    equals an option that is off.
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
        is_unknown = codes == column.unknown_code
        if name in core_keys.SAME_EVERYWHERE and any(core_keys.default_follows(name, axis) for axis in axes):
            codes = np.where(option_values(dimensions, name).is_default | (column.texts[codes] == "off"), 0, codes + 1)
        if freed and column.unknown_code >= 0:
            codes = np.where(is_unknown, len(column.values) + 1 + machines, codes)
        columns.append((codes, int(codes.max(initial=0)) + 1))
    return refine(np.zeros(len(machines), np.intp) if freed else machines, columns)


@dataclass(frozen=True, slots=True)
class OptionValues:
    """An option of each configuration: the code of its value in force, which is the default where nothing is recorded; whether
    it is the file system's own default; and whether it is known, by its value or by a listing without it."""

    values: tuple[str, ...]
    codes: np.ndarray
    is_default: np.ndarray
    is_known: np.ndarray


def option_values(dimensions: RowDimensions, name: str) -> OptionValues:
    """What the configurations say about an option that means the same everywhere."""
    key = (option_values, name)
    if key not in dimensions.cache:
        dimensions.cache[key] = _option_values(dimensions, name)
    return dimensions.cache[key]


def _option_values(dimensions: RowDimensions, name: str) -> OptionValues:
    columns = ((other, dimensions.column(other)) for other in (name, "fs", "fs_version", "kernel", "atime"))
    described = {other: column.texts[column.codes] for other, column in columns}
    recorded = described[name]
    defaults = np.array(
        [
            core_keys.own_default(name, fs, version if fs == "zfs" else kernel)
            for fs, version, kernel in zip(described["fs"], described["fs_version"], described["kernel"], strict=True)
        ],
        object,
    )
    is_recorded = recorded != UNKNOWN
    if name in core_keys.CORE:
        in_force, is_default, is_known = recorded, is_recorded & (recorded == defaults), np.ones(len(recorded), bool)
    else:
        is_listed = _is_listed(dimensions, name, described)
        in_force = np.where(is_recorded, recorded, defaults)
        is_default, is_known = in_force == defaults, is_recorded | (is_listed & (defaults != UNKNOWN))
    values = tuple(sorted(set(in_force.tolist())))
    return OptionValues(values, np.searchsorted(np.array(values, str), in_force.astype(str)), is_default, is_known)


def _is_listed(dimensions: RowDimensions, name: str, described: Mapping[str, np.ndarray]) -> np.ndarray:
    """Where an option that is not recorded was not set: a listing has others, or the file system cannot have it."""
    is_zfs = described["fs"] == "zfs"
    if name == "sync" or name.startswith("zpool."):
        return (described["fs"] != UNKNOWN) & ~is_zfs
    if not name.startswith("mount."):
        return np.zeros(len(is_zfs), bool)
    is_listed = is_zfs | (described["atime"] != UNKNOWN)  # which stands in every listing of mounted file systems
    for other in dimensions.open_names:
        if other.startswith("mount."):
            column = dimensions.column(other)
            is_listed = is_listed | (column.codes != column.unknown_code)
    return is_listed


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
