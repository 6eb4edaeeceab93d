"""Readers of what ZFS prints: zpool status and list, zfs get and list, zdb."""

from __future__ import annotations

import pytest

from ingest.context.zfs.zpool_status import _is_below_pool_line
from ingest.records import Clue, Doubt
from ingest.tests.context_reading import read_clue_values, read_items

STATUS = """  pool: {name}
 state: ONLINE
  scan: none requested
config:

\tNAME        STATE     READ WRITE CKSUM
\t{name}        ONLINE       0     0     0
{rows}
errors: No known data errors
"""


def status(*rows: str, name: str = "tank") -> str:
    return STATUS.format(name=name, rows="".join(f"\t{row}  ONLINE  0 0 0\n" for row in rows))


LAYOUTS = [
    (("  sda",), "stripe(1)", 1),
    (("  sda", "  sdb"), "stripe(2)", 2),
    (("  mirror-0", "    sda", "    sdb"), "mirror(2)", 2),
    (("  mirror", "    c1t0d0", "    c1t1d0", "  mirror", "    c2t0d0", "    c2t1d0"), "2 x mirror(2)", 4),
    (
        ("  raidz2-0", *(f"    da{n}" for n in range(7)), "  mirror-1", "    ada0", "    ada1"),
        "raidz2(7) + mirror(2)",
        9,
    ),
    (("  raidz-0", "    sda", "    sdb", "    sdc"), "raidz1(3)", 3),
    (
        tuple(row for v in range(4) for row in (f"  raidz1-{v}", *(f"    d{v}{n}" for n in range(9)))),
        "4 x raidz1(9)",
        36,
    ),
    (("  draid2:4d:8c:1s-0", *(f"    sd{n}" for n in "abcdefgh")), "draid2(8)", 8),
    (("  mirror-0", "    replacing-0", "      sda", "      sdc", "    sdb"), "mirror(2)", 2),
    (("  mirror-0", "    spare-0", "      sda", "      sdz", "    sdb", "  sdd"), "mirror(2) + stripe(1)", 3),
    (("  /srv/a.img", "  /srv/b.img"), "stripe(2)", None),
]


@pytest.mark.parametrize(("rows", "layout", "disks"), LAYOUTS)
def test_layout_of_zpool_status(rows, layout, disks):
    got = read_clue_values(status(*rows), only="zpool status")
    assert got["pool.layout"] == layout
    assert got.get("disk.count") == disks
    assert (got["pool.log"], got["pool.cache"]) == ("off", "off")


def _disk(model, serial):
    return f"ata-WDC_{model}_WD-WCC7K000{serial}"


@pytest.mark.parametrize(
    ("old", "new", "model"),
    [
        ("WD40EFRX-68N32N0", "WD40EFRX-68N32N0", "WDC WD40EFRX-68N32N0"),
        ("WD40EFRX-68N32N0", "WD60EFRX-68L0BN1", None),  # which of them was written to is not told
    ],
)
def test_a_disk_that_is_being_replaced_has_the_model_of_both(old, new, model):
    rows = (
        "  mirror-0",
        "    replacing-0",
        f"      {_disk(old, 1)}",
        f"      {_disk(new, 2)}",
        f"    {_disk('WD40EFRX-68N32N0', 3)}",
    )
    assert read_clue_values(status(*rows), only="zpool status").get("disk.model") == model


def test_a_disk_that_is_gone_leaves_a_number_for_its_name():
    rows = (
        "  mirror-0",
        "    replacing-0",
        "      5432167890123456789",
        f"      {_disk('WD40EFRX-68N32N0', 2)}",
        f"    {_disk('WD40EFRX-68N32N0', 3)}",
    )
    assert read_clue_values(status(*rows), only="zpool status")["disk.model"] == "WDC WD40EFRX-68N32N0"


def test_a_distributed_spare_in_the_place_of_a_disk_is_no_vdev():
    rows = (
        "  draid2:3d:8c:1s-0",
        *(f"    sd{letter}" for letter in "abcdefg"),
        "    spare-7",
        "      replacing-0",
        "        sdh",
        "        sdi",
        "      draid2-0-0",
    )
    assert {key: read_clue_values(status(*rows))[key] for key in ("pool.layout", "disk.count")} == {
        "pool.layout": "draid2(8)",
        "disk.count": 8,
    }


def test_a_disk_that_is_being_replaced_whose_indentation_was_lost_leaves_the_number_of_disks_open():
    got = read_clue_values(status("raidz2-0", *(f"  sd{letter}" for letter in "abc"), "  replacing-3", "  sdd", "  sde"))
    assert got["pool.layout"] == "raidz2" and "disk.count" not in got
    got = read_clue_values(
        status("  mirror-0", "    sda", "    sdb", "  mirror-1", "    sdc", "    replacing-1", "    sdd", "    sde")
    )
    assert "pool.layout" not in got and "disk.count" not in got


def test_log_cache_spares_and_special_are_no_data_disks():
    text = status("  mirror-0", "    sda", "    sdb").replace(
        "\nerrors",
        "\tspecial\n\t  mirror-3  ONLINE 0 0 0\n\t    sdx ONLINE 0 0 0\n\t    sdy ONLINE 0 0 0\n"
        "\tlogs\n\t  mirror-1  ONLINE 0 0 0\n\t    nvme0n1 ONLINE 0 0 0\n\t    nvme1n1 ONLINE 0 0 0\n"
        "\tcache\n\t  nvme2n1  ONLINE 0 0 0\n\tspares\n\t  sdz  AVAIL\n\nerrors",
    )
    got = read_clue_values(text, only="zpool status")
    assert (got["pool.layout"], got["disk.count"]) == ("mirror(2) + special mirror(2)", 2)
    assert (got["pool.log"], got["pool.cache"]) == ("mirror(2) nvme", "stripe(1) nvme")


def test_indentation_that_a_page_has_eaten():
    flat = "\n".join(
        line.strip() for line in status("  mirror-0", "    sda", "    sdb", "  mirror-1", "    sdc", "    sdd").split("\n")
    )
    assert read_clue_values(flat, only="zpool status")["pool.layout"] == "2 x mirror(2)"


def test_listing_cut_at_the_end_of_the_file_is_doubted():
    text = status("  raidz2-0", "    sda", "    sdb").split("\nerrors")[0].rstrip("\n")
    codes = [doubt.code for doubt in read_items(text, only="zpool status") if isinstance(doubt, Doubt)]
    assert codes == ["cut"]


def test_the_pool_a_system_boots_from_is_left_out_beside_another():
    assert read_clue_values(status("  sda", name="rpool") + status("  sdb", name="tank"))["pool.name"] == "tank"
    assert read_clue_values(status("  sda", name="rpool"))["pool.name"] == "rpool"


ZFS = [
    ("tank\tcompressratio\t1.35x\t-\n", {"pool.name": "tank"}),
    ("tank/a\tcompression\tgzip\tlocal\n", {"pool.name": "tank", "pool.compression": "gzip-6"}),
    (
        "NAME    PROPERTY     VALUE     SOURCE\ntank/b  compression  zstd-fast-5  inherited from tank\n",
        {"pool.name": "tank", "pool.compression": "zstd-fast-5"},
    ),
    ("  tank  feature@lz4_compress  active  local\n", {"pool.name": "tank", "pool.compression_effective": "lz4"}),
    ("  tank  feature@lz4_compress  enabled  local\n", {"pool.name": "tank", "pool.compression_effective": "lzjb"}),
    ("tank  version  28  default\n", {"pool.name": "tank", "pool.compression_effective": "lzjb"}),
    ("tank  version  5  -\n", {"pool.name": "tank"}),
    ("tank  ashift  0  default\n", {"pool.name": "tank"}),
    ("tank  ashift  12  local\n", {"pool.name": "tank", "pool.ashift": 12}),
    ("tank@monday  type  snapshot  -\n", {}),
    ("tank/v  type  volume  -\n", {"pool.name": "tank"}),
    ("the copies of this version are off by default", {}),
]


@pytest.mark.parametrize(("text", "expected"), ZFS)
def test_zfs_get(text, expected):
    assert read_clue_values(text, only="zfs get") == expected


def test_zfs_get_of_the_bare_value_reads_the_command():
    text = "root@vm:~# zfs get -H -o value compression tank/a\nlz4\nroot@vm:~# \n"
    assert read_clue_values(text, only="zfs get") == {"pool.name": "tank", "pool.compression": "lz4"}


def test_zfs_list_with_columns():
    text = (
        "NAME      COMPRESS  RECSIZE  DEDUP  ATIME      SYNC  MOUNTPOINT\n"
        "tank/a    gzip-9         1M    off     on  disabled  /tank/a\n"
    )
    assert read_clue_values(text, only="zfs list") == {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.compression": "gzip-9",
        "pool.recordsize": 2**20,
        "pool.dedup": "off",
        "pool.atime": "on",
        "pool.sync": "disabled",
    }


def test_zpool_list_verbose_gives_the_layout():
    text = (
        "NAME          SIZE  ALLOC   FREE    CAP  DEDUP  HEALTH  ALTROOT\n"
        "tank         3.62T   1.2T  2.42T    33%  1.00x  ONLINE  -\n"
        "  mirror     3.62T   1.2T  2.42T    33%  -       ONLINE  -\n"
        "    sda          -      -      -      -  -       ONLINE  -\n"
        "    sdb          -      -      -      -  -       ONLINE  -\n"
    )
    assert read_clue_values(text, only="zfs list") == {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.layout": "mirror(2)",
        "disk.count": 2,
    }


ZDB = """tank:
    version: 5000
    name: 'tank'
    vdev_tree:
        type: 'root'
        id: 0
        children[0]:
            type: 'raidz'
            id: 0
            nparity: 2
            ashift: 12
            is_log: 0
            children[0]:
                type: 'disk'
                path: '/dev/sda1'
            children[1]:
                type: 'disk'
                path: '/dev/sdb1'
            children[2]:
                type: 'disk'
                path: '/dev/sdc1'
        children[1]:
            type: 'disk'
            is_log: 1
            ashift: 9
    features_for_read:
"""


def test_zdb():
    assert read_clue_values(ZDB, only="zdb") == {
        "pool.name": "tank",
        "fs.type": "zfs",
        "pool.layout": "raidz2(3)",
        "disk.count": 3,
        "pool.ashift": 12,
        "pool.log": "stripe(1)",
    }


def test_a_source_that_a_mailer_wrapped_ends_no_dump():
    text = (
        "> NAME PROPERTY VALUE SOURCE\n> tank/a recordsize 1M inherited from\n> tank\n"
        "> tank/a compression lz4 inherited from tank\n> tank/a atime off local\n"
    )
    assert read_clue_values(text, only="zfs get") == {
        "pool.name": "tank", "fs.type": "zfs", "pool.recordsize": 2**20, "pool.compression": "lz4", "pool.atime": "off",
    }  # fmt: skip


BARE_TABLE = """        NAME                         STATE     READ WRITE CKSUM
        vault                        ONLINE       0     0     0
          raidz2-0                   ONLINE       0     0     0
            c6t5000C50094E8F273d0    ONLINE       0     0     0
            c6t5000C50094F6C49Bd0    ONLINE       0     0     0
            c6t5000C50094E591BFd0    ONLINE       0     0     0
        logs
          mirror-1                   ONLINE       0     0     0
            c6t55CD2E414EC0CCD3d0s0  ONLINE       0     0     0
            c6t55CD2E414EC15449d0s0  ONLINE       0     0     0
        spares
          c6t5000C50094985FBBd0      AVAIL

errors: No known data errors
"""


def test_table_of_a_pool_without_the_lines_above_it():
    pool = read_clue_values("The pool:\n\n" + BARE_TABLE, only="zpool status")
    assert pool == {
        "pool.name": "vault",
        "fs.type": "zfs",
        "pool.layout": "raidz2(3)",
        "disk.count": 3,
        "pool.log": "mirror(2)",
        "pool.cache": "off",
    }


def test_table_below_the_name_of_its_pool_is_read_once():
    clues = [
        clue
        for clue in read_items("  pool: vault\n state: ONLINE\nconfig:\n\n" + BARE_TABLE, only="zpool status")
        if isinstance(clue, Clue) and clue.key == "pool.layout"
    ]
    assert len(clues) == 1


def test_name_of_a_pool_behind_the_backquote_that_opens_code():
    assert (
        read_clue_values("` pool: vault\n state: ONLINE\nconfig:\n\n" + BARE_TABLE + "`", only="zpool status")["pool.name"]
        == "vault"
    )


def test_answer_kept_as_a_comment_below_its_command():
    assert read_clue_values(
        "zfs get compression,recordsize tank/a tank/b\n"
        "#NAME    PROPERTY     VALUE  SOURCE\n#tank/a  compression  lz4    local\n#tank/a  recordsize   16K    local\n"
        "echo done\n",
        only="zfs get",
    ) == {"pool.name": "tank", "pool.compression": "lz4", "pool.recordsize": 16384, "fs.type": "zfs"}


def test_lines_that_a_wiki_ends_with_a_backslash():
    assert read_clue_values(
        "[root@srv ~]# zfs get compression tank \\\nNAME  PROPERTY     VALUE  SOURCE \\\ntank  compression  lz4    local \\\n",
        only="zfs get",
    ) == {"pool.name": "tank", "pool.compression": "lz4"}


def test_listing_of_a_pool_kept_as_a_comment_below_its_command():
    listing = "".join(f"#{line}\n" for line in ("  pool: vault\n state: ONLINE\nconfig:\n\n" + BARE_TABLE).splitlines())
    pool = read_clue_values(f"zpool status\n{listing}dd if=/dev/zero of=/vault/x bs=1M count=100\n", only="zpool status")
    assert (pool["pool.name"], pool["pool.layout"], pool["disk.count"]) == ("vault", "raidz2(3)", 3)


def test_pool_of_a_configuration_is_none_of_zfs():
    assert (
        read_clue_values('parameters:\n  clusterID: rook-ceph\n  pool: replicapool\n  imageFormat: "2"\n', only="zpool status")
        == {}
    )


def test_version_that_modinfo_tells():
    assert read_clue_values(
        "$ modinfo zfs\nfilename:       /lib/modules/3.10.0-327.el7.x86_64/extra/zfs.ko\n"
        "version:        0.6.5.4-1\nlicense:        CDDL\nrhelversion:    7.2\n",
        only="zfs version",
    ) == {"fs.version": "0.6.5.4-1"}


@pytest.mark.parametrize("below", ("  state: present\n", "  status: active\n", "  config:\n    size: 100\n"))
def test_pool_of_a_configuration_whose_keys_are_named_alike(below):
    assert read_clue_values(f"storage:\n  pool: fast\n{below}") == {}


def test_many_listings_are_read_in_order_of_their_lines():
    near = [_is_below_pool_line([3, 80, 300], line) for line in (3, 4, 63, 64, 80, 140, 301)]
    assert near == [False, True, True, False, False, True, True]
