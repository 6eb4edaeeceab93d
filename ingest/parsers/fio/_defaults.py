"""Block size and queue depth that fio uses where the options of a job set none: the same in 2 and 3 (docs/implied.md).

Only where all options are known: those that JSON output lists, or a whole command without a job file.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import lru_cache

from ingest.lazy_regex import lazy
from ingest.records import LOST

# Parameter -> beginnings of the options that set it or widen it to a range, and its default in bytes or requests.
_DEFAULTS = {"block_size": (("bs", "block"), 4096), "iodepth": (("iodep",), 1)}
_VERSIONS = lazy(r"(?:fio-)?[23]\.\d")
_ENGINES = (
    None,
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "libaio",
    "io_uring",
    "posixaio",
    "solarisaio",
    "windowsaio",
    "mmap",
)
_OTHER_SOURCES = ("profile", "read_iolog", "include")
_ENDS = lazy(r"\s(?:\||\d?>|&>)")  # of the options, in a shell
_UNCLEAR = lazy(rf"\.\.\.|[…\\$`;&<\x00{LOST}]")
_OPTION = lazy(r"--?([a-z][a-z_-]*)(?:=(.+))?\Z")
_WITH_ARGUMENT = (
    *("name", "rw", "readwrite", "filename", "directory", "size", "ioengine", "bs", "blocksize", "iodepth", "numjobs", "runtime"),
    *("direct", "output", "output-format", "rwmixread", "rwmixwrite", "fsync", "loops", "ramp_time", "filesize", "io_size"),
)
_SWITCHES = ("group_reporting", "thread", "time_based", "minimal", "stonewall", "norandommap", "refill_buffers", "gtod_reduce")


def find_defaults(given: Mapping[str, str], version: str | None) -> dict[str, int]:
    """Parameters and values that follow from all the options of a job by their names; empty for other versions."""
    has_pattern = "rw" in given or "readwrite" in given
    if not has_pattern or not _VERSIONS.match(version or "") or given.get("ioengine") not in _ENGINES:
        return {}
    if any(name in given for name in _OTHER_SOURCES):
        return {}
    return {name: value for name, (starts, value) in _DEFAULTS.items() if not any(key.startswith(starts) for key in given)}


@lru_cache(100)
def is_whole_command(words: str) -> bool:
    """Whether every word behind `fio` is an option or the argument of one: none names a job file, none was cut."""
    options = _ENDS.split(words, maxsplit=1)[0]
    try:
        tokens = [] if _UNCLEAR.search(options) else shlex.split(options)
    except ValueError:
        return False  # a quote that is not closed
    waits = False  # for an argument
    for token in tokens:
        option = _OPTION.match(token)
        if not option and not waits:
            return False
        waits = bool(option and option[1] in _WITH_ARGUMENT and not option[2])
        if option and not option[2] and not waits and option[1] not in _SWITCHES:
            return False  # whether an argument belongs to it is not known
    return bool(tokens) and not waits
