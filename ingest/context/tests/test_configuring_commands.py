"""Commands as evidence: what they set, what ends, what a failed or hidden one leaves alone."""

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_clue_values, read_items
from ingest.tests.whole import read_measurements


def changes(*commands: str) -> dict[str, dict[str, object]]:
    """Subject -> key -> value (None: ended) of commands typed at a prompt, without devices and the ends of what a folder had."""
    text = "".join(f"root@vm:~# {command}\n" for command in commands)
    got: dict[str, dict[str, object]] = {}
    for clue in read_items(text, only="command history"):
        assert isinstance(clue, Clue) and clue.kind == "command"
        of_content = (
            clue.effect == "ends" and clue.key in ("pool.layout", "disk.count", "state.capacity") and clue.subject[0] == "/"
        )
        if clue.key not in ("mount.*", "ext4.*", "xfs.*", "btrfs.*", "block.devices") and not of_content:
            got.setdefault(clue.subject, {})[clue.key] = None if clue.effect == "ends" else clue.value
    return got


def kept(got: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in got.items() if value is not None}


POOLS = [
    ("zpool create tank sdb", "stripe(1)", 1, {}),
    ("zpool create -f tank mirror c1t0d0 c1t1d0", "mirror(2)", 2, {}),
    ("zpool create tank mirror a b mirror c d", "2 x mirror(2)", 4, {}),
    (
        "zpool create -o ashift=12 -O compression=lz4 -O atime=off tank raidz2 /dev/sd{b..g}",
        "raidz2(6)",
        6,
        {"pool.ashift": 12, "pool.compression": "lz4", "pool.atime": "off"},
    ),
    (
        "sudo zpool create -m /data tank raidz sda sdb sdc log nvme0n1 cache nvme1n1 nvme2n1",
        "raidz1(3)",
        3,
        {"pool.log": "stripe(1) nvme", "pool.cache": "stripe(2) nvme"},
    ),
    ("/sbin/zpool create tank /dev/disk/by-id/{ata-a,ata-b} spare sdz", "stripe(2)", 2, {}),
    ("zpool create tank raidz3 $DISKS", "raidz3", None, {}),
    ("zpool create tank $DISKS", None, None, {}),
    ("zpool create tank /srv/z.img", "stripe(1)", None, {}),
]


@pytest.mark.parametrize(("command", "layout", "disks", "more"), POOLS)
def test_zpool_create(command, layout, disks, more):
    got = kept(changes(command)["tank"])
    assert (got.get("pool.name"), got.get("fs.type")) == ("tank", "zfs")
    assert (got.get("pool.layout"), got.get("disk.count")) == (layout, disks)
    assert {key: got.get(key) for key in more} == more


def test_a_new_pool_ends_what_the_old_one_had():
    got = changes("zpool create tank sdb")["tank"]
    assert got["pool.compression"] is None and got["pool.recordsize"] is None


def test_a_rehearsal_creates_nothing():
    assert changes("zpool create -n tank sdb") == {}


OTHERS = [
    ("zfs set compression=gzip tank/a", {"tank/a": {"pool.compression": "gzip-6"}}),
    (
        "zfs set compression=zstd atime=off recordsize=1M tank",
        {"tank": {"pool.compression": "zstd-3", "pool.atime": "off", "pool.recordsize": 2**20, "fs.type": "zfs"}},
    ),
    (
        "zfs set sync=disabled tank && zfs set dedup=verify tank",
        {"tank": {"pool.sync": "disabled", "pool.dedup": "verify"}},
    ),
    ("zfs set quota=1G tank", {"tank": {"zfs.quota": 2**30}}),
    ("zfs set compression=$c tank", {"tank": {"pool.compression": None}}),
    ("zfs set compression=nonsense tank", {"tank": {"pool.compression": None}}),
    ("zfs inherit compression tank/a", {"tank/a": {"pool.compression": None}}),
    (
        "zfs create -o compression=lz4 -o recordsize=16k tank/db",
        {
            "tank": {"pool.name": "tank"},
            "tank/db": {"fs.type": "zfs", "pool.compression": "lz4", "pool.recordsize": 16384},
        },
    ),
    ("zpool import tank", {"tank": {"pool.name": "tank", "fs.type": "zfs"}}),
    ("zpool import", {}),
    ("zpool export tank", {}),
    ("zpool add tank log mirror sdx sdy", {"tank": {"pool.log": "mirror(2)"}}),
    ("zpool add tank mirror sdx sdy", {"tank": {"pool.layout": None, "disk.count": None}}),
    ("mkfs.xfs -f /dev/sdb1", {"/dev/sdb1": {"fs.type": "xfs", "state.created": "yes"}}),
    ("mkfs -t ext4 /dev/sdb1", {"/dev/sdb1": {"fs.type": "ext4", "state.created": "yes"}}),
    ("mke2fs -j /dev/sdb1", {"/dev/sdb1": {"fs.type": "ext3", "ext4.has_journal": "on", "state.created": "yes"}}),
    ("mkfs.vfat /dev/sdb1", {}),
    ("mount -t xfs -o noatime /dev/sdb1 /mnt", {"/mnt": {"fs.type": "xfs", "pool.atime": "off"}}),
    ("mount -o compress=zstd:3 /dev/sdb /mnt", {"/mnt": {"pool.compression": "zstd-3"}}),
    ("mount -o compress=$alg /dev/sdb /mnt", {"/mnt": {"pool.compression": None}}),
    ("mount /dev/sdb /mnt", {}),
    (
        "mdadm --create /dev/md0 --level=6 --raid-devices=8 /dev/sd[a-h]",
        {"/dev/md0": {"pool.layout": "raid6(8)", "disk.count": 8}},
    ),
    ("mdadm -C /dev/md1 -l 10 -n 4 /dev/sd[a-d]", {"/dev/md1": {"pool.layout": "raid10(4)", "disk.count": 4}}),
    ("echo zfs set compression=lz4 tank", {}),
    ("zfs send tank@a | zfs receive tank/b", {}),
    ("man zfs set", {}),
]


@pytest.mark.parametrize(("command", "expected"), OTHERS)
def test_other_commands(command, expected):
    assert changes(command) == expected


def test_what_was_made_on_a_device_is_told_of_its_folder():
    got = changes("mkfs.btrfs -d raid1 /dev/sdb /dev/sdc", "mount -o compress=lzo /dev/sdb /mnt")
    made = {"fs.type": "btrfs", "pool.layout": "raid1(2)", "pool.compression": "lzo", "btrfs.data": "raid1"}
    assert got["/mnt"] == made | {"state.created": "yes"}


@pytest.mark.parametrize("undone", ["umount /mnt", "true"])
def test_what_was_on_a_device_before_is_not_said_of_what_is_made_on_it(undone):
    first = ["mkfs.btrfs -d raid1 /dev/sdb /dev/sdc", "mount -o compress=zstd,noatime /dev/sdb /mnt"]
    commands = [*first, undone, "mkfs.jfs -q /dev/sdb", "mount /dev/sdb /mnt", "dd if=/dev/zero of=/mnt/x bs=1M count=1024"]
    text = "".join(f"root@vm:~# {command}\n" for command in commands)
    config = read_measurements(
        {"t.txt": f"{text}1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 4 s, 268 MB/s\n"}
    )[0].config
    assert {key: config.get(key) for key in ("fs.type", "pool.layout", "pool.atime", "btrfs.data")} == {
        "fs.type": "jfs",
        "pool.layout": None,
        "pool.atime": None,
        "btrfs.data": None,
    }
    assert config["pool.compression"] == "off"


def test_an_array_stays_below_what_is_made_on_it():
    made = changes("mdadm -C /dev/md0 -l 6 -n 8 /dev/sd[a-h]", "mkfs.xfs /dev/md0", "mount /dev/md0 /mnt")["/mnt"]
    assert (made["fs.type"], made["pool.layout"]) == ("xfs", "raid6(8)")


def test_btrfs_mounted_without_the_option_does_not_compress():
    assert changes("mkfs.btrfs /dev/sdb", "mount /dev/sdb /mnt")["/mnt"]["pool.compression"] == "off"


def test_umount_and_destroy_end():
    assert changes("umount /mnt")["/mnt"] == {"fs.type": None, "pool.compression": None, "pool.atime": None}
    assert set(changes("zpool destroy tank")["tank"].values()) == {None}


def test_a_command_that_failed_changed_nothing():
    text = "root@vm:~# zfs set compression=lz4 tank/x\ncannot open 'tank/x': dataset does not exist\nroot@vm:~# \n"
    assert read_items(text, only="command history") == []


def test_a_script_is_read_and_prose_is_not():
    script = "#!/bin/sh\nset -e\nzpool create tank mirror sda sdb\n"
    script += "for c in off lz4; do\n  zfs set compression=$c tank\ndone\n"
    got = [(c.line, c.key, c.value) for c in read_items(script, "run.sh", "command history") if c.effect == "sets"]
    assert (3, "pool.layout", "mirror(2)") in got
    assert not any(key == "pool.compression" for _, key, _ in got)
    assert read_items("You may use zpool create tank mirror sda sdb here.\n", "notes.md", "command history") == []


CREATE = "zpool create -o ashift=12 tank raidz2 sda sdb sdc sdd"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (f"I made the pool:\n\n```sh\n{CREATE}\n```\n\nand ran dd.\n", "raidz2(4)"),
        (f"```\nsudo {CREATE}\nzfs set atime=off tank\n```\n", "raidz2(4)"),
        (f"My script:\n#!/bin/sh\n{CREATE}\n", "raidz2(4)"),
        (f"```\n$ uname -r\n6.1.0\n```\nThen\n```bash\n{CREATE}\n```\n", "raidz2(4)"),
        (f"```\n$ cat make.sh\n{CREATE}\n```\n", None),
        (f"One way is\n{CREATE}\nbut it is slow.\n", None),
        (f"```yaml\n{CREATE}\n```\n", None),
        ("```\nzpool create tank raidz2 <disks>\n```\n", None),
        (f"```\n{CREATE}\n```\nor\n```\nzpool create tank mirror sda sdb\n```\n", None),
        ("```\nzfs set sync=disabled tank\n```\n", None),
    ],
)
def test_pools_made_without_a_prompt(text: str, layout: str | None) -> None:
    told = {clue.key: clue.value for clue in read_items(text, only="command history") if isinstance(clue, Clue)}
    assert told.get("pool.layout") == layout
    assert layout is not None or not told


def test_pools_that_blocks_make_anew_and_test_are_steps_that_ran() -> None:
    step = "```sh\nzpool create tank %s\nbonnie++ -u root -d /tank\n```\nand\n"
    got = [
        clue.value
        for clue in read_items(step % "sda" + step % "mirror sda sdb", only="command history")
        if isinstance(clue, Clue) and clue.key == "pool.layout"
    ]
    assert got == ["stripe(1)", "mirror(2)"]
    assert not read_clue_values(step % "sda" + "or\n```sh\nzpool create tank mirror sda sdb\n```\n", only="command history")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("I ran\n\n    zpool create -o ashift=12 tank mirror sda sdb\n\nand then:\n", True),
        ("I ran\n\n\tzpool create -o ashift=12 tank mirror sda sdb\n", True),
        ("```yaml\na: 1\n```\nthen zpool create tank mirror sda sdb\n", False),
        ("```yaml\na: 1\n```\n\n```sh\nzpool create tank mirror sda sdb\n```\n", True),
        ("A line\n    zpool create tank mirror sda sdb is how one makes it\n", False),
    ],
)
def test_a_block_of_code_without_a_fence_tells_the_pool_that_it_makes(text: str, tells: bool) -> None:
    assert (read_clue_values(text, "notes.md").get("pool.layout") == "mirror(2)") == tells


FORMATTED = """Before the test:
```bash
mkfs -t ext3 /dev/md0
mount /dev/md0 /data1
```
"""


def test_a_file_system_made_and_mounted_in_a_block_of_code_is_told_of_its_folder():
    clues = read_items(FORMATTED, "notes.md", "command history")
    got = [(clue.subject, clue.key, clue.value) for clue in clues if clue.effect == "sets"]
    assert got == [("/data1", "block.devices", "md0"), ("/data1", "fs.type", "ext3"), ("/data1", "state.created", "yes")]
    array = FORMATTED.replace("mkfs", "mdadm --create /dev/md0 --level=0 --raid-devices=2 /dev/sdb /dev/sdc\nmkfs")
    got = {clue.key: clue.value for clue in read_items(array, "notes.md", "command history") if clue.effect == "sets"}
    assert got == {"block.devices": "md0", "fs.type": "ext3", "state.created": "yes", "pool.layout": "raid0(2)", "disk.count": 2}


@pytest.mark.parametrize(
    "text",
    [
        FORMATTED.replace("mount /dev/md0 /data1\n", ""),
        FORMATTED.replace("```bash\n", "```bash\nmkfs.xfs /dev/sdb\n"),
        FORMATTED.replace("```bash", "```python"),
        FORMATTED.replace("```", ""),
    ],
)
def test_what_is_not_mounted_or_one_of_several_tells_nothing(text):
    assert read_items(text, "notes.md", "command history") == []


MAKE = "umount /mnt/b; mkfs.xfs -q -f /dev/sdb && mount -o noatime /dev/sdb /mnt/b"
POOL = "zpool destroy tank; zpool create -o ashift=12 tank sdb"
MADE_XFS, MADE_POOL = ("fs.type", "xfs"), ("pool.ashift", 12)


@pytest.mark.parametrize(
    ("command", "output", "made"),
    [
        (MAKE, "", MADE_XFS),
        (MAKE, "umount: /mnt/b: not mounted.", MADE_XFS),
        (f"sudo {MAKE}", "umount: /mnt/b: no mount point specified.", MADE_XFS),
        (MAKE, "umount: /mnt/b: not currently mounted", MADE_XFS),
        (MAKE, "umount: warning: /mnt/b not in mnttab", MADE_XFS),
        (MAKE, "umount: /mnt/b: target is busy.", None),
        (MAKE, "umount: /mnt/b: not mounted.\nmkfs.xfs: cannot open /dev/sdb: Device or resource busy", None),
        (MAKE.replace(";", " &&"), "umount: /mnt/b: not mounted.", None),
        (POOL, "cannot open 'tank': no such pool", MADE_POOL),
        (POOL, "cannot open 'tank': no such pool\ncannot create 'tank': no such pool or dataset", None),
        (POOL, "cannot destroy 'tank': pool is busy", None),
    ],
)
def test_a_list_goes_on_where_there_was_nothing_to_undo(command, output, made):
    found = read_clue_values(f"# {command}\n{output}\n# df\n", only="command history")
    assert (made in found.items()) if made else not {"fs.type", "pool.ashift"} & found.keys()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("umount /mnt/b; mkfs.xfs -q -f /dev/sdb && mount -o noatime /dev/sdb /mnt/b", {"fs.type": "xfs", "pool.atime": "off"}),
        ("umount /mnt/b && mount -o compress=lzo -t btrfs /dev/sdb /mnt/b", {"fs.type": "btrfs", "pool.compression": "lzo"}),
        ("mount -t xfs -o noatime /dev/sdb /mnt/b; umount /mnt/b", {"fs.type": None, "pool.atime": None}),
        ("zfs set compression=lz4 tank; zfs set compression=off tank", {"pool.compression": "off"}),
        ("zpool destroy tank; zpool create -o ashift=12 tank sdb", {"pool.ashift": 12, "fs.type": "zfs", "pool.name": "tank"}),
        ("zpool create -o ashift=12 tank sdb; zpool destroy tank", {"pool.ashift": None, "fs.type": None}),
    ],
)
def test_of_a_list_on_one_line_the_last_change_holds(command, expected):
    made = changes(command)
    found = made.get("/mnt/b") or made["tank"]
    assert {key: found.get(key) for key in expected} == expected
    lines = [(clue.key, clue.subject) for clue in read_items(f"root@vm:~# {command}\n", only="command history")]
    assert len(lines) == len(set(lines))
