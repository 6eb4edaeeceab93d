"""elbencho's --jsonfile: one object a phase, every number a string (boost's property tree prints no others)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.suites._elbencho_phase import FIRST_DONE, STAT_NAMES, ElbenchoPhase, parse_command, parse_date
from ingest.records import Doubt, Value
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents

_WHOLE = lazy(r"\d{1,18}\Z")
_RATES = {"entries/s": ("rate", "1/s"), "iops": ("rate", "1/s"), "bytes/s": ("throughput", "B/s")}
_COUNTS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file_size": "file_size",
           "block_size": "block_size", "io_depth": "iodepth"}  # fmt: skip


def parse(text: Text) -> Iterator[Value | Doubt]:
    """The phases of every object in the text."""
    if '"phase_type"' not in text.body:
        return
    run: tuple[int, str | None, set[str]] = 0, None, set()
    for document in find_documents(text, "phase_type"):
        name, command = document.root.text("phase_type"), document.root.text("config", "command")
        if name is None:
            continue
        if not run[0] or command != run[1] or name in run[2]:
            run = document.root.line, command, set()
        run[2].add(name)
        yield from _document(document, name, run[0])


def _document(document: LocatedDocument, name: str, run: int) -> Iterator[Value | Doubt]:
    root = document.root
    config = root.get("config")
    version = config.text("version") if config else None
    lines = {node.line for node in (config.value.values() if config and isinstance(config.value, dict) else ())}
    phase = ElbenchoPhase(name, root.line, run, version, parse_date(root.text("iso_start_date") or ""), _params(root), tuple(lines))
    for key, part in (("first_done", FIRST_DONE), ("last_done", "")):
        if (done := root.get(key)) is not None:
            yield from _done(phase, done, key, part)
    if root.get("last_done") is None:
        yield Doubt(root.line, "cut", f"the phase {name} ends before its results")
    for line, message in document.faults[:5]:
        yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")


def _params(root: LocatedValue) -> dict[str, Any]:
    command = root.text("config", "command")
    params: dict[str, Any] = {"pattern": "unknown"}
    if command:
        params = parse_command(re.sub(r'^"[^"]*"', "elbencho", command))
    for key, name in _COUNTS.items():
        if _WHOLE.match(root.text("config", key) or ""):
            params[name] = int(root.text("config", key) or 0)
    if (random := root.text("config", "random_offsets")) is not None:
        given = params["pattern"] if params["pattern"] == "backward" else "sequential"
        params["pattern"] = "random" if random in ("1", "true") else given
    if root.text("config", "direct_io") in ("1", "true"):
        params["direct"] = "on"
    for path, name in ((("label",), "label"), (("config", "path_type"), "path_type")):
        if told := root.text(*path):
            params[name] = told
    return params


def _done(phase: ElbenchoPhase, done: LocatedValue, key: str, part: str) -> Iterator[Value | Doubt]:
    params = {"part": part} if part else {}
    own = phase.operation(entries=False)
    yield from _cell(phase, done.get("elapsed_time_ms"), (f"{own}.elapsed", f"{key} elapsed_time_ms", "s", "ms"), 1000, params)
    yield from _cell(phase, done.get("cpu%"), (f"{own}.cpu", f"{key} cpu%", "%", "%"), 1, params)
    mixed = done.get("rwmix_read")
    for node, direction, prefix in ((done, "write" if mixed else "", key), (mixed, "read", f"{key} rwmix_read")):
        for name, (quantity, unit) in _RATES.items():
            operation = phase.operation(name == "entries/s", direction)
            cell = node.get(name) if node else None
            yield from _cell(phase, cell, (f"{operation}.{quantity}", f"{prefix} {name}", unit, unit), 1, params)
    for kind in ("entries", "IO"):
        table = done.get("latency", kind)
        mix = table.get("rwmix_read") if table else None
        for node, direction in ((table, "write" if mix or mixed else ""), (mix, "read")):
            metric = f"{phase.operation(kind == 'entries', direction)}.latency"
            for stat, said in STAT_NAMES.items():
                cell = node.get(f"{stat}_us") if node else None
                yield from _cell(phase, cell, (metric, f"latency {kind} {stat}_us", "s", "us"), 1_000_000, params, said)


def _cell(
    phase: ElbenchoPhase,
    cell: LocatedValue | None,
    names: tuple[str, str, str, str],
    parts: int,
    params: dict[str, str],
    stat: str = "sample",
) -> Iterator[Value | Doubt]:
    """`parts`: how many of the printed unit make the base unit."""
    if cell is None:
        return
    metric, native, unit, meant = names
    raw = cell.value if isinstance(cell.value, str) else cell.raw
    if not _WHOLE.match(raw):
        yield Doubt(cell.line, "bad-number", f"{phase.name} {native}: {raw[:40]!r} is not a whole number")
        return
    if int(raw) == 0 and metric.endswith((".rate", ".throughput")):
        yield Doubt(cell.line, "unmeasured", f"{phase.name} {native}: 0 stands for less than one, or for no time at all")
        return
    if int(raw) == 0 and metric.endswith(".elapsed") and not phase.prepares:
        yield Doubt(cell.line, "zero-time", f"{phase.name} {native}: less than a millisecond")
    yield phase.value(cell.line, metric, native, (int(raw) / parts, unit, raw, meant), stat, **params)
