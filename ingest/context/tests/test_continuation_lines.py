"""Commands that go on below a backslash: read whole, or not at all where their end is missing."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values, read_items

MADE = {
    "pool.name": "tank",
    "fs.type": "zfs",
    "pool.layout": "raidz2(4)",
    "disk.count": 4,
    "pool.ashift": 12,
    "pool.compression": "lz4",
    "pool.log": "mirror(2) nvme",
    "pool.cache": "off",
}
WHOLE = [
    ("root@vm:~# ", "", ""),  # the prompt for the rest was left out
    ("root@vm:~# ", "> ", ""),
    ("[root@vm ~]# sudo ", "> ", ""),
    ("$ sudo ", "    ", ""),
    ("```\n", "  ", "```\n"),  # in a block of code
    ("#!/bin/sh\n", "\t", ""),
]


@pytest.mark.parametrize(("front", "margin", "end"), WHOLE)
@pytest.mark.parametrize("slash", [" \\\n", "\\\n", " \\  \n"])
def test_zpool_create_in_several_lines(front, margin, end, slash):
    parts = (
        "zpool create -f -o ashift=12",
        "-O compression=lz4",
        "tank raidz2 sda sdb",
        "/dev/sdc /dev/sdd",
        "log mirror nvme0n1 nvme1n1 spare sde",
    )
    text = front + f"{slash}{margin}".join(f"{part} " for part in parts) + "\n" + end
    assert read_clue_values(text, only="command history") == MADE


@pytest.mark.parametrize("rest", ["", "\n", "\nroot@vm:~# zpool status\n", "\n\nSome words on it\n"])
def test_where_the_end_is_missing_nothing_is_told_of_it(rest):
    assert read_clue_values("root@vm:~# zpool create -o ashift=12 tank raidz2 sda sdb \\" + rest, only="command history") == {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.layout": "raidz2",
        "pool.ashift": 12,
    }
    assert not read_clue_values("root@vm:~# zpool create -o ashift=12 \\" + rest, only="command history")


def test_a_command_in_several_lines_that_failed_changed_nothing():
    assert not read_clue_values(
        "root@vm:~# zpool create \\\n> tank mirror sda sdb\ncannot create 'tank': no such device\n", only="command history"
    )


def test_placeholders_below_the_first_line_are_an_example():
    assert not read_clue_values("```\nzpool create tank \\\n  mirror <disk1> <disk2>\n```\n", only="command history")


def test_the_line_that_is_shown_is_the_first():
    clues = read_items(
        "# zpool create tank \\\n> mirror sda sdb\n# mdadm --create /dev/md0 \\\n--level=5 -n 3 /dev/sd[c-e]\n",
        only="command history",
    )
    assert {(clue.line, clue.raw) for clue in clues} == {(1, "zpool create tank \\"), (3, "mdadm --create /dev/md0 \\")}
    assert ("pool.layout", "raid5(3)") in {(clue.key, clue.value) for clue in clues}


def test_two_backslashes_are_one_that_is_meant():
    assert (
        read_clue_values("# zfs set compression=lz4 tank \\\\\n# zfs set atime=off tank\n", only="command history")["pool.atime"]
        == "off"
    )
