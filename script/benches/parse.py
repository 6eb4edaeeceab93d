"""Bytes to records beside `[line.split() for line in text.splitlines()]`, per tool; end to end; memory of long logs."""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

from benches import common, data

from ingest.containers.paths import ArchiveEntry
from ingest.detect.findings import FileFindings, FindingsCache
from ingest.pipeline import read
from ingest.records import NO_PARAMS, Value
from ingest.spill import value_as_row

GOAL = 25  # times longer than splitting into lines and words that no tool should take
SMALL = ("--rounds", "1", "--kilobytes", "10", "--measurements", "3000", "--log", "2")
SAMPLES = common.ROOT / "ingest" / "tests" / "samples"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kilobytes", type=int, default=256, help="to which each sample is repeated")
    parser.add_argument("--measurements", type=int, default=100_000, help="in the archives of the end-to-end run; 0: leave it out")
    parser.add_argument("--log", type=int, default=100, help="megabytes of the long log; 0: leave it out")
    parser.add_argument(
        "--tool",
        choices=sorted(path.name for path in SAMPLES.iterdir() if path.is_dir()),
        metavar="TOOL",
        help="only the samples of this tool",
    )


def run(args: argparse.Namespace) -> dict[str, object]:
    """CPU seconds count, not the clock's, so that a busy machine disturbs little."""
    found = _tools(args)
    with common.scratch_folder() as place:
        if args.measurements:
            found |= _end_to_end(place, args)
        if args.log:
            found |= _memory(place, args.log)
    return found


def _tools(args: argparse.Namespace) -> dict[str, object]:
    """MB/s, and how many times longer than splitting lines and words it takes, for every sample repeated.

    Beside it what no reader can save that gives a `Value` for each figure: to make those objects of what stands ready.
    """
    texts = {}
    for path in sorted(SAMPLES.glob("*/*")):
        sample = path.read_bytes()
        if path.suffix in (".jsonl", ".xls") or args.tool not in (None, path.parent.name):
            continue
        texts[f"{path.parent.name}/{path.name}"] = (sample.rstrip(b"\n") + b"\n") * (1 + args.kilobytes * 1000 // len(sample))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in texts}
    making: dict[str, list[float]] = {name: [] for name in texts}
    for number in range(args.rounds):
        for name, sample in texts.items():
            split = min(_spent(lambda s=sample: _split(s)) for _ in range(5))
            times[name].append((split, _spent(lambda n=name, s=sample: _look(n, s))))
            rows = [value_as_row(value) for value in _look(name, sample).values]
            making[name].append(min(_spent(lambda r=rows: [Value(*row) for row in r]) for _ in range(3)))
            del rows
        print(f"round {number + 1} of the samples done", file=sys.stderr)
    found: dict[str, object] = {}
    for name, pairs in times.items():
        size = len(texts[name]) / 1e6
        found[f"{name} MB/s"] = common.spread_of([size / ours for _, ours in pairs], 3)
        found[f"{name} times split"] = common.spread_of([ours / split for split, ours in pairs], 3)
    for tool in sorted({name.partition("/")[0] for name in times}):
        names = [name for name in times if name.startswith(f"{tool}/")]
        splits = [sum(times[name][at][0] for name in names) for at in range(args.rounds)]
        for what, spent in (
            ("", [sum(times[name][at][1] for name in names) for at in range(args.rounds)]),
            (" making its values alone", [sum(making[name][at] for name in names) for at in range(args.rounds)]),
        ):
            found[f"all of {tool}{what} times split"] = common.spread_of([a / b for a, b in zip(spent, splits, strict=True)], 3)
    found["least of a loop over bonnie++'s CSV times split"] = common.spread_of([_least() for _ in range(args.rounds)], 3)
    ratios = {name: statistics.median(ours / split for split, ours in pairs) for name, pairs in times.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    within = sum(ratio <= GOAL for ratio in ratios.values())
    return found | {
        "worst sample": worst,
        "worst times split": found[f"{worst} times split"],
        f"samples within {GOAL} times split": f"{within} of {len(ratios)}",
    }


def _split(sample: bytes) -> list[list[str]]:
    return [line.split() for line in sample.decode("utf-8", "replace").splitlines()]


def _least() -> float:
    """What no reader of bonnie++'s CSV in Python can save: to part its rows at commas and make a `Value` of each whole number.

    It knows neither columns, units nor sizes, judges nothing, and reads nothing else.
    """
    row = "1.98,2.00a,host,1,0,256M,,8192,5,,," + "191646,15," * 6 + "16,,,,," + "7587,19," * 6 + "851,391,138," * 4
    rows = f"{row[:-1]}\n".encode() * 1000

    def loop() -> list[Value]:
        return [
            Value(
                number,
                "bonnie++",
                "write.throughput",
                "block",
                float(cell) * 1024,
                "B/s",
                cell,
                "K/sec",
                number,
                None,
                "sample",
                NO_PARAMS,
                NO_PARAMS,
            )
            for number, line in enumerate(rows.decode("utf-8", "replace").splitlines(), 1)
            for cell in line.split(",")[11:]
            if cell.isdecimal()
        ]

    return min(_spent(loop) for _ in range(3)) / min(_spent(lambda: _split(rows)) for _ in range(5))


def _look(name: str, sample: bytes) -> FileFindings:
    """The whole route of one file: decoding, noise, transcript, anchors, parsers and readers."""
    return read.analyse_entry(ArchiveEntry(name, sample), FindingsCache())


def _spent(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


_NUMBERS: dict[str, Callable[[str], list[float]]] = {
    "bonnie++": lambda text: [
        float(word) for line in text.splitlines() for words in [line.split(",")] for word in words[9:21:2] + words[26:38:2]
    ],
    "dd": lambda text: [int(size) / float(seconds) for size, seconds in re.findall(r"(\d+) bytes .* copied, ([\d.]+) s", text)],
    "fdtree": lambda text: [
        float(word) for word in re.findall(r"per second +=  (\d+)|TOTAL += 0, \d+, (\d+)", text) for word in word if word
    ],
    "iozone": lambda text: [
        float(word)
        for line in text.splitlines()
        for words in [line.split()]
        if len(words) == 15 and words[0].isdigit()
        for word in words[2:]
    ],
}


def _untar(archives: list[Path]) -> int:
    """What no reader of archives can do without: unpack, find the figures of the known layout, turn them into floats."""
    values = 0
    for path in archives:
        with tarfile.open(path) as archive:
            for member in archive:
                tool = member.name.rpartition("/")[2].removesuffix(".txt")
                if tool in _NUMBERS:
                    values += len(_NUMBERS[tool](archive.extractfile(member).read().decode()))
    return values


def _end_to_end(place: Path, args: argparse.Namespace) -> dict[str, object]:
    archives = data.archives(place / "archives", args.measurements)
    reference, ours, starts, values = [], [], [], 0
    for number in range(args.rounds):
        begin = time.process_time()
        figures = _untar(archives)
        reference.append(time.process_time() - begin)
        seconds, values, _ = _ingest(place, archives)
        ours.append(seconds)
        starts.append(_ingest(place, [SAMPLES / "hdparm" / "cached-buffered-direct.txt"])[0])
        print(f"round {number + 1}: {values:,} measurements, {values / seconds:,.0f}/s of CPU time", file=sys.stderr)
    return {
        "end to end measurements/s": common.spread_of([values / seconds for seconds in ours]),
        "end to end reference values/s": common.spread_of([figures / seconds for seconds in reference]),
        "end to end / untar and parse": common.spread_of([a / b for a, b in zip(ours, reference, strict=True)], 3),
        "start-up s": common.spread_of(starts, 3),
    }


def _ingest(place: Path, paths: list[Path]) -> tuple[float, int, float]:
    """CPU seconds of `python -m ingest`, the measurements in what it wrote, its peak memory in MB."""
    out = place / "records.jsonl"
    code = (
        "import resource, subprocess, sys; subprocess.run([sys.executable, '-m', 'ingest', *sys.argv[1:]],"
        " stdout=open(sys.argv.pop(1), 'wb'));"
        " used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(out), *map(str, paths)], cwd=common.ROOT, capture_output=True, text=True, check=True
    )
    seconds, peak = done.stdout.split()
    with open(out, "rb") as lines:
        count = sum(line.startswith(b'{"type": "measurement"') for line in lines)
    return float(seconds), count, float(peak) / 1024


def _memory(place: Path, megabytes: int) -> dict[str, object]:
    """Peak memory for logs of the same results among more and more lines that are none."""
    found: dict[str, object] = {}
    for size in (1, megabytes):
        path = place / f"{size}.log"
        _log(path, size * 1_000_000)
        seconds, count, peak = _ingest(place, [path])
        found[f"log of {size} MB peak MB"] = round(peak, 1)
        found[f"log of {size} MB measurements"] = count
        found[f"log of {size} MB CPU seconds"] = round(seconds, 2)
        path.unlink()
    return found


def _log(path: Path, size: int) -> None:
    """A copy that lists its files, with a dd before and after."""
    dd = (
        "$ dd if=/dev/zero of=/tank/f bs=1M count=16384\n16384+0 records in\n16384+0 records out\n"
        "17179869184 bytes (17 GB, 16 GiB) copied, {} s, {} MB/s\n"
    )
    with open(path, "w") as out:
        out.write(dd.format("41.2345", "417") + "$ rsync -av /data/ /tank/data/\nsending incremental file list\n")
        number = 0
        while out.tell() < size:
            out.write("".join(f"data/set{number:05d}/part {at:03d} of many.bin\n" for at in range(1000)))
            number += 1
        out.write(dd.format("39.8765", "431"))
