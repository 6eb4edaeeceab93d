"""Names of hosts: which of them identify a machine, and which are the same."""

from __future__ import annotations

import re
from functools import lru_cache

# Names that installers and images give: many machines have them.
GENERIC_HOSTS = frozenset(
    """
    localhost localhost4 localhost6 unknown none host hostname server client pc vm box myhost debian ubuntu fedora
    centos rocky almalinux alma rhel redhat opensuse suse arch archlinux archiso manjaro mint linux linuxmint kali
    nixos nixos-installer gentoo alpine raspberrypi freebsd netbsd openbsd dragonfly ghostbsd freenas truenas
    xigmanas omnios omniosce openindiana illumos smartos solaris macbook proxmox pve livecd sysresccd
    """.split()
)
_LOCAL_NAMES = frozenset(("", "localhost", "localhost4", "localhost6", "none"))
_ADDRESS = re.compile(r"[\d.]+\Z|[\da-f:]*:[\da-f:]*\Z", re.I)


@lru_cache(4096)
def short_name(host: str) -> str:
    """The name without its domain in lower case; an IP address unchanged."""
    name = host.strip().strip("()").rstrip(".").lower()
    return name if _ADDRESS.match(name) else name.partition(".")[0]


def identifies(host: str) -> bool:
    """Whether the name is one that a person chose for a machine, not one that many machines have."""
    return bool(short_name(host)) and short_name(host) not in GENERIC_HOSTS


def names_host(host: str) -> bool:
    """Whether the name distinguishes a host from others of one upload; `vm` does, `localhost` does not."""
    return short_name(host) not in _LOCAL_NAMES


@lru_cache(4096)
def same_host(first: str, second: str) -> bool:
    """Whether two names may be of one host: equal without regard to case, or one is the other with its domain."""
    a, b = (name.strip().rstrip(".").lower() for name in (first, second))
    return a == b or (short_name(a) == short_name(b) and (short_name(a) == a or short_name(b) == b))
