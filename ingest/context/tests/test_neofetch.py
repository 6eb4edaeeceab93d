"""What tools print that show a whole system at once: inxi, neofetch and its kin, pveversion."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values, read_items
from ingest.tests.whole import read_measurements

GIB = 1024**3
PICTURE = """\
        .--.        ann@crate
       |o_o |       ---------
       |:_/ |       OS: Debian GNU/Linux 12 (bookworm) x86_64
      //   \\ \\      Host: NUC10i7FNH K61360-302
     (|     | )     Kernel: 6.1.0-18-amd64
    /'\\_   _/`\\     Uptime: 3 hours
    \\___)=(___/     CPU: Intel i7-10710U (12) @ 4.700GHz
                    Memory: 1024MiB / 31744MiB
"""
INXI = """\
System:
  Kernel: 6.5.0-14-generic arch: x86_64 bits: 64
    Desktop: Xfce v: 4.18 Distro: Ubuntu 23.10 (Mantic Minotaur)
CPU:
  Info: 6-core model: AMD Ryzen 5 3600 bits: 64 type: MT MCP
Drives:
  Local Storage: total: 1.36 TiB used: 456.7 GiB (32.7%)
  ID-1: /dev/nvme0n1 vendor: Samsung model: SSD 970 EVO Plus 500GB
    size: 465.76 GiB speed: 31.6 Gb/s
  ID-2: /dev/sda vendor: Toshiba model: TOSHIBA MQ01ABD100 size: 931.51 GiB
Partition:
  ID-1: / size: 456.89 GiB used: 100 GiB (21.9%) fs: ext4 dev: /dev/nvme0n1p2
  ID-2: /boot/efi raw-size: 300 MiB size: 299 MiB used: 1 MiB (0.1%) fs: vfat
    dev: /dev/nvme0n1p1
  ID-3: /home size: 900 GiB used: 100 GiB (11.1%) fs: xfs dev: /dev/sda1
Info:
  Processes: 312 Uptime: 2h 4m Memory: 31.25 GiB used: 4.2 GiB (13.4%)
"""
DD = (
    "$ dd if=/dev/zero of={} bs=1M count=1024\n"
    "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 2.5 s, 429 MB/s\n"
)


def it_reads_the_rows_beside_a_picture():
    assert read_clue_values(PICTURE, only="fetch") == {
        "host": "crate",
        "os.name": "Debian",
        "os.version": "12",
        "os.family": "Linux",
        "kernel": "6.1.0-18-amd64",
        "arch": "x86_64",
        "cpu.model": "Intel i7-10710U",
        "memory": 31 * GIB,
    }


def it_takes_no_model_of_a_disk_without_one():
    clues = read_clue_values("Drives: HDD Total Size: 21.5GB ID-1: /dev/vda model: N/A size: 21.5GB serial: N/A\n", only="inxi")
    assert clues == {"disk.count": 1}


@pytest.mark.parametrize(("partition", "kind"), [("nvme0n1p2", "ext4"), ("sda1", "xfs"), ("sdb1", None), ("mapper/vg-data", None)])
def it_knows_the_file_system_of_the_partition_that_yabs_names(partition, kind):
    table = "Block Size | 4k            (IOPS)\nRead       | 397.81 MB/s  (99.4k)\n"
    measured = read_measurements({"a.txt": f"{INXI}fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/{partition}):\n{table}"})
    assert {m.config.get("fs.type") for m in measured} == {kind}


@pytest.mark.parametrize("found", ["Chosen partition (/home) has been", "\x1b[33mChosen partition (/home) has been"])
def it_takes_no_root_for_the_partition_that_a_script_chose(found):
    """Neither for its runs without a path nor for the device below it."""
    runs = f"/dev/sda1:\n Timing buffered disk reads: 120 MB in  3.00 seconds =  40.00 MB/sec\n{DD.partition(chr(10))[2]}"
    measured = read_measurements({"a.txt": f"{found} detected as /dev/sda1 (sda1)\n{INXI}{runs}"})
    assert {(m.tool, m.config.get("fs.type"), m.config["disk.model"]) for m in measured} == {
        ("hdparm", None, "TOSHIBA MQ01ABD100"), ("dd", "xfs", "TOSHIBA MQ01ABD100"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(line[20:] for line in PICTURE.splitlines()) + "\n",  # the rows alone are a sheet
        "at home -- OS: Debian 12\nat work -- OS: Debian 11\n"
        "at home -- Kernel: 6.1.0\nat home -- CPU: Xeon E3110\nat home -- RAM: 8GB\n",
        "It says: Kernel: 6.1.0\n",
    ],
)
def it_takes_nothing_else_for_such_rows(text):
    assert read_items(text, only="fetch") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            PICTURE.replace("Debian GNU/Linux 12 (bookworm) x86_64", "macOS Sonoma 14.2.1 arm64").replace(
                "6.1.0-18-amd64", "Darwin 23.2.0"
            ),
            {"os.name": "macOS", "os.version": "14.2.1", "os.family": "Darwin", "kernel": "23.2.0"},
        ),
        (
            PICTURE.replace("Debian GNU/Linux 12 (bookworm) x86_64", "Ubuntu 20.04 focal")
            .replace("6.1.0-18", "x86_64 Linux 5.4.0-91")
            .replace("1024MiB / 31744MiB", "5.20 GiB / 31.00 GiB (17%)"),
            {"os.version": "20.04", "kernel": "5.4.0-91-amd64", "memory": 31 * GIB},
        ),
        (PICTURE + "     Disk (/): 100.00 GiB / 468.00 GiB (21%) - btrfs\n", {"fs.type": "btrfs"}),
    ],
)
def it_knows_how_each_of_them_spells_its_rows(text, expected):
    assert expected.items() <= read_clue_values(text, only="fetch").items()


def it_reads_inxi_without_a_host_and_one_below_the_other():
    values = read_clue_values(INXI, only="inxi")
    assert values.pop("fs.type") == {"ext4", "xfs"}
    assert values == {
        "kernel": "6.5.0-14-generic",
        "arch": "x86_64",
        "os.name": "Ubuntu",
        "os.version": "23.10",
        "os.family": "Linux",
        "cpu.model": "AMD Ryzen 5 3600",
        "cpu.cores": 6,
        "memory": int(31.25 * GIB),
        "disk.count": 2,
        "disk.model": "Samsung SSD 970 EVO Plus 500GB + TOSHIBA MQ01ABD100",
    }


@pytest.mark.parametrize(("path", "kind"), [("/home/ann/test", "xfs"), ("/var/test", "ext4")])
def it_knows_the_file_system_of_a_path_from_inxi(path, kind):
    assert {m.config["fs.type"] for m in read_measurements({"a.txt": INXI + DD.format(path)})} == {kind}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CPU:       Dual core Intel Core i5-4210U (-HT-MCP-) speed/max: 802/2700 MHz\n"
            "Drives:    HDD Total Size: 1000.2GB (4.7% used)\n"
            "Info:      Processes: 226 Uptime: 2:15 Memory: 1456.0/4096.0MB inxi: 2.2.35\n",
            {"cpu.model": "Core i5-4210U", "cpu.cores": 2, "memory": 4 * GIB},
        ),
        (
            "CPU:\n  Info: 8-core AMD Ryzen 7 PRO 5850U with Radeon Graphics [MT MCP]\nDrives:\n  Local Storage: total: 953.87 GiB\n",  # noqa: E501
            {"cpu.model": "AMD Ryzen 7 PRO 5850U", "cpu.cores": 8},
        ),
    ],
)
def it_reads_the_short_forms_of_inxi(text, expected):
    assert read_clue_values(text, only="inxi") == expected


@pytest.mark.parametrize(
    "text",
    [
        "proxmox-ve: 8.1.0 (running kernel: 6.5.11-7-pve)\n"
        "pve-manager: 8.1.3 (running version: 8.1.3/b46aac3b42da5d15)\nzfsutils-linux: 2.2.2-pve1\n",
        "pve-manager/8.1.3/b46aac3b42da5d15 (running kernel: 6.5.11-7-pve)\n",
        "Kernel Version Linux 6.5.11-7-pve #1 SMP PVE 6.5.11 (2023-12-05)\nPVE Manager Version pve-manager/8.1.3/b46aac3b42da5d15\n",  # noqa: E501
    ],
)
def it_reads_what_pveversion_prints(text):
    assert read_clue_values(text) == {
        "os.name": "Proxmox VE",
        "os.version": "8.1.3",
        "os.family": "Linux",
        "kernel": "6.5.11-7-pve",
    }


def it_reads_the_processor_in_the_summary_of_a_node():
    summary = "CPU(s) 32 x Intel(R) Xeon(R) CPU E5-2650 v2 @ 2.60GHz (2 Sockets)\n"
    assert (
        read_clue_values(summary + "PVE Manager Version pve-manager/8.1.3/b46aac3b\n", only="proxmox")["cpu.model"]
        == "Xeon E5-2650 v2"
    )
    assert read_clue_values(summary) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Welcome to Ubuntu 20.04.2 LTS (GNU/Linux 5.4.0-66-generic x86_64)\n",
            {
                "os.name": "Ubuntu",
                "os.version": "20.04.2 LTS",
                "os.family": "Linux",
                "kernel": "5.4.0-66-generic",
                "arch": "x86_64",
            },
        ),
        (
            "Welcome to Armbian 23.8.1 Jammy with Linux 6.1.50-current\n",
            {"os.name": "Armbian", "os.version": "23.8.1", "os.family": "Linux", "kernel": "6.1.50-current"},
        ),
        ("Welcome to Ubuntu 20.04 and its friends\nWelcome to Wonderland 2.0 (GNU/Linux 5.4.0 x86_64)\n", {}),
    ],
)
def it_reads_greetings(text, expected):
    assert read_clue_values(text, only="greetings") == expected
