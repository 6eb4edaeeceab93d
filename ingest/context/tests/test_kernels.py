"""Readers of what tells kernel, distribution and machine where nobody asked `uname -a`; each text after its program's source."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

GIB = 1024**3

UNAME = """$ uname -srm
Linux 6.1.0-13-amd64 x86_64
$ uname -n
box
"""
HOSTNAMECTL = """   Static hostname: shelf
         Icon name: computer-server
           Chassis: server
  Operating System: Debian GNU/Linux 12 (bookworm)
            Kernel: Linux 6.1.0-13-amd64
      Architecture: x86-64
"""
SYSTEMINFO = """Host Name:                 BENCH7
OS Name:                   Microsoft Windows 10 Pro
OS Version:                10.0.19045 N/A Build 19045
Processor(s):              1 Processor(s) Installed.
Total Physical Memory:     8,192 MB
Available Physical Memory: 4,096 MB
"""
WMIC = """Caption=Microsoft Windows Server 2022 Datacenter
TotalVisibleMemorySize=8388608
Name=Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz
NumberOfCores=20
"""
INXI = """System:
  Host: shelf Kernel: 5.10.0-8-amd64 arch: x86_64 bits: 64 Console: pty pts/0
    Distro: Debian GNU/Linux 11 (bullseye)
CPU:
  Info: quad core model: Intel Xeon E3-1220 bits: 64 type: MCP cache: L2: 8 MiB
Memory:
  RAM: total: 16 GiB used: 1.5 GiB (9.4%)
"""
LSCPU_DE = """Architektur:                     x86_64
CPU(s):                          8
Thread(s) pro Kern:              2
Kern(e) pro Socket:              4
Sockel:                          1
Modellname:                      Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz
"""
LSCPU_ZH = """架构：                           x86_64
CPU:                             8
每个核的线程数：                 2
每个座的核数：                   4
座：                             2
型号名称：                       Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz
"""
FREE_DE = """              gesamt       benutzt     frei      gemns.  Puffer/Cache verfügbar
Speicher:       16Gi       4,5Gi       1,1Gi       1,1Gi        10Gi        10Gi
Swap:          4,0Gi          0B       4,0Gi
"""
ISSUE = """Type | Version/Name
--- | ---
Distribution Name | Debian GNU/Linux
Distribution Version | 11 (bullseye)
Kernel Version | 5.10.0-8-amd64
Architecture | amd64
OpenZFS Version | 2.0.3-9
"""
HISTORY = """History for 'shelf':
2020-03-01.12:00:00 zpool create -f -o ashift=12 -O compression=off shelf mirror sda sdb mirror sdc sdd
2020-03-01.12:01:00 [internal create txg:7] dataset = 21 [on shelf]
2020-03-01.12:02:00 zfs set compression=lz4 shelf [user 0 (root) on nas:linux]
2020-03-01.12:03:00 zfs create -o recordsize=1M shelf/data
2020-03-01.12:04:00 zpool add shelf log nvme0n1p1
"""
NVME = """Node             SN                   Model                                    Namespace Usage                      Format
---------------- -------------------- ---------------------------------------- --------- -------------------------- ------------
/dev/nvme0n1     S4EWNX0M000000       ACME SSD 970 1TB                         1         215.47  GB /   1.00  TB    512   B +  0
"""
PROFILER = """    System Software Overview:

      System Version: macOS 12.6.1 (21G217)
      Kernel Version: Darwin 21.6.0
"""
XEON = {"arch": "x86_64", "cpu.model": "Xeon E3-1230 v5"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNAME, {"os.family": "Linux", "kernel": "6.1.0-13-amd64", "arch": "x86_64", "host": "box"}),
        ("$ uname -r; date\n6.1.0-13-amd64\n", {"kernel": "6.1.0-13-amd64"}),
        ("$ uname -rv\n6.1.0-13-amd64 #1 SMP Debian 6.1.55-1 (2023-09-29)\n", {"kernel": "6.1.0-13-amd64"}),
        (
            "$ uname -sr\nFreeBSD 13.1-RELEASE\n",
            {"os.family": "FreeBSD", "kernel": "13.1-RELEASE", "os.name": "FreeBSD", "os.version": "13.1-RELEASE"},
        ),
        ("$ uname -r\nbash: uname: command not found\n", {}),
        (
            "Linux version 3.10.0-862.el7.x86_64 (builder@kbuilder) (gcc version 4.8.5) #1 SMP Fri Apr 20 2018\n",
            {"os.family": "Linux", "kernel": "3.10.0-862.el7.x86_64"},
        ),
        ("The Linux version 3.10 was used.\n", {}),
        (
            HOSTNAMECTL,
            {
                "host": "shelf",
                "os.name": "Debian",
                "os.version": "12",
                "os.family": "Linux",
                "kernel": "6.1.0-13-amd64",
                "arch": "x86_64",
            },
        ),
        ("Microsoft Windows [Version 10.0.19045.2006]\n", {"os.family": "Windows_NT", "kernel": "10.0.19045.2006"}),
        (
            SYSTEMINFO,
            {
                "host": "BENCH7",
                "os.family": "Windows_NT",
                "os.name": "Windows 10 Pro",
                "os.version": "10.0.19045",
                "memory": 8 * GIB,
            },
        ),
        (
            WMIC,
            {
                "os.family": "Windows_NT",
                "os.name": "Windows Server 2022 Datacenter",
                "memory": 8 * GIB,
                "cpu.model": "Xeon Gold 6230",
                "cpu.cores": 20,
            },
        ),
        (
            INXI,
            {
                "host": "shelf",
                "kernel": "5.10.0-8-amd64",
                "arch": "x86_64",
                "os.name": "Debian",
                "os.version": "11",
                "os.family": "Linux",
                "cpu.model": "Xeon E3-1220",
                "cpu.cores": 4,
                "memory": 16 * GIB,
            },
        ),
        (LSCPU_DE, {**XEON, "cpu.cores": 4}),
        (LSCPU_ZH, {**XEON, "cpu.cores": 8}),
        (FREE_DE, {"memory": 16 * GIB}),
        (PROFILER, {"os.name": "macOS", "os.version": "12.6.1", "os.family": "Darwin", "kernel": "21.6.0"}),
        (
            "kern.ostype: FreeBSD\nkern.osrelease: 13.1-RELEASE-p3\nkern.hostname: shelf\n",
            {"os.family": "FreeBSD", "kernel": "13.1-RELEASE-p3", "host": "shelf"},
        ),
        (
            ISSUE,
            {
                "os.name": "Debian",
                "os.version": "11",
                "os.family": "Linux",
                "kernel": "5.10.0-8-amd64",
                "arch": "amd64",
                "fs.version": "2.0.3-9",
            },
        ),
        ("Kernel | Time\n--- | ---\n5.10 | 12 s\n", {}),
        (
            "free -m\n----\n             total       used       free\nMem:        257897      77944     179953\n",
            {"memory": 257897 << 20},
        ),
        ("             total       used       free\nMem:        257897      77944     179953\n", {}),
        (
            HISTORY,
            {
                "fs.type": "zfs",
                "pool.name": "shelf",
                "pool.layout": "2 x mirror(2)",
                "pool.ashift": 12,
                "disk.count": 4,
                "pool.compression": "lz4",
                "pool.recordsize": 1 << 20,
                "pool.log": "stripe(1) nvme",
                "pool.cache": "off",
            },
        ),
        ("History for 'shelf':\n2020-03-01.12:00:00 zpool create shelf sda\n2020-03-01.12:00:09 zpool destroy shelf\n", {}),
        (NVME, {"disk.model": "ACME SSD 970 1TB", "disk.count": 1}),
        (
            "/dev/da0\n\t512         \t# sectorsize\n\tACME DISK 40\t# Disk descr.\n",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        (
            "Disk /dev/sda: 3.65 TiB, 4000787030016 bytes, 7814037168 sectors\nDisk model: ACME DISK 40\n",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        ("Ubuntu 12.04.2 LTS \\n \\l\n", {"os.name": "Ubuntu", "os.version": "12.04.2", "os.family": "Linux"}),
        (
            "pve-manager/7.2-11/b76d3178 (running kernel: 5.15.60-1-pve)\n",
            {"os.name": "Proxmox VE", "os.version": "7.2-11", "os.family": "Linux", "kernel": "5.15.60-1-pve"},
        ),
        (
            "- `uname -a`: `Linux shelf 5.10.0-8-amd64 #1 SMP Debian 5.10.46-4 (2021-08-03) x86_64 GNU/Linux`\n",
            {"os.family": "Linux", "host": "shelf", "kernel": "5.10.0-8-amd64", "arch": "x86_64"},
        ),
        (
            "- uname: Linux 6.1.0-21-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.90-1 (2024-05-03) x86_64 GNU/Linux\n",
            {"os.family": "Linux", "kernel": "6.1.0-21-amd64", "arch": "x86_64"},
        ),
        (
            "# System: Darwin shelf 18.2.0 Darwin Kernel Version 18.2.0: Mon Nov 12 20:24:46 PST 2018; "
            "root:xnu-4903~2/RELEASE_X86_64 x86_64\n",
            {"os.family": "Darwin", "host": "shelf", "kernel": "18.2.0", "arch": "x86_64"},
        ),
        ("- not like `Linux shelf 5.10` at all\n", {}),
        (
            "Distributor ID:\tManjaroLinux\nDescription:\tManjaro Linux\nRelease:\t21.0.0\n",
            {"os.name": "Manjaro", "os.version": "21.0.0", "os.family": "Linux"},
        ),
        (
            "$ zpool create tank raidz1 sda sdb sdc -f -o ashift=12\n",
            {
                "fs.type": "zfs",
                "pool.name": "tank",
                "pool.layout": "raidz1(3)",
                "pool.ashift": 12,
                "disk.count": 3,
                "pool.log": "off",
                "pool.cache": "off",
            },
        ),
        ("SUSE Linux Enterprise Server 11 (x86_64)\n", {"os.name": "SLES", "os.version": "11", "os.family": "Linux"}),
    ],
)
def test_what_tells_kernel_and_distribution(text, expected):
    assert read_clue_values(text) == expected


def test_release_in_the_answer_of_several_commands():
    assert read_clue_values(
        "[root@web1 ~]# cat /etc/redhat-release; uname -r\nCentOS release 6.5 (Final)\n2.6.32-431.el6.x86_64\n"
        "[root@web1 ~]# uptime\n 10:00:00 up 1 day\n",
        only="kernel",
    ) == {"kernel": "2.6.32-431.el6.x86_64"}


def test_answer_of_another_command_is_no_release():
    assert read_clue_values(
        "[root@web1 ~]# uname -r; uptime\n2.6.32-431.el6.x86_64\n 10:00:00 up 1 day\n[root@web1 ~]# id\nuid=0\n", only="kernel"
    ) == {"kernel": "2.6.32-431.el6.x86_64"}


def test_release_below_a_long_answer():
    rows = "NAME=x\nVERSION=x\nID=x\nID_LIKE=x\nHOME_URL=x\nSUPPORT_URL=x\nBUG_REPORT_URL=x\nLOGO=x\nANSI_COLOR=x\n"
    assert (
        read_clue_values(
            f"[root@web1 ~]# cat /etc/os-release; uname -r\n{rows}5.15.0-84-generic\n[root@web1 ~]# id\nuid=0\n", only="kernel"
        )["kernel"]
        == "5.15.0-84-generic"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.14.15-arch1-1] (local build)\nCopyright (C) 2002-20, Bruce Allen\n",
            {"os.family": "Linux", "kernel": "5.14.15-arch1-1", "arch": "x86_64"},
        ),
        (
            "> smartctl 6.6 2017-11-05 r4594 [FreeBSD 11.3-RELEASE-p5 amd64] (local build)\n",
            {"os.family": "FreeBSD", "kernel": "11.3-RELEASE-p5", "arch": "amd64"},
        ),
        ("smartctl version 5.38 [i686-pc-linux-gnu] Copyright (C) 2002-8 Bruce Allen\n", {}),  # where it was built
        (
            "$ uname -sr\nFreeBSD 12.2-RELEASE-p6\n",
            {"os.family": "FreeBSD", "kernel": "12.2-RELEASE-p6", "os.name": "FreeBSD", "os.version": "12.2-RELEASE-p6"},
        ),
        ("On TrueNAS 12\n$ uname -sr\nFreeBSD 12.2-RELEASE-p6\n", {"os.family": "FreeBSD", "kernel": "12.2-RELEASE-p6"}),
    ],
)
def test_systems_that_programs_name_beside_their_own_version(text, expected):
    assert read_clue_values(text, only="kernel") == expected
