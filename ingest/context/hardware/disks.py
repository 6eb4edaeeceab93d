"""Disks of lsblk (a table, or JSON), and the model that smartctl -i, hdparm -i and -I and camcontrol identify print of one.

Forms: a table of lsblk with the columns TYPE or MODEL, and SIZE or HCTL; `"blockdevices"` of `lsblk -J`; rows `Device Model:`,
`Model Number:`, `Product:`, `device model`, `Model=..., FwRev=`.
A listing shows all disks of the machine, so the number of disks is a label, which the listing of a pool takes precedence over.
Source: lsblk(8), smartctl(8), hdparm(8), camcontrol(8).

Source of boot disks: dmesg(8) of Linux, FreeBSD, OpenBSD and NetBSD
Source of disks: lsblk(8), smartctl(8), hdparm(8), camcontrol(8)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ingest.context._disk_models import Disk, clean_model, device_in_name, disk_clues, model_clues, parse_device
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# Disks in messages of a booting kernel: dmesg of Linux, FreeBSD, OpenBSD and NetBSD, also with the prefixes of a log.
#
# Source: FreeBSD's sys/cam (xpt_announce_periph, ata_print_ident: `<MODEL FIRMWARE>`, scsi_print_inquiry: `<VENDOR PRODUCT
# REVISION>`, nvme_print_ident: `<MODEL FIRMWARE SERIAL>`), ata-disk.c before 9.0; Linux' libata-core.c (`ata1.00: ATA-8: MODEL,
# FIRMWARE, max UDMA/133`), scsi_scan.c (fields of 8, 16 and 4 columns), ide-probe.c; OpenBSD's scsiconf.c, wd.c; NetBSD's wd.c.

_STAMP = r"^[ \t]*(?:(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} )?kernel: )?(?:\[ *\d{1,9}\.\d{6,9}\] )?"
_CAM = lazy(
    rf"{_STAMP}(?P<device>(?:ada|da|nvd|ad)\d{{1,3}}): (?:\d{{1,9}}MB )?<(?P<model>[^<>\n]{{3,70}})> "
    r"(?:(?:CF|S)?ATA|ACS|NVMe|Fixed Direct Access|at ata\d)",
    re.MULTILINE,
)
_NDA = lazy(rf"{_STAMP}(?P<device>nda\d{{1,3}}): <(?P<model>[^<>\n]{{3,90}})>[ \t]*$", re.MULTILINE)
_BSD = lazy(
    rf"{_STAMP}(?P<device>(?:sd|wd)\d{{1,3}})(?: at (?:pciide|ahci|atabus|scsibus|wdc|cmdide)\d{{1,3}} [^\n:]{{1,60}})?: "
    r"<(?!OPENBSD, SR )(?:(?P<vendor>[^,<>\n]{2,8}), )?(?P<model>[^,<>\n]{3,50})(?:, [^,<>\n]{1,8})?>"
    r"(?![^\n]* removable)",
    re.MULTILINE,
)
_ATA = lazy(
    rf"{_STAMP}(?P<device>ata\d{{1,3}}\.\d\d)(?: \(slot \d{{1,2}}\))?: ATA-\d{{1,2}}: (?P<model>[^,\n]{{3,42}}), "
    r"[^,\n]{0,8}, max (?:UDMA|PIO|MWDMA)",
    re.MULTILINE,
)
_IDE = lazy(rf"{_STAMP}(?P<device>hd[a-l]): (?P<model>[^,\n]{{3,42}}), (?:CFA )?(?:ATA )?DISK drive[ \t]*$", re.MULTILINE)
_SCSI = lazy(
    rf"{_STAMP}scsi (?P<device>\d{{1,3}}:\d{{1,3}}:\d{{1,4}}:\d{{1,4}}): Direct-Access {{1,5}}(?P<model>\S[^\n]{{10,24}}?)"
    r" +\S{1,4} +PQ: \d",
    re.MULTILINE,
)
_BOOT_ANCHOR = lazy(
    r"> (?:(?:CF|S)?ATA|ACS|NVMe|Fixed Direct|at ata)|\b(?:nda|sd|wd)\d{1,3}\b[^\n<]{0,80}: <|: ATA-\d|DISK drive|: Direct-Access "
)
_TRAILING_WORDS = {_CAM: 1, _NDA: 2}  # words after the model: firmware; firmware and serial number
_DEVICE_NAME = lazy(r"(?:n?da|ada|nvd|ad|sd|wd)\d{1,3}\Z|hd[a-l]\Z")


def read_boot(text: Text) -> Iterator[Clue]:
    """Models and number of the disks of a boot.

    Linux prints a disk both by libata and by SCSI, which cuts its model: of the groups of forms, the first with a match is read.
    """
    for forms in ((_CAM, _NDA, _BSD), (_ATA, _IDE), (_SCSI,)):
        disks: dict[str, Disk] = {}
        for form in forms:
            for match in form.finditer(text.body):
                name = match["device"]
                words = match["model"].split()
                trailing = 0 if name.startswith("nvd") else _TRAILING_WORDS.get(form, 0)
                model = clean_model(" ".join(words[:-trailing] if 0 < trailing < len(words) else words))
                device = f"/dev/{name}" if _DEVICE_NAME.match(name) else ""
                disks[name] = Disk(model, text.line_at(match.start("device")), device)
        if disks:
            by_line = sorted(disks.values(), key=lambda disk: disk.line)
            yield from disk_clues(text, by_line, by_line[0].line)
            return


BOOT = Reader(
    "boot disks",
    4,
    Anchor(_BOOT_ANCHOR, "> ata|> cfata|> sata|> acs|> nvme|> fixed direct|> at ata|: <|: ata-0|disk drive|: direct-access"),
    read_boot,
)


_LSBLK = lazy(r"^[ \t]*(?:KNAME[ \t]+)?NAME(?=[ \t])[^\n]*[ \t](?:TYPE|MODEL)\b[^\n]*$", re.MULTILINE)
_MODEL = lazy(
    r"^[ \t|]*(?:(?:(?:Device Model|Model Number|Product)(?::[ \t]+|:?[ \t]*\|[ \t]*)|device model[ \t]{3,})(\S[^\n]{2,60}?)[ \t]*$"
    r"|Model=(\S[^\n,]{2,60}?)[ \t]*, Fw ?Rev=)",
    re.MULTILINE,
)
_DEVICE_LINE = lazy(r"[ \t]*(/dev/\w+):?[ \t]*\Z")  # which hdparm prints above the model
_BOARD = lazy(r"[ \t]*(?:Model|Memory|OS Version|Manufacturer|Family|Serial Number):?[ \t]+\S")
_BELOW = 0, 5, 15  # lines from there to a model of either form; hdparm -v prints settings between
_ANCHOR = lazy(
    r"^[ \t]*(?:KNAME[ \t]+)?NAME[ \t][^\n]*[ \t](?:TYPE|MODEL)\b"
    r"|\"blockdevices\"|^[ \t|]*device model[ \t]{3}"
    r"|Device Model(?::|[ \t]*\|)|Model Number(?::|[ \t]*\|)|Product:[ \t]|^[ \t]*Model=\S",
    re.MULTILINE,
)
_ROW = lazy(r"[ \t]*[\u2500-\u257f|`\- ]*([A-Za-z][\w!./-]*)[ \t]+(\S.*)?\Z")
_NOT_DISKS = lazy(r"(?:zram|mtdblock|loop|ram|sr|fd|nbd|md|dm-|mmcblk\d+boot)")


def read(text: Text) -> Iterator[Clue]:
    """Models, joined by ` + ` where they differ, and number of disks, of every listing."""
    yield from _table_clues(text)
    yield from _json_clues(text)
    yield from model_clues([_identified(text, match) for match in _MODEL.finditer(text.body) if not _is_machine(text, match)], text)


def _is_machine(text: Text, match: re.Match[str]) -> bool:
    """Whether `Product:` is the board of the machine, as on the dashboard of TrueNAS, beside other rows of it."""
    line = text.line_at(match.start(match.lastindex or 1))
    return "Product:" in match[0] and any(map(_BOARD.match, text.lines[max(line - 3, 0) : line + 2]))


def _identified(text: Text, match: re.Match[str]) -> Disk:
    """The disk of a model; its device stands above the model, in the command, or in the name of the file."""
    line = text.line_at(match.start())
    above = map(_DEVICE_LINE.match, reversed(text.lines[max(line - 1 - _BELOW[match.lastindex or 0], 0) : line - 1]))
    device = next(filter(None, above), None)
    command = text.command_for(line)
    in_name = f"/dev/{named}" if not command and (named := device_in_name(text.name)) else ""
    shown = device[1] if device else command.text if command else in_name
    return Disk(clean_model(match[1] or match[2]), line, parse_device(shown))


def _table_clues(text: Text) -> Iterator[Clue]:
    for head in _LSBLK.finditer(text.body):
        first = text.line_at(head.start())
        columns = [(match[0], match.start()) for match in re.finditer(r"\S+", head[0])]
        names = [name for name, _ in columns]
        if not {"SIZE", "HCTL"} & set(names):
            continue
        disks: list[Disk] = []
        for number in range(first + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            row = _ROW.match(line)
            if not row or not row[2] or (row[1] in ("NAME", "KNAME") and _LSBLK.match(line)):
                break
            model = _cell(line, columns, "MODEL")
            # Without types the rows with a model are the disks: partitions have none.
            is_disk = re.search(r"\bdisk(?:\s|\Z)", row[2]) if "TYPE" in names else model
            if is_disk and not _NOT_DISKS.match(row[1]) and not _is_empty(names, line):
                disks.append(Disk(model, number, f"/dev/{row[1]}"))
        yield from disk_clues(text, disks, first)


def _is_empty(names: list[str], line: str) -> bool:
    """Whether SIZE is 0, as of a card reader without a card; False where texts with blanks may stand before that column."""
    if "SIZE" not in names:  # `lsblk --scsi`
        return False
    column = names.index("SIZE")
    cells = line.split()
    return not {"MODEL", "LABEL", "VENDOR"} & set(names[:column]) and column < len(cells) and cells[column] in ("0", "0B")


def _cell(line: str, columns: list[tuple[str, int]], name: str) -> str:
    """The text below a left-aligned head, '' where it is not aligned; lsblk pads every column to its widest value."""
    for index, (head, start) in enumerate(columns):
        if head == name:
            end = columns[index + 1][1] if index + 1 < len(columns) else len(line)
            aligned = (start == 0 or line[start - 1 : start] in ("", " ")) and (end >= len(line) or line[end - 1] == " ")
            return clean_model(line[start:end]) if aligned else ""
    return ""


def _json_clues(text: Text) -> Iterator[Clue]:
    key_offset = text.body.find('"blockdevices"')
    start = text.body.rfind("{", 0, key_offset) if key_offset >= 0 else -1
    if start < 0:
        return
    try:
        document, _ = json.JSONDecoder().raw_decode(text.body, start)
        devices = [device for device in document["blockdevices"] if isinstance(device, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    key_line = text.line_at(key_offset)
    disks = []
    for device in devices:
        name, model = device.get("name"), device.get("model")
        if device.get("type") == "disk" and isinstance(name, str) and not _NOT_DISKS.match(name):
            offset = text.body.find(json.dumps(name), key_offset)
            line = text.line_at(offset) if offset >= 0 else key_line
            disks.append(Disk(clean_model(model) if isinstance(model, str) else "", line, f"/dev/{name.removeprefix('/dev/')}"))
    yield from disk_clues(text, disks, key_line)


READER = Reader("disks", 12, Anchor(_ANCHOR, ' type|\ttype|model|product:|"blockdevices"'), read)
