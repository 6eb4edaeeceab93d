"""Listings of sysctl, files of settings, modules and /etc/system."""

from __future__ import annotations

import pytest

from ingest.records import Clue
from ingest.tests.context_reading import read_items

PROMPT = "root@nas:~# "
MANY = "".join(f"net.ipv4.conf.eth{n}.forwarding = 0\n" for n in range(50))


def _told(content: str, path: str = "file.txt", only: str = "sysctl") -> dict[str, object]:
    return {clue.key: clue.value for clue in read_items(content, path, only) if isinstance(clue, Clue)}


DIRTY = {"sysctl.vm.dirty_ratio": 20}
LISTINGS = [
    (PROMPT + "sysctl vm.dirty_ratio\nvm.dirty_ratio = 20\n", "f.txt", DIRTY),
    (PROMPT + "sysctl -a | grep dirty_ratio\nvm.dirty_ratio = 20\n", "f.txt", DIRTY),
    (PROMPT + "sysctl -n vm.dirty_ratio\n20\n", "f.txt", DIRTY),
    (PROMPT + "sysctl vfs.zfs.arc_max\nvfs.zfs.arc_max: 8589934592\n", "f.txt", {"sysctl.vfs.zfs.arc_max": 8589934592}),
    (PROMPT + "sysctl vfs.zfs.arc_max=1024\nvfs.zfs.arc_max: 0 -> 1024\n", "f.txt", {"sysctl.vfs.zfs.arc_max": 1024}),
    (PROMPT + "sysctl vm.dirty_rati\nsysctl: cannot stat /proc/sys/vm/dirty_rati: No such file or directory\n", "f.txt", {}),
    ("== sysctl vm ==\nvm.dirty_ratio = 20\n", "f.txt", DIRTY),
    ("vm.dirty_ratio = 20\n", "sysctl-a.txt", DIRTY),
    ("vm.dirty_ratio = 20\n", "node1.sysctl", DIRTY),
    (MANY + "vm.dirty_ratio = 20\n", "f.txt", DIRTY),
    ("kern.geom.confxml: <mesh>\n  <class>\n", "sysctl.txt", {"sysctl.kern.geom.confxml": "<mesh>"}),
    ("vm.dirty_ratio = 20\n", "notes.txt", {}),
    ("Put this into the file:\n\nvm.dirty_ratio = 20\nvm.swappiness = 1\n", "README.md", {}),
    ("vm.dirty_ratio = 20\n", "tuning.conf", {}),
]


@pytest.mark.parametrize(("content", "path", "expected"), LISTINGS)
def test_listings(content, path, expected):
    told = _told(content, path)
    assert {key: value for key, value in told.items() if ".forwarding" not in key} == expected


SETTINGS = [
    ("sysctl", "etc/sysctl.conf", "# comment\nvm.dirty_ratio=5\n", {"sysctl.vm.dirty_ratio": 5}),
    ("sysctl", "run/etc/sysctl.d/90-zfs.conf", "vm/swappiness = 1\n", {"sysctl.vm.swappiness": 1}),
    ("sysctl", "boot/loader.conf", 'zfs_load="YES"\nvfs.zfs.arc_max="8G" # half\n', {"sysctl.vfs.zfs.arc_max": 8 * 2**30}),
    ("sysctl", "loader.conf.local", 'hw.ata.wc="0"\n', {"sysctl.hw.ata.wc": 0}),
    (
        "modules",
        "etc/modprobe.d/zfs.conf",
        "# options zfs zfs_flags=1\noptions zfs zfs_arc_max=1073741824 zfs_txg_timeout=10\n",
        {"module.zfs.zfs_arc_max": 1073741824, "module.zfs.zfs_txg_timeout": 10},
    ),
    ("modules", "notes.conf", "options zfs zfs_arc_max=1073741824\n", {}),
    (
        "system settings",
        "etc/system",
        "* set zfs:zfs_nocacheflush=1\nset zfs:zil_disable=1\nset maxphys = 0x100000\n",
        {"system.zfs.zil_disable": 1, "system.maxphys": 1048576},
    ),
    ("system settings", "system", "set zfs:zil_disable = 1\n", {"system.zfs.zil_disable": 1}),
    ("system settings", "notes.txt", PROMPT + "cat /etc/system\nset zfs:zil_disable=1\n", {"system.zfs.zil_disable": 1}),
    ("system settings", "notes.txt", PROMPT + "grep zfs /etc/system\nset zfs:zil_disable=1\n", {"system.zfs.zil_disable": 1}),
    ("system settings", "notes.txt", "Add to /etc/system:\nset zfs:zil_disable=1\n", {}),
]


@pytest.mark.parametrize(("reader", "path", "content", "expected"), SETTINGS)
def test_files_that_set(reader, path, content, expected):
    clues = [clue for clue in read_items(content, path, reader) if isinstance(clue, Clue)]
    assert {clue.key: clue.value for clue in clues} == expected and all(clue.by_person for clue in clues)


SYSTOOL = """Module = "zfs"

  Attributes:
    coresize            = "3358720"

  Parameters:
    zfs_arc_max         = "8589934592"
    zfs_fletcher_4_impl = "[fastest] scalar sse2"

  Sections:
    .bss                = "0x0"
"""


def test_systool():
    expected = {"module.zfs.zfs_arc_max": 8589934592, "module.zfs.zfs_fletcher_4_impl": "fastest"}
    assert _told(SYSTOOL, only="modules") == expected


def test_modinfo_lists_what_could_be_set():
    content = "filename:       /lib/modules/6.1/zfs.ko\nparm:           zfs_arc_max:Maximum ARC size in bytes (ulong)\n"
    assert not [clue for clue in read_items(content) if clue.key.startswith("module.")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Current active profile: throughput-performance\n", {"system.tuned": "throughput-performance"}),
        ("No current active profile.\n", {"system.tuned": "off"}),
        ('  The governor "performance" may decide which speed to use\n' * 2, {"system.governor": "performance"}),
    ],
)
def test_system_settings(content, expected):
    assert _told(content, only="system settings") == expected
