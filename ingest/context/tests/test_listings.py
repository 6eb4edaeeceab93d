"""Listings as the tools of each system print them: disks, processors, memory, networks, jobs."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

GIB = 2**30
LSSCSI = """\
[0:0:0:0]    disk    ATA      ST4000VN008-2DR1 SC60  /dev/sda
[1:0:0:0]    disk    ATA      ST4000VN008-2DR1 SC60  /dev/sdb
[4:0:0:0]    cd/dvd  HL-DT-ST DVDRAM GH24NSC0  LK00  /dev/sr0
[6:0:0:0]    enclosu AHCI     SGPIO Enclosure  2.00  -
[N:0:4:1]    disk    Samsung SSD 970 EVO 1TB__1                  /dev/nvme0n1
"""
CAMCONTROL = """\
<WDC WD40EFRX-68WT0N0 80.00A80>    at scbus0 target 0 lun 0 (ada0,pass0)
<WDC WD40EFRX-68WT0N0 80.00A80>    at scbus1 target 0 lun 0 (pass1,ada1)
<ATA WDC WD40EFRX-68W 0A80>        at scbus2 target 0 lun 0 (pass2,da0)
<HL-DT-ST DVDRAM GH24NSC0 LK00>    at scbus4 target 0 lun 0 (cd0,pass3)
<AHCI SGPIO Enclosure 1.00 0001>   at scbus6 target 0 lun 0 (pass4,ses0)
"""
GEOM = """\
Geom name: ada0
Providers:
1. Name: ada0
   Mediasize: 4000787030016 (3.6T)
   Sectorsize: 512
   Mode: r2w2e3
   descr: WDC WD40EFRX-68WT0N0
   ident: WD-WCC4E0000000

Geom name: da4
Providers:
1. Name: da4
   Mediasize: 0 (0B)
   descr: Generic- SD/MMC

Geom name: cd0
Providers:
1. Name: cd0
   Mediasize: 0 (0B)
   descr: HL-DT-ST DVDRAM GH24NSC0
"""
IOSTAT = """\
c1t0d0           Soft Errors: 0 Hard Errors: 0 Transport Errors: 0
Vendor: ATA      Product: ST31000528AS     Revision: CC38 Serial No: 9VP00000
Size: 1000.20GB <1000204886016 bytes>
Media Error: 0 Device Not Ready: 0 No Device: 0 Recoverable: 0
c1d1             Soft Errors: 0 Hard Errors: 0 Transport Errors: 0
Model: WDC WD10EZEX-08  Revision:  Serial No: WD-WCC3F00 Size: 1000.20GB <1000202305536 bytes>
c2t0d0           Soft Errors: 0 Hard Errors: 5 Transport Errors: 0
Vendor: TSSTcorp Product: CDDVDW SH-S203B  Revision: SB01 Serial No:
Size: 0.00GB <0 bytes>
"""
MAC = """\
Hardware:

    Hardware Overview:

      Model Name: MacBook Pro
      Chip: Apple M1
      Total Number of Cores: 8 (4 performance and 4 efficiency)
      Memory: 16 GB
"""
MAC_STORAGE = """\
    Macintosh HD:

      Mount Point: /
      File System: APFS
      Physical Drive:
          Device Name: APPLE SSD AP0256M
          Media Name: AppleAPFSMedia
"""
PRTDIAG_X86 = """\
System Configuration: Supermicro X8DTH-i/6/iF/6F

==== Processor Sockets ====================================

Version                          Location Tag
-------------------------------- --------------------------
Intel(R) Xeon(R) CPU           E5620  @ 2.40GHz CPU 1
Intel(R) Xeon(R) CPU           E5620  @ 2.40GHz CPU 2

==== Memory Device Sockets ================================
"""
PRTDIAG_SPARC = "System Configuration:  Sun Microsystems  sun4v SPARC Enterprise T5220\nMemory size: 32640 Megabytes\n"
DMIDECODE = """\
Handle 0x0040, DMI type 17, 40 bytes
Memory Device
	Array Handle: 0x003E
	Total Width: 72 bits
	Size: 16 GB
	Locator: DIMM_A1

Handle 0x0041, DMI type 17, 40 bytes
Memory Device
	Total Width: Unknown
	Size: No Module Installed

Handle 0x0042, DMI type 17, 40 bytes
Memory Device
	Total Width: 72 bits
	Size: 16384 MB

Handle 0x0004, DMI type 4, 48 bytes
Processor Information
	Socket Designation: CPU1
	Version: Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz
	Status: Populated, Enabled
	Core Count: 12

Handle 0x0005, DMI type 4, 48 bytes
Processor Information
	Socket Designation: CPU2
	Status: Unpopulated
"""
ARC_SUMMARY = """\
------------------------------------------------------------------------
ZFS Subsystem Report                            Sun Jan 05 12:00:00 2020
Linux 5.3.0-26-generic                                   0.8.1-1ubuntu14.3
Machine: pond (x86_64)                                   0.8.1-1ubuntu14.3

ARC status:                                                      HEALTHY
"""
ZFS_STATS = "System Memory:\n\n\tReal Installed:\t\t\t\t16.00\tGiB\n\tReal Available:\t\t\t99.79%\t15.97\tGiB\n"
PSRINFO_SPARC = """\
The physical processor has 16 cores and 128 virtual processors (0-127)
  The core has 8 virtual processors (0-7)
  The core has 8 virtual processors (8-15)
    SPARC-T5 (chipid 0, clock 3600 MHz)
The physical processor has 16 cores and 128 virtual processors (128-255)
  The core has 8 virtual processors (128-135)
    SPARC-T5 (chipid 1, clock 3600 MHz)
"""
PSRINFO_OLD = """\
The physical processor has 1 virtual processor (0)
  UltraSPARC-IIIi (portid 0 impl 0x16 ver 0x34 clock 1336 MHz)
"""
PRTDIAG_CPUS = """\
System Configuration:  Sun Microsystems  sun4v SPARC Enterprise T5220
Memory size: 32640 Megabytes

================================ Virtual CPUs ================================


CPU ID Frequency Implementation         Status
------ --------- ---------------------- -------
0      1165 MHz  SUNW,UltraSPARC-T2     on-line
1      1165 MHz  SUNW,UltraSPARC-T2     on-line
"""
SCONTROL = """\
JobId=4711 JobName=ior
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=cn042
   BatchHost=cn042
   NumNodes=1 NumCPUs=16 NumTasks=16 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
"""
LVDISPLAY = """\
  --- Logical volume ---
  LV Path                /dev/vg0/data
  LV Name                data
  LV Size                3.64 TiB

  --- Segments ---
  Logical extents 0 to 1023:
    Type\t\tstriped
    Stripes\t\t4
    Stripe size\t\t64.00 KiB
"""
LSBLK_SCSI = """\
NAME HCTL       TYPE VENDOR   MODEL            REV  TRAN
sda  0:0:0:0    disk ATA      ST4000VN008-2DR1 SC60 sata
sdb  1:0:0:0    disk ATA      ST4000VN008-2DR1 SC60 sata
sr0  2:0:0:0    rom  HL-DT-ST DVDRAM           LK00 sata
"""
MAC_NVME = """\
NVMExpress:

    Apple SSD Controller:

        APPLE SSD AP0256M:

          Capacity: 251 GB (251,000,193,024 bytes)
          TRIM Support: Yes
          Model: APPLE SSD AP0256M
"""
UP = "mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/"
IP_LINK = (
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
    "2: eno1: <BROADCAST,MULTICAST> mtu 1500 qdisc mq state DOWN mode DEFAULT group default qlen 1000\n"
    "    link/ether 3c:fd:fe:00:00:00 brd ff:ff:ff:ff:ff:ff\n"
    f"4: ib0: <BROADCAST,MULTICAST,UP,LOWER_UP> {UP}infiniband 80:00 brd 00:ff\n"
    f"5: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> {UP}ether 02:42 brd ff:ff\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LSSCSI, {"disk.model": "ST4000VN008-2DR1 + Samsung SSD 970 EVO 1TB", "disk.count": 3}),
        (CAMCONTROL, {"disk.model": "WDC WD40EFRX-68W + WDC WD40EFRX-68WT0N0", "disk.count": 3}),
        (GEOM, {"disk.model": "WDC WD40EFRX-68WT0N0", "disk.count": 1}),
        (IOSTAT, {"disk.model": "ST31000528AS + WDC WD10EZEX-08", "disk.count": 2}),
        (MAC, {"cpu.model": "Apple M1", "cpu.cores": 8, "memory": 16 * GIB}),
        (MAC_STORAGE, {"disk.model": "APPLE SSD AP0256M", "fs.type": "apfs"}),
        (PRTDIAG_X86, {"cpu.model": "Xeon E5620"}),
        (PRTDIAG_SPARC, {"memory": 32640 * 2**20}),
        (DMIDECODE, {"memory": 32 * GIB, "cpu.cores": 12, "cpu.model": "Xeon E5-2650 v4"}),
        (PSRINFO_SPARC, {"cpu.model": "SPARC-T5", "cpu.cores": 32}),
        (PSRINFO_OLD, {"cpu.model": "UltraSPARC-IIIi", "cpu.cores": 1}),
        (PRTDIAG_CPUS, {"memory": 32640 * 2**20, "cpu.model": "UltraSPARC-T2"}),
        (LSBLK_SCSI, {"disk.model": "ST4000VN008-2DR1", "disk.count": 2}),
        (MAC_NVME, {"disk.model": "APPLE SSD AP0256M"}),
        (LVDISPLAY, {"pool.layout": "raid0(4)"}),
        (LVDISPLAY.replace("striped", "linear").replace("Stripes\t\t4", "Physical volume\t/dev/sdb"), {}),
        (SCONTROL, {"host": "cn042"}),
        (SCONTROL.replace("NodeList=cn042", "NodeList=cn[042-043]").replace("NumNodes=1", "NumNodes=2"), {}),
        ("/lustre/d\nstripe_count:  4 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n", {"fs.type": "lustre"}),
        ("OBDS:\n0: scratch-OST0000_UUID ACTIVE\n/lustre/f\n", {"fs.type": "lustre"}),
        ("Description:\tUbuntu 20.04.3 LTS\n", {"os.name": "Ubuntu", "os.version": "20.04.3", "os.family": "Linux"}),
        (
            "  Operating System: CentOS Linux 7 (Core)\n            Kernel: Linux 3.10.0-1160.el7.x86_64\n",
            {"os.name": "CentOS", "os.version": "7", "os.family": "Linux", "kernel": "3.10.0-1160.el7.x86_64"},
        ),
        ("Description: Pool 2 of the second shelf\n", {}),
        (
            "                       OpenSolaris 2009.06 snv_111b X86\n           Copyright 2009 Sun Microsystems, Inc.\n",
            {"os.name": "OpenSolaris", "os.version": "2009.06", "os.family": "SunOS"},
        ),
        (
            ARC_SUMMARY,
            {
                "os.family": "Linux",
                "kernel": "5.3.0-26-generic",
                "host": "pond",
                "arch": "x86_64",
                "fs.version": "0.8.1-1ubuntu14.3",
            },
        ),
        (ZFS_STATS, {"memory": 16 * GIB}),
        (IP_LINK, {"network": "InfiniBand"}),
        (IP_LINK + f"6: eno2: <BROADCAST,MULTICAST,UP,LOWER_UP> {UP}ether 3c:fd brd ff:ff\n", {}),
        ("    exec_host = node042/0*16\n", {"host": "node042"}),
        ("Exec host:  node042/0+node042/1\n", {"host": "node042"}),
        ("    exec_host = node042/0*16+node043/0*16\n", {}),
        ("  LV   VG   Attr       LSize   Type    #Str\n  data vg0  -wi-ao---- 3.64t   striped 4\n", {"pool.layout": "raid0(4)"}),
        (
            "Data,RAID1: Size:1.00GiB, Used:512.00KiB (0.05%)\n   /dev/sda        1.00GiB\n   /dev/sdb        1.00GiB\n",
            {"fs.type": "btrfs", "pool.layout": "raid1(2)"},
        ),
    ],
)
def test_what_a_listing_tells(text, expected):
    assert read_clue_values(text) == expected


def test_one_disk_has_one_name_whoever_lists_it():
    names = {
        read_clue_values(text)["disk.model"]
        for text in (
            "<WDC WD40EFRX-68WT0N0 80.00A80>    at scbus0 target 0 lun 0 (ada0,pass0)\n",
            "NAME SIZE TYPE MODEL\nsda  3.6T disk WDC WD40EFRX-68WT0N0\n",
            "Device Model:     WDC WD40EFRX-68WT0N0\n",
            GEOM,
        )
    }
    assert names == {"WDC WD40EFRX-68WT0N0"}
