"""Faults at random moments against real processes, while people upload and freeze; then what was promised is counted.

    script/chaos [--minutes N] [--seed S] [--redis] [--from FOLDER]

Clients upload archives that each differ, the same archive from 20 connections at once, and torn ones, and freeze tables. A
process is killed every second or two, or the database, the queue or a disk fails for some seconds. At the end everything is
left alone until all is read. Exit 1: an archive is doubled or lost, was seen half read, or a permalink changed. As root
the folders are small file systems in memory that are filled; else a limit of file sizes stands for a full disk. The clock of the
site's processes jumps where a C compiler is installed. With --from the release in that folder, set up, runs first and is
replaced by this one half-way.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from chaotic.clients import Clients
from chaotic.faults import Faults
from chaotic.site import LiveSite
from chaotic.verdict import Sampler, judge


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/chaos", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0, help="of faults (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="of what happens; printed where none is given")
    parser.add_argument("--redis", action="store_true", help="with a Redis of its own, which fails too")
    parser.add_argument("--from", dest="earlier", type=Path, metavar="FOLDER", help="of an earlier release, which runs first")
    parser.add_argument("--keep", action="store_true", help="leave the data folder")
    return parser.parse_args()


def run(args: argparse.Namespace, data: Path) -> int:
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"seed {seed}, data in {data}", flush=True)
    with LiveSite(data, with_redis=args.redis, earlier=args.earlier and args.earlier.resolve()) as site:
        clock = "jumps" if site.clock.is_movable else "is left alone (no C compiler)"
        print(f"full disks: {site.disks_kind}; the clock {clock}", flush=True)
        clients, sampler, stop = Clients(site, seed), Sampler(site), threading.Event()
        faults = Faults(site, random.Random(seed))
        threads = [threading.Thread(target=work, args=(stop,), daemon=True) for work in (*clients.works(), sampler.watch)]
        for thread in threads:
            thread.start()
        faults.go_on(time.monotonic() + 60 * args.minutes)
        stop.set()
        for thread in threads:
            thread.join(60)
        site.settle()
        print("faults: " + ", ".join(f"{name} {n}" for name, n in sorted(faults.counts.items())), flush=True)
        return judge(site, clients, sampler, faults)


def main() -> int:
    args = parse_arguments()
    data = Path(tempfile.mkdtemp(prefix="pm-chaos-"))
    try:
        return run(args, data)
    finally:
        if not args.keep:
            with contextlib.suppress(OSError):
                shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
