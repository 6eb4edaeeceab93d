"""One job of fio, in whichever format its result is printed, and its values.

Directions: `rw=read` is sequential, `randread` random, `rw`, `readwrite` and `randrw` are mixed workloads whose reads
and writes are reported apart (fio documentation, "I/O type"). Without options (terse output) the pattern is unknown, and
the figures are kept apart as `pattern: unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from ingest.keys import ERROR
from ingest.lazy_regex import lazy
from ingest.parsers.fio._options import TOOL_NAME, moved_directions, without_defaults
from ingest.records import FAILED, NO_PARAMS, MissingValue, Value
from ingest.run_errors import describe_error

NUMBER = lazy(r"\d{1,40}(?:\.\d+)?(?:[eE][+-]?\d{1,2})?\Z")
_SUFFIXED = lazy(r"(\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+)([kKMG]?)\Z")
_SI_FACTORS = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
MIXED_PATTERNS = ("rw", "randrw", "trimwrite", "randtrimwrite")

# Kinds of latency: `lat` is all of it, from submission to completion (fio documentation, "Interpreting the output").
LATENCY_PARTS = {"lat": "", "clat": "completion", "slat": "submission", "sync": ""}
STAT_NAMES = {"min": "min", "max": "max", "avg": "mean", "mean": "mean", "stdev": "stddev", "stddev": "stddev", "dev": "stddev"}


class FioColumn(NamedTuple):
    """One kind of figure: fio's name of it without the direction, and its units.

    `factor` / `divisor` base units make the printed one; a divisor rounds correctly, 1e-6 would not.
    `native`: the whole name, of figures whose name does not begin with the direction.
    """

    quantity: str
    name: str
    unit: str
    raw_unit: str
    factor: float = 1
    part: str = ""
    stat: str = "sample"
    native: str = ""
    divisor: int = 1

    def to_base_unit(self, number: float) -> float:
        """The number in the base unit."""
        return number * self.factor / self.divisor


RATE = FioColumn("rate", "iops", "1/s", "ops/s")
_BANDWIDTH = FioColumn("throughput", "bw", "B/s", "KiB/s", 1024)


@lru_cache(2000)
def _names(pattern: str | None, direction: str, column: FioColumn) -> tuple[str, str]:
    """The metric of the catalogue and the native name of a figure: the same strings for all jobs."""
    is_random = (pattern or "").startswith("rand") and direction not in ("mixed", "fsync")
    operation = f"random_{direction}" if is_random else direction
    return intern(f"{operation}.{column.quantity}"), intern(column.native or f"{direction} {column.name}")


@dataclass(slots=True)
class FioJob:
    """One job, or one group of jobs reported together. `run` groups its values: its line and its name."""

    name: str
    line: int
    version: str | None = None
    pattern: str | None = None
    group: str = "0"
    started: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    depends: tuple[int, ...] = ()
    run: tuple[int, str] = (0, "")
    error: str = ""  # as printed, of a job that failed
    implied: Mapping[str, int] = field(default_factory=dict)  # parameters with their default, with the line of the options
    _shared_params: dict[tuple[str, Any], dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.run = self.line, self.name
        self.params = without_defaults(self.params, self.version)

    def drop_implied(self, name: str) -> None:
        """Have a parameter unknown again that only follows from the options of a single job."""
        if name in self.implied:
            del self.params[name]
            self.implied = {other: line for other, line in self.implied.items() if other != name}

    def without_results(self, line: int) -> Iterator[MissingValue]:
        """The throughputs of a job that failed before it had results, as far as its options tell the directions."""
        for direction in moved_directions(self.pattern):
            yield MissingValue.instead_of(self.value(line, direction, _BANDWIDTH, 0.0, self.error), FAILED)

    def value(
        self, line: int, direction: str, column: FioColumn, value: float, raw: str, *, params: Mapping[str, Any] = NO_PARAMS
    ) -> Value:
        """A value of this job, `value` in the base unit. `params`: those that only this value has."""
        key = column.part, self.params.get("runtime")  # nothing else changes once a job has values
        shared = self._shared_params.get(key)
        if shared is None:
            shared = self._shared_params[key] = self._params(column.part)
        return Value(
            line,
            TOOL_NAME,
            *_names(self.pattern, direction, column),
            value,
            column.unit,
            raw=raw,
            raw_unit=column.raw_unit,
            run=self.run,
            tool_version=self.version,
            stat=column.stat,
            params=self._params(column.part, params) if params else shared,
            printed_config=NO_PARAMS,
            started_at=self.started,
            depends=self.depends,
            implied=self.implied or None,
        )

    def _params(self, part: str, extra: Mapping[str, Any] = NO_PARAMS) -> dict[str, Any]:
        params = {**self.params, "job": self.name, **extra}
        if self.pattern is None:
            params["pattern"] = "unknown"
        elif self.pattern in MIXED_PATTERNS:
            params["mix"] = self.pattern
        if part:
            params["part"] = part
        if self.error:
            params[ERROR] = describe_error(self.error)
        return params


def parse_suffixed(text: str) -> float | None:
    """`7513`, `28.2k`, `1.1M`, `7,513` (1.x): powers of 1000 (num2str in fio's source, base 1000 for IOPS and latencies)."""
    match = _SUFFIXED.match(text)
    return float(match[1].replace(",", "")) * _SI_FACTORS[match[2]] if match else None


def percentile_stat(name: str) -> str:
    """`99.000000`, `99.90` -> `p99`, `p99.9`."""
    return "p" + (name.rstrip("0").rstrip(".") if "." in name else name)


def parse_date(printed: str | None) -> str | None:
    """`Sat Nov 21 04:39:18 2026` in ISO 8601; None if it is no date."""
    try:
        return datetime.strptime(" ".join((printed or "").split()), "%a %b %d %H:%M:%S %Y").isoformat()
    except ValueError:
        return None
