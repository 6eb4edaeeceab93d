"""Archives to committed rows and summary through `manage.py ingest`, beside bare COPY into the same server, interleaved."""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
import time
from pathlib import Path

from benches import common, data

ROWS = 1_000_000
SMALL = ("--measurements", "3000", "--rounds", "1")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--measurements", type=int, default=200_000, help="that each round ingests")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fill", type=int, default=0, help="measurements in the database before the first round")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Measurements a second with [median, min, max], rows a second of COPY, and the ratio of each round's two."""
    with common.scratch_folder() as place:
        folder = place / "data"
        common.manage(folder, "prepare")
        if args.fill:
            common.manage(folder, "ingest", *map(str, data.archives(place / "fill", args.fill, seed=7)))
        rates, copies, ratios, offered = [], [], [], []
        for number in range(args.rounds):
            archives = data.archives(place / f"round{number}", args.measurements, seed=1000 + number)
            copies.append(_copy(folder))
            before, begin = _stored(folder), time.perf_counter()
            common.manage(folder, "ingest", *map(str, archives))
            seconds = time.perf_counter() - begin
            offered.append(_stored(folder) - before)
            rates.append(offered[-1] / seconds)
            ratios.append(rates[-1] / copies[-1])
            print(
                f"round {number + 1}: {offered[-1]:,} measurements, {rates[-1]:,.0f}/s; COPY {copies[-1]:,.0f} rows/s",
                file=sys.stderr,
            )
        found: dict[str, object] = {
            "ingest measurements/s": common.spread_of(rates),
            "bare COPY rows/s": common.spread_of(copies),
            "ingest / bare COPY": common.spread_of(ratios, 3),
            "ingest measurements a round": offered,
        }
        return found | _sizes(folder)


def _shell(folder: Path, code: str) -> str:
    return common.manage(folder, "shell", "--no-imports", "-c", code).strip()


def _stored(folder: Path) -> int:
    return int(_shell(folder, "from webapp.models import Measurement; print(Measurement.objects.count())").split()[-1])


_COPY = """
import sys, time
from django.db import connection
rows = open({path!r}).read()
with connection.cursor() as cursor:
    cursor.execute("DROP TABLE IF EXISTS bench_copy")
    cursor.execute("CREATE TABLE bench_copy (id bigint, run int, metric smallint, rep smallint, value float8)")
    begin = time.perf_counter()
    with cursor.copy("COPY bench_copy FROM STDIN (FORMAT csv)") as copy:
        for at in range(0, len(rows), 1 << 20):
            copy.write(rows[at:at + (1 << 20)])
    print(time.perf_counter() - begin)
    cursor.execute("DROP TABLE bench_copy")
"""


def _copy(folder: Path) -> float:
    """Rows a second of COPY into a heap without index or key."""
    path = folder / "bench-copy.csv"
    if not path.exists():
        out = io.StringIO()
        csv.writer(out).writerows((n, n // 47, n % 60, n % 5, f"{1e8 + n * 1.7:.6g}") for n in range(ROWS))
        path.write_text(out.getvalue())
    return ROWS / float(_shell(folder, _COPY.format(path=os.fspath(path))).split()[-1])


_SIZES = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c JOIN pg_namespace n"
                   " ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') AND c.relname LIKE 'webapp%' ORDER BY 2 DESC")
    for name, table, indexes in cursor.fetchall():
        print(name, table, indexes)
"""


def _sizes(folder: Path) -> dict[str, object]:
    """Bytes of table and indexes per measurement, for the tables that grow."""
    count, found = _stored(folder), {}
    for line in _shell(folder, _SIZES).splitlines():
        name, table, indexes = line.split()
        if int(table) > 1_000_000:
            found[f"bytes per measurement {name} [table, indexes]"] = [round(int(table) / count, 1), round(int(indexes) / count, 1)]
    return found
