"""An archive of the kit lacks nothing that the page of an archive asks for: every key that a command would print is known."""

from __future__ import annotations

import pytest

from client.tests.running import KIT, Stage
from ingest import read
from ingest.records import Measurement
from webapp.archives.completeness import EVIDENCE_ITEMS, applicable_items, find_missing_keys

SAMPLES = KIT.parents[1] / "ingest" / "tests" / "samples" / "context"
LSBLK = """NAME    TYPE   SIZE ROTA MODEL                REV  TRAN   FSTYPE     MOUNTPOINT
sda     disk   3.6T    1 WDC WD40EFRX-68N32N0 82.0 sata              /srv
nvme0n1 disk 931.5G    0 Samsung SSD 980 1TB  3B4Q nvme   ext4       /
"""
IP_LINK = """1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
"""
MOUNTED = {
    "ext4": "/dev/sda1 /tank ext4 rw,relatime 0 0",
    "xfs": "/dev/sda1 /tank xfs rw,relatime,attr2,inode64,logbufs=8,noquota 0 0",
    "btrfs": "/dev/sda1 /tank btrfs rw,relatime,compress=zstd:3,space_cache=v2,subvolid=5,subvol=/ 0 0",
    "zfs": "tank /tank zfs rw,noatime,xattr,noacl 0 0",
    "nfs": "filer:/export /tank nfs4 rw,relatime,vers=4.2,rsize=1048576,wsize=1048576,proto=tcp 0 0",
}


def _outfit(stage: Stage, mounted: str, kind: str) -> None:
    """Programs that print what they print on a machine with two disks and that file system."""
    texts = {"lsblk.txt": LSBLK, "ip.txt": IP_LINK, "zfs.txt": (SAMPLES / "zfs-get-all.txt").read_text()}
    texts["zfs.txt"] += "tank  sync                  standard               default\n"
    for name, text in texts.items():
        (stage.folder / name).write_text(text)
    stage.program("lsblk", f'[ "$1" != -o ] || cat {stage.folder}/lsblk.txt')
    stage.program("ip", f"cat {stage.folder}/ip.txt")
    remote = "exit 0" if kind == "nfs" else "exit 1"
    asked = '"/tank /proc/mounts" | "-v "*" /proc/mounts"'
    script = f'case "$*" in {asked}) echo "{mounted}" ;; *fuse.glusterfs*) {remote} ;; *) exec /bin/grep "$@" ;; esac'
    stage.program("grep", script)
    stage.program("btrfs", f'[ "$2" != usage ] || sed s,/mnt/bench,/tank, {SAMPLES}/btrfs-filesystem-usage.txt')
    if kind == "zfs":
        status, listed, properties = (f"cat {SAMPLES}/zpool-{name}.txt" for name in ("status", "list", "get-all"))
        answers = f'"list -H") echo tank ;; status*) {status} ;; list*) {listed} ;; get*) {properties} ;;'
        stage.program("zpool", f'case "$1 $2" in {answers} esac')
        stage.program("zfs", f"case $1 in version) echo zfs-2.1.11-1 ;; get) cat {stage.folder}/zfs.txt ;; esac")
    stage.program("dd", "exec /bin/dd if=/dev/zero of=data bs=1M count=4")


@pytest.mark.parametrize("kind", MOUNTED)
def test_an_archive_of_the_kit_lacks_no_key(tmp_path, kind):
    stage = Stage(tmp_path)
    _outfit(stage, MOUNTED[kind], kind)
    archive = stage.capture("--no-drop", "--show", "grep /tank /proc/mounts", "--", "dd", "if=/dev/zero", "of=/tank/x")
    measured = [record for record in read([archive]) if isinstance(record, Measurement)]
    assert measured and {record.config.get("fs.type") for record in measured} == {kind}
    assert find_missing_keys([(record.config.get, 1) for record in measured]) == []


def test_every_item_that_a_page_asks_for_concerns_one_of_these():
    asked = {id(item) for kind in MOUNTED for item in applicable_items({"fs.type": kind}.get)}
    assert asked == {id(item) for item in EVIDENCE_ITEMS}
