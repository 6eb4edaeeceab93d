"""The formulas: against the tables of the weblog that they come from, and against OpenZFS's allocation by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.raidz import charts
from webapp.raidz.layouts import (
    DRAID,
    MIRROR,
    RAID,
    RAIDZ,
    STRIPE,
    Blocks,
    DiskGroup,
    ModelDisk,
    allocated_sectors,
    efficiency,
    estimate,
    parse_layout,
)
from webapp.raidz.parameters import parse

WEBLOG = Path(__file__).parents[3] / "fixtures/sun-storage-weblog/raidz-model/tables.csv"
DISK = ModelDisk(size=100e9, iops=200, rate=100e6)
PLAIN = Blocks(record=128 << 10, sector=512, chunk=64 << 10, padding=False)
PADDED = Blocks(record=128 << 10, sector=4096, chunk=64 << 10)


def weblog_rows():
    lines = WEBLOG.read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("row", weblog_rows(), ids=lambda row: row["native"])
def test_the_tables_of_the_weblog_come_out_as_printed(row):
    """100 disks of 100 GB and 200 IOPS: each number of the table of 31 May 2006."""
    groups = parse_layout(row["config.pool.layout"])
    made = estimate(groups, DISK, PLAIN)
    got = made.space / 1e9 if row["metric"] == "store.capacity" else made.read_iops
    assert got == pytest.approx(float(row["value"]), rel=1e-12)


def test_the_weblog_is_an_address_of_the_page():
    """The address that the page offers has the rows of the weblog: groups, space and IOPS."""
    parameters = parse(
        [
            ("disks", "100"),
            ("width", "10"),
            ("parity", "1"),
            ("ashift", "9"),
            ("size", "100GB"),
            ("iops", "200"),
            ("space", "parity"),
        ]
    )
    rows = {row.group.name: (row.estimate.space / 1e9, row.estimate.read_iops, row.left) for row in charts.over_widths(parameters)}
    assert {name: rows[name] for name in ("raidz1(100)", "2 x raidz1(50)", "5 x raidz1(20)", "33 x raidz1(3)")} == {
        "raidz1(100)": (pytest.approx(9900), pytest.approx(200), 0),
        "2 x raidz1(50)": (pytest.approx(9800), pytest.approx(400), 0),
        "5 x raidz1(20)": (pytest.approx(9500), pytest.approx(1000), 0),
        "33 x raidz1(3)": (pytest.approx(6600), pytest.approx(6600), 1),
    }


def test_the_weblogs_advice_on_the_width_of_groups():
    """50 devices of 200 IOPS, 1000 blocks a second wanted: groups of ten give them, with parity as overhead."""
    made = estimate([DiskGroup(RAIDZ, 10, 1, 5)], DISK, PLAIN)
    assert made.read_iops == pytest.approx(1000)
    assert made.share == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("kind", "disks", "parity", "sectors", "allocated"),
    [
        (RAIDZ, 5, 1, 32, 40),
        (RAIDZ, 5, 1, 1, 2),
        (RAIDZ, 6, 2, 32, 48),
        (RAIDZ, 6, 2, 2, 6),  # 2 + 2 of parity, rounded up to a multiple of 3
        (RAIDZ, 8, 2, 32, 45),  # 32 + 2 * 6 = 44, rounded up
        (RAIDZ, 11, 3, 32, 44),
        (RAIDZ, 3, 1, 3, 6),  # 3 + 2 = 5, rounded up
    ],
)
def test_sectors_of_a_block(kind, disks, parity, sectors, allocated):
    assert allocated_sectors(DiskGroup(kind, disks, parity), sectors) == allocated


def test_draid_allocates_whole_rows():
    group = DiskGroup(DRAID, 11, 1, spares=1, data=4)
    assert [allocated_sectors(group, sectors) for sectors in (1, 4, 5, 32)] == [5, 5, 10, 40]


@pytest.mark.parametrize(
    ("group", "read", "write"),
    [
        (DiskGroup(STRIPE, 1, count=4), 800, 800),
        (DiskGroup(MIRROR, 2, count=2), 800, 400),
        (DiskGroup(RAIDZ, 4, 1), 200, 200),
        (DiskGroup(RAID, 4, 1), 400, 200),  # a block of two chunks of 64 KiB; the rest of the stripe is read, not the old data
        (DiskGroup(DRAID, 11, 1, spares=1, data=4), 400, 400),
    ],
    ids=lambda value: value.name if isinstance(value, DiskGroup) else None,
)
def test_random_blocks_of_groups(group, read, write):
    made = estimate([group], DISK, PADDED)
    assert (made.read_iops, made.write_iops) == (pytest.approx(read), pytest.approx(write))


def test_small_blocks_touch_fewer_disks():
    """A block of one sector lies on one data disk and the parity."""
    small = Blocks(record=4096, sector=4096, chunk=64 << 10)
    assert estimate([DiskGroup(RAIDZ, 10, 1)], DISK, small).read_iops == pytest.approx(10 * 200 / 2)
    assert efficiency(DiskGroup(RAIDZ, 10, 1), small) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("layout", "names"),
    [
        ("4 x mirror(2)", ["4 x mirror(2)"]),
        ("raidz2(7)", ["raidz2(7)"]),
        ("stripe(3)", ["stripe(3)"]),
        ("raidz1(5) + mirror(2)", ["raidz1(5)", "mirror(2)"]),
        ("raidz1(5) + special mirror(2) + spare(1)", ["raidz1(5)"]),
        ("raid6(8)", ["raid6(8)"]),
        ("raidz2", None),  # the number of disks is unknown
        ("mirror", None),
        ("raidz3(3)", None),  # no data disk is left
        ("raid1c3(4)", None),  # no formula
        ("raidz2(99999999)", None),
        ("", None),
        (None, None),
    ],
)
def test_layouts_of_the_contract(layout, names):
    groups = parse_layout(layout)
    assert (groups and [group.name for group in groups]) == names


widths = st.integers(2, 60)


@given(st.sampled_from((RAIDZ, DRAID)), widths, st.integers(1, 3), st.integers(512, 4 << 20), st.sampled_from((512, 4096, 8192)))
def test_padding_never_adds_space(kind, disks, parity, record, sector):
    """With padding at most what parity alone leaves, and at least what copies in place of parity would."""
    if disks <= parity:
        return
    group = DiskGroup(kind, disks, parity, data=disks - parity if kind == DRAID else 0)
    share = efficiency(group, Blocks(record, sector, 65536))
    assert 0 < share <= (disks - parity) / disks + 1e-12
    if kind == RAIDZ and record >= sector and record % sector == 0:
        assert share >= 1 / (2 * parity + 2) - 1e-12


@given(widths, st.integers(1, 3), st.integers(1, 20))
def test_more_groups_give_proportionally_more(disks, parity, count):
    if disks <= parity:
        return
    one, many = (estimate([DiskGroup(RAIDZ, disks, parity, n)], DISK, PADDED) for n in (1, count))
    assert many.read_iops == pytest.approx(count * one.read_iops)
    assert many.read_rate == pytest.approx(count * one.read_rate)
    assert many.space >= count * one.space * 0.96  # the reserve has a lowest size
