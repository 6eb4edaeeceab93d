"""sysbench fileio: units by sb_util.c, operations by the test's name, damage."""
from __future__ import annotations

import pytest

from ingest.parsers.sysbench import PARSER
from ingest.tests.reading import read

HEAD = "sysbench 1.0.20\nNumber of threads: 1\nExtra file open flags: (none)\n128 files, 16MiB each\n2GiB total file size\n"
OLD = "sysbench 0.4.12:  x\nExtra file open flags: 0\n128 files, 16Mb each\nDoing sequential read test\n"


def told(content):
    values, doubts = read(PARSER, content)
    return {one.metric: one.value for one in values if one.stat == "sample"}, [one.code for one in doubts]


@pytest.mark.parametrize(("doing", "lines", "expected", "codes"), [
    ("random read", "reads/s: 10.50\nwrites/s: 0.00\nfsyncs/s: 0.00\nread, MiB/s: 2.00\nwritten, MiB/s: 0.00",
     {"random_read.rate": 10.5, "random_read.throughput": 2 * 2**20}, []),
    ("sequential write (creation)", "writes/s: 3.25\nfsyncs/s: 4.00\nwritten, MiB/s: 1.00",
     {"write.rate": 3.25, "fsync.rate": 4, "write.throughput": 2**20}, []),
    ("sequential rewrite", "written, MiB/s: 1.00", {"rewrite.throughput": 2**20}, []),
    ("sequential write (creation)", "writes/s: 0.00", {}, ["unmeasured"]),
    ("sequential read", "reads/s: 10.5", {}, ["bad-number"]), ("sequential read", "reads/s:", {}, ["cut"]),
    ("sequential read", "reads/s: 10.50\nreads/s: 11.50", {"read.rate": 10.5}, ["no-command"]),
    ("sequential read", "writes/s: 10.50", {}, ["disagree"]),
    ("something new", "reads/s: 10.50", {}, ["no-command"]),
])
def test_figures_of_1_0(doing, lines, expected, codes):
    assert told(f"{HEAD}Doing {doing} test\n\n{lines}\n") == (expected, codes)


@pytest.mark.parametrize(("raw", "factor"), [("2.5Kb", 1024), ("2.5Mb", 2**20), ("2.5Gb", 2**30), ("2.5b", 1)])
def test_units_of_0_4(raw, factor):
    found, codes = told(f"{OLD}Read 93.75Mb  Written 0b  Total transferred 93.75Mb  ({raw}/sec)\n  160.01 Requests/sec executed\n")
    assert found == {"read.throughput": 2.5 * factor, "read.rate": 160.01} and not codes


def test_a_sum_that_breaks_off_is_told():
    assert told(f"{OLD}Read 93.75Mb  Written 0b  Total transferred 93.75Mb  (2.5M\n") == ({}, ["cut"])
