"""Disks as lsblk lists them (also as JSON), and the model that smartctl -i, hdparm -i and -I and camcontrol identify tell of one.

A listing shows the disks of the machine; how many hold the data, a pool's own listing tells better. So the number
found here is given as a label: it decides only where nothing else does.
Source: lsblk(8), smartctl(8), hdparm(8), camcontrol(8).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ingest.context._disk_models import Disk, clean_model, disk_clues, model_clues, parse_device
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LSBLK = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME(?=[ \t])[^\n]*[ \t](?:TYPE|MODEL)\b[^\n]*$", re.MULTILINE)
_MODEL = lazy(
    r"^[ \t]*(?:(?:(?:Device Model|Model Number|Product):[ \t]+|device model[ \t]{3,})(\S[^\n]{2,60}?)[ \t]*$"
    r"|Model=(\S[^\n,]{2,60}?)[ \t]*, Fw ?Rev=)",
    re.MULTILINE,
)
_NAMED = lazy(r"[ \t]*(/dev/\w+):?[ \t]*\Z")  # hdparm prints the device above what it tells of it
_BOARD = lazy(r"[ \t]*(?:Model|Memory|OS Version|Manufacturer|Family|Serial Number):?[ \t]+\S")
_BELOW = 5  # lines from there to the model
_ANCHOR = lazy(
    r"^[ \t]*(?:KNAME[ \t]+)?NAME[ \t][^\n]*[ \t](?:TYPE|MODEL)\b"
    r"|\"blockdevices\"|^[ \t]*device model[ \t]{3}|Device Model:|Model Number:|Product:[ \t]|^[ \t]*Model=\S",
    re.MULTILINE,
)
_ROW = lazy(r"[ \t]*[\u2500-\u257f|`\- ]*([A-Za-z][\w!./-]*)[ \t]+(\S.*)?\Z")
_NOT_DISKS = lazy(r"(?:zram|mtdblock|loop|ram|sr|fd|nbd|md|dm-|mmcblk\d+boot)")


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing: models, joined by ` + ` where they differ, and the number of disks."""
    yield from _table(text)
    yield from _json(text)
    yield from model_clues([_told(text, match) for match in _MODEL.finditer(text.body) if not _is_machine(text, match)], text)


def _is_machine(text: Text, match: re.Match[str]) -> bool:
    """The dashboard of TrueNAS calls the board `Product`, and the processor beside it `Model`."""
    line = text.line_at(match.start(match.lastindex or 1))
    beside = text.lines[max(line - 3, 0) : line + 2]
    return "Product:" in match[0] and any(_BOARD.match(one) for one in beside)


def _told(text: Text, match: re.Match[str]) -> Disk:
    """The device stands above the model, or in the command that asked."""
    line = text.line_at(match.start())
    above = next((one for n in range(line - 1, max(line - 1 - _BELOW, 0), -1) if (one := _NAMED.match(text.lines[n - 1]))), None)
    command = text.command_for(line)
    return Disk(clean_model(match[1] or match[2]), line, parse_device(above[1] if above else command.text if command else ""))


def _table(text: Text) -> Iterator[Clue]:
    for head in _LSBLK.finditer(text.body):
        first = text.line_at(head.start())
        columns = [(match[0], match.start()) for match in re.finditer(r"\S+", head[0])]
        names = [name for name, _ in columns]
        typed = "TYPE" in names
        if not {"SIZE", "HCTL"} & set(names):
            continue
        disks: list[Disk] = []
        for number in range(first + 1, len(text.lines) + 1):
            row = _ROW.match(text.lines[number - 1])
            if not row or not row[2] or (row[1] in ("NAME", "KNAME") and _LSBLK.match(text.lines[number - 1])):
                break
            if (
                # Without types the disks are those that have a model: partitions have none.
                (re.search(r"\bdisk(?:\s|\Z)", row[2]) if typed else _cell(text.lines[number - 1], columns, "MODEL"))
                and not _NOT_DISKS.match(row[1])
                and not _empty(names, text.lines[number - 1])
            ):
                disks.append(Disk(_cell(text.lines[number - 1], columns, "MODEL"), number, f"/dev/{row[1]}"))
        yield from disk_clues(text, disks, first)


def _empty(names: list[str], line: str) -> bool:
    """Whether SIZE is 0: a card reader without a card. Cells before SIZE hold no blanks unless they are texts."""
    if "SIZE" not in names:  # `lsblk --scsi`
        return False
    at = names.index("SIZE")
    cells = line.split()
    return not {"MODEL", "LABEL", "VENDOR"} & set(names[:at]) and at < len(cells) and cells[at] in ("0", "0B")


def _cell(line: str, columns: list[tuple[str, int]], name: str) -> str:
    """The cell below a left-aligned head; lsblk pads every column to its widest value."""
    for at, (head, start) in enumerate(columns):
        if head == name:
            end = columns[at + 1][1] if at + 1 < len(columns) else len(line)
            whole = (start == 0 or line[start - 1 : start] in ("", " ")) and (end >= len(line) or line[end - 1] == " ")
            return clean_model(line[start:end]) if whole else ""
    return ""


def _json(text: Text) -> Iterator[Clue]:
    at = text.body.find('"blockdevices"')
    start = text.body.rfind("{", 0, at) if at >= 0 else -1
    if start < 0:
        return
    try:
        told, _ = json.JSONDecoder().raw_decode(text.body, start)
        devices = [device for device in told["blockdevices"] if isinstance(device, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    line = text.line_at(at)
    disks = []
    for device in devices:
        name, model = device.get("name"), device.get("model")
        if device.get("type") == "disk" and isinstance(name, str) and not _NOT_DISKS.match(name):
            where = text.body.find(json.dumps(name), at)
            at_line = text.line_at(where) if where >= 0 else line
            disks.append(Disk(clean_model(model) if isinstance(model, str) else "", at_line, f"/dev/{name.removeprefix('/dev/')}"))
    yield from disk_clues(text, disks, line)


READER = Reader(
    "disks",
    9,
    Anchor(_ANCHOR, " type", "\ttype", "model", "product:", '"blockdevices"'),
    read,
    "lsblk(8), smartctl(8), hdparm(8), camcontrol(8)",
)
