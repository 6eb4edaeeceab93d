"""Results picked out of an output: what stands around them tells how they were measured, and nothing more."""

from __future__ import annotations

import pytest

from ingest.parsers.copies import dd, timing
from ingest.parsers.disks import hdparm, ioping, zpool_iostat
from ingest.parsers.suites import filebench, vps_scripts
from ingest.tests.reading import read

IOPING = "\n--- /dev/sdb (device 10.0 GiB) ioping statistics ---\n223 requests completed in 3.0 s, 74 iops, 297.5 KiB/s\n"


@pytest.mark.parametrize(
    ("options", "operation", "size"),
    (
        ("-q -i 0 -w 3 -S 64m", "random_read", 4096),  # -S is the working set (ioping.1)
        ("-s 64k", "random_read", 65536),
        ("-size 64k", "random_read", 65536),
        ("-DWs64k", "random_write", 65536),
        ("-qRL", "read", 262144),
        ("-RLc 10", "read", 262144),
    ),
)
def test_options_of_ioping(options, operation, size):
    values, _ = read(ioping.PARSER, f"$ ioping {options} /dev/sdb\n{IOPING}")
    assert {value.metric for value in values} == {f"{operation}.rate", f"{operation}.throughput"}
    assert {value.params["block_size"] for value in values} == {size}


def test_nench_keeps_one_line_of_each_run_of_ioping():
    spread, made = (
        "min/avg/max/mdev = 1 us / 2 us / 3 us / 4 us",
        "generated 4.9 k requests in 5.00 s, 1.20 GiB, 983 iops, 245.8 MiB/s",
    )
    text = f"ioping: seek rate\n    {spread}\nioping: sequential read speed\n    {made}\n"
    values, doubts = read(ioping.PARSER, text)
    assert [(v.line, v.metric, v.stat, v.raw) for v in values] == [
        *((2, "random_read.latency", *pair) for pair in zip(("min", "mean", "max", "stddev"), "1234", strict=True)),
        (4, "read.rate", "sample", "983"), (4, "read.throughput", "sample", "245.8"),
    ]  # fmt: skip
    assert {(v.params["block_size"], v.params["direct"]) for v in values} == {(4096, "on"), (262144, "on")}
    assert doubts == []
    values, doubts = read(ioping.PARSER, f"$ ioping -qR .\n{IOPING}{made}\n{spread}\n")  # which is no pace of its own
    assert [v.raw for v in values] == ["74", "297.5", *"1234"]
    assert doubts == []


def test_the_statistics_of_ioping_tell_the_file_system():
    values, _ = read(ioping.PARSER, "$ ioping -q .\n" + IOPING.replace("/dev/sdb (device", ". (xfs /dev/sdb1"))
    assert {value.printed_config["fs.type"] for value in values} == {("xfs", 3)}


@pytest.mark.parametrize(
    ("line", "codes"),
    (
        ("my default value for the Timing buffered disk reads is 25 MB/sec.", []),
        (" Timing buffered disk reads", ["cut"]),
        (" Timing buffered disk reads:  25 MB", ["cut"]),
    ),
)
def test_prose_about_hdparm_is_no_result(line, codes):
    values, doubts = read(hdparm.PARSER, line + "\n")
    assert values == []
    assert [doubt.code for doubt in doubts] == codes


@pytest.mark.parametrize(
    ("lines", "seconds"),
    (
        ("real: 0.502s\nuser: 0.005s\nsys: 0.499s\n", [0.502, 0.005, 0.499]),
        ("real:12.932s\nuser: 0.03s\nsys: 4.41s\n", [12.932, 0.03, 4.41]),
        ("real: 0m1.5s\nuser: 0m0.5s\nsys: 0m1.0s\n", [1.5, 0.5, 1.0]),
        ("real: 0.502s\nuser: 0.005s\n", []),  # not the three of them, or without their unit: may be anything
        ("real: 5\nuser: 1000\nsys: 3\n", []),
    ),
)
def test_times_that_a_person_copied_out(lines, seconds):
    values, _ = read(timing.PARSER, f"$ time cp a b\n{lines}")
    assert [value.value for value in values] == seconds


def test_flow_operations_of_early_filebench_have_no_count():
    values, doubts = read(
        filebench.PARSER,
        "  501: 0.002: OLTP Version 3.0  personality successfully loaded\n  501: 62.1: Per-Operation Breakdown\n"
        "shadowread                11ops/s   1.5mb/s     35.9ms/op     1100us/op-cpu\n"
        "IO Summary:       7408 ops, 122.7 ops/s, (11/22 r/w)   2.9mb/s,    400us cpu/op, 200.8ms latency\n",
    )
    assert doubts == []
    assert [(v.line, v.metric, v.raw) for v in values[:3]] == [
        (3, "transaction.rate", "11"),
        (3, "transaction.throughput", "1.5"),
        (3, "transaction.latency", "35.9"),
    ]
    assert values[3].raw == "122.7"


@pytest.mark.parametrize(
    ("line", "tool"),
    (
        (" *     ./net  241.06s user 0.07s system 99% cpu 4:01.23 total", "net"),
        ("%% python3 popper.py x/  48.71s user 0.23s system 99% cpu 48.993 total", "python3"),
        ("//with vectors reserved ./a.out  10.02s user 0.03s system 98% cpu 10.197 total", "a.out"),
        ("./run ./a.out  10.02s user 0.03s system 98% cpu 10.197 total", "run"),
        ("cp -i a b  0.03s user 3.80s system 2% cpu 2:32.33 total", "cp"),
        ("$ ... -n 2 ...\n14.58user 0.47system 0:09.99elapsed 150%CPU (0avgtext+0avgdata 9maxresident)k", "time"),
    ),
)
def test_times_kept_in_comments_are_those_of_the_program(line, tool):
    values, _ = read(timing.PARSER, line + "\n")
    assert {value.tool for value in values} == {tool}
    assert len(values) == 3


@pytest.mark.parametrize(
    ("heading", "operation"),
    (
        ("Running DD WRITE test...", "write"),
        ("### dd read speed", "read"),
        ("dd, read after write", "transfer"),
        ("We wrote it with dd.", "transfer"),
        ("Running the test", "transfer"),
    ),
)
def test_a_heading_tells_the_direction_of_dd_where_no_command_does(heading, operation):
    summary = "512+0 records in\n512+0 records out\n536870912 bytes (537 MB, 512 MiB) copied, 1.73096 s, 310 MB/s\n"
    values, doubts = read(dd.PARSER, f"{heading}\n{summary}")
    assert {value.metric.partition(".")[0] for value in values} == {operation}
    assert [doubt.code for doubt in doubts] == (["no-command"] if operation == "transfer" else [])


def test_titles_of_zpool_iostat_behind_the_command():
    values, doubts = read(
        zpool_iostat.PARSER,
        "me@box:~$ zpool iostat -vl tank              capacity     operations     bandwidth    total_wait\n"
        "pool        alloc   free   read  write   read  write   read  write\n"
        "----------  -----  -----  -----  -----  -----  -----  -----  -----\n"
        "tank        1.34T   947G      0    239  2.84K  39.9M   30ms    7ms\n",
    )
    assert doubts == []
    assert [(value.metric, value.raw) for value in values[-2:]] == [("read.latency", "30ms"), ("write.latency", "7ms")]


@pytest.mark.parametrize(
    ("parser", "text", "found"),
    [
        (timing, f"real 0m1.0s{' ' * 200_000}x\nuser 0m1.0s\nsys 0m1.0s\n", ["run.user", "run.sys"]),
        (
            zpool_iostat,
            f"# zpool iostat {'5 2 | tail ' * 20_000}\ntank 1.00T 1.00T 1 2 3K 4K\n",
            ["read.rate", "write.rate", "read.throughput", "write.throughput"],
        ),
    ],
)
def test_a_long_line_costs_little(parser, text, found):
    """One that looks at a line once for each blank or pipe of it takes many minutes here."""
    values, _ = read(parser.PARSER, text)
    assert [value.metric for value in values] == found


@pytest.mark.parametrize(
    ("rows", "metrics"),
    [
        (("Read", "Write", "Total"), ["random_read", "random_write"]),
        (("Read", "Write", "Randread", "Randwrite"), ["read", "write", "random_read", "random_write"]),
    ],
)
def test_reads_of_yabs_are_random_but_beside_those_that_say_so(rows, metrics):
    table = "".join(f"{row:<10} | 397.81 MB/s  (99453) | 402.70 MB/s  (50338)\n" for row in rows)
    values, _ = read(vps_scripts.PARSER, f"Block Size | 4k            (IOPS) | 8k            (IOPS)\n  ------   | ---\n{table}")
    assert [v.metric for v in values if v.metric.endswith("rate")] == [f"{metric}.rate" for metric in metrics for _ in "48"]
    assert {v.params.get("iodepth") for v in values} == {64 if "Total" in rows else None}
