"""Configurations and workloads as rows: one per distinct value, found by digest; workloads of which a size is unknown apart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from ingest import host_names, keys
from ingest.keys import missing_sizes
from ingest.normalise import architecture
from ingest.open_keys import is_identity
from ingest.records import NO_KEYS, Measurement, Unmeasured
from ingest.state import is_state
from webapp.storage.pg_copy import replace_unstorable, to_json

GIB = 2**30
MEASURED, REPORTED = "measured", ":reported"
"""The origin of what a tool printed; what marks the digest of a configuration of other numbers that name a host."""
_STEPS = tuple(sorted(base << power for base in (2**27, 3 * 2**26) for power in range(23)))
_INT_MAX, _BIGINT_MAX = 2**31 - 1, 2**63 - 1
_PARTS = {part: tuple(k for k in keys.KEYS.values() if k.part == part) for part in ("system", "os", "pool", "shown")}
_TABLES = {"system": "webapp_system", "os": "webapp_operatingsystem", "pool": "webapp_poolconfiguration"}
_BIGINT_KEYS = {"memory", "pool.recordsize"}
_INSERT_ROWS = 500  # rows of one INSERT


def nominal_memory(size: int) -> int:
    """Installed memory from what the system shows, in bytes.

    Firmware, kernel and graphics reserve some, so `free` shows up to an eighth less than is installed. Modules add up to
    powers of two and to three times those; a size from 7/8 of such a sum to 1/64 above it is that sum. Other sizes (of
    virtual machines) are rounded up: to 64 MiB below 1 GiB, to 1 GiB above.
    """
    for step in _STEPS:
        if step * 7 // 8 <= size <= step * 65 // 64:
            return step
    grain = GIB if size > GIB else 64 * 2**20
    return -(-size // grain) * grain


def _column_value(key: keys.Key, value: Any) -> Any:
    """The value as its column stores it, None where the column cannot."""
    if value is None:
        return None
    if key.type in (keys.SIZE, keys.COUNT):
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            return None
        number = int(value)
        if key.name == "memory" and number > 0:
            number = nominal_memory(number)
        return number if 0 <= number <= (_BIGINT_MAX if key.name in _BIGINT_KEYS else _INT_MAX) else None
    if not isinstance(value, str):
        return None
    # One architecture has several names: amd64 on FreeBSD is x86_64 on Linux.
    return replace_unstorable(architecture(value) if key.name == "arch" else value)


def json_digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(to_json(value).encode()).hexdigest()


@dataclass(slots=True)
class ConfigurationRow:
    """A resolved configuration as rows: values by key, a digest for each part and for the whole, and values that differ from
    what their column stores (`exact`). `open`: the open keys of its identity, of which a person set those in `chosen`; `others`:
    open keys that are none of it; `state`: those of the state before the run. `is_reported`: of numbers
    that were reported of a host."""

    columns: dict[str, Any]
    parts: dict[str, str]
    digest: str
    exact: dict[str, Any]
    open: dict[str, Any] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    chosen: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    is_reported: bool = False


def make_configuration_row(config: Mapping[str, Any], chosen: Set[str] = NO_KEYS, origin: str = MEASURED) -> ConfigurationRow:
    """A flat configuration (contract keys) -> columns and digests. `chosen`: open keys that a person set.

    One of reported numbers that name a host is another than that of measured ones: the host is a system by itself.

    Absent keys are NULL. The digest of the whole covers host and pool name, so that both can be filtered by; not the machine, so
    that it is the same in every archive.
    """
    columns = {key.name: _column_value(key, config.get(key.name)) for key in keys.KEYS.values()}
    exact, open_values, others, state = dict[str, Any](), dict[str, Any](), dict[str, Any](), dict[str, Any]()
    for name, value in config.items():
        if name in columns or not keys.is_key(name):
            if columns.get(name) != value:
                exact[name] = value
        elif is_state(name):
            state[name] = _open_value(value)
        elif name in chosen or is_identity(name):
            open_values[name] = _open_value(value)
        else:
            others[name] = _open_value(value)
    known = {name: value for name, value in columns.items() if value is not None} | open_values
    parts = {
        part: json_digest({key.name: known[key.name] for key in part_keys if key.name in known})
        for part, part_keys in _PARTS.items()
        if part != "shown"
    }
    if open_values:
        parts["open"] = json_digest(open_values)
    set_by_person = sorted(chosen & open_values.keys())
    digest = json_digest([known, set_by_person] if set_by_person else known)
    is_reported = origin != MEASURED and host_names.names_host(columns["host"] or "")
    digest += REPORTED if is_reported else ""
    return ConfigurationRow(columns, parts, digest, exact, open_values, others, set_by_person, state, is_reported)


def _open_value(value: Any) -> Any:
    return replace_unstorable(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine as a row: of an owner, or of one archive. `name`: its host; `folder`: of an archive that has several. `known`: its
    serial numbers and values of hardware keys, each with all that archives show."""

    digest: str
    owner_id: int | None
    archive_id: int | None
    name: str = ""
    folder: str = ""
    known: Mapping[str, list[Any]] = field(default_factory=dict)
    has_grown: bool = False


@dataclass(frozen=True, slots=True)
class PlacedConfiguration:
    """A configuration on a machine. `stated`: whether a person stated any of its keys."""

    row: ConfigurationRow
    machine: MachineRow
    stated: bool

    @property
    def key(self) -> ConfigurationKey:
        return self.row.digest, self.machine.digest, self.stated

    @property
    def digest(self) -> str:
        """That of its row."""
        plain = json_digest((self.row.digest.removesuffix(REPORTED), self.machine.digest, self.stated))
        return json_digest([plain, REPORTED]) if self.row.is_reported else plain

    @property
    def system(self) -> str:
        """The digest of its system: its hardware, and for reported numbers the host that they name."""
        hardware, host = self.row.parts["system"], self.row.columns["host"]
        named = [hardware, self.machine.digest, host_names.short_name(host or "")]
        return json_digest(named) if self.row.is_reported else hardware


ConfigurationKey = tuple[str, str, bool]
"""Digest of the known keys, digest of the machine, and whether a person stated any key: identifies a row of configurations."""


@dataclass(slots=True)
class WorkloadRow:
    """A workload as a row."""

    tool: str
    tool_version: str | None
    stat: str
    origin: str
    params: dict[str, Any]
    month: str | None
    apart: str | None
    digest: str


def make_workload_row(
    head: tuple[str, str | None, str, str], params: Mapping[str, Any], month: str | None = None, apart: str | None = None
) -> WorkloadRow:
    """A workload from tool, version, stat and origin, and the registered parameters of a record.

    The digest covers month and `apart` (see `find_apart`) only where there are any.
    """
    tool, tool_version, stat, origin = head
    version = None if tool_version is None else replace_unstorable(tool_version)
    identity = (replace_unstorable(tool), version, replace_unstorable(stat), replace_unstorable(origin), dict(params))
    further = (month, apart) if apart is not None else (month,) if month is not None else ()
    return WorkloadRow(*identity, month, apart, json_digest((*identity, *further)))


@dataclass(slots=True)
class DimensionIds:
    """Ids of the rows by digest (metrics by name, configurations by their key)."""

    configurations: dict[ConfigurationKey, int] = field(default_factory=dict)
    workloads: dict[str, int] = field(default_factory=dict)
    metrics: dict[str, int] = field(default_factory=dict)
    machines: dict[str, int] = field(default_factory=dict)


def save(configurations: Iterable[PlacedConfiguration], workloads: Iterable[WorkloadRow], metrics: Iterable[str]) -> DimensionIds:
    """Insert the rows that are missing; ids of all.

    Rows are inserted sorted by digest, table after table in one order, so that two writers never wait for each other.
    """
    placed = {one.digest: one for one in configurations}
    rows = sorted({one.row.digest: one.row for one in placed.values()}.values(), key=lambda row: row.digest)
    machine_ids = _save_machines({one.machine.digest: one.machine for one in placed.values()})
    part_ids = {part: _save_part(part, rows) for part in _TABLES} | {"open": _save_open(rows)}
    part_ids["system"] |= _save_named_systems(placed.values(), part_ids["system"])
    return DimensionIds(
        _save_configurations(placed, machine_ids, part_ids),
        _save_workloads(sorted(workloads, key=lambda row: row.digest)),
        _save("webapp_metricname", "name", ["name"], [[name] for name in sorted(set(metrics))]),
        machine_ids,
    )


_ENRICH = """UPDATE webapp_machine SET known = %s::jsonb WHERE id = (
    SELECT id FROM webapp_machine WHERE digest = %s FOR UPDATE SKIP LOCKED)"""
"""Waits for nobody; what another writer adds at the same moment is added when its archive, or this one, is read again."""


def _save_machines(machines: Mapping[str, MachineRow]) -> dict[str, int]:
    columns = ["digest", "owner_id", "archive_id", "name", "folder", "known"]
    rows = [machines[digest] for digest in sorted(machines)]
    values = [[row.digest, row.owner_id, row.archive_id, row.name, row.folder, to_json(row.known)] for row in rows]
    ids = _save("webapp_machine", "digest", columns, values)
    with connection.cursor() as cursor:
        for row in rows:
            if row.has_grown:
                cursor.execute(_ENRICH, [to_json(row.known), row.digest])
    return ids


def _save(table: str, key: str, columns: list[str], rows: list[list[Any]]) -> dict[str, int]:
    """Insert rows whose first column is the unique key, sorted by the caller; key -> id of all of them."""
    if not rows:
        return {}
    wanted = [row[0] for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {key}, id FROM {table} WHERE {key} = ANY(%s)", [wanted])  # noqa: S608 names and conditions are constants of the code; values are parameters
        ids = dict(cursor.fetchall())
        missing = [row for row in rows if row[0] not in ids]
        for start in range(0, len(missing), _INSERT_ROWS):
            ids.update(_insert(cursor, table, key, columns, missing[start : start + _INSERT_ROWS]))
        # Another writer has inserted what was missing meanwhile.
        if remaining := [name for name in wanted if name not in ids]:
            cursor.execute(f"SELECT {key}, id FROM {table} WHERE {key} = ANY(%s)", [remaining])  # noqa: S608 names and conditions are constants of the code; values are parameters
            ids.update(cursor.fetchall())
    return ids


def _insert(cursor, table: str, key: str, columns: list[str], rows: list[list[Any]]) -> list[tuple[str, int]]:
    """Insert the rows that are missing, in one statement and in their order; key and id of those that were."""
    placeholders = ", ".join(["(" + ", ".join(["%s"] * len(columns)) + ")"] * len(rows))
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES {placeholders} ON CONFLICT DO NOTHING RETURNING {key}, id",  # noqa: S608 names and conditions are constants of the code; values are parameters
        [value for row in rows for value in row],
    )
    return cursor.fetchall()


def _save_part(part: str, configurations: list[ConfigurationRow]) -> dict[str, int]:
    part_keys = _PARTS[part]
    rows = {row.parts[part]: [row.parts[part], *(row.columns[key.name] for key in part_keys)] for row in configurations}
    return _save(_TABLES[part], "digest", ["digest", *(key.column for key in part_keys)], [rows[digest] for digest in sorted(rows)])


def _save_named_systems(placed: Iterable[PlacedConfiguration], hardware: Mapping[str, int]) -> dict[str, int]:
    """The systems that are known by the name of their host."""
    part_keys = _PARTS["system"]
    named = [one for one in placed if one.row.is_reported]  # of several spellings the first in the order of texts
    rows = {one.system: one.row for one in sorted(named, key=lambda one: one.row.columns["host"], reverse=True)}
    values = [
        [digest, row.columns["host"], hardware[row.parts["system"]], *(row.columns[key.name] for key in part_keys)]
        for digest, row in sorted(rows.items())
    ]
    return _save(_TABLES["system"], "digest", ["digest", "host", "hardware_id", *(key.column for key in part_keys)], values)


def _save_open(configurations: list[ConfigurationRow]) -> dict[str, int]:
    rows = {row.parts["open"]: [row.parts["open"], to_json(row.open)] for row in configurations if row.open}
    return _save("webapp_openproperties", "digest", ["digest", "values"], [rows[digest] for digest in sorted(rows)])


def _save_configurations(
    placed: Mapping[str, PlacedConfiguration], machine_ids: Mapping[str, int], part_ids: Mapping[str, Mapping[str, int]]
) -> dict[ConfigurationKey, int]:
    """Ids by key. `placed`: by the digest of the whole row."""
    names = list(keys.KEYS)
    columns = ["digest", "machine_id", "stated", "chosen", "system_id", "os_id", "pool_id", "open_id"]
    rows = [
        [
            digest,
            machine_ids[one.machine.digest],
            one.stated,
            to_json(one.row.chosen),
            part_ids["system"][one.system],
            *(part_ids[part].get(one.row.parts.get(part, "")) for part in ("os", "pool", "open")),
            *(one.row.columns[name] for name in names),
        ]
        for digest, one in sorted(placed.items())
    ]
    ids = _save("webapp_configuration", "digest", columns + [keys.KEYS[name].column for name in names], rows)
    return {one.key: ids[digest] for digest, one in placed.items()}


def _save_workloads(workloads: list[WorkloadRow]) -> dict[str, int]:
    columns = ["digest", "tool", "tool_version", "stat", "origin", "params", "month", "apart"]
    rows = {
        row.digest: [row.digest, row.tool, row.tool_version, row.stat, row.origin, to_json(row.params), row.month, row.apart]
        for row in workloads
    }
    return _save("webapp_workload", "digest", columns, [rows[digest] for digest in sorted(rows)])


# Distinguishes workloads of which a size or count that the tool needs is unknown.

DIGEST_LENGTH = 12
"""Hexadecimal digits of `Workload.apart`: 48 bits, since only workloads that are otherwise equal must not collide."""
PLACE = "PATH"
"""Stands for a path or a host in a command line."""
_LAUNCHERS = frozenset(("mpirun", "mpiexec", "orterun", "srun"))
_HOST_OPTION = re.compile(r"\s(?:-H|--?hosts?|-w|--?hostfile|--?machinefile|--nodelist)[ =]+\S+")
"""Of the launchers above, mpirun(1) and srun(1)."""
_REDIRECTION = re.compile(r"\s*(?:\|\s*tee\b[^|]*|(?:\d|&)?>{1,2}\s*\S+|<\s*\S+)")
_COLUMN = re.compile(r",\s*(?:columns?|rows?|cells?|lines?|bars?|curves?|series|printed values?)\b.*", re.I | re.S)


def find_apart(archive_id: int, record: Measurement | Unmeasured) -> str | None:
    """A digest of the archive and of the command, job and table of the record; None where all needed sizes are known."""
    if not missing_sizes(record.tool, record.metric, record.params):
        return None
    named = [
        normalise_command(str(record.params.get("command") or ""), str(record.config.get("host") or "")),
        str(record.params.get("job") or ""),
        table_name(record.source_note or ""),
    ]
    return json_digest([archive_id, *(named if any(named) else ("", "", "", record.file))])[:DIGEST_LENGTH]


def normalise_command(command: str, host: str = "") -> str:
    """The command line without paths, hosts and redirections: `cp -a /srv/src /tank` -> `cp -a PATH PATH`."""
    words = _REDIRECTION.sub("", command).split()
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    text = " ".join((program, *(_without_place(word, host) for word in words[1:])))
    return _HOST_OPTION.sub("", text) if program in _LAUNCHERS else text


def _without_place(word: str, host: str) -> str:
    """A word of a command line, or `PATH`; of `of=/tank/file` the option stays."""
    option, equals, value = word.rpartition("=")
    is_place = "/" in value or "@" in value or (host and value.partition(":")[0] == host)
    return f"{option}{equals}{PLACE}" if is_place else word


def table_name(source_note: str) -> str:
    """The table that a note names, without the column or row: `Slide 11, first table, column ZFS` -> `Slide 11, first table`."""
    return _COLUMN.sub("", source_note).strip()
