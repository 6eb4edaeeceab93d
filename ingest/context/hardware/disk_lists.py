"""Listings of disks: lsscsi, camcontrol devlist, geom disk list, iostat -En, nvme list, diskinfo -v, fdisk -l, parted,
hwinfo --disk and --short, system_profiler.

Optical drives, enclosures and slots without a medium are left out.
Source: lsscsi(8) (columns; NVMe models end in two underscores and the namespace); camcontrol(8), whose `getdevlist` prints
`<VENDOR PRODUCT REVISION>` of SCSI and `<MODEL REVISION>` of ATA and NVMe disks; geom(8); iostat(8) of SunOS;
system_profiler(8), SPStorageDataType, SPNVMeDataType, SPSerialATADataType.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._disk_models import Disk, clean_model, disk_clues, model_clues, parse_device
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LSSCSI = lazy(
    r"^[ \t]*\[(?:\d+:\d+:\d+:\d+\][ \t]+disk[ \t]+(\S.{6,30}?)[ \t]+\S{1,4}"
    r"|N:\d+:\d+:\d+\][ \t]+disk[ \t]+(\S.{2,60}?)__\d+)[ \t]+/dev/\S+",
    re.MULTILINE,
)
_CAM = lazy(
    r"^[ \t]*<([^<>\n]{3,60})>[ \t]+at scbus\d+ target \d+ lun [0-9a-f]+ "
    r"\((?=[^)\n]{0,40}\b(?P<device>(?:da|ada|nda|nvd)\d{1,3}))[^)\n]*\)[ \t]*$",
    re.MULTILINE,
)
_GEOM = lazy(
    r"^[ \t]*Geom name: (?P<device>(?:a?da|nda|nvd|ad|vtbd|mfid|aacd)\d+)[ \t]*$(?P<block>(?:\n(?![ \t]*Geom name:)[^\n]*){1,30})",
    re.MULTILINE,
)
_DESCR = lazy(r"^[ \t]+descr:[ \t]+(\S[^\n]{2,60}?)[ \t]*$", re.MULTILINE)
_MEDIASIZE = lazy(r"^[ \t]+Mediasize: (\d{1,20})\b", re.MULTILINE)
_IOSTAT = lazy(
    r"^[ \t]*(?:Vendor:[ \t]+\S{1,8}[ \t]+Product|Model):[ \t]+(\S[^\n]{2,40}?)[ \t]+Revision:[^\n]*"
    r"(?:\n[ \t]*Size: (?P<size>[\d.]+)[KMGT]?B)?",
    re.MULTILINE,
)
_MAC = lazy(r"^[ \t]+Physical Drive:[ \t]*\n[ \t]+Device Name:[ \t]+(\S[^\n]{2,60}?)[ \t]*$", re.MULTILINE)
_MAC_DRIVE = lazy(
    r"^[ \t]+Capacity: [\d.,]+ [MGT]B \([^\n]*bytes\)[ \t]*\n"
    r"(?:[ \t]+[A-Z][^\n]*\n){0,2}?[ \t]+Model:[ \t]+(\S[^\n]{2,60}?)[ \t]*$",
    re.MULTILINE,
)
_NVME = lazy(  # nvme-cli: node, (generic node,) serial number, model padded to 40 columns, namespace
    r"^[ \t]*/dev/nvme\d+n\d+[ \t]+(?:/dev/ng\d+n\d+[ \t]+)?\S{4,20}[ \t]+(\S[^\n]{2,39}?)"
    r"[ \t]+(?:0x)?\d+[ \t]+[\d.]+[ \t]+[kMGT]?B[ \t]+/",
    re.MULTILINE,
)
_DISKINFO = lazy(r"^[ \t]+(\S[^\n#]{2,60}?)[ \t]*# Disk descr\.[ \t]*$", re.MULTILINE)
_MODEL = "Disk model|Festplattenmodell|Mod\u00e8le de disque|Modelo d[eo] disco|\u78c1\u76d8\u578b\u53f7"  # util-linux po/*.po
_FDISK = lazy(
    r"^[ \t]*(?:Disk|Festplatte|Disque|Disco) /dev/(?!loop|zd|ram)[^\n]*\n"
    rf"[ \t]*(?:{_MODEL})[ \u00a0]?[:\uff1a][ \t]*(\S[^\n]{{2,60}}?)[ \t]*$",
    re.MULTILINE,
)
_HWINFO = lazy(  # of NVMe it prints the controller, which is no model of a disk
    r"^[ \t]*Hardware Class: disk[ \t]*\n[ \t]*Model: \"(\S[^\"\n]{2,60}?)\"[ \t]*$", re.MULTILINE
)
_PARTED = lazy(  # the transport stands in brackets; the model of a mapped or striped device is left out
    r"^[ \t]*Mod[eè]l[loe]{0,2}: (\S[^\n]{2,60}?) \((?:scsi|nvme|ide|sd/mmc|xvd)\)[ \t]*\n"
    r"[ \t]*(?:Disk|Festplatte|Disque|Disco)[ \t]+/dev/(?P<device>\w+)[ \t]?:[ \t]",
    re.MULTILINE,
)
_SHORT = lazy(r"^disk:[ \t]*$(?P<rows>(?:\n[ \t]+/dev/\w+[ \t]+\S[^\n]*)+)", re.MULTILINE)  # hwinfo --short
_SHORT_ROW = lazy(r"^[ \t]+(?P<device>/dev/\w+)[ \t]+(\S[^\n]{2,60}?)[ \t]*$", re.MULTILINE)
_ANCHOR = lazy(
    r"\((?:scsi|nvme|ide|sd/mmc|xvd)\)[ \t]*$|^disk:[ \t]*$|"
    r"/dev/nvme\d+n\d+[ \t]|# Disk descr\.|"
    rf"^[ \t]*(?:{_MODEL})[ \u00a0]?[:\uff1a]|"
    r"Hardware Class: disk|"
    r"\[(?:\d+|N):\d+:\d+:\d+\][ \t]+disk|at scbus\d|Geom name: |Product:[ \t][^\n]{0,80}Revision:"
    r"|Model:[ \t][^\n]{0,80}Revision:|Physical Drive:|Capacity: [\d.,]+ [MGT]B \(",
    re.MULTILINE,
)


def read(text: Text) -> Iterator[Clue]:
    """Models, joined by ` + ` where they differ, and number of disks, of each kind of listing."""
    simple_listings = [
        [Disk(clean_model(match[1]), text.line_at(match.start(1)), parse_device(match[0])) for match in form.finditer(text.body)]
        for form in (_NVME, _DISKINFO, _FDISK)
    ]
    listings = (_lsscsi(text), _cam(text), _geom(text), _iostat(text), _hwinfo(text), _parted(text), _short(text))
    for disks in (*listings, *simple_listings):
        if disks:
            yield from disk_clues(text, disks, disks[0].line)
    mac = [
        Disk(clean_model(match[1]), text.line_at(match.start(1)))
        for form in (_MAC, _MAC_DRIVE)
        for match in form.finditer(text.body)
    ]
    yield from model_clues(mac, text)  # no number: a disk is listed with each of its volumes


def _hwinfo(text: Text) -> list[Disk]:
    return [
        Disk("" if "Controller" in match[1] else clean_model(match[1]), text.line_at(match.start(1)))
        for match in _HWINFO.finditer(text.body)
    ]


def _parted(text: Text) -> list[Disk]:
    return [
        Disk(clean_model(match[1]), text.line_at(match.start(1)), f"/dev/{match['device']}")
        for match in _PARTED.finditer(text.body)
    ]


def _short(text: Text) -> list[Disk]:
    return [
        Disk("" if "Controller" in row[2] else clean_model(row[2]), text.line_at(row.start("device")), row["device"])
        for match in _SHORT.finditer(text.body)
        for row in _SHORT_ROW.finditer(text.body, match.start("rows"), match.end("rows"))
    ]


def _lsscsi(text: Text) -> list[Disk]:
    return [
        Disk(clean_model(match[1] or match[2]), text.line_at(match.start()), parse_device(match[0]))
        for match in _LSSCSI.finditer(text.body)
    ]


def _cam(text: Text) -> list[Disk]:
    """Models without their last word, the revision of the firmware."""
    return [
        Disk(clean_model(match[1].rpartition(" ")[0]), text.line_at(match.start()), f"/dev/{match['device']}")
        for match in _CAM.finditer(text.body)
    ]


def _geom(text: Text) -> list[Disk]:
    disks = []
    for match in _GEOM.finditer(text.body):
        size, descr = _MEDIASIZE.search(match["block"]), _DESCR.search(match["block"])
        if size and int(size[1]):
            offset = match.start("block") + descr.start(1) if descr else match.start()
            disks.append(Disk(clean_model(descr[1]) if descr else "", text.line_at(offset), f"/dev/{match['device']}"))
    return disks


def _iostat(text: Text) -> list[Disk]:
    """Disks whose listing has a size; that of a drive without a medium is 0."""
    return [
        Disk(clean_model(match[1]), text.line_at(match.start()))
        for match in _IOSTAT.finditer(text.body)
        if "Size:" in match[0] and (match["size"] is None or float(match["size"].rstrip(".") or 0))
    ]


READER = Reader(
    "disk lists",
    9,
    Anchor(
        _ANCHOR,
        "(scsi)|(nvme)|(ide)|(sd/mmc)|(xvd)|disk:|/dev/nvme0|# disk descr|disk model|festplattenmodell|modèle de disque|"
        "modelo d|磁盘型号|hardware class| disk|\tdisk|at scbus0|geom name|revision:|physical drive|capacity: ",
    ),
    read,
)
