"""What the reports of `zpool iostat -v` tell of the pools they show."""

from __future__ import annotations

import pytest

from ingest.records import Doubt
from ingest.tests.context_reading import read_clue_values, read_items

HEAD = """               capacity     operations    bandwidth
pool         alloc   free   read  write   read  write
-----------  -----  -----  -----  -----  -----  -----
"""
RULE = "-----------  -----  -----  -----  -----  -----  -----\n"
TANK = {"pool.name": "tank", "fs.type": "zfs"}


def report(*names: str, after: str = RULE) -> str:
    """A report with a row for each name; disks in a vdev have no capacity."""
    rows = {name: "  -" * 6 if name in ("logs", "cache") else "  1.1T  2.2T  10  20  1.5M  300K" for name in names}
    return HEAD + "".join(f"{name:<11}{rows[name]}\n" for name in names) + after


RAIDZ = ("tank", "  raidz2", "    sda", "    sdb", "    sdc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (report(*RAIDZ), {"pool.layout": "raidz2(3)", "disk.count": 3}),
        (
            report("tank", "  mirror-0", "    a", "    b", "  mirror-1", "    c", "    d", "logs", "  e", "cache", "  f", "  g"),
            {"pool.layout": "2 x mirror(2)", "disk.count": 4, "pool.log": "stripe(1)", "pool.cache": "stripe(2)"},
        ),
        (
            report("tank", "  ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0000001"),
            {"pool.layout": "stripe(1)", "disk.count": 1, "disk.model": "WDC WD40EFRX-68N32N0"},
        ),
        (report(*RAIDZ, "  sdd"), {}),  # of old systems it may be the log
        (report(*RAIDZ, after="    ...\n"), {}),
        (report(*RAIDZ) + report("tank", "  raidz2", "    sda"), {"pool.layout": "raidz2(3)", "disk.count": 3}),
        (report("tank"), {}),
        (report("rpool", "  sdz", "tank", "  sda"), {"pool.layout": "stripe(1)", "disk.count": 1}),
    ],
)
def test_what_reports_tell_of_pools(text: str, expected: dict[str, object]) -> None:
    assert read_clue_values(text, only="zpool iostat") == TANK | expected


@pytest.mark.parametrize(("after", "cut"), [(RULE, False), ("", True)])
def test_a_report_that_ends_with_the_file_may_miss_disks(after: str, cut: bool) -> None:
    doubts = [
        one.code for one in read_items(report(*RAIDZ, after=after).rstrip("\n"), only="zpool iostat") if isinstance(one, Doubt)
    ]
    assert doubts == ["cut"] * cut


def test_pools_are_told_once() -> None:
    assert len(read_items(report("tank", "deep", "tank", "deep", "tank"), only="zpool iostat")) == 4


def test_each_pool_has_its_layout() -> None:
    assert read_clue_values(
        report("tank", "  mirror", "    a", "    b") + RULE + report("deep", "  raidz1", "    c", "    d", "    e")
    )["pool.layout"] == {"mirror(2)", "raidz1(3)"}
