"""Two folders that differ in one property of any namespace are two configurations; with none they are one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.keys import KEYS
from ingest.open_keys import is_identity
from ingest.tests.whole import read_measurements

DD = """$ dd if=/dev/zero of={folder}/x bs=1M count=1000 oflag=direct
1048576000 bytes (1.0 GB, 1000 MiB) copied, {time} s, 190 MB/s
"""
ZFS = "NAME  PROPERTY              VALUE                  SOURCE\n" + "".join(
    f"tank  {name:<20}  {value:<21}  {source}\n"
    for name, value, source in [
        ("type", "filesystem", "-"),
        ("used", "{used}", "-"),
        ("available", "{available}", "-"),
        ("mountpoint", "/tank", "default"),
        ("recordsize", "128K", "default"),
        ("compression", "lz4", "local"),
        ("atime", "off", "local"),
        ("primarycache", "{primarycache}", "default"),
        ("secondarycache", "all", "default"),
        ("logbias", "{logbias}", "default"),
        ("encryption", "{encryption}", "default"),
        ("checksum", "{checksum}", "default"),
        ("redundant_metadata", "{redundant}", "default"),
        ("xattr", "{xattr}", "default"),
        ("special_small_blocks", "{small}", "default"),
    ]
)
ZPOOL = "NAME  PROPERTY                       VALUE     SOURCE\n" + "".join(
    f"tank  {name:<29}  {value:<8}  {source}\n"
    for name, value, source in [
        ("size", "{used}", "-"),
        ("ashift", "12", "local"),
        ("autotrim", "{autotrim}", "default"),
        ("feature@large_blocks", "{feature}", "local"),
        ("feature@lz4_compress", "active", "local"),
    ]
)
MOUNTS = "/dev/sdb1 /srv/a ext4 rw,noatime{option} 0 0\nproc /proc proc rw,nosuid 0 0\n"
QUEUE = "".join(
    f"/sys/block/sdb/queue/{name}:{value}\n"
    for name, value in [
        ("scheduler", "{scheduler}"),
        ("read_ahead_kb", "{ahead}"),
        ("write_cache", "{cache}"),
        ("nr_requests", "{requests}"),
        ("iostats", "1"),
    ]
)
SYSCTL = "$ sysctl -a\n" + "".join(
    f"{name} = {value}\n"
    for name, value in [
        ("fs.file-nr", "{used}\t0\t9223372036854775807"),
        ("kernel.random.entropy_avail", "{available}"),
        ("net.ipv4.tcp_rmem", "4096\t131072\t6291456"),
        ("vm.dirty_ratio", "{dirty}"),
        ("vm.dirty_expire_centisecs", "{expire}"),
        ("vm.swappiness", "60"),
    ]
)
MODULE = "/sys/module/zfs/parameters/zfs_arc_max:{arc}\n/sys/module/zfs/parameters/zfs_prefetch_disable:{prefetch}\n"
DUMPS = {"/tank": {"zfs-get-all.txt": ZFS, "zpool-get-all.txt": ZPOOL}, "/srv/a": {"mounts.txt": MOUNTS}}
COMMON = {"queue.txt": QUEUE, "sysctl.txt": SYSCTL, "module.txt": MODULE}
DEFAULTS = {
    "used": "96K",
    "available": "3.75G",
    "primarycache": "all",
    "logbias": "latency",
    "encryption": "off",
    "checksum": "on",
    "redundant": "all",
    "xattr": "on",
    "small": "0",
    "autotrim": "off",
    "feature": "enabled",
    "option": ",commit=5",
    "scheduler": "[mq-deadline] none",
    "ahead": "128",
    "cache": "write back",
    "requests": "64",
    "dirty": "20",
    "expire": "3000",
    "arc": "0",
    "prefetch": "0",
}
CHANGES = [  # folder that is measured, what differs, its key
    ("/tank", {"primarycache": "metadata"}, "zfs.primarycache"),
    ("/tank", {"logbias": "throughput"}, "zfs.logbias"),
    ("/tank", {"encryption": "aes-256-gcm"}, "zfs.encryption"),
    ("/tank", {"checksum": "sha256"}, "zfs.checksum"),
    ("/tank", {"redundant": "most"}, "zfs.redundant_metadata"),
    ("/tank", {"xattr": "sa"}, "zfs.xattr"),
    ("/tank", {"small": "32K"}, "zfs.special_small_blocks"),
    ("/tank", {"autotrim": "on"}, "zpool.autotrim"),
    ("/tank", {"feature": "disabled"}, "zpool.feature@large_blocks"),
    ("/srv/a", {"option": ",commit=30"}, "mount.commit"),
    ("/srv/a", {"option": ",commit=5,nobarrier"}, "mount.barrier"),
    ("/srv/a", {"option": ",commit=5,data=writeback"}, "mount.data"),
    ("/srv/a", {"scheduler": "mq-deadline [none]"}, "block.scheduler"),
    ("/srv/a", {"ahead": "4096"}, "block.read_ahead_kb"),
    ("/srv/a", {"cache": "write through"}, "block.write_cache"),
    ("/srv/a", {"requests": "256"}, "block.nr_requests"),
    ("/tank", {"dirty": "40"}, "sysctl.vm.dirty_ratio"),
    ("/srv/a", {"expire": "500"}, "sysctl.vm.dirty_expire_centisecs"),
    ("/tank", {"arc": "8589934592"}, "module.zfs.zfs_arc_max"),
    ("/tank", {"prefetch": "1"}, "module.zfs.zfs_prefetch_disable"),
]


def _identities(folder: str, first: dict[str, str], second: dict[str, str]) -> dict[str, dict]:
    """Top folder -> identity of its results. Each folder has its own dumps and its own times."""
    files = {}
    for name, changes, seconds in (("a", first, "5.5"), ("b", second, "5.6")):
        dumps = {**COMMON, **DUMPS[folder]}
        files |= {f"{name}/{file}": text.format(**DEFAULTS | changes) for file, text in dumps.items()}
        files[f"{name}/dd.txt"] = DD.format(folder=folder, time=seconds)
    return {
        m.file[0]: {key: value for key, value in m.config.items() if key in KEYS or key in m.chosen or is_identity(key)}
        for m in read_measurements(files)
    }


@pytest.mark.parametrize(("folder", "change", "key"), CHANGES, ids=[key for _, _, key in CHANGES])
def test_the_property_tells_them_apart(folder, change, key):
    found = _identities(folder, {}, change)
    assert found["a"] != found["b"]
    assert {name for name in {**found["a"], **found["b"]} if found["a"].get(name) != found["b"].get(name)} == {key}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(CHANGES), st.sampled_from(CHANGES), st.integers(1, 900), st.integers(1, 900))
def test_as_many_configurations_as_settings(one, other, used, available):
    """Space used and counters differ always; properties of the dumps that both folders have decide."""
    folder = one[0]
    second = other[1] if other[0] == folder else {}
    found = _identities(folder, one[1], second | {"used": f"{used}M", "available": f"{available}G"})
    assert (found["a"] == found["b"]) == (one[1] == second)
