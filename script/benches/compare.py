"""What the comparison page costs as the database grows: queries, rows read by the database, time of its parts."""

from __future__ import annotations

import argparse
import json
import sys

from benches import common, data

SIZES = (10_000, 100_000)
SMALL = ("--sizes", "2000,6000", "--rounds", "1")
ADDRESSES = (
    "/compare?metric=write.throughput&x=compression",
    "/compare?metric=read.throughput&tool=iozone&x=record_size",
    "/compare?metric=seek.rate&x=compression&series=os_family&baseline=off",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes",
        type=common.parse_sizes,
        default=SIZES,
        help="measurements in the database, several separated by commas (default: 10000,100000)",
    )
    parser.add_argument("--rounds", type=int, default=9)


def run(args: argparse.Namespace) -> dict[str, object]:
    """By size and address: queries, rows that the plan really read, milliseconds cold (first after a change of the
    data) and warm (the rows of the summary known)."""
    found: dict[str, object] = {}
    for size in args.sizes:
        with common.scratch_folder() as place:
            common.manage(place / "data", "prepare")
            common.manage(place / "data", "ingest", *map(str, data.archives(place / "raw", size)))
            code = _CODE.format(addresses=ADDRESSES, rounds=args.rounds)
            out = common.manage(place / "data", "shell", "--no-imports", "-c", code)
            for name, value in json.loads(out.strip().splitlines()[-1]).items():
                found[f"{size:,} {name}"] = value
                print(f"{size:,} {name}: {value}", file=sys.stderr)
    return found


_CODE = """
import json, time
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from webapp.storage.locks import lock_writes
from webapp.models import Summary
from webapp.tests.reading import rows_read
settings.ALLOWED_HOSTS.append("testserver")
client, found = Client(), dict()
def told(times):
    times = sorted(times)
    return [round(1e3 * t, 2) for t in (times[len(times) // 2], times[0], times[-1])]
def timed(before):
    before()
    begin = time.perf_counter()
    assert client.get(address).status_code == 200
    return time.perf_counter() - begin
for address in {addresses!r}:
    client.get(address)
    found[address + " warm ms"] = told([timed(cache.clear) for _ in range({rounds})])
    found[address + " cold ms"] = told([timed(lock_writes) for _ in range(3)])
    lock_writes()
    with CaptureQueriesContext(connection) as caught:
        client.get(address)
    found[address + " queries"] = len(caught)
    found[address + " rows read"] = rows_read(caught.captured_queries, indexes=False)
found["summary rows"] = Summary.objects.filter(scope=0).count()
print(json.dumps(found))
"""
