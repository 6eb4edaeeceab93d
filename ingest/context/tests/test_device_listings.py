"""Listings of block devices and of whole machines: `lsblk`, `diskutil`, `lshw`, `hwinfo`."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values, read_items

GIB = 2**30
LSBLK_F = """\
NAME        FSTYPE     FSVER LABEL UUID        FSAVAIL FSUSE% MOUNTPOINTS
sda
├─sda1      vfat       FAT32       1234-ABCD    505.8M     1% /boot/efi
└─sda2      ext4       1.0         0b1c-2d3e    100.1G    12% /
sdb         zfs_member 5000  tank  12345678
nvme0n1     btrfs            data  0b1c-2d3f      3.1T    12% /mnt/data
"""
LSBLK_O = """\
NAME   FSTYPE   SIZE MOUNTPOINT MODEL
sda           465.8G            Samsung SSD 860 EVO 500GB
└─sda2 ext4   465.3G /
sdb             3.6T            ST4000VN008-2DR166
└─sdb1 xfs      3.6T /mnt/data
"""
DISKUTIL = """\
   Device / Media Name:       Samsung SSD 860 EVO 500GB Media
   Mounted:                   Yes
   Mount Point:               /Volumes/Bench

   Partition Type:            Apple_APFS
   File System Personality:   APFS
"""


@pytest.mark.parametrize(
    ("text", "mounted"),
    [
        (LSBLK_F, {("/", "ext4"), ("/mnt/data", "btrfs")}),
        (LSBLK_O, {("/", "ext4"), ("/mnt/data", "xfs")}),
        (DISKUTIL, {("/Volumes/Bench", "apfs")}),
    ],
)
def it_reads_the_file_systems_of_block_devices(text, mounted):
    assert {(one.subject, one.value) for one in read_items(text, only="block devices") if one.key == "fs.type"} == mounted


LSHW = """\
  *-core
     *-memory
          description: System Memory
          physical id: 2d
          size: 32GiB
        *-bank:0
             description: DIMM DDR4 Synchronous 3200 MHz (0.3 ns)
             size: 16GiB
     *-cache:0
          description: L1 cache
          size: 384KiB
     *-cpu
          description: CPU
          product: Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz
          size: 4300MHz
     *-disk:0
          description: ATA Disk
          product: Samsung SSD 860
          logical name: /dev/sda
          size: 465GiB (500GB)
     *-disk:1
          description: SCSI Disk
          product: Card Reader
          logical name: /dev/sdb
"""
LSHW_SHORT = """\
H/W path             Device     Class          Description
==========================================================
                                system         Precision 5530
/0/4                            processor      Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz
/0/4/5                          memory         384KiB L1 cache
/0/3d                           memory         32GiB System Memory
/0/1/0.0.0           /dev/sda   disk           500GB Samsung SSD 860
"""


@pytest.mark.parametrize("text", [LSHW, LSHW_SHORT])
def it_reads_a_machine_from_lshw(text):
    assert read_clue_values(text, only="lshw") == {
        "cpu.model": "Core i7-8700K",
        "memory": 32 * GIB,
        "disk.model": "Samsung SSD 860",
        "disk.count": 1,
    }


def test_hwinfo_tells_the_models_of_disks():
    block = '{0}: IDE 00.0: 10600 Disk\n  [Created at block.245]\n  Hardware Class: disk\n  Model: "{1}"\n  Vendor: "ACME"\n'
    listing = block.format(31, "ACME DISK 40") + block.format(32, "ACME NVMe SSD Controller X1")
    assert read_clue_values(listing, only="disk lists") == {"disk.model": "ACME DISK 40", "disk.count": 2}


def test_lsblk_without_types_lists_what_has_a_model():
    listing = (
        "NAME    MODEL               SIZE ROTA\nsda     ACME DISK 40        3.6T    1\n"
        "|-sda1                      1.8T    1\n"
        "nvme0n1 ACME SSD 970 PRO 1T 477G    0\n"
    )
    assert read_clue_values(listing, only="disks") == {"disk.model": "ACME DISK 40 + ACME SSD 970 PRO 1T", "disk.count": 2}


def test_lsblk_with_the_name_of_the_kernel_first():
    assert read_clue_values(
        "KNAME  NAME         SIZE TYPE  FSTYPE MOUNTPOINT MODEL\n"
        "sda    sda        447.1G disk                    KINGSTON SEDC500R480G\n"
        "sda1   `-sda1     447.1G part  ext4   /\n"
        "sdb    sdb            0B disk                    USB2.0 Card Reader\n"
        "md127  md127           1T raid1\n"
    ) == {"disk.model": "KINGSTON SEDC500R480G", "disk.count": 1, "fs.type": "ext4"}
