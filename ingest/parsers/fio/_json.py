"""fio's JSON and JSON+ output. Rates per second, `bw` in KiB/s, `bw_bytes` in B/s, `*_ns` in nanoseconds; before 3.0
latencies have no unit in their name and are microseconds (fio documentation, "JSON output")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

from ingest.parsers.fio._job import (
    LATENCY_PARTS,
    NUMBER,
    STAT_NAMES,
    FioJob,
    parse_date,
    parse_options,
    percentile_stat,
    to_base_unit,
)
from ingest.records import Doubt, Value
from ingest.text.located_json import LocatedDocument, LocatedValue

_DIRECTIONS = ("read", "write", "trim", "mixed")
_INTERVAL = {"bw": ("throughput", 1024, "B/s", "KiB/s"), "iops": ("rate", 1, "1/s", "ops/s")}


def read_document(document: LocatedDocument) -> Iterator[list[Value | Doubt]]:
    """What each job of one JSON output tells, then a warning for each place that could not be read."""
    root = document.root
    version = (root.text("fio version") or "").removeprefix("fio-") or None
    started = parse_date(root.text("time"))
    shared = _strings(root.get("global options"))
    head = tuple(node.line for node in (root.get("fio version"), root.get("time")) if node)
    for node in (root.get("jobs") or root.get("client_stats") or LocatedValue(0, "", [])).items():
        name = node.text("jobname")
        if name is None or name == "All clients":
            if name is None:
                yield [Doubt(node.line, "short-row", "a job without its name; none of its figures was taken")]
            continue
        given = node.get("job options")
        pattern, params = parse_options(shared | _strings(given))
        job = FioJob(
            name,
            node.line,
            version,
            pattern,
            node.text("groupid") or "0",
            started,
            params,
            (*head, *_lines(node.get("jobname")), *_lines(given), *_lines(root.get("global options"))),
        )
        yield list(_job(job, node))
    yield [
        Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")
        for line, message in sorted(document.faults, key=itemgetter(0))[:5]
    ]


def _lines(node: LocatedValue | None) -> list[int]:
    """The lines of a node and of what it holds."""
    if node is None:
        return []
    return [node.line, *(child.line for child in node.value.values())] if isinstance(node.value, dict) else [node.line]


def _strings(node: LocatedValue | None) -> dict[str, str]:
    if node is None or not isinstance(node.value, dict):
        return {}
    return {key: value.value for key, value in node.value.items() if isinstance(value.value, str)}


def _job(job: FioJob, node: LocatedValue) -> Iterator[Value | Doubt]:
    if (node.text("error") or "0") != "0":
        yield Doubt(node.line, "failed-run", f"job {job.name}: fio reports error {node.text('error')}")
    used = [d for d in _DIRECTIONS if (section := node.get(d)) and _did(section)]
    if used and job.pattern is None:
        yield Doubt(node.line, "no-command", f"job {job.name}: no option tells the pattern")
    for direction in used:
        section = node.get(direction)
        if section is not None:
            yield from _direction(job, direction, section)
    if (synced := node.get("sync")) and (table := synced.get("lat_ns")):
        yield from _latencies(job, "fsync", ("sync", "sync lat_ns", "ns", 1e-9), table)
    for key, part in (("usr_cpu", "user"), ("sys_cpu", "system")):
        if used and (cell := node.get(key)) and NUMBER.match(cell.raw):
            yield job.value(
                cell.line,
                used[0] if len(used) == 1 else "mixed",
                "cpu",
                key,
                (float(cell.raw), "%", cell.raw, "%"),
                part=part,
            )


def _did(section: LocatedValue) -> bool:
    """Whether the direction moved anything."""
    return any((section.text(key) or "0").strip("0.") for key in ("io_bytes", "bw_bytes", "bw", "total_ios"))


def _direction(job: FioJob, direction: str, section: LocatedValue) -> Iterator[Value | Doubt]:
    if (runtime := section.text("runtime")) and runtime.isdecimal():
        job.params["runtime"] = int(runtime) / 1000
        job.depends = (*job.depends, *_lines(section.get("runtime")))
    exact = section.get("bw_bytes") or section.get("io_kbytes")  # the two came together; before, only bw
    key, factor, meant = ("bw_bytes", 1, "B/s") if exact else ("bw", 1024, "KiB/s")
    if section.get(key) is None:
        yield Doubt(section.line, "short-row", f"{direction}: {key} is missing")
    yield from _cell(job, direction, section.get(key), (key, "throughput", "B/s", meant), factor)
    yield from _cell(job, direction, section.get("iops"), ("iops", "rate", "1/s", "ops/s"), 1)
    for kind in ("lat", "clat", "slat"):
        for suffix, unit, scale in (("_ns", "ns", 1e-9), ("", "us", 1e-6)):
            if table := section.get(kind + suffix):
                yield from _latencies(job, direction, (kind, kind + suffix, unit, scale), table)
                break
    for entry in (section.get("prios") or LocatedValue(0, "", [])).items():
        yield from _priority(job, direction, entry)
    if (section.text("bw_samples") or "1") != "0":
        yield from _intervals(job, direction, section)


def _priority(job: FioJob, direction: str, entry: LocatedValue) -> Iterator[Value | Doubt]:
    """Latencies of one priority (since 3.30): `prioclass` is a number or a name, `prio` a number."""
    of, level = entry.get("prioclass"), entry.get("prio")
    if of is None or level is None:
        yield Doubt(entry.line, "short-row", f"{direction}: latencies of a priority that is not told; none was taken")
        return
    name = f"prio {entry.text('prioclass')}/{entry.text('prio')}"
    job = replace(job, depends=(*job.depends, of.line, level.line))
    for kind in ("clat", "lat"):
        if table := entry.get(f"{kind}_ns"):
            part = ", ".join(word for word in (LATENCY_PARTS[kind], name) if word)
            yield from _latencies(job, direction, (part, f"{kind} {name}", "ns", 1e-9), table)


def _cell(
    job: FioJob,
    direction: str,
    cell: LocatedValue | None,
    names: tuple[str, str, str, str],
    factor: float,
    part: str = "",
    stat: str = "sample",
) -> Iterator[Value | Doubt]:
    key, quantity, unit, meant = names
    if cell is None:
        return
    if not NUMBER.match(cell.raw):
        yield Doubt(cell.line, "bad-number", f"{direction} {key}: {cell.raw[:40]!r} is not a number")
        return
    yield job.value(
        cell.line,
        direction,
        quantity,
        f"{direction} {key}",
        (to_base_unit(float(cell.raw), factor), unit, cell.raw, meant),
        part=part,
        stat=stat,
    )


def _latencies(job: FioJob, direction: str, names: tuple[str, str, str, float], table: LocatedValue) -> Iterator[Value | Doubt]:
    kind, key, unit, scale = names
    if (table.text("N") or "1") == "0" or not any((table.text(stat) or "0").strip("0.") for stat in ("min", "max", "mean")):
        return
    for stat in ("min", "max", "mean", "stddev"):
        yield from _cell(
            job,
            direction,
            table.get(stat),
            (f"{key} {stat}", "latency", "s", unit),
            scale,
            LATENCY_PARTS.get(kind, kind),
            STAT_NAMES[stat],
        )
    shares = table.get("percentile")
    for name, cell in shares.value.items() if shares and isinstance(shares.value, dict) else ():
        if NUMBER.match(name) and float(name) > 0 and cell.value is not None:
            yield from _cell(
                job,
                direction,
                cell,
                (f"{key} {name}", "latency", "s", unit),
                scale,
                LATENCY_PARTS.get(kind, kind),
                percentile_stat(name),
            )


def _intervals(job: FioJob, direction: str, section: LocatedValue) -> Iterator[Value | Doubt]:
    for prefix, (quantity, factor, unit, meant) in _INTERVAL.items():
        stats = ("min", "max", "mean", "dev") if prefix == "bw" else ("min", "max", "mean", "stddev")
        cells = [(stat, section.get(f"{prefix}_{stat}")) for stat in stats]
        if any(cell and cell.raw.strip("0.") for _, cell in cells):
            for stat, cell in cells:
                yield from _cell(
                    job, direction, cell, (f"{prefix}_{stat}", quantity, unit, meant), factor, "interval", STAT_NAMES[stat]
                )
