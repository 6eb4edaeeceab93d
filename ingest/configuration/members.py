"""Of which vdev or array a device is, by the listings of the same host.

A listing that has the very device counts before one that has partitions of it; a partition is not looked for by its disk. The
nearest listing decides: one of the same file, else of the nearest folder around it. Where the nearest ones disagree, or may be of
another host, the vdev stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ingest.configuration.devices import device_name, disk_of
from ingest.configuration.host_names import same_host
from ingest.configuration.hosts import distinct_hosts
from ingest.configuration.machine_facts import common_folder
from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy

_NAMESPACE = lazy(r"(nvme\d{1,4}n\d{1,4})(?:p\d{1,4})?\Z")


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
                if (disk := _whole_disk(name)) != name:
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


def _whole_disk(name: str) -> str:
    """The disk of a partition, with the namespace of NVMe: `sda` of sda1, `nvme0n2` of nvme0n2p1."""
    namespace = _NAMESPACE.match(name)
    return namespace[1] if namespace else disk_of(name)


def _nearness(file: str, path: str) -> int:
    """How many folders the two files share, one more for the same file."""
    return len(common_folder([file, path])) + (file == path)
