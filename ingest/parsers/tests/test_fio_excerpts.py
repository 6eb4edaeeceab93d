"""Results of fio that stand alone in posts and notes: what tells their job, pattern and options."""

from __future__ import annotations

import pytest

from ingest.parsers.fio import fio
from ingest.tests.reading import read

FIO = "  read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)\n"


@pytest.mark.parametrize(
    ("command", "metrics", "params"),
    (
        ("$ fio --name=a --rw=randread --bs=4k\n", {"random_read.rate", "random_read.throughput"}, {"block_size": 4096}),
        ("fio -rw=read -bs=1m -name=a \\\n  -direct=1\n", {"read.rate", "read.throughput"}, {"block_size": 2**20, "direct": "on"}),
        (
            "> user@box:~> fio --name=a --ioengine=libaio\n> --rw=randread --bs=4k\n",
            {"random_read.rate", "random_read.throughput"},
            {"block_size": 4096, "engine": "libaio"},
        ),
        # the command wrote, so these reads are of another one; nor can two jobs be told apart; a heading begins another run
        ("$ fio --name=a --rw=write --bs=4k\n", {"read.rate", "read.throughput"}, {"pattern": "unknown"}),
        ("$ fio --name=a --rw=read --name=b --rw=randread\n", {"read.rate", "read.throughput"}, {"pattern": "unknown"}),
        ("$ fio --name=a --rw=randread\n\nSequential:\n", {"read.rate", "read.throughput"}, {"pattern": "unknown"}),
        ("We like fio with rw=randread best.\n", {"read.rate", "read.throughput"}, {"pattern": "unknown"}),
    ),
)
def test_a_command_of_fio_tells_the_pattern_of_the_result_below(command, metrics, params):
    values, _ = read(fio.PARSER, command + FIO)
    assert {value.metric for value in values} == metrics
    assert all(params.items() <= value.params.items() for value in values)


_LINE = "read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)"


@pytest.mark.parametrize(
    ("before", "job"),
    (
        ("b.64k.out:  ", "b.64k.out"),
        ("results/run 1.txt:   ", "results/run 1.txt"),
        ("| Rented box | ", "Rented box"),
        ("| 2 disks | raid1 | ", "2 disks raid1"),
        ("* Without a log device: ", "Without a log device"),
        ("- ", "unnamed"),
    ),
)
def test_what_stands_before_a_result_of_fio_names_its_job(before, job):
    values, doubts = read(fio.PARSER, f"$ fio --name=a --rw=randread\n\n{before}{_LINE}{' |' * ('|' in before)}\n")
    job = job.replace("unnamed", "a")  # its command's
    assert [(value.metric, value.raw, value.params["job"]) for value in values] == [
        ("random_read.rate", "94", job),
        ("random_read.throughput", "380", job),
    ]
    assert doubts == []


@pytest.mark.parametrize(
    ("label", "operation", "size"),
    (
        ("| NVMe | Random Read | ", "random_read", 4096),  # as the command did
        ("| NVMe | Sequential Read | ", "read", None),  # of another command
        ("randread_8.log: ", "random_read", 4096),
        ("sequential or random: ", "read", None),
    ),
)
def test_what_stands_before_a_result_of_fio_may_tell_its_pattern(label, operation, size):
    sums = "READ: bw=31.5MiB/s (33.1MB/s), 31.5MiB/s-31.5MiB/s (33.1MB/s-33.1MB/s), io=946MiB (992MB)"
    for line, quantities in ((_LINE, ["rate", "throughput"]), (sums, ["throughput"])):
        values, _ = read(fio.PARSER, f"$ fio --name=a --rw=randread --bs=4k\n\n{label}{line}\n")
        assert [value.metric for value in values] == [f"{operation}.{quantity}" for quantity in quantities]
        assert {value.params.get("block_size") for value in values} == {size}


def test_both_directions_behind_one_name_are_of_one_job():
    values, _ = read(fio.PARSER, f"a.rpt:  {_LINE}\na.rpt:  {_LINE.replace('read', 'write')}\nb.rpt:  {_LINE}\n")
    assert [(value.metric, value.params["job"]) for value in values if value.metric.endswith("rate")] == [
        ("read.rate", "a.rpt"),
        ("write.rate", "a.rpt"),
        ("read.rate", "b.rpt"),
    ]
    assert len({value.run for value in values}) == 2


def test_details_behind_the_name_of_their_file_are_of_its_result():
    values, _ = read(
        fio.PARSER,
        f"a.out:  {_LINE}\na.out:     lat (usec): min=1, max=9, avg= 4.00, stdev= 2.00\n"
        f"b.out:  {_LINE}\na.out:     lat (usec): min=1, max=8, avg= 4.00, stdev= 2.00\n",
    )
    assert {(value.params["job"], value.raw) for value in values if value.stat == "max"} == {("a.out", "9")}


def test_other_lines_of_a_picked_job_do_not_make_it_a_whole_one():
    body = f"  {_LINE}\n  cpu          : usr=6.29%, sys=13.21%, ctx=5, majf=0, minf=1\n  IO depths    : 1=100.0%\n  {_LINE}\n"
    values, _ = read(fio.PARSER, body)
    assert [(value.line, value.raw) for value in values] == [
        (1, "94"),
        (1, "380"),
        (2, "6.29"),
        (2, "13.21"),
        (4, "94"),
        (4, "380"),
    ]


_JOB = "test: (groupid=0, jobs=4): err= 0: pid=31: Fri May  9 15:38:57 2014\n"
_TEST = "  read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)\n"


@pytest.mark.parametrize(
    ("before", "metric", "block_size"),
    (
        ("$ fio --rw=randread --bs=8k --name=test --numjobs=4\n", "random_read.rate", 8192),
        ("$ fio --name=test --rw=randread \\\n    --bs=8k\ntest: Laying out IO file (1 file / 10MiB)\n", "random_read.rate", 8192),
        ("[global]\nbs=8k\n; a comment\nrw = randread\n\n[test]\nstonewall\n$ fio --direct=1 my.fio\n", "random_read.rate", 8192),
        ("rw = randread, bs = 8k, iodepth = 1, numjobs = 4\n\n```\n", "random_read.rate", 8192),
        ("== 1 ==test: (g=0): rw=randread, bs=8K-8K/8K-8K/8K-8K, ioengine=sync, iodepth=4\n", "random_read.rate", 8192),
        # another job, a job that wrote, another run: as if nothing stood there
        ("$ fio --rw=randread --bs=8k --name=other\n", "read.rate", None),
        ("[other]\nrw=randread\nbs=8k\n", "read.rate", None),
        ("$ fio --rw=randread --name=test\n\n# Sequential read\n", "read.rate", None),
    ),
)
def test_the_command_tells_the_options_of_a_job_whose_line_of_them_is_missing(before, metric, block_size):
    values, doubts = read(fio.PARSER, f"{before}{_JOB}{_TEST}Run status group 0 (all jobs):\n")
    assert (values[0].metric, values[0].params.get("block_size"), values[0].params["processes"]) == (metric, block_size, 4)
    assert [doubt.code for doubt in doubts] == ([] if block_size else ["no-command"])


@pytest.mark.parametrize(
    ("command", "told"),
    (
        ("fio --name=test --rw=randread --size=1G --direct=1", {"file_size": 2**30, "direct": "on"}),
        ("fio --name=test --rw=randread --size=1G --bs=4k", {"file_size": 2**30}),
        ("fio --name=other --rw=randread --size=1G", {}),
        ("fio --name=test --rw=read --size=1G", {}),  # another run
    ),
)
def test_the_command_tells_what_the_line_of_options_does_not(command, told):
    options = "test: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=psync, iodepth=1\n"
    values, doubts = read(fio.PARSER, f"$ {command}\n{options}fio-3.33\n{_JOB}{_TEST}Run status group 0 (all jobs):\n")
    params = values[0].params
    assert {name: params[name] for name in ("file_size", "direct") if name in params} == told
    assert (values[0].metric, params["block_size"], params["engine"], doubts) == ("random_read.rate", 8192, "psync", [])


@pytest.mark.parametrize(
    ("command", "metric"),
    (("--rw=randread --name=a", "random_read"), ("--rw=randread --name=b", "read"), ("--rw=write --name=a", "read")),
)
def test_the_command_tells_the_pattern_of_terse_output(command, metric):
    fields = ["1024", "100", "25", "10240", *"00000000", *["1.000000%=4"] * 20, *"0" * 4, *"0" * 5]
    line = ";".join(["3", "fio-3.7", "a", "0", "0", *fields, *"0" * 41, "1.5%", "5.1%", "100", "0", "5"])
    values, doubts = read(fio.PARSER, f"$ fio {command} --bs=8k --minimal\n{line}\n")
    assert {value.metric.partition(".")[0] for value in values if value.raw in ("100", "25")} == {metric}
    assert [doubt.code for doubt in doubts] == ([] if metric == "random_read" else ["no-command"])
    assert {value.params.get("block_size") for value in values} == {8192 if metric == "random_read" else None}


def test_a_command_that_writes_tells_nothing_of_a_job_that_reads():
    values, doubts = read(fio.PARSER, f"$ fio --rw=randwrite --bs=8k --name=test\n{_JOB}{_TEST}Run status group 0 (all jobs):\n")
    assert (values[0].metric, values[0].params.get("block_size")) == ("read.rate", None)
    assert [doubt.code for doubt in doubts] == ["no-command"]


def test_a_picked_result_behind_a_job_that_a_command_told():
    whole = f"$ fio --rw=randread --bs=8k --name=test\n{_JOB}Run status group 0 (all jobs):\n"
    values, _ = read(fio.PARSER, f"{whole}\n# Sequential\n\n{_TEST}")
    assert {(value.metric, value.params["pattern"]) for value in values} == {
        ("read.rate", "unknown"),
        ("read.throughput", "unknown"),
    }


def test_a_job_that_verifies_reads_what_it_wrote():
    options = "test: (g=0): rw=randwrite, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1\nfio-2.1.3\n"
    values, doubts = read(fio.PARSER, f"{options}{_JOB}{_TEST}Run status group 0 (all jobs):\n")
    assert (values[0].metric, values[0].params["block_size"]) == ("random_read.rate", 4096)
    assert doubts == []


def test_options_of_an_earlier_run_are_not_those_of_a_job_of_the_same_name():
    options = "test: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1\nfio-2.1.3\n"
    status = "Run status group 0 (all jobs):\n"
    again = _JOB.replace("31", "32")
    values, _ = read(fio.PARSER, f"{options}{_JOB}{_TEST}{status}fio-2.1.3\nStarting 1 process\n{again}{_TEST}{status}")
    assert [value.metric for value in values] == ["random_read.rate", "random_read.throughput", "read.rate", "read.throughput"]


def test_jobs_of_one_name_have_the_options_of_their_groups():
    options = "".join(
        f"d: (g={group}): rw={rw}, bs=1M-1M/1M-1M/1M-1M, ioengine=sync, iodepth=2\n"
        for group, rw in enumerate(("randwrite", "write"))
    )
    jobs = "".join(
        f"d: (groupid={group}, jobs=1): err= 0: pid=31: Fri May  9 15:38:57 2014\n"
        "  write: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)\n"
        for group in range(2)
    )
    values, _ = read(fio.PARSER, f"{options}fio-3.1\n{jobs}\nRun status group 0 (all jobs):\n")
    assert [value.metric for value in values] == ["random_write.rate", "random_write.throughput", "write.rate", "write.throughput"]


def test_sums_of_groups_are_of_the_jobs_that_the_command_puts_there():
    command = "fio --bs=4k --name=a --rw=write --stonewall --name=b \\\n --rw=randread --stonewall\n"
    values, _ = read(
        fio.PARSER,
        f"{command}Run status group 0 (all jobs):\n  WRITE: io=6MB, aggrb=16.4MB/s, minb=1KB/s\n"
        "Run status group 1 (all jobs):\n  READ: io=6MB, aggrb=17.4MB/s, minb=1KB/s\n",
    )
    assert [(value.metric, value.params["job"]) for value in values] == [("write.throughput", "a"), ("random_read.throughput", "b")]


def test_the_sum_with_which_a_text_begins_is_taken():
    options = "d: (g=0): rw=read, bs=1M-1M/1M-1M, ioengine=sync, iodepth=2\n"
    values, _ = read(fio.PARSER, f"   READ: io=6MB, aggrb=17.4MB/s, minb=1KB/s\n\n{options}{_JOB}")
    assert [(value.metric, value.raw) for value in values] == [("read.throughput", "17.4")]


def test_fio_says_that_it_cuts_off_less_than_one_operation_a_second():
    line = "  write: IOPS=0, BW=144MiB/s (151MB/s)(5120MiB/35458msec)\n"
    values, doubts = read(fio.PARSER, f"$ fio --name=a --rw=write --bs=1g\n{line}")
    assert [value.metric for value in values] == ["write.throughput"]
    assert [doubt.code for doubt in doubts] == ["unmeasured"]


def test_a_result_of_fio_inside_marks_of_code():
    values, _ = read(fio.PARSER, "``READ: bw=40.1MiB/s (42.0MB/s), 40.1MiB/s-40.1MiB/s (42.0MB/s-42.0MB/s), io=95MiB``\n")
    assert [(value.metric, value.raw) for value in values] == [("read.throughput", "40.1")]


def test_details_of_fio_without_their_direction_are_said_to_be_so():
    values, doubts = read(fio.PARSER, "   iops        : min=   52, max=   85, avg=68.50, stdev=23.33, samples=2\n")
    assert values == []
    assert [doubt.code for doubt in doubts] == ["no-header"]


@pytest.mark.parametrize(
    ("part", "line"),
    (
        ('      "write" : {\n        "bw_bytes" : 2630704652,\n        "iops" : 41104846.02\n', 2),
        ('"fio version" : "fio-3.28",\n"time" : "Thu",\n...\n"sync" : {\n "lat_ns" : {\n "min" : 200,\n', 1),
    ),
)
def test_a_part_of_the_json_of_fio_is_said_to_be_one(part, line):
    values, doubts = read(fio.PARSER, part)
    assert values == []
    assert [(doubt.line, doubt.code) for doubt in doubts] == [(line, "cut")]
