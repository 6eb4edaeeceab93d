"""The words in which people ask for an operation, a quantity or a percentile, in the terms of fio, bonnie++, mdtest, Windows, the
BSDs and clusters. Plain Python.

A phrase names operations, of which any may be meant; the first that has values is drawn, the others are offered.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

SEPARATORS = frozenset("vs vs. versus against or compared to with and on of the in at for per percentile".split())
"""Words that stand between what is asked for, and say nothing themselves."""
_OPERATIONS = {
    "sequential write; seq write; seqwrite; sequential writes; streaming write; large writes; write speed; write; writes": "write",
    "sequential read; seq read; seqread; sequential reads; streaming read; large reads; read speed; read; reads": "read",
    "sequential; streaming; seq": "write read",
    "random read; rand read; randread; random reads; rnd read; random 4k read": "random_read",
    "random write; rand write; randwrite; random writes; rnd write; random 4k write": "random_write",
    "random read write; randrw; mixed read write; mixed workload; mixed": "random_read random_write mixed",
    "random; rand; rnd; random io; random i/o; small random": "random_read random_write seek",
    "rewrite; overwrite; re-write": "rewrite",
    "reread; re-read": "reread",
    "cached read; buffered read; from cache": "cached_read read",
    "seek; seeks; random seeks; seek rate": "seek",
    "sync write; synchronous write; sync writes; slog; zil; o_sync; o_dsync": "sync_write write random_write",
    "fsync; flush; fdatasync; commit latency": "fsync",
    "trim; discard; unmap": "trim random_trim",
    "backward read; reverse read": "backward_read",
    "strided read; stride read": "strided_read",
    "create files; file creation; file create; file creates; creates; create; small files; small file; metadata; many files": (
        "file_create create_seq create_rand"
    ),
    "stat files; file stat; stats; stat; lookup": "file_stat stat_seq stat_rand",
    "delete files; file deletion; file removal; delete; deletes; unlink; remove files; unlinks": (
        "file_remove delete_seq delete_rand remove"
    ),
    "mkdir; create directories; directory creation; dir create": "dir_create tree_create",
    "rmdir; remove directories; directory removal": "dir_remove tree_remove",
    "rename; renames; directory rename": "dir_rename",
    "readdir; list directory; listing": "list dir_stat",
    "copy; copying; file copy": "copy",
    "extract; untar; unpack; extracting": "extract",
    "pack; archiving": "archive",
    "rm -rf; recursive delete": "remove tree_remove file_remove",
    "database; oltp; transactions; tps; sql": "transaction",
    "scrub; resilver": "scrub",
}
_QUANTITIES = {
    "iops; io/s; i/o rate; ios; ops/s; ops; ops rate; operations rate; files/s; files rate; rate": "rate",
    "throughput; bandwidth; bw; mb/s; mib/s; gb/s; gib/s; mbps; transfer rate; megabytes rate": "throughput",
    "latency; lat; clat; response time; service time; delay; await": "latency",
    "elapsed; duration; seconds; run time; runtime; how long; wall time": "elapsed",
    "cpu use; cpu usage; cpu load; cpu time": "cpu",
    "compression ratio; compressratio": "compressratio",
    "dedup ratio; dedupratio": "dedupratio",
}
_STATISTICS = {"median": "p50", "tail latency": "p99", "worst case": "max", "average": "mean", "mean": "mean", "maximum": "max"}
_PERCENTILE = re.compile(r"(?:p|p-)?(\d{1,2}(?:\.\d+)?)(?:%|th|st|nd|rd)?(?:-?(?:percentile|pct|ile))?")
_UNIT = re.compile(r"[kmgtp]i?b?")
_USUAL = {
    "random": ("rate", "throughput", "latency"),
    "seek": ("rate",),
    "fsync": ("latency", "rate"),
    "copy": ("elapsed", "throughput"),
}
"""The quantities of an operation, by the start of its name, in the order in which they are meant where none is named."""
_STREAMED = ("throughput", "rate", "elapsed", "latency")
_COUNTED = ("rate", "elapsed", "throughput", "latency")
_ALONE = {
    "rate": "random_read random_write seek file_create read write transaction",
    "throughput": "write read",
    "latency": "random_read random_write fsync read write",
    "elapsed": "copy extract archive remove write read",
    "cpu": "write read",
}
"""The operations that are meant where a quantity stands alone."""
AXES = {
    **{name: name for name in ("compression", "cpu", "layout", "kernel", "recordsize", "dedup", "atime", "sync", "memory", "host")},
    **dict.fromkeys(("filesystem", "filesystems", "fs"), "fs"),
    **dict.fromkeys(("os", "oses"), "os"),
    **dict.fromkeys(("cpus", "processor", "processors"), "cpu"),
    **dict.fromkeys(("disk", "disks", "drives", "ssds"), "disk"),
    **dict.fromkeys(("hosts", "machines", "servers"), "host"),
}
"""Words that name an axis."""
_LONGEST = 4
"""Words of a phrase."""


def _phrases(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {phrase.strip(): tuple(meant.split()) for phrases, meant in table.items() for phrase in phrases.split(";")}


OPERATIONS, QUANTITIES = _phrases(_OPERATIONS), _phrases(_QUANTITIES)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the words of a search mean: metrics, the likeliest first, a kind of number, and the words that are left."""

    metrics: tuple[str, ...]
    statistic: str
    rest: tuple[str, ...]


def without_separators(words: Sequence[str]) -> list[str]:
    """The words that say something; a number and its unit are one, and so is `file system`."""
    text = " ".join(words)
    for phrase, word in (("file systems?", "fs"), ("operating systems?", "os"), ("per second", "rate")):
        text = re.sub(rf"\b{phrase}\b", word, text)
    return _join_sizes([word for word in text.split() if word not in SEPARATORS])


def find_axis(words: Sequence[str]) -> dict[str, str]:
    """`x` and the dimension that one of the words names (`compression`, `kernel`); empty where none does, or several do."""
    named = {AXES[word] for word in words if word in AXES}
    return {"x": named.pop()} if len(named) == 1 else {}


def read_words(words: Sequence[str], metrics: Collection[str]) -> Meaning:
    """The meaning of words in lower case among the metrics that there are. Without any operation or quantity no metric is meant."""
    operations, quantity, statistic, rest = list[str](), "", "", list[str]()
    left = list(words)
    while left:
        for count in range(min(_LONGEST, len(left)), 0, -1):
            phrase = " ".join(left[:count])
            if found := _percentile(phrase) if count == 1 else "":
                statistic = found
            elif phrase in _STATISTICS:
                statistic = _STATISTICS[phrase]
            elif phrase in QUANTITIES:
                [quantity] = QUANTITIES[phrase]
            elif phrase in OPERATIONS:
                operations += OPERATIONS[phrase]
            else:
                continue
            del left[:count]
            break
        else:
            rest.append(left.pop(0))
    if statistic and not quantity and (statistic.startswith("p") or not operations):
        quantity = "latency"
    if quantity and not operations:
        operations = _ALONE.get(quantity, "write read").split()
    found_metrics = dict.fromkeys(name for name in _name_metrics(operations, quantity) if name in metrics)
    return Meaning(tuple(found_metrics), statistic, tuple(rest))


def _join_sizes(words: Sequence[str]) -> list[str]:
    """The words with a number and its unit as one: `2 gib` is `2gib`."""
    joined: list[str] = []
    for word in words:
        if joined and _UNIT.fullmatch(word) and joined[-1].replace(".", "").isdigit():
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _percentile(word: str) -> str:
    """`p99` of `p99`, `99%`, `99th`, `99.9th-percentile`; empty for other words, bare numbers among them."""
    match = _PERCENTILE.fullmatch(word)
    return f"p{match[1]}" if match and not word.replace(".", "").isdigit() else ""


def _name_metrics(operations: Collection[str], quantity: str) -> Iterator[str]:
    """The metrics of these operations: each operation's first quantity, then its second."""
    if quantity:
        yield from (f"{operation}.{quantity}" for operation in operations)
        return
    orders = [_usual_quantities(operation) for operation in operations]
    for at in range(max(map(len, orders), default=0)):
        yield from (f"{operation}.{order[at]}" for operation, order in zip(operations, orders, strict=True) if at < len(order))


def _usual_quantities(operation: str) -> tuple[str, ...]:
    for start, order in _USUAL.items():
        if operation.startswith(start):
            return order
    return _COUNTED if operation.startswith(("file_", "dir_", "tree_", "create", "stat", "delete", "transaction")) else _STREAMED
