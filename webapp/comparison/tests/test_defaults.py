"""What is drawn where the address leaves it open, and baselines as they are spelt."""

from __future__ import annotations

import pytest

from webapp.comparison import compared_set, comparison
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.tests.compared import made_up
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


def _of(metric, axis, values, n, **more):
    return [row(*[1.0] * n, metric=metric, **{axis: text}, **more) for text in values]


WRITES, READS = "write.throughput", "random_read.throughput"


@pytest.mark.parametrize(
    ("query", "axis", "writes", "reads", "metric"),
    [
        ("", "cpu", ("ab", 1), ("cdef", 1), READS),
        ("metric=write.throughput", "cpu", ("ab", 1), ("cdef", 1), WRITES),
        ("", "cpu", ("ab", 1), ("cd", 1), WRITES),
        ("", "compression", (("off", "lz4"), 3), (("off", "lz4", "zstd"), 1), WRITES),
        ("", "compression", (("off", "lz4"), 1), (("off", "lz4"), 3), READS),
        ("", "os", (("Debian", "FreeBSD"), 3), (("Debian", "FreeBSD", "Fedora"), 3), READS),
        ("", "fs", (("ext4",), 3), (("ext4", "xfs"), 3), READS),
        ("", "layout", (("raidz2(6)",), 3), (("raidz2(6)",), 3), None),
    ],
)
def it_asks_of_each_axis_the_metric_whose_set_answers_most(query, axis, writes, reads, metric):
    rows = [made for name, (texts, n) in ((WRITES, writes), (READS, reads)) for made in _of(name, axis, texts, n)]
    if axis == "cpu":
        rows = [row(1.0, metric=one.metric, cpu=one.texts["cpu"], machine=str(at), system=str(at)) for at, one in enumerate(rows)]
    made = made_up(query, rows)
    assert comparison._find_answers(made, made.selection).get(axis) == ((metric,) if metric else None)
