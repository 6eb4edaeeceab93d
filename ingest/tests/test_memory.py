"""What memory holds of an archive grows by little with each file and each value: bytes are counted at two sizes."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import ingest
from ingest import spill
from ingest.analysis import comparable_runs
from ingest.configuration import repetitions, resolve
from ingest.detect import detect, findings
from ingest.pipeline import side_by_side
from ingest.pipeline.side_by_side import RecordWriter
from ingest.tests.samples import FOLDER

LIMITS = (
    (spill, "MAX_IN_MEMORY", 300),
    (spill, "CHUNK_SIZE", 100),
    (detect, "CHUNK_SIZE", 100),
    (findings, "CHUNK_SIZE", 100),
    (spill, "MAX_COMPARED", 100),
    (comparable_runs, "CHUNK_SIZE", 100),
    (spill, "SORTED_CHUNK_SIZE", 100),
    (side_by_side, "_MAX_CACHED", 50),
    (repetitions, "_MAX_LIVE", 50),
    (resolve, "_MAX_CACHED", 50),
)
"""Those of memory, so low that a short archive goes over them as a long one does."""


class Nowhere(io.RawIOBase):
    """Takes bytes and forgets them."""

    def write(self, data) -> int:
        return len(data)


def _lower_limits() -> None:
    for room, name, value in LIMITS:
        setattr(room, name, value)


def growth(make: Callable[[Path, int], int], folder: Path, few: int, many: int) -> float:
    """Bytes of peak memory for each further thing. `make` writes an upload of so many, and tells the things in it."""
    peaks, counts = [], []
    for number in (few, few, many):  # the first fills what is kept once for all
        path = folder / f"{number}.upload"
        counts.append(make(path, number))
        tracemalloc.start()
        RecordWriter().write(ingest.read([path], names={str(path): "upload.csv"}), Nowhere())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[2] - peaks[1]) / (counts[2] - counts[1])


def results(path: Path, number: int) -> int:
    """So many folders, each with a result of bonnie++ of its own and a file that tells of the machine."""
    with tarfile.open(path, "w") as tar:
        for at in range(number):
            rates = [1000003 * (at + 1) * (rate + 7) % 900001 + 1000 for rate in range(24)]
            line = f"1.98,1.98,node{at % 7},1,{1700000000 + at},16G,,8192,5," + ",".join(map(str, rates[:12])) + ",16,,,,,"
            line += ",".join(map(str, rates[12:])) + "," + ",".join(f"{rate % 9000 + 100}us" for rate in rates[:12])
            for name, text in (("bonnie.csv", line), ("os-release", f'NAME="Debian GNU/Linux"\nVERSION_ID="{at % 5 + 8}"\n')):
                entry = tarfile.TarInfo(f"a/run{at:05d}/{name}")
                entry.size = len(text) + 1
                tar.addfile(entry, io.BytesIO(text.encode() + b"\n"))
    return 2 * number


def workloads(path: Path, number: int) -> int:
    """So many phases of elbencho, each of another size."""
    names = (FOLDER / "elbencho" / "3.1.csv").read_text().split("\n")[0].split(",")
    with open(path, "w") as out:
        out.write(",".join(names) + "\n")
        for at in range(number):
            row = {
                "ISO date": f"2025-01-09T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.118+0000",
                "operation": "WRITE",
                "threads": "4",
                "file size": str(4096 * (at + 1)),
                "block size": "4096",
                "random": "0",
                "version": "3.1-2",
                "command": f'"elbencho" "-w" "-t4" "-s{4096 * (at + 1)}" "-b4k" "/mnt/f{at}"',
            }
            row |= {
                f"{what} [{part}]": str(1000 + 7919 * at % 90001)
                for what in ("time ms", "IOPS", "MiB/s", "MiB")
                for part in ("first", "last")
            }
            out.write(",".join(row.get(name, "") for name in names) + "\n")
    return number


def rows(path: Path, number: int, between: str = "\n") -> int:
    """So many rows of bonnie++, below each other."""
    with open(path, "w") as out:
        for at in range(number):
            rates = [str(1000003 * (at + 1) * (rate + 7) % 900001 + 1000) for rate in range(24)]
            out.write(
                f"1.98,1.98,node{at % 7},1,{1700000000 + at},16G,,8192,5,{','.join(rates[:12])},16,,,,,{','.join(rates[12:])}"
                f"{',' * 12}{between}"
            )
    return number


def line(path: Path, number: int) -> int:
    """So many rows of bonnie++ on one line."""
    return rows(path, number, " ")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("make", "few", "many", "most"),
    [(results, 100, 300, 2800), (workloads, 150, 600, 4800), (rows, 300, 900, 2600), (line, 300, 900, 2600)],
)
def test_memory_hardly_grows(make, few, many, most, tmp_path):
    """In a process of its own: caches that other tests have filled would count as growth, since what they give up does not."""
    with ProcessPoolExecutor(1, get_context("spawn"), _lower_limits) as process:
        assert process.submit(growth, make, tmp_path, few, many).result() < most
