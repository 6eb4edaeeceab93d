"""Compatibility of two values of a configuration key."""

from __future__ import annotations

from typing import Any

from ingest.lazy_regex import lazy
from ingest.normalise import architecture, device_set

REFINED_KEYS = ("os.version", "pool.log", "pool.cache")
_DEVICES = ("disk.model", "pool.log", "pool.cache")
_KIND = lazy(r"(?: (?:nvme|ssd))?")
"""What follows a layout in the more detailed value: not every listing has names of disks that show their kind."""


def spell_devices(key: str, value: Any) -> Any:
    """The value, of a list of devices in one order."""
    return device_set(key, value) if key in _DEVICES and isinstance(value, str) else value


def are_compatible(key: str, detailed: Any, plain: Any) -> bool:
    """Whether two values of a key are equal or compatible; `detailed` is the more detailed one."""
    detailed, plain = spell_devices(key, detailed), spell_devices(key, plain)
    if key.startswith("pool.") and key in REFINED_KEYS:
        detailed, plain = str(detailed), str(plain)
        return detailed.startswith(plain) and _KIND.fullmatch(detailed, len(plain)) is not None
    if key in REFINED_KEYS:
        return _refines(str(detailed), str(plain))
    return _same(detailed, plain) or (key == "arch" and architecture(str(detailed)) == architecture(str(plain)))


def _refines(detailed: str, plain: str) -> bool:
    """Whether a version is the other one with a suffix: 24.04 LTS refines 24.04, and 11.7 refines 11, but 11 does not refine 1."""
    return detailed.startswith(plain) and not detailed[len(plain) : len(plain) + 1].isalnum()


def _same(first: Any, second: Any) -> bool:
    """Whether the values are equal, or two readings of one size: `free` rounds, and leaves out the kernel's memory."""
    if first == second:
        return True
    are_sizes = isinstance(first, int | float) and isinstance(second, int | float) and min(first, second) > 2**20
    return are_sizes and abs(first - second) <= 0.02 * max(first, second)
