"""Every page and job at several sizes of the database, and the law by which each grows."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benches import common, data
from benches.growing import laws

from webapp.infrastructure.embedded_postgres import COMMAND, Cluster, StartError, find_binary, lock_data_folder

SIZES = (10_000, 100_000)
SMALL = ("--sizes", "2000,6000", "--requests", "3", "--rounds", "1", "--rows", "2000")
_NOISE = {"cpu": 1.5, "clock": 3.0, "rows": 50}
"""Differences that no law is looked for in: milliseconds, rows."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes",
        type=common.parse_sizes,
        default=SIZES,
        help="measurements in databases of its own, separated by commas (default: 10000,100000)",
    )
    parser.add_argument(
        "--database",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="data folders that are filled already, instead of own databases; every change is rolled back",
    )
    parser.add_argument("--summary-rows", type=int, default=0, help="of own databases: configurations are copied up to so many")
    parser.add_argument("--requests", type=int, default=20, help="of each page, cold and warm (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="of each job on an archive of 50 runs (default: 3)")
    parser.add_argument(
        "--no-freeze-whole",
        dest="freeze_whole",
        action="store_false",
        help="do not freeze comparisons of everything, which takes 0.15 ms a value",
    )
    parser.add_argument("--rows", type=int, default=200_000, help="of each export that are read (default: 200000)")


def run(args: argparse.Namespace) -> dict[str, object]:
    """ "SIZE NAME KIND" -> figure; prints the table of all sizes and the laws."""
    found = []
    with common.scratch_folder() as place:
        if args.database:
            for folder in args.database:
                if not (folder / "postgres" / "PG_VERSION").exists():
                    raise SystemExit(f"{folder} is no data folder with a database of its own")
                found.append(_measured(folder, place, args))
        else:
            for size in args.sizes:
                found.append(_measured(filled(place / f"of{size}", size, args.summary_rows), place, args))
    found.sort(key=lambda one: one["counts"]["measurements"])
    _show(found)
    return {f"{one['counts']['measurements']:,} {name}": value for one in found for name, value in _flat(one).items()}


def filled(folder: Path, size: int, summary_rows: int = 0) -> Path:
    """A data folder with so many measurements; then, without measurements, so many rows of the summary of other configurations."""
    common.manage(folder, "prepare")
    common.manage(folder, "ingest", *map(str, data.archives(folder / "raw", size, tail=0.15 if summary_rows else 0.6)))
    copy = f"import sys; sys.path.append('script'); from benches.growing import copies; copies.copy_configurations({summary_rows})"
    common.manage(folder, "shell", "--no-imports", "-c", copy)
    return folder


def _measured(folder: Path, place: Path, args: argparse.Namespace) -> dict:
    """The figures of the database in a data folder, which stays as it is: uploads and files go to a folder of their own."""
    own = place / f"at{len(list(place.iterdir()))}"
    _lend(folder / "blobs", own / "blobs")
    begin = time.monotonic()
    with lock_data_folder(folder, COMMAND) as free:
        if not free:
            raise SystemExit(f"{folder} is in use; stop what uses it")
        cluster = Cluster(folder)
        try:
            cluster.start("autovacuum=off")
            found = _inside(cluster, own, args)
            found["jobs"]["backup of the running database"] = _backup(cluster)
        except StartError as wrong:
            raise SystemExit(f"{folder}: {wrong}") from wrong
        finally:
            cluster.stop()
    measurements, seconds = found["counts"]["measurements"], time.monotonic() - begin
    print(f"{folder}: {measurements:,} measurements, {seconds:.0f} s", file=sys.stderr, flush=True)
    return found


def _lend(blobs: Path, own: Path) -> None:
    """The uploads of a data folder under another one, where more can be put without a change of the first."""
    for file in blobs.glob("??/*"):
        (own / file.parent.name).mkdir(parents=True, exist_ok=True)
        (own / file.parent.name / file.name).symlink_to(file.resolve())


def _inside(cluster: Cluster, own: Path, args: argparse.Namespace) -> dict:
    own.mkdir(parents=True, exist_ok=True)
    file = own / "figures.json"
    env = {**os.environ, **common.clean_environment(own), "DATABASE_URL": cluster.url}
    assert cluster.process is not None
    numbers = map(str, (cluster.process.pid, args.requests, args.rounds, args.rows, int(args.freeze_whole)))
    done = subprocess.run(
        [sys.executable, "script/benches/growing/inside.py", str(file), *numbers],
        cwd=common.ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"{cluster.data} could not be measured (see above)")
    return json.loads(file.read_text())


def _backup(cluster: Cluster) -> dict[str, list[float]]:
    """Of the whole cluster as a stream of tar, thrown away; {cpu (of the client), clock} in ms."""
    begin, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [
            find_binary("pg_basebackup"),
            "-h",
            str(cluster.sockets),
            "-p",
            "5432",
            "-U",
            "postgres",
            "-D",
            "-",
            "-Ft",
            "-X",
            "fetch",
            "-c",
            "fast",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"pg_basebackup failed: {done.stderr.strip()}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {name: common.spread_of([1e3 * value], 3) for name, value in (("cpu", cpu), ("clock", time.perf_counter() - begin))}


def _flat(one: dict) -> dict[str, object]:
    """Name with kind -> figure."""
    found: dict[str, object] = {f"{name} (count)": value for name, value in one["counts"].items()}
    measurements = one["counts"]["measurements"]
    for table, sizes in one["bytes"].items():
        found[f"{table} bytes a measurement [table, indexes]"] = [round(size / measurements, 1) for size in sizes]
    for page, figures in one["pages"].items():
        found |= {f"{page} | {kind} {what} ms": figures[kind][what] for kind in ("cold", "warm") for what in ("cpu", "clock")}
        found |= {f"{page} | {what}": figures[what] for what in ("queries", "rows")}
    for job, figures in one["jobs"].items():
        found |= {f"{job} | {what} ms": figures[what] for what in ("cpu", "clock")}
    return found | one["memory"]


def _show(found: list[dict]) -> None:
    """The table of all sizes: medians; and the law of the least CPU, which neighbours disturb least (of rows for pages too)."""
    counts = {name: [one["counts"][name] for one in found] for name in found[0]["counts"]}
    _line("", [f"{size:,}" for size in counts["measurements"]], "")
    for name, values in counts.items():
        _line(name, [f"{value:,}" for value in values], "")
    print("\nPages: CPU and latency in ms, first after a change and known; queries, rows read")
    for page in found[0]["pages"]:
        some = [one["pages"].get(page) for one in found]
        if all(some):
            _line(
                page,
                [
                    f"{one['cold']['cpu'][0]:g} {one['cold']['clock'][0]:g}; {one['warm']['cpu'][0]:g} "
                    f"{one['warm']['clock'][0]:g}; {one['queries']}, {one['rows']}"
                    for one in some
                ],
                f"{laws.law(counts, [one['cold']['cpu'][1] for one in some], _NOISE['cpu'])} | rows: "
                f"{laws.law(counts, [one['rows'] for one in some], _NOISE['rows'])}",
            )
    print("\nJobs: CPU and clock in ms")
    for job in found[0]["jobs"]:
        some = [one["jobs"].get(job) for one in found]
        if all(some):
            _line(
                job,
                [f"{one['cpu'][0]:g} {one['clock'][0]:g}" for one in some],
                laws.law(counts, [one["cpu"][1] for one in some], _NOISE["cpu"]),
            )
    for name in found[0]["memory"]:
        some = [one["memory"][name] for one in found]
        _line(name, [f"{value:g}" for value in some], laws.law(counts, some))


def _line(name: str, cells: list[str], law: str) -> None:
    print(f"{name:<52}" + "".join(f"{cell:>40}" for cell in cells) + f"   {law}", flush=True)
