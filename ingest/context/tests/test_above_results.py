"""Lines above results as people write them: sentences that lead to them, comments of three letters, disks, Chinese."""

from __future__ import annotations

import pytest

from ingest.tests.whole import printed_config, read_measurements

RUN = (
    "{mark}dd if=/dev/zero of=/mnt/t/x bs=1M count=1000\n1000+0 records in\n1000+0 records out\n"
    "1048576000 bytes (1.0 GB, 1000 MiB) copied, {seconds} s, 419 MB/s\n"
)
FENCED = (
    "{0}\n\n```\n"
    + RUN.format(mark="$ ", seconds="2.5")
    + "```\n"
    + "{1}\n\n```\n"
    + RUN.format(mark="$ ", seconds="5.5")
    + "```\n"
)
PLAIN = "{0}\n" + RUN.format(mark="", seconds="2.5") + "\n{1}\n" + RUN.format(mark="", seconds="5.5")
MIRROR = {"fs.type": "zfs", "pool.layout": "mirror"}


@pytest.mark.parametrize(
    ("form", "above", "expected"),
    [
        (PLAIN, ("# ext4", "# xfs"), [{"fs.type": "ext4"}, {"fs.type": "xfs"}]),
        (PLAIN, ("# zfs", "# xfs"), [{"fs.type": "zfs"}, {"fs.type": "xfs"}]),
        (PLAIN, ("ext4", "# zfs list"), [{"fs.type": "ext4"}, {"fs.type": "ext4"}]),  # a command at a prompt
        (FENCED, ("Here is the result on ext4:", "And here is the result on ZFS:"), [{"fs.type": "ext4"}, {"fs.type": "zfs"}]),
        (FENCED, ("On the RAID 5 array:", "On the ZFS mirror:"), [{"pool.layout": "raid5"}, MIRROR]),
        (FENCED, ("ext4 文件系统：", "xfs 文件系统："), [{"fs.type": "ext4"}, {"fs.type": "xfs"}]),
        (FENCED, ("BTRFS RAID1 写入性能", "ZFS Mirror 写入性能"), [{"fs.type": "btrfs", "pool.layout": "raid1"}, MIRROR]),
        (FENCED, ("2-way mirror:", "3-way mirror:"), [{"pool.layout": "mirror(2)"}, {"pool.layout": "mirror(3)"}]),
        (FENCED, ("Samsung 970 EVO:", "WD Red 4TB:"), [{"disk.model": "Samsung 970 EVO"}, {"disk.model": "WD Red 4TB"}]),
        (FENCED, ("# ubuntu @ nas in ~/x [10:32:12]\n$ ls\n", "# ubuntu @ nas in ~/x [10:32:12]\n$ ls\n"), [{"host": "nas"}] * 2),
        (FENCED, ("Samsung Galaxy S9:", "Samsung laptop:"), [{}, {}]),
        (FENCED, ("Intel i7-8700K:", "Intel NUC 16GB:"), [{}, {}]),
    ],
)
def test_what_stands_above_a_result_speaks_of_it(form: str, above: tuple[str, str], expected: list[dict[str, str]]) -> None:
    found = [printed_config(one) for one in read_measurements({"post.md": form.format(*above)}) if one.metric == "write.elapsed"]
    assert found == expected


def test_a_word_beside_a_result_speaks_of_it_alone() -> None:
    """`NFS - ... bytes copied`, and a word that is not understood ends what the last one told."""
    lines = "".join(
        f"{word} - 4294967296 bytes (4.3 GB, 4.0 GiB) copied, {n}.85752 s, 485 MB/s\n"
        for n, word in enumerate(("NFS", "CEPHRBD", "CEPHFS"), 3)
    )
    text = "```\ndd if=/dev/zero of=/data/test.img bs=1M count=4096 oflag=direct\n```\n" + lines
    found = [printed_config(one) for one in read_measurements({"post.md": text}) if one.metric == "write.elapsed"]
    assert found == [{"fs.type": "nfs"}, {}, {"fs.type": "ceph"}]
