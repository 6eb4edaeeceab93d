"""Numbers in base units, for people."""

from __future__ import annotations

from typing import Optional

UNITS = {
    "throughput": "B/s",
    "rate": "1/s",
    **dict.fromkeys(("elapsed", "user", "sys", "latency"), "s"),
    "cpu": "%",
    **dict.fromkeys(("size", "capacity"), "B"),
    **dict.fromkeys(("compressratio", "dedupratio", "score"), "1"),
}
"""Quantity -> base unit: what stands behind the point of a metric's name decides."""
SIZES = ("file_size", "record_size", "block_size", "transfer_size", "total_size", "memory", "recordsize", "pool.recordsize")
"""Parameters and keys in bytes."""
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def unit_of(metric: str) -> str:
    """The base unit of a metric; empty for a quantity that this client does not know."""
    return UNITS.get(metric.rpartition(".")[2], "")


def quantity(value: Optional[float], unit: str) -> str:
    """A value with its unit: `3.9 GiB/s`, `12.4 ms`, `81,920 /s`."""
    if value is None:
        return "-"
    if unit in ("B", "B/s"):
        power = 0
        while abs(value) >= 1024 and power < len(_BINARY) - 1:
            value, power = value / 1024, power + 1
        return f"{digits(value)} {_BINARY[power]}{unit}"
    if unit == "s":
        size, name = next((one for one in _SECONDS if abs(value) >= one[0]), _SECONDS[-1 if value else 0])
        return f"{digits(value / size)} {name}"
    return f"{digits(value)} {'/s' if unit == '1/s' else unit if unit != '1' else ''}".rstrip()


def digits(value: float) -> str:
    """Three significant digits; whole numbers from 100 on, with commas."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio(value: Optional[float]) -> str:
    return "-" if value is None else f"{digits(value)}x" if abs(value) >= 100 else f"{value:.2f}x"


def percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def parameter(name: str, value: object) -> str:
    """A parameter of a workload or a key of a configuration in words: `file_size 8 GiB`, `threads 4`."""
    if name in SIZES and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{name} {quantity(value, 'B')}"
    return f"{name} {value}"
