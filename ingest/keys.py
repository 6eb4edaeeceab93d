"""Registry of configuration keys and workload parameters: type, unit, plausible range, label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ingest.open_keys import namespace_of

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
        Key("cpu.cores", "system", COUNT, "Cores", "cores", 1, 100_000),
        Key("memory", "system", SIZE, "Memory", "memory", 2**20, 2**50),
        Key("disk.model", "system", TEXT, "Disk model", "disk"),
        Key("disk.count", "system", COUNT, "Disks", "disks", 0, 100_000),
        Key("fs.type", "pool", WORD, "File system", "fs"),
        Key("fs.version", "pool", TEXT, "File system version", "fs_version"),
        Key("fs.stack", "pool", WORD, "File system stack", "stack"),
        Key("pool.name", "shown", TEXT, "Pool", None),
        Key("pool.layout", "pool", WORD, "Pool layout", "layout"),
        Key("pool.compression", "pool", WORD, "Compression", "compression"),
        Key("pool.compression_effective", "pool", WORD, "Effective compression", "compression_effective"),
        Key("pool.dedup", "pool", WORD, "Deduplication", "dedup"),
        Key("pool.atime", "pool", WORD, "atime", "atime"),
        Key("pool.recordsize", "pool", SIZE, "Record size of the data set", "recordsize", 512, 2**30),
        Key("pool.sync", "pool", WORD, "sync", "sync"),
        Key("pool.copies", "pool", COUNT, "Copies", "copies", 1, 3),
        Key("pool.ashift", "pool", COUNT, "ashift", "ashift", 9, 16),
        Key("pool.log", "pool", WORD, "Log device", "log"),
        Key("pool.cache", "pool", WORD, "Cache device", "cache"),
        Key("network", "pool", TEXT, "Network", "network"),
    )
}

RANK = "rank"
"""Descriptive parameter of values that a single rank of a parallel run printed; their `part` names it too."""

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
    return Key(name, "open", TEXT, name, name) if namespace_of(name) is not None else None


def is_identity(param: str) -> bool:
    """Whether the parameter is part of a workload's identity (otherwise it is display only)."""
    return param in PARAMS
