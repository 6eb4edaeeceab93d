"""Many archives at once: CPU a value of `manage.py ingest` and `manage.py reread`, client and database, by the number of archives.

The archives are those of data.py, the first ones of a larger number those of a smaller one. Reading all of a database again, or the
same first ones of each, is measured in turns, without the start of the command: as they are; with a reader that finds one more key,
so that every value gets another configuration; and with the reader before it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from benches import common, data
from benches.growing.meter import Meter

from webapp.infrastructure.embedded_postgres import Cluster

SMALL = ("--archives", "3,6", "--values", "300", "--again", "2", "--rounds", "1")
_MANAGE = "from django.core.management import execute_from_command_line; execute_from_command_line()"
_ONE_KEY_MORE = f"""
from webapp.storage import batch
before = batch.make_configuration_row
batch.make_configuration_row = lambda config, *args: before(dict(config, **{{"fs.type": "another"}}), *args)
{_MANAGE}
"""
READINGS = {"again": _MANAGE, "again, one key more": _ONE_KEY_MORE, "again, as before": _MANAGE}
Spent = tuple[float, float]
"""Seconds of CPU: of the client, of the server."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--archives", type=common.parse_sizes, default=(20, 200), help="numbers of archives (default: 20,200)")
    parser.add_argument("--values", type=int, default=1000, help="of each archive, about (default: 1000)")
    parser.add_argument("--again", type=int, default=0, help="archives that are read again (default: all of each database)")
    parser.add_argument("--rounds", type=int, default=5, help="of reading again (default: 5)")
    parser.add_argument("--jobs", type=int, default=1, help="archives that `ingest` reads at the same time (default: 1)")
    parser.add_argument("--statements", type=int, default=0, help="print so many of the statements that took longest")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Microseconds of CPU a value, the client's and the server's apart, and the growth from the least to the most archives."""
    spent: dict[tuple[str, int], list[Spent]] = {}
    with common.scratch_folder() as place, ExitStack() as stack:
        # Each archive has some more than it should, so that fewer of them have all.
        paths = [str(path) for path in data.archives(place / "raw", 3 * max(args.archives) * args.values // 2, args.values)]
        sites = {count: FilledDatabase(place / f"of{count}", args.statements, stack) for count in sorted(args.archives)}
        for count, site in sites.items():
            first = site.spend("ingest", "--jobs", str(args.jobs), paths[0])
            spent["first", count] = [site.cost(["ingest", "--jobs", str(args.jobs), *paths[1:count]], first)]
        _read_again(args, sites, spent)
    return {
        f"{reading}, {count} archives, us of CPU a value [median, min, max; client; server]": [
            *common.spread_of([sum(one) for one in costs]),
            *(common.spread_of([one[at] for one in costs])[0] for at in (0, 1)),
        ]
        for (reading, count), costs in spent.items()
    } | {
        f"{reading}: CPU a value, most archives / fewest [median, min, max]": _growth(spent, reading, sites)
        for reading in ("first", *READINGS)
    }


def _read_again(args: argparse.Namespace, sites: dict[int, FilledDatabase], spent: dict[tuple[str, int], list[Spent]]) -> None:
    """Each reading in each database in turns, so that all have the same share of a busy machine."""
    for _ in range(args.rounds):
        starts = {count: site.spend("reread", *site.first(1)) for count, site in sites.items()}
        for reading, code in READINGS.items():
            for count, site in sites.items():
                again = min(args.again or count, count)
                spent.setdefault((reading, count), []).append(site.reread(again, starts[count], reading, code))


def _growth(spent: dict[tuple[str, int], list[Spent]], reading: str, counts: dict[int, FilledDatabase]) -> list[float]:
    """Of each round."""
    few, many = spent[reading, min(counts)], spent[reading, max(counts)]
    return common.spread_of([sum(more) / sum(less) for less, more in zip(few, many, strict=True)], 3)


class FilledDatabase:
    """A database of its own, with its server."""

    def __init__(self, folder: Path, statements: int, stack: ExitStack) -> None:
        self.folder, self.statements = folder, statements
        common.manage(folder, "prepare")
        self.cluster = Cluster(folder)
        self.cluster.start(*(["shared_preload_libraries=pg_stat_statements"] if statements else []))
        stack.callback(self.cluster.stop)
        assert self.cluster.process is not None
        self.server = Meter(self.cluster.process.pid)
        if statements:
            self.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")

    def first(self, archives: int) -> list[str]:
        """The ids of the first archives."""
        return [str(pk) for (pk,) in self.query("SELECT id FROM webapp_archive ORDER BY id LIMIT %s", archives)]

    def reread(self, archives: int, start: Spent, label: str, code: str) -> Spent:
        """Microseconds a value to read the first archives again. `start`: what it takes to read the very first one."""
        ids = self.first(archives)
        ((values,),) = self.query("SELECT sum(measurements) FROM webapp_archive WHERE id = ANY(%s)", list(map(int, ids[1:])))
        self._reset()
        return self._per_value(self.spend("reread", *ids, code=code), start, int(values), label)

    def cost(self, command: list[str], start: Spent) -> Spent:
        """Microseconds a value of a command that reads archives for the first time; `start`: what it takes to read another one."""
        before = self._values()
        self._reset()
        spent = self.spend(*command)
        values, archives = self._values() - before, len(command) - 3
        return self._per_value(spent, start, values * (archives - 1) // archives if archives > 1 else values, "first")

    def _per_value(self, spent: Spent, start: Spent, values: int, label: str) -> Spent:
        client, server = (1e6 * (all_ - one) / values for all_, one in zip(spent, start, strict=True))
        print(f"{self.folder.name}, {label}: {values} values, {client:.1f} + {server:.1f} us", file=sys.stderr)
        self._show_statements(values)
        return client, server

    def spend(self, *command: str, code: str = _MANAGE) -> Spent:
        """Run `manage.py COMMAND` on the server."""
        before, server = os.times(), self.server.of_server()
        subprocess.run(
            [sys.executable, "-c", code, *command],
            cwd=common.ROOT,
            env={
                **os.environ,
                **common.clean_environment(self.folder, DATABASE_URL=self.cluster.url),
                "DJANGO_SETTINGS_MODULE": "webapp.settings",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
        client = after.children_user + after.children_system - before.children_user - before.children_system
        return client, self.server.of_server() - server

    def query(self, statement: str, *values: object) -> list[tuple]:
        import psycopg

        with psycopg.connect(self.cluster.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def _values(self) -> int:
        return int(self.query("SELECT coalesce(sum(measurements), 0) FROM webapp_archive")[0][0])

    def _reset(self) -> None:
        if self.statements:
            self.query("SELECT pg_stat_statements_reset()")

    def _show_statements(self, values: int) -> None:
        """Print the longest statements since the last time: microseconds a value, calls, rows."""
        if self.statements:
            for time, calls, rows, text in self.query(_LONGEST, self.statements):
                print(f"  {1e3 * time / values:8.2f} us {calls:7} calls {rows:9} rows  {text[:150]}", file=sys.stderr)


_LONGEST = """SELECT total_exec_time, calls, rows, regexp_replace(query, '\\s+', ' ', 'g') FROM pg_stat_statements
ORDER BY total_exec_time DESC LIMIT %s"""
