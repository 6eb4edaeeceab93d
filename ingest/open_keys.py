"""Open keys: properties of a configuration under the namespace of what reports them (`zfs.primarycache`, `sysctl.vm.dirty_ratio`).

A namespace has an allow list of the properties that change performance: those are part of a configuration's identity. So is
every key that a person set (`Clue.by_person`). The rest is recorded and shown, but does not make two configurations of one:
recording more must never make runs less comparable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache, lru_cache
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.toml_tables import read_table

MAX_LENGTH = 200  # characters of a value, and of a name


@dataclass(frozen=True, slots=True)
class Namespace:
    """`identity`: why properties change performance -> their names or shell patterns, separated by blanks, as in `sizes` and
    `never`. `source` defines them.

    `is_bulk`: it has dozens of properties, so that those outside of the identity stand in evidence records only, and not in
    printed configuration of every record. `sizes`: properties whose values are sizes, stored in bytes. `never`: names, places and
    limits of space, which distinguish nothing even where a person set them; so do ZFS's user properties (`org.example:note`).
    """

    name: str
    label: str
    source: str
    identity: Mapping[str, str] = field(default_factory=dict)
    is_bulk: bool = False
    sizes: str = ""
    never: str = ""


NAMESPACES = {name: Namespace(name, **table) for name, table in read_table(__file__).items()}
OF_FILE_SYSTEMS = ("zfs.", "zpool.", "mount.", "btrfs.", "ext4.", "xfs.", "lustre.")
"""Prefixes of what describes a file system or pool."""
MEMORY_LIMIT = "system.memory_limit"
"""The memory in bytes that a control group leaves to the run, cached files included."""
CONTROLLER = "raid.controller"
"""The name of a RAID controller or host bus adapter, in its usual spelling."""
OF_MACHINES = ("block.", "raid.", "sysctl.", "module.", "system.", "machine.")
"""Prefixes of what describes one machine."""
_NAME = lazy(r"[a-z][a-z0-9]*\.[A-Za-z0-9_][\w@:.+*/-]{0,150}\Z")


@cache
def _identity_pattern(namespace: str) -> re.Pattern[str]:
    names = " ".join(NAMESPACES[namespace].identity.values()).split()
    return re.compile("|".join(map(translate, names)) or r"(?!)")


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@lru_cache(5_000)
def namespace_of(key: str) -> Namespace | None:
    """The namespace of an open key; None of any other text."""
    return NAMESPACES.get(key.partition(".")[0]) if _NAME.match(key) else None


@lru_cache(5_000)
def is_identity(key: str) -> bool:
    """Whether the open key is on the allow list of its namespace."""
    namespace = namespace_of(key)
    return namespace is not None and _identity_pattern(namespace.name).match(key.partition(".")[2]) is not None


@lru_cache(5_000)
def may_be_chosen(key: str) -> bool:
    """Whether the open key is part of the identity where a person set it."""
    namespace, _, name = key.partition(".")
    space = NAMESPACES[namespace] if namespace_of(key) else None
    if space is None or not space.identity or name in _words(space.never):
        return False
    return not (namespace in ("zfs", "zpool") and ":" in name)


@lru_cache(5_000)
def is_bulk(key: str) -> bool:
    """Whether the open key belongs to a namespace of dozens and is not part of the identity."""
    namespace = namespace_of(key)
    return namespace is not None and namespace.is_bulk and not is_identity(key)


@lru_cache(5_000)
def is_size(key: str) -> bool:
    """Whether the values of the open key are sizes in bytes."""
    namespace = namespace_of(key)
    return namespace is not None and key.partition(".")[2] in _words(namespace.sizes)


def spell_open_value(key: str, printed: Any) -> Any:
    """A value as it is stored: sizes in bytes, whole numbers as int, states of features `on` or `off`, other texts with single
    blanks; of ZFS, mount and RAID in lower case, but for names. None of an empty text, or one of more than `MAX_LENGTH` characters.
    """
    if isinstance(printed, bool):
        return "on" if printed else "off"
    if isinstance(printed, int):
        return printed
    text = " ".join(str(printed).split())
    if not text or text == "-" or len(text) > MAX_LENGTH:
        return None
    namespace, _, name = key.partition(".")
    if namespace == "zpool" and name.startswith("feature@"):
        return "off" if text.lower() == "disabled" else "on" if text.lower() in ("enabled", "active", "on") else text.lower()
    space = NAMESPACES.get(namespace)
    if space is not None and name in _words(space.sizes) and (size := normalise.parse_size(text)) is not None:
        return size
    if text.isascii() and text.isdecimal() and len(text) <= 18 and (len(text) == 1 or text[0] != "0"):
        return int(text)
    return text.lower() if namespace in ("zfs", "zpool", "mount", "raid") and key != CONTROLLER else text
