"""Properties of pools and data sets as open keys, from listings and commands; vdevs beside those of data in a layout."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import plugin_api
from ingest.configuration.clues import are_compatible
from ingest.context.zfs._property_names import spell_property
from ingest.keys import KEYS
from ingest.open_keys import NAMESPACES, is_identity
from ingest.records import Clue, Doubt, Measurement, Warning
from ingest.tests.context_reading import read_clue_values, read_items
from ingest.tests.thinning import examples
from ingest.tests.whole import read_measurements, read_upload

HEAD = "NAME  PROPERTY  VALUE  SOURCE\n"
DD = "1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.5 s, 190 MB/s\n"


def open_values(text: str, only: str = "zfs get") -> dict[str, object]:
    return read_clue_values(text, only=only, open_keys=True)


ALL = """NAME    PROPERTY              VALUE                  SOURCE
tank/a  type                  filesystem             -
tank/a  creation              Thu Jan  1  4:38 2026  -
tank/a  used                  352K                   -
tank/a  compressratio         1.00x                  -
tank/a  recordsize            128K                   default
tank/a  mountpoint            /tank/a                default
tank/a  version               5                      -
tank/a  primarycache          metadata               local
tank/a  secondarycache        none                   inherited from tank
tank/a  special_small_blocks  32K                    received
tank/a  volmode               default                temporary
tank/a  mlslabel                                     -
tank/a  userquota@joe         10G                    local
tank/a  newproperty           some value             default
tank/a  org.example:note      made by  hand          local
"""


def test_every_row_of_zfs_get_all():
    assert open_values(ALL) == {
        "zfs.type": "filesystem", "zfs.creation": "thu jan 1 4:38 2026", "zfs.used": 352 << 10, "zfs.compressratio": "1.00x",
        "zfs.mountpoint": "/tank/a", "zfs.version": 5, "zfs.primarycache": "metadata", "zfs.secondarycache": "none",
        "zfs.special_small_blocks": 32 << 10, "zfs.volmode": "default", "zfs.newproperty": "some value",
        "zfs.org.example:note": "made by hand",
    }  # fmt: skip
    assert read_clue_values(ALL, only="zfs get") == {"pool.name": "tank", "fs.type": "zfs", "pool.recordsize": 128 << 10}
    clues = [clue for clue in read_items(ALL, only="zfs get") if clue.key.startswith("zfs.")]
    assert {clue.key[4:] for clue in clues if clue.by_person} == {
        "primarycache", "secondarycache", "special_small_blocks", "org.example:note",
    }  # fmt: skip
    assert {clue.subject for clue in clues} == {"tank/a"}


POOL = """NAME  PROPERTY              VALUE     SOURCE
tank  size                  3.97G     -
tank  version               28        default
tank  guid                  11442161  default
tank  autotrim              on        local
tank  comment               the big   local
tank  ashift                12        local
tank  feature@lz4_compress  active    local
tank  feature@draid         disabled  local
"""
OF_POOL = {
    "zpool.size": 4262755041, "zpool.version": 28, "zpool.guid": 11442161, "zpool.autotrim": "on", "zpool.comment": "the big",
    "zpool.feature@lz4_compress": "on", "zpool.feature@draid": "off",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (POOL, OF_POOL),
        (POOL.replace(HEAD[:4], "#NAME").replace("tank ", "#tank "), OF_POOL),
        ("tank\tlogbias\tthroughput\tlocal\ntank\tfoo\tbar\t-\n", {"zfs.logbias": "throughput", "zfs.foo": "bar"}),
        ("tank  logbias  throughput  local\n", {"zfs.logbias": "throughput"}),
        (HEAD + "tank  readonly  off  default\n", {}),  # pools and data sets have it
        (HEAD + "tank/a  readonly  off  default\n", {"zfs.readonly": "off"}),
        ("root@vm:~# zpool get readonly tank\n" + HEAD + "tank  readonly  off  default\n", {"zpool.readonly": "off"}),
        ("root@vm:~# zfs get readonly tank\n" + HEAD + "tank  readonly  off  default\n", {"zfs.readonly": "off"}),
        ("tank logbias throughput local\n", {}),  # four words
        (HEAD + "tank logbias throughput local\n", {"zfs.logbias": "throughput"}),
        (HEAD + "tank  logbias  latency  default\nthe rest of this is the default\n", {"zfs.logbias": "latency"}),
        ("the  version  of  this is the  default\n", {}),
        (HEAD + "tank@monday  used  352K  -\ntank/a@b  used  352K  -\n", {}),
        ("PROPERTY      VALUE\nprimarycache  all\nnewone        x\n", {"zfs.primarycache": "all", "zfs.newone": "x"}),
        ("NAME    PROPERTY  VALUE\ntank/a  xattr     sa\n\ntank/a  xattr  on\n", {"zfs.xattr": "sa"}),
        ("NAME  PROPERTY  VALUE  RECEIVED  SOURCE\ntank  xattr     sa     -         local\n", {"zfs.xattr": "sa"}),
        ("$ zfs get -Ho name,value xattr tank tank/a\ntank\tsa\ntank/a\tsa\n$ ls\n", {"zfs.xattr": "sa"}),
        ("$ zfs get -H -o property,value all tank\nxattr\tsa\nfoo\tb  c\n$ ls\n", {"zfs.xattr": "sa", "zfs.foo": "b c"}),
        ("$ zfs get -Ho value xattr,logbias tank\nsa\nlatency\n$ ls\n", {"zfs.xattr": "sa", "zfs.logbias": "latency"}),
        ("$ zfs get -o value xattr tank | cat\nVALUE\nsa\n$ ls\n", {"zfs.xattr": "sa"}),
        ("$ zpool get -Hp -o value autotrim tank\non\n$ ls\n", {"zpool.autotrim": "on"}),
        ("NAME  VALUE\ntank  sa\n", {}),  # of which property is unknown
    ],
)  # fmt: skip
def test_forms_of_zfs_get(text, expected):
    assert open_values(text) == expected


def test_a_file_of_very_many_properties_is_read_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(plugin_api, "MOST_CLUES", 50)
    text = HEAD + "".join(f"tank/a  x:{number}  1  local\n" for number in range(60)) + "tank/a  compression  lz4  local\n"
    items = read_items(text, only="zfs get")
    assert [(item.line, item.code) for item in items if isinstance(item, Doubt)] == [(51, "limit")]
    assert sum(isinstance(item, Clue) and item.key.startswith("zfs.") for item in items) == 49
    assert any(isinstance(item, Clue) and item.key == "pool.compression" for item in items)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "NAME    PRIMARYCACHE  REDUND_MD  VOLBLOCK\ntank/a  metadata      most       -\n",
            {"zfs.primarycache": "metadata", "zfs.redundant_metadata": "most"},
        ),
        (
            "NAME   SIZE  ALLOC  FREE  CKPOINT  FRAG  CAP  DEDUP  HEALTH  ALTROOT\n"
            "tank   1G    2M     3M   -        1%    0%   1.00x  ONLINE  -\n",
            {
                "zpool.size": 2**30, "zpool.allocated": 2 << 20, "zpool.free": 3 << 20, "zpool.fragmentation": "1%",
                "zpool.capacity": "0%", "zpool.dedupratio": "1.00x", "zpool.health": "online",
                "state.capacity": 0, "state.fragmentation": 1,
            },
        ),
    ],
)  # fmt: skip
def test_columns_of_lists(text, expected):
    assert open_values(text, "zfs list") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Solaris Porting Layer (SPL):\n        spl_taskq_kick                0\n\n"
            "Tunables:\n        # size of the cache\n        zfs_arc_max      8589934592\n"
            "        zfs_vdev_raidz_impl   cycle [fastest] scalar\n        zfs_txg_timeout=5\n\n"
            "VDEV cache disabled\n        zfs_flags   0\n",
            {
                "module.spl.spl_taskq_kick": 0,
                "module.zfs.zfs_arc_max": 8589934592,
                "module.zfs.zfs_vdev_raidz_impl": "fastest",
                "module.zfs.zfs_txg_timeout": 5,
            },
        ),
        (
            "ZFS Tunables:\n\tzfs_arc_max                                       0\n\tzfs_txg_timeout    5\n",
            {"module.zfs.zfs_arc_max": 0, "module.zfs.zfs_txg_timeout": 5},
        ),
        ("ZFS Tunable (sysctl):\n\tvfs.zfs.arc_max    10\n\tkstat.zfs.x   1\n", {"sysctl.vfs.zfs.arc_max": 10}),
    ],
)
def test_parameters_that_arc_summary_prints(text, expected):
    assert open_values("ZFS Subsystem Report\nLinux 5.3.0-26-generic\n\n" + text, "arc_summary") == expected
    assert open_values(text, "arc_summary") == {}  # nothing tells that arc_summary printed it


# --- commands --------------------------------------------------------------------------------------------------------
def changes(command: str) -> dict[tuple[str, str], object]:
    """(subject, open key) -> value (None: ended)."""
    clues = read_items(f"root@vm:~# {command}\n", only="command history")
    return {(clue.subject, clue.key): clue.value for clue in clues if clue.key.startswith(("zfs.", "zpool."))}


ENDED = {("tank", "zfs.*"): None, ("tank", "zpool.*"): None}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("zfs set primarycache=metadata tank/a", {("tank/a", "zfs.primarycache"): "metadata"}),
        ("zfs set volblock=8K xattr=sa tank", {("tank", "zfs.volblocksize"): 8192, ("tank", "zfs.xattr"): "sa"}),
        ("zfs set logbias=$BIAS tank", {("tank", "zfs.logbias"): None}),
        ("zfs set userquota@joe=5G tank", {}),
        ("zfs inherit -r primarycache tank/a", {("tank/a", "zfs.primarycache"): None}),
        ("zfs create -o logbias=throughput tank/a", {("tank/a", "zfs.logbias"): "throughput"}),
        ("zfs create -s -V 10G -b 16k tank/v", {("tank/v", "zfs.volblocksize"): 16384}),
        ("zfs create -V 10G -o primarycache=none tank/v", {("tank/v", "zfs.primarycache"): "none"}),
        ("zfs create -n -o logbias=throughput tank/a", {}),
        ("zpool set autotrim=on tank", {("tank", "zpool.autotrim"): "on"}),
        ("zpool set autotrim=on tank mirror-0", {}),
        ("zpool set feature@lz4_compress=enabled tank", {("tank", "zpool.feature@lz4_compress"): "on"}),
        (
            "zpool create -o ashift=12 -o autotrim=on -O xattr=sa -O compression=lz4 tank sda",
            {**ENDED, ("tank", "zpool.autotrim"): "on", ("tank", "zfs.xattr"): "sa"},
        ),
        ("zpool destroy tank", ENDED),
    ],
)  # fmt: skip
def test_commands(command, expected):
    assert changes(command) == expected


def test_zpool_history_gives_what_people_set():
    text = "History for 'tank':\n2020-03-01.12:00:00 zpool create -O xattr=sa tank sda\n"
    text += "2020-03-01.12:02:00 zfs set logbias=latency tank\n"
    clues = [clue for clue in read_items(text, only="zpool history") if clue.key.startswith(("zfs.", "zpool."))]
    assert [(clue.key, clue.value, clue.by_person) for clue in clues] == [
        ("zfs.xattr", "sa", True),
        ("zfs.logbias", "latency", True),
    ]


def configs(*parts: str) -> list[tuple[dict[str, object], frozenset[str]]]:
    """Configuration and open keys that a person set, of each run of a transcript."""
    run = "root@vm:~# dd if=/dev/zero of=/tank/x bs=1M count=1000\n" + DD
    found = read_measurements({"log.txt": "".join(part or run for part in parts) + "root@vm:~# \n"})
    found = [one for one in found if one.metric == "write.throughput"]
    return [({key: value for key, value in one.config.items() if key.startswith("z")}, one.chosen) for one in found]


SET = "root@vm:~# zfs set primarycache=metadata tank\n"
GET = "root@vm:~# zfs get primarycache tank\nNAME  PROPERTY      VALUE  SOURCE\ntank  primarycache  {}   {}\n"
META = ({"zfs.primarycache": "metadata"}, frozenset({"zfs.primarycache"}))
DEFAULT = ({"zfs.primarycache": "all"}, frozenset())
NONE = ({}, frozenset())
DESTROY = "root@vm:~# zpool destroy tank\n"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("", SET, ""), [NONE, META]),
        ((GET.format("all", "default"), "", SET, ""), [DEFAULT, META]),
        (("", GET.format("all", "default"), "", SET, ""), [DEFAULT, DEFAULT, META]),
        ((SET, "", "root@vm:~# zfs inherit primarycache tank\n", ""), [META, NONE]),
        ((SET, "", DESTROY, ""), [META, NONE]),
        ((SET, "", "root@vm:~# zpool create tank sdb\n", "", GET.format("all", "default")), [META, DEFAULT]),
        ((SET, "", DESTROY, "", DESTROY, GET.format("all", "default"), ""), [META, NONE, DEFAULT]),
        ((SET, "", "root@vm:~# zpool destroy deep\n", ""), [META, META]),
        ((SET, DESTROY, "root@vm:~# zpool create -O primarycache=metadata tank sdb\n", ""), [META]),
    ],
)
def test_where_a_property_is_valid(parts, expected):
    assert configs(*parts) == expected


# --- identity --------------------------------------------------------------------------------------------------------
def identity(one: Measurement) -> tuple[tuple[str, object], ...]:
    return tuple(
        sorted((key, str(value)) for key, value in one.config.items() if key in KEYS or is_identity(key) or key in one.chosen)
    )


def listing(rows: dict[str, str], source: str) -> str:
    width = max(map(len, rows)) + 2
    body = "".join(f"tank  {prop:<{width}}{value:<25}{source}\n" for prop, value in rows.items())
    return f"NAME  {'PROPERTY':<{width}}{'VALUE':<25}SOURCE\n{body}"


PROPERTIES = [
    (space, name.replace("*", "large_blocks"))
    for space in ("zfs", "zpool")
    for name in " ".join(NAMESPACES[space].identity.values()).split()
]
SIZED = [
    (f"{space}.{name}", "16K", "32K") if name in NAMESPACES[space].sizes.split() else (f"{space}.{name}", "disabled", "enabled")
    for space, name in PROPERTIES
]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SIZED), st.sampled_from(["local", "-", "default"]), st.booleans())
def test_folders_that_differ_in_one_property_differ_in_identity(drawn, source, is_pool_first):
    key, first, second = drawn
    space, _, name = key.partition(".")
    source = source if name != "version" else "-" if space == "zfs" else "default"
    others = {"used": "1G", "logicalused": "1G"} if space == "zfs" else {"capacity": "3%", "health": "ONLINE"}
    files = {}
    for folder, value in (("a", first), ("b", second), ("c", first)):
        rows = {**others, name: value} if is_pool_first else {name: value, **others}
        files |= {f"{folder}/{space}-get.txt": listing(rows, source), f"{folder}/dd.txt": DD}
    a, b, c = (identity(one) for one in read_measurements(files) if one.metric == "transfer.throughput")
    assert a == c != b and key in dict(a)


HOUR = {
    "type": "filesystem", "creation": "Thu Jan  1  4:38 2026", "used": "352K", "available": "3.91G", "written": "112K",
    "compressratio": "1.00x", "primarycache": "all", "compression": "lz4", "usedbychildren": "0", "guid": "1144216",
}  # fmt: skip


def test_dumps_an_hour_apart_are_of_one_identity():
    later = HOUR | {"creation": "Thu Jan  1  5:38 2026", "used": "9G", "available": "1G", "written": "8G", "compressratio": "2.00x"}
    files = {
        f"{folder}/{name}": text
        for folder, rows in (("a", HOUR), ("b", later))
        for name, text in (("zfs-get-all.txt", listing(rows, "-")), ("dd.txt", DD))
    }
    found = read_measurements(files)
    assert len({identity(one) for one in found}) == 1 and len({str(one.config) for one in found}) == 2
    assert {one.config["zfs.used"] for one in found} == {352 << 10, 9 << 30}


def test_dumps_before_and_after_a_run_contradict_each_other_without_a_warning():
    later = HOUR | {"used": "9G", "primarycache": "metadata"}
    records = read_upload({"before.txt": listing(HOUR, "-"), "after.txt": listing(later, "-"), "dd.txt": DD})
    assert [one.message.split()[0] for one in records if isinstance(one, Warning) and one.code == "conflict"] == [
        "zfs.primarycache"
    ]
    config = next(one.config for one in records if isinstance(one, Measurement))
    assert "zfs.used" not in config and "zfs.primarycache" not in config and "zfs.available" in config


@given(st.text(max_size=30), st.text(max_size=30), st.booleans())
def test_any_property_is_spelled_without_an_exception(prop, printed, of_pool):
    key, value = spell_property(prop, printed, of_pool)
    assert value is None or key.startswith(("pool.", "zpool." if of_pool else "zfs."))


# --- layouts ---------------------------------------------------------------------------------------------------------
VDEVS = [
    ("special", [("mirror-1", "sdc", "sdd")], " + special mirror(2)"),
    ("special", [("mirror-1", "sdc", "sdd"), ("mirror-2", "sde", "sdf")], " + special 2 x mirror(2)"),
    ("dedup", [("mirror-1", "sdc", "sdd")], " + dedup mirror(2)"),
    ("dedup", [("mirror-1", "sdc", "sdd"), ("", "sde")], " + dedup mirror(2) + dedup stripe(1)"),
    ("spares", [("", "sdc", "sdd")], ""),
]


def vdev_rows(section: str, vdevs: list[tuple[str, ...]]) -> list[str]:
    """Names with their indents below the row of the pool."""
    rows = ["  mirror-0", "    sda", "    sdb", section]
    for name, *disks in vdevs:
        rows += [f"  {name}", *(f"    {disk}" for disk in disks)] if name else [f"  {disk}" for disk in disks]
    return rows


@pytest.mark.parametrize(("section", "vdevs", "spelled"), VDEVS)
def test_layouts_name_special_and_dedup_vdevs(section, vdevs, spelled):
    rows = vdev_rows(section, vdevs)
    status = "".join(f"\t{row}" + ("\n" if row == section else "  ONLINE  0 0 0\n") for row in ("tank", *rows))
    status = f"  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n{status}\nerrors: none\n"
    cells = "  1G" * 3 + "  0" * 3
    iostat = "pool  alloc  free  read  write  read  write\n" + "".join(f"{row}{cells}\n" for row in ("tank", *rows)) + "----\n"
    words = " ".join(word.strip().removesuffix("s").partition("-")[0] for word in rows)
    texts = {
        "zpool status": status,
        "command history": f"root@vm:~# zpool create tank {words}\n",
        "zpool iostat": iostat,
    }
    if section == "spares":
        del texts["zpool iostat"]  # which shows none
    if "stripe" in spelled:
        del texts["command history"]  # a disk behind a mirror is part of it
    for reader, text in texts.items():
        got = read_clue_values(text, only=reader)
        assert (got["pool.layout"], got["disk.count"]) == (f"mirror(2){spelled}", 2), reader


def test_vdevs_of_zpool_list():
    head = "NAME          SIZE  ALLOC   FREE    CAP  DEDUP  HEALTH  ALTROOT\n"
    names = ("tank", "  mirror", "    sda", "    sdb", "special", "  sdc", "spare", "  sdd", "cache", "  nvme0n1")
    text = head + "".join(f"{name:<12}  1G  1G  1G  3%  1.00x  ONLINE  -\n" for name in names)
    got = read_clue_values(text, only="zfs list")
    assert (got["pool.layout"], got["pool.cache"]) == ("mirror(2) + special stripe(1)", "stripe(1) nvme")


def test_special_vdevs_of_zdb():
    vdevs = ("type: 'disk'\n    path: '/dev/sda1'", "type: 'disk'\n    path: '/dev/sdb1'\n    alloc_bias: 'special'",
             "type: 'disk'\n    path: '/dev/nvme0n1p1'\n    is_log: 1")  # fmt: skip
    children = "".join(f"  children[{at}]:\n    {vdev}\n" for at, vdev in enumerate(vdevs))
    got = read_clue_values(f"name: 'tank'\nvdev_tree:\n  type: 'root'\n{children}", only="zdb")
    assert (got["pool.layout"], got["disk.count"], got["pool.log"]) == ("stripe(1) + special stripe(1)", 1, "stripe(1) nvme")


@pytest.mark.parametrize(
    ("disks", "log"),
    [
        ("nvme0n1 nvme1n1", "stripe(2) nvme"),
        ("mirror /dev/disk/by-id/nvme-ACME_X_1234 nvd0", "mirror(2) nvme"),
        ("mirror nvme0n1 sdb", "mirror(2)"),
        ("ata-ACME_SSD_850_S1234", "stripe(1) ssd"),
        ("/dev/disk/by-id/scsi-SACME_ZeusRAM_0000", "stripe(1) ssd"),
        ("sdc", "stripe(1)"),
    ],
)
def test_kind_of_log_devices(disks, log):
    assert read_clue_values(f"root@vm:~# zpool create tank sda log {disks}\n", only="command history")["pool.log"] == log


def test_added_special_vdevs_end_the_layout_and_spares_do_not():
    added = {
        section: {clue.key for clue in read_items(f"root@vm:~# zpool add tank {section} sdc\n") if clue.effect == "ends"}
        for section in ("special", "dedup", "spare", "log")
    }
    assert added == {"special": {"pool.layout"}, "dedup": {"pool.layout"}, "spare": set(), "log": set()}


@pytest.mark.parametrize(
    ("key", "detailed", "plain", "same"),
    [
        ("pool.layout", "mirror(2) + special mirror(2)", "mirror(2)", False),
        ("pool.layout", "mirror(2) + stripe(1)", "mirror(2)", False),
        ("pool.log", "mirror(2) nvme", "mirror(2)", True),
        ("pool.log", "mirror(2) nvme", "mirror(2) ssd", False),
        ("pool.log", "stripe(1) + mirror(2)", "stripe(1)", False),
    ],
)
def test_listings_without_names_that_show_the_kind_agree_with_those_that_have_them(key, detailed, plain, same):
    assert are_compatible(key, detailed, plain) == same
