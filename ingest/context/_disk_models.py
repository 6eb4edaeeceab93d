"""What the listings of disks share: models joined, which device each one is, and how many disks there are.

A listing shows the disks of the machine; how many hold the data, a pool's own listing tells better. So the number is
given as a label: it decides only where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

_DEVICE = lazy(r"/dev/(?:r(?=disk\d|[sw]d\d))?(\w++)(?![$*?{\[/])")  # a raw disk of macOS and OpenBSD is the same disk
# /dev/disk/by-id of systemd's 60-persistent-storage.rules: BUS-MODEL_SERIAL, blanks as underscores, `_1` for a namespace.
_BY_ID = lazy(
    r"(?:/dev/disk/by-id/)?(?:ata|nvme|usb|mmc|scsi-SATA)-(?P<model>(?!eui\.|uuid\.|nvme\.)(?=\S*[\d_]\S*_)[A-Za-z0-9]\S{2,60})_[A-Za-z0-9-]{4,40}"
    r"(?:_\d)?(?:-\d:\d)?(?:-part\d{1,3})?\Z"
)


class Disk(NamedTuple):
    """A disk of a listing; `model` is '' where none is told, `device` (`/dev/sda`) likewise."""

    model: str
    line: int
    device: str = ""


def model_clues(disks: Sequence[Disk], text: Text) -> Iterator[Clue]:
    """All models in one clue; where they differ, also one for each disk that has a name.

    A run on a bare device is a run on the one disk; of a file nobody knows on which of them it lies.
    """
    told = [disk for disk in disks if disk.model]
    kinds = sorted({disk.model for disk in told})
    if not 1 <= len(kinds) <= 8:
        return
    models_of: dict[str, set[str]] = {}
    for disk in told:
        models_of.setdefault(disk.device, set()).add(disk.model)
    alone = told[0].device if len(models_of) == 1 == len(kinds) else ""
    line = told[0].line
    yield Clue(line, "disk.model", " + ".join(kinds), text.lines[line - 1].strip(), subject=alone, group=line)
    for disk in {disk.device: disk for disk in told if disk.device}.values() if len(kinds) > 1 else ():
        if len(models_of[disk.device]) > 1:
            continue  # the disks behind a RAID controller
        yield Clue(disk.line, "disk.model", disk.model, text.lines[disk.line - 1].strip(), subject=disk.device, group=line)


def parse_device(printed: str) -> str:
    """`/dev/rdisk2` and `/dev/disk2` are one disk; '' where no device is named."""
    found = _DEVICE.search(printed)
    return f"/dev/{found[1]}" if found else ""


def clean_model(printed: str) -> str:
    """Without what stands for nothing: `ATA` as the vendor of every SATA disk, the firmware in the last column."""
    words = re.sub(r"\s+", " ", printed).strip().removeprefix("ATA ")
    return "" if words.lower() in ("unknown", "(null)", "disk") else words


def parse_by_id_name(name: str) -> str:
    """`WDC WD40EFRX-68N32N0` of `ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0123456-part1`; '' where the name is of another kind."""
    found = _BY_ID.match(name)
    return clean_model(found["model"].replace("_", " ")) if found else ""


def disk_clues(text: Text, disks: Sequence[Disk], group: int) -> Iterator[Clue]:
    if not disks:
        return
    yield from model_clues(disks, text)
    line = disks[0].line
    yield Clue(line, "disk.count", len(disks), text.lines[line - 1].strip(), kind="label", effect="shows", group=group)
