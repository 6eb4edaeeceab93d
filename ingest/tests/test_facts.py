"""Facts in posts and notes that must be read, each in one of the spellings in use, beside a result."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import Measurement

RESULT = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.0 s, 537 MB/s\n"
MIRROR = {"pool.layout": "mirror(2)"}


def config_of(folder, text, name="post.md"):
    (folder / name).write_text(text)
    return next(record.config for record in ingest.read([folder]) if isinstance(record, Measurement))


@pytest.mark.parametrize(
    "prompt",
    ["# ", "% ", "host# ", "host:/ % ", "user@host:/path>", "[root@host /]# ", "[host]# ", "[host:/]# ", "host-> ", "host:root# "]
    + [
        "host 12% ",
        "host {1} # ",
        "<root@host:/># ",
        "root@:/ # ",
        "[1:root@host:/]# ",
        "root@host[~]#",
        "$ run0 ",
        "# time doas ",
    ],
)
def test_commands_behind_the_prompts_of_bsd_and_solaris(prompt, tmp_path):
    text = f"{prompt}zpool create bench mirror da1 da2\n{prompt}dd if=/dev/zero of=/bench/x bs=1M count=1024\n{RESULT}"
    assert MIRROR.items() <= config_of(tmp_path, text).items()


@pytest.mark.parametrize(
    "command",
    ["doas {}", "pfexec {}", "run0 {}", "time sudo {}", "sudo -u root {}", "nice -n 19 doas {}", "su -c '{}'", 'su root -c "{}"']
    + ["sudo sh -c '{}'", "sudo env A=1 {}"],
)
def test_commands_without_a_prompt_behind_another(command, tmp_path):
    created = command.format("zpool create bench mirror /dev/ada1 /dev/ada2")
    text = f"```sh\n{created}\n```\n```\n$ dd if=/dev/zero of=/bench/x bs=1M count=1024\n{RESULT}```\n"
    assert MIRROR.items() <= config_of(tmp_path, text).items()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mkfs -t nilfs2 /dev/sdb1", {"fs.type": "nilfs2"}),
        ("mkfs --type=xfs /dev/sdb1", {"fs.type": "xfs"}),
        ("mkreiserfs /dev/sdb1", {"fs.type": "reiserfs"}),
        ("mkntfs -f /dev/sdb1", {"fs.type": "ntfs"}),
        ("mkexfatfs /dev/sdb1", {"fs.type": "exfat"}),
        ("gfs2_mkfs -p lock_nolock -j 1 /dev/sdb1", {"fs.type": "gfs2"}),
        ("jfs_mkfs -q /dev/sdb1", {"fs.type": "jfs"}),
        ("newfs_hammer2 /dev/da0s1", {"fs.type": "hammer2"}),
        ("newfs -O 2 -U /dev/da0p1", {"fs.type": "ufs", "mount.soft-updates": "on"}),
        ("newfs /dev/rdsk/c0t0d0s0", {"fs.type": "ufs"}),
        ("bcachefs format /dev/sdb --compression=zstd:3", {"fs.type": "bcachefs", "pool.compression": "zstd-3", "disk.count": 1}),
        ("bcachefs format --replicas=2 /dev/sda /dev/sdb", {"fs.type": "bcachefs", "pool.copies": 2, "disk.count": 2}),
        ("sudo bcachefs format --replicas=2 /dev/sd{a,b,c}", {"fs.type": "bcachefs", "pool.copies": 2, "disk.count": 3}),
        ("bcachefs format \\\n  --label=a /dev/sda \\\n  /dev/sdb", {"fs.type": "bcachefs", "disk.count": 2}),
    ],
)
@pytest.mark.parametrize("form", ["root@host:~# {0}\n{1}", "```\n{0}\n```\n```\n{1}```\n"])
def test_programs_that_make_file_systems(command, expected, form, tmp_path):
    assert expected.items() <= config_of(tmp_path, form.format(command, RESULT)).items()


@pytest.mark.parametrize(
    ("printed", "model"),
    [
        ("Property | Value\n---------|---\ndevice model   | A B1\ndevice model   | C D2\n", "A B1 + C D2"),
        ("| Device Model: | WDC WD40EFRX |\n", "WDC WD40EFRX"),
        ("| Device Model | WDC WD40EFRX |\n", "WDC WD40EFRX"),
        ("Device Model:     [32mWDC WD40EFRX[0m\n", "WDC WD40EFRX"),
        ("Device Model:     WDC WD40 [#####     ] 40%\n", None),
    ],
)
def test_bars_and_escapes_are_no_part_of_a_name(printed, model, tmp_path):
    assert config_of(tmp_path, f"{printed}\n{RESULT}").get("disk.model") == model


@pytest.mark.parametrize(
    ("windows", "linux"),
    [
        ("Microsoft Windows [Version 10.0.19041.264]\n", "Debian (Default):\n"),
        (
            "OS Name:      Microsoft Windows 10 Pro\nOS Version:   10.0.19041 N/A Build 19041\n",
            "**Distro**: Debian\n**RAM**: 16 GB\n",
        ),
    ],
)
def test_the_version_goes_with_the_family_that_lost(windows, linux, tmp_path):
    config = config_of(tmp_path, f"{windows}\n{linux}\n{RESULT}")
    assert config["os.name"] == "Debian" and not {"kernel", "os.version"} & config.keys()


@pytest.mark.parametrize("form", ["# {}", "## {}", "{}:", "{}", "**{}**"])
@pytest.mark.parametrize(
    ("words", "layout", "count", "helper"),
    [
        ("ZFS, 6x HDD RAID Z2 vdev, 3x SATA SSD mirror special, 1x NVMe SLOG", "raidz2(6)", 6, "nvme"),
        ("ZFS RAID Z2", "raidz2", None, None),
        ("ZFS RAIDZ-2", "raidz2", None, None),
        ("ZFS RAID-Z 3", "raidz3", None, None),
        ("ZFS RaidZ (5 disks)", "raidz1(5)", 5, None),
        ("6 disk RAID Z2", "raidz2(6)", 6, None),
        ("6-disk RAIDZ2", "raidz2(6)", 6, None),
        ("RAIDZ2 mit 6 Platten", "raidz2(6)", 6, None),
        ("RAIDZ2, 6 x 4TB", "raidz2(6)", 6, None),
        ("2 x RAIDZ2 of 6 disks", "2 x raidz2(6)", 12, None),
        ("ZFS, 2x 6-disk RAIDZ2", "2 x raidz2(6)", 12, None),
        ("ZFS RAID 10, 4 disks", "2 x mirror(2)", 4, None),
        ("ZFS striped mirrors, 8 disks", "4 x mirror(2)", 8, None),
        ("ZFS, striped mirrors (4x2)", "4 x mirror(2)", 8, None),
        ("ZFS, 3 mirrors of 2 disks", "3 x mirror(2)", 6, None),
        ("ZFS, 2 striped 3-way mirrors", "2 x mirror(3)", 6, None),
        ("ZFS 4x mirror", "mirror", None, None),
        ("ZFS, 4 mirrored pairs (8 HDDs)", "4 x mirror(2)", 8, None),
        ("ZFS, 2 raidz2 vdevs, 10 disks each", "2 x raidz2(10)", 20, None),
        ("ZFS, 2 raidz2 vdevs", "raidz2", None, None),
        ("RAID-0 of 2 SSDs", "raid0(2)", 2, None),
        ("ext4 on Raid-1", "raid1", None, None),
        ("ZFS mirror, SLOG on Optane", "mirror", None, "nvme"),
        ("ZFS raidz1, 2 x SSD log mirror", "raidz1", None, "mirror(2) ssd"),
    ],
)
def test_layouts_in_words(words, layout, count, helper, form, tmp_path):
    config = config_of(tmp_path, f"text\n\n{form.format(words)}\n\n{RESULT}")
    assert (config.get("pool.layout"), config.get("pool.log")) == (layout, helper)
    assert config.get("disk.count", count) == count


@pytest.mark.parametrize(
    ("words", "layout"),
    [("ZFS (Raid-10, 8x 7450)", "4 x mirror(2)"), ("mdraid RAID 6 (8 drives)", "raid6(8)"), ("md raid-10, 4x SSD", "raid10(4)")]
    + [("RAIDZ 2 x 5 disks", "raidz1"), ("ZFS mirror, mirrored SLOG (2x Intel S3700)", "mirror")],
)
def test_layouts_beside_other_words(words, layout, tmp_path):
    assert config_of(tmp_path, f"text\n\n## {words}, 13,3k IOPS\n\n{RESULT}")["pool.layout"] == layout


@pytest.mark.parametrize(
    ("row", "layout"),
    [
        ("RAID: RAIDZ2", "raidz2"),
        ("layout: RAID Z2", "raidz2"),
        ("layout=raid-z2 compression=lz4", "raidz2"),
        ("| OS | Debian 11 |\n|---|---|\n| Pool Layout | RAID Z2 |", "raidz2"),
        ("OS: Debian 11\nDisks: 8x WD Red 8TB in RAID Z2\nRAM: 16 GB", "raidz2(8)"),
    ],
)
def test_layouts_in_rows(row, layout, tmp_path):
    assert config_of(tmp_path, f"{row}\n\n{RESULT}")["pool.layout"] == layout


@pytest.mark.parametrize(
    ("command", "kind"),
    [("mkfs.nilfs2 /dev/sdb1", "nilfs2"), ("doas newfs -U /dev/ada1p1", "ufs"), ("sudo mkfs -t f2fs /dev/sdb1", "f2fs")],
)
def test_commands_alone_in_plain_text(command, kind, tmp_path):
    device = command.split()[-1]
    text = f"{command}\nmount {device} /data\n\ndd if=/dev/zero of=/data/x bs=1M count=1024\n{RESULT}"
    assert config_of(tmp_path, text, "notes.txt")["fs.type"] == kind
