"""Configurations and workloads as rows: one per distinct value, found again by digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from ingest import keys
from ingest.normalise import architecture
from webapp.storage.pg_copy import clean, to_json

GIB = 2**30
_STEPS = tuple(sorted(base << power for base in (2**27, 3 * 2**26) for power in range(23)))
_INT_MAX, _BIGINT_MAX = 2**31 - 1, 2**63 - 1
_PARTS = {part: tuple(k for k in keys.KEYS.values() if k.part == part) for part in ("system", "os", "pool", "shown")}
_TABLES = {"system": "webapp_system", "os": "webapp_operatingsystem", "pool": "webapp_poolconfiguration"}
_BIG = {"memory", "pool.recordsize"}
_TOGETHER = 500  # rows of one INSERT


def nominal_memory(size: int) -> int:
    """Installed memory from what the system shows, in bytes.

    Firmware, kernel and graphics keep some for themselves, so `free` shows up to an eighth less than the modules hold.
    Modules add up to powers of two and to three times those; a size from 7/8 of such a sum to 1/64 above it is that
    sum. Others (virtual machines have any size) are rounded up: to 64 MiB below 1 GiB, to 1 GiB above.
    """
    for step in _STEPS:
        if step * 7 // 8 <= size <= step * 65 // 64:
            return step
    grain = GIB if size > GIB else 64 * 2**20
    return -(-size // grain) * grain


def _fit(key: keys.Key, value: Any) -> Any:
    """The value as its column holds it, None where the column cannot."""
    if value is None:
        return None
    if key.type in (keys.SIZE, keys.COUNT):
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            return None
        number = int(value)
        if key.name == "memory" and number > 0:
            number = nominal_memory(number)
        return number if 0 <= number <= (_BIGINT_MAX if key.name in _BIG else _INT_MAX) else None
    if not isinstance(value, str):
        return None
    # What systems call differently is one machine: amd64 on FreeBSD is x86_64 on Linux.
    return clean(architecture(value) if key.name == "arch" else value)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(to_json(value).encode()).hexdigest()


@dataclass(slots=True)
class ConfigurationRow:
    """A resolved configuration as rows: the columns of each part, their digests, and what the columns do not hold."""

    columns: dict[str, Any]
    parts: dict[str, str]
    digest: str
    exact: dict[str, Any]


def make_configuration_row(config: Mapping[str, Any]) -> ConfigurationRow:
    """A flat configuration (contract keys) -> columns and digests.

    Absent keys are NULL. The digest of the whole covers host and pool name, so that both can be filtered by.
    """
    columns = {key.name: _fit(key, config.get(key.name)) for key in keys.KEYS.values()}
    exact = {name: value for name, value in config.items() if columns.get(name) != value}
    told = {name: value for name, value in columns.items() if value is not None}
    parts = {
        part: digest({key.name: told[key.name] for key in of if key.name in told}) for part, of in _PARTS.items() if part != "shown"
    }
    return ConfigurationRow(columns, parts, digest(told), exact)


@dataclass(slots=True)
class WorkloadRow:
    """A workload as a row."""

    tool: str
    tool_version: str | None
    stat: str
    origin: str
    params: dict[str, Any]
    month: str | None
    digest: str


def make_workload_row(
    tool: str, tool_version: str | None, stat: str, origin: str, params: Mapping[str, Any], month: str | None = None
) -> WorkloadRow:
    """A workload from the identity part of a record's parameters. One without a month has the digest it always had."""
    version = None if tool_version is None else clean(tool_version)
    told = (clean(tool), version, clean(stat), clean(origin), dict(params))
    return WorkloadRow(*told, month, digest(told if month is None else (*told, month)))


@dataclass(slots=True)
class DimensionIds:
    """Ids of the rows by digest (metrics by name)."""

    configurations: dict[str, int] = field(default_factory=dict)
    workloads: dict[str, int] = field(default_factory=dict)
    metrics: dict[str, int] = field(default_factory=dict)


def save(places: Iterable[ConfigurationRow], works: Iterable[WorkloadRow], metrics: Iterable[str]) -> DimensionIds:
    """Insert the rows that are missing and give the ids of all.

    Rows go in sorted by digest, table after table in one order, so that two writers never wait for each other.
    """
    places = sorted(places, key=lambda p: p.digest)
    part_ids = {part: _save_part(part, places) for part in _TABLES}
    return DimensionIds(
        _save_configurations(places, part_ids),
        _save_workloads(sorted(works, key=lambda w: w.digest)),
        _save("webapp_metricname", "name", ["name"], [[name] for name in sorted(set(metrics))]),
    )


def _save(table: str, key: str, columns: list[str], rows: list[list[Any]]) -> dict[str, int]:
    """Insert rows whose first column is the unique key, sorted by the caller; key -> id of all of them."""
    if not rows:
        return {}
    wanted = [row[0] for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key}, id FROM {table} WHERE {key} = ANY(%s)", [wanted])
        known = dict(cursor.fetchall())
        missing = [row for row in rows if row[0] not in known]
        for at in range(0, len(missing), _TOGETHER):
            known.update(_inserted(cursor, table, key, columns, missing[at : at + _TOGETHER]))
        # Another writer has put in between what was missing.
        if left := [name for name in wanted if name not in known]:
            cursor.execute(f"SELECT {key}, id FROM {table} WHERE {key} = ANY(%s)", [left])
            known.update(cursor.fetchall())
    return known


def _inserted(cursor, table: str, key: str, columns: list[str], rows: list[list[Any]]) -> list[tuple[str, int]]:
    """Insert the rows that are not there, in one statement and in their order; key and id of those that went in."""
    marks = ", ".join(["(" + ", ".join(["%s"] * len(columns)) + ")"] * len(rows))
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES {marks} ON CONFLICT DO NOTHING RETURNING {key}, id",
        [cell for row in rows for cell in row],
    )
    return cursor.fetchall()


def _save_part(part: str, places: list[ConfigurationRow]) -> dict[str, int]:
    of = _PARTS[part]
    rows = {p.parts[part]: [p.parts[part], *(p.columns[key.name] for key in of)] for p in places}
    return _save(_TABLES[part], "digest", ["digest", *(key.column for key in of)], [rows[d] for d in sorted(rows)])


def _save_configurations(places: list[ConfigurationRow], part_ids: dict[str, dict[str, int]]) -> dict[str, int]:
    names = list(keys.KEYS)
    columns = ["digest", "system_id", "os_id", "pool_id", *(keys.KEYS[name].column for name in names)]
    rows = {
        p.digest: [p.digest, *(part_ids[part][p.parts[part]] for part in _TABLES), *(p.columns[name] for name in names)]
        for p in places
    }
    return _save("webapp_configuration", "digest", columns, [rows[d] for d in sorted(rows)])


def _save_workloads(works: list[WorkloadRow]) -> dict[str, int]:
    columns = ["digest", "tool", "tool_version", "stat", "origin", "params", "month"]
    rows = {w.digest: [w.digest, w.tool, w.tool_version, w.stat, w.origin, to_json(w.params), w.month] for w in works}
    return _save("webapp_workload", "digest", columns, [rows[d] for d in sorted(rows)])
