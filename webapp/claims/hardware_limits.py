"""The highest throughput of network links, disks, memory and clocks. Pure.

A limit is an upper bound with its source: where the kind of a device is unknown, that of the fastest one in use; None where
nothing is known. Caches and compression let a benchmark print more than the disks can carry; such a value was not measured there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ingest import pool_layout


@dataclass(frozen=True, slots=True)
class Limit:
    """`speed` in B/s; `name` for the sentence "above the limit of the ..."; `source`: where the figure is documented."""

    speed: float
    name: str
    source: str


NETWORKED = frozenset(
    (
        "nfs",
        "nfs3",
        "nfs4",
        "lustre",
        "beegfs",
        "fhgfs",
        "cifs",
        "smb",
        "smb3",
        "smbfs",
        "ceph",
        "cephfs",
        "glusterfs",
        "fuse.glusterfs",
        "pvfs2",
        "orangefs",
        "gpfs",
        "afs",
        "panfs",
    )
)
"""File systems whose data cross the network between the benchmark and the disks."""
IN_MEMORY = frozenset(("tmpfs", "ramfs", "mfs"))
"""File systems that are memory: limited by its bandwidth only."""
SATA = 600e6
"""B/s of a SATA 3 link: 6 Gb/s with 8b/10b coding (Serial ATA revision 3.0)."""
SAS = 2400e6
"""B/s of a SAS-4 link, 22.5 Gb/s with 128b/150b coding: the fastest, since a model's name has no generation."""
SLOWEST_LINK = 10e6 / 8
"""B/s of the slowest link in use, below which no limit is exceeded."""
_SPEED = re.compile(
    r"(?:(?<![\w.])(\d+) ?[x×] ?)?(?<![\w.])(\d+(?:\.\d+)?)[ -]?(G|M)(?:b(?:it)?(?:/s|ps|e)?|ige|BASE)?(?![\w.])"
    r"|\b(Gigabit|GigE|GbE)\b",
    re.I,
)
_LANES = {"sdr": 10, "ddr": 20, "qdr": 40, "fdr": 56, "edr": 100, "hdr": 200, "ndr": 400}
"""Gb/s of an InfiniBand link of four lanes (InfiniBand Trade Association, roadmap)."""
_ATA = re.compile(
    r"\bS?ATA\b|^(?:ST\d{3}|WDC? ?WD|WD\d|HGST H[DTU]|Hitachi H[DTU]|TOSHIBA [DMH][DTQG]|SAMSUNG HD|"
    r"Samsung SSD 8|INTEL SSDSC|Crucial_?CT|CT\d+[MB]X)",
    re.I,
)
_SAS = re.compile(r"\bSAS\b", re.I)


_LANE = {3: 8e9, 4: 16e9, 5: 32e9}
"""Transfers/s of a PCI Express lane by generation; 128b/130b coding (PCI Express Base Specification 3.0, 4.0, 5.0)."""
NVME = 4 * 64e9 / 8
"""B/s of four lanes of PCI Express 6.0, the fastest link of a drive; its coding is left aside."""
_NVME = re.compile(
    r"\bNVMe\b|\bSamsung SSD 9|\bSAMSUNG MZ(?:VL|WL|QL|PL|1L|3L)|\bINTEL SSDPE|\bOptane SSD|\bWDS?\w* ?SN\d{3}|\bWD_BLACK SN|"
    r"\bPM9A[13]\b|\bPM17[234]\d|\bMTFDK[A-Z]{2}\d|\bCT\d+[PT]\d",
    re.I,
)
_NVME_GENERATIONS = (
    (3, re.compile(r"\bSamsung SSD 9[67]0\b|\bWDS\w+ SN[57]50\b|\bINTEL SSDPE(?:DM|2M|KK)", re.I)),
    (4, re.compile(r"\bSamsung SSD 9[89]0 PRO\b|\bPM9A[13]\b|\bWD_BLACK SN850", re.I)),
)
"""Models with a documented generation (data sheets of their makers): PCI Express x4."""
_ROTATING = re.compile(
    r"\bHGST H[TDUM][SNHC]|\bHitachi H[DTU][STPC]|\bSAMSUNG H[DNM]\d|\bMaxtor \d|\bFUJITSU M[A-Z]{2}\d|\bTOSHIBA (?:MG|MK|DT|HDW)|"
    r"\bWDC? ?WD\d{2,4}[A-Z]{4}|\bWD\d{2,4}[A-Z]{4}\b|"
    r"\b(?:7[.,]?200|5[.,]?400|10[.,]?000|15[.,]?000) ?rpm\b|\b(?:5\.4|7\.2|10|15)K\b|"
    r"\bST\d{3,5}(?:VX|VN|DM|DL|LM|LX|MM|MP|NE|VE)\d",
    re.I,
)
"""Model numbers of disks that rotate with one actuator; NM numbers of Seagate are left out, since some have two (MACH.2)."""
ROTATING = 320e6
"""B/s at the outer edge of the fastest disks of one actuator: Seagate Exos 15E900, 315 MB/s (data sheet DS1910)."""
_VIRTUAL_DISK = re.compile(
    r"\bQEMU HARDDISK\b|\bVBOX HARDDISK\b|\bVirtual[ _-]?disk\b|\bAmazon Elastic Block Store\b|\bPersistentDisk\b|"
    r"\bvirtio\b|\bimage file\b|\bloop(?: device)?\b",
    re.I,
)
_VIRTUAL_CPU = re.compile(r"\bQEMU\b|\bKVM\b|^AMD EPYC$|^AMD EPYC-|^Xeon$|\b(?:Skylake|Cascadelake|Icelake|SapphireRapids)\b", re.I)
"""Names that hypervisors give to the processors of guests (QEMU, "Recommendations for KVM CPU model configuration")."""
VIRTUAL = 4 * 32e9 * 128 / 130 / 8
"""B/s of one virtual disk or image file: more than any cloud volume is sold with (Azure Ultra Disk and Google Hyperdisk 10 GB/s),
and what the fastest drive of one PCI Express 5.0 x4 link below it can carry."""
_DDR = 8
"""Bytes of a transfer of a DDR channel."""
_PROCESSORS = (
    # (name, channels of a socket, their transfers/s, sockets at most): makers' specifications of the fastest model of the family.
    (re.compile(r"^AMD EPYC 7\d\d1\b"), 8, 2.667e9, 2),
    (re.compile(r"^AMD EPYC 7\w\d[23]"), 8, 3.2e9, 2),
    (re.compile(r"^AMD EPYC [89]\w\d4"), 12, 4.8e9, 2),
    (re.compile(r"^AMD EPYC 9\w\d5"), 12, 6.4e9, 2),
    (re.compile(r"^Xeon E5-[12]\d{3}$|^Xeon E5-[12]\d{3} ?v2$"), 4, 1.866e9, 2),
    (re.compile(r"^Xeon E5-[12]\d{3}[A-Z]? ?v[34]$"), 4, 2.4e9, 2),
    (re.compile(r"^Xeon E3-\d{4}"), 2, 2.4e9, 1),
    (re.compile(r"^Xeon [XELW]5[56]\d\d$"), 3, 1.333e9, 2),
    (re.compile(r"^Xeon (?:Platinum|Gold|Silver|Bronze) [34568]1\d\d"), 6, 2.667e9, 32),
    (re.compile(r"^Xeon (?:Platinum|Gold|Silver|Bronze) [34568]2\d\d"), 6, 2.933e9, 32),
    (re.compile(r"^Xeon (?:Platinum|Gold|Silver|Bronze) [34568]3\d\d"), 8, 3.2e9, 8),
    (re.compile(r"^Xeon (?:Platinum|Gold|Silver|Bronze) [34568][45]\d\d"), 8, 5.6e9, 16),
    (re.compile(r"^Core i[3579] M? ?\d{3}"), 3, 1.6e9, 1),
    (re.compile(r"^Core i[357]-[2-7]\d{3}[A-Z]{0,2}$"), 4, 2.667e9, 1),
    (re.compile(r"^AMD Athlon 64"), 2, 0.8e9, 1),
)
_CLOCKED = 1.5
"""How far memory may be clocked above the specification; the fastest kits are sold with some 4/3 of it."""
MEMORY = 20e12
"""B/s of the memory of any machine: above that of 256 sockets of four DDR4-2133 channels (SGI UV 3000, 17.5 TB/s)."""
LARGEST_CACHE = 4 * 2**30
"""Bytes that may be in a processor's own caches, faster than memory: two AMD EPYC 9684X have 2.3 GB."""
_SHORTEST = {
    # bonnie++: bon_time.cpp, MinTime 0.5; it prints +++++ for less. iozone: gettimeofday, whole microseconds.
    "bonnie++": 0.49,
    "iozone": 1e-6,
}
"""Seconds below which a tool prints no throughput."""


def link_speed(network: str) -> float | None:
    """B/s of a link as a configuration names it: `Ethernet 10 Gb/s`, `2 x 10GbE`, `InfiniBand QDR`, `1000BASE-T`.

    The sum of several links, since it is unknown which of them carried the data. None for an unknown speed.
    """
    named = [speed * 1e9 / 8 for name, speed in _LANES.items() if re.search(rf"\b{name}\b", network, re.I)]
    if named:
        return sum(named)
    speeds = [
        int(times or 1) * (float(number) * (1e9 if prefix in "Gg" else 1e6) if number else 1e9) / 8
        for times, number, prefix, _ in _SPEED.findall(re.sub(r"\b(\d+)BASE", r"\1 M", network, flags=re.I))
    ]
    return sum(speeds) or None


def bus_speed(model: str, disks: float) -> float | None:
    """B/s of the links of so many disks of a model together; None where the kind of link is unknown."""
    if _ATA.search(model):
        return SATA * disks
    return SAS * disks if _SAS.search(model) else None


_USED = (
    *("tool", "fs", "network", "nodes", "processes", "disk", "disks", "layout", "cpu", "cache"),
    *("compression", "compression_effective", "dedup", "contents"),
)
"""The dimensions that limits follow from."""


def find_limits(texts: Mapping[str, str], working_set: int | None = None, *, writes: bool = False) -> list[Limit]:
    """Every known limit of the throughput, from a row's dimensions; the lowest first.

    `working_set`: bytes that the run reads or writes in all, None where unknown. `writes`: of an operation that writes them.
    """
    return _find_limits(tuple([(name, texts[name]) for name in _USED]), working_set, writes)


@lru_cache(10_000)
def _find_limits(texts: tuple[tuple[str, str], ...], working_set: int | None, writes: bool) -> list[Limit]:
    return sorted(_list_limits(dict(texts), working_set, writes), key=lambda limit: limit.speed)


def _list_limits(texts: Mapping[str, str], working_set: int | None, writes: bool) -> Iterator[Limit]:
    if texts["fs"] in NETWORKED:
        speed, nodes = link_speed(texts["network"]), count_nodes(texts)
        if speed and nodes:
            yield Limit(speed * nodes, "network", "the link's nominal rate")
    elif texts["fs"] not in IN_MEMORY and count_nodes(texts, unknown=1) == 1:
        yield from _limits_of_disks(texts, writes)
    yield from _limits_of_memory(texts, working_set)
    if working_set and texts["tool"] in _SHORTEST:
        yield Limit(working_set / _SHORTEST[texts["tool"]], "tool's clock for such a small file", "the tool's source")


def _limits_of_disks(texts: Mapping[str, str], writes: bool) -> Iterator[Limit]:
    """None where a device that caches is named, nor for data of which less may be on the disks than the tool shows."""
    disks, models = count_disks(texts) * (_share_of_data(texts) if writes else 1), texts["disk"].split(" + ")
    if not disks or shrinks(texts) or texts["cache"] not in _NONE:
        return
    limits = [_limit_of_disk(model, disks, texts) for model in models]
    if all(limits):
        yield max((limit for limit in limits if limit), key=lambda limit: limit.speed)


_NONE = ("~", "none", "off", "no", "")
_MAY_COMPRESS = frozenset(("zfs", "btrfs", "apfs", "bcachefs", "refs", "hammer2"))


def compresses(texts: Mapping[str, str]) -> bool:
    """Whether the file system compresses, or may do so by its default."""
    compression = texts["compression_effective"] if texts["compression_effective"] != "~" else texts["compression"]
    return texts["fs"] in _MAY_COMPRESS if compression == "~" else compression not in _NONE


def shrinks(texts: Mapping[str, str]) -> bool:
    """Whether the pool stores less than it is given, as far as the contents of the data let it; unknown ones may be of zeros."""
    if texts["contents"] == "random":
        return texts["dedup"] not in ("~", *_NONE)  # the same random buffer again and again
    return compresses(texts) or texts["dedup"] not in ("~", *_NONE)


def _share_of_data(texts: Mapping[str, str]) -> float:
    """The part of what is written to the disks that is no copy or parity: a mirror writes at one disk's rate."""
    layout = pool_layout.parse_layout(texts["layout"])
    return 1 - layout.redundancy if layout is not None and layout.redundancy is not None else 1.0


def _limit_of_disk(model: str, disks: float, texts: Mapping[str, str]) -> Limit | None:
    """Of so many disks of a model together."""
    speed = bus_speed(model, disks)
    if speed:
        return Limit(speed, "disks' bus", "Serial ATA 3.0 or SAS-4, a link for each disk")
    if _NVME.search(model):
        lane = next((_LANE[generation] for generation, named in _NVME_GENERATIONS if named.search(model)), None)
        each = 4 * lane * 128 / 130 / 8 if lane else NVME
        return Limit(each * disks, "drives' PCI Express links", "PCI Express Base Specification, four lanes for each drive")
    if _VIRTUAL_DISK.search(model) or (model == "~" and _VIRTUAL_CPU.search(texts["cpu"])):
        return Limit(VIRTUAL * disks, "virtual disk", "highest throughput of a volume on sale")
    # A name without an interface may be of a logical volume, behind which there are many disks.
    return None


def count_disks(texts: Mapping[str, str]) -> int:
    """The number of disks, else that of the devices of the pool's layout; 0 where neither is known."""
    if texts["disks"].isdigit():
        return int(texts["disks"])
    counts = pool_layout.parse_layout(texts["layout"])
    return counts.disks if counts else 0


def rotating_speed(model: str, disks: float) -> float | None:
    """B/s at which so many disks together read from or write to their platters; None unless every model is of one that rotates."""
    models = model.split(" + ")
    return ROTATING * disks if all(_ROTATING.search(one) for one in models) else None


def find_media_limit(texts: Mapping[str, str], *, writes: bool = False) -> Limit | None:
    """What a run sees of rotating disks where caches hold at most half of its data, which is what `cached` leaves open."""
    is_local = texts["fs"] not in NETWORKED | IN_MEMORY and count_nodes(texts, unknown=1) == 1
    disks = count_disks(texts) * (_share_of_data(texts) if writes else 1)
    if not is_local or not disks or shrinks(texts) or texts["cache"] not in _NONE:
        return None
    speed = rotating_speed(texts["disk"], disks)
    return Limit(2 * speed, "rotating disks", "data sheet of the fastest model with one actuator") if speed else None


def memory_speed(cpu: str) -> float | None:
    """B/s of the memory of a machine with this processor, in as many sockets as it has at most; None for other processors."""
    for name, channels, transfers, sockets in _PROCESSORS:
        if name.search(cpu):
            return channels * transfers * _DDR * sockets * _CLOCKED
    return None


def _limits_of_memory(texts: Mapping[str, str], working_set: int | None) -> Iterator[Limit]:
    """Every byte passes the memory of a client, unless it stays in the processors' caches."""
    nodes = count_nodes(texts)
    if not nodes:
        return
    speed = memory_speed(texts["cpu"])
    if speed and working_set and working_set > LARGEST_CACHE * nodes:
        yield Limit(speed * nodes, "memory", "channels x transfers/s x 8 bytes of the processor's specification")
    else:
        yield Limit(MEMORY * nodes, "memory", "the largest machine of one system image")


def count_nodes(texts: Mapping[str, str], unknown: int = 0) -> int:
    """The number of clients; `unknown` where nothing names it and several processes may have run on several clients."""
    if texts["nodes"].isdigit():
        return int(texts["nodes"])
    return unknown if texts["processes"].isdigit() and int(texts["processes"]) > 1 else 1
