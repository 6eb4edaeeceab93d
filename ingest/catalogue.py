"""Operations x quantities: the only list of metrics.

An existing operation never changes its meaning. What a tool measures beyond these is a new row here and in
docs/metrics.md.
"""

from __future__ import annotations

from dataclasses import dataclass

MORE, LESS, NEITHER = "more", "less", "neither"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`unit`: base unit. `better`: MORE, LESS or NEITHER, the direction in which a value is better."""

    name: str
    unit: str
    better: str
    label: str


@dataclass(frozen=True, slots=True)
class Metric:
    """OPERATION.QUANTITY with its unit, direction and label."""

    name: str
    operation: str
    quantity: str
    unit: str
    better: str
    label: str


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("throughput", "B/s", MORE, "throughput"),
        Quantity("rate", "1/s", MORE, "rate"),
        Quantity("elapsed", "s", LESS, "elapsed time"),
        Quantity("user", "s", LESS, "user CPU time"),
        Quantity("sys", "s", LESS, "system CPU time"),
        Quantity("latency", "s", LESS, "latency"),
        Quantity("cpu", "%", LESS, "CPU use"),
        Quantity("size", "B", LESS, "size on disk"),
        Quantity("compressratio", "1", MORE, "compression ratio"),
        Quantity("dedupratio", "1", MORE, "deduplication ratio"),
        Quantity("capacity", "B", MORE, "usable capacity"),
        Quantity("score", "1", MORE, "relative score"),
    )
}

OPERATIONS = {
    "write": "Sequential write", "rewrite": "Rewrite", "read": "Sequential read", "reread": "Reread",
    "cached_read": "Cached read", "write_char": "Write per character", "read_char": "Read per character",
    "seek": "Random seeks", "random_read": "Random read", "random_write": "Random write", "sync_write": "Synchronous write",
    "fsync": "Sync to disk (fsync)", "trim": "Trim", "random_trim": "Random trim", "backward_read": "Backward read",
    "record_rewrite": "Record rewrite", "strided_read": "Strided read", "mixed": "Mixed workload", "fwrite": "fwrite",
    "frewrite": "frewrite", "fread": "fread", "freread": "freread", "pwrite": "pwrite", "pread": "pread",
    "repwrite": "pwrite again", "repread": "pread again", "pwritev": "pwritev", "repwritev": "pwritev again",
    "preadv": "preadv", "repreadv": "preadv again", "create_seq": "Create files, in order",
    "stat_seq": "Stat files, in order", "delete_seq": "Delete files, in order", "create_rand": "Create files, random",
    "stat_rand": "Stat files, random", "delete_rand": "Delete files, random", "file_create": "File creation",
    "file_stat": "File stat", "file_read": "File read", "file_remove": "File removal", "dir_create": "Directory creation",
    "dir_stat": "Directory stat", "dir_remove": "Directory removal", "dir_rename": "Directory rename",
    "tree_create": "Tree creation", "tree_remove": "Tree removal", "copy": "Copy", "extract": "Extract", "archive": "Archive",
    "remove": "Remove tree", "list": "List tree", "transfer": "Transfer", "transaction": "Transactions",
    "run": "Whole command", "scrub": "Scrub", "store": "Storing", "io500": "IO500",
}  # fmt: skip
IOPS = frozenset(
    f"{operation}.rate"
    for operation in """
    write rewrite read reread cached_read random_read random_write sync_write trim random_trim backward_read record_rewrite
    strided_read mixed fwrite frewrite fread freread pwrite pread repwrite repread pwritev repwritev preadv repreadv
    """.split()
)
"""Rates that are reads or writes of blocks; others count files, seeks or transactions."""
LABELS = {
    **{name: f"{OPERATIONS[name.partition('.')[0]]}, IOPS" for name in sorted(IOPS)},
    "io500.score": "IO500 score",
    "io500.throughput": "IO500 bandwidth, geometric mean",
    "io500.rate": "IO500 metadata, geometric mean",
}
"""Labels of metrics that are known by another name than operation and quantity."""

METRICS = {
    (name := f"{operation}.{quantity.name}"): Metric(
        name, operation, quantity.name, quantity.unit, quantity.better, LABELS.get(name, f"{label}, {quantity.label}")
    )
    for operation, label in OPERATIONS.items()
    for quantity in QUANTITIES.values()
}


def metric(name: str) -> Metric:
    """The metric of that name. Raises KeyError for an unknown name."""
    return METRICS[name]
