"""Spelling of configuration values: sizes, names of CPUs and distributions, compression, layouts.

Every function is pure and total: text without such a value gives None, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.lazy_regex import lazy
from ingest.toml_tables import read_table
from ingest.units import E, G, K, M, P, T

_POWERS = {"": 1, "B": 1, "K": K, "M": M, "G": G, "T": T, "P": P, "E": E}
_SIZE = lazy(r"(\d{1,19}(?:\.\d{1,6})?)\s?([KMGTPE]?)(i?B?)\Z", re.IGNORECASE)


def parse_size(text: str) -> int | None:
    """Bytes of `128K`, `8 GiB`, `1.5T`, `4096`: powers of 1024 as zfs, free and lsblk print. None if it is no size."""
    match = _SIZE.match(text.strip()) if len(text) <= 40 else None
    if not match:
        return None
    return round(float(match[1]) * _POWERS[match[2].upper()]) if "." in match[1] else int(match[1]) * _POWERS[match[2].upper()]


# --- compression -------------------------------------------------------------------------------------------------
# zfsprops(7): gzip is gzip-6, zstd is zstd-3, zstd-fast is zstd-fast-1. btrfs(5): zlib and zstd default to level 3.
DEFAULT_LEVEL = {"gzip": "gzip-6", "zstd": "zstd-3", "zlib": "zlib-3", "zstd-fast": "zstd-fast-1"}
_COMPRESSION = lazy(
    r"(?P<plain>off|on|none|no|lz4|lzjb|zle|lzo|lz4hc|empty|uncompressed|inherit)\Z"
    r"|(?P<name>gzip|zlib|zstd|zstd-fast|lz4hc|deflate)(?:[-:_]?(?P<level>\d{1,4}))?\Z"
)
_RANGE = {"gzip": (1, 9), "zlib": (1, 9), "zstd": (1, 22), "zstd-fast": (1, 1000), "lz4hc": (1, 12), "deflate": (1, 9)}


def compression(text: str) -> str | None:
    """`gzip`, `zstd:3`, `zlib9`, `none` -> `gzip-6`, `zstd-3`, `zlib-9`, `off`; None if it is no algorithm."""
    match = _COMPRESSION.match(text.strip().lower()) if len(text) <= 24 else None
    if not match or match["plain"] == "inherit":
        return None
    if match["plain"]:
        return "off" if match["plain"] in ("none", "no", "empty", "uncompressed") else match["plain"]
    name, level = match["name"], match["level"]
    if level is None:
        return DEFAULT_LEVEL.get(name, name)
    low, high = _RANGE[name]
    if (name == "zlib" and level == "0") or (name == "zstd" and level == "0"):
        return DEFAULT_LEVEL[name]  # btrfs prints level 0 for the default
    return f"{name}-{int(level)}" if low <= int(level) <= high else None


def meaning_of_on(version: str | None = None, lz4_compress: str | None = None) -> str | None:
    """What `compression=on` means in a pool of that version or with that state of feature lz4_compress.

    Source: OpenZFS module/zfs/zio_compress.c, zio_compress_select: lz4 if the feature is active, else lzjb; pools
    with a version number up to 28 have no features. None if neither is known.
    """
    if lz4_compress in ("active", "enabled", "disabled"):
        return "lz4" if lz4_compress == "active" else "lzjb"
    if version is not None and version.isdecimal() and 1 <= int(version) <= 28:
        return "lzjb"
    return None


# --- layouts -----------------------------------------------------------------------------------------------------
def spell_layout(vdevs: Iterable[tuple[str, int]]) -> str | None:
    """The contract's spelling of data vdevs, given as (`mirror` | `raidz2` | `disk` | ..., disks), in pool order.

    Single disks are counted together as one `stripe(n)`; other vdevs keep the order of their first appearance.
    """
    counts: dict[tuple[str, int], int] = {}
    singles = 0
    for kind, disks in vdevs:
        if kind == "disk":
            singles += 1
            counts.setdefault(("stripe", 0), 1)
        else:
            counts[kind, disks] = counts.get((kind, disks), 0) + 1
    parts = []
    for (kind, disks), times in counts.items():
        vdev = f"stripe({singles})" if kind == "stripe" and disks == 0 else f"{kind}({disks})"
        parts.append(vdev if times == 1 else f"{times} x {vdev}")
    return " + ".join(parts) or None


_VDEV = lazy(r"(mirror|raidz|raidz[123]|raid[ -]?z[ -]?[123]?|draid[123]?)(?:[-:].*)?\Z")
_DISTRIBUTED = lazy(r"draid[123]-\d+-\d+\Z")  # parity, vdev, spare: a distributed spare, listed as a disk, zpoolconcepts(7)


def vdev_kind(text: str) -> str | None:
    """`mirror-0`, `raidz`, `RAID-Z2`, `draid2:4d:11c-0` -> `mirror`, `raidz1`, `raidz2`, `draid2`; else None."""
    match = _VDEV.match(text.strip().lower()) if len(text) <= 60 else None
    if not match or _DISTRIBUTED.match(text.strip().lower()):
        return None
    kind = re.sub("[ -]", "", match[1])
    return kind + "1" if kind in ("raidz", "draid") else kind


# --- lists of devices --------------------------------------------------------------------------------------------
_MODEL_NUMBER = lazy(r"\b[A-Za-z]+\d[\w-]{2,}")  # HTS721010A9E630, WD40EFRX, of which typed lists are made


def device_set(key: str, text: str) -> str:
    """Devices in one order, since lists of them are sets: `B + A` and `A, B` of `disk.model` -> `A + B`.

    Commas separate models only where each part has a model number; log and cache devices repeat as often as there are.
    """
    parts = [part.strip() for part in text.split(" + ")]
    if key == "disk.model":
        commas = [part.strip() for part in text.split(",")]
        if len(parts) == 1 and len(commas) > 1 and all(map(_MODEL_NUMBER.search, commas)):
            parts = commas
        parts = list(dict.fromkeys(parts))
    return " + ".join(sorted(parts))


# --- processors --------------------------------------------------------------------------------------------------
_NOISE = lazy(
    r"\((?:R|TM|tm|C|r)\)|\u00ae|\u2122|\b(?:CPU|Processor|processor)\b"
    r"|\b(?:Dual|Triple|Quad|Six|Eight|Ten|Twelve|Sixteen|\d{1,3})[- ]?[Cc]ore\b|\b\d{1,2}th Gen\b"
    r"|(?:\(\d{1,4}\)\s*)?@\s*(?:\d{1,3}x )?[\d.,]+\s*[GM]Hz.*\Z|\bwith Radeon.*\Z|\bw/ Radeon.*\Z|(?<=\s)0(?=\s*(?:@|\Z))"
    r"|\s\(?cache: .*\Z"
)
_UNNAMED = {"", "unknown", "not specified", "to be filled by o.e.m.", "-", "none", "n/a"}


def cpu_model(text: str) -> str | None:
    """`Intel(R) Xeon(R) CPU E3110 @ 3.00GHz` -> `Xeon E3110`; `AMD EPYC 7742 64-Core Processor` -> `AMD EPYC 7742`.

    Intel's name is removed before its product families; trade marks, core counts and clock rates always.
    """
    if len(text) > 200:
        return None
    name = re.sub(r"\s+", " ", _NOISE.sub(" ", text)).strip(" ,;")
    name = re.sub(
        r"\A(?:Genuine )?(?:GenuineIntel )?Intel (?=(?:Xeon|Core|Pentium|Celeron|Atom|Itanium|Ultra|N\d|Core2)\b)", "", name
    )
    return None if name.lower() in _UNNAMED or " ID:" in name else name


_MACHINES = {
    "amd64": "x86_64",
    "x64": "x86_64",
    "i86pc": "x86_64",
    "arm64": "aarch64",
    "evbarm64": "aarch64",
    "powerpc64le": "ppc64le",
}


def architecture(arch: str) -> str:
    """One name for an architecture that systems spell differently: to compare whether two archives are of one machine.

    SunOS prints `i86pc` for every PC; x86_64 is assumed for identity, never for display.
    """
    return _MACHINES.get(arch.lower(), arch)


# --- operating systems -------------------------------------------------------------------------------------------
_TABLES = read_table(__file__)
_SYSTEMS: dict[str, str] = {spelling: name for name, spellings in _TABLES["systems"].items() for spelling in spellings}
_FAMILIES: dict[str, str] = {name: family for family, names in _TABLES["families"].items() for name in names}
_TWO_FAMILIES = {"TrueNAS"}  # CORE is FreeBSD, SCALE is Linux


def os_name(text: str) -> str | None:
    """The usual spelling of a distribution's name: `Debian GNU/Linux` -> `Debian`. None if unknown."""
    return _SYSTEMS.get(re.sub(r"\s+", " ", text.strip()).lower()) if len(text) <= 60 else None


def os_family(name: str) -> str | None:
    """What `uname -s` prints on a distribution as `os_name` spells it; None if the name is ambiguous or unknown."""
    if name in _TWO_FAMILIES or name not in set(_SYSTEMS.values()):
        return None
    return _FAMILIES.get(name, "Linux")


def os_names() -> list[str]:
    """The names that `os_name` knows, longest first, for patterns."""
    return sorted(_SYSTEMS, key=lambda word: (-len(word), word))


# --- file systems ------------------------------------------------------------------------------------------------
FILE_SYSTEMS = frozenset(_TABLES["file_systems"]["known"])
_ALIASES = {alias: kind for kind, aliases in _TABLES["file_systems"]["aliases"].items() for alias in aliases}


def file_system_type(text: str) -> str | None:
    """The contract's `fs.type`: lower case, `fuse.zfs` is `zfs`, `nfs4` is `nfs`. None for any other word."""
    word = text.strip().lower()
    kind = _ALIASES.get(word, word)
    return kind if kind in FILE_SYSTEMS else None
