"""Headings, underlined and ended by a colon, and lists in which people tell their system."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values
from ingest.tests.whole import printed_config, read_measurements

GIB = 1024**3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## mirror, compression=off, recordsize=1M\n",
            {"pool.layout": "mirror", "pool.compression": "off", "pool.recordsize": 1 << 20},
        ),
        ("## The mirror of the project\n", {}),
        ("lz4\n---\nresults\n", {"pool.compression": "lz4"}),
        ("NAME  COMPRESS\n----  --------\n", {}),
        ("compression off -> on:\n", {}),
        ("## sync=standard \u2192 disabled\n", {}),
        ("* btrfs: `104857600 bytes (105 MB, 100 MiB) copied, 2 s, 52 MB/s`\n", {"fs.type": "btrfs"}),
        ("btrfs -> 104857600 bytes (105 MB, 100 MiB) copied, 2 s, 52 MB/s\n", {"fs.type": "btrfs"}),
        ("| btrfs | 104857600 bytes (105 MB, 100 MiB) copied, 2 s, 52 MB/s |\n", {"fs.type": "btrfs"}),
        ("Btrfs (zstd):\n\n", {"fs.type": "btrfs", "pool.compression": "zstd-3"}),
        ("sync=disabled:\n", {"pool.sync": "disabled"}),
        ("*** LZ4 command line interface 64-bits v1.9.1, by Yann Collet ***\n", {}),
        ("*** LZ4 ***\n", {"pool.compression": "lz4"}),
        ("## Write in //wsl$/Ubuntu/home\n", {}),
        ("## Write in D:\\Ubuntu\\x\n", {}),
        ("## Write in /mnt/btrfs\n", {"fs.type": "btrfs"}),
        ("## Ubuntu 22.04 / ext4\n", {"os.name": "Ubuntu", "os.version": "22.04", "os.family": "Linux", "fs.type": "ext4"}),
        ("compression=off recordsize=128k (default)\n", {"pool.compression": "off", "pool.recordsize": 131072}),
        ("Faster than ZFS:\n", {}),
        ("And here's tmpfs:\n", {"fs.type": "tmpfs"}),
        ("Now, btrfs:\n", {"fs.type": "btrfs"}),
        ("And ext4 and xfs:\n", {}),
        ("I copied it from ext4:\n", {}),
        (
            "* CPU: Intel Xeon E3-1230 v3\n* RAM: 32 GB ECC\n* OS: FreeNAS 11.2-U5\n",
            {
                "cpu.model": "Xeon E3-1230 v3",
                "memory": 32 * GIB,
                "os.name": "FreeNAS",
                "os.version": "11.2-U5",
                "os.family": "FreeBSD",
            },
        ),
        (
            "OS: Debian GNU/Linux 11 (bullseye) x86_64\nKernel: 5.10.0-8-amd64\nCPU: Intel Xeon E5-2650 v2 (32) @ 3.400GHz\n"
            "Memory: 2048MiB / 65536MiB\n",
            {
                "os.name": "Debian",
                "os.version": "11",
                "os.family": "Linux",
                "kernel": "5.10.0-8-amd64",
                "arch": "x86_64",
                "cpu.model": "Xeon E5-2650 v2",
                "memory": 64 * GIB,
            },
        ),
        (
            "Build: FreeNAS-9.3-STABLE\nPlatform: Intel(R) Xeon(R) CPU E3-1230 v3 @ 3.30GHz\n",
            {"os.name": "FreeNAS", "os.version": "9.3-STABLE", "os.family": "FreeBSD", "cpu.model": "Xeon E3-1230 v3"},
        ),
        ("Memory: 16 GB free\nKernel: panic\nOS: my own\n", {}),
        ("Filesystem:  ext4 (rw,relatime,errors=remount-ro)\n", {"fs.type": "ext4"}),
    ],
)
def test_what_people_write_around_results(text, expected):
    assert read_clue_values(text) == expected


DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.25 s, 859 MB/s\n\n"
RAIDZ, EXT4 = {"pool.layout": "raidz1", "pool.compression": "lz4"}, {"fs.type": "ext4"}


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (("## raidz1, lz4", "## ext4 single disk", "## Samsung SSD"), (RAIDZ, EXT4, {})),
        (("## raidz1, lz4", "## 120GB SSD", "## ext4"), (RAIDZ, {}, EXT4)),
        (("## raidz1, lz4", "## Results of dd"), (RAIDZ, RAIDZ)),
        (("raidz1 lz4:", "120GB SSD:"), (RAIDZ, {})),
        (("raidz1 lz4:", "And then:"), (RAIDZ, RAIDZ)),
        (("raidz1 lz4:", "After setting logbias=throughput:"), (RAIDZ, {"zfs.logbias": "throughput"})),
        (("ext4:", "After switching to raidz1, lz4:"), (EXT4, RAIDZ)),
    ],
)
def test_a_heading_of_something_else_ends_what_the_last_one_told(headings, expected):
    text = "".join(f"{heading}\n\n{DD}" for heading in headings)
    found = [printed_config(one) for one in read_measurements({"notes.md": text}) if one.metric.endswith(".elapsed")]
    assert found == list(expected)


@pytest.mark.parametrize("mark", ["", "**"])
def test_labels_of_a_template_for_reports_tell_where_their_value_is_from(mark):
    known = read_clue_values(
        f"{mark}Environment{mark}:\n* {mark}OS{mark} (e.g. from /etc/os-release): Debian GNU/Linux 12 (bookworm)\n"
        f"* {mark}Kernel{mark} (e.g. `uname -a`): "
        "Linux bobcat 6.5.0-0.deb12.1-arm64 SMP Debian 6.5.3-1 aarch64 GNU/Linux\n"
    )
    assert known == {
        "os.name": "Debian",
        "os.version": "12",
        "os.family": "Linux",
        "host": "bobcat",
        "kernel": "6.5.0-0.deb12.1-arm64",
        "arch": "aarch64",
    }


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("Festplatten: 4x WD Red 4TB im RAID5", {"disk.count": 4, "disk.model": "WD Red 4TB", "pool.layout": "raid5(4)"}),
        ("Festplatten: 4x WD Red 4TB im Verbund", {}),
        ("CPU: Quad core Intel Core i7-7700 cache: 8192 KB (4200 MHz)", {"cpu.model": "Core i7-7700"}),
    ],
)
def test_words_behind_the_model_are_none_of_it(line, known):
    assert read_clue_values(f"RAM: 8 GB\n{line}\n", only="spec sheets") == {"memory": 8 * 2**30} | known
