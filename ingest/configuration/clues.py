"""Clues with the files that contain them, and filters for clues that do not apply to a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.configuration.subjects import keys_of_file_systems, keys_of_other_pools
from ingest.lazy_regex import lazy
from ingest.normalise import architecture, device_set
from ingest.open_keys import OF_FILE_SYSTEMS
from ingest.records import Clue

# Compatibility of two values of a configuration key.

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


_ANCHORS = (
    ("os.family", ("os.", "kernel", "sysctl.", "module.", "system.")),
    ("kernel", ("os.",)),
    ("fs.type", ("pool.", "fs.", *OF_FILE_SYSTEMS)),
)
_FORMATS = {"ext4.": ("ext2", "ext3", "ext4", "ldiskfs"), "xfs.": ("xfs",), "btrfs.": ("btrfs",), "lustre.": ("lustre",)}


@dataclass(slots=True)
class LocatedClue:
    """A clue with the file that contains it."""

    file: str
    clue: Clue

    @property
    def reference(self) -> str:
        return "stated" if self.clue.kind == "stated" and not self.clue.line else f"{self.file}:{self.clue.line}"


def stated_clues(stated: Mapping[str, Any]) -> dict[str, LocatedClue]:
    """Configuration that a person states, as clues without a line."""
    return {key: LocatedClue("", Clue(0, key, value, str(value), "stated")) for key, value in stated.items()}


def find_last_in_transcript(sources: list[LocatedClue]) -> LocatedClue | None:
    """The last of the clues for other files, if all are of one file in which a command changed the value; else None."""
    if len({source.file for source in sources}) > 1 or not any(source.clue.effect == "sets" for source in sources):
        return None
    return max(sources, key=lambda source: source.clue.line)


def drop_file_system_of_disk(clues: dict[str, LocatedClue], path: str | None) -> dict[str, LocatedClue]:
    """The clues without those about file systems and pools, if a bare disk was measured."""
    for key in keys_of_file_systems({key: source.clue for key, source in clues.items()}, path):
        del clues[key]
    return clues


def drop_other_formats(clues: dict[str, LocatedClue]) -> None:
    """Remove properties of a file system of another type than `fs.type`, such as that of the machine's root, unless stated."""
    type_clue = clues.get("fs.type")
    for prefix, types in _FORMATS.items() if type_clue else ():
        if type_clue and type_clue.clue.value not in types:
            for key in [key for key, source in clues.items() if key.startswith(prefix) and source.clue.kind != "stated"]:
                del clues[key]


def drop_other_pools(clues: dict[str, LocatedClue], pool: str) -> None:
    """Remove clues about other pools than the one that the tool prints."""
    for key in keys_of_other_pools({key: source.clue for key, source in clues.items()}, pool):
        del clues[key]


def drop_systems_that_lost(chosen: dict[str, LocatedClue], families: Iterable[LocatedClue]) -> None:
    """Remove kernel, name and version of an operating system whose `os.family`, of the same line or dump, is not the chosen one."""
    of_place = {_place(source): source.clue.value for source in families}
    family = chosen["os.family"].clue.value if "os.family" in chosen else None
    for key in ("kernel", "os.name", "os.version") if of_place else ():
        if key in chosen and of_place.get(_place(chosen[key]), family) != family:
            del chosen[key]


def _place(source: LocatedClue) -> tuple[str, int]:
    """The file and the first line of the dump, or the line."""
    return source.file, source.clue.group if isinstance(source.clue.group, int) else source.clue.line


def drop_other_systems(outer: dict[str, LocatedClue], inner: Mapping[str, LocatedClue]) -> None:
    """Remove from `outer` the keys of another system or file system than that in `inner`."""
    for anchor, family in _ANCHORS:
        near, far = inner.get(anchor), outer.get(anchor)
        if near is None or far is None or near.clue.value == far.clue.value:
            continue
        for key in [key for key in outer if key.startswith(family) or key == anchor]:
            del outer[key]
