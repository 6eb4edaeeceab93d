"""Recipes captured on file systems of loop devices, where root may mount them: `python -m client.tests.loop_devices FOLDER` records
the captures that stand in for that elsewhere. ZFS, of which only that makes a pool, needs its module or daemon.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from client.tests.running import KIT

TOOLS = ("bonnie++", "fio", "dd", "rsync")
_MAKE = {"ext4": "mkfs.ext4 -q -F", "xfs": "mkfs.xfs -q -f", "btrfs": "mkfs.btrfs -q -f"}
_RUNS = (
    "bonnie++ -u root -d {0} -s 8m -r 4 -n 1 -f",
    "fio --name=randwrite --filename={0}/file --size=4M --bs=4k --rw=randwrite --fsync=1 --time_based --runtime=1",
    "dd if=/dev/urandom of={0}/file bs=1M count=8 conv=fsync",
    "dd if={0}/file of=/dev/null bs=1M",
    "rm -rf {0}/copy; rsync -a --stats {0}/source/ {0}/copy/",
)
_FIO = (
    "rm -f {0}/file; fio --name=write --filename={0}/file --size=8M --bs=1M --rw=write --end_fsync=1 --refill_buffers",
    "fio --name=read --filename={0}/file --size=8M --bs=1M --rw=read",
)
_BLOCKS = ("-n", "3", "--sessions", "2", "--pause", "1s")
_SHOWN = ("--show", "grep {0} /proc/mounts", "--show", "df -T {0}")
_NEW = "umount {0}; {1} {2} && mount -o noatime{3} {2} {0}"


def _options(name: str, folder: str, device: str) -> list[str]:
    """Of the kit, for the recipe of that name."""
    options: Sequence[str]
    if name == "two-file-systems":
        made = (("ext4", "ext4", ""), ("xfs", "xfs", ""), ("btrfs", "btrfs", ""), ("btrfs-zstd", "btrfs", ",compress=zstd:3"))
        settings = ((word, _NEW.format(folder, _MAKE[fs], device, option)) for word, fs, option in made)
        options = (*_BLOCKS, *(word for name, line in settings for word in ("--set", line, "--as", name)), *_SHOWN)
    elif name == "btrfs-compression":
        settings = ((value.replace(":", "-"), f"mount -o remount,compress={value} {folder}") for value in ("none", "zstd:1"))
        options = (*_BLOCKS, *(word for name, line in settings for word in ("--set", line, "--as", name)), *_SHOWN[:2])
    elif name == "zfs-compression":
        options = (
            *_BLOCKS,
            *(word for value in ("lzjb", "gzip") for word in ("--set", f"zfs set compression={value} {folder[1:]}")),
        )
        options = (*options, "--show", f"zfs get compression,recordsize,atime,sync {folder[1:]}")
    else:
        options = ("-n", "3")
    runs = _RUNS if name.startswith("tools-") else _FIO
    return [option.format(folder) for option in (*options, *(word for run in runs for word in ("--run", run)))]


NAMES = ("tools-ext4", "tools-xfs", "tools-btrfs", "tools-zfs", "two-file-systems", "btrfs-compression", "zfs-compression")


def _sh(line: str) -> None:
    subprocess.run(["sh", "-ec", line], check=True, capture_output=True)


@contextmanager
def flocked(file: IO[str]) -> Iterator[None]:
    """Other processes wait: all captures are of one folder."""
    fcntl.flock(file, fcntl.LOCK_EX)
    yield


@contextmanager
def _mounted(fs: str) -> Iterator[tuple[str, str]]:
    """A new file system with something to copy; its folder and device."""
    image = Path("/tmp/poolmark-loop.img")
    _sh(f"rm -f {image}; truncate -s 330M {image}")
    device = subprocess.run(["losetup", "-f", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
    folder = "/tank/bench" if fs == "zfs" else "/mnt/bench"
    if fs == "zfs":
        _sh(f"zpool create tank {device}; zfs create tank/bench")
    else:
        _sh(f"mkdir {folder}; {_MAKE[fs]} {device}; mount -o noatime {device} {folder}")
    try:
        _sh(f"mkdir {folder}/source; seq 1000 > {folder}/source/numbers")
        yield folder, device
    finally:
        _sh("zpool destroy tank" if fs == "zfs" else f"umount {folder}; rmdir {folder}")
        _sh(f"losetup -d {device}; rm {image}")


def can_capture(name: str) -> bool:
    """Whether this machine has what the recipe needs, and nothing where it would mount. A test never makes or destroys a pool."""
    systems = _MAKE if name == "two-file-systems" else [name.removeprefix("tools-").removesuffix("-compression")]
    tools = TOOLS if name.startswith("tools-") else ()
    programs = ("losetup", "fio", *tools, *(f"mkfs.{fs}" for fs in systems))
    if os.geteuid() or "zfs" in name or not all(map(shutil.which, programs)) or Path("/mnt/bench").exists():
        return False
    return all(os.access(f"/dev/{device}", os.W_OK) for device in ("loop-control", "loop0"))


def capture(name: str, into: Path) -> Path:
    """The archive of a recipe that was captured."""
    fs = "ext4" if name == "two-file-systems" else re.findall("ext4|xfs|btrfs|zfs", name)[0]
    with Path("/tmp/poolmark-loop.lock").open("w") as lock, flocked(lock), _mounted(fs) as (folder, device):
        words = ["sh", str(KIT), "--out", name, "--seed", "7", *_options(name, folder, device)]
        subprocess.run(words, cwd=into, check=True, capture_output=True, timeout=600)
    return into / f"{name}.tar.gz"


if __name__ == "__main__":
    for name in sys.argv[2:] or NAMES:
        archive = capture(name, Path(sys.argv[1]))
        with tarfile.open(archive) as plain, tarfile.open(archive.with_suffix("").with_suffix(".tar.xz"), "w:xz") as packed:
            for member in plain:
                packed.addfile(member, plain.extractfile(member))
