"""Specifications of a system beside results: rows as people and scripts write them, in tables, lists and languages."""

from __future__ import annotations

import pytest

from ingest.context.labels import captions, spec_sheets
from ingest.context.labels._row_values import parse_memory
from ingest.context.labels._row_values import read_row as row
from ingest.context.labels.spec_sheets import READER
from ingest.tests.context_reading import read_clue_values
from ingest.tests.whole import read_measurements
from ingest.text.decode import read_text

GIB = 1024**3
XEON = {"cpu.model": "Xeon E5-2680 v4", "memory": 64 * GIB}
DEBIAN = {"os.name": "Debian", "os.version": "12", "os.family": "Linux"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Memory: 16 GB\n", {"memory": 16 * GIB}),
        ("* **CPU**: Intel Xeon E5-2680 v4\n* **RAM:** 64 GB DDR4 ECC\n", XEON),
        ("| CPU | Intel Xeon E5-2680 v4 |\n|---|---|\n| System Memory | 64G |\n", XEON),
        ("Processor  : 2x Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\nTotal RAM : 4x16GB\n", XEON),
        ("[*]CPU: Intel Xeon E5-2680 v4\n[*][b]RAM:[/b] 64 GB\n", XEON),
        ("64 GB ECC RAM\nDual Intel Xeon E5-2680 v4, 14 cores each\n", XEON),
        ("- 操作系统：Debian 12\n- 内存：64GB\n", {**DEBIAN, "memory": 64 * GIB}),
        ("CPU：Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n", {"cpu.model": "Xeon E5-2680 v4"}),
        (
            "OS版本：3.10.0-327.el7.x86_64\n内存：64GB\n",
            {"kernel": "3.10.0-327.el7.x86_64", "os.family": "Linux", "memory": 64 * GIB},
        ),
        ("OS: Linux 5.15.0-91-generic\n", {"kernel": "5.15.0-91-generic", "os.family": "Linux"}),
        ("OS: Linux (5.11.21_1)\n", {"kernel": "5.11.21_1", "os.family": "Linux"}),
        ("OS: Linux 8.5\n", {}),
        ("OS: 5.15.0\n", {}),
        ("        hostname: 'libzpool'\n", {}),  # as zdb prints of itself
        ("Kernel 6.5.0+ (with patches of mine)\nRAM: 64GB\n", {"kernel": "6.5.0+", "memory": 64 * GIB}),
        ("Kernel 6.5.0 was used (with patches)\nRAM: 64GB\n", {"memory": 64 * GIB}),
        ("OS: Microsoft Windows 11 Pro (24H2)\nWSL Distro: Debian 12\n", DEBIAN),
        ("Betriebssystem: Debian 12\nDateisystem: ext4\n", {**DEBIAN, "fs.type": "ext4"}),
        ("Système : Debian GNU/Linux 12 (bookworm)\nMémoire : 64 Go\n", {**DEBIAN, "memory": 64 * GIB}),
        ("ОС: Debian 12\nПамять: 64 ГБ\n", {**DEBIAN, "memory": 64 * GIB}),
        (
            "| Filesystem | ZFS (lz4, recordsize=1M) |\n| NIC | Intel X520 10GbE |\n",
            {"fs.type": "zfs", "pool.compression": "lz4", "pool.recordsize": 1 << 20, "network": "Ethernet 10 Gb/s"},
        ),
        (
            " CPU Model  : Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n CPU Cores  : 2 @ 2399.996 MHz\n"
            " Total Disk : 39.2 GB (2.1 GB Used)\n"
            " Total Mem  : 64.0 GB (1.2 GB Used)\n Arch  : x86_64 (64 Bit)\n",
            {**XEON, "arch": "x86_64"},
        ),
        (
            "{|\n! CPU !! Value\n|-\n| CPU || Intel Xeon E5-2680 v4\n|-\n| RAM || 64 GB\n|-\n| Compression || gzip-6\n|}\n",
            {**XEON, "pool.compression": "gzip-6"},
        ),
        ("{|\n! CPU\n| Intel Xeon E5-2680 v4\n|-\n! Memory\n| 64 GB\n|}\n", XEON),
        ("^ CPU | Intel Xeon E5-2680 v4 |\n^ RAM | 64 GB |\n", XEON),
        ("||= CPU =|| Intel Xeon E5-2680 v4 ||\n||= RAM =|| 64 GB ||\n", XEON),
        ("||CPU|Intel Xeon E5-2680 v4|\n||RAM|64 GB|\n", XEON),
        ("|===\n|CPU\n|Intel Xeon E5-2680 v4\n\n|RAM\n|64 GB\n|===\n", XEON),
        ("CPU::\n  Intel Xeon E5-2680 v4\nRAM::\n  64 GB\n", XEON),
        (":CPU: Intel Xeon E5-2680 v4\n:RAM: 64 GB\n", XEON),
        ("====  =====\nCPU   Intel Xeon E5-2680 v4\nRAM   64 GB\n====  =====\n", XEON),
        ("CPU ..... Intel Xeon E5-2680 v4\nRAM ..... 64 GB\n", XEON),
        ("CPU;Intel Xeon E5-2680 v4\nRAM;64 GB\n", XEON),
        ('"CPU","Intel Xeon E5-2680 v4"\n"RAM","64 GB"\n', XEON),
        ("CPU\tIntel Xeon E5-2680 v4\nRAM\t64 GB\n", XEON),
        ('cpu = "Intel Xeon E5-2680 v4"\nram = "64 GB"\n', XEON),
        ('{"x": {\n  "cpu": "Intel Xeon E5-2680 v4",\n  "ram": "64 GB"\n}}\n', XEON),
        ("<tr><th>CPU</th><td>Intel Xeon E5-2680 v4</td></tr>\n<tr><th>RAM</th><td>64 GB</td></tr>\n", XEON),
        ("<td>CPU</td>\n<td>Intel Xeon E5-2680 v4</td>\n</tr><tr>\n<td>RAM</td>\n<td>64 GB</td>\n", XEON),
        ("| CPU | RAM | OS |\n|---|---|---|\n| Intel Xeon E5-2680 v4 | 64 GB | Debian 12 |\n", {**XEON, **DEBIAN}),
        (
            "| CPU | RAM | OS |\n|---|---|---|\n| Intel Xeon E5-2680 v4 | 64 GB | Debian 12 |\n"
            "| Intel Xeon E5-2690 | 8 GB | Debian 11 |\n",
            {},
        ),
        (
            "| RAID level | RAIDZ2 |\n| recordsize | 1M |\n| RAM | 64 GB |\n",
            {"pool.layout": "raidz2", "pool.recordsize": 1 << 20, "memory": 64 * GIB},
        ),
        ("# host: shelf\n# os: Debian 12\n", {"host": "shelf", **DEBIAN}),
        ("Host: 20QV\nOS: Debian 12\n", DEBIAN),
        ("host: shelf\n", {}),
        # Rows without names
        (
            "- 2 x Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz (14 cores each)\n- 64 GB RAM\n- 8 x Intel P4610 3.2TB NVMe in RAID0\n"
            "- Debian 12 (bookworm), kernel 6.1.0-18-amd64\n",
            {
                **XEON,
                **DEBIAN,
                "kernel": "6.1.0-18-amd64",
                "disk.count": 8,
                "disk.model": "Intel P4610 3.2TB NVMe",
                "pool.layout": "raid0(8)",
            },
        ),
        (
            "Hardware\n  Some X10 board\n  Intel Xeon E5-2680 v4\n  64GB Crucial DDR4 ECC\nSoftware\n  Debian 12\n",
            {**XEON, **DEBIAN},
        ),
        ("CPU - Intel Xeon E5-2680 v4\nRAM - 64GB DDR4 2400\n", XEON),
        (
            "* Kernel 6.1.0-rc5 (Debian 12)\n* CPU: Intel Xeon E5-2680 v4\n* Kernel 2 is next\n",
            {"cpu.model": "Xeon E5-2680 v4", "kernel": "6.1.0-rc5", **DEBIAN},
        ),
        ("- 64 GB RAM\n- Debian 12, then Debian 13\n- Intel Xeon E5-2680 v4\n", XEON),
        ("It ran on\n  Debian 12\nand then on\n  Debian 13\n", {}),
        ("OS: Debian 12 (kernel 6.1.0-18-amd64)\n", {**DEBIAN, "kernel": "6.1.0-18-amd64"}),
        (
            "* Host CPU: Intel Xeon E5-2680 v4\n* Host RAM: 64 G\n* Operating system: Debian Server\n* Version: LTS 12\n",
            {**XEON, **DEBIAN},
        ),
        ("* CPU: 2.6GHz Intel Celeron [128K]\n* Debian version: 12\n", {"cpu.model": "Celeron", **DEBIAN}),
        (
            "Debian, kernel 6.1.0-18-amd64\n\nSome board\n64gb ram\n",
            {"os.name": "Debian", "os.family": "Linux", "kernel": "6.1.0-18-amd64", "memory": 64 * GIB},
        ),
        ("RAM: 64 GB\nTool version: 12\nVersion: 3.1\nDebian version: see below\n", {"memory": 64 * GIB}),
        # One line
        ("Tested with: Debian 12, Linux 6.1.0\n", {**DEBIAN, "kernel": "6.1.0"}),
        (
            "OS: Debian 12, Kernel: 6.1.0-18-amd64, CPU: Intel Xeon E5-2680 v4, RAM: 64 GB, FS: ext4\n",
            {**XEON, **DEBIAN, "kernel": "6.1.0-18-amd64", "fs.type": "ext4"},
        ),
        ("# OS: Debian 12 | Kernel: 6.1.0 | CPU: Intel Xeon E5-2680 v4 | RAM: 64 GB\n", {**XEON, **DEBIAN, "kernel": "6.1.0"}),
        (
            "Processor: Intel Xeon E5-2680 v4 @ 2.40GHz (14 Cores / 28 Threads), Motherboard: Some X99, Memory: 64GB, Disk: 480GB SSD\n"  # noqa: E501
            "OS: Debian 12, Kernel: 6.1.0 (x86_64), Compiler: GCC 12.2, File-System: ext4, Screen Resolution: 1024x768\n",
            {**XEON, **DEBIAN, "cpu.cores": 14, "kernel": "6.1.0", "fs.type": "ext4"},
        ),
        (
            "Tested on: Debian 12, kernel 6.1.0-18-amd64, Intel Xeon E5-2680 v4 (14 cores, 2.4 GHz), 64 GB RAM, one disk (ext4)\n",
            {**XEON, **DEBIAN, "kernel": "6.1.0-18-amd64"},
        ),
        ("**Test system:** 2x Intel Xeon E5-2680 v4, 64 GB DDR4, Debian 12\n", {**XEON, **DEBIAN}),
        ("● OS: Debian 12\n● CPU: Intel Xeon E5-2680 v4\n", {"cpu.model": "Xeon E5-2680 v4", **DEBIAN}),
        ("   - OS type and version:Debian 12\n   - Memory per node: 64GB\n", {**DEBIAN, "memory": 64 * GIB}),
        ("macOS: Version 10.11.6 (Build 15G1004)\n", {"os.name": "macOS", "os.version": "10.11.6", "os.family": "Darwin"}),
        ("- OS X Version: 10.8.5\n", {"os.name": "Mac OS X", "os.version": "10.8.5", "os.family": "Darwin"}),
        ("macOS: 12 runners\nmacos: 14\n", {}),
        ("OS: MacOS Big Sur (11.2.3)\n", {"os.name": "macOS", "os.version": "11.2.3", "os.family": "Darwin"}),
        (
            "Tested on: every box, 64 GB disks, some kernel\nSystem: fast, cheap, good\nServer: Debian 12, Debian 11, 64 GB RAM\n",
            {},
        ),
        ("Tested on: Intel Xeon E5-2680 v4, AMD EPYC 7742, 64 GB RAM, 128 GB RAM\n", {}),
        ("CPU: usr 12%, RAM: full, OS: slow\nOS: Debian 12 or 11, RAM: 8GB more\n", {}),
        ("CPU  usr 12%\nRAM  3 of 4\nMemory - as much as you like\nOS;x\n", {}),
        # Sentences, tables of several systems, and what only looks like a row
        ("Système : Debian 12\n", {}),
        ("| CPU | Xeon E5-2680 | Xeon E5-2690 |\n| Memory | 64 GB | 128 GB |\n", {}),
        ("CPU: 12% user\nMemory: 3.2 GB used\nOS: ok\n", {}),
        ("I had 64 GB of RAM\nIntel makes good CPUs\n", {}),
    ],
)
def test_rows_of_a_sheet(text, expected):
    assert read_clue_values(text) == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("cpu", "AMD EPYC 7763 64-Core Processor", {"cpu.model": "AMD EPYC 7763"}),
        ("cpu", "Xeon E5-2670 and Xeon E5-2690", {}),
        ("cpu", "5.2% of Intel Core i7", {}),
        ("system", "CentOS Linux release 7.9.2009 (Core)", {"os.name": "CentOS", "os.version": "7.9.2009", "os.family": "Linux"}),
        ("system", "TrueNAS-13.0-U5", {"os.name": "TrueNAS", "os.version": "13.0-U5"}),
        ("system", "FreeBSD 13.1-RELEASE-p2", {"os.name": "FreeBSD", "os.version": "13.1-RELEASE-p2", "os.family": "FreeBSD"}),
        ("system", "Ubuntu 22.04 in a virtual machine under Windows", {}),
        ("kernel", "5.4.0-14-generic `#17-Ubuntu`", {"kernel": "5.4.0-14-generic"}),
        ("kernel", "5.4 or 5.8", {}),
        ("fs", "ext4, xfs and btrfs", {}),
        ("fs", "zfs raidz2", {"fs.type": "zfs", "pool.layout": "raidz2"}),
        ("network", "HDR100 InfiniBand", {"network": "InfiniBand 100 Gb/s"}),
        ("network", "1GbE / 10GbE", {}),
        ("nic", "em0", {}),
        ("host", "12", {}),
    ],
)
def test_value_of_a_row(kind, value, expected):
    assert dict(row(kind, value)) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("64 GB (4x16GB)", 64 * GIB),
        ("4 x 16 GB DDR4-3200", 64 * GIB),
        ("16GB x 4", 64 * GIB),
        ("DDR4 16GB x 4 = 64GB", 64 * GIB),
        ("DDR4-3200 4 x 16 GB", 64 * GIB),
        ("16GB x 4 = 32GB", None),
        ("1.5 GiB (123.2 MB Used)", 1536 << 20),
        ("2048MiB / 65536MiB", 64 * GIB),
        ("16 GB free", None),
        ("8GB + 16GB", None),
        ("2 GB per core", None),
        ("0 GB", None),
    ],
)
def test_size_of_memory(printed, expected):
    assert parse_memory(printed) == expected


DD = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.25 s, 859 MB/s\n"


def configurations(text):
    return [one.config for one in read_measurements({"post.md": text})]


def test_a_sheet_speaks_of_the_results_around_it():
    text = f"{DD}\nMy system:\n* RAM: 64 GB\n* CPU: Intel Xeon E5-2680 v4\n"
    assert {one["memory"] for one in configurations(text)} == {64 * GIB}


def test_two_sheets_side_by_side_tell_only_what_they_share():
    text = f"Server\nCPU: Intel Xeon E5-2680 v4\nRAM: 64 GB\n\nClient\nCPU: Intel Xeon E5-2680 v4\nRAM: 16 GB\n\n{DD}"
    (found,) = {tuple(sorted(one.items())) for one in configurations(text)}
    assert dict(found) == {"cpu.model": "Xeon E5-2680 v4"}


def test_each_system_has_its_sheet_above_its_results():
    sheet = (
        "CPU: Intel Xeon E5-2680 v4\nRAM: {} GB\n\nResults of dd:\n\n```\n1024+0 records in\n1024+0 records out\n" + DD + "```\n\n"
    )
    text = sheet.format(64) + "Now the other one.\n\n" + sheet.format(16)
    assert [one["memory"] // GIB for one in configurations(text)] == [64, 64, 16, 16]


@pytest.mark.parametrize(
    "labels",
    [
        ["fs=ext4 options=defaults", "fs=btrfs options=compress=lzo"],
        ["fs=zfs compression=off", "fs=zfs compression=lz4"],
        ["compression=off", "compression=lz4"],
        ["os=Debian cpu=i7", "os=FreeBSD cpu=i7"],
    ],
)
def test_labels_of_runs_are_no_sheet(labels):
    text = "".join(f"{label}\n{DD}\n" for label in labels)
    assert not list(READER.read(read_text("runs.txt", text.encode())[0]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("8x WD Red 8TB in RAIDZ2", {"disk.count": 8, "disk.model": "WD Red 8TB", "pool.layout": "raidz2(8)"}),
        (
            "2 x Samsung 970 EVO Plus 1TB (mirror)",
            {"disk.count": 2, "disk.model": "Samsung 970 EVO Plus 1TB", "pool.layout": "mirror(2)"},
        ),
        (
            "2 x Samsung 970 EVO Plus 1TB in a mirror",
            {"disk.count": 2, "disk.model": "Samsung 970 EVO Plus 1TB", "pool.layout": "mirror(2)"},
        ),
        ("6 × Seagate Exos X16 in a mirror", {"disk.count": 6, "disk.model": "Seagate Exos X16"}),  # how many mirrors is not told
        ("12x HGST Ultrastar 4TB", {"disk.count": 12, "disk.model": "HGST Ultrastar 4TB"}),
        ("2x Samsung boot and 8x WD Red 8TB in RAIDZ2", {}),
        ("8x 8TB in RAIDZ2", {"disk.count": 8}),
        ("WD Red 8TB", {"disk.model": "WD Red 8TB"}),
        ("WD Red 8TB for the system", {}),
        ("8TB", {}),
    ],
)
def test_disks_of_a_sheet(value: str, expected: dict[str, object]) -> None:
    assert dict(row("disks", value)) == expected


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("- CPU: Intel Xeon E5-2680 v4\n- Disks: 8x WD Red 8TB in RAIDZ2\n", True),
        ("* CPU: Intel Xeon E5-2680 v4\n* 8x WD Red 8TB in RAIDZ2\n", True),
        ("I plan:\n\n* 8x WD Red 8TB in RAIDZ2\n", False),
        ("Disks: 8x WD Red 8TB in RAIDZ2\n", False),
    ],
)
def test_disks_alone_are_no_sheet(text: str, tells: bool) -> None:
    assert ("pool.layout" in read_clue_values(text)) == tells


@pytest.mark.parametrize("row", ("OS{}x", "OS: Debian 12{}x", "OS{}"))
def test_rows_with_many_blanks_are_looked_at_once(row: str) -> None:
    """A pattern that looks at blanks once for each of them takes hours here."""
    assert not spec_sheets._ROW.search(row.format(" " * 30_000))
    assert not captions._HEADING.match(row.format(" " * 3000))
