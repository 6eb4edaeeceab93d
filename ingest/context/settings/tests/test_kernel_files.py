"""Files of /sys and /proc in the forms that people show them."""

from __future__ import annotations

import pytest

from ingest import plugin_api
from ingest.records import Clue, Doubt
from ingest.tests.context_reading import read_items

PROMPT = "root@nas:~# "


def _told(content: str, path: str = "file.txt", only: str = "kernel files") -> dict[tuple[str, str], object]:
    """(key, subject) -> value."""
    return {(clue.key, clue.subject): clue.value for clue in read_items(content, path, only) if isinstance(clue, Clue)}


SCHEDULER = {("block.scheduler", "/dev/sda"): "mq-deadline"}
FORMS = [
    ("/sys/block/sda/queue/scheduler:[mq-deadline] kyber none\n", SCHEDULER),
    ("/sys/block/sda/queue/scheduler: none [mq-deadline]\n", SCHEDULER),
    ("  /sys/block/sda/queue/scheduler = [mq-deadline] none\n", SCHEDULER),
    ("/sys/class/block/sda/queue/scheduler:[mq-deadline] none\n", SCHEDULER),
    ("/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/block/sda/queue/scheduler:[mq-deadline] none\n", SCHEDULER),
    ("==> /sys/block/sda/queue/scheduler <==\nnone [mq-deadline]\n\n", SCHEDULER),
    (PROMPT + "cat /sys/block/sda/queue/scheduler\nnone [mq-deadline]\n", SCHEDULER),
    ("/sys/block/nvme0n1/queue/scheduler:none\n", {("block.scheduler", "/dev/nvme0n1"): "none"}),
    ("/sys/block/cciss!c0d0/queue/nr_requests:128\n", {("block.nr_requests", "/dev/cciss/c0d0"): 128}),
    ("/sys/block/sda/queue/iosched/fifo_batch:16\n", {("block.iosched.fifo_batch", "/dev/sda"): 16}),
    ("/sys/block/sda/queue/write_cache:write back\n", {("block.write_cache", "/dev/sda"): "on"}),
    ("/sys/block/sda/queue/write_cache:write through\n", {("block.write_cache", "/dev/sda"): "off"}),
    ("/sys/block/sda/device/queue_depth:31\n", {("block.queue_depth", "/dev/sda"): 31}),
    ("/sys/class/nvme/nvme0/firmware_rev:EXA7301Q\n", {("block.firmware", "/dev/nvme0"): "EXA7301Q"}),
    ("/sys/block/md0/md/stripe_cache_size:4096\n", {("raid.stripe_cache_size", "/dev/md0"): 4096}),
    ("/sys/module/zfs/parameters/zfs_arc_max:8589934592\n", {("module.zfs.zfs_arc_max", ""): 8589934592}),
    (
        "/sys/module/zfs/parameters/zfs_vdev_raidz_impl:cycle [fastest] original scalar\n",
        {("module.zfs.zfs_vdev_raidz_impl", ""): "fastest"},
    ),
    ("/proc/sys/vm/dirty_ratio:20\n", {("sysctl.vm.dirty_ratio", ""): 20}),
    ("==> /proc/sys/net/ipv4/tcp_rmem <==\n4096\t131072\t6291456\n", {("sysctl.net.ipv4.tcp_rmem", ""): "4096 131072 6291456"}),
    (PROMPT + "cat /sys/fs/cgroup/memory/bench/memory.limit_in_bytes\n268435456\n", {("system.memory_limit", ""): 268435456}),
    (PROMPT + "cat /sys/fs/cgroup/memory/memory.limit_in_bytes\n9223372036854771712\n", {}),
    ("/sys/fs/cgroup/user.slice/memory.max:1073741824\n", {("system.memory_limit", ""): 2**30}),
    ("/sys/fs/cgroup/user.slice/memory.max:max\n", {}),
    (
        "/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never\n",
        {("system.transparent_hugepage", ""): "madvise"},
    ),
    (
        "".join(f"/sys/devices/system/cpu/cpu{n}/cpufreq/scaling_governor:performance\n" for n in range(4)),
        {("system.governor", ""): "performance"},
    ),
    (
        "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor:powersave\n"
        "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor:performance\n",
        {("system.governor", ""): "performance + powersave"},
    ),
    (
        PROMPT
        + "cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=UUID=1-2 ro quiet mitigations=off isolcpus=2-7 zfs.zfs_arc_max=1073741824\n",
        {
            ("system.cmdline.mitigations", ""): "off",
            ("state.mitigations", ""): "off",
            ("system.cmdline.isolcpus", ""): "2-7",
            ("system.cmdline.zfs.zfs_arc_max", ""): 1073741824,
        },
    ),
    (
        "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz elevator=noop\n",
        {("system.cmdline.elevator", ""): "noop", ("state.mitigations", ""): "auto"},
    ),
    (
        PROMPT + "cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz ro nopti mitigations=auto,nosmt l1tf=off quiet\n",
        {("system.cmdline.mitigations", ""): "auto,nosmt", ("state.mitigations", ""): "auto,nosmt l1tf=off nopti"},
    ),
    (
        PROMPT + "cat /sys/block/sda/queue/scheduler /sys/block/sdb/queue/scheduler\n[none] bfq\nnone [bfq]\n",
        {("block.scheduler", "/dev/sda"): "none", ("block.scheduler", "/dev/sdb"): "bfq"},
    ),
    (PROMPT + "cat /sys/block/sd*/queue/scheduler\n[none] bfq\n[none] bfq\n", {("block.scheduler", ""): "none"}),
    (PROMPT + "cat /sys/block/sd*/queue/scheduler\n[none] bfq\nnone [bfq]\n", {}),
    (PROMPT + "cat /sys/block/sdz/queue/scheduler\ncat: /sys/block/sdz/queue/scheduler: No such file or directory\n", {}),
    ("Set /sys/block/sda/queue/scheduler to none for SSDs.\n", {}),
    ("echo none > /sys/block/sda/queue/scheduler\n", {}),
    ("/sys/block/sda/queue/scheduler\n", {}),
    ("==> /sys/block/sda/queue/scheduler <==\n==> /sys/block/sdb/queue/scheduler <==\n", {}),
]


@pytest.mark.parametrize(("content", "expected"), FORMS)
def test_forms(content, expected):
    assert _told(content) == expected


FILES = [
    ("run1/sys/block/sda/queue/scheduler", "none [mq-deadline]\n", SCHEDULER),
    ("proc/sys/vm/swappiness", "10\n", {("sysctl.vm.swappiness", ""): 10}),
    ("host/sys/module/zfs/parameters/zfs_txg_timeout", "5\n", {("module.zfs.zfs_txg_timeout", ""): 5}),
    (
        "proc/cmdline",
        "root=/dev/sda1 mitigations=off\n",
        {("system.cmdline.mitigations", ""): "off", ("state.mitigations", ""): "off"},
    ),
    ("run1/scheduler", "none [mq-deadline]\n", {}),
    ("sys/block/sda/queue/scheduler", "", {}),
    ("sys/block/sda/queue/scheduler", "none\nbfq\n", {}),
    ("sys/block/sda/queue/scheduler.txt", "none\n", {}),
]


@pytest.mark.parametrize(("path", "content", "expected"), FILES)
def test_the_files_themselves(path, content, expected):
    assert _told(content, path, "archived kernel files") == expected


def test_options_of_the_command_line_are_somebodys_choice():
    clue, state = read_items("/proc/cmdline:ro mitigations=off\n", only="kernel files")
    assert clue.by_person and clue.raw == state.raw == "mitigations=off" and state.key == "state.mitigations"


def test_more_settings_than_anyone_needs_are_cut_with_a_warning(monkeypatch):
    monkeypatch.setattr(plugin_api, "MOST_CLUES", 100)
    items = read_items("".join(f"/sys/block/sd{n}/queue/nr_requests:64\n" for n in range(150)), only="kernel files")
    assert len(items) == 101 and isinstance(items[-1], Doubt) and (items[-1].code, items[-1].line) == ("limit", 101)
