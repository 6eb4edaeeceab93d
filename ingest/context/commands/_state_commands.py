"""What commands change in the state before a run: erased devices, trimmed space, scrubs, thin volumes, clocks that were set.

Source: blkdiscard(8), nvme-format(1), nvme-sanitize(1), hdparm(8), sg_sanitize(8), sg_format(8), sg_unmap(8), fstrim(8),
zpool-trim(8), zpool-scrub(8), zpool-wait(8), btrfs-scrub(8), lvcreate(8), date(1), timedatectl(1), hwclock(8), ntpdate(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from ingest.lazy_regex import lazy
from ingest.state import CREATED

Change = tuple[str, str, Any]  # subject, key, new value; None where the key ends
ERASED = "state.erased"
_PARTITION = lazy(r"(?<=\d)p\d+\Z|(?<=[a-z])\d+\Z")
_NAMED_BY_ID = lazy(r"(?:wwn|ata|scsi|nvme|eui|gpt|gptid|label|by-\w+)[-./]|[0-9a-f-]{36}\Z")


def state_changes(words: list[str]) -> Iterator[Change]:
    """The changes by one simple command of words; nothing of any other."""
    program, rest = words[0].rpartition("/")[2], words[1:]
    read = _PROGRAMS.get(program)
    return read(rest) if read else iter(())


def created(subjects: list[str], words: list[str], settings: Mapping[str, Mapping[str, Any]]) -> Iterator[Change]:
    """That pools or file systems were created, on devices that were erased since the last creation, or not. `settings`: what
    earlier commands set of devices."""
    erased = {device: known for device, known in settings.items() if device[:5] == "/dev/" and known.get(ERASED)}
    for subject in subjects:
        if settings.get(subject, {}).get(CREATED):
            erased.pop(subject, None)
        names = {_disk(word) for word in ([subject] if subject.startswith("/dev/") else words)}
        is_by_id = any(_NAMED_BY_ID.search(word) for word in words)
        how = next((known[ERASED] for device, known in erased.items() if is_by_id or _disk(device) in names), None)
        yield subject, CREATED, "yes"
        if how or not subject.startswith("/dev/") or ERASED in settings.get(subject, ()):
            yield subject, ERASED, how
        # The device as a whole is used up; where the subject is a partition of it, the clue before counts for both.
        yield from ((device, ERASED, None) for device in erased if device != subject and (is_by_id or _disk(device) in names))


def _disk(device: str) -> str:
    """The disk of a device or partition, without its folder."""
    return _PARTITION.sub("", device.removeprefix("/dev/"))


def _erase(devices: list[str], how: str) -> Iterator[Change]:
    for device in devices:
        if device.startswith("/dev/") and not re.search(r"[$`*]", device):
            yield device, CREATED, None
            yield device, ERASED, how


def _blkdiscard(words: list[str]) -> Iterator[Change]:
    if not any(re.match(r"-(?:o|l|p)|--(?:offset|length)", word) for word in words):
        yield from _erase(words, "blkdiscard")


def _nvme(words: list[str]) -> Iterator[Change]:
    if words[:1] in (["format"], ["sanitize"]):
        yield from _erase(words[1:], f"nvme {words[0]}")


def _hdparm(words: list[str]) -> Iterator[Change]:
    if any(word.startswith("--security-erase") for word in words):
        yield from _erase(words, "ATA secure erase")
    elif any(word.startswith("--trim-sector") for word in words):
        yield from ((word, "state.trimmed", "yes") for word in words if word.startswith("/dev/"))


def _fstrim(words: list[str]) -> Iterator[Change]:
    folders = [word for word in words if word.startswith("/")]
    is_all = any(re.match(r"-\w*[aA]|--(?:all|fstab|listed)", word) for word in words)
    yield from ((folder, "state.trimmed", "yes") for folder in folders or ([""] if is_all else []))


def _zpool(words: list[str]) -> Iterator[Change]:
    options, pools = [word for word in words[1:] if word.startswith("-")], [word for word in words[1:] if word[:1].isalpha()]
    stops = any(re.match(r"-\w*[sp]", option) for option in options)
    if words[:1] == ["trim"] and pools and not any(re.match(r"-\w*[cs]", option) for option in options):
        yield pools[0], "state.trimmed", "yes"
    elif words[:1] == ["scrub"]:
        waits = any(re.match(r"-\w*w", option) for option in options)
        yield from ((pool, "state.scrub", "no" if stops or waits else "yes") for pool in pools)
    elif words[:1] == ["wait"]:
        activities = ",".join(words).partition("-t,")[2].split(",")
        pool = next((word for word in reversed(pools) if word not in activities), pools[-1] if pools else "")
        for name, key in (("scrub", "state.scrub"), ("resilver", "state.resilver"), ("trim", "state.trim")):
            if pool and (name in activities or "-t" not in words):
                yield pool, key, "no"


def _btrfs(words: list[str]) -> Iterator[Change]:
    folders = [word for word in words if word.startswith("/")]
    if words[:1] == ["scrub"] and words[1:2] in (["start"], ["resume"], ["cancel"]):
        is_over = words[1] == "cancel" or any(re.match(r"-\w*B", word) for word in words)
        yield from ((folder, "state.scrub", "no" if is_over else "yes") for folder in folders)


def _lvcreate(words: list[str]) -> Iterator[Change]:
    text = " ".join(words)
    name = re.search(r"(?:\A|\s)(?:-n ?|--name[ =])([\w.+-]+)", text)
    operands = [word for before, word in pairwise(["", *words]) if before not in ("-n", "--name", "-L", "-l", "-V", "--size")]
    group = next(
        (word.partition("/")[0] for word in reversed(operands) if re.fullmatch(r"[A-Za-z][\w.+-]*(?:/[\w.+-]+)?", word)), ""
    )
    is_thin = re.search(r"(?:\A|\s)(?:-V|--virtualsize|--thin\b|-T)", text) is not None
    if name and group and group != name[1]:
        for device in (f"mapper/{group.replace('-', '--')}-{name[1].replace('-', '--')}", f"{group}/{name[1]}"):
            yield f"/dev/{device}", "state.thin", "yes" if is_thin else "no"


def _clock(*options: str) -> Any:
    """A reader of a command that sets the clock where it has one of the options."""

    def read(words: list[str]) -> Iterator[Change]:
        if any(word.startswith(options) for word in words):
            yield "", "state.clock_set", "yes"

    return read


_PROGRAMS = {
    "blkdiscard": _blkdiscard,
    "nvme": _nvme,
    "hdparm": _hdparm,
    "sg_sanitize": lambda words: _erase(words, "sg_sanitize"),
    "sg_format": lambda words: _erase(words, "sg_format"),
    "fstrim": _fstrim,
    "zpool": _zpool,
    "btrfs": _btrfs,
    "lvcreate": _lvcreate,
    "date": _clock("-s", "--set"),
    "timedatectl": _clock("set-time"),
    "hwclock": _clock("-s", "--hctosys"),
    "ntpdate": _clock("-b", "-u", "pool.", "time.", "ntp."),
    "chronyc": _clock("makestep", "settime"),
}
