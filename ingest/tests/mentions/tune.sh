#!/bin/sh
# sysctl -w vm.swappiness=1
# Write cache is:   Enabled
for disk in "$@"; do
    echo none > /sys/block/sda/queue/scheduler
    hdparm -W0 /dev/sda
done
if [ "$1" = fast ]; then
    sysctl -w vm.dirty_ratio=5
    echo 1 > /sys/module/zfs/parameters/zfs_nocacheflush
fi
cat <<END > /etc/sysctl.d/90-fast.conf
vm.dirty_ratio = 5
END
usage() {
    echo zil_disable/W0t1 | mdb -kw
}
