"""Machines as people paste them: greetings without their first words, counted rows, mails that break a listing."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

GREETED = {"os.name": "Ubuntu", "os.version": "18.04.6 LTS", "os.family": "Linux", "kernel": "4.15.0-213-generic", "arch": "x86_64"}
TOLD = [
    (  # a mail program put a blank line under the headings and broke rows within
        "System:\n\n  Host: den Kernel: 6.6.8-arch1-1 arch: x86_64 bits: 64 Console: pty\npts/3 Distro: Arch Linux\nMachine:\n"
        "  Type: Desktop\nInfo:\n  Processes: 300 Memory: available: 15.5 GiB used: 2.1\nGiB (13%) Init: systemd\n",
        {
            "host": "den",
            "kernel": "6.6.8-arch1-1",
            "arch": "x86_64",
            "os.name": "Arch Linux",
            "os.family": "Linux",
            "memory": 16642998272,
        },
    ),
    (
        "Linux box 5.15.75-gentoo #3 SMP Sun Jan 1 10:00:00 CET 2023 x86_64 Intel(R) Core(TM) i3-8100 CPU @ 3.60GHz "
        "GenuineIntel GNU/Linux",
        {"os.family": "Linux", "host": "box", "kernel": "5.15.75-gentoo", "arch": "x86_64", "cpu.model": "Core i3-8100"},
    ),
    ("My server, Ubuntu 18.04.6 LTS (GNU/Linux 4.15.0-213-generic x86_64), is slow", GREETED),
    ("Welcome to Ubuntu 18.04.6 LTS (GNU/Linux 4.15.0-213-generic x86_64)", GREETED),
    ("I like Foo 1.2 (GNU/Linux 4.15.0-213-generic x86_64)", {}),
    ("     16 model name\t: AMD EPYC 7302P 16-Core Processor", {"cpu.model": "AMD EPYC 7302P"}),
    ("     16  AMD EPYC 7302P 16-Core Processor", {"cpu.model": "AMD EPYC 7302P"}),
    ("  4  Intel(R) Core(TM) i3-8100 CPU @ 3.60GHz\n  2  Intel(R) Xeon(R) CPU E5-2609 0 @ 2.40GHz", {}),
    (
        "[    0.112233] smpboot: CPU0: Intel(R) Core(TM) i3-8100 CPU @ 3.60GHz (family: 0x6, model: 0x9e, stepping: 0xb)",
        {"cpu.model": "Core i3-8100"},
    ),
    (
        "Processor Name: 4-Core Intel Core i5\nTotal Number of Cores: 4\nMemory: 8 GB",
        {"cpu.model": "Core i5", "cpu.cores": 4, "memory": 8 * 2**30},
    ),
    (
        "OS: Ubuntu Lucid 10.04.2 LTS (it serves the virtual machines of the office)",
        {"os.name": "Ubuntu", "os.version": "10.04.2 LTS", "os.family": "Linux"},
    ),
    ("OS: Debian Squeeze 6.0.4", {"os.name": "Debian", "os.version": "6.0.4", "os.family": "Linux"}),
    ("OS: Debian GNU/Linux 12 x86_64", {"os.name": "Debian", "os.version": "12", "os.family": "Linux", "arch": "x86_64"}),
    (
        "Operating system: Rocky Linux 9.2 (kernel 5.14)",
        {"os.name": "Rocky Linux", "os.version": "9.2", "os.family": "Linux", "kernel": "5.14"},
    ),
    (
        "OS Version: TrueNAS-SCALE-23.10.1\nProduct: X11SSM-F\nModel: Intel(R) Xeon(R) CPU E3-1240 v5 @ 3.50GHz\nMemory: 63 GiB",
        {
            "os.name": "TrueNAS SCALE",
            "os.version": "23.10.1",
            "os.family": "Linux",
            "cpu.model": "Xeon E3-1240 v5",
            "memory": 63 * 2**30,
        },
    ),
    (
        "Vendor:               SEAGATE\nProduct:              ST4000NM0023\nRevision:             0004",
        {"disk.model": "ST4000NM0023"},
    ),
    (
        "* Debian 12.1\n* Kernel 6.1.0-10-amd64\n* 2x Xeon E5-2640 v3\n* 64 GB RAM",
        {
            "os.name": "Debian",
            "os.version": "12.1",
            "os.family": "Linux",
            "kernel": "6.1.0-10-amd64",
            "cpu.model": "Xeon E5-2640 v3",
            "memory": 64 * 2**30,
        },
    ),
    (
        "RAM: 16 GB\nCPU: Intel Xeon E3-1220\nHDD: 4 x WD Red 4TB (RAIDZ1)",
        {
            "memory": 16 * 2**30,
            "cpu.model": "Xeon E3-1220",
            "disk.count": 4,
            "disk.model": "WD Red 4TB",
            "pool.layout": "raidz1(4)",
        },
    ),
    ("KiB Mem : 16266848 total,   254584 free,  2344352 used, 13667912 buff/cache\n" * 2, {"memory": 16266848 * 1024}),
    ("MiB Mem :  15885.6 total,    248.6 free,   2289.4 used,  13347.6 buff/cache", {"memory": 16657258906}),
    ('PRETTY_NAME="Debian GNU/Linux 11 (bullseye)"', {"os.name": "Debian", "os.version": "11", "os.family": "Linux"}),
    ("$ cat /etc/debian_version\n9.4", {"os.name": "Debian", "os.version": "9.4", "os.family": "Linux"}),
    ("$ lsb_release -ds\nUbuntu 20.04.2 LTS", {"os.name": "Ubuntu", "os.version": "20.04.2", "os.family": "Linux"}),
    ("Model name:            Intel(R) Core(TM) i3-8100 CPU @ 3.60GHz", {"cpu.model": "Core i3-8100"}),
    ("Model name:            bert-base", {}),
    (
        "Kernel Version\n Linux 5.4.34-1-pve #1 SMP PVE 5.4.34-2\nPVE Manager Version\n pve-manager/6.2-4/9824574a",
        {"kernel": "5.4.34-1-pve", "os.name": "Proxmox VE", "os.version": "6.2-4", "os.family": "Linux"},
    ),
    ("OS: Debian Wheezy", {"os.name": "Debian", "os.family": "Linux"}),
    ("CPU: Intel Xeon E3-1220\nDrives: 12 x 4TB 7.2K SAS", {"cpu.model": "Xeon E3-1220", "disk.count": 12}),
    ("CPU: Intel Xeon E3-1220\nDisk: WDC WD10EZEX-08WN4A0", {"cpu.model": "Xeon E3-1220", "disk.model": "WDC WD10EZEX-08WN4A0"}),
    ("CPU: Intel Xeon E3-1220\nSSD: Samsung 860 EVO 250GB (boot)\nHDD: WD Blue 1TB", {"cpu.model": "Xeon E3-1220"}),
    (
        "RAM: 16 GB\n\n* 4x Seagate IronWolf 4TB, RAID5 (mdadm)\n",
        {"memory": 16 * 2**30, "disk.count": 4, "disk.model": "Seagate IronWolf 4TB", "pool.layout": "raid5(4)"},
    ),
    ("$ zfs set atime=off tank", {"pool.atime": "off", "fs.type": "zfs"}),
    ("$ zfs set compression=lz4 tank", {"pool.compression": "lz4"}),
    ("Distribution Name | Archlinux\nLinux Kernel | 4.17.13", {"os.name": "Arch Linux", "os.family": "Linux", "kernel": "4.17.13"}),
    ("HDD\n5.9.16-200.fc33.x86_64\n\n$ time tar xf a.tar", {"kernel": "5.9.16-200.fc33.x86_64", "os.family": "Linux"}),
    ("$ ls /lib/modules\n5.4.0-42-generic", {}),
    ("5.4.0-42-generic\n5.4.0-48-generic", {}),
    ("tank/data       1.8T  100G  1.7T   6% /tank/data", {"fs.type": "zfs", "pool.name": "tank"}),
    ("tank/data       1.8T  100G  1.7T   6% /export\ntmp  1.8T  100G  1.7T   6% /tmp", {}),
    ("RAM: 16 GB\nXeon E5-2640 is what I would buy today", {"memory": 16 * 2**30}),
    ("RAM: 16 GB\nRyzen 5 3600 would be faster", {"memory": 16 * 2**30}),
    ("CPU: Intel Xeon E3-1220\nDisks: 4 x 1TB HDD, 2 x 256GB SSD", {"cpu.model": "Xeon E3-1220"}),
    ("ramdisk         4.0G  100M  3.9G   3% /ramdisk", {}),
    ("$ zpool list\ntank            4.0G  100M  3.9G   3% /tank", {"fs.type": "zfs", "pool.name": "tank"}),
    (
        "tank            4.0G  100M  3.9G   3% /tank\ntank/a          4.0G  100M  3.9G   3% /tank/a",
        {"fs.type": "zfs", "pool.name": "tank"},
    ),
    ("## Advantages of XFS over EXT4", {}),
    ("## NFS over ZFS", {"fs.type": "nfs", "fs.stack": "nfs/zfs"}),
    ("Total Number of Cores: 8\nChip: Realtek ALC", {"cpu.cores": 8}),
    ("Total Number of Cores: 8\nChip: Apple M1", {"cpu.cores": 8, "cpu.model": "Apple M1"}),
    ("Hostname: unknown", {}),
    ("Server CPU: Model name:   Intel(R) Xeon(R) CPU E5 v3\nClient CPU: Model name:   Intel(R) Core(TM) i3-8100 CPU @ 3.60GHz", {}),
    ("I upgraded from\n5.4.0-42-generic\nlast week", {}),
    ("Installed kernels:\n  5.15.0-91-generic", {}),
    ("result on ext4 in /mnt\n$ ls", {}),
    ("result in ext4 in /mnt\n$ ls", {}),
    ("Boot disk:\nSamsung SSD 860 EVO 250GB\n\n$ dd if=/dev/zero of=a", {}),
    ("My laptop has a\nSamsung SSD 860 EVO 250GB\n\n$ dd if=/dev/zero of=a", {}),
    ("Samsung SSD 860 EVO 250GB\n\n$ dd if=/dev/zero of=a", {"disk.model": "Samsung SSD 860 EVO 250GB"}),
]


@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_machine(text: str, expected: dict[str, object]) -> None:
    """What each of them tells, and nothing else."""
    assert read_clue_values(text + "\n") == expected
