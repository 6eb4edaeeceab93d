"""fio's terse output, versions 2 to 5: one line a job, fields split by semicolons.

The fields are those of the fio documentation, "Terse output": five of the job, then for read, write and (2, 4, 5) trim:
KiB moved, KiB/s, IOPS, ms; slat, clat (min max mean deviation, us); 20 percentiles of clat; lat; bandwidth (min max
share mean deviation, KiB/s), in 5 followed by samples and IOPS (min max mean deviation samples). Then usr and sys CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ingest.parsers._fio_job import NUMBER, PARTS, STATS, Job, percentile, scaled
from ingest.records import Doubt, Value

# The name of the version tells a line even behind a time stamp or a host name; version 2 has none and begins its line.
LINE = re.compile(
    r"(?:^[\s>|]*(?=2;|[3-5];\d\.)|(?<![\w;.])(?=\d;fio-))([2-9]);(?:(?:fio-)?(\d[^;]{0,30}\.[^;]{0,30});)?"
    r"([^;]{0,200});(\d+);(\d+);(\d[^\n]*)$"
)
LIKE = re.compile(
    r"(?<![\w;.])[3-9];fio-\d|^[\s>|]*(?:2;fio-\d|2;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d|"
    r"[3-5];\d\.[\d.]+;[^;]{1,200};\d+;\d+;(?:\d+;){4}\d)"  # 2.0.x: the version without `fio-`
)
_ALL = ("read", "write", "trim")
_SECTIONS = {"2": (41, _ALL), "3": (41, ("read", "write")), "4": (41, _ALL), "5": (47, _ALL)}
_SUMMARY = ("min", "max", "mean", "dev")


def read_line(
    line: str, number: int, known: Mapping[str, tuple[str, dict[str, object], int]]
) -> Iterator[Value | Doubt]:
    """The figures of one terse line; `known`: options of jobs that the same file tells."""
    found = LINE.search(line)
    if not found:
        yield Doubt(number, "cut", "a terse line of fio that ends before its first figure")
        return
    if found[1] not in _SECTIONS:
        yield Doubt(number, "unknown-version", f"terse version {found[1]}; none of its figures was taken")
        return
    width, directions = _SECTIONS[found[1]]
    fields = found[6].rstrip().split(";")
    if len(fields) < width * len(directions) + 5:
        yield Doubt(number, "short-row", f"{len(fields) + 5} fields where version {found[1]} has more; none was taken")
        return
    pattern, params, where = known.get(found[3], (None, {}, 0))
    job = Job(found[3], number, found[2], pattern or None, found[4], None, dict(params), (where,) if where else ())
    if found[5] != "0":
        yield Doubt(number, "failed-run", f"job {job.name}: fio reports error {found[5]}")
    used = [d for at, d in enumerate(directions) if fields[at * width].strip("0")]
    if used and not pattern:
        yield Doubt(number, "no-command", f"job {job.name}: terse output does not tell the pattern")
    for at, direction in enumerate(directions):
        if direction in used:
            yield from _direction(job, direction, fields[at * width : (at + 1) * width], number)
    end = width * len(directions)
    for part, raw in zip(("user", "system"), fields[end : end + 2], strict=True):
        yield from _figure(
            job,
            used[0] if len(used) == 1 else "mixed",
            ("cpu", f"{part} cpu", "%", "%"),
            raw.rstrip("%"),
            1,
            number,
            part=part,
        )


def _direction(job: Job, direction: str, fields: list[str], number: int) -> Iterator[Value | Doubt]:
    if fields[3].isdecimal():
        job.params["runtime"] = int(fields[3]) / 1000
    yield from _figure(job, direction, ("throughput", "bandwidth", "B/s", "KiB/s"), fields[1], 1024, number)
    yield from _figure(job, direction, ("rate", "iops", "1/s", "ops/s"), fields[2], 1, number)
    for kind, at in (("slat", 4), ("clat", 8), ("lat", 32)):
        if any(raw.strip("0.") for raw in fields[at : at + 4]):
            for stat, raw in zip(_SUMMARY, fields[at : at + 4], strict=True):
                yield from _figure(
                    job,
                    direction,
                    ("latency", f"{kind} {stat}", "s", "us"),
                    raw,
                    1e-6,
                    number,
                    part=PARTS[kind],
                    stat=STATS[stat],
                )
    for pair in fields[12:32]:
        name, _, raw = pair.partition("%=")
        if name.strip("0."):
            yield from _figure(
                job,
                direction,
                ("latency", f"clat {name}%", "s", "us"),
                raw,
                1e-6,
                number,
                part=PARTS["clat"],
                stat=percentile(name),
            )
    yield from _intervals(job, direction, fields, number)


def _intervals(job: Job, direction: str, fields: list[str], number: int) -> Iterator[Value | Doubt]:
    bandwidth = [fields[36], fields[37], fields[39], fields[40]]
    groups = [(("throughput", "bw", "B/s", "KiB/s"), bandwidth, 1024)]
    if len(fields) > 41:
        groups.append((("rate", "iops", "1/s", "ops/s"), fields[42:46], 1))
    for (quantity, name, unit, meant), raws, factor in groups:
        if any(raw.strip("0.") for raw in raws):
            for stat, raw in zip(_SUMMARY, raws, strict=True):
                yield from _figure(
                    job,
                    direction,
                    (quantity, f"{name} {stat}", unit, meant),
                    raw,
                    factor,
                    number,
                    part="interval",
                    stat=STATS[stat],
                )


def _figure(
    job: Job,
    direction: str,
    names: tuple[str, str, str, str],
    raw: str,
    factor: float,
    number: int,
    *,
    part: str = "",
    stat: str = "sample",
) -> Iterator[Value | Doubt]:
    quantity, name, unit, meant = names
    if not NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{direction} {name}: {raw[:40]!r} is not a number")
        return
    yield job.value(
        number,
        direction,
        quantity,
        f"{direction} {name}",
        (scaled(float(raw), factor), unit, raw, meant),
        part=part,
        stat=stat,
    )
