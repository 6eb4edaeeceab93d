"""What tools print of disks: smartctl, hdparm, nvme, camcontrol, sdparm, format, lsblk -t, blockdev."""

from __future__ import annotations

import pytest

from ingest.open_keys import is_identity
from ingest.records import Clue
from ingest.tests.context_reading import read_items

PROMPT = "root@nas:~# "
SMARTCTL = """smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.15.0-91-generic] (local build)

=== START OF INFORMATION SECTION ===
Device Model:     ACME SPIN 4000
Serial Number:    X1
Firmware Version: 80.00A80
User Capacity:    4,000,787,030,016 bytes [4.00 TB]
Sector Sizes:     512 bytes logical, 4096 bytes physical
Rotation Rate:    5400 rpm
SATA Version is:  SATA 3.0, 6.0 Gb/s (current: 3.0 Gb/s)
Rd look-ahead is: Enabled
Write cache is:   Disabled

=== START OF READ SMART DATA SECTION ===
  9 Power_On_Hours          0x0032   095   095   000    Old_age   Always       -       4387
194 Temperature_Celsius     0x0022   120   099   000    Old_age   Always       -       30 (Min/Max 16/44)
"""
SMART = {
    "block.firmware": "80.00A80",
    "block.logical_block_size": 512,
    "block.physical_block_size": 4096,
    "block.rotation_rate": 5400,
    "block.interface": "SATA 3.0",
    "block.link_speed": "3.0 Gb/s",
    "block.look_ahead": "on",
    "block.write_cache": "off",
    "block.power_on_hours": 4387,
    "state.temperature": 30,
}
HDPARM = """
/dev/sdb:

ATA device, with non-removable media
\tModel Number:       ACME FLASH 970
\tSerial Number:      X2
\tFirmware Revision:  FX10
\tTransport:          Serial, ATA8-AST, SATA 1.0a, SATA Rev 3.0
\tNominal Media Rotation Rate: Solid State Device
Commands/features:
\tEnabled\tSupported:
\t   *\tLook-ahead
\t    \tWrite cache
"""
CAMCONTROL = """pass0: <ACME FLASH 970 FX10> ACS-4 ATA SATA 3.x device

firmware revision     FX10
media RPM             non-rotating

Feature                      Support  Enabled   Value           Vendor
read ahead                     yes\tyes
write cache                    yes\tno
"""
TOOLS = [
    (PROMPT + "smartctl -x /dev/sda\n" + SMARTCTL, "f.txt", "/dev/sda", SMART),
    (SMARTCTL, "smartctl-sdc.txt", "/dev/sdc", SMART),
    ("/dev/sdd:\n" + SMARTCTL, "all.txt", "/dev/sdd", SMART),
    (SMARTCTL, "all.txt", "/dev/unnamed1", SMART),
    (
        PROMPT + "smartctl -a /dev/da0\n=== START OF INFORMATION SECTION ===\nRevision:             0004\n"
        "Transport protocol:   SAS (SPL-4)\nWriteback Cache is:   Enabled\n",
        "f.txt",
        "/dev/da0",
        {"block.firmware": "0004", "block.interface": "SAS (SPL-4)", "block.write_cache": "on"},
    ),
    (
        HDPARM,
        "f.txt",
        "/dev/sdb",
        {
            "block.firmware": "FX10",
            "block.transport": "Serial, ATA8-AST, SATA 1.0a, SATA Rev 3.0",
            "block.rotation_rate": "solid state",
            "block.look_ahead": "on",
            "block.write_cache": "off",
        },
    ),
    ("/dev/sda:\n write-caching =  1 (on)\n", "f.txt", "/dev/sda", {"block.write_cache": "on"}),
    ("/dev/sda:\n write-caching = not supported\n", "f.txt", "", {}),
    (
        "/dev/sda:\n look-ahead    =  0 (off)\n readahead     = 256 (on)\n",
        "f.txt",
        "/dev/sda",
        {"block.look_ahead": "off", "block.read_ahead_kb": 128},
    ),
    (
        PROMPT + "nvme get-feature -f 6 /dev/nvme0\nget-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n",
        "f.txt",
        "/dev/nvme0",
        {"block.write_cache": "on"},
    ),
    (
        PROMPT + "nvme get-feature /dev/nvme0 -f 6\nget-feature:0x6 (Volatile Write Cache), Current value:00000000\n",
        "f.txt",
        "/dev/nvme0",
        {"block.write_cache": "off"},
    ),
    (
        PROMPT + "nvme id-ctrl /dev/nvme0\nNVME Identify Controller:\nfr        : EXA7301Q\n",
        "f.txt",
        "/dev/nvme0",
        {"block.firmware": "EXA7301Q"},
    ),
    (
        PROMPT + "camcontrol identify ada1\n" + CAMCONTROL,
        "f.txt",
        "/dev/ada1",
        {"block.firmware": "FX10", "block.rotation_rate": "solid state", "block.look_ahead": "on", "block.write_cache": "off"},
    ),
    (
        PROMPT + "sdparm --get WCE /dev/sda\n    /dev/sda: ATA       ACME SPIN 4000   0101\nWCE           1  [cha: y, def:  1]\n",
        "f.txt",
        "/dev/sda",
        {"block.write_cache": "on"},
    ),
    (
        "selecting c0t1d0\n[disk formatted]\nwrite_cache> display\nWrite Cache is disabled\n",
        "f.txt",
        "/dev/c0t1d0",
        {"block.write_cache": "off"},
    ),
    ("The firmware revision was 3, the write cache is a problem.\n Write cache\n", "f.txt", "", {}),
    ("Controller\nFirmware Version: 4.2\nRevision: 7\n", "f.txt", "", {}),
]


@pytest.mark.parametrize(("content", "path", "device", "expected"), TOOLS)
def test_tools(content, path, device, expected):
    clues = [clue for clue in read_items(content, path, "device tools") if isinstance(clue, Clue)]
    assert {clue.key: clue.value for clue in clues} == expected
    assert {clue.subject for clue in clues} <= {device}


def test_hours_and_temperature_distinguish_nothing():
    assert not is_identity("block.power_on_hours") and not is_identity("block.temperature") and is_identity("block.firmware")


TOPOLOGY = """NAME   ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED       RQ-SIZE  RA WSAME
sda            0    512      0    4096     512    1 mq-deadline      64 128   32M
\u2514\u2500sda1         0    512      0    4096     512    1 mq-deadline      64 128   32M
vda            0    512      0     512     512    1                 128 256    0B
"""
QUEUES = [
    (
        TOPOLOGY,
        {
            "/dev/sda": {"physical_block_size": 4096, "logical_block_size": 512, "rotational": 1, "scheduler": "mq-deadline"}
            | {"nr_requests": 64, "read_ahead_kb": 128},
            "/dev/vda": {
                "physical_block_size": 512,
                "logical_block_size": 512,
                "rotational": 1,
                "nr_requests": 128,
                "read_ahead_kb": 256,
            },
        },
    ),
    (
        "RO    RA   SSZ   BSZ   StartSec            Size   Device\nrw  8192   512  4096          0   1000204886016   /dev/sda\n",
        {"/dev/sda": {"read_ahead_kb": 4096, "logical_block_size": 512}},
    ),
    (PROMPT + "blockdev --getra /dev/sda\n256\n", {"/dev/sda": {"read_ahead_kb": 128}}),
    (PROMPT + "blockdev --getra /dev/sda\nblockdev: cannot open /dev/sda\n", {}),
]


@pytest.mark.parametrize(("content", "expected"), QUEUES)
def test_queues(content, expected):
    told: dict[str, dict[str, object]] = {}
    for clue in read_items(content, only="device queues"):
        told.setdefault(clue.subject, {})[clue.key.removeprefix("block.")] = clue.value
    assert told == expected
