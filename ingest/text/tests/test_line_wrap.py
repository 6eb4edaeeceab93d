"""Outputs copied out of a terminal, each line broken at its last column: read as if they were whole, or doubted."""

from __future__ import annotations

from collections import Counter

import pytest

from ingest.records import Measurement, Warning
from ingest.tests.samples import FOLDER
from ingest.tests.whole import read_file_records

SAMPLES = FOLDER


def broken(text: str, width: int) -> str:
    """The text with a line feed behind every `width` characters of a line."""
    return "\n".join("\n".join([line[at : at + width] for at in range(0, len(line), width)] or [""]) for line in text.split("\n"))


def values(found):
    return [one for one in found if isinstance(one, Measurement)]


def figures(found) -> Counter:
    return Counter((one.tool, one.metric, one.stat, one.native, one.raw, one.value) for one in values(found))


@pytest.mark.parametrize(
    ("sample", "width"),
    [
        ("ior/4.0.0-shared-file.txt", 80),
        ("ior/3.0.1-mpiio-random-warnings.txt", 72),
        ("ior/2.10.3-summary-only.txt", 100),
        ("ior/4.0-quoted-table.txt", 80),
        ("ior/4.0.0-csv.txt", 72),
        ("mdtest/3.3.0.txt", 72),
        ("mdtest/4.0.0-files-unique.txt", 80),
        ("iozone/all-thirteen-tests.txt", 80),
        ("iozone/auto-table-and-excel-text.txt", 72),
        ("bonnie++/csv-198-label-lines.txt", 80),
        ("bonnie++/report-200.txt", 72),
        ("bonnie++/csv-103-and-report.txt", 72),
        ("io500/shell-version-2019.txt", 80),
        ("io500/io500-app-2017.txt", 100),
        ("filebench/1.4-fileserver.txt", 80),
        ("fio/fsync-latencies.txt", 80),
        ("zpool-iostat/waiting-times.txt", 80),
        ("zpool-iostat/queues-and-waiting-times.txt", 100),
        ("iozone/throughput-children-and-cpu.txt", 80),
        ("iozone/throughput-children-and-cpu.txt", 100),
    ],
)
def test_a_copy_out_of_a_terminal_reads_like_the_output(sample, width):
    text = (SAMPLES / sample).read_text()
    copy = broken(text, width)
    assert copy != text
    found = read_file_records("copy.txt", copy)
    assert figures(found) == figures(read_file_records("copy.txt", text))
    lines = copy.split("\n")
    for one in values(found):  # each on the line on which its figure begins
        line = lines[one.line - 1]
        assert one.raw in line or any(line.endswith(one.raw[:end]) for end in range(1, len(one.raw)))


IOR = """\
access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     1029.21    1029.30    0.001944    65536      1024.00    0.000103   0.124357   0.000017   0.124366   0
read      9051.55    9079.21    0.000213    65536      1024.00    0.000019   0.014098   0.000006   0.014141   0
"""


def test_a_table_as_wide_as_the_text_is_left_alone():
    assert len(values(read_file_records("ior.txt", IOR))) == 14
    padded = "\n".join(line.ljust(113)[:113] for line in IOR.split("\n")[:-1])  # rows that all fill the width, as the titles do
    assert figures(read_file_records("ior.txt", padded)) == figures(read_file_records("ior.txt", IOR))


def test_what_stands_around_may_be_wider():
    prose = "And this is what it gave on the new machine, whose lines my terminal broke, and I could not mend it in here.\n\n"
    found = read_file_records("post.txt", f"{prose * 2}{broken(IOR, 80)}\n{prose}")
    assert figures(found) == figures(read_file_records("ior.txt", IOR))


def test_titles_that_break_off_are_told():
    """Without the rest of the titles nobody knows what the columns behind them are."""
    found = read_file_records("ior.txt", "\n".join(line[: IOR.index("tal(s)")] for line in IOR.split("\n")))
    assert [(one.line, one.code) for one in found if isinstance(one, Warning)] == [(1, "cut")]
    table = "SUMMARY rate: (of 1 iterations)\n   Operation       Max       Min   Mean\n   File creation   1.000     1.000  1.000\n"
    found = read_file_records("md.txt", f"mdtest-3.3.0 was launched with 1 total task(s) on 1 node(s)\n{table}")
    assert [(one.line, one.code) for one in found if isinstance(one, Warning)] == [(3, "cut")]


def test_a_figure_cut_at_the_edge_of_a_report_is_not_taken():
    report = (SAMPLES / "bonnie++/report-197-f-chunk.txt").read_text().split("\n")
    row = next(at for at, line in enumerate(report) if line.startswith("store01"))
    report[row : row + 1] = [report[row][:-1], report[row][-1]]
    found = values(read_file_records("bonnie.txt", "\n".join(report)))
    assert "seek.rate" in {one.metric for one in found} and "seek.cpu" not in {one.metric for one in found}
