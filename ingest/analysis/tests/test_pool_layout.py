"""Layouts as numbers."""

from __future__ import annotations

import pytest

from ingest.analysis.pool_layout import LayoutCounts, parse_layout


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("mirror(2)", LayoutCounts(1, 2, 1, 0.5)),
        ("4 x mirror(2)", LayoutCounts(4, 8, 1, 0.5)),
        ("mirror(3)", LayoutCounts(1, 3, 2, 2 / 3)),
        ("4 x raidz1(9)", LayoutCounts(4, 36, 1, 1 / 9)),
        ("raidz2(7)", LayoutCounts(1, 7, 2, 2 / 7)),
        ("stripe(2)", LayoutCounts(2, 2, 0, 0)),
        ("mirror(2) + stripe(1)", LayoutCounts(2, 3, 0, 1 / 3)),
        ("draid2(11)", LayoutCounts(1, 11, 2, 2 / 11)),
        ("raid6(8)", LayoutCounts(1, 8, 2, 2 / 8)),
        ("raid10(4)", LayoutCounts(1, 4, 1, 0.5)),
        ("raid1(2)", LayoutCounts(1, 2, 1, 0.5)),
        ("raid1(4)", LayoutCounts(1, 4, None, None)),
        ("raid1c3(6)", LayoutCounts(1, 6, 2, 2 / 3)),
        ("4 x mirror(2) + special mirror(2) + spare(1)", LayoutCounts(4, 8, 1, 0.5)),
        ("raidz2(6) + special mirror(3) + dedup 2 x mirror(2)", LayoutCounts(1, 6, 1, 1 / 3)),
        ("raidz2(6) + special stripe(1)", LayoutCounts(1, 6, 0, 1 / 3)),
        ("raidz1(3) + special raid1(4)", LayoutCounts(1, 3, None, None)),
        ("raidz2", None),
        ("", None),
        (None, None),
        ("odd words", None),
    ],
)
def test_numbers_of_a_layout(layout, expected):
    found = parse_layout(layout)
    if expected is None:
        assert found is None
    else:
        assert (found.vdevs, found.disks, found.parity) == (expected.vdevs, expected.disks, expected.parity)
        assert found.redundancy == pytest.approx(expected.redundancy)
