"""Layouts as numbers."""

from __future__ import annotations

import pytest

from ingest.analysis.pool_layout import Numbers, numbers


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("mirror(2)", Numbers(1, 2, 1, 0.5)),
        ("4 x mirror(2)", Numbers(4, 8, 1, 0.5)),
        ("mirror(3)", Numbers(1, 3, 2, 2 / 3)),
        ("4 x raidz1(9)", Numbers(4, 36, 1, 1 / 9)),
        ("raidz2(7)", Numbers(1, 7, 2, 2 / 7)),
        ("stripe(2)", Numbers(2, 2, 0, 0)),
        ("mirror(2) + stripe(1)", Numbers(2, 3, 0, 1 / 3)),
        ("draid2(11)", Numbers(1, 11, 2, 2 / 11)),
        ("raid6(8)", Numbers(1, 8, 2, 2 / 8)),
        ("raid10(4)", Numbers(1, 4, 1, 0.5)),
        ("raid1(2)", Numbers(1, 2, 1, 0.5)),
        ("raid1(4)", Numbers(1, 4, None, None)),
        ("raid1c3(6)", Numbers(1, 6, 2, 2 / 3)),
        ("raidz2", None),
        ("", None),
        (None, None),
        ("odd words", None),
    ],
)
def test_numbers_of_a_layout(layout, expected):
    found = numbers(layout)
    if expected is None:
        assert found is None
    else:
        assert (found.vdevs, found.disks, found.parity) == (expected.vdevs, expected.disks, expected.parity)
        assert found.redundancy == pytest.approx(expected.redundancy)
