"""Which values of a key are the same."""

from __future__ import annotations

import pytest

from ingest.configuration.clues import are_compatible, spell_devices
from ingest.tests.whole import read_measurements


@pytest.mark.parametrize(
    ("key", "printed", "spelled"),
    [
        ("disk.model", "WD40EFRX-68N + ST3000VX000", "ST3000VX000 + WD40EFRX-68N"),
        ("disk.model", "WDC WD40EFRX, Seagate ST3000VX000", "Seagate ST3000VX000 + WDC WD40EFRX"),
        ("disk.model", "ST3000VX000 + ST3000VX000", "ST3000VX000"),
        ("disk.model", "Corsair Force GT, 60 GB", "Corsair Force GT, 60 GB"),
        ("disk.model", "72 GB SAS", "72 GB SAS"),
        ("pool.log", "stripe(1) + mirror(2)", "mirror(2) + stripe(1)"),
        ("pool.log", "ssd + ssd", "ssd + ssd"),
        ("pool.cache", "2 x 100gb ssd", "2 x 100gb ssd"),
        ("pool.layout", "raidz1(3) + mirror(2)", "raidz1(3) + mirror(2)"),
        ("disk.count", 4, 4),
    ],
)
def test_lists_of_devices_are_sets(key, printed, spelled):
    assert spell_devices(key, printed) == spelled
    assert are_compatible(key, printed, spelled)


def test_other_devices_are_other_values():
    assert not are_compatible("disk.model", "ST3000VX000 + WD40EFRX", "ST3000VX000 + WD60EFRX")


def test_one_configuration_whatever_the_order_in_which_the_disks_were_typed():
    row = "metric,value,unit,config.disk.model\nwrite.throughput,81.2,MB/s,{}\n"
    files = {"a.csv": row.format("WD40EFRX + ST3000VX000"), "b.csv": row.format("ST3000VX000 + WD40EFRX")}
    assert [m.config["disk.model"] for m in read_measurements(files)] == ["ST3000VX000 + WD40EFRX"] * 2
