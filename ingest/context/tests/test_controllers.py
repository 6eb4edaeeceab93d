"""The controller that listings name: its card where they know it, else its chip."""

# ruff: noqa: E501 lines as tools print them

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_items

LSPCI_K = """\
00:1f.2 RAID bus controller: Intel Corporation SATA Controller [RAID mode] (rev 06)
03:00.0 RAID bus controller: Broadcom / LSI MegaRAID SAS-3 3108 [Invader] (rev 02)
	DeviceName: Integrated RAID
	Subsystem: Dell PERC H730P Mini
	Kernel driver in use: megaraid_sas
04:00.0 Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller SM981/PM981/PM983
"""
LSPCI_NN = """\
01:00.0 Serial Attached SCSI controller [0107]: Broadcom / LSI SAS3008 PCI-Express Fusion-MPT SAS-3 [1000:0097] (rev 02)
	Subsystem: Super Micro Computer Inc Device [15d9:0808]
02:00.0 Serial Attached SCSI controller [0107]: Broadcom / LSI SAS3008 PCI-Express Fusion-MPT SAS-3 [1000:0097] (rev 02)
"""
LSPCI_M = '01:00.0 "Serial Attached SCSI controller" "Broadcom / LSI" "SAS2308 PCI-Express Fusion-MPT SAS-2" -r05 "Broadcom / LSI" "SAS9207-8i"\n'
LSPCI_VMM = """\
Slot:	05:00.0
Class:	Serial Attached SCSI controller
Vendor:	Broadcom / LSI
Device:	SAS2008 PCI-Express Fusion-MPT SAS-2 [Falcon]
SVendor:	Broadcom / LSI
SDevice:	Device 3020
"""
PCICONF = """\
mps0@pci0:1:0:0:	class=0x010700 card=0x30201000 chip=0x00721000 rev=0x03 hdr=0x00
    vendor     = 'Broadcom / LSI'
    device     = 'SAS2008 PCI-Express Fusion-MPT SAS-2 [Falcon]'
    class      = mass storage
    subclass   = SAS
ahci0@pci0:0:31:2:	class=0x010601 card=0x062415d9 chip=0x1d028086 rev=0x06 hdr=0x00
    vendor     = 'Intel Corporation'
    device     = 'C600/X79 series chipset 6-Port SATA AHCI Controller'
    class      = mass storage
    subclass   = SATA
"""
LSHW = """\
        *-raid
             description: RAID bus controller
             product: MegaRAID SAS 2208 [Thunderbolt]
             vendor: LSI Logic / Symbios Logic
"""
STORCLI = """\
Controller = 0
Status = Success
Product Name = AVAGO MegaRAID SAS 9361-8i
Serial Number = SV12345678
"""
MEGACLI = "                    Versions\n                ================\nProduct Name    : PERC H700 Integrated\nSerial No       : 0BX00A1\n"
SAS3IRCU = "Controller information\n  Controller type                         : SAS3008\n  BIOS version                            : 8.37.00.00\n"
SAS3FLASH = "        Controller                     : SAS3008(C0)\n        Board Name                     : SAS9300-8i\n"
SSACLI = "\nSmart Array P420i in Slot 0 (Embedded)    (sn: 0014380317EB3A0)\n\n   array A (SAS, Unused Space: 0  MB)\n"
SSACLI_10 = "HPE Smart Array P408i-a SR Gen10 in Slot 0 (Embedded)  (sn: PEYHC0CRHBB0A1)\n"
ARCCONF = "   Controller Model                         : Adaptec ASR8805\n   Controller Serial Number : 4A42136AA2C\n"
TW_CLI = (
    "Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU\n"
    "------------------------------------------------------------------------\n"
    "c0    9650SE-8LPML 8         8        1       0       1       1      OK\n"
)
ARECA = "Controller Name  : ARC-1880\nFirmware Version : V1.49 2010-12-22\n"
OMREPORT = "ID                                            : 0\nStatus                                        : Ok\nName                                          : PERC H730P Mini\n"
MPT3 = "[    3.212345] mpt3sas_cm0: LSISAS3008: FWVersion(16.00.10.00), ChipRevision(0x02), BiosVersion(08.37.00.00)\n"
MPS = "mps0: <Avago Technologies (LSI) SAS2308> port 0xe000-0xe0ff mem 0xdf640000-0xdf64ffff irq 16 at device 0.0 on pci1\n"
HPSA = "hpsa 0000:03:00.0: scsi 0:3:0:0: added RAID              HP       P420i            controller SSDSmartPathCap- En- Exp=1\n"
VIRTUAL = "00:05.0 SCSI storage controller: Red Hat, Inc. Virtio SCSI\n"
VMD = "0000:00:0e.0 RAID bus controller: Intel Corporation Volume Management Device NVMe RAID Controller\n"
DMIDECODE = "System Information\n\tManufacturer: Supermicro\n\tProduct Name: X10DRi\n\tSerial Number: 0123\n"
DELL = "System Information\n\tManufacturer: Dell Inc.\n\tProduct Name: PowerEdge R720\n"

CHIP = "Broadcom / LSI SAS2008 PCI-Express Fusion-MPT SAS-2 [Falcon]"
NAMED = {
    "lspci -k": (LSPCI_K, "Dell PERC H730P Mini", "command"),
    "lspci -nn -v": (LSPCI_NN, "Broadcom / LSI SAS3008 PCI-Express Fusion-MPT SAS-3", "command"),
    "lspci -m": (LSPCI_M, "Broadcom / LSI SAS9207-8i", "command"),
    "lspci -vmm": (LSPCI_VMM, CHIP, "command"),
    "pciconf -lv": (PCICONF, CHIP, "command"),
    "lshw": (LSHW, "LSI Logic / Symbios Logic MegaRAID SAS 2208 [Thunderbolt]", "command"),
    "storcli": (STORCLI, "AVAGO MegaRAID SAS 9361-8i", "dump"),
    "MegaCli": (MEGACLI, "PERC H700 Integrated", "dump"),
    "sas3ircu": (SAS3IRCU, "SAS3008", "dump"),
    "sas3flash": (SAS3FLASH, "SAS9300-8i", "dump"),
    "ssacli": (SSACLI, "Smart Array P420i", "dump"),
    "ssacli of 10": (SSACLI_10, "HPE Smart Array P408i-a SR Gen10", "dump"),
    "arcconf": (ARCCONF, "Adaptec ASR8805", "dump"),
    "tw_cli": (TW_CLI, "9650SE-8LPML", "dump"),
    "areca": (ARECA, "ARC-1880", "dump"),
    "omreport": (OMREPORT, "PERC H730P Mini", "dump"),
    "Linux": (MPT3, "LSISAS3008", "name"),
    "FreeBSD": (MPS, "Avago Technologies (LSI) SAS2308", "name"),
    "hpsa": (HPSA, "HP P420i", "name"),
    "two": (STORCLI + STORCLI.replace("9361-8i", "9271-8i"), "AVAGO MegaRAID SAS 9271-8i + AVAGO MegaRAID SAS 9361-8i", "dump"),
}


ROWS = [
    ("HBA: LSI 9300-8i (IT mode)", "LSI 9300-8i"),
    ("- **RAID controller:** Dell PERC H730P Mini, 2 GB cache", "Dell PERC H730P Mini"),
    ("| Controller | Adaptec ASR-8805 |", "Adaptec ASR-8805"),
    ("Controller: Areca ARC-1880i with BBU", "Areca ARC-1880i"),
    ("SAS HBA: Broadcom HBA 9500-8i in a x8 slot", "Broadcom HBA 9500-8i"),
    ("Controller: onboard SATA 600", None),
    ("Controller: NVMe", None),
    ("HBA: yes", None),
    ("Storage controller: 2 of them at 1200 MHz", None),
]


def _controllers(content: str) -> list[tuple[object, str]]:
    found = [one for one in read_items(content) if isinstance(one, Clue)]
    return [(clue.value, clue.kind) for clue in found if clue.key == "raid.controller"]


@pytest.mark.parametrize("name", NAMED)
def test_named(name):
    content, value, kind = NAMED[name]
    assert _controllers(content) == [(value, kind)]


@pytest.mark.parametrize("content", [VIRTUAL, VMD, DMIDECODE, DELL, LSPCI_K.splitlines()[-1]], ids=lambda text: text[:20])
def test_chipsets_drives_boards_and_emulated_ones_are_none(content):
    assert _controllers(content) == []


@pytest.mark.parametrize(("row", "value"), ROWS)
def test_rows_of_a_specification(row, value):
    bar = "| " if row.startswith("|") else ""
    sheet = f"{bar}CPU {bar or ': '}Intel Xeon E5-2680 v4 {bar}\n{row}\n{bar}RAM {bar or ': '}64 GB {bar}\n"
    assert _controllers(sheet) == ([(value, "label")] if value else [])
