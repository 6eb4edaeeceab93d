"""Scripts that people run on rented servers and small boards: the disk lines of bench.sh and its kin (superbench.sh,
freevps), of LemonBench, nench.sh and yabs.sh; the table of PiBenchmarks.

bench.sh and nench.sh run GNU dd three times with conv=fdatasync; the former shows the rate that dd prints, the latter
divides it by 2^20. yabs.sh runs fio (randrw half and half, libaio, 64 deep, 2 jobs, direct) and shows the KiB/s of its
terse output divided by 1000 or 10^6, under the names MB/s and GB/s; the operations per second beside them agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ingest import units
from ingest.lazy_regex import lazy
from ingest.parsers.suites import _pibenchmarks
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.lines import Text

ANCHOR = lazy(
    r"I/O [Ss]peed ?(?:\((?:\dst run| ?\d)|:)|\d[MG]B-\d{1,4}[KM] Block[^\S\n]|\bdd: sequential write speed"
    r"|Block Size[^\n]{1,40}\(IOPS\)|" + _pibenchmarks.ROW_PATTERN,
    re.M,
)
_NAME = r"\bI/O [Ss]peed ?\((1st run|2nd run|3rd run| ?\d{1,4}(?:\.\d{1,2})? ?[MG]B? ?)\)\s*:\s*"
_RUN = lazy(_NAME + r"(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")
_ONE = lazy(r"\bI/O [Ss]peed\s*:\s*(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")  # bench.sh of freevps.us runs dd once
_OF_RUN = lazy(_NAME + r"(?=\S)")
_MEAN = lazy(r"\b(?:I/O [Ss]peed ?\(average\)|Average I/O [Ss]peed)\s*:\s*(\d{1,6}(?:\.\d{1,3})?) ?([kKMG]B)/s\b")
_LEMON = lazy(
    r"^[\s>|]*(\d{1,5}[MG]B-(\d{1,4})([KM]) Block)\s+(\d{1,6}(?:\.\d)?) ([kMG]B)/s \((\d{1,9}) IOPS, ?(\d{1,6}\.\d\d) ?s\)"
    r"\s+(\d{1,6}(?:\.\d)?) ([kMG]B)/s \((\d{1,9}) IOPS, ?(\d{1,6}\.\d\d) ?s\)\s*\Z"
)
_OF_LEMON = lazy(r"^[\s>|]*\d{1,5}[MG]B-\d{1,4}[KM] Block\s+\d")
_NENCH = lazy(r"\bdd: sequential write speed")
_OF_NENCH = lazy(r"^[\s>|]*(1st run|2nd run|3rd run|average):\s*(\d{1,6}\.\d{1,3}) MiB/s\s*\Z")
_SIZES = lazy(r"Block Size\s*\|\s*(\w{2,5})\s+\(IOPS\)(?:\s*\|\s*(\w{2,5})\s+\(IOPS\))?")
_ROW = lazy(r"^[\s>]*(Read|Write|Total)\s*\|(.*)$")
_CELL = lazy(r"\s*(\d{1,6}\.\d\d) ([KMG]B)/s\s+\((\d{1,9}(?:\.\d)?)(k?)\)\s*\Z")
_SIZE = lazy(r"(\d{1,5})([km])\Z")
_KIB = {"KB": 1, "MB": 1000, "GB": 10**6}
_ROWS_BELOW = 6  # lines of a table of yabs below its block sizes
_AS_RUN = {"processes": 2, "iodepth": 64, "direct": "on", "command": "yabs.sh"}


@dataclass
class _Series:
    """The runs of dd of one report so far, in MB/s as the script adds them up."""

    script: str
    rates: list[float] = field(default_factory=list)
    line: int = 0


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure that such a script shows, in line order."""
    yield from by_line(chain(_of_servers(text), _pibenchmarks.read_rows(text.lines)))


def _of_servers(text: Text) -> Iterator[Value | Doubt]:
    dd: _Series | None = None
    for at, line in enumerate(text.lines, 1):
        if "I/O " in line and "peed" in line:
            dd = dd if dd and dd.script == "bench.sh" and "1st" not in line else _Series("bench.sh")
            yield from _bench(dd, line, at)
        elif " Block" in line and _OF_LEMON.match(line):
            yield from _lemon(line, at)
        elif _NENCH.search(line):
            dd = _Series("nench.sh", line=at)
        elif dd and dd.line and (found := _OF_NENCH.match(line)):
            yield from _nench(dd, found, at)
        elif "Block Size" in line and (sizes := _SIZES.search(line)):
            yield from _fio(text.lines, [size for size in sizes.groups() if size], at)


def _bench(dd: _Series, line: str, at: int) -> Iterator[Value | Doubt]:
    if found := _RUN.search(line):
        dd.rates.append(float(found[2]) * (1024 if found[3] == "GB" else 1))
        yield _write(
            at,
            found[0].split(":")[0].strip(),
            found[2],
            found[3] + "/s",
            units.DD_GNU[found[3]],
            "bench.sh" if "run" in found[1] else "superbench.sh",
        )
    elif (found := _ONE.search(line)) and not _MEAN.search(line):
        yield _write(at, "I/O speed", found[1], found[2] + "/s", units.DD_GNU[found[2]], "bench.sh")
    elif found := _MEAN.search(line):
        mean = float(found[1]) * (1024 if found[2] == "GB" else 1)
        yield from _mean(dd, mean, (at, found[1], found[2] + "/s"), units.DD_GNU[found[2]])
    elif _OF_RUN.search(line):
        yield Doubt(at, "bad-number", "a run of dd whose rate cannot be read")


def _lemon(line: str, at: int) -> Iterator[Value | Doubt]:
    """A row of LemonBench: what dd printed of writing and of reading; the operations are worked out of the seconds."""
    found = _LEMON.match(line)
    if not found:
        yield Doubt(at, "bad-number", "a row of LemonBench that breaks off or cannot be read; nothing of it was taken")
        return
    params = {
        "part": found[1],
        "block_size": int(found[2]) * (1024 if found[3] == "K" else 2**20),
        "direct": "on",
        "command": "LemonBench",
    }
    for operation, first in (("write", 4), ("read", 8)):
        rate, unit, _, seconds = found.groups()[first - 1 : first + 3]
        name = f"{found[1]}, {operation} speed"
        yield Value(
            at,
            "dd",
            f"{operation}.throughput",
            name,
            float(rate) * units.DD_GNU[unit],
            "B/s",
            rate,
            f"{unit}/s",
            at,
            None,
            "sample",
            params,
        )
        if float(seconds) > 0:
            yield Value(at, "dd", f"{operation}.elapsed", name, float(seconds), "s", seconds, "s", at, None, "sample", params)
        else:
            yield Doubt(at, "zero-time", f"{name}: 0.00 s is shorter than its two decimals tell; the rate was taken")


def _nench(dd: _Series, found: re.Match[str], at: int) -> Iterator[Value | Doubt]:
    if found[1] == "average":
        yield from _mean(dd, float(found[2]), (at, found[2], "MiB/s"), 2**20)
        return
    dd.rates.append(float(found[2]))
    yield _write(at, f"dd: sequential write speed, {found[1]}", found[2], "MiB/s", 2**20, dd.script, dd.line)


def _mean(dd: _Series, mean: float, shown: tuple[int, str, str], factor: float) -> Iterator[Value | Doubt]:
    """The mean is checked where its runs are there, else it is what the script tells."""
    at, raw, unit = shown
    if not dd.rates:
        yield _write(at, "average", raw, unit, factor, dd.script, dd.line, "mean")
    elif abs(sum(dd.rates) / len(dd.rates) - mean) > 0.03 * mean + 1:
        yield Doubt(at, "disagree", f"the mean of the runs above is {sum(dd.rates) / len(dd.rates):.1f}, not {raw} {unit}")
    dd.rates, dd.line = [], 0


def _write(at: int, native: str, raw: str, unit: str, factor: float, script: str, below: int = 0, stat: str = "sample") -> Value:
    params = {"fsync": "fdatasync", "command": script}
    return Value(
        at,
        "dd",
        "write.throughput",
        native,
        float(raw) * factor,
        "B/s",
        raw,
        unit,
        at,
        None,
        stat,
        params,
        depends=(below,) if below else (),
    )


def _fio(lines: Sequence[str], sizes: list[str], at: int) -> Iterator[Value | Doubt]:
    """The rows below a line of block sizes; that of totals adds two up and is none."""
    told = False
    for number in range(at + 1, min(at + _ROWS_BELOW, len(lines) + 1)):
        row = _ROW.match(lines[number - 1])
        if not row or row[1] == "Total":
            continue
        cells = row[2].rstrip(" |").split("|")
        for size, cell in zip(sizes, cells, strict=False):
            found, octets = _CELL.match(cell), _SIZE.match(size)
            if not found or not octets or len(cells) != len(sizes):
                yield Doubt(number, "bad-number", f"{row[1]} {size}: {cell.strip()[:40]!r} is no rate with its operations a second")
                continue
            block = int(octets[1]) * (1024 if octets[2] == "k" else 2**20)
            if not told:
                told = True
                yield Doubt(number, "mislabelled-unit", "yabs.sh calls thousands of KiB/s MB/s, and millions GB/s")
            yield from _of_cell(number, at, f"{row[1]} {size}", block, found)


def _of_cell(number: int, titles: int, native: str, block: int, found: re.Match[str]) -> Iterator[Value]:
    operation = f"random_{native.split()[0].lower()}"
    params = {"block_size": block, **_AS_RUN}
    rate, unit, operations, kilo = found.groups()
    yield Value(
        number,
        "fio",
        f"{operation}.throughput",
        native,
        float(rate) * _KIB[unit] * 1024,
        "B/s",
        rate,
        f"{_KIB[unit]} KiB/s".removeprefix("1 "),
        (titles, block),
        None,
        "sample",
        params,
        depends=(titles,),
    )
    yield Value(
        number,
        "fio",
        f"{operation}.rate",
        f"{native} IOPS",
        float(operations) * (1000 if kilo else 1),
        "1/s",
        operations + kilo,
        "ops/s",
        (titles, block),
        None,
        "sample",
        params,
        depends=(titles,),
    )


PARSER = Parser(
    name="vps-scripts",
    version=6,
    anchor=Anchor(
        ANCHOR,
        "i/o speed",
        "mb-0",
        "gb-0",
        "sequential write speed",
        "block size",
        "disk read",
        "disk write",
        "0k read",
        "0k write",
        "0k random",
    ),
    parse=parse,
    shapes=(
        Shape("bench.sh, I/O Speed", "all", "MB = 10^6 B, as dd prints", "one run of dd or three, whose mean is only checked"),
        Shape("superbench.sh, I/O Speed( 1.0GB )", "all", "MB = 10^6 B, as dd prints", "as bench.sh"),
        Shape("LemonBench, disk speed", "all", "MB = 10^6 B, as dd prints", "operations a second are worked out of the seconds"),
        Shape("nench.sh, dd", "all", "MiB = 2^20 B", "the mean of the three runs is only checked"),
        Shape("yabs.sh, fio", "all", "MB/s = 1000 KiB/s, GB/s = 10^6 KiB/s", "totals of reads and writes are no measurements"),
        Shape(
            "Storage.sh of PiBenchmarks, table",
            "all",
            "hdparm's MB = 2^20 B, dd's 10^6 B, fio's and iozone's KB = 2^10 B",
            "the score is no measurement; what the tools printed above it is the same again",
        ),
    ),
    source="bench.sh (io_test), superbench.sh, LemonBench (Function_DiskTest), "
    "nench.sh (dd_benchmark), yabs.sh (format_speed, disk_test), Storage.sh of PiBenchmarks; fio HOWTO, terse output: KiB/s",
    brief=True,
)
