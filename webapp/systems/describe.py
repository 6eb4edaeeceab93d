"""A configuration as it is shown: its keys by part, each with its value and line; two of them side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest import keys, state
from ingest.keys import KEYS
from webapp.files.addresses import place_address
from webapp.formatting import numbers as shown
from webapp.models import Archive, Configuration, Run
from webapp.systems.system_index import say_name

HARDWARE = "Hardware"
CONFIGURATION_PARTS = (
    ("system", HARDWARE),
    ("os", "Operating system"),
    ("pool", "File system and pool"),
    ("shown", "Names"),
    ("open", "Settings"),
)
STATE_TITLE = "State before the run"
OTHERS_TITLE = "Also recorded"
"""Heading of the open keys that do not make configurations different."""


@dataclass(slots=True)
class DescribedKey:
    """One key with its value as read (not the nominal memory of the system), its line (FILE:LINE) and the address of that.

    `is_implied`: the line does not print it; it follows from it. `disagreements`: set by `webapp.systems.disagreements`;
    `components`: by `webapp.systems.hardware`.
    """

    key: keys.Key
    name: str
    value: Any
    place: str
    address: str
    is_implied: bool = False
    disagreements: Sequence[Any] = ()
    components: Sequence[Any] = ()

    @property
    def label(self) -> str:
        return self.key.label

    @property
    def shown(self) -> str:
        return format_value(self.key.type, self.value)


def format_value(kind: str, value: Any) -> str:
    """A configuration value or workload parameter of a type of `ingest.keys`, as it is shown."""
    return shown.size(value) if kind == keys.SIZE and isinstance(value, int) else str(value)


def config_of(configuration: Configuration, run: Run) -> dict[str, Any]:
    """The flat configuration as it was read for the run, with open keys that are not part of its identity."""
    return configuration.known | run.config_exact | run.provenance.others


def describe_configuration(configuration: Configuration, run: Run) -> list[tuple[str, list[DescribedKey]]]:
    """(heading, keys) of every part with known keys; open keys by name."""
    identity = configuration.known.keys() | KEYS.keys()
    known = config_of(configuration, run)
    described = [describe_key(name, known[name], run) for name in (*filter(KEYS.get, known), *sorted(known.keys() - KEYS.keys()))]
    parts = [
        (title, [item for item in described if item.key.part == part and item.name in identity])
        for part, title in CONFIGURATION_PARTS
    ]
    parts.append((OTHERS_TITLE, [item for item in described if item.name not in identity]))
    return [(title, items) for title, items in parts if items]


def describe_state(run: Run) -> list[tuple[str, list[DescribedKey]]]:
    """Heading and keys of what was so before the run; nothing where nothing is known."""
    described, values = [], run.state or {}
    for known in state.KEYS.values():
        if (value := values.get(known.name)) is not None:
            item = describe_key(known.name, f"{value} {known.unit}".rstrip(), run)
            item.key = replace(item.key, label=known.label[0].upper() + known.label[1:])
            described.append(item)
    return [(STATE_TITLE, described)] if described else []


def describe_key(name: str, value: Any, run: Run) -> DescribedKey:
    """A value of a configuration with the line from which it was read for the run."""
    place, key = run.config_from.get(name, ""), keys.find_key(name) or keys.Key(name, "open", keys.TEXT, name)
    return DescribedKey(key, name, value, place, place_address(run.archive_id, place), name in run.provenance.implied)


def configuration_heading(configuration: Configuration) -> str:
    """The name of a configuration."""
    known = {key.query: getattr(configuration, key.column) for key in KEYS.values() if key.query}
    return say_name(known, "Configuration not recorded")


# Two configurations side by side, each value with its line.


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One key in both configurations; `a` or `b` is None where it is unknown there."""

    key: keys.Key
    a: DescribedKey | None
    b: DescribedKey | None

    @property
    def shown(self) -> tuple[str, str]:
        a, b = (format_value(self.key.type, described.value) if described else "" for described in (self.a, self.b))
        return a, b


@dataclass(frozen=True, slots=True)
class ConfigurationDifference:
    """The rows in which both differ, those known of one only, and those in which both agree; `others`: open keys that differ and
    do not make configurations different."""

    differ: list[DifferenceRow]
    lone: list[DifferenceRow]
    alike: list[DifferenceRow]
    others: list[DifferenceRow]


def find_newest_run(configuration: Configuration, user) -> Run | None:
    """The newest run on the configuration that the user may see, whose lines are shown for its values; None without one."""
    readable = Archive.objects.readable_by(user)
    return Run.objects.on(configuration).filter(archive__in=readable).select_related("provenance").first()


def compare_configurations(a: tuple[Configuration, Run], b: tuple[Configuration, Run]) -> ConfigurationDifference:
    """Two configurations, each with the run from which its lines are. Host and pool name come last."""
    part_order = {part: position for position, (part, _) in enumerate(CONFIGURATION_PARTS)}
    registered = sorted(keys.KEYS.values(), key=lambda key: part_order[key.part])
    identity = [known for configuration, _ in (a, b) for known in [configuration.known]]
    shown = [config_of(*side) for side in (a, b)]
    open_names = sorted({name for config in shown for name in config if name not in keys.KEYS})
    open_keys = [key for name in open_names if (key := keys.find_key(name)) is not None]
    differ, one_only, alike, others = list[DifferenceRow](), list[DifferenceRow](), list[DifferenceRow](), list[DifferenceRow]()
    for key in (*registered, *open_keys):
        row = DifferenceRow(key, _describe(key, shown[0], a[1]), _describe(key, shown[1], b[1]))
        if row.a is None and row.b is None:
            continue
        if key.part == "open" and not any(key.name in known for known in identity):
            if row.a is None or row.b is None or row.a.value != row.b.value:
                others.append(row)
        elif row.a is None or row.b is None:
            one_only.append(row)
        # Columns are compared: of memory they have the nominal size, of which systems report slightly different values.
        elif identity[0].get(key.name) != identity[1].get(key.name):
            differ.append(row)
        else:
            alike.append(row)
    return ConfigurationDifference(differ, one_only, alike, others)


def _describe(key: keys.Key, config: Mapping[str, Any], run: Run) -> DescribedKey | None:
    value = config.get(key.name)
    return None if value is None else describe_key(key.name, value, run)
