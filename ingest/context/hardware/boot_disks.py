"""Disks in messages of a booting kernel: dmesg of Linux, FreeBSD, OpenBSD and NetBSD, also with the prefixes of a log.

Source: FreeBSD's sys/cam (xpt_announce_periph, ata_print_ident: `<MODEL FIRMWARE>`, scsi_print_inquiry: `<VENDOR PRODUCT
REVISION>`, nvme_print_ident: `<MODEL FIRMWARE SERIAL>`), ata-disk.c before 9.0; Linux' libata-core.c (`ata1.00: ATA-8: MODEL,
FIRMWARE, max UDMA/133`), scsi_scan.c (fields of 8, 16 and 4 columns), ide-probe.c; OpenBSD's scsiconf.c, wd.c; NetBSD's wd.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._disk_models import Disk, clean_model, disk_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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
_ANCHOR = lazy(
    r"> (?:(?:CF|S)?ATA|ACS|NVMe|Fixed Direct|at ata)|\b(?:nda|sd|wd)\d{1,3}\b[^\n<]{0,80}: <|: ATA-\d|DISK drive|: Direct-Access "
)
_TRAILING_WORDS = {_CAM: 1, _NDA: 2}  # words after the model: firmware; firmware and serial number
_DEVICE_NAME = lazy(r"(?:n?da|ada|nvd|ad|sd|wd)\d{1,3}\Z|hd[a-l]\Z")


def read(text: Text) -> Iterator[Clue]:
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


READER = Reader(
    "boot disks",
    3,
    Anchor(_ANCHOR, "> ata|> cfata|> sata|> acs|> nvme|> fixed direct|> at ata|: <|: ata-0|disk drive|: direct-access"),
    read,
    "dmesg(8) of Linux, FreeBSD, OpenBSD and NetBSD",
)
