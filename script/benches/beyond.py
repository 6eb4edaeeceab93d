"""Options for more than one machine, at small scale: more ingest processes, partitions, a read replica."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from benches import common, data

from webapp.infrastructure.embedded_postgres import Cluster, find_binary

SMALL = ("--measurements", "8000")
EACH, READERS = 5_000, (1, 2, 4)
PAGES = (
    "/",
    "/compare?metric=write.throughput&x=compression",
    "/compare.csv?metric=seek.rate&x=compression",
    "/archives",
    "/archives/1",
    "/archives/2",
    "/systems",
    "/systems/1",
    "/configurations/1",
    "/runs/1",
    "/studies",
    "/honesty",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--measurements", type=int, default=60_000, help="ingested for each number of readers (default: 60000)")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Figures of the three; ends with a sentence where a page, a row or an archive is not what it should be."""
    with common.scratch_folder() as place:
        folder = place / "data"
        common.manage(folder, "prepare")
        found = {}
        for step in (_readers(folder, place, args.measurements), _partitions(folder, place), _replica(folder, place)):
            for name, value in step:
                found[name] = value
                print(f"  {name}: {value}", file=sys.stderr, flush=True)
        return found


Figures = Iterator[tuple[str, object]]


@contextmanager
def _server(folder: Path, *settings: str) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        cluster.start(*settings)
        yield cluster
    finally:
        cluster.stop()


def _asked(url: str, query: str) -> list[tuple]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query).fetchall()


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise SystemExit(sentence)


def _readers(folder: Path, place: Path, measurements: int) -> Figures:
    """Archives per second by number of ingest processes; checks that all archives are read, without deadlocks."""
    wanted = 0
    for at, readers in enumerate(READERS):
        paths = data.archives(place / f"read{at}", measurements, EACH, seed=50 + at)
        wanted += len(paths)
        begin = time.perf_counter()
        common.manage(folder, "ingest", "--jobs", str(readers), *map(str, paths))
        yield f"{readers} readers, archives of {EACH:,} a second", round(len(paths) / (time.perf_counter() - begin), 2)
    with _server(folder) as cluster:
        read = _asked(cluster.url, "SELECT count(*) FROM webapp_archive WHERE state = 'read'")[0][0]
        _must(read == wanted, f"{read} of {wanted} archives were read")
        yield "deadlocks", _asked(cluster.url, "SELECT deadlocks FROM pg_stat_database WHERE datname = 'poolmark'")[0][0]


def _partitions(folder: Path, place: Path) -> Figures:
    """`manage.py partition` on what is there: the same export and pages; a further upload goes into the new one."""
    before = _shown(folder)
    begin = time.perf_counter()
    yield "manage.py partition", common.manage(folder, "partition").strip().splitlines()
    yield "manage.py partition, s", round(time.perf_counter() - begin, 2)
    _must(_shown(folder) == before, "after the partitioning a page or the export differs")
    yield "pages and export as before", f"{len(before)} of {len(before)}, byte for byte"
    common.manage(folder, "ingest", *map(str, data.archives(place / "more", EACH, EACH, seed=70)))
    with _server(folder) as cluster:
        yield (
            "measurements by partition",
            _asked(cluster.url, "SELECT tableoid::regclass::text, count(*) FROM webapp_measurement GROUP BY 1 ORDER BY 1"),
        )
        yield from _copied(cluster.url)
        plan = "\n".join(row[0] for row in _asked(cluster.url, f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) {_VALUES}"))
        yield (
            "partitions that the values of a configuration were looked up in",
            sorted(
                {
                    line.split(" on ")[1].split()[0]
                    for line in plan.splitlines()
                    if " on webapp_measurement_p" in line and "never executed" not in line
                }
            ),
        )


_VALUES = """
SELECT m.metric_id, m.value FROM webapp_run r CROSS JOIN LATERAL (SELECT * FROM webapp_measurement n
WHERE n.id >= r.first_measurement AND n.id < r.first_measurement + r.measurements OFFSET 0) m WHERE r.configuration_id = 1
AND r.first_measurement < (SELECT min(id) FROM webapp_measurement) + 5000
"""


def _copied(url: str) -> Figures:
    """COPY of all measurements into a plain table and into four partitions, each with its key; rounds interleaved."""
    rates: dict[str, list[float]] = {"a plain table": [], "four partitions": []}
    with psycopg.connect(url, autocommit=True) as connection:
        first, last = connection.execute("SELECT min(id), max(id) + 1 FROM webapp_measurement").fetchone()
        with connection.cursor().copy("COPY (SELECT * FROM webapp_measurement) TO STDOUT") as copy:
            rows = [bytes(block) for block in copy]
        for _ in range(3):
            for name in rates:
                connection.execute(
                    "CREATE TABLE bench (LIKE webapp_measurement, PRIMARY KEY (id))"
                    + (" PARTITION BY RANGE (id)" if name != "a plain table" else "")
                )
                for part in range(4 if name != "a plain table" else 0):
                    low, high = (first + (last - first) * at // 4 for at in (part, part + 1))
                    connection.execute(f"CREATE TABLE bench_{part} PARTITION OF bench FOR VALUES FROM ({low}) TO ({high})")
                begin = time.perf_counter()
                with connection.cursor().copy("COPY bench FROM STDIN") as copy:
                    for block in rows:
                        copy.write(block)
                rates[name].append(len(rows) / (time.perf_counter() - begin))
                indexes = connection.execute(
                    "SELECT sum(pg_indexes_size(oid)) FROM pg_class WHERE relname LIKE 'bench%' AND relkind = 'r'"
                ).fetchone()[0]
                connection.execute("DROP TABLE bench")
                if len(rates[name]) == 1:
                    yield f"{name}: indexes, bytes a measurement", round(float(indexes) / len(rows), 1)
    for name, found in rates.items():
        yield f"COPY into {name}, rows/s", common.spread_of(found, 3)


def _shown(folder: Path) -> list[str]:
    """Digests of the export and of each page."""
    export = hashlib.sha256(common.manage(folder, "export", "--format", "jsonl").encode()).hexdigest()
    return [export, *json.loads(common.manage(folder, "shell", "--no-imports", "-c", _DIGESTS).splitlines()[-1])]


_DIGESTS = f"""
import hashlib, json
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS.append("testserver")
pages = [Client().get(page) for page in {PAGES!r}]
assert all(page.status_code == 200 for page in pages), pages
print(json.dumps([hashlib.sha256(page.content).hexdigest() for page in pages]))
"""


def _replica(folder: Path, place: Path) -> Figures:
    """A hot standby of the embedded server, and the product with it: who answers, how late, and what if it ends."""
    standby = Cluster(place / "standby")
    with _server(folder) as first:
        begin = time.perf_counter()
        done = subprocess.run(
            [
                find_binary("pg_basebackup"),
                "-h",
                str(first.sockets),
                "-p",
                "5432",
                "-U",
                "postgres",
                "-D",
                str(standby.folder),
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
            ],
            capture_output=True,
            text=True,
        )
        _must(done.returncode == 0, f"pg_basebackup failed: {done.stderr}")
        yield "pg_basebackup -R, s", round(time.perf_counter() - begin, 2)
        try:
            standby.start()
            _must(_asked(standby.url, "SELECT pg_is_in_recovery()") == [(True,)], "the standby does not follow")
            with common.run_product(folder, DATABASE_URL=first.url, POOLMARK_PAGE_CACHE="0") as alone:
                wanted = _pages(alone)
            with common.run_product(
                folder, DATABASE_URL=first.url, DATABASE_REPLICA_URL=standby.url, POOLMARK_PAGE_CACHE="0"
            ) as both:
                yield from _served(both, first, standby, wanted)
                yield "standby has a new data version after, ms", _lag(folder, place, first, standby)
                _must(_pages(both) != wanted, "the pages of the standby do not show the new archive")
                standby.stop()
                _must(len(_pages(both)) == len(PAGES), "without the standby a page is missing")
                yield "pages without the standby", f"{len(PAGES)} of {len(PAGES)}"
        finally:
            standby.stop()


def _pages(address: str) -> list[bytes]:
    found = []
    for page in PAGES:
        with urllib.request.urlopen(address + page) as answer:
            found.append(answer.read())
    return found


def _served(address: str, first: Cluster, standby: Cluster, wanted: list[bytes]) -> Figures:
    """The same pages, and how many transactions of either server they took."""
    _pages(address)  # opens the connections
    before = [_transactions(one) for one in (first, standby)]
    same = sum(one == other for one, other in zip(_pages(address), wanted, strict=True))
    _must(same == len(PAGES), f"only {same} of {len(PAGES)} pages are those of the first server")
    yield "pages with the standby as without", f"{same} of {len(PAGES)}, byte for byte"
    time.sleep(1.5)  # the servers report their counts once a second
    counts = [_transactions(one) - then for one, then in zip((first, standby), before, strict=True)]
    yield "transactions for these pages [first server, standby]", counts


def _transactions(cluster: Cluster) -> int:
    return _asked(cluster.url, "SELECT xact_commit FROM pg_stat_database WHERE datname = 'poolmark'")[0][0]


def _lag(folder: Path, place: Path, first: Cluster, standby: Cluster) -> float:
    """From the moment at which the first server has the version of a further archive to that at which the standby has it."""
    path = data.archives(place / "late", EACH, EACH, seed=80)[0]
    with psycopg.connect(first.url, autocommit=True) as one, psycopg.connect(standby.url, autocommit=True) as other:
        query = "SELECT number FROM webapp_dataversion"
        old = one.execute(query).fetchone()
        env = {**common.clean_environment(folder), "DATABASE_URL": first.url}
        ingest = subprocess.Popen(
            [sys.executable, "manage.py", "ingest", str(path)],
            cwd=common.ROOT,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **env},
        )
        while one.execute(query).fetchone() == old and ingest.poll() is None:
            time.sleep(0.0005)
        begin = time.perf_counter()
        new = one.execute(query).fetchone()
        while other.execute(query).fetchone() != new:
            time.sleep(0.0005)
        late = time.perf_counter() - begin
        _must(ingest.wait() == 0, "an archive could not be read")
    return round(1e3 * late, 1)
