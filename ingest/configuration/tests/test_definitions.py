"""What notes say that names of results stand for, and on what image files lie."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import Measurement

DD = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {} s, 64.1 MB/s\n"
CASES = [
    ("zstd = btrfs with compress=zstd:9", "zstd-1 ext4-1", ["btrfs zstd-9", "ext4 off"]),
    ("- `A`: ext4, noatime\n- `B`: xfs", "A/1 B/1", ["ext4 off", "xfs off"]),
    ("| fast | btrfs with compress=lzo |\n| safe | zfs mirror, lz4 |", "dd_fast1 dd_safe1", ["btrfs lzo", "zfs lz4"]),
    ("setup1 -> ext4 -o data=journal; setup2 -> xfs", "setup1 setup2", ["ext4 off", "xfs off"]),
    ("lz4 = zfs with compression=lz4, zst = zfs with compression=zstd-19", "lz41 zst1", ["zfs lz4", "zfs zstd-19"]),
    ("plain means ext4, tuned means ext4 with noatime", "plain tuned", ["ext4 off", "ext4 off"]),
    ("komprimiert = btrfs mit compress=lzo; roh = xfs", "komprimiert_1 roh_1", ["btrfs lzo", "xfs off"]),
    ("btrfs: slower than ext4\nxfs: what about zfs?", "btrfs xfs", ["btrfs", "xfs off"]),
    ("zstd = btrfs with compress=zstd:3", "zstd-9 zstd-1 lz4", ["zstd-9", "zstd-1", "lz4"]),
    ("zstd = btrfs with compress=zstd:3", "xfs-zstd", ["xfs zstd-3"]),
    ("old = xfs\nold = ext4", "old", [""]),
    ("TODO: zfs with lz4\nnext: xfs", "todo next-1", ["", ""]),
    ("other = zfs", "tests mothers others", ["", "", ""]),
]


def configs(folder, notes, names):
    (folder / "notes.txt").write_text(notes + "\n")
    for number, name in enumerate(names.split()):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_text(DD.format(f"1.0473{number}"))
    found = {one.file: one.config for one in ingest.read([folder]) if isinstance(one, Measurement)}
    return [found[f"{name}.txt"] for name in names.split()]


@pytest.mark.parametrize(("notes", "names", "expected"), CASES)
def test_a_document_says_what_the_names_of_results_stand_for(tmp_path, notes, names, expected):
    found = [
        " ".join(str(config[key]) for key in ("fs.type", "pool.compression") if key in config)
        for config in configs(tmp_path, notes, names)
    ]
    assert found == expected


@pytest.mark.parametrize(("title", "expected"), [("=== old ===", "raid10"), ("### new run 1", "raid6"), ("=== other ===", None)])
def test_of_outputs_in_one_file_the_title_above_names_them(tmp_path, title, expected):
    (tmp_path / "notes.txt").write_text("old: raid10, xfs\nnew: raid6, xfs\n")
    (tmp_path / "all.txt").write_text(f"=== first ===\n{DD.format(1.01)}\n{title}\n{DD.format(1.04)}\n")
    last = [one for one in ingest.read([tmp_path]) if isinstance(one, Measurement)][-1]
    assert last.config.get("pool.layout") == expected


@pytest.mark.parametrize(
    ("notes", "stack"),
    [
        ("fs images are 700M loop files on the root disk (ext4)", "xfs/ext4"),
        ("loop devices on ext4", "xfs/ext4"),
        ("Loop-Dateien auf der Root-Platte (ext4)", "xfs/ext4"),
        ("the fs images are sparse files in /data (ZFS)", "xfs/zfs"),
        ("backing files on btrfs", "xfs/btrfs"),
        ("loop files on the root disk", None),
        ("loopback files on the NVMe, formatted with btrfs", None),
        ("disk images on ext4 and xfs are slow", None),
        ("the benchmark writes image files on ext4", None),
        ("no loop devices were used; ext4", None),
        ("we used loop devices, not ext4 on a partition", None),
    ],
)
def test_what_image_files_lie_on_is_the_lower_part_of_the_stack(tmp_path, notes, stack):
    [config] = configs(tmp_path, notes, "xfs-1")
    assert (config["fs.type"], config.get("fs.stack")) == ("xfs", stack)
    assert config.get("pool.compression") == (None if stack in ("xfs/zfs", "xfs/btrfs") else "off")
