"""Registry of configuration keys and workload parameters: type, unit, plausible range, label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest import state
from ingest.open_keys import namespace_of
from ingest.options import is_option

TEXT, SIZE, COUNT, WORD = "text", "size", "count", "word"


@dataclass(frozen=True, slots=True)
class Key:
    """A configuration key.

    `part`: `system`, `os` or `pool` (the identity that it belongs to), `shown` (part of no identity) or `open`.
    `type`: TEXT keeps its usual spelling, WORD is lower case (off, gzip-6), SIZE is an int in bytes, COUNT an int.
    `query`: its name in the query string of the comparison page, None if it cannot be filtered by.
    `low`, `high`: a value outside is implausible and gives a warning.
    """

    name: str
    part: str
    type: str
    label: str
    query: str | None = None
    low: float | None = None
    high: float | None = None

    @property
    def column(self) -> str:
        """The column of the configuration table: the name with dots as underscores."""
        return self.name.replace(".", "_")


@dataclass(frozen=True, slots=True)
class Param:
    """A workload parameter that is part of the workload's identity; all others are display only."""

    name: str
    type: str
    label: str

    @property
    def column(self) -> str:
        """Its name where a name must be a word."""
        return self.name.replace(".", "_")


KEYS = {
    key.name: key
    for key in (
        Key("host", "shown", TEXT, "Host", "host"),
        Key("os.family", "os", TEXT, "OS family", "os_family"),
        Key("os.name", "os", TEXT, "Operating system", "os"),
        Key("os.version", "os", TEXT, "OS version", "os_version"),
        Key("kernel", "os", TEXT, "Kernel", "kernel"),
        Key("arch", "system", TEXT, "Architecture", "arch"),
        Key("cpu.model", "system", TEXT, "CPU", "cpu"),
        Key("cpu.cores", "system", COUNT, "Cores", "cores", 1, high=100_000),
        Key("memory", "system", SIZE, "Memory", "memory", 2**20, high=2**50),
        Key("disk.model", "system", TEXT, "Disk model", "disk"),
        Key("disk.count", "system", COUNT, "Disks", "disks", 0, high=100_000),
        Key("fs.type", "pool", WORD, "File system", "fs"),
        Key("fs.version", "pool", TEXT, "File system version", "fs_version"),
        Key("fs.stack", "pool", WORD, "File system stack", "stack"),
        Key("pool.name", "shown", TEXT, "Pool", None),
        Key("pool.layout", "pool", WORD, "Pool layout", "layout"),
        Key("pool.compression", "pool", WORD, "Compression", "compression"),
        Key("pool.compression_effective", "pool", WORD, "Effective compression", "compression_effective"),
        Key("pool.dedup", "pool", WORD, "Deduplication", "dedup"),
        Key("pool.atime", "pool", WORD, "atime", "atime"),
        Key("pool.recordsize", "pool", SIZE, "Record size of the data set", "recordsize", 512, high=2**30),
        Key("pool.sync", "pool", WORD, "sync", "sync"),
        Key("pool.copies", "pool", COUNT, "Copies", "copies", 1, high=3),
        Key("pool.ashift", "pool", COUNT, "ashift", "ashift", 9, high=16),
        Key("pool.log", "pool", WORD, "Log device", "log"),
        Key("pool.cache", "pool", WORD, "Cache device", "cache"),
        Key("network", "pool", TEXT, "Network", "network"),
    )
}

RANK = "rank"
"""Descriptive parameter of values that a single rank of a parallel run printed; their `part` names it too."""

WHOLE_PART = "group"
"""The part of a total over jobs that are reported apart too: it is the whole of its run, as a value without a part is."""

_SHARE = re.compile(r"(?:(?:job|process|thread|rank|client|target|node) \d|host \S|(?:min|max) (?:process|thread|target)\Z)")


def is_share(part: str) -> bool:
    """Whether a part is what one of several processes, threads, nodes or targets did, or the least or most of them."""
    return _SHARE.match(part) is not None


ERROR = "error"
"""Descriptive parameter of values that a run printed which ended in an error: the error in a few words."""

OPTIONS_UNKNOWN, NOT_RECORDED = "options", "not recorded"
"""Descriptive parameter of values whose output shows no options of the tool, and whose command is not known; its only value."""

RUN_SECONDS, RUN_BOOT = "seconds", "boot"
"""Descriptive parameters that a manifest states of a run: how long its command took, and the number of the boot before it."""

PARAMS = {
    param.name: param
    for param in (
        Param("file_size", SIZE, "File size"),
        Param("record_size", SIZE, "Record size"),
        Param("block_size", SIZE, "Block size"),
        Param("transfer_size", SIZE, "Transfer size"),
        Param("chunk_size", SIZE, "Chunk size"),
        Param("total_size", SIZE, "Data set size"),
        Param("threads", COUNT, "Threads"),
        Param("processes", COUNT, "Processes"),
        Param("nodes", COUNT, "Nodes"),
        Param("segments", COUNT, "Segments"),
        Param("iodepth", COUNT, "Queue depth"),
        Param("seekers", COUNT, "Seek processes"),
        Param("seeks", COUNT, "Seeks"),
        Param("files", COUNT, "Files"),
        Param("dirs", COUNT, "Directories"),
        Param("levels", COUNT, "Levels"),
        Param("files_per_dir", COUNT, "Files per directory"),
        Param("dirs_per_dir", COUNT, "Directories per directory"),
        Param("file_size_min", SIZE, "Smallest file"),
        Param("file_size_max", SIZE, "Largest file"),
        Param("access", TEXT, "Access"),
        Param("pattern", TEXT, "Pattern"),
        Param("api", TEXT, "API"),
        Param("engine", TEXT, "I/O engine"),
        Param("mix", TEXT, "Read and write mix"),
        Param("part", TEXT, "Part"),
        Param("phase", TEXT, "Phase"),
        Param("direct", TEXT, "Direct I/O"),
        Param("fsync", TEXT, "fsync"),
        Param("sync_mode", TEXT, "Sync mode"),
        Param("verify", TEXT, "Verification"),
        Param("operation", TEXT, "Operation"),
        Param("contents", TEXT, "Contents of the data"),
    )
}


def is_key(name: str) -> bool:
    """Whether a configuration may have it: a registered key, or an open one."""
    return name in KEYS or namespace_of(name) is not None


@lru_cache(20_000)
def find_key(name: str) -> Key | None:
    """The registered key, or one of part `open` for an open key, which is filtered by its own name; None of any other text."""
    if (key := KEYS.get(name)) is not None:
        return key
    if namespace_of(name) is None:
        return None
    return Key(name, "open", TEXT, state.KEYS[name].label if name in state.KEYS else name, name)


def is_identity(param: str) -> bool:
    """Whether the parameter is part of a workload's identity (otherwise it is display only)."""
    return param in PARAMS or is_option(param)


def find_param(name: str) -> Param | None:
    """The registered parameter, or one for an option under its tool (`fio.zero_buffers`); None of any other name."""
    return PARAMS.get(name) or (Param(name, TEXT, name) if is_option(name) else None)


NAME_OPERATIONS = ("create_", "stat_", "delete_", "file_", "dir_", "tree_", "remove", "list")
"""How operations on names, not on data, begin."""
_NO_WORK = ("capacity", "score")
"""Quantities that no size of the work changes: of the pool itself, or relative to another run of the same work."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The sizes and counts without which a tool's numbers are of no known workload: of operations on data, and on names."""

    data: frozenset[str]
    names: frozenset[str]


def _needs(data: str, names: str) -> Needs:
    return Needs(frozenset(data.split()), frozenset(names.split()))


_IOR = "block_size transfer_size segments processes"
_FDTREE = "levels dirs_per_dir files_per_dir file_size"
TOOL_NEEDS = {
    # bonnie++(8): -s gives the size of the file for throughput and seeks, -n the number of files for creation and removal.
    "bonnie++": _needs("file_size", "files"),
    # Bonnie 1.x: -s, the only size that it has.
    "bonnie": _needs("file_size", "file_size"),
    # iozone(1): -s file size and -r record size; -t is in its output wherever it was given.
    "iozone": _needs("file_size record_size", "file_size record_size"),
    # IOR user documentation, "Options": the file has blockSize x segmentCount bytes of each task, moved transferSize at a time.
    "ior": _needs(_IOR, _IOR),
    # mdtest(1): -n items of each task, printed as the number of files and directories of all.
    "mdtest": _needs("files processes", "files processes"),
    # IO500 rules: sizes are the run's own, limited by a time of 300 s; what scales is the number of processes.
    "io500": _needs("processes", "processes"),
    # dd(1): count x bs bytes, which the summary prints, moved bs bytes at a time.
    "dd": _needs("file_size block_size", "file_size block_size"),
    # fdtree 1.0.2, usage: -l levels, -d directories and -f files of each directory, -s size of a file.
    "fdtree": _needs(_FDTREE, _FDTREE),
    # fio(1): size (of each job) and blocksize; numjobs and iodepth are 1 where the output has none.
    "fio": _needs("file_size block_size", "file_size block_size"),
    # filebench, workload model language: filesize or the set's size, nthreads.
    "filebench": _needs("file_size threads", "file_size threads"),
    # sysbench fileio: --file-total-size, --file-num, --file-block-size, --threads.
    "sysbench": _needs("total_size files block_size threads", "total_size files block_size threads"),
    # elbencho --help-all: -s size of a file, -b block, -t threads, -n directories and -N files of each thread.
    "elbencho": _needs("file_size block_size threads", "threads files_per_dir"),
    # storagebench of FhGFS: --size, --blocksize, --threads.
    "storagebench": _needs("file_size block_size threads", "file_size block_size threads"),
    # ioping(1): the size of a request (-s); requests are timed one by one.
    "ioping": _needs("block_size", "block_size"),
    # hdparm(8), -t and -T: for a fixed time from the beginning of the device.
    "hdparm": _needs("", ""),
    # pveperf: as hdparm, three seconds each.
    "pveperf": _needs("", ""),
    # rados(8), BENCH OPTIONS: -b size of an operation, -t operations at a time.
    "rados": _needs("block_size iodepth", "block_size iodepth"),
    # Vdbench User's Guide: xfersize; what the disks and threads are is in the parameter file.
    "vdbench": _needs("block_size", ""),
    # dbench --help: the number of processes; what they do is in the load file.
    "dbench": _needs("processes", "processes"),
}
_OTHER_TOOLS = _needs("total_size", "files")
"""Copies (rsync, cp, tar, ...), timed commands and tools without a row: the amount of data, or the number of files."""
_NOTHING = frozenset[str]()
_FOLLOWS_FROM = {
    "total_size": (("file_size",),),
    "file_size": (("total_size",), ("file_size_min", "file_size_max")),
    "segments": (("total_size", "block_size", "processes"),),
    "processes": (("total_size", "block_size", "segments"),),
    "files": (("dirs", "files_per_dir"),),
    "files_per_dir": (("files", "dirs"),),
}
"""Parameters from which another one follows: as its product or quotient, or since one file is the whole data set."""


def is_about_names(metric: str) -> bool:
    """Whether the metric is of an operation on names: creation, removal, stat, lists."""
    return metric.startswith(NAME_OPERATIONS)


@lru_cache(4096)
def needed_params(tool: str, metric: str) -> frozenset[str]:
    """The sizes and counts that a number of the tool needs to be of a known workload."""
    operation, _, quantity = metric.partition(".")
    if quantity in _NO_WORK:
        return _NOTHING
    needs = TOOL_NEEDS.get(tool, _OTHER_TOOLS)
    if tool == "mdtest" and operation.startswith("dir_"):
        return frozenset(("dirs", "processes"))
    if tool == "mdtest" and operation.startswith("tree_"):
        return frozenset(("processes",))  # one tree for all of them, whose shape is the command's
    return needs.names if is_about_names(metric) else needs.data


def missing_sizes(tool: str, metric: str, params: Mapping[str, Any]) -> tuple[str, ...]:
    """The needed parameters that are unknown and do not follow from others, by name."""
    return tuple(
        name
        for name in sorted(needed_params(tool, metric))
        if params.get(name) is None
        and not any(all(params.get(other) is not None for other in others) for others in _FOLLOWS_FROM.get(name, ()))
    )
