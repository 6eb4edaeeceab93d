"""What reports and logs tell of a system in forms of their own: forms for issues, greetings, starts, notes beside values."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

STATUS = "  pool: tank\n state: ONLINE\nconfig:\n\n{}\nerrors: No known data errors\n"
FREE = "       total   used   free\nMem:    1006968   245292   130000\n"
FORM = (
    "### Windows Version\n\nMicrosoft Windows [Version 10.0.19045.3803]\n\n### Kernel Version\n\n5.15.146\n\n"
    "### Distro Version\n\nUbuntu 22.04\n"
)


@pytest.mark.parametrize(
    ("text", "reader", "expected"),
    [
        (
            "SunOS Release 5.11 Version tribblix-m16 64-bit\nCopyright\n",
            "uname",
            {"os.family": "SunOS", "kernel": "5.11 tribblix-m16"},
        ),
        (
            "Jan  5 nas genunix: [ID 540533 kern.notice] ^MSunOS Release 5.11 Version omnios-r151046-9f 64-bit",
            "uname",
            {"os.family": "SunOS", "kernel": "5.11 omnios-r151046-9f", "os.name": "OmniOS", "os.version": "r151046"},
        ),
        (
            "SunOS Release 5.11 Version 11.4 64-bit\n",
            "uname",
            {"os.family": "SunOS", "kernel": "5.11 11.4", "os.name": "Oracle Solaris", "os.version": "11.4"},
        ),
        (
            "GNU nas 0.9 GNU-Mach 1.8+git20240714-486/Hurd-0.9 i686-AT386 GNU\n",
            "uname",
            {"os.family": "GNU", "host": "nas", "kernel": "0.9", "arch": "i686"},
        ),
        (
            "Welcome to Armbian-unofficial 24.8.0-trunk Bookworm with bleeding edge Linux 6.8.10-edge-rockchip64\n",
            "greetings",
            {"os.family": "Linux", "os.name": "Armbian", "os.version": "24.8.0-trunk", "kernel": "6.8.10-edge-rockchip64"},
        ),
        (
            "Distribution Name | Funtoo Linux (of Gentoo)\nLinux Kernel | 4.14.13\nZFS Version | 0.8.2 (0.8.1 as well)\n",
            "issue tables",
            {"os.family": "Linux", "os.name": "Funtoo", "kernel": "4.14.13", "fs.version": "0.8.2"},
        ),
        ("Distribution Name | Gentoo Linux\n", "issue tables", {"os.family": "Linux", "os.name": "Gentoo"}),
        (FORM, "issue tables", {"os.family": "Linux", "os.name": "Ubuntu", "os.version": "22.04", "kernel": "5.15.146"}),
        (
            "### Operating System\n\nUbuntu 22.04\n\n### CPU\n\nAMD Ryzen 7 5800X\n\n### RAM\n\n32GB\n",
            "issue tables",
            {
                "os.family": "Linux",
                "os.name": "Ubuntu",
                "os.version": "22.04",
                "cpu.model": "AMD Ryzen 7 5800X",
                "memory": 32 << 30,
            },
        ),
        (
            "#### Which OS you are using and how many bits (e.g. Windows 7, 64 bit)\nDebian 12 64 bit\n\n#### More\n",
            "issue tables",
            {"os.family": "Linux", "os.name": "Debian", "os.version": "12"},
        ),
        (
            "## Memory\n\nMemory is what it needs.\n\n## OS\n\nAny will do\n\n## What OS is best?\n\nDebian 12 or Ubuntu\n",
            "issue tables",
            {},
        ),
        (
            "### Distro Version\n\nKali rolling 2021.1\n",
            "issue tables",
            {"os.family": "Linux", "os.name": "Kali Linux", "os.version": "2021.1"},
        ),
        ("### Kernel Version\n\nI do not know which\n\n### Architecture\n\nof what?\n", "issue tables", {}),
        (FORM, "windows", {}),
        (FORM.partition("### D")[0], "windows", {"os.family": "Windows_NT", "kernel": "10.0.19045.3803"}),
        (f"u@vm:~$ free\n{FREE}u@vm:~$ \n", "memory", {"memory": 1006968 * 1024}),
        (f"u@vm:~$ ./show\n{FREE}u@vm:~$ \n", "memory", {}),
        ("-   Filesystem: ext4 on dm-crypt\n", "labels", {"fs.type": "ext4"}),
        ("On Linux 2.5.45, ext3+HTREE:\n$ ls\n", "labels", {"os.family": "Linux", "kernel": "2.5.45", "fs.type": "ext3"}),
        ("Copying of Linux 5.4.17 sources:\n$ ls\n", "labels", {"os.family": "Linux"}),
        ("> ann@nas:~$ time tar xf a.tar\nreal 0m1.0s\n", "prompt", {"host": "nas"}),
        ("> ann@nas.example: it is so\n", "prompt", {}),
        (
            "    Festplatte /dev/sdf: 1,91 GiB, 2032664576 Bytes\n    Festplattenmodell: ACME DISK 40     \n",
            "disk lists",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        (
            "Disque /dev/sda : 20 GiB, 21474836480 octets\nMod\u00e8le de disque\u00a0: ACME DISK 40\n",
            "disk lists",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        (
            "Disk /dev/sda\uff1a55.9 GiB\uff0c60022480896 \u5b57\u8282\n\u78c1\u76d8\u578b\u53f7\uff1aACME DISK 40\n",
            "disk lists",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        (
            "Disco /dev/sda: 232,89 GiB, 250059350016 bytes\nModelo de disco: ACME DISK 40\n",
            "disk lists",
            {"disk.model": "ACME DISK 40", "disk.count": 1},
        ),
        (
            STATUS.format(
                "NAME STATE READ WRITE CKSUM\ntank ONLINE 0 0 0\n  raidz2-0 ONLINE 0 0 0\nsda ONLINE 0 0 0\nsdb ONLINE 0 0 0\n"
                "sdc ONLINE 0 0 0\nlogs\n  mirror-1 ONLINE 0 0 0\nsdd ONLINE 0 0 0\nsde ONLINE 0 0 0\n"
            ),
            "zpool status",
            {
                "fs.type": "zfs",
                "pool.name": "tank",
                "pool.layout": "raidz2(3)",
                "disk.count": 3,
                "pool.log": "mirror(2)",
                "pool.cache": "off",
            },
        ),
        (
            STATUS.format(
                "\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  mirror-0 ONLINE 0 0 0\n\t    sda ONLINE 0 0 0\n"
                ">\t    sdb ONLINE 0 0 0\n"
            ),
            "zpool status",
            {"fs.type": "zfs", "pool.name": "tank", "pool.layout": "mirror"},
        ),
        (
            STATUS.format("  NAME   STATE\n  tank   ONLINE\n    sda  ONLINE\n    sdb  ONLINE\n"),
            "zpool status",
            {
                "fs.type": "zfs",
                "pool.name": "tank",
                "pool.layout": "stripe(2)",
                "disk.count": 2,
                "pool.log": "off",
                "pool.cache": "off",
            },
        ),
        ("# Writing an ubuntu-24.04 image\n", "comments", {}),
        ("# Ubuntu 24.04\n", "comments", {"os.family": "Linux", "os.name": "Ubuntu", "os.version": "24.04"}),
        (
            "OS: Ubuntu 22.04\uff0c kernel 5.15.0-91\n",
            "spec sheets",
            {"os.family": "Linux", "os.name": "Ubuntu", "os.version": "22.04", "kernel": "5.15.0-91"},
        ),
        (
            "OS: SLES 15 SP4, kernel 5.14.21-150400\n",
            "spec sheets",
            {"os.family": "Linux", "os.name": "SLES", "os.version": "15 SP4", "kernel": "5.14.21-150400"},
        ),
        ("10:25 nas:/mnt > ls\n", "prompt", {"host": "nas"}),
    ],
)
def test_what_they_tell(text: str, reader: str, expected: dict[str, object]) -> None:
    assert read_clue_values(text, only=reader) == expected
