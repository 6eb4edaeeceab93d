"""The honesty flags and the physical limits behind one of them."""

from __future__ import annotations

import pytest

from webapp.claims import hardware_limits
from webapp.comparison import caveats
from webapp.tests.rows import row

GIB = 2**30


@pytest.mark.parametrize(
    ("told", "ids"),
    [
        ({}, set()),
        ({"file_size": GIB, "memory": GIB}, {"cached"}),
        ({"file_size": 2 * GIB, "memory": GIB}, set()),
        ({"total_size": 8 * GIB, "file_size": GIB // 8, "memory": GIB}, set()),
        ({"file_size": GIB, "memory": GIB, "direct": "1"}, set()),
        ({"file_size": GIB}, set()),
        ({"compression": "lz4"}, {"zeros"}),
        ({"compression": "on", "compression_effective": "lz4"}, {"zeros"}),
        ({"compression": "on", "compression_effective": "off"}, set()),
        ({"compression": "off"}, set()),
        ({"compression": "lz4", "tool": "rsync"}, set()),
        ({"compression": "lz4", "metric": "create_seq.rate", "file_size": GIB, "memory": GIB}, set()),
        ({"tool": "iozone", "file_size": GIB, "processes": 4, "memory": 2 * GIB}, set()),
        ({"tool": "ior", "block_size": GIB, "segments": 1, "processes": 2, "memory": GIB * 2}, {"cached"}),
        ({"fs": "nfs", "network": "Ethernet 1 Gb/s"}, {"impossible"}),
        ({"fs": "nfs", "network": "Ethernet 10 Gb/s"}, set()),
        ({"fs": "zfs", "network": "Ethernet 1 Gb/s"}, set()),
        ({"fs": "nfs", "network": "Ethernet 1 Gb/s", "nodes": 4}, set()),
        ({"fs": "lustre", "network": "1GbE", "processes": 64}, set()),
        ({"fs": "nfs", "network": "1GbE", "metric": "cached_read.throughput"}, set()),
        ({"fs": "nfs", "network": "1GbE", "metric": "seek.rate"}, set()),
    ],
)
def it_tells_from_a_row(told, ids):
    assert caveats.row_caveats(row(100e6, 130e6, **told)) == ids


def it_knows_the_bus_of_the_disks():
    fast = {"disk": "ATA ST3000DM001", "disks": 2}
    assert caveats.row_caveats(row(1.3e9, **fast)) == {"impossible"}
    assert caveats.find_exceeded_link(row(1.3e9, **fast)) == "disks' bus"
    assert caveats.row_caveats(row(1.1e9, **fast)) == set()
    assert caveats.row_caveats(row(9e9, disk="Samsung SSD 970 PRO NVMe", disks=1)) == set()


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
        assert name == one.id and one.place in (caveats.GROUP, caveats.FIGURE) and one.why and one.remedy
    with pytest.raises(KeyError):
        caveats.make_flag("no such")


@pytest.mark.django_db
def it_is_explained_where_the_flags_lead_to(client):
    page = client.get("/honesty").content.decode()
    for name, one in caveats.CAVEATS.items():
        assert f'id="{name}"' in page and one.remedy[:20] in page
