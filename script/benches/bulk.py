"""Many archives at once: CPU a value of `manage.py ingest` and `manage.py reread`, client and database, by the number of archives.

The archives are those of data.py, the first ones of a larger number those of a smaller one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from benches import common, data
from benches.growing.meter import Meter

from webapp.infrastructure.embedded_postgres import Cluster

SMALL = ("--archives", "3,6", "--values", "300")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--archives", type=common.parse_sizes, default=(20, 200), help="numbers of archives (default: 20,200)")
    parser.add_argument("--values", type=int, default=1000, help="of each archive, about (default: 1000)")
    parser.add_argument("--jobs", type=int, default=1, help="archives that `ingest` reads at the same time (default: 1)")
    parser.add_argument("--statements", type=int, default=0, help="print so many of the statements that took longest")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Microseconds of CPU a value, the client's and the server's apart, and the growth from the least to the most archives."""
    found: dict[str, object] = {}
    totals: dict[str, list[float]] = {"ingest": [], "reread": []}
    with common.scratch_folder() as place:
        # Each archive has some more than it should, so that fewer of them have all.
        paths = data.archives(place / "raw", 3 * max(args.archives) * args.values // 2, args.values)
        for count in sorted(args.archives):
            for job, client, server in _measured(place / f"of{count}", [str(path) for path in paths[:count]], args):
                found[f"{job} of {count} archives, us of CPU a value [all, client, server]"] = [
                    float(f"{figure:.4g}") for figure in (client + server, client, server)
                ]
                totals[job].append(client + server)
    return found | {f"{job}: most archives / fewest": round(us[-1] / us[0], 3) for job, us in totals.items()}


def _measured(folder: Path, paths: list[str], args: argparse.Namespace) -> list[tuple[str, float, float]]:
    """(job, client, server) in microseconds a value."""
    common.manage(folder, "prepare")
    cluster, found = Cluster(folder), []
    cluster.start(*(["shared_preload_libraries=pg_stat_statements"] if args.statements else []))
    assert cluster.process is not None
    server = Meter(cluster.process.pid)
    try:
        if args.statements:
            _query(cluster, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        for job, command in (("ingest", ["ingest", "--jobs", str(args.jobs), *paths]), ("reread", ["reread"])):
            before = server.of_server()
            client = _run(folder, cluster.url, command)
            spent = server.of_server() - before
            ((values,),) = _query(cluster, "SELECT sum(measurements) FROM webapp_archive")
            found.append((job, 1e6 * client / int(values), 1e6 * spent / int(values)))
            print(f"{job} of {len(paths)} archives, {values} values: {found[-1][1]:.1f} + {found[-1][2]:.1f} us", file=sys.stderr)
            _show_statements(cluster, args.statements, int(values))
    finally:
        cluster.stop()
    return found


def _run(folder: Path, url: str, command: list[str]) -> float:
    """Run `manage.py COMMAND` on the server; its seconds of CPU, with those of its processes."""
    before = os.times()
    subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=common.ROOT,
        env={**os.environ, **common.clean_environment(folder, DATABASE_URL=url)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _query(cluster: Cluster, statement: str) -> list[tuple]:
    import psycopg

    with psycopg.connect(cluster.url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


_LONGEST = """SELECT total_exec_time, calls, rows, regexp_replace(query, '\\s+', ' ', 'g') FROM pg_stat_statements
ORDER BY total_exec_time DESC LIMIT {}"""


def _show_statements(cluster: Cluster, most: int, values: int) -> None:
    """Print the longest statements since the last time: microseconds a value, calls, rows."""
    if most:
        for time, calls, rows, text in _query(cluster, _LONGEST.format(most)):
            print(f"  {1e3 * time / values:8.2f} us {calls:7} calls {rows:9} rows  {text[:150]}", file=sys.stderr)
        _query(cluster, "SELECT pg_stat_statements_reset()")
