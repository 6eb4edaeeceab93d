"""What systems print when they boot and greet: the line of the BSDs, and the disks that a kernel finds."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values, read_items

FREEBSD = {"os.family": "FreeBSD", "os.name": "FreeBSD"}


@pytest.mark.parametrize(
    ("line", "release", "arch"),
    [
        ("FreeBSD 9.1-RELEASE (GENERIC) #0 r243825: Tue Dec  4 09:23:10 UTC 2012", "9.1-RELEASE", None),
        (
            "FreeBSD 9.2-RELEASE #0 r255898: Fri Sep 27 03:52:52 UTC 2013\n    root@bake.example.org:/usr/obj/usr/src/sys/GENERIC amd64",  # noqa: E501
            "9.2-RELEASE",
            "amd64",
        ),
        ("FreeBSD 12.2-STABLE r367792 RPI-B arm", "12.2-STABLE", "arm"),
        ("FreeBSD 12.1-RELEASE-p10 GENERIC amd64", "12.1-RELEASE-p10", "amd64"),
        ("FreeBSD 14.3-RELEASE releng/14.3-n271432-8c9ce319fef7 GENERIC riscv", "14.3-RELEASE", "riscv"),
        ("FreeBSD 13.1-RELEASE-p2 GENERIC", "13.1-RELEASE-p2", None),
        ("FreeBSD 13.0-RELEASE (GENERIC) #0 releng/13.0-n244733-ea31abc261f: Fri Apr  9 04:24:09 UTC 2021", "13.0-RELEASE", None),
    ],
)
def test_line_with_which_freebsd_boots_and_greets(line, release, arch):
    known = FREEBSD | {"os.version": release, "kernel": release} | ({"arch": arch} if arch else {})
    assert read_clue_values(f"Last login: Sat Mar  2 10:11:12 2013\n{line}\n\nWelcome to FreeBSD!\n", only="boots") == known


def test_greeting_of_an_appliance_names_it_and_not_freebsd():
    assert read_clue_values(
        "FreeBSD 11.1-STABLE (FreeNAS.amd64) #0 r321665+25fe8ba8d06(freenas/11.1-stable): Tue Dec 12 06:02:58 UTC 2017\n",
        only="boots",
    ) == {"os.family": "FreeBSD", "os.name": "FreeNAS", "kernel": "11.1-STABLE"}


@pytest.mark.parametrize("line", ["FreeBSD 9.1-RELEASE ZFS", "FreeBSD 9.1", "FreeBSD 9.1 AMD64", "FreeBSD 10.1 GENERIC amd64"])
def test_headings_are_no_greetings(line):
    assert read_clue_values(line + "\n", only="boots") == {}


def test_boot_of_openbsd():
    assert read_clue_values(
        "OpenBSD 6.6 (GENERIC.MP) #3: Thu Nov 21 00:59:03 MST 2019\n"
        "    root@syspatch.example.org:/usr/src/sys/arch/amd64/compile/GENERIC.MP\n"
        "real mem = 8436416512 (8045MB)\navail mem = 8167993344 (7789MB)\n"
        "cpu0: Intel(R) Core(TM) i5-6300U CPU @ 2.40GHz, 2295.68 MHz, 06-4e-03\n",
        only="boots",
    ) == {
        "os.family": "OpenBSD",
        "os.name": "OpenBSD",
        "os.version": "6.6",
        "kernel": "6.6",
        "arch": "amd64",
        "memory": 8436416512,
        "cpu.model": "Core i5-6300U",
    }


def test_boot_of_a_snapshot_of_openbsd():
    known = read_clue_values(
        "OpenBSD 4.6-current (GENERIC.MP) #19: Mon Nov  9 22:52:13 MST 2009\nreal mem = 3487301632 (3325MB)\n", only="boots"
    )
    assert known == {
        "os.family": "OpenBSD",
        "os.name": "OpenBSD",
        "os.version": "4.6-current",
        "kernel": "4.6-current",
        "memory": 3487301632,
    }


def test_boot_of_netbsd():
    assert read_clue_values(
        "[     1.000000] NetBSD 9.0 (GENERIC) #0: Fri Feb 14 00:06:28 UTC 2020\n[     1.000000] total memory = 8191 MB\n",
        only="boots",
    ) == {"os.family": "NetBSD", "os.name": "NetBSD", "os.version": "9.0", "kernel": "9.0", "memory": 8191 * 2**20}


DISKS = [
    (
        "ada0: <WDC WD30EFRX-68AX9N0 80.00A80> ATA-9 SATA 3.x device\nada0: 600.000MB/s transfers (SATA 3.x, UDMA6)\n"
        "ada1: <WDC WD30EFRX-68AX9N0 80.00A80> ATA-9 SATA 3.x device\n",
        "WDC WD30EFRX-68AX9N0",
        2,
    ),
    (
        "da0: <ATA WDC WD40EFRX-68W 0A82> Fixed Direct Access SPC-4 SCSI device\n"
        "da1: <SanDisk Cruzer Fit 1.26> Removable Direct Access SCSI-6 device\n",
        "WDC WD40EFRX-68W",
        1,
    ),
    ("nvd0: <Samsung SSD 960 EVO 250GB> NVMe namespace\n", "Samsung SSD 960 EVO 250GB", 1),
    ("nda0: <Samsung SSD 970 EVO 500GB 2B2QEXE7 S466NX0K>\n", "Samsung SSD 970 EVO 500GB", 1),
    ("ad4: 953869MB <SEAGATE ST31000340AS SD15> at ata2-master UDMA100 SATA 3Gb/s\n", "SEAGATE ST31000340AS", 1),
    ("sd0 at scsibus1 targ 0 lun 0: <ATA, SAMSUNG MZ7LN256, MAV2> naa.5002538d\n", "SAMSUNG MZ7LN256", 1),
    ("wd0 at atabus0 drive 0\nwd0: <WDC WD10EZEX-00BN5A0>\n", "WDC WD10EZEX-00BN5A0", 1),
    (
        "[    1.2] x\n[    2.736762] ata1.00: ATA-8: ST31000528AS, CC38, max UDMA/133\n"
        "[    2.736862] scsi 0:0:0:0: Direct-Access     ATA      ST31000528AS     CC38 PQ: 0 ANSI: 5\n",
        "ST31000528AS",
        1,
    ),
    ("[   29.586619] ata1.00 (slot 3): ATA-11: ST4000NE001-2MA101, EN01, max UDMA/133\n", "ST4000NE001-2MA101", 1),
    ("Apr  6 16:31:08 srv kernel: [    2.520753] ata2.00: ATA-8: ST3500418AS, CC38, max UDMA/133\n", "ST3500418AS", 1),
    (" scsi 1:0:0:0: Direct-Access     ATA      APPLE SSD SM0512 JA1Q PQ: 0 ANSI: 5\n", "APPLE SSD SM0512", 1),
    ("hda: ST320413A, ATA DISK drive\nhdb: LITE-ON LTR-52327S, ATAPI CD/DVD-ROM drive\n", "ST320413A", 1),
]


@pytest.mark.parametrize(("lines", "model", "count"), DISKS)
def test_disks_that_a_kernel_finds(lines, model, count):
    assert read_clue_values(lines, only="boot disks") == {"disk.model": model, "disk.count": count}


def test_each_of_unlike_disks_is_known_by_its_name():
    clues = read_items("hda: ST320413A, ATA DISK drive\nhdc: SAMSUNG SV0761D, ATA DISK drive\n", only="boot disks")
    assert [(clue.value, clue.subject) for clue in clues if clue.key == "disk.model"] == [
        ("SAMSUNG SV0761D + ST320413A", "/dev/hda /dev/hdc"),
        ("ST320413A", "/dev/hda"),
        ("SAMSUNG SV0761D", "/dev/hdc"),
    ]


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("OmniOS 5.11     omnios-r151030-d5b3f4c8c2       May 2019", {"os.name": "OmniOS", "os.version": "r151030"}),
        ("OpenIndiana (powered by illumos)    SunOS 5.11    illumos-63878f749f    October 2021", {"os.name": "OpenIndiana"}),
        (
            "OpenIndiana Hipster 2016.04 (powered by illumos)    SunOS 5.11    illumos-f3c2b09    April 2016",
            {"os.name": "OpenIndiana"},
        ),
        ("The Illumos Project     SunOS 5.11      illumos-63878f749f    October 2021", {}),
    ],
)
def test_greetings_of_illumos_name_the_distribution(line, known):
    release = line.split("SunOS ")[-1].removeprefix("OmniOS ").split()[:2]
    assert read_clue_values(line + "\n", only="uname") == {"os.family": "SunOS", "kernel": " ".join(release)} | known


def test_disks_as_parted_prints_them():
    assert read_clue_values(
        "Model: ATA Samsung SSD 850 (scsi)\nDisk /dev/sda: 250GB\nSector size (logical/physical): 512B/512B\n\n"
        "Modell: ATA WDC WD40EFRX-68W (scsi)\nFestplatte  /dev/sdb:  4001GB\n\n"
        "Model: Linux device-mapper (linear) (dm)\nDisk /dev/dm-0: 100GB\n",
        only="disk lists",
    ) == {"disk.model": "Samsung SSD 850 + WDC WD40EFRX-68W", "disk.count": 2}


def test_disks_as_hwinfo_lists_them_in_short():
    assert read_clue_values(
        "storage:\n                       Intel 8 Series SATA Controller 1 [AHCI mode]\ndisk:\n"
        "  /dev/sda             WDC WD10EZEX-08W\n  /dev/nvme0n1         Samsung NVMe SSD Controller SM981\n",
        only="disk lists",
    ) == {"disk.model": "WDC WD10EZEX-08W", "disk.count": 2}


def test_model_that_camcontrol_identify_tells():
    assert read_clue_values(
        "root@nas:~ # camcontrol identify ada2\npass2: <ST8000VN002-2ZM188 SC60> ACS-3 ATA SATA 3.x device\n\n"
        "device model          ST8000VN002-2ZM188\nfirmware revision     SC60\n",
        only="disks",
    ) == {"disk.model": "ST8000VN002-2ZM188"}


def test_a_volume_of_softraid_is_no_disk_more():
    assert (
        read_clue_values(
            "sd0 at scsibus1 targ 0 lun 0: <ATA, Samsung SSD 850, EMT0> naa.5002538d40\n"
            "sd2 at scsibus3 targ 1 lun 0: <OPENBSD, SR RAID 1, 006>\n",
            only="boot disks",
        )["disk.model"]
        == "Samsung SSD 850"
    )
