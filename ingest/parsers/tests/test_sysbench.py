"""sysbench fileio: units by sb_util.c, operations by the test's name, damage."""

from __future__ import annotations

import pytest

from ingest.parsers.suites.sysbench import PARSER
from ingest.tests.reading import read

HEAD = "sysbench 1.0.20\nNumber of threads: 1\nExtra file open flags: (none)\n128 files, 16MiB each\n2GiB total file size\n"
OLD = "sysbench 0.4.12:  x\nExtra file open flags: 0\n128 files, 16Mb each\nDoing sequential read test\n"


def told(content):
    values, doubts = read(PARSER, content)
    return {one.metric: one.value for one in values if one.stat == "sample"}, [one.code for one in doubts]


@pytest.mark.parametrize(
    ("doing", "lines", "expected", "codes"),
    [
        (
            "random read",
            "reads/s: 10.50\nwrites/s: 0.00\nfsyncs/s: 0.00\nread, MiB/s: 2.00\nwritten, MiB/s: 0.00",
            {"random_read.rate": 10.5, "random_read.throughput": 2 * 2**20},
            [],
        ),
        (
            "sequential write (creation)",
            "writes/s: 3.25\nfsyncs/s: 4.00\nwritten, MiB/s: 1.00",
            {"write.rate": 3.25, "fsync.rate": 4, "write.throughput": 2**20},
            [],
        ),
        ("sequential rewrite", "written, MiB/s: 1.00", {"rewrite.throughput": 2**20}, []),
        ("sequential write (creation)", "writes/s: 0.00", {}, ["unmeasured"]),
        ("sequential read", "reads/s: 10.5", {}, ["bad-number"]),
        ("sequential read", "reads/s:", {}, ["cut"]),
        ("sequential read", "reads/s: 10.50\nreads/s: 11.50", {"read.rate": 10.5}, ["no-command"]),
        ("sequential read", "writes/s: 10.50", {}, ["disagree"]),
        ("something new", "reads/s: 10.50", {}, ["no-command"]),
    ],
)
def test_figures_of_1_0(doing, lines, expected, codes):
    assert told(f"{HEAD}Doing {doing} test\n\n{lines}\n") == (expected, codes)


@pytest.mark.parametrize(("raw", "factor"), [("2.5Kb", 1024), ("2.5Mb", 2**20), ("2.5Gb", 2**30), ("2.5b", 1)])
def test_units_of_0_4(raw, factor):
    found, codes = told(f"{OLD}Read 93.75Mb  Written 0b  Total transferred 93.75Mb  ({raw}/sec)\n  160.01 Requests/sec executed\n")
    assert found == {"read.throughput": 2.5 * factor, "read.rate": 160.01} and not codes


def test_a_sum_that_breaks_off_is_told():
    assert told(f"{OLD}Read 93.75Mb  Written 0b  Total transferred 93.75Mb  (2.5M\n") == ({}, ["cut"])


COMMAND = "$ sysbench fileio --threads=8 --file-total-size=4G --file-test-mode={} run\n"
BOTH = "reads/s: 10.50\nwrites/s: 7.00\nfsyncs/s: 9.00\nread, MiB/s: 2.00\nwritten, MiB/s: 1.00\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            f"File operations:\n{BOTH}",
            {
                "random_read.rate": 10.5,
                "random_write.rate": 7,
                "fsync.rate": 9,
                "random_read.throughput": 2 * 2**20,
                "random_write.throughput": 2**20,
            },
        ),
        (f"{HEAD}...\nreads/s: 10.50\nwrites/s: 0.00\n", {"read.rate": 10.5}),
        (f"{COMMAND.format('rndrd')}reads/s: 10.50\nwrites/s: 0.00\n", {"random_read.rate": 10.5}),
        (f"{COMMAND.format('seqrewr')}Throughput:\n  written, MiB/s: 1.00\n", {"rewrite.throughput": 2**20}),
        (f"{COMMAND.format('seqrd')}reads/s: 10.50\nwrites/s: 7.00\n", {"random_read.rate": 10.5, "random_write.rate": 7}),
        (f"{COMMAND.format('rndwr').replace(' run', ' prepare')}writes/s: 7.00\n", {"write.rate": 7}),
        ("See `Read 9.375Mb  Written 6.25Mb  Total transferred 15.625Mb  (53.5Kb/sec)`\n", {"mixed.throughput": 53.5 * 1024}),
        (
            "    Read 0b  Written 256Mb  Total transferred 256Mb  (2.5Mb/sec)\n  160.00 Requests/sec executed\n",
            {"write.throughput": 2.5 * 2**20, "write.rate": 160},
        ),
    ],
)
def test_results_quoted_without_the_line_that_names_the_test(content, expected):
    assert told(content)[0] == expected


def test_each_quoted_result_is_a_run_and_a_command_tells_but_one():
    one = "Read 10Mb  Written 0b  Total transferred 10Mb  ({}Mb/sec)\n"
    values, _ = read(PARSER, COMMAND.format("rndrd") + "a:\n" + one.format("2.5") + "b:\n" + one.format("3.5"))
    assert [(v.metric, v.params) for v in values] == [
        ("random_read.throughput", {"threads": 8, "total_size": 4 << 30}),
        ("read.throughput", {"pattern": "unknown"}),
    ]
    assert values[0].run != values[1].run


def test_a_command_above_a_test_that_names_itself_tells_no_later_result():
    text = f"{COMMAND.format('rndrd')}{HEAD}Doing random read test\nreads/s: 10.50\n\nFile operations:\nreads/s: 3.00\n"
    values, _ = read(PARSER, text)
    assert [v.metric for v in values] == ["random_read.rate", "read.rate"]


def test_figures_of_several_tests_that_grep_gathered():
    lines = "".join(
        f"read, MiB/s: {read}\nwritten, MiB/s: {written}\n"
        for read, written in (("0.00", "8.00"), ("2.00", "0.00"), ("0.00", "4.00"), ("3.00", "5.00"))
    )
    values, _ = read(PARSER, "for mode in a b; do sysbench fileio --file-test-mode=$mode run; done\n" + lines)
    assert [(v.metric, v.value / 2**20) for v in values] == [
        ("write.throughput", 8),
        ("read.throughput", 2),
        ("write.throughput", 4),
        ("random_read.throughput", 3),
        ("random_write.throughput", 5),
    ]
    assert len({v.run for v in values}) == 4


def test_of_a_list_of_commands_none_tells_the_result_below():
    commands = COMMAND.format("seqrd") + "# and at random\n" + COMMAND.format("rndrd")
    assert told(commands + "reads/s: 10.50\nwrites/s: 0.00\n")[0] == {"read.rate": 10.5}
    both = COMMAND.format("seqrd").strip() + " && " + COMMAND.format("rndrd")
    assert told(both + "reads/s: 10.50\nwrites/s: 0.00\n")[0] == {"read.rate": 10.5}


def test_a_command_that_did_something_else_does_not_tell_the_result_below():
    assert told(COMMAND.format("seqwr") + "reads/s: 10.50\nwrites/s: 0.00\n")[0] == {"read.rate": 10.5}


@pytest.mark.parametrize("between", ["", "\n", "Sequential write:\n"])
def test_reads_of_one_test_and_writes_of_another_are_no_test_of_both(between):
    values, _ = read(PARSER, f"reads/s: 10.50\nread, MiB/s: 2.00\n{between}writes/s: 7.00\nwritten, MiB/s: 1.00\n")
    assert [v.metric for v in values] == ["read.rate", "read.throughput", "write.rate", "write.throughput"]
    assert len({v.run for v in values}) == 2


def test_figures_of_1_1_that_come_again_are_of_the_next_test():
    one = "read:  IOPS={0}.00 1.56 MiB/s (1.64 MB/s)\nwrite: IOPS={0}.00 0.78 MiB/s (0.82 MB/s)\nfsync: IOPS={1}.00\n\n"
    values, doubts = read(PARSER, "Throughput:\nreads/s:\n" + one.format(100, 0) + one.format(200, 7))
    assert {v.native: v.run for v in values}["fsync IOPS"] == values[-2].run != values[0].run
    assert [d.code for d in doubts] == ["cut"]


def test_a_result_below_its_command_depends_on_the_other_lines_that_tell_of_it():
    values, _ = read(PARSER, COMMAND.format("rndrd") + "Block size 16KiB\nreads/s: 10.50\n")
    assert [(v.params["block_size"], v.depends) for v in values] == [(16384, (1, 2))]
