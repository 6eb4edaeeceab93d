"""Open keys: namespaces, allow lists, spelling."""

import pytest

from ingest import open_keys
from ingest.keys import KEYS, find_key, is_key
from ingest.pipeline.read import read


@pytest.mark.parametrize(
    ("key", "identity", "chosen", "bulk"),
    [
        ("zfs.primarycache", True, True, False),
        ("zfs.used", False, True, False),
        ("zfs.mountpoint", False, False, False),
        ("zfs.com.example:note", False, False, False),
        ("zpool.feature@lz4_compress", True, True, False),
        ("mount.commit", True, True, False),
        ("sysctl.vm.dirty_ratio", True, True, False),
        ("sysctl.kernel.random.entropy_avail", False, True, True),
        ("module.zfs.zfs_vdev_async_read_max_active", True, True, False),
        ("module.zfs.zfs_flags", False, True, True),
        ("system.zfs.zil_disable", True, True, False),
        ("x.rack", True, True, False),
    ],
)
def test_identity(key, identity, chosen, bulk):
    assert is_key(key) and find_key(key).part == "open"
    assert (open_keys.is_identity(key), open_keys.may_be_chosen(key), open_keys.is_bulk(key)) == (identity, chosen, bulk)


@pytest.mark.parametrize("text", ["", "zfs", "zfs.", "foo.bar", "ZFS.primarycache", "zfs.a b", "zfs." + "a" * 200, "block.\n"])
def test_no_open_key(text):
    assert not is_key(text) and find_key(text) is None and not open_keys.is_identity(text)


def test_namespaces_do_not_hide_registered_keys():
    assert all(open_keys.namespace_of(name) is None for name in KEYS)


@pytest.mark.parametrize("space", open_keys.NAMESPACES.values(), ids=lambda space: space.name)
def test_no_name_stands_twice(space):
    names = " ".join(space.identity.values()).split()
    assert len(names) == len(set(names)) and all(reason.strip() for reason in space.identity) and space.source
    assert not set(names) & set(space.never.split())


@pytest.mark.parametrize(
    ("key", "printed", "value"),
    [
        ("zfs.primarycache", "Metadata", "metadata"),
        ("zfs.volblocksize", "8K", 8192),
        ("zfs.special_small_blocks", "0", 0),
        ("zpool.feature@lz4_compress", "active", "on"),
        ("zpool.feature@lz4_compress", "enabled", "on"),
        ("zpool.feature@lz4_compress", "disabled", "off"),
        ("sysctl.net.ipv4.tcp_rmem", "4096\t131072\t6291456", "4096 131072 6291456"),
        ("module.zfs.zfs_arc_max", "8589934592", 8589934592),
        ("block.firmware", "EXA7301Q", "EXA7301Q"),
        ("block.firmware", "0012", "0012"),
        ("x.fast", True, "on"),
        ("x.rack", 3, 3),
        ("zfs.origin", "-", None),
        ("zfs.primarycache", "  ", None),
        ("x.note", "a" * 300, None),
    ],
)
def test_spelling(key, printed, value):
    assert open_keys.spell_open_value(key, printed) == value


def test_manifest_gives_keys_of_ones_own(tmp_path):
    (tmp_path / "poolmark.toml").write_text('[configuration]\nx.rack = 7\nzfs.logbias = "throughput"\nsysctl.kernel.foo = 3\n')
    (tmp_path / "dd.txt").write_text("1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.5 s, 190 MB/s\n")
    record = next(record for record in read([tmp_path]) if type(record).__name__ == "Measurement")
    assert record.config == {"sysctl.kernel.foo": 3, "x.rack": 7, "zfs.logbias": "throughput"}
    assert record.config_from["x.rack"] == "poolmark.toml:2" and record.chosen == {"sysctl.kernel.foo", "x.rack", "zfs.logbias"}
