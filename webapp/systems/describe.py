"""A configuration for people: its keys by part, each with value and the line it was read from."""

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
    """One key: `value` as read (the nominal memory is the system's), `place` FILE:LINE, `address` of that line."""

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
    """A configuration value or workload parameter of a type of `ingest.keys` as text for people."""
    return shown.size(value) if kind == keys.SIZE and isinstance(value, int) else str(value)


def config_of(configuration: Configuration, run: Run) -> dict[str, Any]:
    """The flat configuration exactly as it was read for the run."""
    columns = {key.name: getattr(configuration, key.column) for key in keys.KEYS.values()}
    return {name: value for name, value in columns.items() if value is not None} | run.config_exact


def describe_configuration(configuration: Configuration, run: Run) -> list[tuple[str, list[DescribedKey]]]:
    """(heading, keys) of every part that something is told of."""
    config = config_of(configuration, run)
    told = [_told(name, value, run) for name, value in config.items()]
    parts = [(title, [t for t in told if t.key and t.key.part == part]) for part, title in CONFIGURATION_PARTS]
    parts.append(("Also told", [t for t in told if t.key is None]))
    return [(title, some) for title, some in parts if some]


def _told(name: str, value: Any, run: Run) -> DescribedKey:
    place = run.config_from.get(name, "")
    return DescribedKey(keys.KEYS.get(name), name, value, place, place_address(run.archive_id, place))


def configuration_heading(configuration: Configuration) -> str:
    """A configuration in a line: what distinguishes it most, as far as it is told."""
    c = configuration
    system = " ".join(part for part in (c.os_name or c.os_family, c.os_version) if part)
    pool = " ".join(part for part in (c.fs_stack or c.fs_type, c.pool_layout, c.pool_compression) if part)
    return ", ".join(part for part in (c.host, system, pool) if part) or f"Configuration {c.pk}"
