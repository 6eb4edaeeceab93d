"""Derived quantities: what follows from a value's workload, its configuration and its transcript, labelled as derived.

None of them is part of a record, of a workload's identity or of a configuration. One that cannot be derived is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.keys import SIZE, WORD, is_about_names
from ingest.open_keys import MEMORY_LIMIT

RATIO = "ratio"
TITLE = "title"


@dataclass(frozen=True, slots=True)
class DerivedQuantity:
    """`type`: SIZE in bytes, RATIO without a unit, or WORD. `how`: the derivation, for display."""

    name: str
    type: str
    label: str
    how: str


DERIVED_QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        DerivedQuantity(
            "working_set", SIZE, "Working set", "the data set's size, or file size times processes where each has a file"
        ),
        DerivedQuantity(
            "working_set_over_memory",
            RATIO,
            "Working set over memory",
            "working set divided by memory, or by what a control group leaves of it; below 2, caches play a part",
        ),
        DerivedQuantity("data_per_disk", SIZE, "Data per disk", "working set divided by the number of disks"),
        DerivedQuantity(
            "zeros",
            WORD,
            "Zeros on a compressing pool",
            "whether the tool writes zeros (dd of /dev/zero, bonnie++) and the pool compresses",
        ),
        DerivedQuantity(
            "cache_state",
            WORD,
            "Caches before the run",
            "the last of drop_caches, reboot, export and import, or remount since the previous run; or direct I/O",
        ),
        DerivedQuantity(
            TITLE,
            WORD,
            "Under the heading",
            "the heading above it in its file, where its repetitions have a different heading",
        ),
    )
}

_PROCESS_COUNTS = {"iozone": ("processes", "threads"), "fio": ("processes",), "storagebench": ("threads",)}
_DIRECT_IO = ("on", "1", "yes", "true", "odirect")
_UNCOMPRESSED = ("off", "none")


NAMES, WRITES, READS = "names", "writes", "reads"


@cache
def kind(metric: str) -> str:
    """The kind of a metric: NAMES (metadata), WRITES (or the whole run), or READS (other work on data)."""
    if is_about_names(metric):
        return NAMES
    return WRITES if metric.startswith(("write.", "run.")) else READS


def derive_quantities(
    tool: str, metric: str, params: Mapping[str, Any], config: Mapping[str, Any], caches: str | None = None
) -> dict[str, Any]:
    """The derived quantities of a value by name, in the order of `DERIVED_QUANTITIES`. `caches`: state from
    `ingest.analysis.cache_state`.
    """
    derived: dict[str, Any] = {}
    size = working_set(tool, metric, params)
    if size:
        derived["working_set"] = size
        memory, disks = usable_memory(config), _positive(config.get("disk.count"))
        if memory:
            derived["working_set_over_memory"] = size / memory
        if disks:
            derived["data_per_disk"] = size / disks
    zeros = writes_zeros(tool, metric, params, config)
    if zeros is not None:
        derived["zeros"] = "yes" if zeros else "no"
    if str(params.get("direct", "")).lower() in _DIRECT_IO:
        caches = "direct"
    if caches:
        derived["cache_state"] = caches
    return derived


def usable_memory(config: Mapping[str, Any]) -> int | None:
    """Bytes of memory that the run could use for caches: the machine's, or a limit below it."""
    return min([size for size in (_positive(config.get("memory")), _positive(config.get(MEMORY_LIMIT))) if size], default=None)


def working_set(tool: str, metric: str, params: Mapping[str, Any]) -> int | None:
    """Bytes that the run writes or reads in all; None for metadata operations, and if the parameters do not say."""
    if kind(metric) == NAMES:
        return None
    total = _positive(params.get("total_size"))
    if total:
        return total
    size = _positive(params.get("file_size"))
    if size:
        return size * next((count for count in map(_positive, map(params.get, _PROCESS_COUNTS.get(tool, ()))) if count), 1)
    if tool == "ior":
        block, segments, processes = (_positive(params.get(name)) for name in ("block_size", "segments", "processes"))
        if block and segments and processes:
            return block * segments * processes
    return None


def writes_zeros(tool: str, metric: str, params: Mapping[str, Any], config: Mapping[str, Any]) -> bool | None:
    """Whether zeros, or equally compressible data, went to a pool that compresses them away; None if unknown.

    bonnie++ fills its buffers with one byte (bonnie++.cpp), which every algorithm compresses to almost nothing.
    """
    compression = config.get("pool.compression_effective") or config.get("pool.compression")
    if compression is None or kind(metric) == NAMES:
        return None
    if tool == "bonnie++":
        return compression not in _UNCOMPRESSED
    command = str(params.get("command", ""))
    if tool == "dd" and kind(metric) == WRITES and "if=/dev/" in command:
        return compression not in _UNCOMPRESSED if "if=/dev/zero" in command else False
    return None


def _positive(value: Any) -> int | None:
    """The value if it is a positive int, else None."""
    is_positive = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_positive else None
