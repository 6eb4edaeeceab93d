"""DuckDB in this process, within limits of memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
