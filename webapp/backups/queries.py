"""What a backup asks the database: its server, its state to be written down, and whether a restored one has that state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db import connection

from webapp.models import Archive, Collection, LogEntry, Permalink
from webapp.models.sql import fetch_row

LOG_FIELDS = ("number", "at", "kind", "subject", "sha256", "place", "reason", "previous", "hash")
_VARIABLES = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
_MORE_VARIABLES = {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """The server of the connection: its version, and the variables by which libpq's programs reach it."""

    major: int
    version: str
    env: dict[str, str]


def read_server() -> DatabaseServer:
    """The server. A password is handed to programs in a variable, which other users of the host do not see."""
    given = connection.get_connection_params()
    names = {**_VARIABLES, **_MORE_VARIABLES}
    env = {names[key]: str(value) for key, value in given.items() if key in names and value not in (None, "")}
    version = fetch_row("SHOW server_version")[0].split()[0]
    return DatabaseServer(int(version.split(".")[0]), version, env)


def is_empty() -> bool:
    """Whether the database has no table of ours."""
    return fetch_row("SELECT to_regclass('django_migrations')")[0] is None


def close() -> None:
    """End the connection, so that a server of our own can stop."""
    connection.close()


def read_database_size() -> int:
    """Bytes of the database."""
    return fetch_row("SELECT pg_database_size(current_database())")[0]


def read_archives() -> dict[int, tuple[str, int]]:
    """Id -> SHA-256 and size of the bytes of every archive."""
    return {pk: (sha256, size) for pk, sha256, size in Archive.objects.values_list("pk", "sha256", "size").iterator()}


def read_log() -> Iterator[dict[str, object]]:
    """The public log, in order."""
    return iter(LogEntry.objects.order_by("number").values(*LOG_FIELDS).iterator())


def read_digests() -> dict[str, str]:
    """`p/ID` or `c/ID` -> digest of every permalink and collection."""
    found: dict[str, str] = {}
    for prefix, model in (("p", Permalink), ("c", Collection)):
        found |= {f"{prefix}/{pk}": digest for pk, digest in model.objects.order_by("pk").values_list("pk", "digest")}
    return found


def read_counts() -> dict[str, int]:
    """Rows by kind."""
    measurements = int(fetch_row("SELECT coalesce(sum(measurements), 0) FROM webapp_archive")[0])
    return {
        "archives": Archive.objects.count(),
        "measurements": measurements,
        "permalinks": Permalink.objects.count(),
        "collections": Collection.objects.count(),
        "log_entries": LogEntry.objects.count(),
        "users": get_user_model().objects.count(),
    }


def read_log_hashes() -> dict[int, str]:
    """Number -> hash of every entry of the public log."""
    return dict(LogEntry.objects.values_list("number", "hash"))
