"""Series: bytes of a million points and the time to read them; memory and time of a long log of sar."""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benches import common

from ingest import PackedSeries, pack_series, read, unpack_series
from ingest.records import SeriesRecord

SMALL = ("--points", "20000", "--reports", "400", "--rounds", "1")
_DEVICES = 28  # of 7 columns: some 200 series
_CHILD = "--child"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--reports", type=int, default=20_000, help="of the longer log of sar; a day at one second has 86,400")
    parser.add_argument("--rounds", type=int, default=5)


def run(args: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        # First, since a process inherits the peak of the one that started it.
        figures = _measure_logs(Path(folder), args.reports)
        packed = _pack(Path(folder), args.points)
    size = sum(len(part or b"") for part in packed[1:])
    print(f"{args.points:,} points: {size:,} bytes")
    times = []
    for _ in range(args.rounds):
        start = time.perf_counter()
        count = sum(len(block.values) for block in unpack_series(packed))
        times.append(time.perf_counter() - start)
        assert count == args.points
    reading = [statistics.median(times), min(times), max(times)]
    return {**figures, "bytes a point": size / args.points, "seconds to read them": reading}


def _measure_logs(folder: Path, most: int) -> dict[str, object]:
    """Peak memory of reading a log of sar and one of four times its length."""
    figures: dict[str, object] = {}
    for name, reports in (("a quarter", most // 4), ("all", most)):
        log = folder / "sar.txt"
        _write_sar(log, reports)
        peak, seconds = _child(log)
        points = reports * _DEVICES * 7
        print(f"sar, {reports:,} reports, {log.stat().st_size >> 20} MB: peak {peak} MB, {seconds / points * 1e6:.2f} us a point")
        figures[f"peak MB of {name}"] = peak
    return figures


def _pack(folder: Path, points: int) -> PackedSeries:
    chance = random.Random(7)
    log = folder / "job_bw.1.log"
    log.write_text("".join(f"{at}, {chance.randint(80_000, 180_000)}, 0, 4096\n" for at in range(points)))
    (series,) = [record for record in read([log]) if isinstance(record, SeriesRecord)]
    return pack_series(series.points, series.ticks)  # type: ignore[arg-type]


def _write_sar(path: Path, reports: int) -> None:
    with path.open("w") as out:
        out.write("Linux 6.1.0 (host) \t11/24/2026 \t_x86_64_\t(2 CPU)\n\n")
        for second in range(reports):
            before, now = (f"{at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}" for at in (second, second + 1))
            out.write(f"{before}          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n")
            for device in range(_DEVICES):
                value = (second * 7919 + device * 104_729) % 99_991 / 100
                row = f"{value:9.2f}      0.00 {value:9.2f}     10.80      0.19      0.05 {value % 100:9.2f}"
                out.write(f"{now}     sd{device:02d} {row}\n")
            out.write("\n")


def _child(log: Path) -> tuple[int, float]:
    """Peak memory in MB and CPU seconds of reading the log in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{common.ROOT / 'script'}{os.pathsep}{common.ROOT}"}
    command = [sys.executable, "-m", "benches.series", _CHILD, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=common.ROOT, env=environment)
    peak, seconds = done.stdout.split()
    return int(peak), float(seconds)


def _read_alone(log: str) -> None:
    from ingest.pipeline.side_by_side import RecordWriter

    class Nowhere(io.RawIOBase):
        def write(self, data) -> int:
            return len(data)

    RecordWriter().write(read([log]), Nowhere())
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, time.process_time())


if __name__ == "__main__" and sys.argv[1:2] == [_CHILD]:
    _read_alone(sys.argv[2])
