"""The list of configurations as it is shown: and what rows of one name differ in."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import prefetch_related_objects

from ingest import keys
from webapp.formatting import numbers
from webapp.models import Configuration
from webapp.systems.configuration_queries import ListedConfiguration
from webapp.systems.describe import configuration_heading, format_value
from webapp.systems.system_index import BETWEEN, SAID

MAX_DIFFERENCES = 3
"""Keys that are named of rows with the same heading."""


class DescribedConfiguration(NamedTuple):
    """A row: the configuration, its heading, and what differs from others of that heading on the page."""

    configuration: Configuration
    heading: str
    apart: str
    measurements: int


def describe_rows(rows: Sequence[tuple[Configuration, ListedConfiguration]]) -> list[DescribedConfiguration]:
    """The rows of a page."""
    names = [(configuration_heading(one), one) for one, _ in rows]
    apart = tell_apart(names)
    counted = zip(names, rows, strict=True)
    return [DescribedConfiguration(one, name, apart.get(one.pk, ""), row.measurements) for (name, one), (_, row) in counted]


class NamedConfiguration(NamedTuple):
    """A row: the configuration, its name without the parts that all have, what else differs from equal rows, and its cells."""

    configuration: Configuration
    name: str
    apart: str
    cells: Sequence[str]


class Layout(NamedTuple):
    """The configurations of a system or an archive: (label, text) of what all have alike, the keys in which they differ, those of
    them that are columns, and the rows."""

    alike: Sequence[tuple[str, str]]
    differing: Sequence[keys.Key]
    columns: Sequence[keys.Key]
    rows: Sequence[NamedConfiguration]


def lay_out(configurations: Sequence[Configuration]) -> Layout:
    """Configurations as rows of what differs; what a name says has no column of its own. One query where rows are equal."""
    differing, alike = list[keys.Key](), list[tuple[str, str]]()
    for key in keys.KEYS.values():
        values = {getattr(one, key.column) for one in configurations}
        if len(values) > 1:
            differing.append(key)
        else:
            alike += [(key.label, format_value(key.type, value)) for value in values if value is not None]
    columns = [key for key in differing if key.query not in SAID]
    cells = {one.pk: [_text(key, getattr(one, key.column)) for key in columns] for one in configurations}
    parts = {one.pk: configuration_heading(one).split(BETWEEN) for one in configurations}
    common = set[str].intersection(*map(set, parts.values())) if parts else set()
    names = {pk: BETWEEN.join(part for part in said if part not in common) or BETWEEN.join(said) for pk, said in parts.items()}
    apart = tell_apart([((names[one.pk], *cells[one.pk]), one) for one in configurations])
    rows = [NamedConfiguration(one, names[one.pk], apart.get(one.pk, ""), cells[one.pk]) for one in configurations]
    return Layout(alike, differing, columns, rows)


def _text(key: keys.Key, value: Any) -> str:
    return "" if value is None else format_value(key.type, value)


def tell_apart(named: Iterable[tuple[Hashable, Configuration]]) -> dict[int, str]:
    """By id, what differs among the configurations of one name. At most three queries, where two have the same."""
    by_name: dict[Hashable, list[Configuration]] = {}
    for name, configuration in named:
        by_name.setdefault(name, []).append(configuration)
    alike = [same for same in by_name.values() if len(same) > 1]
    prefetch_related_objects([one for same in alike for one in same], "open")
    apart = {pk: text for same in alike for pk, text in describe_differences(same).items()}
    equal = [one for same in alike for one in same if not apart[one.pk]]
    prefetch_related_objects(equal, "machine__archive")
    return apart | {one.pk: _place_of(one) for one in equal}


def _place_of(configuration: Configuration) -> str:
    """The machine of each configuration that differs from another in no key."""
    machine = configuration.machine
    return f"of {machine.archive}" if machine and machine.archive else f"configuration {configuration.pk}"


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
