"""Derived quantities: what follows from a value's workload, its configuration and its transcript, labelled as derived.

None of them is part of a record, of a workload's identity or of a configuration. One that cannot be derived is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.analysis import pool_layout
from ingest.analysis.cache_state import STRENGTHS
from ingest.keys import SIZE, WORD, is_about_names
from ingest.open_keys import MEMORY_LIMIT
from ingest.records import Measurement, MovedBytes

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
            "whether the data are zeros or as compressible (by their contents, or bonnie++'s) and the pool compresses",
        ),
        DerivedQuantity(
            "cache_state",
            WORD,
            "Caches before the run",
            "the last of drop_caches, reboot, export and import, or remount since the previous run; or direct I/O",
        ),
        DerivedQuantity(
            TITLE, WORD, "Under the heading", "the heading above it in its file, where its repetitions have a different heading"
        ),
    )
}

_PROCESS_COUNTS = {"iozone": ("processes", "threads"), "fio": ("processes",), "storagebench": ("threads",)}
_DIRECT_IO = ("on", "1", "yes", "true", "odirect")
_UNCOMPRESSED = ("off", "none")
ZEROS = ("zeros", "repeated pattern")
"""Contents that compress to almost nothing."""
COMPRESSIBLE = (*ZEROS, "compressible")
REPEATING = (*COMPRESSIBLE, "duplicated", "repeated")
"""Words of `contents` that compress, and that compress or deduplicate."""
FILLS_WITH_ONE_BYTE = ("bonnie++",)
"""Tools whose buffers hold one byte (bonnie++.cpp), which every algorithm compresses to almost nothing."""
_READING = frozenset(("read", "read_char", "random_read", "backward_read", "strided_read", "fread", "pread", "preadv"))
SERVED = frozenset("nfs nfs4 cifs smb smb3 smbfs 9p virtiofs sshfs afs ceph glusterfs lustre beegfs fhgfs".split())
"""File systems whose data a server, or a host, may have in memory."""


FROM_DEVICE, FROM_MEMORY, UNSURE = "no", "yes", "maybe"
"""Whether the data of a run came from, or went to, memory."""
_ALL, _FEW = 0.9, 0.1
_LEAST = 2**20
"""Bytes below which what the system itself reads and writes is no small part."""
READ_FROM = frozenset(
    "read reread random_read backward_read strided_read read_char fread freread pread preadv repread repreadv".split()
)
WRITTEN_TO = frozenset(
    "write write_char random_write fwrite frewrite record_rewrite pwrite pwritev repwrite repwritev sync_write".split()
)
BOTH_WAYS = frozenset(("rewrite",))
_MAY_COMPRESS = frozenset(("zfs", "btrfs", "apfs", "bcachefs", "refs", "hammer2"))

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


def find_from_memory(values: Sequence[Measurement]) -> dict[str, str]:
    """Operation -> FROM_DEVICE, FROM_MEMORY or UNSURE, of a run around which the disks' counters were read; else of the first
    operation of one whose caches had been emptied of its data, unless it writes itself. Empty for other runs.

    A second operation reads what the first one left in memory. Dropping the page cache leaves most of the ARC, unmounting too
    (zfs(4), zfs_arc_shrinker_limit); servers of a network file system have caches of their own.
    """
    return _find_by_commands(values) | _find_by_counters(values)


def _find_by_counters(values: Sequence[Measurement]) -> dict[str, str]:
    head = values[0] if values else None
    if head is None or head.moved is None:
        return {}
    return _judge_moved(head, head.moved, {value.metric.partition(".")[0] for value in values})


def _find_by_commands(values: Sequence[Measurement]) -> dict[str, str]:
    head = values[0] if values else None
    emptied_by = head and (head.emptied_by or head.params.get("caches"))
    if head is None or emptied_by not in STRENGTHS:
        return {}
    operations = list(dict.fromkeys(value.metric.partition(".")[0] for value in values))
    works = [name for name in operations if name != "run"]
    has_writes = "mix" in head.params or any("write" in name for name in works)
    if not works or works[0] not in _READING or has_writes:
        return {}
    stack = str(head.config.get("fs.stack") or head.config.get("fs.type") or "").split("/")
    is_kept = {"zfs": ("dropped", "remounted"), "": ("dropped",)}.get(stack[0], ())
    is_certain = len(stack) == 1 and stack[0] not in SERVED and emptied_by not in is_kept
    return dict.fromkeys(works[:1] if len(works) > 1 else operations, FROM_DEVICE if is_certain and _reads_once(values) else UNSURE)


def _reads_once(values: Sequence[Measurement]) -> bool:
    """Whether a run read no block twice. fio may repeat a file (loops, a run time) and read it by several processes."""
    head = values[0]
    if head.tool != "fio":
        return True
    size, seconds = working_set(head.tool, head.metric, head.params), head.params.get("runtime")
    speed = next((one.value for one in values if one.metric.endswith(".throughput") and "part" not in one.params), None)
    if not (size and seconds and speed):
        return False
    return bool(head.params.get("processes", 1) == 1 and speed * seconds <= 1.02 * size)


def _judge_moved(run: Measurement, moved: MovedBytes, operations: Iterable[str]) -> dict[str, str]:
    """Operation -> FROM_DEVICE, FROM_MEMORY or UNSURE.

    Few bytes prove memory only where the disks are this machine's, nothing compresses or removes duplicates below the tool, and
    no other disk moved more; many prove the device where redundant copies are no part of them, and the disks are known to be the
    target's, or one alone was at work.
    """
    written = moved.written * _share_of_data(run.config)
    states = dict[str, str]()
    for names, there, elsewhere, claimed in (
        (READ_FROM, moved.read, moved.read_elsewhere, moved.claimed_read),
        (WRITTEN_TO | BOTH_WAYS, written, moved.written_elsewhere, moved.claimed_written),
    ):
        if claimed < _LEAST:
            continue
        is_of_target = elsewhere is not None or moved.busy < 2
        state = UNSURE
        if there >= _ALL * claimed:
            state = FROM_DEVICE if is_of_target else UNSURE
        elif there + (elsewhere or 0) <= _FEW * claimed and _is_local(run) and not _shrinks(run):
            state = FROM_MEMORY
        states |= {operation: state for operation in operations if operation in names}
    return states


def _share_of_data(config: Mapping[str, Any]) -> float:
    """The part of the bytes on the disks that is no redundancy, as far as the layout is known."""
    layout = pool_layout.parse_layout(config.get("pool.layout"))
    return 1 - layout.redundancy if layout is not None and layout.redundancy else 1.0


def _is_local(run: Measurement) -> bool:
    kind_of = run.config.get("fs.stack") or run.config.get("fs.type")
    if kind_of is None:
        return str(run.params.get("path", "")).startswith("/dev/")
    return SERVED.isdisjoint(str(kind_of).split("/"))


def _shrinks(run: Measurement) -> bool:
    """Whether fewer bytes than the tool's may be on the disks."""
    config = run.config
    if run.params.get("contents") == "random":
        return config.get("pool.dedup") not in (None, *_UNCOMPRESSED)
    compression = config.get("pool.compression_effective") or config.get("pool.compression")
    if compression is None:
        return str(config.get("fs.type")) in _MAY_COMPRESS
    return compression not in _UNCOMPRESSED or config.get("pool.dedup") not in (None, *_UNCOMPRESSED)


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
    """Whether zeros, or equally compressible data, went to a pool that compresses them away; None if unknown."""
    compression = config.get("pool.compression_effective") or config.get("pool.compression")
    if compression is None or kind(metric) == NAMES:
        return None
    contents = params.get("contents")
    if contents:
        return compression not in _UNCOMPRESSED and contents in ZEROS
    if tool in FILLS_WITH_ONE_BYTE:
        return compression not in _UNCOMPRESSED
    command = str(params.get("command", ""))
    if tool == "dd" and kind(metric) == WRITES and "if=/dev/" in command:
        return compression not in _UNCOMPRESSED if "if=/dev/zero" in command else False
    return None


def _positive(value: Any) -> int | None:
    """The value if it is a positive int, else None."""
    is_positive = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if is_positive else None
