"""The small readers of common tools: what their figures are, and which lines are none."""

from __future__ import annotations

import pytest

from ingest.parsers.copies import pipe_meters
from ingest.parsers.disks import crystaldiskmark, diskspd, pveperf
from ingest.parsers.suites import dbench, phoronix, rados_bench, vdbench
from ingest.tests.reading import read


@pytest.mark.parametrize(
    ("line", "size", "seconds"),
    [
        ("6.06GiB 0:00:09 [ 642MiB/s] [       <=>      ]", 6506875453, 9),
        ("  95.4MiB 0:00:06 [14.1MiB/s]", 100034150, 6),
        ("15GiO 0:05:47 [31,8MiB/s] [   <=>  ]", 16106127360, 347),
        ("seqs:  223GiB 0:05:55 [ 644MiB/s] [    <=>   ]", 239444426752, 355),
        ("1.5TiB 1:02:03:04 [16.9MiB/s]", 1649267441664, 93784),
        ("12.0kiB 0:00:03 [4.0kiB/s] [==>] 100%", 12288, 3),
        ("100MB 0:00:02 [50.0MB/s] [==>] 100%", 100000000, 2),
        ("10.0GiB 0:00:50 [ 205MiB/s] (204MiB/s) [=====>] 100%", 10737418240, 50),
    ],
)
def test_pv_gives_bytes_and_time_of_the_whole_and_no_rate(line: str, size: int, seconds: int) -> None:
    values, doubts = read(pipe_meters.PARSER, line + "\n")
    assert [(v.metric, v.value, v.params["total_size"]) for v in values] == [("transfer.elapsed", seconds, size)]
    assert not doubts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1.00GiB 0:00:05 [ 200MiB/s] [ <=> ]\n2.00GiB 0:00:10 [ 210MiB/s] [ <=> ]\n", ["0:00:10"]),
        ("1.86GiB 0:04:15 [ 7.6MiB/s] [===>    ] 70% ETA 0:02:08\n", []),
        ("1.00GiB 0:00:05 [ 200MiB/s]\n1.00GiB 0:00:04 [ 250MiB/s]\n", ["0:00:05", "0:00:04"]),
        ("in @ 96.0 MiB/s, out @ 95.0 MiB/s, 12.0 GiB total, buffer  50% full\n", []),
    ],
)
def test_lines_of_progress_are_no_results(text: str, kept: list[str]) -> None:
    values, doubts = read(pipe_meters.PARSER, text)
    assert [v.raw for v in values] == kept
    assert {d.code for d in doubts} <= {"progress"}
    assert len(values) + len(doubts) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "read_as", "codes"),
    [
        ("Throughput 240.9 MB/sec 1 procs\n", [("mixed.throughput", 240.9e6)], []),
        ("Throughput 31.5 MB/sec (sync dirs) 4 procs\n", [("mixed.throughput", 31.5e6)], []),
        (
            "ext4: Throughput 7.5 MB/sec  8 clients  4 procs  max_latency=2.5 ms\n",
            [("mixed.throughput", 7.5e6), ("mixed.latency", 0.0025)],
            [],
        ),
        ("Throughput 240.9 MB/sec  1 cli\n", [], ["cut"]),
        ("Throughput 240.9 MB/sec\n", [], ["cut"]),
        ("dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\nRunning\n", [], ["cut"]),
        ("$ tbench 4 127.0.0.1\nThroughput 733.44 MB/sec  4 clients  4 procs  max_latency=0.935 ms\n", [], ["unread"]),
        ("Throughput: 240.9 MB/sec over 4 processes\n", [], []),
    ],
)
def test_dbench(text: str, read_as: list[tuple[str, float]], codes: list[str]) -> None:
    values, doubts = read(dbench.PARSER, text, has_commands=True)
    assert [(v.metric, v.value) for v in values] == read_as
    assert [d.code for d in doubts] == codes


@pytest.mark.parametrize(
    ("line", "metric", "value"),
    [
        ("BUFFERED READS:    787.59 MB/sec", "read.throughput", 787.59 * 2**20),
        ("**BUFFERED READS: 787.59 MB/sec**", "read.throughput", 787.59 * 2**20),
        ("> AVERAGE SEEK TIME: 0.07 ms", "seek.latency", 0.07 / 1000),
        ("FSYNCS/SECOND:     1426.09", "fsync.rate", 1426.09),
        ("FSYNCS/SECOND:     14", None, None),
        ("BUFFERED READS:", None, None),
        ("`FSYNCS/SECOND: 385` is a suspect", None, None),
    ],
)
def test_pveperf(line: str, metric: str | None, value: float | None) -> None:
    values, doubts = read(pveperf.PARSER, line + "\n")
    assert [(v.metric, v.value) for v in values] == ([(metric, value)] if metric else [])
    assert len(doubts) == (metric is None and not line.startswith("`"))


@pytest.mark.parametrize(
    ("mode", "made", "operation", "codes"),
    [
        ("write", "writes", "write", []),
        ("seq", "reads", "read", []),
        ("rand", "reads", "random_read", []),
        ("seq -t 16 --run-name x", "reads", "read", []),
        (None, "reads", "read", ["no-command"]),
        (None, "writes", "write", []),
    ],
)
def test_rados_bench_reads_what_its_command_says(mode: str | None, made: str, operation: str, codes: list[str]) -> None:
    command = f"$ rados -p x bench 10 {mode}\n" if mode else ""
    text = f"{command}Total time run: 10\nTotal {made} made: 500\nBandwidth (MB/sec): 2\nAverage IOPS: 50\nMin latency(s): 0.25\n"
    values, doubts = read(rados_bench.PARSER, text, has_commands=True)
    assert [(v.metric, v.value, v.stat) for v in values] == [
        (f"{operation}.throughput", 2**21, "sample"),
        (f"{operation}.rate", 50, "sample"),
        (f"{operation}.latency", 0.25, "min"),
    ]
    assert {v.params.get("iodepth") for v in values} == {16 if mode else None}
    assert [d.code for d in doubts] == codes


def test_rados_bench_on_one_line_of_json() -> None:
    text = '{"concurrent_ios":"4","op_size":"4096","datas":[{"sec":"1","avg_bw":"8.0"}],"total_reads_made":"9","bandwidth":"0.5"}\n'
    values, _ = read(rados_bench.PARSER, text)
    assert [(v.metric, v.value, v.raw) for v in values] == [("read.throughput", 2**19, "0.5")]


@pytest.mark.parametrize(
    ("row", "metric", "values"),
    [
        ("           Sequential Read :   505.825 MB/s", "read", [505.825e6]),
        ("Random Write 512KB : 17.463 MB/s", "random_write", [17.463e6]),
        ("   Random Read 4KB (QD=32) :   271.859 MB/s [ 66371.9 IOPS]", "random_read", [271.859e6, 66371.9]),
        ("  Sequential Write (Q= 32,T= 1) :   301.204 MB/s", "write", [301.204e6]),
        (
            "[Write]\nSequential 1MiB (Q=  8, T= 1): 3030.117 MB/s [   2889.7 IOPS] <  2764.55 us>",
            "write",
            [3030.117e6, 2889.7, 2764.55e-6],
        ),
        (
            "[Mix] Read 70%/Write 30%\n  RND    4KiB (Q=  1, T= 1):    80.441 MB/s [  19638.9 IOPS] <    50.70 us>",
            "mixed",
            [80.441e6, 19638.9, 50.7e-6],
        ),
        ("  RND    4KiB (Q=  1, T= 1):    80.441 MB/s [  19638.9 IOPS] <    50.70 us>", None, []),
        ("Sequential Read :   505.8", None, []),
        ("Random reads reach 271.859 MB/s", None, []),
    ],
)
@pytest.mark.parametrize("count", [1, 5])
def test_crystaldiskmark(row: str, metric: str | None, values: list[float], count: int) -> None:
    text = f"CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n\n{row}\n\n  Test : 1024 MiB [C: 1% (1/2 GiB)] (x{count})\n"
    found, doubts = read(crystaldiskmark.PARSER, text)
    best = ["max", "max", "min"] if count > 1 else ["sample"] * 3
    quantities = ("throughput", "rate", "latency")
    expected = [(f"{metric}.{quantity}", value, stat) for quantity, value, stat in zip(quantities, values, best, strict=False)]
    assert [(v.metric, pytest.approx(v.value), v.stat) for v in found] == expected
    assert len(doubts) == (not found and "reach" not in row)


_DISKSPD = """Command Line: diskspd -b4K x
\tsoftware cache disabled
\tperforming {test}
\tblock size: {size}
\t{access}
\tnumber of outstanding I/O operations per thread: 32
Total IO
{table}
Read IO
{table}
Write IO
{table}
"""
_TABLE = """thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  |  file
------------------------------------------------------------------------------------
     0 |         8388608 |         2048 |       2.00 |     512.00 |    0.500 | x (1MiB)
------------------------------------------------------------------------------------
total:           8388608 |         2048 |       2.00 |     512.00 |    0.500"""


@pytest.mark.parametrize(
    ("test", "access", "operations"),
    [
        ("mix test (read/write ratio: 70/30)", "using random I/O (alignment: 4KiB)", ["mixed", "random_read", "random_write"]),
        ("mix test (read/write ratio: 70/30)", "using sequential I/O (stride: 4KiB)", ["mixed", "read", "write"]),
        (
            "mix test (read/write ratio: 70/30)",
            "using mixed random/sequential I/O (20% random) (alignment/stride: 4KiB)",
            ["mixed", "read", "write"],
        ),
    ],
)
def test_diskspd(test: str, access: str, operations: list[str]) -> None:
    values, doubts = read(diskspd.PARSER, _DISKSPD.format(test=test, size="4KiB", access=access, table=_TABLE))
    assert [(v.metric, v.value, v.stat) for v in values] == [
        one
        for operation in operations
        for one in [
            (f"{operation}.throughput", 2**21, "sample"),
            (f"{operation}.rate", 512, "sample"),
            (f"{operation}.latency", 0.0005, "mean"),
        ]
    ]
    assert {(v.params["block_size"], v.params["iodepth"], v.params["direct"], v.params["mix"]) for v in values} == {
        (4096, 32, "on", "70")
    }
    assert {v.params.get("access") for v in values} == {"20% random" if "20%" in access else None}
    assert not doubts


@pytest.mark.parametrize(("size", "block"), [("8192", 8192), ("64KiB", 65536), ("1MiB", 2**20)])
def test_block_sizes_of_diskspd(size: str, block: int) -> None:
    values, _ = read(diskspd.PARSER, _DISKSPD.format(test="read test", size=size, access="using random I/O (", table=_TABLE))
    assert {v.params["block_size"] for v in values} == {block}


_RD = "10:11:12.001 Starting RD=run3; I/O rate: Uncontrolled MAX; elapsed=60; For loops: threads=16\n"
_TITLES = """
Dec 11, 2020  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%
                             rate  {mega}     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys
"""
_ROW = "10:12:12.092  avg_7-37  {rate}     2.00    8192 {reads}    0.500    0.250    0.750    4.000    0.125   1.0   2.0   1.0\n"


@pytest.mark.parametrize(("mega", "factor"), [("1024**2", 2**20), ("1000**2", 10**6)])
@pytest.mark.parametrize(("reads", "operation"), [("100.00", "read"), ("0.00", "write"), ("70.02", "mixed")])
def test_vdbench(mega: str, factor: int, reads: str, operation: str) -> None:
    values, doubts = read(vdbench.PARSER, _RD + _TITLES.format(mega=mega) + _ROW.format(rate="256.00", reads=reads))
    own = [("rate", 256, "sample"), ("throughput", 2 * factor, "sample"), ("latency", 0.0005, "mean")]
    own += [("latency", 0.004, "max"), ("latency", 0.000125, "stddev")]
    expected = [(f"{operation}.{quantity}", value, stat) for quantity, value, stat in own]
    if operation == "mixed":
        expected += [("read.latency", 0.00025, "mean"), ("write.latency", 0.00075, "mean")]
    assert [(v.metric, v.value, v.stat) for v in values] == expected
    assert {(v.params["part"], v.params["threads"], v.params["block_size"], v.params.get("mix")) for v in values} == {
        ("run3", 16, 8192, "70" if operation == "mixed" else None)
    }
    assert not doubts


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (_ROW.format(rate="256.00", reads="0.00"), ["no-header"]),
        (_RD + _TITLES.format(mega="1024**2") + _ROW.format(rate="  0.00", reads="0.00"), ["unmeasured"]),
        (_RD + _TITLES.format(mega="1024**2") + "10:11:13.092         1   256.00     2.00    8192  0.00    0.500\n", ["cut"]),
        (_RD, []),
        ("avg_7-37 and others\n", []),
    ],
)
def test_what_vdbench_did_not_measure(text: str, codes: list[str]) -> None:
    values, doubts = read(vdbench.PARSER, text)
    assert not values
    assert [d.code for d in doubts] == codes


_COMPOSITE = """<PhoronixTestSuite><System><Identifier>a &amp; b</Identifier>
<Hardware>Processor: Intel Xeon E5 @ 2.10GHz (8 Cores), Memory: 2 x 8 GB DDR4, Disk: 480GB SAMSUNG X</Hardware>
<Software>OS: Debian 12, Kernel: 6.1.0 (x86_64), File-System: zfs</Software></System>
<Result><Identifier>{test}</Identifier><AppVersion>1</AppVersion><Arguments>x</Arguments><Description>{description}</Description>
<Scale>{scale}</Scale><Proportion>{better}</Proportion>
<Data><Entry><Identifier>a &amp; b</Identifier><Value>126.83</Value><RawString>{raws}</RawString></Entry></Data></Result>
</PhoronixTestSuite>
"""


@pytest.mark.parametrize(
    ("test", "description", "scale", "better", "metric", "factor"),
    [
        ("pts/fio-1.15.0", "Type: Random Write - Block Size: 4KB", "MB/s", "HIB", "random_write.throughput", 2**20),
        ("pts/fio-2.1.0", "Type: Sequential Read - Block Size: 2MB", "IOPS", "HIB", "read.rate", 1),
        ("pts/fio-1.8.2", "Type: Random Write - Block Size: 4KB", "MB/s", "HIB", None, 0),
        (
            "pts/iozone-1.9.6",
            "Record Size: 4Kb - File Size: 2GB - Disk Test: Read Performance",
            "MB/s",
            "HIB",
            "read.throughput",
            2**20,
        ),
        ("pts/hdparm-read-1.0.0", "/dev/sda Read", "MB/s", "HIB", "read.throughput", 2**20),
        ("pts/dbench-1.0.2", "Client Count: 6", "MB/s", "HIB", "mixed.throughput", 1e6),
        ("pts/fs-mark-1.0.3", "Test: 4000 Files", "Files/s", "HIB", "file_create.rate", 1),
        ("pts/postmark-1.1.2", "Disk Transaction Performance", "TPS", "HIB", "transaction.rate", 1),
        ("pts/unpack-linux-1.2.0", "linux-5.19.tar.xz", "Seconds", "LIB", "extract.elapsed", 1),
        ("pts/sqlite-2.2.0", "Threads / Copies: 1", "Seconds", "HIB", None, 0),
        ("pts/stream-1.3.4", "Type: Copy", "MB/s", "HIB", None, 0),
        ("pts/blogbench-1.1.0", "Test: Read", "Final Score", "HIB", None, 0),
    ],
)
def test_phoronix(test: str, description: str, scale: str, better: str, metric: str | None, factor: float) -> None:
    for raws in ("", "100:250.5:30"):
        text = _COMPOSITE.format(test=test, description=description, scale=scale, better=better, raws=raws)
        values, doubts = read(phoronix.PARSER, text)
        numbers = [float(raw) * factor for raw in (raws or "126.83").split(":")] if metric else []
        stat = "sample" if raws else "mean"
        assert [(v.metric, pytest.approx(v.value), v.stat) for v in values] == [(metric, number, stat) for number in numbers]
        assert len({v.run for v in values}) == len(values)
        told = {"cpu.model": "Intel Xeon E5", "cpu.cores": 8, "memory": 2**34, "disk.model": "SAMSUNG X", "fs.type": "zfs"}
        assert all(told.items() <= {key: value for key, (value, _) in v.printed_config.items()}.items() for v in values)
        assert len(doubts) == (metric is None)


def test_diskspd_knows_the_command_at_a_prompt() -> None:
    text = f"PS C:\\Tools> .\\amd64\\DiskSpd.exe -d120 -w30 -r -t2 -o32 -b64K -Su -L Z:\\x.dat\n\nRead IO\n{_TABLE}\n"
    values, _ = read(diskspd.PARSER, text)
    own = {"block_size": 65536, "iodepth": 32, "threads": 2, "mix": "70", "direct": "on", "diskspd.-d": "120s"}
    assert {v.metric for v in values} == {"random_read.throughput", "random_read.rate", "random_read.latency"}
    assert all(own.items() <= v.params.items() for v in values)


def test_phoronix_does_not_choose_among_disks() -> None:
    text = _COMPOSITE.format(test="pts/dbench-1.0.2", description="1 Client", scale="MB/s", better="HIB", raws="1:2")
    text = text.replace("Processor: Intel", "Processor: 2 x Intel").replace("SAMSUNG X", "SAMSUNG X + 2 x 4001GB ST4000")
    values, _ = read(phoronix.PARSER, text)
    assert [v.printed_config["cpu.model"][0] for v in values] == ["Intel Xeon E5"] * 2
    assert not any("disk.model" in v.printed_config for v in values)
