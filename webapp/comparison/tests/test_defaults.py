"""What is drawn where the address leaves it open, and baselines as they are spelt."""

from __future__ import annotations

import pytest

from webapp.comparison import defaults
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
    assert defaults.choose_axes(selection, ROWS).baseline == spelt
