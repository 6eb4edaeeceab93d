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
from ingest.text.mentions import after_question, is_supposed

_TOKEN = lazy(r"[A-Za-z0-9]+(?:[.:][0-9]+)*|[+&]")
_ALGORITHM = lazy(r"(lz4|lzjb|zle|lzo|zstd|zlib|gzip)((?<=[dbp]):?\d{1,2})?\Z")
_LEVELS = lazy(r"\d{1,2}\Z")
_COUNTED = lazy(r"(?:threads?|runs?|disks?|jobs?|clients?|procs?|process(?:es)?|files?|nodes?|x)\Z")
_UPON = ("on", "atop")
_NETWORK_FILE_SYSTEMS = frozenset(
    ("nfs", "nfs3", "nfs4", "cifs", "smb", "sshfs", "fuse", "cephfs", "beegfs", "overlayfs", "ecryptfs")
)
_OFF = ("off", "none", "no", "disabled", "uncompressed")
_WORDS_OF_PROPERTIES = {
    "atime": ("pool.atime", ("on", "off")),
    "sync": ("pool.sync", ("always", "standard", "disabled")),
    "primarycache": ("zfs.primarycache", ("all", "none", "metadata")),
    "secondarycache": ("zfs.secondarycache", ("all", "none", "metadata")),
    "logbias": ("zfs.logbias", ("latency", "throughput")),
}
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
_NAMED = "|".join(sorted(map(re.escape, (*FILE_SYSTEM_WORDS, *EXTRA_FILE_SYSTEMS, *normalise.os_names())), key=len, reverse=True))
_THING = rf"(?:raid[ -]?(?:z[ -]?)?\d{{0,2}}|lz4|lzjb|zstd|zlib|gzip|{_NAMED})(?:[ -]?\d[\w.]*)?"
# `no RAID5`, `not on ZFS`, `weder ZFS noch btrfs`: none of them; `no compression` is a setting.
_NEGATED = lazy(
    r"(?i)\b(?:no|not|never|without|neither|\w+n['\u2019]t|ohne|kein\w{0,2}|nicht|weder|sans|pas|ni|sin)"
    r"(?:[ _-]+(?:on|in|using|used?|with|run|an?|any|the|real|yet|mit|auf|als|mehr|une?|de|du|es|con)){0,3}"
    rf"[ _-]+{_THING}(?:[ _,]+(?:n?or|and|noch|oder|ni|ou|o|u|y)[ _]+{_THING})?(?![\w.])"
    r"(?![ _-]+(?:compress|dedup|atime|cache|log|slog|l2arc|sync|prefetch|tun|encr|snap))"
)


def read_setting_words(text: str, bare_switch: bool = False) -> dict[str, Any]:
    """Key -> value of the words in the first 300 characters. `bare_switch`: a lone `on` or `off` is the state of compression."""
    return dict(_unique_values(text[:300], bare_switch))


@lru_cache(10_000)
def _unique_values(text: str, bare_switch: bool) -> tuple[tuple[str, Any], ...]:
    values: dict[str, set[Any]] = {}
    text = after_question(text)
    text = _ADDRESS.sub(" ", text) if "." in text else text
    text = _CHOICE.sub(" ", text) if "/" in text else text
    text = _NEGATED.sub(" ", text)
    for key, value in [*_systems(text), *_properties(text, bare_switch), *read_layout(text, _POOL_OF.search(text) is not None)]:
        values.setdefault(key, set()).add(value)
    if values and is_supposed(text):
        return ()
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
        else:
            yield from _property(token, before, following)
            yield from _switch(token, before, after)
    if bare_switch and (switches := [part for part in _one_word_parts(text) if part in ("on", "off", "none")]):
        yield "pool.compression", "on" if switches == ["on"] else "off"


_MEDIUM = (
    r"(?:\d+(?:\.\d+)? ?[GT]i?B|SATA|SAS|PCIe|[UM]\.2|NVMes?|SSDs?|HDDs?|Optane|Intel|Samsung|WD|Seagate|flash|disks?|drives?"
    r"|spindles?|wide|mirror(?:ed)?|striped|(?:Fest)?platten|disques|discos|dischi)"
)
_HELPER = lazy(
    rf"(?i)(?<![\w.])(?:(?P<count>\d{{1,2}}) ?(?:[x\u00d7] ?)?)?(?P<media>(?:{_MEDIUM}[ -])*)(?:as (?:an? )?)?"
    r"(?P<role>slog|zil|l2arc|log|cache|special|spares?|metadata)\b"
    rf"(?P<device>(?: (?:vdev|device|mirror|drive|disk|ssd|nvme)s?\b)*)(?: on (?:an? |the )?(?P<on>(?:{_MEDIUM}\b ?)+))?"
)
_KIND = (  # `raidz 2 disks` and `RAID 6 drives` have no level
    r"(?<![A-Za-z0-9])(?P<kind>raid[ -]?z(?:[ -]?\d(?![\dx\u00d7]|[ -]?(?:[x\u00d7]|disks?|drives?|wide|[GT]B)))?"
    r"|raid[ -]?(?:1 ?\+ ?0|\d{1,2})(?![\d.]|[ -](?:x |disks|drives))|draid\d|mirror(?:s|ed)?|stripe[sd]?)(?![A-Za-z0-9])"
)
_VDEVS = lazy(
    r"(?i)(?:(?P<times>[1-9]\d?) ?(?:[x\u00d7] ?|vdevs? of |(?=mirror|raid|striped)))?"
    rf"(?:(?P<before>[1-9]\d{{0,2}})(?: ?[x\u00d7] ?|[ -]?)(?:{_MEDIUM}[ -])+)?"
    rf"(?P<striped>striped? (?:of )?)?(?:(?P<ways>[2-9])[ -]?way )?{_KIND}(?P<pair> pairs?\b)?(?: (?:vdev|pool|array)s?\b)?"
    r"(?:(?P<of> of |,? ?\(?(?:with |over |on |across |mit |aus |avec |con |de )?)(?P<after>[1-9]\d{0,2})"
    rf"(?: ?[x\u00d7] ?(?P<width>[2-4])\b(?! ?[GT]B)|(?P<product> ?[x\u00d7])(?= ?(?:[A-Za-z]|\d{{3}}|[\d.]{{1,4}} ?[GT]B))"
    rf"|[ -](?:{_MEDIUM} ?)+(?P<each>each\b)?|(?=\)|\Z)))?"
)
_LEVEL = lazy(r"(?:raidz|draid)[1-3]\Z|raid(?:[01456]|10|50|60)\Z")
_OF_CONTROLLER = lazy(r"(?i)\b(?:hardware|hw|controller|perc|megaraid|mdadm|mdraid|md|lvm)\b")
_MAY_TELL = lazy(r"(?i)raid|mirror|stripe|log|cache|zil|l2arc")
_OF_ZFS = lazy(r"(?i)zfs|zpool|vdev|slog|l2arc|\bzil\b|raid[ -]?z")


def read_layout(text: str, bare: bool = False) -> Iterator[tuple[str, Any]]:
    """Layout, number of disks, log and cache that words tell: `6x HDD RAID Z2, 1x NVMe SLOG`. `bare`: also a lone `mirror`."""
    if not _MAY_TELL.search(text):
        return
    is_zfs = _OF_ZFS.search(text) is not None
    for helper in _HELPER.finditer(text):
        if (key := _ROLES.get(helper["role"].lower())) and is_zfs and (value := _helper_value(helper)):
            yield key, value
    for vdevs in _VDEVS.finditer(_HELPER.sub(_without_media, text)):
        yield from _vdev_values(vdevs, is_zfs and not _OF_CONTROLLER.search(text), bare)


_POOL_OF = lazy(r"(?i)\bzfs[ _-](?:mirror|stripe)\b")


def without_layout(text: str) -> str:
    """The text without what `read_layout` reads."""
    return _VDEVS.sub(_without_vdevs, _HELPER.sub(_without_media, text))


def _without_vdevs(vdevs: re.Match[str]) -> str:
    """Nothing in place of a layout, but for disks of a product: `(2x WD Red 4TB)`."""
    if not any(_vdev_values(vdevs, True, True)):
        return vdevs[0]
    return vdevs[0][vdevs.start("of") - vdevs.start() :] if vdevs["product"] else " "


_ROLES = {"slog": "pool.log", "zil": "pool.log", "log": "pool.log", "l2arc": "pool.cache", "cache": "pool.cache"}


def _without_media(helper: re.Match[str]) -> str:
    """Nothing in place of the disks of a log or cache; a word that is none stays."""
    return " " if helper["count"] or helper["media"] or helper["role"].lower() not in ("log", "cache", "metadata") else helper[0]


def _helper_value(helper: re.Match[str]) -> str | None:
    """`mirror(2) nvme` or `nvme` of a log or cache; None where neither number nor kind of its disks is known."""
    words = f"{helper['media']} {helper['device']} {helper['on'] or ''}".lower()
    if helper["role"].lower() in ("log", "cache") and not helper["media"] and not helper["device"]:
        return None  # `write cache on`
    kind = "nvme" if re.search(r"nvme|optane|pcie|[um]\.2", words) else "ssd" if re.search("ssd|flash", words) else ""
    count = int(helper["count"] or (2 if "mirror" in words else 1))
    layout = f"mirror({count})" if "mirror" in words else f"stripe({count})" if count > 1 or not kind else ""
    return f"{layout} {kind}".strip() if kind or helper["count"] else None


def _vdev_values(vdevs: re.Match[str], is_zfs: bool, bare: bool) -> Iterator[tuple[str, Any]]:
    """The layout of one phrase, and the number of disks in it where it is known."""
    word = re.sub(r"[ +-]", "", vdevs["kind"].lower())
    kind = normalise.vdev_kind(word) or re.sub(r"\A(mirror|stripe).*", r"\1", word)
    told = int(vdevs["before"] or vdevs["after"] or 0)
    if kind == "mirror" or (kind == "raid10" and is_zfs):
        times, width = _mirrors(vdevs, told, is_several=bool(vdevs["striped"]) or word in ("mirrors", "raid10"))
        if width or bare or vdevs["striped"] or word == "raid10":
            layout = f"mirror({width})" if width else kind
            yield "pool.layout", f"{times} x {layout}" if width and times > 1 else layout
        if (told and (width or bare)) or (width and times > 1):
            yield "disk.count", times * width or told
    elif (kind == "stripe" and bare) or _LEVEL.match(kind):
        times = int(vdevs["times"] or 1)
        each = told if times == 1 or _is_of_each(vdevs) or vdevs["before"] else 0
        yield "pool.layout", (f"{times} x " if times > 1 and each else "") + (f"{kind}({each})" if each else kind)
        if each:
            yield "disk.count", each * times


def _is_of_each(vdevs: re.Match[str]) -> bool:
    """Whether the number of disks is that of each vdev: `2 x raidz2 of 6`, `2 x raidz2(6)`."""
    return vdevs["of"] == " of " or vdevs["each"] is not None or (vdevs["of"] == "(" and vdevs.end("after") == vdevs.end())


def _mirrors(vdevs: re.Match[str], told: int, is_several: bool) -> tuple[int, int]:
    """Number of mirrors and disks in each, 0 where unknown. `told`: the number in the phrase."""
    times, width = int(vdevs["times"] or 1), int(vdevs["ways"] or (2 if vdevs["pair"] else 0))
    if vdevs["width"]:
        return told, int(vdevs["width"])
    if _is_of_each(vdevs) and times > 1:
        return times, told
    if told and is_several:
        width = width or 2
        return (told // width, width) if told > width and not told % width else (1, 0)
    return times, 2 if told == 2 and times == 1 else width


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
    elif token in _WORDS_OF_PROPERTIES and following in _WORDS_OF_PROPERTIES[token][1]:
        yield _WORDS_OF_PROPERTIES[token][0], following
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
