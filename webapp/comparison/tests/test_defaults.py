"""What is drawn where the address leaves it open, and baselines as they are spelt."""

from __future__ import annotations

import pytest

from webapp.comparison import compared_set
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

GIB = 2**30
ROWS = Columns(
    [row(1.0, file_size=size * GIB, compression=name, host=host) for size, name, host in ((1, "off", "10k"), (2, "lz4", "b"))]
)


@pytest.mark.parametrize(
    ("x", "series", "baseline", "spelt"),
    [
        ("file_size", "", "2GiB", str(2 * GIB)),
        ("file_size", "", "2048M", str(2 * GIB)),
        ("file_size", "", str(GIB), str(GIB)),
        ("compression", "file_size", "1GiB", str(GIB)),
        ("file_size", "compression", "off", "off"),
        ("file_size", "host", "10k", "10k"),
        ("compression", "", "2GiB", "2GiB"),
        ("file_size", "", "3GiB", "3GiB"),
        ("file_size", "", "", ""),
    ],
)
def it_understands_a_baseline_as_filters_are(x, series, baseline, spelt):
    selection = parse([("metric", "write.throughput"), ("x", x), ("series", series), ("baseline", baseline)])
    assert compared_set.choose_axes(selection, ROWS).baseline == spelt


@pytest.mark.parametrize(("systems", "named", "baseline"), [(2, "", "h0"), (8, "", "h0"), (9, "", ""), (9, "h3", "h3")])
def it_compares_many_systems_with_none_of_them_unless_one_is_named(systems, named, baseline):
    selection = parse([("metric", "write.throughput"), ("x", "host"), ("baseline", named)])
    rows = Columns([row(1.0, host=f"h{number}", machine=str(number)) for number in range(systems)])
    assert compared_set.choose_baseline(selection, compared_set.AS_THEY_STAND, rows) == baseline
