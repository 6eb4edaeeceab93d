"""Migrations of the database: whether they are applied, for servers, and applying them before a command runs."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from psycopg.errors import DiskFull

from webapp.files import blobs
from webapp.files.stores import StoreError
from webapp.infrastructure.direct_connection import open_direct
from webapp.infrastructure.embedded_postgres import SERVER

_MIGRATE_LOCK = 0x4D494752  # "MIGR": key of the advisory lock for migrating
STUDIES_LOCK = 0x53545544  # "STUD": of that for loading the shipped studies
_complete = False
"""Whether this process has seen that every migration is applied."""


def prepare_database(say: Callable[[str], object]) -> None:
    """Make the tables of an empty database, as script/server does; migrate one that no server uses.

    Two queries where there is nothing to do. Raises CommandError where the database does not answer, or a server may
    use it.
    """
    try:
        missing, fresh = _missing()
    except OperationalError as error:
        raise CommandError(f"The database does not answer: {str(error).strip()}\n{_where()}") from error
    if not missing:
        return
    if not fresh and _is_served():
        raise CommandError(
            f"The database is behind this version of Poolmark by {len(missing)} migrations, the first of them "
            f"{missing[0]}. Restart script/server, or run `manage.py migrate` while no server uses it."
        )
    say("Preparing the database.")
    with alone_at_start():
        call_command("migrate", interactive=False, verbosity=0)


@contextmanager
def alone_at_start(key: int = _MIGRATE_LOCK) -> Iterator[None]:
    """Wait until no other machine makes tables or the owner (with STUDIES_LOCK: the shipped studies), and find them done then."""
    lock = open_direct()
    try:
        with lock.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [key])
        yield
    finally:
        lock.close()


def connect() -> None:
    """Raises OperationalError where the database cannot be reached."""
    connection.ensure_connection()


def has_tables() -> bool:
    """Whether some migration was applied: there may be data."""
    return not _missing()[1]


def _missing() -> tuple[list[str], bool]:
    """The migrations that are not applied, in order; and whether none is applied."""
    names = sorted(path.stem for path in (settings.BASE_DIR / "webapp" / "migrations").glob("[0-9]*.py"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations')")
        applied: set[str] = set()
        if cursor.fetchone()[0]:
            cursor.execute("SELECT name FROM django_migrations WHERE app = 'webapp'")
            applied = {name for (name,) in cursor.fetchall()}
    return [name for name in names if name not in applied], not applied


def unapplied() -> int:
    """How many migrations are missing. Once none is, only a query that the database answers. Raises DatabaseError."""
    global _complete
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if _complete:
        return 0
    executor = MigrationExecutor(connection)
    waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    _complete = not waiting
    return waiting


class DatabaseState(NamedTuple):
    """What the database says of itself."""

    is_read_only: bool
    """Whether it takes no writes: a standby, or one that was set so."""
    is_pooled: bool
    """Whether a pooler stands before it: the process that was named at the connection is not the one that answers."""


def read_database_state() -> DatabaseState:
    """Asked in one query. Raises DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on', pg_backend_pid()")
        is_read_only, backend = cursor.fetchone()
        return DatabaseState(is_read_only, backend != connection.connection.info.backend_pid)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the error or one that it came from says that a disk is full, that of the database included."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if isinstance(error, DiskFull | blobs.DiskFull):
            return True
        error = error.__cause__ or error.__context__
    return False


_STORAGE_ERRORS = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE, errno.ENOTCONN)


def storage_failure(error: BaseException | None) -> str:
    """Why a store or the data folder cannot be used, without paths, where the error or one that it came from says so."""
    while error is not None:
        if isinstance(error, StoreError):
            return str(error)
        if isinstance(error, OSError) and error.errno in _STORAGE_ERRORS:
            return os.strerror(error.errno)
        error = error.__cause__ or error.__context__
    return ""


_SITE_STATES = ("08", "25", "40", "53", "57")
"""Classes of SQLSTATE: connection, read-only transaction, conflict of transactions, resources (full disk), server going down."""


def is_site_failure(error: BaseException | None) -> bool:
    """Whether a disk, a store or the database failed, for which neither upload nor page is to blame: the same may succeed later."""
    # A sector that cannot be read may be the archive's own, which would wait for ever.
    if is_disk_full(error) or (getattr(error, "errno", None) != errno.EIO and storage_failure(error)):
        return True
    while error is not None and not isinstance(error, DatabaseError | InterfaceError):
        error = error.__cause__ or error.__context__
    if error is None:
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return isinstance(error, OperationalError | InterfaceError) if state is None else state[:2] in _SITE_STATES


def _is_served() -> bool:
    """Whether a server may be using the database: one named by DATABASE_URL, or a running script/server with the embedded one."""
    lock = settings.POOLMARK_DATA / "lock"
    return bool(os.environ.get("DATABASE_URL")) or (lock.exists() and lock.read_text() == SERVER)


def _where() -> str:
    if os.environ.get("DATABASE_URL"):
        return "Its address is that of DATABASE_URL; without this variable an embedded database is started."
    return "Its log is in the folder log/ of the data folder."
