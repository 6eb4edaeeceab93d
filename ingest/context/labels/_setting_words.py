"""Settings and systems that words of a heading, a comment or a name stand for: `zfs-gzip-6`, `no_l2arc_sync_always`, `DEDUP + LZ4`.

Forms: names of distributions (with a version) and of kernels, of file systems, compression algorithms (with a level) and layouts,
and a property with its value (`compression off`, `sync always`, `recordsize 1M`, `ashift=12`, `no dedup`); the disks' write cache
(`write cache off`, `wce=1`), switches of ZFS (`zil_disable`, `nocacheflush`, `prefetch off`), `tuned` and `untuned`. A word is read
wherever it stands in the text, whatever the sentence says of it, so only words with hardly another meaning are known. A key for
which a text has two values is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ingest import normalise
from ingest.context._clues import distribution_values
from ingest.lazy_regex import lazy

_TOKEN = lazy(r"[A-Za-z0-9]+(?:[.:][0-9]+)*|[+&]")
_ALGORITHM = lazy(r"(lz4|lzjb|zle|lzo|zstd|zlib|gzip)((?<=[dbp]):?\d{1,2})?\Z")
_LEVELS = lazy(r"\d{1,2}\Z")
_COUNTED = lazy(r"(?:threads?|runs?|disks?|jobs?|clients?|procs?|process(?:es)?|files?|nodes?|x)\Z")
_LAYOUT = lazy(r"(raidz[123]?|draid[123]|raid(?:0|1|5|6|10|50|60))\Z")
_UPON = ("on", "atop")
_NETWORK_FILE_SYSTEMS = frozenset(
    ("nfs", "nfs3", "nfs4", "cifs", "smb", "sshfs", "fuse", "cephfs", "beegfs", "overlayfs", "ecryptfs")
)
_OFF = ("off", "none", "no", "disabled", "uncompressed")
_ONE_WORD_SETTINGS = {
    "nocompression": ("pool.compression", "off"),
    "nocompress": ("pool.compression", "off"),
    "uncompressed": ("pool.compression", "off"),
    "nodedup": ("pool.dedup", "off"),
    "noatime": ("pool.atime", "off"),
}
_NEGATED_SETTINGS = {
    "l2arc": ("pool.cache", "off"),
    "slog": ("pool.log", "off"),
    "zil": ("pool.log", "off"),
    "dedup": ("pool.dedup", "off"),
    "deduplication": ("pool.dedup", "off"),
    "atime": ("pool.atime", "off"),
    "compression": ("pool.compression", "off"),
}
_ON_WORDS = ("on", "enable", "enabled", "1")
_OFF_WORDS = ("off", "disable", "disabled", "0")
_OF_CONTROLLERS = ("controller", "raid", "bbu", "array", "hba", "hw", "volume")  # whose cache is not that of the disks
_NO_TUNING = tuple("fine well super very auto self highly specially properly tuned be been was were have has".split())
_OF_TUNED = ("adm", "profile", "profiles", "for", "to", "by", "with", "in", "out", "up")
OS_FAMILIES = {"linux": "Linux", "illumos": "SunOS", "sunos": "SunOS", "darwin": "Darwin"}
_UNSURE_SYSTEMS = {"arch", "proxmox", "scientific", "rocky", "solaris", "gentoo", "rhel", "dragonfly", "os x", "mac os x", "sles"}
_OS = lazy(
    r"(?<![A-Za-z0-9])("
    + "|".join(
        re.escape(word).replace(r"\ ", "[ _-]")
        for word in normalise.os_names()
        if word not in _UNSURE_SYSTEMS | {"debian gnu/linux", "raspbian gnu/linux"}
    )
    + r")(?:v?(\d{1,4}(?:\.\d{1,4}){0,3})(?=[_-])|[ _-]?v?(\d{1,4}(?:\.\d{1,4}){0,3}(?:[ ]LTS\b)?)"
    r"(?![A-Za-z0-9%]|\.\d|[ _-]?(?:threads?|runs?|disks?|drives?|jobs?|clients?|procs?|files?|nodes?)(?![A-Za-z])))?"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# Words of headings that name a step of the same test, not another system.
TEST_STEP_WORDS = lazy(
    r"(?i)\b(?:results?|bonnie|iozone|ior|mdtest|dd|fio|hdparm|fdtree|rsync|cp|tar|tests?\w*|bench\w*|outputs?|runs?|pass|round|trial"
    r"|sequential|random|seq|rand|re-?read\w*|read\w*|re-?writ\w*|writ\w*|summary|notes?|conclusions?|throughput|latency|rate|iops|time"
    r"|config\w*|set-?up|details?|raw|logs?|data|iterations?|steps?|threads?|clients?|done|end|begin|start\w*|finish\w*|part|small|large"
    r"|files?|cold|warm|cached?)\b"
)
# Addresses name no system of the test: `linux.die.net/man`, `https://debian.org/mirror`, `a@linux.org`.
_ADDRESS = lazy(
    r"(?i)\b(?:https?|ftp)://\S+|\S+@\S+|(?:\b[\w-]+\.){1,4}(?:com|org|net|io|edu|gov|info|de|fr|uk|eu|ru|jp|cn)\b(?:/\S*)?"
)
# A path names where a file lies, not the system that writes it: `Write in //wsl$/Ubuntu/home`.
_PATH = lazy(r"(?<![\w.])(?:~?/|\\\\|[A-Za-z]:[\\/])\S+")
_CHOICE = lazy(r"(?i)\braid[ -]?\d{1,2}(?: ?/ ?(?:raid[ -]?)?\d{1,2})+\b")  # `RAID0/1/5/10`: none of them
EXTRA_FILE_SYSTEMS = ("cephfs", "beegfs", "gluster")  # words without another meaning
FILE_SYSTEM_WORDS = frozenset(normalise.FILE_SYSTEMS) - {"minix", "ffs", "vfat", "hammer", "tmpfs", "daos", "erofs", "9p"}


def read_setting_words(text: str, bare_switch: bool = False) -> dict[str, Any]:
    """Key -> value of the words in the first 300 characters. `bare_switch`: a lone `on` or `off` is the state of compression."""
    return dict(_unique_values(text[:300], bare_switch))


@lru_cache(10_000)
def _unique_values(text: str, bare_switch: bool) -> tuple[tuple[str, Any], ...]:
    values: dict[str, set[Any]] = {}
    text = _ADDRESS.sub(" ", text) if "." in text else text
    text = _CHOICE.sub(" ", text) if "/" in text else text
    for key, value in [*_systems(text), *_properties(text, bare_switch)]:
        values.setdefault(key, set()).add(value)
    settings = tuple((key, alternatives.pop()) for key, alternatives in values.items() if len(alternatives) == 1)
    if ("os.family", "Linux") in settings:  # parameters of a module there
        return tuple((key.replace("system.zfs.", "module.zfs."), value) for key, value in settings)
    return settings


def _systems(text: str) -> Iterator[tuple[str, str]]:
    text = _PATH.sub(" ", text) if "/" in text or "\\" in text else text
    for match in _OS.finditer(text[:300]):
        name = normalise.os_name(re.sub(r"[_-]", " ", match[1])) or normalise.os_name(match[1])
        if name:
            version = match[2] or match[3]
            if version and name == "Ubuntu" and re.fullmatch(r"\d{4}", version):
                version = f"{version[:2]}.{version[2:]}"  # ubuntu2204
            yield from distribution_values(name, version)
    for word in re.findall(r"[A-Za-z]+", text[:300]):
        if word.lower() in OS_FAMILIES:
            yield "os.family", OS_FAMILIES[word.lower()]


def _properties(text: str, bare_switch: bool) -> Iterator[tuple[str, Any]]:
    tokens = [token.lower() for token in _TOKEN.findall(text[:300])]
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else ""
        after = tokens[index + 1 : index + 3]
        following = after[0] if after else ""
        if _is_file_system(token):
            if index > 1 and _is_upon(tokens[index - 2], before) and _is_file_system(tokens[index - 2]):
                continue  # the lower one of `NFS on ZFS`
            yield from _file_system(token, following)
            if _is_upon(token, following) and len(after) > 1 and _is_file_system(after[1]):
                yield from _stack(token, after[1])
        elif _ALGORITHM.match(token):
            yield from _algorithm(token, after)
        elif token in _ONE_WORD_SETTINGS:
            yield _ONE_WORD_SETTINGS[token]
        elif token in _NEGATED_SETTINGS and before in ("no", "without"):
            yield _NEGATED_SETTINGS[token]
        elif _LAYOUT.match(token):
            yield "pool.layout", normalise.vdev_kind(token) or token
        else:
            yield from _property(token, before, following)
            yield from _switch(token, before, after)
    if bare_switch and (switches := [part for part in _one_word_parts(text) if part in ("on", "off", "none")]):
        yield "pool.compression", "on" if switches == ["on"] else "off"


def _one_word_parts(text: str) -> list[str]:
    """The parts of a heading, split at `+`, commas and brackets, that are one word."""
    return [part.strip().lower() for part in re.split(r"[+,&()\[\]/]|\band\b", text) if part.strip() and " " not in part.strip()]


def _is_file_system(token: str) -> bool:
    return token in FILE_SYSTEM_WORDS or token in EXTRA_FILE_SYSTEMS


def _is_upon(upper: str, word: str) -> bool:
    """Whether the word leads to the file system below `upper`; `over` only of network file systems (not `XFS over ext4`)."""
    return word in _UPON or (word == "over" and upper in _NETWORK_FILE_SYSTEMS)


def _stack(upper: str, lower: str) -> Iterator[tuple[str, Any]]:
    above, below = normalise.file_system_type(upper), normalise.file_system_type(lower)
    if above and below and above != below:
        yield "fs.stack", f"{above}/{below}"


def _file_system(token: str, following: str) -> Iterator[tuple[str, Any]]:
    kind = normalise.file_system_type(token)
    if kind:
        yield "fs.type", kind
        if kind in ("zfs", "btrfs", "bcachefs") and following in ("off", "none", "uncompressed"):
            yield "pool.compression", "off"
        if kind == "zfs" and following in ("mirror", "stripe"):
            yield "pool.layout", following
        if kind == "zfs" and re.fullmatch(r"\d(?:\.\d{1,2}){2}", following):
            yield "fs.version", following


def _algorithm(token: str, after: list[str]) -> Iterator[tuple[str, Any]]:
    """Compression of an algorithm whose level may be the next token (`gzip-6`); a number of something (`gzip_1_thread`) is none."""
    level = after[0] if after and _LEVELS.match(after[0]) and not (len(after) > 1 and _COUNTED.match(after[1])) else ""
    spelled = normalise.compression(f"{token}-{level}") if level and not token[-1].isdecimal() else None
    spelled = spelled or normalise.compression(token.replace(":", "-"))
    if spelled:
        yield "pool.compression", spelled


def _property(token: str, before: str, following: str) -> Iterator[tuple[str, Any]]:
    if token in ("compression", "compress") and (following in _OFF or following == "on"):
        yield "pool.compression", "off" if following in _OFF else "on"
    elif token in ("dedup", "deduplication"):
        yield "pool.dedup", "off" if following in _OFF else "on"
    elif token == "atime" and following in ("on", "off"):
        yield "pool.atime", following
    elif token == "sync" and following in ("always", "standard", "disabled"):
        yield "pool.sync", following
    elif token in ("recordsize", "recsize") and (size := normalise.parse_size(following) or normalise.parse_size(before)):
        if 512 <= size <= 2**24:
            yield "pool.recordsize", size
    elif token == "ashift" and re.fullmatch(r"9|1[0-6]", following):
        yield "pool.ashift", int(following)
    elif (joined := re.fullmatch(r"rec(?:ord)?size(\d{1,5}[km])", token)) and 512 <= (
        normalise.parse_size(joined[1]) or 0
    ) <= 2**24:
        yield "pool.recordsize", normalise.parse_size(joined[1])
    elif re.fullmatch(r"ashift(9|1[0-6])", token):
        yield "pool.ashift", int(token[6:])


def _switch(token: str, before: str, after: list[str]) -> Iterator[tuple[str, Any]]:
    """Open keys of the disks' cache, of ZFS's switches and of tuning."""
    following = after[0] if after else ""
    if token in ("wce", "writecache") or (token == "write" and following in ("cache", "caching")):
        state = following if token != "write" else after[1] if len(after) > 1 else ""
        if before in ("no", "without"):
            state = "off"
        if state in (*_ON_WORDS, *_OFF_WORDS) and before not in _OF_CONTROLLERS:
            yield "block.write_cache", "on" if state in _ON_WORDS else "off"
    elif token == "zil" and (following in ("disable", "disabled") or following == "off"):
        value = after[1] if following == "disable" and len(after) > 1 and after[1] in ("0", "1") else "1"
        yield "system.zfs.zil_disable", int(value)
    elif token == "nocacheflush":
        yield "system.zfs.zfs_nocacheflush", int(following) if following in ("0", "1") else 1
    elif token == "noprefetch" and before != "l2arc":
        yield "system.zfs.zfs_prefetch_disable", 1
    elif token == "prefetch" and before not in ("vdev", "device", "file", "hardware", "disk"):
        yield from _prefetch(before, after)
    elif token in ("tuned", "untuned") and before not in _NO_TUNING and following not in _OF_TUNED:
        is_off = token == "untuned" or before in ("not", "un", "non") or following in _OFF_WORDS
        yield "system.tuned", "off" if is_off else "on"


def _prefetch(before: str, after: list[str]) -> Iterator[tuple[str, Any]]:
    """`prefetch off`, `no prefetch`, `zfs_prefetch_disable=1`."""
    following = after[0] if after else ""
    if following == "disable" and len(after) > 1 and after[1] in ("0", "1"):
        yield "system.zfs.zfs_prefetch_disable", int(after[1])
    elif following in _OFF_WORDS or before in ("no", "without"):
        yield "system.zfs.zfs_prefetch_disable", 1
    elif following in ("on", "enabled"):
        yield "system.zfs.zfs_prefetch_disable", 0
