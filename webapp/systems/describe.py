"""A configuration as it is shown: its keys by part, each with its value and line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ingest import keys
from webapp.files.addresses import place_address
from webapp.formatting import numbers as shown
from webapp.models import Configuration, Run

CONFIGURATION_PARTS = (("system", "Hardware"), ("os", "Operating system"), ("pool", "File system and pool"), ("shown", "Names"))


@dataclass(frozen=True, slots=True)
class DescribedKey:
    """One key with its value as read (not the nominal memory of the system), its line (FILE:LINE) and the address of that.

    `key` is None for open keys.
    """

    key: keys.Key | None
    name: str
    value: Any
    place: str
    address: str

    @property
    def label(self) -> str:
        return self.key.label if self.key else self.name

    @property
    def shown(self) -> str:
        return format_value(self.key.type if self.key else keys.TEXT, self.value)


def format_value(kind: str, value: Any) -> str:
    """A configuration value or workload parameter of a type of `ingest.keys`, as it is shown."""
    return shown.size(value) if kind == keys.SIZE and isinstance(value, int) else str(value)


def config_of(configuration: Configuration, run: Run) -> dict[str, Any]:
    """The flat configuration as it was read for the run."""
    columns = {key.name: getattr(configuration, key.column) for key in keys.KEYS.values()}
    return {name: value for name, value in columns.items() if value is not None} | run.config_exact


def describe_configuration(configuration: Configuration, run: Run) -> list[tuple[str, list[DescribedKey]]]:
    """(heading, keys) of every part with known keys."""
    described = [describe_key(name, value, run) for name, value in config_of(configuration, run).items()]
    parts = [(title, [item for item in described if item.key and item.key.part == part]) for part, title in CONFIGURATION_PARTS]
    parts.append(("Also told", [item for item in described if item.key is None]))
    return [(title, items) for title, items in parts if items]


def describe_key(name: str, value: Any, run: Run) -> DescribedKey:
    """A value of a configuration with the line from which it was read for the run."""
    place = run.config_from.get(name, "")
    return DescribedKey(keys.KEYS.get(name), name, value, place, place_address(run.archive_id, place))


def configuration_heading(configuration: Configuration) -> str:
    """A configuration in a line: its host, operating system and file system, as far as they are known."""
    c = configuration
    system = " ".join(part for part in (c.os_name or c.os_family, c.os_version) if part)
    pool = " ".join(part for part in (c.fs_stack or c.fs_type, c.pool_layout, c.pool_compression) if part)
    return ", ".join(part for part in (c.host, system, pool) if part) or f"Configuration {c.pk}"
