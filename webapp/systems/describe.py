"""A configuration as it is shown: its keys by part, each with its value and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest import keys
from ingest.keys import KEYS
from webapp.files.addresses import place_address
from webapp.formatting import numbers as shown
from webapp.models import Configuration, Run

CONFIGURATION_PARTS = (
    ("system", "Hardware"),
    ("os", "Operating system"),
    ("pool", "File system and pool"),
    ("shown", "Names"),
    ("open", "Settings"),
)
OTHERS_TITLE = "Also recorded"
"""Heading of the open keys that do not make configurations different."""


@dataclass(slots=True)
class DescribedKey:
    """One key with its value as read (not the nominal memory of the system), its line (FILE:LINE) and the address of that.

    `is_implied`: the line does not print it; it follows from it. `disagreements`: set by `webapp.systems.disagreements`.
    """

    key: keys.Key
    name: str
    value: Any
    place: str
    address: str
    is_implied: bool = False
    disagreements: Sequence[Any] = ()

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


def describe_key(name: str, value: Any, run: Run) -> DescribedKey:
    """A value of a configuration with the line from which it was read for the run."""
    place, key = run.config_from.get(name, ""), keys.find_key(name) or keys.Key(name, "open", keys.TEXT, name)
    return DescribedKey(key, name, value, place, place_address(run.archive_id, place), name in run.provenance.implied)


def configuration_heading(configuration: Configuration) -> str:
    """A configuration in a line: its host, operating system and file system, as far as they are known."""
    c = configuration
    system = " ".join(part for part in (c.os_name or c.os_family, c.os_version) if part)
    compression = f"compression {c.pool_compression}" if c.pool_compression in ("on", "off") else c.pool_compression
    pool = " ".join(part for part in (c.fs_stack or c.fs_type, c.pool_layout, compression) if part)
    return ", ".join(part for part in (c.host, system, pool) if part) or f"Configuration {c.pk}"
