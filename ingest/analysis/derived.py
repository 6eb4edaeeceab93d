"""Derived facts: what follows from a value's workload, its configuration and its transcript, and is named as derived.

None of them is part of a record, of a workload's identity or of a configuration. A fact that does not follow is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.keys import SIZE, WORD

RATIO = "ratio"
TITLE = "title"


@dataclass(frozen=True, slots=True)
class DerivedQuantity:
    """`type`: SIZE in bytes, RATIO without a unit, or WORD. `how`: from what it follows, for people."""

    name: str
    type: str
    label: str
    how: str


DERIVED_QUANTITIES = {
    fact.name: fact
    for fact in (
        DerivedQuantity(
            "working_set", SIZE, "Working set", "the data set's size, or file size times processes where each has a file"
        ),
        DerivedQuantity(
            "working_set_over_memory", RATIO, "Working set over memory", "working set divided by memory; caches take part below 2"
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
            "the last of drop_caches, reboot, export and import, or remount between the run before and this one; or direct I/O",
        ),
        DerivedQuantity(
            TITLE,
            WORD,
            "Stands below",
            "the title above it in its file, where what counts as its repetitions stands below another one",
        ),
    )
}

_EACH = {"iozone": ("processes", "threads"), "fio": ("processes",), "storagebench": ("threads",)}
"""Tools whose file size is that of one process, and the parameter that counts the processes."""
_NAMES = ("create_", "stat_", "delete_", "file_", "dir_", "tree_", "remove", "list")
_DIRECT = ("on", "1", "yes", "true", "odirect")
_PLAIN = ("off", "none")


NAMES, WRITES, READS = "names", "writes", "reads"


@cache
def kind(metric: str) -> str:
    """What of a metric decides about the facts: work on names, writing (or the whole run), or other work on data."""
    if metric.startswith(_NAMES):
        return NAMES
    return WRITES if metric.startswith(("write.", "run.")) else READS


def derive_quantities(
    tool: str, metric: str, params: Mapping[str, Any], config: Mapping[str, Any], caches: str | None = None
) -> dict[str, Any]:
    """The facts of a value by name, in the order of `DERIVED_QUANTITIES`. `caches`: see `ingest.analysis.cache_state`."""
    found: dict[str, Any] = {}
    size = working_set(tool, metric, params)
    if size:
        found["working_set"] = size
        memory, disks = _whole(config.get("memory")), _whole(config.get("disk.count"))
        if memory:
            found["working_set_over_memory"] = size / memory
        if disks:
            found["data_per_disk"] = size / disks
    zeros = writes_zeros(tool, metric, params, config)
    if zeros is not None:
        found["zeros"] = "yes" if zeros else "no"
    if str(params.get("direct", "")).lower() in _DIRECT:
        caches = "direct"
    if caches:
        found["cache_state"] = caches
    return found


def working_set(tool: str, metric: str, params: Mapping[str, Any]) -> int | None:
    """Bytes that the run writes or reads in all; None for work on names, and where the parameters do not tell."""
    if kind(metric) == NAMES:
        return None
    total = _whole(params.get("total_size"))
    if total:
        return total
    size = _whole(params.get("file_size"))
    if size:
        return size * next((n for n in map(_whole, map(params.get, _EACH.get(tool, ()))) if n), 1)
    if tool == "ior":
        block, segments, processes = (_whole(params.get(name)) for name in ("block_size", "segments", "processes"))
        if block and segments and processes:
            return block * segments * processes
    return None


def writes_zeros(tool: str, metric: str, params: Mapping[str, Any], config: Mapping[str, Any]) -> bool | None:
    """Whether zeros, or as good as zeros, went to a pool that compresses them away; None where that is not told.

    bonnie++ fills its buffers with one byte (bonnie++.cpp), which every algorithm stores as next to nothing.
    """
    compression = config.get("pool.compression_effective") or config.get("pool.compression")
    if compression is None or kind(metric) == NAMES:
        return None
    if tool == "bonnie++":
        return compression not in _PLAIN
    command = str(params.get("command", ""))
    if tool == "dd" and kind(metric) == WRITES and "if=/dev/" in command:
        return compression not in _PLAIN if "if=/dev/zero" in command else False
    return None


def _whole(value: Any) -> int | None:
    """A positive whole number, else None."""
    good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if good else None
