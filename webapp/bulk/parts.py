"""One part of the public data: a closed range of archives as Parquet, CSV and JSON Lines."""

from __future__ import annotations

import gzip
import hashlib
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from webapp.bulk import schema
from webapp.bulk.queries import ArchiveState, Withdrawn, fingerprint
from webapp.files import stores
from webapp.formats.export import write_identified_jsonl

# DuckDB in this process, within limits of memory.

MEMORY = "384MB"


@contextmanager
def connect(folder: Path) -> Iterator[Any]:
    """A connection whose tables and spilled rows are in the folder, in one thread, without network and extensions."""
    import duckdb  # here, since it takes a tenth of a second and most processes never need it

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": 1,
        "temp_directory": str(folder / "spill"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    connection = duckdb.connect(folder / "work.duckdb", config=config)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection
    finally:
        connection.close()


def quoted(path: Path) -> str:
    """A path as a literal."""
    return "'" + str(path).replace("'", "''") + "'"


ORDER = "metric, configuration, workload, archive, id, file, line"
ROW_GROUP = 20_480
ENDINGS = {"parquet": "parquet", "csv": "csv.gz", "jsonl": "jsonl.gz"}
Part = dict[str, Any]


@contextmanager
def working_folder() -> Iterator[Path]:
    """An empty folder until the context ends."""
    root = Path(settings.POOLMARK_DATA) / "work"
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix="public-data-") as name:
        yield Path(name)


def make(states: list[ArchiveState]) -> Part:
    """Write the rows of these archives and put their files into the store. The caller has a snapshot of the database."""
    with working_folder() as folder:
        records = folder / "records.jsonl.gz"
        with gzip.open(records, "wb", compresslevel=1) as packed, io.TextIOWrapper(packed, "utf-8", newline="") as out:
            write_identified_jsonl([(state.id, state.has_ranks, state.unmeasured > 0) for state in states], out)
        with connect(folder) as database:
            columns = ", ".join(f"'{name}': '{type_}'" for name, type_ in schema.RECORD_TYPES.items())
            source = f"read_json({quoted(records)}, format = 'newline_delimited', columns = {{{columns}}})"
            database.execute(f"CREATE TABLE records AS SELECT {schema.EXTRACTED} FROM {source}")  # noqa: S608 see below
            files, counts = _write(database, f"SELECT {schema.SELECTED} FROM records", folder)  # noqa: S608 names are constants of the code; paths are quoted
    withdrawn = sorted({pk for state in states for pk in state.withdrawals or ()})
    return {
        "archives": [state.id for state in states],
        "withdrawn": withdrawn,
        "state": fingerprint(states),
        **counts,
        "files": files,
    }


def without(part: Part, archives: set[int], withdrawn: list[Withdrawn]) -> Part | None:
    """The part without these archives and withdrawn values; None where no archive is left.

    Of several values of one place (file, line, metric, native name) all go with the one that was withdrawn: which of them it is
    cannot be known any more from the files. The next edition has the others again.
    """
    left = [pk for pk in part["archives"] if pk not in archives]
    if not left:
        return None
    with working_folder() as folder, stores.local(key_of(part["files"]["parquet"])) as path, connect(folder) as database:
        database.execute("CREATE TABLE gone_archive (archive BIGINT)")
        database.execute("CREATE TABLE gone (archive BIGINT, file VARCHAR, line VARCHAR, metric VARCHAR, native VARCHAR)")
        if archives:
            database.executemany("INSERT INTO gone_archive VALUES (?)", [[pk] for pk in sorted(archives)])
        if withdrawn:
            database.executemany("INSERT INTO gone VALUES (?, ?, ?, ?, ?)", [list(one[1:]) for one in withdrawn])
        columns = _columns_of(database, path)
        files, counts = _write(
            database,
            f"""SELECT {columns} FROM read_parquet({quoted(path)}) AS kept
            WHERE archive NOT IN (SELECT archive FROM gone_archive) AND NOT EXISTS (
                SELECT 1 FROM gone WHERE gone.archive = kept.archive AND gone.file = kept.file AND (gone.line = ''
                    OR (gone.line = kept.line AND gone.metric = kept.metric AND gone.native = kept.native)))
            """,  # noqa: S608 names are constants of the code; paths are quoted
            folder,
        )
    known = sorted({*part["withdrawn"], *(one.id for one in withdrawn)})
    return {"archives": left, "withdrawn": known, "state": "", **counts, "files": files}


def _columns_of(database: Any, path: Path) -> str:
    """Today's columns, null where a part of an earlier format has them not."""
    there = {row[0] for row in database.execute(f"DESCRIBE FROM read_parquet({quoted(path)})").fetchall()}
    names = {column.name: "" if column.name in there else f"NULL::{column.type} AS " for column in schema.COLUMNS}
    return ", ".join(f'{null}"{name}"' for name, null in names.items())


def _write(database: Any, selected: str, folder: Path) -> tuple[dict[str, dict[str, Any]], dict[str, int]]:
    """Write the selected rows, sorted, in each form, and store them: (digest and size by form, numbers of rows)."""
    paths = copy(database, f"SELECT * FROM ({selected}) ORDER BY {ORDER}", schema.COLUMNS, folder, "rows")  # noqa: S608 names are constants of the code; paths are quoted
    rows = source([paths["parquet"]])
    counted = f"SELECT count(*) FILTER (type = 'measurement'), count(*) FILTER (type = 'unmeasured') FROM {rows}"  # noqa: S608 as above
    measurements, unmeasured = database.execute(counted).fetchone()
    return {form: store(path) for form, path in paths.items()}, {"measurements": measurements, "unmeasured": unmeasured}


def source(paths: Iterable[Path], more: str = "") -> str:
    """The rows of Parquet files, for a FROM."""
    return f"read_parquet([{', '.join(map(quoted, paths))}]{more})"


def copy(database: Any, selected: str, columns: Sequence[schema.DataColumn], folder: Path, stem: str) -> dict[str, Path]:
    """Write the selected rows with these columns in each form into the folder: form -> file."""
    paths = {form: folder / f"{stem}.{ending}" for form, ending in ENDINGS.items()}
    database.execute(
        f"COPY ({selected}) TO {quoted(paths['parquet'])} "
        f"(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 9, ROW_GROUP_SIZE {ROW_GROUP})"
    )
    rows = f"FROM {source([paths['parquet']])}"
    csv, jsonl = schema.select_csv(columns), schema.select_jsonl(columns)
    database.execute(f"COPY (SELECT {csv} {rows}) TO {quoted(paths['csv'])} (FORMAT csv, HEADER, COMPRESSION gzip)")
    database.execute(f"COPY (SELECT {jsonl} {rows}) TO {quoted(paths['jsonl'])} (FORMAT json, COMPRESSION gzip)")
    return paths


def store(path: Path) -> dict[str, Any]:
    """Put a file into the store: its digest and size."""
    with path.open("rb") as file:
        kept = {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": path.stat().st_size}
    stores.current().put(key_of(kept), path)
    return kept


def key_of(file: dict[str, Any]) -> str:
    return stores.make_key("bulk", file["sha256"])


def keys_of(parts: Iterable[Part]) -> set[str]:
    """The keys of every file of these parts."""
    return {key_of(file) for part in parts for file in part["files"].values()}


def split(sizes: list[tuple[int, int]], most: int) -> Iterator[list[int]]:
    """Ids of consecutive archives with together at least `most` values, the last ones with fewer. What is uploaded later changes
    the last part alone."""
    ids, values = list[int](), 0
    for pk, size in sizes:
        ids.append(pk)
        values += size
        if values >= most:
            yield ids
            ids, values = [], 0
    if ids:
        yield ids
