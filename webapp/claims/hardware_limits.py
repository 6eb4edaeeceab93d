"""The highest throughput of network links and disk buses. Pure; nothing is guessed: an unknown limit is None."""

from __future__ import annotations

import re
from collections.abc import Mapping

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


def bus_speed(model: str, disks: int) -> float | None:
    """B/s of the links of so many disks of a model together; None where the kind of link is unknown."""
    if _ATA.search(model):
        return SATA * disks
    return SAS * disks if _SAS.search(model) else None


def find_narrowest_link(texts: Mapping[str, str]) -> tuple[float, str] | None:
    """(B/s, name) of the link between the benchmark and the disks, from a row's dimensions; None where it is unknown."""
    if texts["fs"] in NETWORKED:
        speed, nodes = link_speed(texts["network"]), _nodes(texts)
        return (speed * nodes, "network") if speed and nodes else None
    if texts["disks"].isdigit() and int(texts["disks"]):
        speed = bus_speed(texts["disk"], int(texts["disks"]))
        return (speed, "disks' bus") if speed else None
    return None


def _nodes(texts: Mapping[str, str]) -> int:
    """The number of clients; 0 where it is unknown and several processes may have run on several clients."""
    if texts["nodes"].isdigit():
        return int(texts["nodes"])
    return 0 if texts["processes"].isdigit() and int(texts["processes"]) > 1 else 1
