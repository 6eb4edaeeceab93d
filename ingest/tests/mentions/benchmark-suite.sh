#!/bin/bash
# Runs the benchmark with the parameters of an ini file.
#
# 1. Find: for GPFS, we recommend the wrapper of its policy engine.
# 2. Set the striping of the folders below.

# ZFS on Linux
# Ubuntu 22.04, Linux 5.15.0
#fs=beegfs
#fs_type=xfs compression=lz4
# compression: lz4
## RAIDZ2, no L2ARC
######### ZFS LZ4
benchmark_ini="$1"
mpiargs="-np 2"  # on Lustre use 4

function setup {
  mkdir -p "$workdir"
  # Example commands to create output directories for Lustre. Creating
  # top-level directories is allowed, but not the whole directory tree.
  # lfs setstripe -c 1 $workdir
  # mount -t nfs server:/export /mnt/nfs
  # zfs set compression=lz4 tank/data
  #if (( $(lfs df $workdir | grep -c MDT) > 1 )); then
  #  lfs setdirstripe -D -c -1 $workdir
  #fi
  : "${workdir:?}"
}

usage() {
  echo "usage: $0 [-t TYPE] INI"
  echo "  mount -t beegfs beegfs_nodev /mnt/beegfs    before the first run"
  echo "fs=xfs"
  cat <<EOF
Mount the file system first:
    mount -t cephfs mon:/ /mnt/ceph
    zpool create tank raidz2 sda sdb sdc sdd
filesystem: ext4
compression: zstd
OS: Debian 12
mon:/ on /mnt/ceph type ceph (rw,noatime)
EOF
}

if [ "$TYPE" = nfs ]; then
    mount -t nfs server:/export /mnt/test
elif [ "$TYPE" = xfs ]; then
    mkfs.xfs -f /dev/sdb1
    mount -t xfs /dev/sdb1 /mnt/test
fi
case "$TYPE" in
    zfs) zpool create tank mirror sda sdb ;;
esac
setup
$mpirun $mpiargs ./io500 "$benchmark_ini"
