"""What follows from a printed line without being printed: the closed list of docs/evidence.md.

Rules on the configuration are here. Parameters that follow from a command line are set by the parser that reads it
(`Value.implied`). What is not on the list stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.lazy_regex import lazy

Implied = tuple[str, Any, str]
"""Key, value, and the key from whose line it follows."""


@dataclass(frozen=True, slots=True)
class ConfigurationRule:
    """`find` yields what follows from a flat configuration; `says` and `source` are its row in docs/evidence.md."""

    says: str
    source: str
    find: Callable[[Mapping[str, Any]], Iterator[Implied]]


_WITHOUT_COMPRESSION = {
    "ext2": "ext4(5)",
    "ext3": "ext4(5)",
    "ext4": "ext4(5)",
    "xfs": "xfs(5)",
    "ufs": "newfs(8), mount_ufs(8)",
    "jfs": "jfs_mkfs(8)",
}
_POOL_KEYS = ("pool.name", "pool.compression", "pool.dedup", "pool.recordsize")
_KERNEL = lazy(
    r"\.(?P<tag>el|fc|amzn|azl)(?P<version>\d{1,2})(?:_\d{1,2})?(?:uek)?(?:\.|\Z)"  # Red Hat's and Amazon's package releases
)
_DISTRIBUTIONS = {"el": "Enterprise Linux", "fc": "Fedora", "amzn": "Amazon Linux", "azl": "Azure Linux"}


def _without_compression(config: Mapping[str, Any]) -> Iterator[Implied]:
    """A file system on a volume of another one (`fs.stack`), or beside keys of a pool, may be compressed below."""
    stack = str(config.get("fs.stack") or config.get("fs.type")).split("/")
    if _WITHOUT_COMPRESSION.keys() >= {*stack, config.get("fs.type")} and not any(key in config for key in _POOL_KEYS):
        yield "pool.compression", "off", "fs.type"
        yield "pool.dedup", "off", "fs.type"


def _distribution_of_kernel(config: Mapping[str, Any]) -> Iterator[Implied]:
    """Only where nothing names the distribution."""
    if "os.name" in config or "os.version" in config or config.get("os.family", "Linux") != "Linux":
        return
    if (match := _KERNEL.search(str(config.get("kernel", "")))) is not None:
        yield "os.name", _DISTRIBUTIONS[match["tag"]], "kernel"
        yield "os.version", match["version"], "kernel"


RULES = (
    ConfigurationRule(
        "`fs.type` ext2, ext3, ext4, xfs, ufs or jfs, alone or on another of these, beside no key of a pool:"
        " `pool.compression` off, `pool.dedup` off",
        "the file systems have neither: ext4(5), xfs(5), newfs(8), jfs_mkfs(8)",
        _without_compression,
    ),
    ConfigurationRule(
        "a kernel of `.el6`, `.fc20`, `.amzn2`, `.azl3` where nothing names the distribution: `os.name` Enterprise Linux, Fedora,"
        " Amazon Linux, Azure Linux, and `os.version`",
        "the release tag of their packages: Fedora Packaging Guidelines (DistTag), Amazon Linux and Azure Linux release notes",
        _distribution_of_kernel,
    ),
)


def find_implied(config: Mapping[str, Any]) -> list[Implied]:
    """Everything that follows from a flat configuration."""
    return [implied for rule in RULES for implied in rule.find(config)]
