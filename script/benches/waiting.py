"""How long twenty small uploads wait until they are read, while a 100 MB transcript and a 2 GiB archive of another user are."""

from __future__ import annotations

import argparse
import io
import os
import sys
import tarfile
import time
import urllib.parse
from pathlib import Path

import psycopg
from benches import common
from person import SignedIn

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests import dd_text

SMALL = ("--transcript", "1", "--archive", "8", "--uploads", "3", "--readers", "2")
_PATIENCE = 3600  # seconds
_FILE = 1 << 20  # bytes of each file of the large archive


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--transcript", type=int, default=100, help="MB of dd's output in one file")
    parser.add_argument("--archive", type=int, default=2048, help="MiB that the large archive unpacks to")
    parser.add_argument("--uploads", type=int, default=20, help="small ones, of the samples in fixtures/, one after the other")
    parser.add_argument("--readers", type=int, default=3, help="with 3, both large ones are read at once; 2 is what a site has")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Seconds from the beginning of each small upload to the end of its reading: [median, min, max], and what came meanwhile."""
    small = _small_ones(args.uploads)
    with common.scratch_folder() as place:
        large = [("transcript.txt", _transcript(args.transcript)), ("logs.tar.gz", _archive(place, args.archive))]
        data = place / "data"
        with common.run_product(data, POOLMARK_READERS=str(args.readers)) as address:
            port = urllib.parse.urlsplit(address).port or 0
            busy, other = (
                SignedIn(port, common.manage(data, "sign_in_link", "--user", name).strip()) for name in ("busy", "other")
            )
            database = Cluster(data).url
            slow = [busy.upload(content, name, _PATIENCE)[0] for name, content in large]
            _await(database, slow, ("reading", "read", "failed"), count=min(2, args.readers - 1))
            begins = {other.upload(content, name, _PATIENCE)[0]: begin for name, content, begin in _timed(small)}
            ended = _await(database, list(begins), ("read", "failed"))
            running = [state for _, state, *_ in _rows(database, slow)]
            seconds = [read_at.timestamp() - begins[pk] for pk, _, read_at, _ in ended if read_at]
            load = os.getloadavg()[0]
            print("seconds:", " ".join(f"{one:.2f}" for one in seconds), f"load {load:.1f}", file=sys.stderr)
    return {
        "seconds of a small upload until it is read": common.spread_of(seconds),
        "small uploads read": len(seconds),
        "of them with the large ones, since they took too long": sum(is_slow for *_, is_slow in ended),
        "states of the large ones then": running,
        "load while the small ones were read": round(load, 1),
    }


def _timed(small: list[tuple[str, bytes]]):
    for name, content in small:
        yield name, content, time.time()


def _rows(database: str, ids: list[int]) -> list[tuple]:
    with psycopg.connect(database) as connection:
        asked = "SELECT id, state, read_at, is_slow FROM webapp_archive WHERE id = ANY(%s) ORDER BY id"
        return connection.execute(asked, [ids]).fetchall()


def _await(database: str, ids: list[int], states: tuple[str, ...], count: int | None = None) -> list[tuple]:
    """The rows once `count` of the archives, or all, have one of the states."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        rows = _rows(database, ids)
        if sum(state in states for _, state, *_ in rows) >= (count or len(ids)):
            return rows
        time.sleep(0.2)
    raise SystemExit(f"not {states} after {_PATIENCE} s: {rows}")


def _small_ones(count: int) -> list[tuple[str, bytes]]:
    """Folders of fixtures/ as archives, from all over it."""
    folders = sorted({path.parent for path in (common.ROOT / "fixtures").rglob("*.txt")})
    made = []
    for folder in folders[:: max(1, len(folders) // count)][:count]:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as tar:
            tar.add(folder, folder.name)
        made.append((f"{folder.name}.tar.gz", out.getvalue()))
    return made


def _transcript(megabytes: int) -> bytes:
    """A terminal transcript of writes by dd, each of another time."""
    block = len(dd_text.dd(1.00001)) - len(dd_text.dd())
    return dd_text.dd(*[1 + number / 1e5 for number in range(megabytes * 1_000_000 // block)])


def _archive(place: Path, mebibytes: int) -> bytes:
    """Files of 1 MiB: lines of a log, and the transcript of one write by dd in each."""
    line = "{:08d} [info] copied /tank/data/{:06d}.bin to /backup, {} bytes, checksum {:08x}\n"
    lines = "".join(line.format(at, at * 7 % 99991, at * 4099 % 10**7, at * 2654435761 % 2**32) for at in range(20_000)).encode()
    path = place / "logs.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for number in range(mebibytes):
            text = dd_text.dd(1 + number / 1e4)
            member = tarfile.TarInfo(f"logs/{number:05d}.txt")
            member.size = _FILE
            tar.addfile(member, io.BytesIO((text + lines)[:_FILE]))
    return path.read_bytes()
