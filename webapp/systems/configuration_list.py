"""The list of configurations as it is shown: its columns, and what rows of one name differ in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ingest import keys
from webapp.formatting import numbers
from webapp.models import Configuration
from webapp.systems.configuration_queries import ListedConfiguration
from webapp.systems.describe import configuration_heading, format_value

COLUMNS = {"cpu": "CPU", "memory": "memory", "machine": "machine"}
MAX_DIFFERENCES = 3
"""Keys that are named of rows with the same heading."""


class DescribedConfiguration(NamedTuple):
    """A row: the configuration, its heading, what differs from others of that heading on the page, and its cells."""

    configuration: Configuration
    heading: str
    apart: str
    measurements: int
    cells: Sequence[tuple[str, str]]


def split_columns(rows: Sequence[ListedConfiguration]) -> tuple[list[str], list[str]]:
    """The columns in which the rows differ, those with most values first; and as texts what all have alike."""
    texts = {name: {_cell(row, name) for row in rows} for name in COLUMNS}
    differ = sorted((name for name in COLUMNS if len(texts[name]) > 1), key=lambda name: -len(texts[name]))
    return differ, [f"{COLUMNS[name]} {text}" for name in COLUMNS if len(texts[name]) == 1 for text in texts[name]]


def describe_rows(
    rows: Sequence[tuple[Configuration, ListedConfiguration]], columns: Sequence[str]
) -> list[DescribedConfiguration]:
    """The rows of a page."""
    by_heading: dict[str, list[Configuration]] = {}
    for configuration, _ in rows:
        by_heading.setdefault(configuration_heading(configuration), []).append(configuration)
    apart = {pk: text for same in by_heading.values() if len(same) > 1 for pk, text in describe_differences(same).items()}
    return [
        DescribedConfiguration(
            configuration,
            configuration_heading(configuration),
            apart.get(configuration.pk, ""),
            row.measurements,
            [(name, _cell(row, name)) for name in columns],
        )
        for configuration, row in rows
    ]


_OF_SYSTEM: dict[str, Callable[[Configuration], str | None]] = {
    "Host": lambda one: one.host,
    "Operating system": lambda one: " ".join(part for part in (one.os_name or one.os_family, one.os_version) if part),
    "Kernel": lambda one: one.kernel,
    "File system": lambda one: one.fs_stack or one.fs_type,
    "Compression": lambda one: one.pool_compression,
    "Layout": lambda one: one.pool_layout,
    "Machine": lambda one: f"No. {one.machine_id}" if one.machine_id else None,
}
"""The columns of the configurations of one system."""


class OfSystem(NamedTuple):
    """The configurations of a system: (label, text) of what all have alike, the labels of the other columns, and the rows: the
    configuration, its cells, and what else differs from rows with equal ones."""

    alike: Sequence[tuple[str, str]]
    columns: Sequence[str]
    rows: Sequence[tuple[Configuration, Sequence[str], str]]


def describe_of_system(configurations: Sequence[Configuration]) -> OfSystem:
    """The configurations of a system as rows of what differs."""
    cells = {one.pk: {label: read(one) or "" for label, read in _OF_SYSTEM.items()} for one in configurations}
    texts = {label: {row[label] for row in cells.values()} for label in _OF_SYSTEM}
    alike = [(label, next(iter(found))) for label, found in texts.items() if len(configurations) > 1 and len(found) == 1]
    columns = [label for label in _OF_SYSTEM if label not in dict(alike)]
    equal: dict[tuple[str, ...], list[Configuration]] = {}
    for one in configurations:
        equal.setdefault(tuple(cells[one.pk].values()), []).append(one)
    apart = {pk: text for same in equal.values() if len(same) > 1 for pk, text in describe_differences(same).items()}
    rows = [(one, [cells[one.pk][label] for label in columns], apart.get(one.pk, "")) for one in configurations]
    return OfSystem([(label, text) for label, text in alike if text], columns, rows)


def describe_differences(configurations: Sequence[Configuration]) -> dict[int, str]:
    """By id, the first keys in which the configurations differ: those known of most of them, then those with most values."""
    known = [configuration.known for configuration in configurations]
    values = {name: [str(one.get(name)) for one in known] for name in dict.fromkeys(name for one in known for name in one)}
    differing = [name for name, texts in values.items() if len({*texts}) > 1]
    differing.sort(key=lambda name: (-sum(name in one for one in known), -len({*values[name]}), name))
    return {
        configuration.pk: ", ".join(_setting(name, one.get(name)) for name in differing[:MAX_DIFFERENCES])
        for configuration, one in zip(configurations, known, strict=True)
    }


def _setting(name: str, value: object) -> str:
    """A key with its value."""
    key = keys.find_key(name)
    text = "unknown" if value is None else numbers.line(format_value(key.type if key else keys.TEXT, value), 40)
    return f"{key.label if key and name in keys.KEYS else name} {text}"


def _cell(row: ListedConfiguration, name: str) -> str:
    if name == "memory":
        return numbers.size(row.memory) if row.memory else "unknown"
    if name == "machine":
        return f"No. {row.machine}" if row.machine else "unknown"
    return row.cpu or "unknown"
