"""The RAID controllers and host bus adapters of a machine: lspci in all its forms, pciconf, lshw, the tools of makers, boots.

What a chipset has (SATA in RAID mode, VMD) and what a hypervisor emulates is no controller, nor is that of an NVMe drive. The
tool of a maker names the card, lspci without subsystems and a boot only its chip: they yield to it.

Source: lspci(8); pciconf(8); lshw(1); storcli's, MegaCli's, sas3ircu's and sas3flash's manuals; HPE Smart Array guide (`Smart
Array P420i in Slot 0`); arcconf's and 3ware's CLI guides; areca's cli64; OpenManage's `storage controller`; mpt3sas_base.c, hpsa.c
of Linux; mps(4), mfi(4), mrsas(4), ciss(4), arcmsr(4) of FreeBSD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.open_keys import CONTROLLER
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_CLASSES = r"RAID bus controller|Serial Attached SCSI controller|SCSI storage controller|Fibre Channel"
_SLOT = r"^[ \t]*(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7][ \t]+"
_LSPCI = lazy(
    rf"{_SLOT}(?:{_CLASSES})(?:[ ]\[[0-9a-f]{{4}}\])?:[ ](?P<name>\S[^\n]*)"
    r"(?:(?:\n[ \t]+(?!Subsystem)[^\n]*)?\n[ \t]+Subsystem:[ ](?P<card>\S[^\n]*))?",
    re.MULTILINE,
)
_QUOTED = lazy(  # lspci -m
    rf'{_SLOT}"(?:{_CLASSES})[^"\n]*"[ ]"(?P<maker>[^"\n]+)"[ ]"(?P<name>[^"\n]+)"(?:[ ]-\w+)*'
    r'(?:[ ]"(?P<of>[^"\n]*)"[ ]"(?P<card>[^"\n]*)")?',
    re.MULTILINE,
)
_ROWS = lazy(  # lspci -vmm
    rf"^Class:[ \t]+(?:{_CLASSES})[^\n]*\nVendor:[ \t]+(?P<maker>\S[^\n]*)\nDevice:[ \t]+(?P<name>\S[^\n]*)"
    r"(?:\nSVendor:[ \t]+(?P<of>\S[^\n]*)\nSDevice:[ \t]+(?P<card>\S[^\n]*))?",
    re.MULTILINE,
)
_PCICONF = lazy(
    r"^[ \t]+vendor[ ]+= '(?P<maker>[^'\n]+)'\n[ \t]+device[ ]+= '(?P<name>[^'\n]+)'\n[ \t]+class[ ]+= [^\n]+\n"
    r"[ \t]+subclass[ ]+= (?:RAID|SAS|SCSI|Fibre Channel)[ \t]*$",
    re.MULTILINE,
)
_LSHW = lazy(
    rf"^[ \t]+description: (?:{_CLASSES})[ \t]*\n[ \t]+product: (?P<name>\S[^\n]*)(?:\n[ \t]+vendor: (?P<maker>\S[^\n]*))?",
    re.MULTILINE,
)
_OF_BUS = (_LSPCI, _QUOTED, _ROWS, _PCICONF, _LSHW)
_TOOLS = lazy(
    r"""^[ \t]*(?:Product[ ]Name[ \t]*[=:][ \t]*(?P<product>[^\n]*(?:RAID|SAS|PERC|HBA|\b\d{4}-\d{1,2}[ie])[^\n]*?)
    |(?:Controller[ ]Model|Board[ ]Name|Controller[ ]type|Controller[ ]Name)[ \t]*:[ \t]*(?P<row>\S[^\n]*?)
    |(?P<slot>(?:HPE?[ ])?Smart[ ](?:Array|HBA)[ ][^\n]{2,40}?|HPE?[ ][A-Z]{1,2}\d{3}\w*[^\n]{0,30}?)[ ]in[ ]Slot[ ]\d[^\n]*
    |(?:ID[ \t]+:[ \t]+\d[^\n]*\n(?:Status[^\n]*\n)?)[ \t]*Name[ \t]+:[ \t]+(?P<perc>(?:Dell[ ])?(?:PERC|BOSS|HBA)[^\n]*?)
    |/c\d+[ ]Model[ ]=[ ](?P<ware>\S+)|c\d+[ \t]+(?P<listed>9\d{3}[A-Z]{1,3}-\w+)[ \t]+\d[^\n]*
    )[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_BOOT = lazy(
    r"\bmpt\dsas(?:_cm)?\d+: (?P<chip>LSISAS\w+): FWVersion"
    r"|\b(?:mps|mpr|mpt|mfi|mrsas|ciss|aac|aacraid|smartpqi|tw[aes]|arcmsr|isp)\d+: <(?P<bsd>[^<>\n]{4,70})> (?:port|mem|irq|at) "
    r"|\b(?:added |scsi [\d:]+: )RAID +(?P<hp>HPE? +\S[^\n]{2,24}?) +(?:controller\b|\d[\d.]+ +PQ:)"
)
_ANCHOR = lazy(
    rf"{_CLASSES}|subclass[ ]+= (?:RAID|SAS|SCSI|Fibre)"
    r"|Product Name[ \t]*[=:][^\n]*(?:RAID|SAS|PERC|HBA|-\d{1,2}[ie])|Controller Model"
    r"|Board Name|Controller type|Controller Name|\bin Slot \d|Name[ \t]+:[ \t]+(?:Dell )?(?:PERC|BOSS|HBA)"
    r"|/c\d+ Model = |c\d+[ \t]+\d{4}[A-Z]|LSISAS\w+: FWVersion|\d: <[^<>\n]{4,70}> (?:port|mem|irq|at) |RAID +HPE? "
)
_LITERALS = (
    "raid|serial attached|scsi storage|fibre channel|subclass|product name|controller model|board name|controller type"
    "|controller name|in slot|perc|boss|hba|model =|c0|lsisas|> port|> mem|> irq|> at"
)
_NO_CONTROLLER = lazy(
    r"(?i)raid mode|volume management device|\bvmd\b|rapid storage|virtio|virtual|vmware|red hat|qemu|xensource|pvscsi|motherboard"
)
_NAMELESS = lazy(r"(?i)(?:.*\b)?device(?: [0-9a-f]{4})?\Z|unknown|onboard|\W*\Z")
_ENDS = lazy(
    r"[ \t]*(?:\[[0-9a-f]{4}(?::[0-9a-f]{4})?\]|\(rev \w+\)|\(prog-if[^\n)]*\)|\(sn: [^\n)]*\)|\((?:Embedded|Slot \d+)\))[ \t]*"
)


def read(text: Text) -> Iterator[Clue]:
    """One clue of each kind of listing, several controllers joined with ` + `."""
    yield from _clues(text, "dump", ((match, match.lastgroup or "") for match in _TOOLS.finditer(text.body)))
    for form in _OF_BUS:
        yield from _clues(text, "command", ((match, "name") for match in form.finditer(text.body)))
    yield from _clues(text, "name", ((match, match.lastgroup or "") for match in _BOOT.finditer(text.body)))


def _clues(text: Text, kind: str, found: Iterator[tuple[re.Match[str], str]]) -> Iterator[Clue]:
    names: dict[str, int] = {}
    for match, group in found:
        if not _NO_CONTROLLER.search(match[0]) and (name := _name(match, group)):
            names.setdefault(name, text.line_at(match.start(group)))
    if names:
        line = min(names.values())
        yield Clue(line, CONTROLLER, " + ".join(sorted(names)), text.lines[line - 1].strip(), kind, group=line)


def _name(match: re.Match[str], group: str) -> str:
    """The card where it has a name, else the chip; with the maker before it."""
    known = match.groupdict()
    name, maker = (_clean(known[one]) if known.get(one) else "" for one in (group, "maker"))
    card, of = (_clean(known[one]) if known.get(one) else "" for one in ("card", "of"))
    if card and not _NAMELESS.match(card):
        name, maker = card, of
    return "" if not name or _NAMELESS.match(name) else f"{maker} {name}".strip()


def _clean(printed: str) -> str:
    return " ".join(_ENDS.sub(" ", printed).split())


READER = Reader("controllers", 1, Anchor(_ANCHOR, _LITERALS), read)
