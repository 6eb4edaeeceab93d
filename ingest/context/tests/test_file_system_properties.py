"""Properties of file systems as open keys: mount options, how they were made, settings of Lustre."""

from __future__ import annotations

import time

import pytest

from ingest.open_keys import is_identity, namespace_of
from ingest.pipeline.read import read
from ingest.plugin_api import MOST_CLUES
from ingest.records import Clue, Doubt, Measurement
from ingest.state import is_state
from ingest.tests.context_reading import read_items

DD = "1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.5 s, 190 MB/s\n"


def open_values(content, path="file.txt", subject=None):
    """Open key -> value that the readers find, of one subject or of all."""
    return {
        clue.key: clue.value
        for clue in read_items(content, path)
        if isinstance(clue, Clue) and clue.effect != "ends" and namespace_of(clue.key) and subject in (None, clue.subject)
    }


def identity(content, path="file.txt", subject=None):
    return {key: value for key, value in open_values(content, path, subject).items() if is_identity(key)}


@pytest.mark.parametrize(
    ("listing", "expected"),
    [
        (
            "/dev/sdb1 on /srv/a type ext4 (rw,noatime,nodiratime,nobarrier,commit=30,data=writeback,nodelalloc,seclabel)\n",
            {
                "mount.diratime": "off",
                "mount.barrier": "off",
                "mount.commit": 30,
                "mount.data": "writeback",
                "mount.delalloc": "off",
            },
        ),
        ("/dev/sdb1 /srv/a ext3 rw,relatime,barrier=1,data=ordered 0 0\n", {"mount.barrier": "on", "mount.data": "ordered"}),
        ("/dev/sdb1 /srv/a reiserfs rw,barrier=none 0 0\n", {"mount.barrier": "off"}),
        ("/dev/sdb1 /srv/a reiserfs rw,barrier=flush 0 0\n", {"mount.barrier": "on"}),
        ("/dev/sdb1 on /srv/a type gfs2 (rw,nobarriers)\n", {"mount.barrier": "off"}),
        ("/dev/sdb1 on /srv/a type gfs2 (rw,barriers)\n", {"mount.barrier": "on"}),
        ("/dev/sdb1 /srv/a ext4 rw,relatime,barrier=0,dioread_lock 0 0\n", {"mount.barrier": "off", "mount.dioread_nolock": "off"}),
        (
            "/dev/sdb1 on /srv/a type xfs (rw,relatime,inode64,logbufs=8,logbsize=32k,noquota)\n",
            {"mount.inode64": "on", "mount.logbufs": 8, "mount.logbsize": 32768, "mount.quota": "off"},
        ),
        (
            "/dev/sdb1 on /srv/a type btrfs (rw,relatime,compress-force=zstd:3,nodatacow,nodatasum,discard=async,space_cache=v2"
            ",subvolid=5,subvol=/)\n",
            {
                "mount.compress-force": "on",
                "mount.datacow": "off",
                "mount.datasum": "off",
                "mount.discard": "async",
                "mount.space_cache": "v2",
            },
        ),
        ("/dev/ada0p2 on /srv/a (ufs, local, journaled soft-updates, noatime)\n", {"mount.soft-updates": "journaled"}),
        ("/dev/da2a on /srv/a (ufs, asynchronous, local, writes: sync 70 async 225)\n", {"mount.async": "on"}),
        ("/dev/disk1s1 on /srv/a (hfs, local, journaled, mounted by x)\n", {"mount.journaled": "on"}),
        (
            "TARGET SOURCE FSTYPE OPTIONS\n/srv/a /dev/sdb1 ext4   rw,relatime,stripe=64,lazytime\n",
            {"mount.stripe": 64, "mount.lazytime": "on"},
        ),
        (
            "/srv/a from nas:/vol\n Flags: rw,noatime,vers=4.1,rsize=262144,wsize=65536,hard,proto=tcp,nconnect=4,sec=sys,"
            "clientaddr=192.0.2.4,local_lock=none\n",
            {
                "mount.vers": "4.1",
                "mount.rsize": 262144,
                "mount.wsize": 65536,
                "mount.proto": "tcp",
                "mount.nconnect": 4,
                "mount.sec": "sys",
                "mount.local_lock": "none",
            },
        ),
        (
            "nas:/vol on /srv/a\nnfsv4,minorversion=2,tcp,resvport,hard,nocto,rsize=65536\n",
            {"mount.vers": "4.2", "mount.proto": "tcp", "mount.cto": "off", "mount.rsize": 65536},
        ),
        (
            "/srv/a on /dev/dsk/c0t0d0s0 read/write/setuid/devices/intr/largefiles/logging/xattr/onerror=panic/dev=2200008 on Sun"
            " Oct 24 08:57:24 2004\n",
            {"mount.logging": "on"},
        ),
        (
            "nas:/vol on /srv/a type nfs remote/read/write/setuid/vers=3/rsize=32768/nointr/xattr/dev=4e00001 on Thu Nov  4 2004\n",
            {"mount.vers": 3, "mount.rsize": 32768},
        ),
    ],
)
def test_mount_options(listing, expected):
    assert identity(listing, subject="/srv/a") == expected


def test_mount_of_sunos_shows_data_sets():
    listing = (
        "/export on tank/export read/write/setuid/devices/nonbmand/exec/xattr/noatime/dev=2d90007 on Thu Jun  3 15:41:28 2010\n"
    )
    found = {clue.key: clue.value for clue in read_items(listing, only="mount")}
    assert (found["fs.type"], found["pool.name"], found["pool.atime"]) == ("zfs", "tank", "off")
    assert found["mount.nbmand"] == "off" and not any(map(is_identity, found))


@pytest.mark.parametrize(
    ("listing", "path"),
    [
        ("UUID=0aab31a2-3c63-4c6f-bc4c-8f4b4bad66ac /srv/a ext4 rw,noatime,commit=30 0 0\n", "mounts"),
        ("/dev/sda1 / ext4 defaults 0 1\n/dev/sdb1 /srv/a ext4 rw,noatime,commit=30 0 0\n", "notes.txt"),
        ("/dev/sdb1 /srv/a ext4 rw,noatime,commit=30 0 0\n", "etc/fstab"),
        ("$ cat /etc/fstab\n/dev/sdb1 /srv/a ext4 rw,noatime,commit=30 0 0\n", "log.txt"),
    ],
)
def test_fstab_need_not_be_in_force(listing, path):
    assert open_values(listing, path).keys() <= {"block.devices"}
    assert any(clue.key == "fs.type" and clue.subject == "/srv/a" for clue in read_items(listing, path))


EXT = """\
Filesystem volume name:   <none>
Filesystem UUID:          {uuid}
Filesystem features:      has_journal ext_attr dir_index filetype {state}extent flex_bg sparse_super
Default mount options:    user_xattr acl
Free blocks:              {free}
Block size:               {block}
Flex block group size:    16
Inode size:\t          256
RAID stride:              16
RAID stripe width:        64
Default directory hash:   half_md4
Mount count:              {mounts}
Journal size:             64M
"""
XFS = """\
meta-data=/dev/sdb1              isize=512    agcount=4, agsize=262144 blks
         =                       sectsz=512   attr=2, projid32bit=1
         =                       crc=1        finobt=1, sparse=1, rmapbt=0
         =                       reflink={reflink}    bigtime=1 inobtcount=1 nrext64=0
data     =                       bsize=4096   blocks={blocks}, imaxpct=25
         =                       sunit=16     swidth=64 blks
naming   =version 2              bsize=8192   ascii-ci=0, ftype=1
log      ={log} bsize=4096   blocks=16384, version=2
         =                       sectsz=4096  sunit=1 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
"""
XFS_OLD = """\
meta-data=/dev/sdb1              isize=256    agcount=4, agsize=65536 blks
         =                       sectsz=512   attr=2, projid32bit=0
         =                       crc=0        finobt=0 spinodes=0
data     =                       bsize=4096   blocks=262144, imaxpct=25
         =                       sunit=0      swidth=0 blks, unwritten=1
naming   =version 2              bsize=4096
log      =/dev/sdc1              bsize=4096   blocks=2560, version=1
         =                       sectsz=512   sunit=0 blks, lazy-count=0
realtime =/dev/sdd1              extsz=65536  blocks=100, rtextents=100
"""
SUPER = """\
superblock: bytenr=65536, device=/dev/sdb
---------------------------------------------------------
csum_type\t\t1 (xxhash64)
csum_size\t\t8
flags\t\t\t0x1
\t\t\t( WRITTEN )
generation\t\t{generation}
sectorsize\t\t4096
nodesize\t\t16384
compat_ro_flags\t\t0x3
\t\t\t( FREE_SPACE_TREE |
\t\t\t  FREE_SPACE_TREE_VALID )
incompat_flags\t\t0x371
\t\t\t( MIXED_BACKREF |
\t\t\t  COMPRESS_ZSTD |
\t\t\t  NO_HOLES )
cache_generation\t0
"""
BTRFS_DF = """\
Data, {data}: total=8.00MiB, used={used}
System, DUP: total=8.00MiB, used=16.00KiB
Metadata, DUP: total=256.00MiB, used=112.00KiB
GlobalReserve, single: total=16.00MiB, used=0.00B
"""
BTRFS_MADE = """\
Label:              (null)
Node size:          32768
Sector size:        4096\t(CPU page size: 4096)
Filesystem size:    10.00GiB
Block group profiles:
  Data:             RAID0             8.00MiB
  Metadata:         RAID1           256.00MiB
  System:           RAID1             8.00MiB
SSD detected:       yes
Incompat features:  skinny-metadata, extref, no-holes
Checksum:           blake2
"""


def ext(state="", free=1011634, block=4096, mounts=1, uuid="10dafa6c"):
    return EXT.format(state=state, free=free, block=block, mounts=mounts, uuid=uuid)


def xfs(reflink=1, blocks=1048576, log="internal log          "):
    return XFS.format(reflink=reflink, blocks=blocks, log=log)


@pytest.mark.parametrize(
    ("dump", "expected"),
    [
        (
            ext(),
            {
                "ext4.features": "dir_index ext_attr extent filetype flex_bg has_journal sparse_super",
                "ext4.default_mount_options": "acl user_xattr",
                "ext4.block_size": 4096,
                "ext4.flex_block_group_size": 16,
                "ext4.inode_size": 256,
                "ext4.raid_stride": 16,
                "ext4.raid_stripe_width": 64,
                "ext4.default_directory_hash": "half_md4",
                "ext4.journal_size": 64 << 20,
            },
        ),
        (
            xfs(),
            {
                "xfs.isize": 512,
                "xfs.agcount": 4,
                "xfs.sectsz": 512,
                "xfs.attr": 2,
                "xfs.crc": 1,
                "xfs.finobt": 1,
                "xfs.sparse": 1,
                "xfs.rmapbt": 0,
                "xfs.reflink": 1,
                "xfs.bigtime": 1,
                "xfs.inobtcount": 1,
                "xfs.nrext64": 0,
                "xfs.bsize": 4096,
                "xfs.sunit": 16,
                "xfs.swidth": 64,
                "xfs.naming_version": 2,
                "xfs.naming_bsize": 8192,
                "xfs.ascii-ci": 0,
                "xfs.ftype": 1,
                "xfs.log": "internal",
                "xfs.log_bsize": 4096,
                "xfs.log_blocks": 16384,
                "xfs.log_version": 2,
                "xfs.log_sectsz": 4096,
                "xfs.log_sunit": 1,
                "xfs.lazy-count": 1,
                "xfs.realtime": "none",
                "xfs.extsz": 4096,
            },
        ),
        (
            SUPER.format(generation=7),
            {
                "btrfs.csum_type": "xxhash64",
                "btrfs.sectorsize": 4096,
                "btrfs.nodesize": 16384,
                "btrfs.compat_ro": "free_space_tree",
                "btrfs.incompat": "mixed_backref no_holes",
            },
        ),
        (
            BTRFS_DF.format(data="RAID1", used="0.00B"),
            {"btrfs.data": "raid1", "btrfs.system": "dup", "btrfs.metadata": "dup"},
        ),
        (
            "Data,single: Size:4.00MiB, Used:0.00B (0.00%)\n   /dev/sdb\t 4.00MiB\n\n"
            "Metadata,DUP: Size:2.00MiB, Used:1.00KiB (0.05%)\n",
            {"btrfs.data": "single", "btrfs.metadata": "dup"},
        ),
        (
            "Data, single: total=8.00MiB, used=0.00B\n" + BTRFS_DF.format(data="RAID1", used="0.00B"),
            {"btrfs.data": "raid1 + single", "btrfs.system": "dup", "btrfs.metadata": "dup"},
        ),
        (
            BTRFS_MADE,
            {
                "btrfs.nodesize": 32768,
                "btrfs.sectorsize": 4096,
                "btrfs.data": "raid0",
                "btrfs.metadata": "raid1",
                "btrfs.system": "raid1",
                "btrfs.features": "extref no-holes skinny-metadata",
                "btrfs.csum_type": "blake2",
            },
        ),
    ],
)
def test_how_file_systems_were_made(dump, expected):
    assert identity(dump) == expected


def test_old_form_of_xfs_info():
    found = identity(XFS_OLD)
    assert (found["xfs.sparse"], found["xfs.log"], found["xfs.realtime"], found["xfs.lazy-count"]) == (0, "external", "external", 0)


def test_paths_in_commands_are_subjects():
    text = f"$ xfs_info /srv/a\n{xfs()}$ sudo btrfs filesystem df /srv/b\n{BTRFS_DF.format(data='single', used='0.00B')}"
    assert identity(text, subject="/srv/a")["xfs.reflink"] == 1 and identity(text, subject="/srv/b")["btrfs.data"] == "single"


def test_counts_and_times_are_recorded():
    found = open_values(ext())
    assert found["ext4.free_blocks"] == 1011634 and found["ext4.mount_count"] == 1 and "ext4.filesystem_volume_name" not in found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ext(), ext(state="needs_recovery ", free=7, mounts=9, uuid="4eb6fb4e")),
        (xfs(), xfs(blocks=7)),
        (SUPER.format(generation=7), SUPER.format(generation=9).replace("  COMPRESS_ZSTD |\n\t\t\t", "")),
        (BTRFS_DF.format(data="single", used="0.00B"), BTRFS_DF.format(data="single", used="4.00MiB")),
        (
            "nas:/v /srv/a nfs4 rw,vers=4.2,rsize=1048576,clientaddr=192.0.2.4,addr=192.0.2.1 0 0\n",
            "nas:/v /srv/a nfs4 rw,vers=4.2,rsize=1048576,clientaddr=192.0.2.9,addr=192.0.2.1 0 0\n",
        ),
    ],
)
def test_use_changes_no_identity(before, after):
    assert identity(before) == identity(after) != {}


LCTL = """\
osc.fs-OST0000-osc-ffff9552e4e09000.max_rpcs_in_flight=8
osc.fs-OST0001-osc-ffff9552e4e09000.max_rpcs_in_flight={second}
osc.fs-OST0000-osc-ffff9552e4e09000.checksum_type=crc32 adler [crc32c] t10ip512
llite.fs-ffff9552e4e09000.max_cached_mb=
users: 5
max_cached_mb: 128536
used_mb: 0
ldlm.namespaces.fs-MDT0000-mdc-ffff9552e4e09000.lru_size=2000
mdc.fs-MDT0000-mdc-ffff9552e4e09000.import=
import:
    name: fs-MDT0000-mdc-ffff9552e4e09000
"""


@pytest.mark.parametrize(("second", "value"), [(8, 8), (32, "32 + 8")])
def test_parameters_of_lustre(second, value):
    assert open_values(LCTL.format(second=second)) == {
        "lustre.osc.max_rpcs_in_flight": value,
        "lustre.osc.checksum_type": "crc32c",
        "lustre.llite.max_cached_mb": 128536,
        "lustre.ldlm.namespaces.lru_size": 2000,
    }


COMPOSITE = """\
/lus/b
  lcm_layout_gen:    2
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   1048576
      lmm_stripe_count:  0
      lmm_stripe_size:   1048576
      lmm_pattern:       mdt

    lcme_id:             2
    lcme_flags:          0
    lcme_extent.e_start: 1048576
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  -1
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
"""
PLAIN = "lmm_stripe_count:  2\nlmm_stripe_size:   1048576\nlmm_pattern:       1\nlmm_layout_gen:    0\nlmm_stripe_offset: 1\n"


@pytest.mark.parametrize(
    ("printed", "subject", "expected"),
    [
        (
            "$ lfs getstripe -d /lus/a\nstripe_count:  4 stripe_size:   1048576 pattern:   raid0 stripe_offset: -1 pool: flash\n",
            "/lus/a",
            {"lustre.stripe_count": 4, "lustre.stripe_size": 1 << 20, "lustre.pattern": "raid0", "lustre.pool": "flash"},
        ),
        (
            f"{COMPOSITE}/lus/a\n{PLAIN}\tobdidx\t\t objid\n",
            "/lus/a",
            {"lustre.stripe_count": 2, "lustre.stripe_size": 1 << 20, "lustre.pattern": "raid0"},
        ),
        (
            f"/lus/a\n{PLAIN}{COMPOSITE}",
            "/lus/b",
            {"lustre.layout": "1048576 mdt 0 x 1048576 + EOF raid0 -1 x 4194304", "lustre.mirror_count": 1},
        ),
    ],
)
def test_layouts_of_lustre(printed, subject, expected):
    assert open_values(printed, subject=subject) == expected


@pytest.mark.parametrize(
    ("command", "subject", "expected"),
    [
        ("mount -o noatime,commit=5,nodiscard /dev/sdb1 /srv/a", "/srv/a", {"mount.commit": 5, "mount.discard": "off"}),
        ("mount -o remount,nobarrier /srv/a", "/srv/a", {"mount.barrier": "off"}),
        ("mount -t ext4 -o sync,data=journal /dev/sdb1 /srv/a", "/srv/a", {"mount.sync": "on", "mount.data": "journal"}),
        ("mount -t xfs -o async /dev/sdb1 /srv/a", "/srv/a", {"mount.sync": "off"}),
        ("mount -t ufs -o async /dev/da0p1 /srv/a", "/srv/a", {"mount.async": "on"}),
        ("mount -o commit=$N /dev/sdb1 /srv/a", "/srv/a", {}),
        (
            "mkfs.ext4 -q -b 4096 -I 512 -O bigalloc,^has_journal -E stride=16,stripe-width=64,nodiscard /dev/sdb1",
            "/dev/sdb1",
            {
                "ext4.block_size": 4096,
                "ext4.inode_size": 512,
                "ext4.bigalloc": "on",
                "ext4.has_journal": "off",
                "ext4.raid_stride": 16,
                "ext4.raid_stripe_width": 64,
                "ext4.nodiscard": "on",
            },
        ),
        ("mke2fs -t ext4 -J size=400 /dev/sdb1", "/dev/sdb1", {"ext4.journal_size": 400 << 20}),
        (
            "mkfs.xfs -f -d su=64k,sw=4,agcount=32 -l size=128m,lazy-count=1 -i size=1024 -m crc=0,reflink=0 -b size=4096"
            " /dev/sdb1",
            "/dev/sdb1",
            {
                "xfs.su": 65536,
                "xfs.sw": 4,
                "xfs.agcount": 32,
                "xfs.log_size": 128 << 20,
                "xfs.lazy-count": 1,
                "xfs.isize": 1024,
                "xfs.crc": 0,
                "xfs.reflink": 0,
                "xfs.bsize": 4096,
            },
        ),
        (
            "mkfs.btrfs -f -d raid0 -m RAID1 -n 32k --csum xxhash -O no-holes /dev/sdb /dev/sdc",
            "/dev/sdc",
            {
                "btrfs.data": "raid0",
                "btrfs.metadata": "raid1",
                "btrfs.nodesize": 32768,
                "btrfs.csum_type": "xxhash",
                "btrfs.no-holes": "on",
            },
        ),
        ("newfs -j /dev/da0p1", "/dev/da0p1", {"mount.soft-updates": "journaled"}),
        (
            "lctl set_param osc.*.max_rpcs_in_flight=32 osc.*.checksums=0",
            "",
            {"lustre.osc.max_rpcs_in_flight": 32, "lustre.osc.checksums": 0},
        ),
        ("lctl set_param osc.fs-OST0001*.max_rpcs_in_flight=32", "", {}),
        ("lctl set_param ldlm.namespaces.*.lru_size=clear", "", {}),
        (
            "lfs setstripe -c -1 -S 4M -p flash /lus/a",
            "/lus/a",
            {"lustre.stripe_count": "-1", "lustre.stripe_size": 4 << 20, "lustre.pool": "flash"},
        ),
        ("lfs setstripe -E 1M -L mdt -E -1 -S 4M -c 8 /lus/a", "/lus/a", {"lustre.layout": "-E 1M -L mdt -E -1 -S 4M -c 8"}),
    ],
)
def test_commands_set_properties(command, subject, expected):
    clues = [clue for clue in read_items(f"$ {command}\n$ true\n", only="command history") if namespace_of(clue.key)]
    clues = [clue for clue in clues if not is_state(clue.key) and clue.key != "block.devices"]
    assert {clue.key: clue.value for clue in clues if clue.effect == "sets" and clue.subject == subject} == expected


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\nif $X; then\n  lctl set_param osc.*.checksums=0\nfi\n", "# mount -o commit=5 /dev/sdb1 /srv/a\n"]
)
def test_mentions_set_nothing(text, tmp_path):
    (tmp_path / "run.sh").write_text(text)
    (tmp_path / "dd.txt").write_text(DD)
    assert all(not namespace_of(key) for config, _ in resolved(tmp_path).values() for key in config)


def resolved(folder):
    """File -> configuration and what of it is identity, of the runs below a folder."""
    return {
        record.file: (
            record.config,
            {k: v for k, v in record.config.items() if not namespace_of(k) or is_identity(k) or k in record.chosen},
        )
        for record in read([folder])
        if isinstance(record, Measurement)
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/dev/sdb1 /srv/a ext4 rw,relatime,commit=30 0 0\n", "/dev/sdb1 /srv/a ext4 rw,relatime 0 0\n"),
        ("nas:/v /srv/a nfs rw,vers=3 0 0\n", "nas:/v /srv/a nfs rw,vers=4.2 0 0\n"),
        (ext(block=1024), ext()),
        (xfs(reflink=0), xfs()),
        (xfs(log="/dev/sdc1             "), xfs()),
        (BTRFS_DF.format(data="RAID0", used="0.00B"), BTRFS_DF.format(data="RAID1", used="0.00B")),
        (LCTL.format(second=8), LCTL.format(second=32)),
        ("$ mount -o grpid /dev/sdb1 /srv/a\n$ true\n", "$ mount -o nogrpid /dev/sdb1 /srv/a\n$ true\n"),
    ],
)
def test_folders_that_differ_in_one_option(one, other, tmp_path):
    for name, dump in (("a", one), ("b", other), ("c", other)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dump.txt").write_text(dump)
        (tmp_path / name / "dd.txt").write_text(f"run {name}\n$ dd if=/dev/zero of=/srv/a/x bs=1M count=1000\n" + DD)
    identities = {file.split("/")[-2]: found for file, (_, found) in resolved(tmp_path).items()}
    assert identities["a"] != identities["b"] == identities["c"] != {}


def test_option_of_one_folder_holds_for_no_other(tmp_path):
    (tmp_path / "mount.txt").write_text(
        "/dev/vda on / type ext4 (rw,relatime,discard)\n/dev/sdb1 on /srv/a type ext4 (rw,relatime,commit=30)\n"
    )
    (tmp_path / "dd.txt").write_text("$ dd if=/dev/zero of=/srv/a/x bs=1M count=1000\n" + DD)
    ((config, _),) = resolved(tmp_path).values()
    assert config["mount.commit"] == 30 and "mount.discard" not in config


def test_format_of_another_file_system_is_left_out(tmp_path):
    (tmp_path / "root.txt").write_text(ext())
    (tmp_path / "dd.txt").write_text(
        "$ mount\ntank on /srv/a type zfs (rw,noatime,xattr)\n$ dd if=/dev/zero of=/srv/a/x bs=1M count=1000\n" + DD
    )
    ((config, _),) = resolved(tmp_path).values()
    assert config["fs.type"] == "zfs" and not any(key.startswith("ext4.") for key in config)


def test_listing_after_another_ends_options(tmp_path):
    run = "$ dd if=/dev/zero of=/srv/a/x bs=1M count=1000\n" + DD
    first, second = (f"$ mount\n/dev/sdb1 on /srv/a type ext4 (rw,relatime{more})\n" for more in ("", ",commit=30"))
    for name, text, values in (("a", first + run + second + run, [None, 30]), ("b", second + run + first + run, [30, None])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.txt").write_text(text)
        records = [record for record in read([tmp_path / name]) if isinstance(record, Measurement)]
        commits = {record.line: record.config.get("mount.commit") for record in records}
        assert list(dict(sorted(commits.items())).values()) == values


def test_many_properties_are_limited():
    listing = "".join(f"/dev/sdb{n} on /srv/{n} type ext4 (rw,relatime,commit=30,data=ordered,discard)\n" for n in range(9000))
    start = time.perf_counter()
    items = read_items(listing, only="mount")
    assert time.perf_counter() - start < 20
    clues = [item for item in items if isinstance(item, Clue)]
    assert 0 < sum(namespace_of(clue.key) is not None for clue in clues) < MOST_CLUES
    assert [item.code for item in items if isinstance(item, Doubt)] == ["limit"]
    assert sum(clue.key == "fs.type" for clue in clues) == 9000
