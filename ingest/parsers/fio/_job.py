"""What a fio job is, in whatever format its result is printed, and how its figures become values.

Directions: `rw=read` is sequential, `randread` random, `rw`, `readwrite` and `randrw` are mixed workloads whose reads
and writes are reported apart (fio documentation, "I/O type"). Where no option tells the pattern (terse output), the
figures are kept apart as `pattern: unknown`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS, Value

TOOL_NAME = "fio"
NUMBER = lazy(r"\d{1,40}(?:\.\d+)?(?:[eE][+-]?\d{1,2})?\Z")
_SUFFIXED = lazy(r"(\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+)([kKMG]?)\Z")
_SIZE = lazy(r"(\d+(?:\.\d+)?)([kKmMgGtT]?)(?:i?[bB])?\Z")
_SI = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
MIXED_PATTERNS = ("rw", "readwrite", "randrw", "trimwrite", "randtrimwrite")

# Kinds of latency: `lat` is the whole, from submission to completion (fio documentation, "Interpreting the output").
LATENCY_PARTS = {"lat": "", "clat": "completion", "slat": "submission", "sync": ""}
STAT_NAMES = {
    "min": "min",
    "max": "max",
    "avg": "mean",
    "mean": "mean",
    "stdev": "stddev",
    "stddev": "stddev",
    "dev": "stddev",
}


@dataclass(slots=True)
class FioJob:
    """One job, or one group of jobs reported together."""

    name: str
    line: int
    version: str | None = None
    pattern: str | None = None
    group: str = "0"
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: tuple[int, ...] = ()
    known: dict[tuple[Hashable, ...], dict[str, Any]] = field(default_factory=dict)
    run: tuple[int, str] = (0, "")

    def __post_init__(self) -> None:
        self.run = self.line, self.name

    def operation(self, direction: str) -> str:
        """`read`, `random_write`, ... of the catalogue for fio's direction."""
        if direction in ("mixed", "fsync"):
            return direction
        return f"random_{direction}" if (self.pattern or "").startswith("rand") else direction

    def value(
        self,
        line: int,
        direction: str,
        quantity: str,
        native: str,
        figure: tuple[float, str, str, str],
        *,
        part: str = "",
        stat: str = "sample",
        params: Mapping[str, Any] | None = None,
    ) -> Value:
        """`figure`: value in the base unit, the unit, the text as printed, the unit that fio means."""
        number, unit, raw, meant = figure
        return Value(
            line,
            TOOL_NAME,
            intern(f"{self.operation(direction)}.{quantity}"),
            intern(native),
            number,
            unit,
            raw,
            meant,
            self.run,
            self.version,
            stat,
            self._shared(part, params or NO_PARAMS),
            NO_PARAMS,
            "measured",
            None,
            self.started,
            None,
            self.depends,
        )

    def _shared(self, part: str, more: Mapping[str, Any]) -> dict[str, Any]:
        """Its parameters: figures that have the same ones share them."""
        key = part, self.params.get("runtime"), *more.items()  # nothing else changes while the job is read
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self.told(part, more)
        return known

    def told(self, part: str, more: Mapping[str, Any] = NO_PARAMS) -> dict[str, Any]:
        """The parameters of a figure of that part."""
        told: dict[str, Any] = {**self.params, "job": self.name, **more}
        if self.pattern is None:
            told["pattern"] = "unknown"
        elif self.pattern in MIXED_PATTERNS:
            told["mix"] = self.pattern
        if part:
            told["part"] = part
        return told


def parse_options(given: Mapping[str, str]) -> tuple[str | None, dict[str, Any]]:
    """Pattern and workload parameters of job options as fio spells them."""
    pattern = given.get("rw") or given.get("readwrite")
    params: dict[str, Any] = {}
    for key, name in (("ioengine", "engine"), ("percentage_random", "percentage_random"), ("rwmixread", "rwmixread")):
        if key in given:
            params[name] = given[key]
    for key, name in (("iodepth", "iodepth"), ("numjobs", "processes")):
        if given.get(key, "").isdecimal():
            params[name] = int(given[key])
    for key, name in (("bs", "block_size"), ("blocksize", "block_size"), ("size", "file_size")):
        if (size := parse_size(given.get(key, ""))) is not None:
            params[name] = size
    for key, name in (("direct", "direct"), ("end_fsync", "fsync"), ("sync", "sync_mode")):
        if key in given and given[key] not in ("0", "none"):
            params[name] = "on" if given[key] in ("1", "") else given[key]
    if (every := given.get("fsync", "0")) not in ("0", ""):
        params["fsync"] = f"every {every}"
    return (pattern.split(":")[0] if pattern else None), params


def parse_size(text: str) -> int | None:
    """`4k`, `64M`, `4096B`, `1024KiB` -> bytes; fio's k is 1024 (kb_base). None where it is no single whole size."""
    found = _SIZE.match(text)
    if not found or ("." in text and text[-1:] == "B" and "i" not in text):
        return None  # `65.5kB` of kb_base=1000 is rounded
    size = float(found[1]) * 1024 ** _POWERS[found[2].lower()]
    return int(size) if size == int(size) else None


def to_base_unit(number: float, factor: float) -> float:
    """The number in the base unit; small factors divide, which rounds correctly (18 us is 1.8e-05 s)."""
    return number * factor if factor >= 1 else number / round(1 / factor)


def parse_suffixed(text: str) -> float | None:
    """`7513`, `28.2k`, `1.1M`, `7,513` (1.x): powers of 1000 (num2str in fio's source, base 1000 for IOPS and latencies)."""
    found = _SUFFIXED.match(text)
    return float(found[1].replace(",", "")) * _SI[found[2]] if found else None


def percentile_stat(name: str) -> str:
    """`99.000000`, `99.90` -> `p99`, `p99.9`."""
    return "p" + (name.rstrip("0").rstrip(".") if "." in name else name)


def parse_date(printed: str | None) -> str | None:
    """`Sat Nov 21 04:39:18 2026` in ISO 8601."""
    try:
        return datetime.strptime(" ".join((printed or "").split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None
