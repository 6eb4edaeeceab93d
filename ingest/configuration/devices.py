"""Settings of single devices: which of them hold for what was measured.

A listing has a value of `block.scheduler` for each device. Until all evidence is gathered, each is a key of its own
(`block.scheduler@/dev/sda`), so that scopes and changes over time apply to each device alone. Then one value is left for each
property: of a bare disk that was measured its own; else the value of the devices of the pool or file system measured, where
`block.devices` (which `zpool status`, `mdadm` and `mount` give) names them; else the value in which all disks agree; else none.
Loop devices, RAM disks and volumes made of other devices count only where they are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ingest.configuration.clues import LocatedClue
from ingest.configuration.host_evidence import distinct_hosts
from ingest.configuration.host_names import same_host
from ingest.configuration.machine_facts import common_folder
from ingest.configuration.places import MEMBERS, VIRTUAL, MeasuredPlace, device_name, disk_of, is_device, is_disk_name, whole_disk
from ingest.detect.findings import FileFindings
from ingest.records import Clue
from ingest.state import OF_ONE_DEVICE, badness, is_state

_NAMESPACES = ("block.", "raid.", "state.")
_AT = "@/dev/"


def scoped_key(clue: Clue) -> str:
    """The key by which a clue is gathered: its own, and of a single device also the device."""
    if clue.subject.startswith("/dev/") and clue.key.startswith(_NAMESPACES):
        return f"{clue.key}{_AT}{disk_of(clue.subject)}"
    return clue.key


def is_of_device(key: str) -> bool:
    """Whether the key is one of `scoped_key` for a single device."""
    return _AT in key


def property_of(key: str) -> str:
    """The open key without its device."""
    return key.partition(_AT)[0]


def drop_farther(outer: dict[str, LocatedClue], inner: Mapping[str, LocatedClue]) -> None:
    """Remove from `outer` what a nearer scope has of the same property: of all devices, or of the same one."""
    for key in inner:
        if key.startswith(_NAMESPACES) and not key.startswith(MEMBERS):
            plain, at, _ = key.partition(_AT)
            if at:
                outer.pop(plain, None)
            else:
                for other in [other for other in outer if other.startswith(plain + _AT)]:
                    del outer[other]


def drop_contradicted(located: dict[str, LocatedClue]) -> None:
    """Of one file's clues about all devices and about single ones, keep those of the devices, unless a label is below them."""
    for key in [key for key in located if is_of_device(key)]:
        label = located.get(plain := property_of(key))
        if label is None or plain == MEMBERS:
            continue
        is_nearer = label.clue.effect == "labels" and label.clue.line >= located[key].clue.line
        located.pop(key if is_nearer else plain)


def settle(chosen: dict[str, LocatedClue], place: MeasuredPlace) -> None:
    """Replace the keys of single devices by those of the properties that hold for the devices measured."""
    properties: dict[str, dict[str, LocatedClue]] = {}
    for key in [key for key in chosen if is_of_device(key)]:
        plain, _, device = key.partition(_AT)
        properties.setdefault(plain, {})[device] = chosen.pop(key)
    chosen.pop(MEMBERS, None)
    properties.pop(MEMBERS, None)
    for plain, by_device in properties.items():
        settled = _common(plain, by_device, place)
        if settled is not None:
            chosen.setdefault(plain, settled)
    model, own = chosen.get("disk.model"), {disk_of(name) for name in place.devices if not (VIRTUAL.match(name) or name[0] == "/")}
    if model is not None and "disk.count" not in chosen and own and all(map(is_disk_name, own)):
        chosen["disk.count"] = LocatedClue(model.file, replace(model.clue, key="disk.count", value=len(own)))


def _common(plain: str, by_device: dict[str, LocatedClue], place: MeasuredPlace) -> LocatedClue | None:
    """The clue in whose value the devices measured agree; None where they do not, or are unknown."""
    names = [*dict.fromkeys(map(disk_of, place.devices))]
    disks = [name for name in names if not VIRTUAL.match(name)] or names
    elsewhere = {disk_of(name) for name in place.elsewhere}
    is_known = is_device(place.path) or place.is_remote or any(map(is_disk_name, names))
    others = [] if is_known else [name for name in by_device if name not in elsewhere]
    if is_state(plain):
        named = [by_device[name] for name in names if name in by_device]
        if plain not in OF_ONE_DEVICE:
            return _worst(plain, named or [by_device[name] for name in others])
        named = named or ([] if names else [by_device[name] for name in others])
        return named[0] if len({str(clue.clue.value) for clue in named}) == 1 else _worst(plain, named if names else [])
    if plain.startswith("raid."):
        named = [by_device[name] for name in names if name in by_device]
    else:
        named = [by_device[name] for name in disks] if all(name in by_device for name in disks) else []
    if not named:
        named = [by_device[name] for name in others if plain.startswith("raid.") or not VIRTUAL.match(name)]
    values = {str(clue.clue.value) for clue in named}
    return min(named, key=lambda clue: (clue.file, clue.clue.line)) if len(values) == 1 else None


def _worst(plain: str, sources: list[LocatedClue]) -> LocatedClue | None:
    """The clue with the highest number, or a `yes`: one slow device slows all down."""
    places = sorted(sources, key=lambda source: (source.file, source.clue.line))
    return max(places, key=lambda source: badness(plain, source.clue.value), default=None)


# Of which vdev or array a device is, by the listings of the same host.
#
# A listing that has the very device counts before one that has partitions of it; a partition is not looked for by its disk. The
# nearest listing decides: one of the same file, else of the nearest folder around it. Where the nearest ones disagree, or may
# be of another host, the vdev stays unknown.


class _Listed(NamedTuple):
    file: str
    line: int
    place: str


class DeviceMembers:
    """The devices of all pools and arrays of one upload."""

    def __init__(self, findings_list: Iterable[FileFindings], hosts_of: Mapping[str, tuple[str, ...]]) -> None:
        """`hosts_of`: the hosts that each file names."""
        self._listed: dict[str, list[_Listed]] = {}
        self._partitions: dict[str, list[_Listed]] = {}  # disk -> its listed partitions
        self._hosts_of = hosts_of
        for findings in findings_list:
            for member in findings.members:
                one, name = _Listed(findings.path, member.line, member.place), device_name(member.device)
                self._listed.setdefault(name, []).append(one)
                if (disk := whole_disk(name)) != name:
                    self._partitions.setdefault(disk, []).append(one)
        self._has_one_host = bool(self._listed) and len(distinct_hosts(host for hosts in hosts_of.values() for host in hosts)) < 2

    def place_of(self, device: str, path: str, host: str | None) -> tuple[str, str] | None:
        """Vdev or array of a device that a file at `path` of a host names, and the place of the listing, `file:line`."""
        name = device_name(device)
        listed: list[_Listed] = []
        for where in (self._listed, self._partitions):
            listed = listed or [one for one in where.get(name, ()) if self._is_of(one.file, path, host)]
        if not listed:
            return None
        nearest = max(_nearness(one.file, path) for one in listed)
        found = [one for one in listed if _nearness(one.file, path) == nearest]
        if len({one.place for one in found}) > 1:
            return None
        return found[0].place, f"{found[0].file}:{found[0].line}"

    def _is_of(self, file: str, path: str, host: str | None) -> bool:
        hosts = self._hosts_of.get(file, ())
        if file == path and len(hosts) < 2:
            return True
        if host and hosts:
            return all(same_host(one, host) for one in hosts)
        return self._has_one_host


def _nearness(file: str, path: str) -> int:
    """How many folders the two files share, one more for the same file."""
    return len(common_folder([file, path])) + (file == path)
