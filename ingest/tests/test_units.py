"""What each tool means by its units; the sources are cited in ingest/units.py."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ingest import units


@pytest.mark.parametrize(
    ("table", "unit", "factor"),
    [
        (units.DD_GNU, "kB", 1000),
        (units.DD_GNU, "MB", 10**6),
        (units.DD_GNU, "GB", 10**9),
        (units.DD_GNU, "MiB", 2**20),
        (units.DD_BUSYBOX, "MB", 2**20),
        (units.DD_BUSYBOX, "GB", 2**30),
        (units.DD_NUTTX, "KB", 1024),
        (units.RSYNC_H, "K", 1000),
        (units.RSYNC_H, "G", 10**9),
        (units.RSYNC_HH, "K", 1024),
        (units.RSYNC_HH, "G", 2**30),
        (units.OPENRSYNC, "k", 1000),
        (units.HDPARM, "MB", 2**20),
        (units.HDPARM, "kB", 1024),
        (units.DU, "M", 2**20),
        (units.DU, "MB", 10**6),
        (units.BONNIE_RATE, "k", 1024),
        (units.BONNIE_RATE, "m", 2**20),
        (units.BONNIE_RATE, "g", 2**30),
    ],
)
def test_factor(table: Mapping[str, float], unit: str, factor: int) -> None:
    assert table[unit] == factor


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1M", 2**20),
        ("1m", 2**20),
        ("1MB", 10**6),
        ("2048", 2048),
        ("4k", 4096),
        ("1b", 512),
        ("2x512", 1024),
        ("1G", 2**30),
        ("64KiB", 65536),
        ("$BS", None),
        ("", None),
        ("12Q", None),
        ("x", None),
    ],
)
def test_operand_of_dd(text: str, size: int | None) -> None:
    assert units.parse_dd_operand(text) == size


@pytest.mark.parametrize(
    ("text", "size"), [("16G", 16 * 2**30), ("8096M", 8096 * 2**20), ("300", 300 * 2**20), ("G", None), ("1.5G", None)]
)
def test_size_of_bonnie(text: str, size: int | None) -> None:
    assert units.parse_bonnie_size(text) == size
