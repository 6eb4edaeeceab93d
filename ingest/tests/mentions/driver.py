#!/usr/bin/env python3
"""Runs IOR on Lustre, BeeGFS or ZFS.

Usage:

    zpool create tank raidz2 sda sdb sdc sdd
    driver.py --fs zfs /tank

filesystem: zfs
compression: lz4
"""

# Lustre only
# Ubuntu 20.04
import os
import subprocess

fs = "lustre"
compression = "lz4"
recordsize = "128K"
FS = os.environ.get("FS", "beegfs")
# fs=gpfs
COMMANDS = {
    "zfs": "zpool create tank mirror sda sdb",
    "xfs": """
mkfs.xfs /dev/sdb
mount -t xfs /dev/sdb /mnt/xfs
""",
}
# mount -t nfs server:/export /mnt/nfs
for kind, command in COMMANDS.items():
    print("filesystem:", kind)
    subprocess.run(command, shell=True)
