"""elbencho's --jsonfile: one object a phase, every number a string (boost's property tree prints no others)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber, json_fault_warnings
from ingest.parsers.suites._elbencho_command import FIRST_DONE, STAT_NAMES, ElbenchoPhase, RunGrouping, parse_date, read_workload
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, LocatedValue, find_documents

_INTEGER = lazy(r"\d{1,18}\Z")
_RATES = {"entries/s": ("rate", "1/s"), "iops": ("rate", "1/s"), "bytes/s": ("throughput", "B/s")}
_COUNT_KEYS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file_size": "file_size",
           "block_size": "block_size", "io_depth": "iodepth"}  # fmt: skip


class _Quantity(NamedTuple):
    """The unit of a cell: as printed, the base unit, and how many of the former make one of the latter."""

    raw_unit: str
    unit: str
    per_base_unit: int = 1


_MILLISECONDS, _MICROSECONDS = _Quantity("ms", "s", 1000), _Quantity("us", "s", 1_000_000)
_PERCENT = _Quantity("%", "%")


def parse(text: Text) -> Iterator[Found]:
    """The values of every object in the text."""
    if '"phase_type"' not in text.body:
        return
    runs = RunGrouping()
    for document in find_documents(text, "phase_type"):
        name = document.root.text("phase_type")
        if name is not None:
            run = runs.add(name, document.root.text("config", "command"), document.root.line)
            yield from _document(document, name, run)


def _document(document: LocatedDocument, name: str, run: int) -> Iterator[Found]:
    root = document.root
    config = root.get("config")
    version = config.text("version") if config else None
    lines = {node.line for node in (config.value.values() if config and isinstance(config.value, dict) else ())}
    started = parse_date(root.text("iso_start_date") or "")
    phase = ElbenchoPhase(name, root.line, run, version, started, _params(root), tuple(lines))
    for key, part in (("first_done", FIRST_DONE), ("last_done", "")):
        if (results := root.get(key)) is not None:
            yield from _results(phase, results, key, part)
    if root.get("last_done") is None:
        yield Doubt(root.line, "cut", f"the phase {name} ends before its results")
    yield from json_fault_warnings(document)


def _params(root: LocatedValue) -> dict[str, Any]:
    random_offsets = root.text("config", "random_offsets")
    return read_workload(
        root.text("config", "command"),
        {name: root.text("config", key) for key, name in _COUNT_KEYS.items()},
        is_random=None if random_offsets is None else random_offsets in ("1", "true"),
        is_direct=root.text("config", "direct_io") in ("1", "true"),
        words={"label": root.text("label"), "path_type": root.text("config", "path_type")},
    )


def _results(phase: ElbenchoPhase, results: LocatedValue, key: str, part: str) -> Iterator[Found]:
    """The values of `first_done` or `last_done`; reads of a mixed phase stand in an object of their own."""
    operation = phase.operation(entries=False)
    elapsed = _Cell(phase, results.get("elapsed_time_ms"), f"{operation}.elapsed", f"{key} elapsed_time_ms", part)
    yield from elapsed.items(_MILLISECONDS)
    yield from _Cell(phase, results.get("cpu%"), f"{operation}.cpu", f"{key} cpu%", part).items(_PERCENT)
    mixed_reads = results.get("rwmix_read")
    for node, direction, prefix in (
        (results, "write" if mixed_reads else "", key),
        (mixed_reads, "read", f"{key} rwmix_read"),
    ):
        for name, (quantity, unit) in _RATES.items():
            metric = f"{phase.operation(name == 'entries/s', direction)}.{quantity}"
            cell = node.get(name) if node else None
            yield from _Cell(phase, cell, metric, f"{prefix} {name}", part).items(_Quantity(unit, unit))
    for kind in ("entries", "IO"):
        table = results.get("latency", kind)
        reads = table.get("rwmix_read") if table else None
        for node, direction in ((table, "write" if reads or mixed_reads else ""), (reads, "read")):
            metric = f"{phase.operation(kind == 'entries', direction)}.latency"
            for name, stat in STAT_NAMES.items():
                cell = node.get(f"{name}_us") if node else None
                yield from _Cell(phase, cell, metric, f"latency {kind} {name}_us", part).items(_MICROSECONDS, stat)


class _Cell(NamedTuple):
    """One number of an object, if it is there."""

    phase: ElbenchoPhase
    node: LocatedValue | None
    metric: str
    native: str
    part: str

    def items(self, quantity: _Quantity, stat: str = "sample") -> Iterator[Found]:
        """Its value, or a warning."""
        if self.node is None:
            return
        phase, line, native = self.phase, self.node.line, self.native
        raw = self.node.value if isinstance(self.node.value, str) else self.node.raw
        if not _INTEGER.match(raw):
            yield Doubt(line, "bad-number", f"{phase.name} {native}: {raw[:40]!r} is not a whole number")
            return
        number = PrintedNumber(int(raw) / quantity.per_base_unit, quantity.unit, raw, quantity.raw_unit)
        if self.metric.endswith(".elapsed"):
            yield from phase.elapsed(line, native, number, self.part)
        elif int(raw) == 0 and self.metric.endswith((".rate", ".throughput")):
            value = phase.value(line, self.metric, native, number, part=self.part)
            if phase.moves or not self.metric.endswith(".throughput"):
                yield MissingValue.instead_of(value, ZERO_TIME)
            yield phase.zero_rate(line, native)
        else:
            yield phase.value(line, self.metric, native, number, stat=stat, part=self.part)
