"""The honesty flags and the physical limits behind one of them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.claims import hardware_limits
from webapp.claims.observations import DOUBTS
from webapp.comparison import caveats
from webapp.comparison.groups import GroupRows
from webapp.comparison.model import Group
from webapp.tests.rows import row

GIB = 2**30
FITTING = {"file_size": 64 * GIB, "memory": 32 * GIB}
"""A data set of twice the memory."""


@pytest.mark.parametrize(
    ("told", "ids"),
    [
        ({}, {"maybe-cached"}),
        ({"file_size": GIB - 1, "memory": GIB}, {"cached"}),
        ({"file_size": 2 * GIB, "memory": GIB}, set()),
        ({"total_size": 8 * GIB, "file_size": GIB // 8, "memory": GIB}, set()),
        ({"file_size": GIB, "memory": GIB, "direct": "1"}, set()),
        ({"direct": "on"}, set()),
        ({"file_size": GIB}, {"maybe-cached"}),
        ({"file_size": GIB, "memory": GIB}, {"maybe-cached"}),  # as much as memory is never all from memory, nor is more
        ({"file_size": GIB + GIB // 14, "memory": GIB}, {"maybe-cached"}),
        ({"file_size": 2 * GIB - 1, "memory": GIB}, {"maybe-cached"}),
        ({"memory": GIB}, {"maybe-cached"}),
        ({"tool": "dd", "fsync": "fdatasync"}, set()),
        ({"tool": "dd", "fsync": "none"}, {"maybe-cached"}),
        ({"tool": "dd", "fsync": "fdatasync", "metric": "read.throughput"}, {"maybe-cached"}),
        ({"tool": "dd", "fsync": "fdatasync", "file_size": GIB, "memory": GIB}, set()),
        ({"tool": "hdparm", "metric": "read.throughput"}, set()),
        ({"metric": "sync_write.throughput"}, set()),
        ({"metric": "seek.rate"}, {"maybe-cached"}),
        ({"metric": "file_create.rate"}, set()),
        ({"fs": "tmpfs"}, set()),
        ({"origin": "model"}, set()),
        ({"origin": "reported"}, {"maybe-cached"}),
        ({"compression": "lz4", **FITTING}, {"zeros"}),
        ({"compression": "on", "compression_effective": "lz4", **FITTING}, {"zeros"}),
        ({"compression": "on", "compression_effective": "off", **FITTING}, set()),
        ({"compression": "off", **FITTING}, set()),
        ({"compression": "lz4", "tool": "rsync", **FITTING}, set()),
        ({"compression": "lz4", "metric": "create_seq.rate", "file_size": GIB, "memory": GIB}, set()),
        ({"tool": "iozone", "file_size": GIB, "processes": 4, "memory": 2 * GIB}, set()),
        ({"tool": "ior", "block_size": GIB, "segments": 1, "processes": 2, "memory": GIB * 3}, {"cached"}),
        ({"fs": "nfs", "network": "Ethernet 1 Gb/s", **FITTING}, {"impossible"}),
        ({"fs": "nfs", "network": "Ethernet 1 Gb/s"}, {"impossible", "maybe-cached"}),
        ({"fs": "nfs", "network": "Ethernet 10 Gb/s", **FITTING}, set()),
        ({"fs": "zfs", "network": "Ethernet 1 Gb/s", **FITTING}, set()),
        ({"fs": "nfs", "network": "Ethernet 1 Gb/s", "nodes": 4, **FITTING}, set()),
        ({"fs": "lustre", "network": "1GbE", "processes": 64, **FITTING}, set()),
        ({"fs": "nfs", "network": "1GbE", "metric": "cached_read.throughput"}, set()),
        ({"fs": "nfs", "network": "1GbE", "metric": "seek.rate", **FITTING}, set()),
    ],
)
def it_tells_from_a_row(told, ids):
    assert caveats.row_caveats(row(100e6, 130e6, **told)) == ids


@pytest.mark.parametrize("metric", ["copy.elapsed", "seek.rate", "file_create.rate"])
def it_knows_no_limit_of_what_is_no_transfer(metric):
    one = row(1e12, metric=metric, fs="nfs", network="Ethernet 1 Gb/s", **FITTING)
    assert (caveats.possible_range(one), caveats.find_exceeded_link(one)) == ((0.0, math.inf), "")


@pytest.mark.parametrize(("rate", "link"), [(125e6, ""), (126e6, "network")])
@pytest.mark.parametrize("scale", [1, 0.25, 1e-6, 1e6])
def it_knows_the_limit_of_values_that_are_told_for_a_part_of_the_machine(rate, link, scale):
    """`scale`: what values were multiplied with, such as a quarter for each of four disks."""
    one = row(rate * scale, fs="nfs", network="Ethernet 1 Gb/s", **FITTING)
    one.scale = scale
    assert caveats.possible_range(one)[1] == pytest.approx(125e6 * scale)
    assert caveats.find_exceeded_link(one) == link


def it_reads_what_is_known_of_a_row():
    """A name may begin with any letter."""
    one = row(1.0, threads=8, file_size=GIB, command="~", fsync="äußerst")
    names = {"threads": "threads", "size": "file_size", "flush": "fsync", "seeks": "seeks"}
    known = caveats._RowFields(one.texts, names)
    assert dict(known) == {"threads": 8, "size": GIB, "flush": "äußerst"} and len(known) == 3
    assert "seeks" not in known


def _drawn(*flags, n=2):
    return [Group("x", "", "", "write.throughput", n, 1, 1.0, None, None, "none", [], flags=one) for one in flags]


@pytest.mark.parametrize(
    ("versions", "ids"),
    [(("1",), set()), (("1", "1"), set()), (("1", "2"), {"versions"}), (("1", "2", "3"), {"versions"}), (("~", "1"), {"versions"})],
)
def it_names_groups_of_several_versions(versions, ids):
    rows = [row(100e6, tool_version=version, **FITTING) for version in versions]
    assert caveats.group_caveats(rows) == ids
    assert caveats.group_caveats([*rows, row(100e6, tool_version="1", file_size=GIB, memory=2 * GIB)]) == ids | {"cached"}


@pytest.mark.parametrize(
    ("flags", "links", "sentences"),
    [
        ([()], (), []),
        ([("zeros",)], (), ["The group: "]),
        ([("zeros",)] * 2, (), ["Every group: "]),
        ([("zeros",)] * 3, (), ["Every group: "]),
        ([("zeros",), ()], (), ["1 of 2 groups: "]),
        ([("zeros",), (), ("zeros",)], (), ["2 of 3 groups: "]),
        ([("impossible",)], {"network", "disks"}, ["The group: above the limit of the disks or the network;"]),
        ([("single", "impossible"), ("single",)], (), ["1 of 2 groups: above the limit of the link;", "Every group: "]),
    ],
)
def it_says_how_many_groups_a_doubt_concerns(flags, links, sentences):
    """By the beginnings of the sentences."""
    found = [flag.sentence for flag in caveats.caveat_flags(_drawn(*flags), links)]
    assert [one[: len(sentence)] for one, sentence in zip(found, sentences, strict=True)] == sentences


@pytest.mark.parametrize(("values", "flags"), [((1.0,), ("cached", "single")), ((1.0, 2.0), ("cached",))])
def it_marks_single_runs(values, flags):
    assert GroupRows.of([row(*values, file_size=2**20, memory=2**30)]).flags == flags


def it_knows_the_bus_of_the_disks():
    fast = {"disk": "ATA ST3000DM001", "disks": 2} | FITTING
    assert caveats.row_caveats(row(1.3e9, **fast)) == {"impossible"}
    assert caveats.find_exceeded_link(row(1.3e9, **fast)) == "disks' bus"
    assert caveats.row_caveats(row(1.1e9, **fast)) == set()
    assert caveats.row_caveats(row(9e9, disk="Samsung SSD 970 PRO NVMe", disks=4, **FITTING)) == set()


VM = {"cpu": "AMD EPYC", "disks": 1}
HUGE = {"file_size": 640 * GIB, "memory": 32 * GIB}


@pytest.mark.parametrize(
    ("rate", "told", "link"),
    [
        (20e9, {**VM, "fs": "ext4"}, "virtual disk"),
        (20e9, {**VM, "fs": "ext4", "file_size": GIB // 2, "memory": 24 * GIB, "tool": "iozone"}, "virtual disk"),
        (20e9, {"disk": "QEMU HARDDISK", "disks": 1, "fs": "xfs"}, "virtual disk"),
        (20e9, {"disk": "loop device", "disks": 1, "fs": "xfs"}, "virtual disk"),
        (1.3e9, {"disk": "INTEL SSDSC2BB48", "disks": 2}, "disks' bus"),
        (1.3e9, {"disk": "INTEL SSDSC2BB48 + Samsung SSD 860 EVO", "disks": 2}, "disks' bus"),
        (2.7e9, {"disk": "HGST HTS721010A9E630", "disks": 4, **HUGE}, "disks' bus"),
        (700e6, {"disk": "FUJITSU MAP3367N", "disks": 1, **HUGE}, "rotating disks"),
        (5e9, {"disk": "Samsung SSD 970 PRO", "disks": 1, "fs": "ext4"}, "drives' PCI Express links"),
        (40e9, {"disk": "KIOXIA NVMe", "disks": 1, "fs": "ext4"}, "drives' PCI Express links"),
        (70e9, {"cpu": "AMD Athlon 64 X2 4200+", "fs": "tmpfs", "file_size": 64 * GIB}, "memory"),
        (300e9, {"tool": "fio", "cpu": "Xeon E5-1620", "file_size": 64 * GIB}, "memory"),
        (1e15, {}, "memory"),
        (3 * GIB, {"file_size": GIB}, "tool's clock for such a small file"),
    ],
)
def it_knows_limits_without_a_named_bus(rate, told, link):
    measured = row(rate, **{"metric": "read.throughput"} | told)
    assert caveats.find_exceeded_link(measured) == link
    assert "impossible" in caveats.row_caveats(measured)
    assert caveats.possible_range(measured)[1] < rate


LIMIT = 4 * 32e9 * 128 / 130 / 8
"""B/s of a virtual disk."""


@pytest.mark.parametrize(
    ("metric", "told", "lowest", "highest"),
    [
        ("write.throughput", {}, 0, LIMIT),
        ("write.elapsed", {}, GIB / LIMIT, math.inf),
        ("write.elapsed", {"part": "total"}, GIB / LIMIT, math.inf),
        ("write.rate", {"record_size": 4096}, 0, LIMIT / 4096),
        ("read.rate", {"transfer_size": 2**20, "block_size": 2**30}, 0, LIMIT / 2**20),
        # No transfer of all data: a part, CPU time, what a copy may leave out, seeks, names, and records of unknown size.
        ("write.elapsed", {"part": "open"}, 0, math.inf),
        ("write.rate", {"part": "interval", "block_size": 4096}, 0, math.inf),
        ("write.sys", {}, 0, math.inf),
        ("copy.elapsed", {}, 0, math.inf),
        ("seek.rate", {"record_size": 4096}, 0, math.inf),
        ("file_create.rate", {}, 0, math.inf),
        ("write.rate", {}, 0, math.inf),
        ("write.elapsed", {"file_size": "~"}, 0, math.inf),
    ],
)
def it_limits_times_and_rates_as_the_throughput_of_the_same_run(metric, told, lowest, highest):
    texts = {"metric": metric, "tool": "fio", "file_size": GIB, "fs": "ext4", **VM} | told
    assert caveats.possible_range(row(1.0, **texts)) == pytest.approx((lowest, highest))
    assert caveats.possible_range(replace(row(1.0, **texts), scale=0.5)) == pytest.approx((lowest / 2, highest / 2))


def it_marks_a_time_that_is_too_short_and_none_below_the_clock():
    texts = {"metric": "write.elapsed", "tool": "fio", "file_size": GIB, "fs": "ext4", **VM}
    assert caveats.find_exceeded_link(row(0.05, 1.0, **texts)) == "virtual disk"
    assert caveats.find_exceeded_link(row(0.08, 1.0, **texts)) == "" == caveats.find_exceeded_link(row(0.0, **texts))


def it_counts_the_disks_of_a_layout_where_their_number_is_unknown():
    image = {"metric": "read.throughput", "cpu": "AMD EPYC", "fs": "zfs", "compression": "off", "layout": "stripe(1)"}
    assert caveats.find_exceeded_link(row(20e9, **image)) == "virtual disk"
    assert caveats.find_exceeded_link(row(20e9, **image | {"layout": "2 x mirror(2)"})) == ""
    assert caveats.find_exceeded_link(row(20e9, **image | {"layout": "raidz2"})) == ""


@pytest.mark.parametrize(
    ("metric", "rate", "told", "link"),
    [
        # A mirror reads from all of its disks and writes at the rate of one; parity is written beside the data.
        ("read.throughput", 1.1e9, {"layout": "mirror(2)", "disks": 2}, ""),
        ("write.throughput", 1.1e9, {"layout": "mirror(2)", "disks": 2}, "disks' bus"),
        ("random_write.throughput", 1.1e9, {"layout": "2 x mirror(2)", "disks": 4}, ""),
        ("rewrite.throughput", 1.3e9, {"layout": "2 x mirror(2)", "disks": 4}, "disks' bus"),
        ("write.throughput", 1.3e9, {"layout": "stripe(4)", "disks": 4}, ""),
        ("write.throughput", 1.7e9, {"layout": "raidz1(4)", "disks": 4}, ""),
        ("write.throughput", 2.0e9, {"layout": "raidz1(4)", "disks": 4}, "disks' bus"),
        ("read.throughput", 2.0e9, {"layout": "raidz1(4)", "disks": 4}, ""),
        ("write.throughput", 1.1e9, {"disks": 2}, ""),
        # What compresses carries more than the disks show, but not of random data.
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "lz4"}, ""),
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "lz4", "contents": "zeros"}, ""),
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "lz4", "contents": "compressible 50 %"}, ""),
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "lz4", "contents": "random"}, "disks' bus"),
        ("write.throughput", 3e9, {"disks": 1, "fs": "btrfs", "contents": "random"}, "disks' bus"),
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "off", "dedup": "on", "contents": "random"}, ""),
        ("write.throughput", 3e9, {"disks": 1, "fs": "zfs", "compression": "off", "dedup": "on"}, ""),
    ],
)
def it_asks_what_the_disks_store_of_what_is_written(metric, rate, told, link):
    measured = row(rate, **{"metric": metric, "tool": "fio", "fs": "xfs", "disk": "WDC WD20EARS", **HUGE} | told)
    assert caveats.find_exceeded_link(measured) == link


@pytest.mark.parametrize(
    ("rate", "told"),
    [
        # 24 drives of 6.9 GB/s in one server, and with PCI Express 5.0 of 14 GB/s.
        (165e9, {"disk": "Samsung SSD 980 PRO", "disks": 24, "cpu": "AMD EPYC 7742", "fs": "xfs", **HUGE}),
        (336e9, {"disk": "KIOXIA CM7 NVMe", "disks": 24, "cpu": "AMD EPYC 9654", "fs": "xfs", **HUGE}),
        # A drive of PCI Express 6.0: Micron 9650, 28 GB/s.
        (28e9, {"disk": "Micron 9650 NVMe", "disks": 1, "fs": "xfs", **HUGE}),
        # Clusters: IO500 of 2020 and later, some 10 TB/s; IOR of 2,400 processes with an unknown number of nodes.
        (10e12, {"fs": "lustre", "nodes": 512, "processes": 8192, "network": "InfiniBand HDR"}),
        (993e9, {"tool": "ior", "processes": 2400, "cpu": "Xeon E5-2698 v3", "disks": 1}),
        (240e9, {"tool": "ior", "fs": "daos", "nodes": 52, "processes": 1664}),
        (89e9, {"fs": "gpfs", "processes": 768}),
        # Memory.
        (
            120e9,
            {
                "fs": "tmpfs",
                "cpu": "AMD EPYC 7742",
                "processes": 64,
                "nodes": 1,
                "file_size": 64 * GIB,
                "disks": 1,
                "disk": "ST2000DM001",
            },
        ),
        (60e9, {"fs": "tmpfs", "cpu": "Core i7-2600", "file_size": GIB // 64, "tool": "iozone"}),
        (1e12, {"cpu": "Xeon Platinum 8280L", "fs": "xfs", "disks": 400, "disk": "Intel NVMe", "file_size": 4096 * GIB}),
        # In the processor's cache: iozone of 2 MiB on two cores.
        (63e9, {"tool": "iozone", "cpu": "AMD EPYC 7742", "file_size": 2**21, "metric": "strided_read.throughput"}),
        # Compression carries more than the disks show.
        (3e9, {"fs": "zfs", "compression": "lz4", "disk": "WDC WD20EARS", "disks": 2}),
        (3e9, {"fs": "zfs", "disk": "WDC WD20EARS", "disks": 2}),
        # A cache device, a logical volume of unknown disks, an unknown number of disks, two actuators.
        (3e9, {"cache": "Samsung SSD 970 PRO", "disk": "WDC WD20EARS", "disks": 2}),
        (9e9, {"disk": "PERC H740P", "disks": 1}),
        (9e9, {"disk": "WDC WD20EARS"}),
        (554e6, {"disk": "ST18000NM0092", "disks": 1, **HUGE}),
        (315e6, {"disk": "ST900MP0146", "disks": 1, **HUGE}),
        (600e6, {"disk": "HGST HTS721010A9E630", "disks": 1, "file_size": GIB, "memory": GIB, "tool": "dd"}),
        (10e9, {**VM, "disks": 1}),
        (2 * GIB, {"file_size": GIB}),
    ],
)
def it_calls_no_possible_value_impossible(rate, told):
    measured = row(
        rate, **{"metric": "read.throughput", "tool": "fio" if "tool" not in told and rate > 2.5e9 else "bonnie++"} | told
    )
    assert caveats.find_exceeded_link(measured) == "" and "impossible" not in caveats.row_caveats(measured)


def it_has_a_source_for_each_limit():
    told = row(1e9, cpu="AMD EPYC 7742", disk="NVMe", disks=1, fs="xfs", file_size=64 * GIB).texts
    limits = hardware_limits.find_limits(told, 64 * GIB)
    assert len(limits) == 3 and [one.speed for one in limits] == sorted(one.speed for one in limits)
    assert all(one.source and one.name for one in limits)


@given(st.sampled_from([GIB, 2 * GIB, 64 * GIB, None]), st.sampled_from([GIB, 32 * GIB, None]), st.sampled_from(["on", None]))
def it_doubts_no_less_where_less_is_known(file_size, memory, fsync):
    """What qualifies a claim stays, or is replaced by its weaker form, where a size becomes unknown."""
    known = {"file_size": file_size, "memory": memory, "fsync": fsync}
    ids = caveats.row_caveats(row(1e8, **{name: value for name, value in known.items() if value is not None}))
    for lost in known:
        fewer = {name: value for name, value in known.items() if value is not None and name != lost}
        less = caveats.row_caveats(row(1e8, **fewer))
        assert not ids & {"cached", "maybe-cached"} or less & {"cached", "maybe-cached"}


def it_names_what_a_claim_adds():
    assert {name: one.qualifies for name, one in caveats.CAVEATS.items() if one.qualifies} == DOUBTS
    assert {name for name, one in caveats.CAVEATS.items() if one.rules_out} == {"impossible", "partial", "targets"}


@pytest.mark.parametrize(
    ("network", "rate"),
    [
        ("Ethernet 10 Gb/s", 1.25e9),
        ("10GbE", 1.25e9),
        ("10 GigE", 1.25e9),
        ("1000 Mb/s", 125e6),
        ("1000BASE-T", 125e6),
        ("Gigabit Ethernet", 125e6),
        ("InfiniBand QDR", 5e9),
        ("InfiniBand 56 Gb/s", 7e9),
        ("FDR", 7e9),
        ("100Gbit", 12.5e9),
        ("2.5 Gbps", 312.5e6),
        ("wireless", None),
        ("", None),
        ("eth10", None),
        ("2 x 10GbE", 2.5e9),
        ("10GbE, 1GbE", 1.375e9),
    ],
)
def it_reads_the_speed_of_a_link(network, rate):
    assert hardware_limits.link_speed(network) == rate


@pytest.mark.parametrize(
    ("model", "disks", "rate"),
    [
        ("ST2000NM0033", 4, 2.4e9),
        ("WDC WD20EARS", 1, 600e6),
        ("INTEL SSDSC2BB48", 1, 600e6),
        ("SEAGATE SAS 10k", 2, 4.8e9),
        ("Samsung SSD 860 EVO", 1, 600e6),
        ("Samsung SSD 970 PRO", 1, None),
        ("Virtual disk", 8, None),
    ],
)
def it_knows_only_the_buses_that_a_model_tells(model, disks, rate):
    assert hardware_limits.bus_speed(model, disks) == rate


def it_is_a_closed_list_in_one_order():
    assert caveats.order_caveats(["single", "cached", "impossible", "no such"]) == ("impossible", "cached", "single")
    for name, one in caveats.CAVEATS.items():
        assert name == one.id and one.place in ("group", "figure") and one.why and one.remedy
    with pytest.raises(KeyError):
        caveats.make_flag("no such")


@pytest.mark.django_db
def it_is_explained_where_the_flags_lead_to(client):
    page = client.get("/honesty").content.decode()
    for name, one in caveats.CAVEATS.items():
        assert f'id="{name}"' in page and one.remedy[:20] in page
