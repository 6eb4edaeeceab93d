"""Names of hosts: which of them identify a machine, and which are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# Names that installers and images give: many machines have them.
GENERIC_HOSTS = frozenset(
    """
    localhost localhost4 localhost6 unknown none host hostname server client pc vm box myhost debian ubuntu fedora
    centos rocky almalinux alma rhel redhat opensuse suse arch archlinux archiso manjaro mint linux linuxmint kali
    nixos nixos-installer gentoo alpine raspberrypi freebsd netbsd openbsd dragonfly ghostbsd freenas truenas
    xigmanas omnios omniosce openindiana illumos smartos solaris macbook proxmox pve livecd sysresccd
    localhost-live ubuntu-server vagrant live pop-os endeavouros cachyos garuda artix void void-live slackware darkstar
    tumbleweed leap coreos flatcar amnesiac penguin dietpi orangepi odroid rockpi unraid tower diskstation rockstor
    openmediavault pfsense opnsense esxi macbook-pro macbook-air mac-mini imac mac virtualbox virtual-machine qemu kvm
    """.split()
)
_VERSION = re.compile(r"[-_]?(?:v?\d[\d.-]*|xenial|bionic|focal|jammy|noble|stretch|buster|bullseye|bookworm|trixie)\Z")
_SYSTEMS = frozenset(
    "debian ubuntu fedora centos rocky almalinux alma rhel opensuse freebsd netbsd openbsd archlinux nixos".split()
)
_LOCAL_NAMES = frozenset(("", "localhost", "localhost4", "localhost6", "none"))
_ADDRESS = re.compile(r"[\d.]+\Z|[\da-f:]*:[\da-f:]*\Z", re.I)


@lru_cache(4096)
def short_name(host: str) -> str:
    """The name without its domain in lower case; an IP address unchanged."""
    name = host.strip().strip("()").rstrip(".").lower()
    return name if _ADDRESS.match(name) else name.partition(".")[0]


@lru_cache(20_000)
def identifies(host: str) -> bool:
    """Whether the name is one that a person chose for a machine, not one that many machines have."""
    name = short_name(host)
    return bool(name) and name not in GENERIC_HOSTS and _VERSION.sub("", name) not in _SYSTEMS


def usual_names(hosts: Iterable[str]) -> dict[str, str]:
    """Spelling -> the one that stands for all of its host, of hosts with several: with the domain where one alone is known."""
    spellings: dict[str, set[str]] = {}
    for host in hosts:
        if names_host(host):
            spellings.setdefault(short_name(host), set()).add(host)
    usual = {}
    for short, names in spellings.items():
        full = {name.strip().rstrip(".").lower() for name in names} - {short}
        for name in names:
            same = [other for other in names if len(full) < 2 or name.lower() == other.lower()]
            if len(same) > 1:
                usual[name] = max(same, key=lambda other: (len(other), other))
    return usual


def names_host(host: str) -> bool:
    """Whether the name distinguishes a host from others of one upload; `vm` does, `localhost` does not."""
    return short_name(host) not in _LOCAL_NAMES


@lru_cache(4096)
def same_host(first: str, second: str) -> bool:
    """Whether two names may be of one host: equal without regard to case, or one is the other with its domain."""
    a, b = (name.strip().rstrip(".").lower() for name in (first, second))
    return a == b or (short_name(a) == short_name(b) and (short_name(a) == a or short_name(b) == b))
