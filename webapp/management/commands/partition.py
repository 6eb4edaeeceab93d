"""Go on in a new partition of the table of measurements: what is there stays in partitions that no new archive goes into.

Rows of closed partitions still change where their archives are read again, withdrawn or deleted.

The first time the plain table becomes the first partition; each further time the one that is open is closed. No row is written
again, each is read once to check its id, while the site goes on; it waits for a moment while the tables are exchanged.

The check of ids would refuse new measurements once their ids have come to its bound. Where the command is killed, `reconcile`
takes it away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection, transaction

from webapp.models.sql import fetch_row, fetch_rows
from webapp.storage.locks import try_lock
from webapp.storage.pg_copy import IDS_LOCK

TABLE = "webapp_measurement"
GAP = 10**9
"""Ids left to what is stored while the rows are checked; the new partition begins behind them."""
TRIES, LOCK_SECONDS = 30, 2.0
"""How often, and how long, it waits for those who read or write the table: as long, others wait behind it."""
_RUNNING = 0x5041_5254  # "PART": key of the advisory lock of the one process that makes a partition
_CHECK = "webapp_measurement_ids_of_partition"
_PARTITIONS = f"""
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid), pg_table_size(c.oid), pg_indexes_size(c.oid)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '{TABLE}'::regclass
ORDER BY length(c.relname), c.relname
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        with try_lock(_RUNNING) as is_locked:
            if not is_locked:
                raise CommandError("Another process makes a partition.")
            self._make()

    def _make(self) -> None:
        start = time.monotonic()
        name, first = _find_open()
        if not fetch_row(f"SELECT EXISTS (SELECT FROM {name})")[0]:  # noqa: S608 names and conditions are constants of the code; values are parameters
            self.stdout.write("The open partition is empty; nothing was changed.")
            return
        (last,) = fetch_row(f"SELECT last_value FROM {TABLE}_id_seq")  # noqa: S608 names and conditions are constants of the code; values are parameters
        beyond = last + GAP
        # A valid constraint says what the bounds of the partition will, so that no row is read while the table is locked.
        lower = "" if first is None else f"id >= {first} AND "
        _locked(name, lambda: _add_check(name, f"{lower}id < {beyond}"))
        try:
            _execute(f"ALTER TABLE {name} VALIDATE CONSTRAINT {_CHECK}")
            _locked(TABLE, lambda: _partition_table(beyond) if first is None else _close_partition(name, first, beyond))
        except BaseException:
            _drop_check(name)
            raise
        # Autovacuum analyses the partitions, but not the partitioned table.
        _execute(f"ANALYZE {TABLE}")
        self.stdout.write(f"Done in {time.monotonic() - start:.1f} s. Measurements from id {beyond} on go into a new partition.")
        for name, bounds, table, indexes in fetch_rows(_PARTITIONS):
            self.stdout.write(
                f"  {name}: {bounds.removeprefix('FOR VALUES ')}, {table / 1e6:,.1f} MB and {indexes / 1e6:,.1f} MB of indexes"
            )


def drop_left_check() -> bool:
    """Drop the check of ids that a killed process has left, unless the table is in use just now; whether it is done."""
    left = fetch_rows("SELECT conrelid::regclass::text FROM pg_constraint WHERE conname = %s", [_CHECK])
    if not left:
        return False
    with try_lock(_RUNNING) as is_locked, suppress(CommandError):
        if is_locked:
            _drop_check(left[0][0], tries=1)
            return True
    return False


def _find_open() -> tuple[str, int | None]:
    """The table that new measurements go into, and its first id; None of the plain table."""
    if fetch_row("SELECT relkind <> 'p' FROM pg_class WHERE oid = %s::regclass", [TABLE])[0]:
        return TABLE, None
    name, bounds, *_ = fetch_rows(_PARTITIONS)[-1]
    return name, int(bounds.split("('")[1].split("')")[0])


def _locked(table: str, change: Callable[[], object], tries: int | None = None) -> None:
    """Change the table with nobody else at it, in one transaction, tried again where it had to wait for long or in a circle.

    `tries`: how often (default: TRIES). Raises CommandError where the table does not become free.
    """
    for _ in range(tries or TRIES):
        try:
            with transaction.atomic():
                _execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
                fetch_row("SELECT pg_advisory_xact_lock(%s)", [IDS_LOCK])
                _execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                change()
                _execute("SET LOCAL lock_timeout = 0")
            return
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") not in ("55P03", "40P01"):  # lock_not_available, deadlock_detected
                raise
            time.sleep(LOCK_SECONDS / 2)
    raise CommandError("The table of measurements was in use all the time: no partition was made. Run this again later.")


def _add_check(name: str, condition: str) -> None:
    _execute(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {_CHECK}")
    _execute(f"ALTER TABLE {name} ADD CONSTRAINT {_CHECK} CHECK ({condition}) NOT VALID")


def _drop_check(name: str, tries: int | None = None) -> None:
    _locked(name, lambda: _execute(f"ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {_CHECK}"), tries)


def _partition_table(beyond: int) -> None:
    """Make the plain table the partition of all ids below `beyond`, and open the next."""
    _execute(f"ALTER TABLE {TABLE} RENAME TO {TABLE}_p1")
    _execute(f"ALTER INDEX {TABLE}_pkey RENAME TO {TABLE}_p1_pkey")
    _execute(f"ALTER TABLE {TABLE}_p1 ALTER id DROP IDENTITY")
    _execute(
        f"CREATE TABLE {TABLE} (LIKE {TABLE}_p1 INCLUDING DEFAULTS INCLUDING STORAGE, PRIMARY KEY (id)) PARTITION BY RANGE (id)"
    )
    _execute(f"CREATE SEQUENCE {TABLE}_id_seq START WITH {beyond} OWNED BY {TABLE}.id")
    _execute(f"ALTER TABLE {TABLE} ALTER id SET DEFAULT nextval('{TABLE}_id_seq')")
    _attach(f"{TABLE}_p1", "MINVALUE", beyond, 2)


def _close_partition(name: str, first: int, beyond: int) -> None:
    """End the open partition at `beyond`, and open the next."""
    number = len(fetch_rows(_PARTITIONS)) + 1
    _execute(f"ALTER TABLE {TABLE} DETACH PARTITION {name}")
    _attach(name, str(first), beyond, number)
    fetch_row("SELECT setval(%s::regclass, %s, false)", [f"{TABLE}_id_seq", beyond])  # last: a rollback leaves it


def _attach(name: str, first: str, beyond: int, number: int) -> None:
    _execute(f"ALTER TABLE {TABLE} ATTACH PARTITION {name} FOR VALUES FROM ({first}) TO ({beyond})")
    _execute(f"ALTER TABLE {name} DROP CONSTRAINT {_CHECK}")
    _execute(f"CREATE TABLE {TABLE}_p{number} PARTITION OF {TABLE} FOR VALUES FROM ({beyond}) TO (MAXVALUE)")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
