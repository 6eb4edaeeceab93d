"""Pages of the product beside bare Django, in interleaved rounds: uncached, from its cache, and as 304; and what a connection of
its own adds to a request."""

from __future__ import annotations

import argparse
import sys
import urllib.request
from pathlib import Path

from benches import common, data

PAGES = (
    "/",
    "/compare?metric=write.throughput&x=compression",
    "/compare?metric=write.throughput&x=compression&series=os_family",
    "/compare?metric=read.throughput&tool=iozone&x=record_size&series=compression",
    "/compare.csv?metric=seek.rate&x=compression",
    "/archives",
    "/archives/1",
    "/systems",
    "/systems/1",
    "/configurations/1",
    "/runs/1",
)
SIZES = (100_000,)
SMALL = ("--sizes", "2000", "--rounds", "1", "--seconds", "0.2")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes",
        type=common.parse_sizes,
        default=SIZES,
        help="measurements in the database, several separated by commas (default: 100000)",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load")
    parser.add_argument("--data", type=Path, help="a data folder that is filled already (nothing is put into it)")


def run(args: argparse.Namespace) -> dict[str, object]:
    """{"SIZE ADDRESS KIND cN p50 / page": [median, min, max], ...}; ratios to the bare 20 KB page or the hello view."""
    found: dict[str, object] = {}
    for size in args.sizes:
        with common.scratch_folder() as place:
            folder = args.data or place / "data"
            if not args.data:
                common.manage(folder, "prepare")
                for archive in data.archives(place / "raw", size):
                    common.manage(folder, "ingest", str(archive))
            found |= _measured(folder, place, "given" if args.data else f"{size:,}", args)
    return found


def _measured(folder: Path, place: Path, size: str, args: argparse.Namespace) -> dict[str, object]:
    found: dict[str, object] = {}
    with common.run_product(folder) as product:
        for path in ("/healthz", "/"):
            found |= _fresh(product + path, f"{size} {path}", args)
    with common.run_reference(place) as bare:
        for kind, env in (("uncached", {"POOLMARK_PAGE_CACHE": "0"}), ("cached", {}), ("304", {})):
            with common.run_product(folder, **env) as product:
                for page in PAGES:
                    found |= _one(bare, product, page, kind, size, args)
    return found


def _fresh(address: str, name: str, args: argparse.Namespace) -> dict[str, object]:
    """Milliseconds of kept and of fresh connections, one request after the other, and how many more the fresh ones take."""
    kept, fresh = zip(
        *((common.measure_load(address, 1, args.seconds, fresh=one)["p50"] for one in (False, True)) for _ in range(args.rounds)),
        strict=True,
    )
    found: dict[str, object] = {
        f"{name} kept p50 ms": common.spread_of(kept),
        f"{name} fresh p50 ms": common.spread_of(fresh),
        f"{name} fresh - kept p50 ms": common.spread_of([one - other for one, other in zip(fresh, kept, strict=True)]),
    }
    for figure, value in found.items():
        print(f"{figure:<110} {value}", file=sys.stderr, flush=True)
    return found


def _one(bare: str, product: str, page: str, kind: str, size: str, args: argparse.Namespace) -> dict[str, object]:
    found: dict[str, object] = {}
    with urllib.request.urlopen(product + page) as answer:
        length, etag = len(answer.read()), answer.headers.get("ETag", "")
    headers = {"If-None-Match": etag} if kind == "304" and etag else {}
    reference = "/page" if kind == "uncached" else "/hello"
    for connections in (1, 8):
        pairs = [
            (
                common.measure_load(bare + reference, connections, args.seconds),
                common.measure_load(product + page, connections, args.seconds, headers),
            )
            for _ in range(args.rounds)
        ]
        for figure in ("p50", "p95"):
            name = f"{size} {page} {kind} c{connections} {figure}"
            found[f"{name} ms"] = common.spread_of([mine[figure] for _, mine in pairs])
            found[f"{name} / bare {reference[1:]}"] = common.spread_of([mine[figure] / limit[figure] for limit, mine in pairs], 3)
        if errors := sum(int(mine["errors"]) for _, mine in pairs):
            found[f"{size} {page} {kind} c{connections} ERRORS"] = errors
    found[f"{size} {page} bytes"] = length
    for name, value in found.items():
        print(f"{name:<110} {value}", file=sys.stderr, flush=True)
    return found
