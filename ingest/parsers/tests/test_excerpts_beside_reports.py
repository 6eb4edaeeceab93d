"""Results picked out of an output that stand beside their own report, or below what a script says of them."""

from __future__ import annotations

import pytest

from ingest.parsers.copies import dd
from ingest.parsers.fio import fio
from ingest.parsers.suites import vps_scripts
from ingest.parsers.tests.test_fio_excerpts import FIO
from ingest.tests.reading import read

_WHOLE = (
    "a: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=64\nfio-3.25\n"
    "a: (groupid=0, jobs=1): err= 0: pid=7: Wed May 17 11:03:32 2023\n" + FIO + "Run status group 0 (all jobs):\n"
)


@pytest.mark.parametrize(
    ("text", "line"),
    (("read:\tIOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)\n\n" + _WHOLE, 6), (_WHOLE + "\nSummary:\n" + FIO, 4)),
)
def test_a_line_picked_out_of_a_report_beside_it_is_its_result_again(text, line):
    values, _ = read(fio.PARSER, text)
    assert {value.metric: value.same_as for value in values if value.params.get("pattern")} == {
        "read.rate": line,
        "read.throughput": line,
    }
    assert {value.metric for value in values if value.same_as is None} == {"random_read.rate", "random_read.throughput"}


def test_a_picked_line_of_another_run_stays_a_result():
    values, _ = read(fio.PARSER, _WHOLE + "\nHDD:\nread:\tIOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120020msec)\n")
    assert [value.same_as for value in values] == [None] * 4


_COPIED = "335544320 bytes (336 MB, 320 MiB) copied, 3,93297 s, 85,3 MB/s\n"


@pytest.mark.parametrize(
    ("text", "operation"),
    (
        ("Starting write test...\n" + _COPIED, "write"),
        ("Measuring read speed \u2026\n" + _COPIED, "read"),
        ("Running dd tests ...\n81920+0 records in\n81920+0 records out\n" + _COPIED + "DD Write Speed: 85.3 MB/s\n", "write"),
        ("Running dd tests ...\n81920+0 records in\n81920+0 records out\n" + _COPIED, "transfer"),
    ),
)
def test_what_a_script_says_around_dd_tells_the_direction(text, operation):
    values, _ = read(dd.PARSER, text)
    assert {value.metric for value in values} == {f"{operation}.elapsed", f"{operation}.throughput"}


def test_the_table_of_pibenchmarks_knows_dd_by_the_mark_of_the_locale():
    table = (
        "HDParm   Disk Read           41.90 MB/s\nHDParm   Cached Disk Read    39.00 MB/s\n"
        "DD       Disk Write          85.3 MB/s\n"
        "FIO      4k random read      2742 IOPS (10969 KB/s)\nFIO      4k random write     964 IOPS (3859 KB/s)\n"
    )
    values, _ = read(vps_scripts.PARSER, _COPIED + table)
    assert [value.same_as for value in values if value.tool == "dd"] == [1]
