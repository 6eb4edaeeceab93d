"""Commands that set the kernel, its modules and its disks."""

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_items

PROMPT = "root@nas:~# "
COMMANDS = [
    ("echo none > /sys/block/sda/queue/scheduler", [("block.scheduler", "none", "/dev/sda")]),
    ("echo none | sudo tee /sys/block/sda/queue/scheduler", [("block.scheduler", "none", "/dev/sda")]),
    ("echo none | tee /sys/block/sd*/queue/scheduler", [("block.scheduler", "none", "")]),
    ("sudo sh -c 'echo 256 > /sys/block/sda/queue/nr_requests'", [("block.nr_requests", 256, "/dev/sda")]),
    ('echo "write through" > /sys/block/sda/queue/write_cache', [("block.write_cache", "off", "/dev/sda")]),
    ("echo 1 > /sys/module/zfs/parameters/zfs_prefetch_disable", [("module.zfs.zfs_prefetch_disable", 1, "")]),
    ("echo 5 > /proc/sys/vm/dirty_ratio", [("sysctl.vm.dirty_ratio", 5, "")]),
    ("echo never > /sys/kernel/mm/transparent_hugepage/enabled", [("system.transparent_hugepage", "never", "")]),
    ("sysctl -w vm.dirty_ratio=5 vm.swappiness=1", [("sysctl.vm.dirty_ratio", 5, ""), ("sysctl.vm.swappiness", 1, "")]),
    ("sysctl vfs.zfs.arc_max=1073741824", [("sysctl.vfs.zfs.arc_max", 1073741824, "")]),
    ("hdparm -W0 /dev/sda /dev/sdb", [("block.write_cache", "off", "/dev/sda"), ("block.write_cache", "off", "/dev/sdb")]),
    ("hdparm -A 1 -a256 /dev/sda", [("block.look_ahead", "on", "/dev/sda"), ("block.read_ahead_kb", 128, "/dev/sda")]),
    ("blockdev --setra 8192 /dev/md0", [("block.read_ahead_kb", 4096, "/dev/md0")]),
    ("nvme set-feature /dev/nvme0 -f 6 -v 0", [("block.write_cache", "off", "/dev/nvme0")]),
    ("nvme set-feature --feature-id=0x06 --value=0x1 /dev/nvme0", [("block.write_cache", "on", "/dev/nvme0")]),
    ("sdparm --clear=WCE /dev/sda", [("block.write_cache", "off", "/dev/sda")]),
    ("sdparm --set WCE=1 /dev/sda", [("block.write_cache", "on", "/dev/sda")]),
    ("smartctl -s wcache,off /dev/sda", [("block.write_cache", "off", "/dev/sda")]),
    ("tuned-adm profile throughput-performance", [("system.tuned", "throughput-performance", "")]),
    ("cpupower frequency-set -g performance", [("system.governor", "performance", "")]),
    ("modprobe zfs zfs_arc_max=1024", [("module.zfs.zfs_arc_max", 1024, "")]),
    ("echo zil_disable/W0t1 | mdb -kw", [("system.zfs.zil_disable", 1, "")]),
    ("echo zfs_vdev_max_pending/W0xa | mdb -kw", [("system.zfs.zfs_vdev_max_pending", 10, "")]),
    ("echo 3 > /proc/sys/vm/drop_caches", [("state.caches_dropped", "dropped", "")]),
    ("sudo sh -c 'echo 1 > /proc/sys/vm/drop_caches'", [("state.caches_dropped", "dropped", "")]),
    ("echo 2 > /proc/sys/vm/drop_caches", []),
    ("sysctl -w vm.drop_caches=3", [("state.caches_dropped", "dropped", "")]),
    ("sysctl -a", []),
    ("hdparm -tT /dev/sda", []),
    ("hdparm -W /dev/sda", []),
    ("echo $s > /sys/block/$d/queue/scheduler", []),
    ("sysctl -w vm.dirty_ratio=$r", []),
    ("for d in sda sdb; do echo none > /sys/block/$d/queue/scheduler; done", []),
    ("echo 'unbalanced > /sys/block/sda/queue/scheduler", []),
]


def _sets(content: str, path: str = "log.txt") -> list[tuple[str, object, str]]:
    clues = [clue for clue in read_items(content, path, "setting commands") if isinstance(clue, Clue)]
    assert all((clue.kind, clue.effect, clue.by_person) == ("command", "sets", True) for clue in clues)
    return [(clue.key, clue.value, clue.subject) for clue in clues]


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_commands(command, expected):
    assert _sets(PROMPT + command + "\n" + PROMPT + "date\n") == expected


@pytest.mark.parametrize(
    "error", ["-bash: echo: write error: Invalid argument", "sysctl: permission denied on key 'vm.dirty_ratio'"]
)
def test_commands_that_failed_set_nothing(error):
    assert not _sets(f"{PROMPT}sysctl -w vm.dirty_ratio=5\n{error}\n")


def test_scripts_set_what_they_always_do():
    script = "#!/bin/sh\nsysctl -w vm.dirty_ratio=5\nif true; then\n  sysctl -w vm.swappiness=1\nfi\n# sysctl -w vm.x=1\n"
    assert _sets(script, "run.sh") == [("sysctl.vm.dirty_ratio", 5, "")]


def test_prose_sets_nothing():
    assert not _sets("Run this first:\n\nsysctl -w vm.dirty_ratio=5\n", "README.md")
