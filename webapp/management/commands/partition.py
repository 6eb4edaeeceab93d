"""Go on in a new partition of the table of measurements: what is there stays in partitions that no upload touches any more.

The first time the plain table becomes the first partition; each further time the one that is open is closed. No row is written
again, each is read once to check its id. Nothing else may use the database meanwhile.
"""

from __future__ import annotations

import time

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

TABLE = "webapp_measurement"
_OTHER_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
_PARTITIONS = f"""
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid), pg_table_size(c.oid), pg_indexes_size(c.oid)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '{TABLE}'::regclass
ORDER BY length(c.relname), c.relname
"""  # noqa: S608 names and conditions are constants of the code; values are parameters


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        (others,) = _row(_OTHER_CONNECTIONS)
        if others:
            raise CommandError(
                f"{others} other connections use the database. Stop script/server (and whatever else uses it), then run this again."
            )
        start = time.monotonic()
        with transaction.atomic():
            _execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
            # Beyond all reserved ids, also those of transactions that were rolled back.
            last, called = _row(f"SELECT last_value, is_called FROM {TABLE}_id_seq")  # noqa: S608 names and conditions are constants of the code; values are parameters
            beyond = last + 1 if called else last
            is_changed = _close_partition(beyond) if _is_partitioned() else _partition_table(beyond)
        if not is_changed:
            self.stdout.write("The open partition is empty; nothing was changed.")
            return
        # Autovacuum analyses the partitions, but not the partitioned table.
        _execute(f"ANALYZE {TABLE}")
        self.stdout.write(f"Done in {time.monotonic() - start:.1f} s. Measurements from id {beyond} on go into a new partition.")
        for name, bounds, table, indexes in _rows(_PARTITIONS):
            self.stdout.write(
                f"  {name}: {bounds.removeprefix('FOR VALUES ')}, {table / 1e6:,.1f} MB and {indexes / 1e6:,.1f} MB of indexes"
            )


def _is_partitioned() -> bool:
    return _row("SELECT relkind = 'p' FROM pg_class WHERE oid = %s::regclass", TABLE)[0]


def _partition_table(beyond: int) -> bool:
    """Make the plain table the partition of all ids below `beyond`, and open the next."""
    _execute(f"ALTER TABLE {TABLE} RENAME TO {TABLE}_p1")
    _execute(f"ALTER INDEX {TABLE}_pkey RENAME TO {TABLE}_p1_pkey")
    _execute(f"ALTER TABLE {TABLE}_p1 ALTER id DROP IDENTITY")
    _execute(
        f"CREATE TABLE {TABLE} (LIKE {TABLE}_p1 INCLUDING DEFAULTS INCLUDING STORAGE, PRIMARY KEY (id)) PARTITION BY RANGE (id)"
    )
    _execute(f"CREATE SEQUENCE {TABLE}_id_seq START WITH {beyond} OWNED BY {TABLE}.id")
    _execute(f"ALTER TABLE {TABLE} ALTER id SET DEFAULT nextval('{TABLE}_id_seq')")
    _execute(f"ALTER TABLE {TABLE} ATTACH PARTITION {TABLE}_p1 FOR VALUES FROM (MINVALUE) TO ({beyond})")
    _open_partition(2, beyond)
    return True


def _close_partition(beyond: int) -> bool:
    """End the open partition at `beyond`, and open the next; False where it is empty."""
    partitions = _rows(_PARTITIONS)
    name, bounds, *_ = partitions[-1]
    first = bounds.split("('")[1].split("')")[0]
    if int(first) == beyond:
        return False
    _execute(f"ALTER TABLE {TABLE} DETACH PARTITION {name}")
    _execute(f"ALTER TABLE {TABLE} ATTACH PARTITION {name} FOR VALUES FROM ({first}) TO ({beyond})")
    _open_partition(len(partitions) + 1, beyond)
    return True


def _open_partition(number: int, first: int) -> None:
    _execute(f"CREATE TABLE {TABLE}_p{number} PARTITION OF {TABLE} FOR VALUES FROM ({first}) TO (MAXVALUE)")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(query: str, *args: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, args or None)
        return cursor.fetchall()


def _row(query: str, *args: str) -> tuple:
    return _rows(query, *args)[0]
