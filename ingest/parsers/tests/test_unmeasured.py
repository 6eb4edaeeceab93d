"""Values that tools could not measure: every mark of every tool gives a missing value with reason and bound, and a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.parsers.copies import dd, fdtree, robocopy, rsync, timing
from ingest.parsers.disks import hdparm, ioping
from ingest.parsers.fio import fio
from ingest.parsers.ior import io500, ior, mdtest
from ingest.parsers.iozone import iozone
from ingest.parsers.suites import filebench, sysbench
from ingest.plugin_api import Parser
from ingest.records import MissingValue
from ingest.tests.reading import read, read_missing
from ingest.tests.whole import read_file_records

KIB, MIB = 2**10, 2**20
FDTREE = """fdtree-1.0.2: starting at ./LEVEL0.box.1/
\tcreating 1 directory levels with 2 directories at each level
\tfor a total of 3 directories
\twith 3 files of size 4KiB per directory
\tfor a total of 9 files and 36KiB
"""
IOR = """IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Began               : Wed Aug 23 23:40:51 2023
Command line        : ior {flags} -t 1m -b 16m -o /tank/file
TestID              : 0
"""
IOR_TABLE = """Options:
api                 : POSIX
repetitions         : {repetitions}

Results:

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ---------- ---------  --------   --------   --------   --------   ----
"""
MDTEST = """mdtest-3.4.0 was launched with 2 total task(s) on 1 node(s)
Command line used: ./mdtest -n 10 -F {flags}

2 tasks, 20 files
"""
MDTEST_TABLE = """
SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File read         :          0.000          0.000          0.000          0.000
"""
FIO = """job: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.28
job: (groupid=0, jobs=1): err={error}: pid=1: Tue Nov 21 10:00:00 2023
"""
FIO_JSON = """{
  "fio version" : "fio-3.28",
  "jobs" : [
    {
      "jobname" : "job",
      "groupid" : 0,
      "error" : 28,
      "job options" : {"rw" : "randwrite", "bs" : "4k"},
      "read" : {"io_bytes" : 0, "bw_bytes" : 0, "bw" : 0, "iops" : 0.0, "total_ios" : 0},
      "write" : {"io_bytes" : 0, "bw_bytes" : 0, "bw" : 0, "iops" : 0.0, "total_ios" : 0}
    }
  ]
}"""
IOZONE = """\tCommand line used: ./iozone -a -i 0
\tOutput is in kBytes/sec
              kB  reclen    write  rewrite
             512       4        0   700000
"""
IOZONE_CHILDREN = """\tCommand line used: ./iozone -t 2 -i 0
\tOutput is in kBytes/sec
\tChildren see throughput for  2 initial writers \t=       0.00 kB/sec
"""
SYSBENCH = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)
Extra file open flags: (none)
128 files, 16MiB each
2GiB total file size
Block size 16KiB
Doing sequential read test

File operations:
    reads/s:                      0.00
Throughput:
    read, MiB/s:                  0.00
Latency (ms):
         min:                                    0.00
"""
FILEBENCH = """Filebench Version 1.5-alpha3
0.000: File-server Version 3.0 personality successfully loaded
61.0: Per-Operation Breakdown
readfile1            0ops        0ops/s   0.0mb/s      0.0ms/op [0ms - 0ms]
"""
TIME_V = """$ /usr/bin/time -v rsync -a /a /b
Command terminated by signal 9
\tCommand being timed: "rsync -a /a /b"
\tUser time (seconds): 0.10
\tSystem time (seconds): 0.20
\tPercent of CPU this job got: 1%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:30.00
\tExit status: {status}
"""

_Expected = tuple[str, str, str, float | None, str | None]  # metric, raw, reason, bound, side


@pytest.mark.parametrize(
    ("parser", "text", "expected"),
    [
        (
            fdtree.PARSER,
            FDTREE + "DIRECTORY CREATE TIME IN, OUT, TOTAL = 5, 5, 0\n\tDirectory creates per second =  0",
            [("dir_create.rate", "0", "zero_time", 3.0, "above")],
        ),
        (
            fdtree.PARSER,
            FDTREE + "FILE CREATE TIME IN, OUT, TOTAL = 5, 5, 0\n\tKiB per second =  0",
            [("file_create.throughput", "0", "zero_time", 36.0 * KIB, "above")],
        ),
        (
            fdtree.PARSER,
            FDTREE + "DIRECTORY CREATE TIME IN, OUT, TOTAL = 5, 9, 4\n\tDirectory creates per second =  0",
            [("dir_create.rate", "0", "zero_time", 1.0, "below")],
        ),
        (
            fdtree.PARSER,
            FDTREE + "mkdir: cannot create directory\nDIRECTORY CREATE TIME IN, OUT, TOTAL = 5, 9, 4",
            [("dir_create.elapsed", "4", "failed", None, None)],
        ),
        (fdtree.PARSER, FDTREE, [("dir_create.elapsed", "fdtree-1.0.2: starting at ./LEVEL0.box.1/", "not_finished", None, None)]),
        (
            dd.PARSER,
            "$ dd if=/dev/zero of=/tank/f bs=1M count=1\n1+0 records in\n1+0 records out\n"
            "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0 s, Infinity B/s",
            [("write.elapsed", "0", "zero_time", None, None), ("write.throughput", "Infinity", "zero_time", None, None)],
        ),
        (
            dd.PARSER,
            "$ dd if=/dev/zero of=/tank/f bs=1M count=1\n1+0 records in\n1+0 records out\n"
            "1048576 bytes transferred in 0.000000 secs (inf bytes/sec)",
            [
                ("write.elapsed", "0.000000", "zero_time", 1e-6, "below"),
                ("write.throughput", "inf", "zero_time", 1048576 / 1e-6, "above"),
            ],
        ),
        (
            dd.PARSER,
            "$ dd if=/dev/zero of=/tank/f bs=1M count=1\ndd: failed to open '/tank/f': Permission denied",
            [("write.throughput", "dd: failed to open '/tank/f': Permission denied", "failed", None, None)],
        ),
        (
            dd.PARSER,
            "$ dd if=/dev/zero of=/tank/f bs=1M count=1000\n12+0 records in",
            [("write.throughput", "12+0 records in", "not_finished", None, None)],
        ),
        (
            rsync.PARSER,
            "$ rsync -a /a /b\nrsync error: received SIGINT, SIGTERM, or SIGHUP (code 20) at rsync.c(703) [sender=3.2.7]",
            [("copy.throughput", "rsync error: received SIGINT", "not_finished", None, None)],
        ),
        (
            rsync.PARSER,
            "$ rsync -a /a /b\nrsync error: some files/attrs were not transferred (code 23) at main.c(1338) [sender=3.2.7]\n"
            "rsync error: error in rsync protocol data stream (code 12) at io.c(228) [receiver=3.2.7]",
            [("copy.throughput", "rsync error: some files", "failed", None, None)],
        ),
        (
            rsync.PARSER,
            "$ rsync -a /a /b\nsent 0 bytes  received 0 bytes  0.00 bytes/sec\ntotal size is 0  speedup is 0.00",
            [("copy.throughput", "0.00", "failed", None, None)],
        ),
        (
            rsync.PARSER,
            "     32,768  12%   31.25MB/s    0:00:01",
            [("copy.throughput", "32,768  12%   31.25MB/s    0:00:01", "not_finished", None, None)],
        ),
        (
            robocopy.PARSER,
            "   Speed :                   0 Bytes/sec.\n",
            [("copy.throughput", "0", "zero_time", None, None)],
        ),
        (
            timing.PARSER,
            "$ time cp -r a b\n0.00user 0.00system 0:00.00elapsed ?%CPU (0avgtext+0avgdata 1984maxresident)k",
            [(f"copy.{name}", "0", "zero_time", 0.01, "below") for name in ("user", "sys", "elapsed")],
        ),
        (
            timing.PARSER,
            TIME_V.format(status=0),
            [
                ("copy.user", "0.10", "not_finished", None, None),
                ("copy.sys", "0.20", "not_finished", None, None),
                ("copy.elapsed", "0:30.00", "not_finished", 30.0, "above"),
            ],
        ),
        (
            ior.PARSER,
            IOR.format(flags="-w")
            + IOR_TABLE.format(repetitions=3)
            + "write     90.1       16384      1024.00    0.1 0.2 0.1 0.4  0\n",
            [("write.throughput", "IOR-3.3.0", "not_finished", None, None)] * 2,
        ),
        (timing.PARSER, TIME_V.replace("Command terminated by signal 9\n", "").format(status=23), []),
        (
            hdparm.PARSER,
            "/dev/sda:\n Timing buffered disk reads: read() failed: Input/output error",
            [("read.throughput", "Timing buffered disk reads: read() failed", "failed", None, None)],
        ),
        (
            ioping.PARSER,
            "$ ioping -c 1 .\n\n--- . (ext4 /dev/sda1 20 GiB) ioping statistics ---\n"
            "0 requests completed in 0 us, 0 B read, 0 iops, 0 B/s",
            [("random_read.rate", "0", "not_finished", None, None), ("random_read.throughput", "0", "not_finished", None, None)],
        ),
        (
            fio.PARSER,
            FIO.format(error="28 (file:filesetup.c:150, func=fallocate, error=No space left on device)"),
            [("write.throughput", "err=28", "failed", None, None)],
        ),
        (
            fio.PARSER,
            FIO.format(error=" 0") + "  write: IOPS=0, BW=512KiB/s (524kB/s)(1024KiB/2000msec); 0 zone resets",
            [("write.rate", "0", "zero_time", 1.0, "below")],
        ),
        (
            fio.PARSER,
            FIO.format(error=" 0") + "  write: IOPS=0, BW=0B/s (0B/s)(0B/2000msec); 0 zone resets",
            [("write.throughput", "0", "not_finished", None, None)],
        ),
        (fio.PARSER, FIO_JSON, [("random_write.throughput", "28", "failed", None, None)]),
        (ior.PARSER, IOR.format(flags="-w"), [("write.throughput", "IOR-3.3.0", "not_finished", None, None)]),
        (
            ior.PARSER,
            IOR.format(flags="-w") + "ERROR: cannot create file, (aiori-POSIX.c:310)",
            [("write.throughput", "IOR-3.3.0", "failed", None, None)],
        ),
        (
            ior.PARSER,
            IOR.format(flags="-r")
            + IOR_TABLE.format(repetitions=1)
            + "read      inf        16384      1024.00    0.0 0.0 0.0 0.0  0\n",
            [("read.throughput", "inf", "zero_time", None, None)],
        ),
        (
            mdtest.PARSER,
            MDTEST.format(flags="-E") + MDTEST_TABLE,
            [("file_read.rate", "0.000", "zero_time", None, None)] * 3,
        ),
        (mdtest.PARSER, MDTEST.format(flags="-C") + MDTEST_TABLE, []),
        (mdtest.PARSER, MDTEST.format(flags="'-C' '-t'") + MDTEST_TABLE, []),
        (mdtest.PARSER, MDTEST.format(flags="-C"), [("file_create.rate", "mdtest-3.4.0", "not_finished", None, None)]),
        (
            io500.PARSER,
            "[RESULT] find                   0.000000 kIOPS : time 0.000 seconds",
            [("list.rate", "0.000000", "zero_time", None, None), ("list.elapsed", "0.000", "zero_time", None, None)],
        ),
        (iozone.PARSER, IOZONE, [("write.throughput", "0", "zero_time", None, None)]),
        (iozone.PARSER, IOZONE_CHILDREN, [("write.throughput", "0.00", "zero_time", None, None)]),
        (
            sysbench.PARSER,
            SYSBENCH,
            [
                ("read.rate", "0.00", "zero_time", 0.01, "below"),
                ("read.throughput", "0.00", "zero_time", 0.01 * MIB, "below"),
                ("read.latency", "0.00", "zero_time", 1e-5, "below"),
            ],
        ),
        (filebench.PARSER, FILEBENCH, [("mixed.rate", "0", "not_finished", None, None)]),
    ],
)
def test_a_mark_is_a_missing_value_and_a_warning(parser: Parser, text: str, expected: list[_Expected]) -> None:
    found = read_missing(parser, text)
    assert [(m.metric, m.reason, m.bound, m.side) for m in found] == [(e[0], *e[2:]) for e in expected]
    assert all(m.raw.startswith(e[1]) for m, e in zip(found, expected, strict=True)), [m.raw for m in found]
    assert not found or read(parser, text)[1]


SHELL = "root@box:~# {command}\n{output}\nroot@box:~# {next}\n{status}\n"


@pytest.mark.parametrize(
    ("command", "output", "status", "expected"),
    [
        ("dd if=/dev/zero of=/tank/f bs=1M", "Killed", "", ("dd", "write.throughput", "Killed", "not_finished")),
        ("dd if=/tank/f of=/dev/null bs=1M", "Terminated", "", ("dd", "read.throughput", "Terminated", "not_finished")),
        ("timeout 9 dd if=/dev/zero of=/tank/f bs=1M", "", "124", ("dd", "write.throughput", "124", "not_finished")),
        ("time tar xf /tank/a.tar", "Segmentation fault (core dumped)", "", ("tar", "extract.elapsed", "Segmentation", "failed")),
        ("rsync -a /a/ /tank/b/", "^C", "", ("rsync", "copy.throughput", "^C", "not_finished")),
        ("rsync -a /a/ /tank/b/", "", "0", None),
        ("bonnie++ -d /tank", "Killed", "", None),
        ("echo Killed", "Killed", "", None),
        (
            "dd if=/dev/zero of=/tank/f bs=1M",
            "^C17+0 records in\n17+0 records out\n17825792 bytes (18 MB, 17 MiB) copied, 1.2 s, 14.9 MB/s",
            "",
            None,
        ),
    ],
)
def test_a_command_that_was_ended_has_no_result(command: str, output: str, status: str, expected: tuple[str, ...] | None) -> None:
    text = SHELL.format(command=command, output=output, next="echo $?" if status else "ls", status=status)
    records = read_file_records("log.txt", text)
    found = [r for r in records if type(r).__name__ == "Unmeasured"]
    assert [(r.tool, r.metric, r.reason) for r in found] == ([] if expected is None else [(*expected[:2], expected[3])])
    assert all(r.raw.startswith(expected[2]) and r.raw in text.split("\n")[r.line - 1] for r in found)


BONNIE = "box,2G,20123,66,41234,12,15321,4,21432,55,48765,5,188.3,0,16,2711,99,+++++,+++,31870,96,2688,98,+++++,+++,9120,97"


def test_records_of_missing_values(tmp_path: Path) -> None:
    records = read_file_records("a.csv", BONNIE + "\n" + BONNIE.replace("20123", "20555").replace("41234", "41777"))
    found = [r for r in records if type(r).__name__ == "Unmeasured"]
    assert [(r.line, r.metric, r.repetition, r.run) for r in found if r.unit == "1/s"] == [
        (1, "stat_seq.rate", 1, 0),
        (1, "stat_rand.rate", 1, 0),
        (2, "stat_seq.rate", 2, 1),
        (2, "stat_rand.rate", 2, 1),
    ]
    assert next(r for r in records if type(r).__name__ == "FileReport").status == "parsed"


def test_a_copied_line_gives_no_second_missing_value(tmp_path: Path) -> None:
    from ingest.pipeline.read import read as read_paths

    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(BONNIE + "\n")
    found = [r for r in read_paths([tmp_path]) if type(r).__name__ == "Unmeasured" and r.metric == "stat_seq.rate"]
    assert [(r.file, r.duplicate_of) for r in found] == [("a.csv", None), ("b.csv", "a.csv:1")]


def test_instead_of_keeps_all_but_the_value() -> None:
    value = read(dd.PARSER, "$ dd if=/dev/zero of=/f bs=1M count=1\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 2 s, 524 kB/s")[0]
    for one in value:
        missing = MissingValue.instead_of(one, "failed")
        assert all(getattr(missing, name) == getattr(one, name) for name in ("line", "metric", "raw", "run", "params", "unit"))
