"""The newest edition as one file a table, under names that stay: every measurement, configuration, workload and archive."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

from webapp.bulk import parts, schema
from webapp.bulk.schema import BY_NAME, DataColumn
from webapp.files import stores
from webapp.models import PublicData

MEASUREMENTS, CONFIGURATIONS, WORKLOADS, ARCHIVES = "measurements", "configurations", "workloads", "archives"
_COUNT = DataColumn("measurements", schema.INTEGER, "Rows of the measurements with it, those that are not counted too")
_WORK = [BY_NAME[name] for name in ("workload", "tool", "tool_version", "stat", "origin", "workload_params")]
_STORED = {CONFIGURATIONS: (BY_NAME["configuration"], *schema.KEY_COLUMNS, BY_NAME["config"]), WORKLOADS: tuple(_WORK)}
"""The columns of the measurements that a table takes from the first row with each of the first one."""
TABLES: dict[str, tuple[DataColumn, ...]] = {
    MEASUREMENTS: schema.COLUMNS,
    CONFIGURATIONS: (*_STORED[CONFIGURATIONS], _COUNT),
    WORKLOADS: (*_STORED[WORKLOADS], *schema.WORKLOAD_PARAMS, _COUNT),
    ARCHIVES: schema.ARCHIVE_COLUMNS,
}
NAMES = {f"{table}.{ending}": (table, form) for table in TABLES for form, ending in parts.ENDINGS.items()}
"""Name of a file -> table and form."""


def make(edition: PublicData) -> dict[str, dict[str, dict[str, Any]]]:
    """Write the tables of an edition and store them: table -> form -> digest and size. The measurements of an edition with one part
    are that part. One part is aggregated at a time; what does not fit DuckDB's memory is spilled. Raises NoSpace."""
    stores.check_space(2 * sum(file["bytes"] for part in edition.parts for file in part["files"].values()))
    with ExitStack() as stack:
        folder = stack.enter_context(parts.working_folder())
        paths = [stack.enter_context(stores.local(parts.key_of(part["files"]["parquet"]))) for part in edition.parts]
        database = stack.enter_context(parts.connect(folder))
        made = {MEASUREMENTS: edition.parts[0]["files"]} if len(paths) == 1 else {}
        for table in [one for one in TABLES if one not in made]:
            written = _write(database, folder, table, paths, edition.archives)
            made[table] = {form: parts.store(path) for form, path in written.items()}
    return made


def _write(database: Any, folder: Path, table: str, paths: Sequence[Path], archives: list[dict[str, Any]]) -> dict[str, Path]:
    """Write a table in each form: form -> file. `paths`: Parquet files of the measurements."""
    if table == ARCHIVES:
        selected = _select_archives(folder, archives)
    elif table == MEASUREMENTS:
        selected = f"FROM {parts.source(paths)}" if paths else _select_nothing(schema.COLUMNS)
    else:
        selected = _select_firsts(database, table, paths)
    return parts.copy(database, selected, TABLES[table], folder, table)


def _select_nothing(columns: Sequence[DataColumn]) -> str:
    names = ", ".join(f'NULL::{column.type} AS "{column.name}"' for column in columns)
    return f"SELECT {names} WHERE false"


def _select_archives(folder: Path, archives: list[dict[str, Any]]) -> str:
    listed = folder / "archives.jsonl"
    listed.write_text("".join(f"{json.dumps(row)}\n" for row in archives), encoding="utf-8")
    types = ", ".join(f"'{column.name}': '{column.type}'" for column in schema.ARCHIVE_COLUMNS)
    return f"FROM read_json({parts.quoted(listed)}, format = 'newline_delimited', columns = {{{types}}})"


def _select_firsts(database: Any, table: str, paths: Sequence[Path]) -> str:
    """Gather the first row of each key, and how many there are, part by part, in tables of the database's file."""
    columns = _STORED[table]
    key, names = columns[0].name, ", ".join(f'"{column.name}"' for column in columns)
    database.execute(f"CREATE TABLE {table} AS {_select_nothing(columns)}")
    database.execute(f"CREATE TABLE {table}_counts (key BIGINT, n BIGINT)")
    for path in paths:
        rows = parts.source([path], ", file_row_number = true")
        found = f"SELECT {key} AS key, min(file_row_number) AS place, count(*) AS n FROM {rows} GROUP BY 1"  # noqa: S608 names are constants of the code; paths are quoted
        database.execute(f"CREATE TABLE firsts AS {found}")
        database.execute(
            f"INSERT INTO {table} SELECT {names} FROM {rows} JOIN firsts ON file_row_number = place"  # noqa: S608 as above
            f" WHERE key NOT IN (SELECT {key} FROM {table})"
        )
        database.execute(f"INSERT INTO {table}_counts SELECT key, n FROM firsts")  # noqa: S608 as above
        database.execute("DROP TABLE firsts")
    counted = f"(SELECT key, sum(n)::BIGINT AS {_COUNT.name} FROM {table}_counts GROUP BY key)"  # noqa: S608 as above
    extracted = f", {schema.WORKLOAD_EXTRACTED}" if table == WORKLOADS else ""
    own = {column.name for column in columns} | {_COUNT.name}
    shown = ", ".join(f'"{one.name}"' if one.name in own else f'{one.source} AS "{one.name}"' for one in TABLES[table])
    return f"SELECT {shown} FROM (SELECT *{extracted} FROM {table} JOIN {counted} ON key = {key}) ORDER BY {key}"  # noqa: S608 as above


@lru_cache(maxsize=len(NAMES))
def write_empty(name: str) -> bytes:
    """The bytes of a file of `NAMES` without any rows."""
    table, form = NAMES[name]
    with tempfile.TemporaryDirectory() as folder, parts.connect(Path(folder)) as database:
        return _write(database, Path(folder), table, [], [])[form].read_bytes()
