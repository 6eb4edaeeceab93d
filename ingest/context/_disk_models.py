"""Clues of listings of disks: models, the device of each, and the number of disks.

A listing shows all disks of the machine, of which a pool may use some. So the number is a label: the listing of a pool
takes precedence over it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

_DEVICE = lazy(r"/dev/(?:r(?=disk\d|[sw]d\d))?(\w++)(?![$*?{\[/])")  # a raw disk of macOS and OpenBSD is the same disk
_IN_NAME = lazy(r"(?:\A|[-_. ])((?:[shv]|xv)d[a-z]{1,2}|nvme\d+(?:n\d+)?|(?:a?da|nvd|nda|vtbd)\d+|c\d+t\w+d\d+)(?=[-_. ]|\Z)")
# /dev/disk/by-id of systemd's 60-persistent-storage.rules: BUS-MODEL_SERIAL, blanks as underscores, `_1` for a namespace.
_BY_ID = lazy(
    r"(?:/dev/disk/by-id/)?(?:ata|nvme|usb|mmc|scsi-SATA)-(?P<model>(?!eui\.|uuid\.|nvme\.)(?=\S*[\d_]\S*_)[A-Za-z0-9]\S{2,60})_[A-Za-z0-9-]{4,40}"
    r"(?:_\d)?(?:-\d:\d)?(?:-part\d{1,3})?\Z"
)


class Disk(NamedTuple):
    """A disk of a listing; `model` and `device` (`/dev/sda`) are '' where unknown."""

    model: str
    line: int
    device: str = ""


def model_clues(disks: Sequence[Disk], text: Text) -> Iterator[Clue]:
    """All models in one clue; where they differ, also one for the devices of each model.

    Nothing of more than eight models.
    """
    known = [disk for disk in disks if disk.model]
    models = sorted({disk.model for disk in known})
    if not 1 <= len(models) <= 8:
        return
    models_of: dict[str, set[str]] = {}  # device -> models
    for disk in known:
        models_of.setdefault(disk.device, set()).add(disk.model)
    group = known[0].line
    yield line_clue(text, group, "disk.model", " + ".join(models), subject=_devices(known))
    for model in dict.fromkeys(disk.model for disk in known) if len(models) > 1 else ():
        of_model = [disk for disk in known if disk.device and models_of[disk.device] == {model}]
        if of_model:  # several models of one device are the disks behind a RAID controller
            yield line_clue(text, of_model[-1].line, "disk.model", model, subject=_devices(of_model), group=group)


def _devices(disks: Sequence[Disk]) -> str:
    """All devices of a listing, separated by blanks: what is said of all speaks of runs on all of them; '' if one is unknown."""
    devices = dict.fromkeys(disk.device for disk in disks)
    return "" if "" in devices else " ".join(devices)


def parse_device(printed: str) -> str:
    """The first device named in the text (`/dev/disk2`, also of its raw device `/dev/rdisk2`); '' without one."""
    device = _DEVICE.search(printed)
    return f"/dev/{device[1]}" if device else ""


def device_in_name(name: str) -> str | None:
    """The device in the name of a file (`smartctl-sda.txt`), without its folder."""
    device = _IN_NAME.search(name)
    return device[1] if device else None


def clean_model(printed: str) -> str:
    """The model with single blanks, without the vendor `ATA` of SATA disks; '' for `unknown`, `(null)`, `N/A` and `disk`."""
    words = re.sub(r"\s+", " ", printed).strip().removeprefix("ATA ")
    return "" if words.lower() in ("unknown", "(null)", "disk", "n/a") else words


def parse_by_id_name(name: str) -> str:
    """`WDC WD40EFRX-68N32N0` of `ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0123456-part1`; '' of another kind of name."""
    match = _BY_ID.match(name)
    return clean_model(match["model"].replace("_", " ")) if match else ""


def disk_clues(text: Text, disks: Sequence[Disk], group: int) -> Iterator[Clue]:
    """Models and number of the disks of one listing, which begins on line `group`."""
    if not disks:
        return
    yield from model_clues(disks, text)
    line = disks[0].line
    yield Clue(line, "disk.count", len(disks), text.lines[line - 1].strip(), "label", subject=_devices(disks), group=group)
