"""Outputs of tools that are not read yet are recognised by their head, with the version that they print."""

from __future__ import annotations

import pytest

from ingest import read
from ingest.detect.signatures import HEAD, recognise_tool, signatures
from ingest.records import FileReport, Measurement, Warning

# (file name, head of an output as the tool's documentation or source has it, label)
OUTPUTS = [
    (
        "logfile.html",
        "Vdbench distribution: vdbench50406 Wed July 20 15:49:52 MDT 2016\nFor documentation, see 'vdbench.pdf'.\n",
        "vdbench 5.04",
    ),
    ("flatfile.html", "<pre>\n* Flatfile report. Vdbench 5.04\n\nRun Interval reqrate rate MB/sec\n", "vdbench 5.04"),
    ("summary.html", "Vdbench summary report, created 10:22:32 Jan 17 2014 MST\n", "vdbench"),
    (
        "composite.xml",
        '<?xml version="1.0"?>\n<PhoronixTestSuite>\n <Generated>\n <TestClient>Phoronix Test Suite v10.8.4</TestClient>\n',
        "Phoronix Test Suite 10.8.4",
    ),
    ("d.txt", "dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\nRunning for 600 seconds\n", "dbench 4.00"),
    ("d3.txt", "Throughput 240.9 MB/sec 1 procs\n", "dbench"),
    ("d4.txt", "Throughput 712.6 MB/sec  10 clients  10 procs  max_latency=30.2 ms\n", "dbench"),
    (
        "fs.txt",
        "#  ./fs_mark  -d  /mnt/a  -s  4096  -n  1000\n#\tVersion 3.3, 1 thread(s) starting at Wed Jan  5 10:00:00 2022\n",
        "fs_mark 3.3",
    ),
    (
        "fs2.txt",
        "FSUse%        Count         Size    Files/sec     App Overhead\n     1         1000        4096        112.9\n",
        "fs_mark",
    ),
    ("p.txt", "CPU BOGOMIPS:      121369.44\nREGEX/SECOND:      7314912\nFSYNCS/SECOND:     96.60\n", "pveperf"),
    ("pm.txt", "PostMark v1.51 : 8/14/01\npm>set number 5000\nTime:\n\t10 seconds total\n", "PostMark 1.51"),
    ("cb.txt", "intial create total runs 20 avg 30.25 MB/s (user 0.74s sys 2.40s)\nno runs for create\n", "compilebench"),
    ("sf.txt", "host = h1,thr = 00,elapsed = 0.020,files = 10,records = 10,status = ok\ntotal threads = 2\n", "smallfile"),
    ("w.txt", 'warp: Benchmark data written to "warp-remote-2024-06-16.csv.zst"\nMixed operations.\n', "warp"),
    ("w2.txt", "Operation: PUT, 15%, Concurrency: 60, Ran 9m59s.\n * Throughput: 2558.81 MiB/s, 255.88 obj/s\n", "warp"),
    ("s3.txt", "Results Summary for Write Operation(s)\nTotal Transferred: 0.250 MB\nTotal Throughput:  0.18 MB/s\n", "s3bench"),
    ("cos.csv", "Op-Name,Op-Type,Op-Count,Byte-Count,Avg-ResTime\n", "COSBench"),
    ("rados.txt", "Total time run:         10.1\nTotal writes made:      1200\nWrite size:             4194304\n", "RADOS bench"),
    (
        "pg.txt",
        "pgbench (14.5)\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\n",
        "pgbench 14.5",
    ),
    ("sb.txt", "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nSQL statistics:\n", "sysbench 1.0.20"),
    ("y.txt", "[OVERALL], RunTime(ms), 10110\n[OVERALL], Throughput(ops/sec), 98.9\n", "YCSB"),
    ("ds.txt", "\nCommand Line: C:\\diskspd.exe -b8K -d30 -o4 -t8 io.dat\n\nInput parameters:\n", "DiskSpd"),
    ("cdm.txt", "-" * 30 + "\nCrystalDiskMark 8.0.4 x64 (C) 2007-2021\n", "CrystalDiskMark 8.0.4"),
    ("a.txt", "ATTO Disk Benchmark 4.01\nI/O Size,Write,Read\n", "ATTO Disk Benchmark"),
    ("sfs.txt", "SPEC SFS(R)2014_vda Result\n", "SPEC SFS 2014"),
    ("sfs8.txt", "SPECsfs2008_nfs.v3 = 40137 Ops/Sec\n", "SPEC SFS 2008"),
    ("io.csv", "'Test Type,Test Description\n0,\n'Version\n1.1.0\n", "Iometer"),
    ("t.txt", "Unit information\n================\nFile size = megabytes\nBlk Size  = bytes\n", "tiobench"),
    ("st.txt", "stress-ng: info:  [1234] dispatching hogs: 4 hdd\n", "stress-ng"),
    ("seq_bw.1.log", "500, 1203000, 0, 131072\n1000, 1189000, 0, 131072\n1500, 1190100, 0, 131072\n", "fio log"),
    (
        "i.txt",
        "avg-cpu:  %user   %nice %system\n\nDevice            r/s     rkB/s   rrqm/s  %rrqm\nsda   1.0  2.0 0.0 0.0\n",
        "iostat",
    ),
    ("sol.txt", "                    extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv\n", "iostat"),
    (
        "m.txt",
        "10:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal\n10:00:02 AM  all    1.0 0 0 0 0 0 0\n",
        "mpstat",
    ),
    ("sar.txt", "10:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n", "sar"),
    ("sard.txt", "10:00:01        DEV       tps     rkB/s     wkB/s\n", "sar"),
    (
        "v.txt",
        "procs -----------memory---------- ---swap-- -----io----\n r  b   swpd   free   buff  cache   si   so\n",
        "vmstat",
    ),
    ("arc.txt", "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c\n", "arcstat"),
    ("ip.txt", "[ ID] Interval           Transfer     Bandwidth\n[  3]  0.0-10.0 sec  1.10 GBytes\n", "iperf"),
]


@pytest.mark.parametrize(("name", "head", "label"), OUTPUTS, ids=[f"{label}-{name}" for name, _, label in OUTPUTS])
def test_the_tool_and_its_version_are_recognised(tmp_path, name, head, label):
    found = recognise_tool(f"runs/{name}", head)
    assert found is not None and found.label == label
    path = tmp_path / name
    path.write_text(head)
    records = list(read([path]))
    assert [r.format for r in records if isinstance(r, FileReport)] == [label]
    warnings = [r for r in records if isinstance(r, Warning)]
    assert [w.code for w in warnings] == ["not-read-yet"] and warnings[0].file.endswith(name)
    assert warnings[0].message.startswith(f"{label} output: recognised, not read yet. ")


def test_every_signature_has_an_output_a_link_and_advice():
    assert {found.signature.name for name, head, _ in OUTPUTS if (found := recognise_tool(name, head))} == {
        signature.name for signature in signatures()
    }
    assert all(s.documentation.startswith(("https://", "http://")) and s.advice.endswith(".") for s in signatures())


def test_an_output_that_is_read_is_never_named(tmp_path):
    path = tmp_path / "both.txt"
    path.write_text(OUTPUTS[0][1] + "10240+0 records in\n10240+0 records out\n10737418240 bytes (11 GB) copied, 54.1 s, 197 MB/s\n")
    records = list(read([path]))
    assert [r.metric for r in records if isinstance(r, Measurement)] == ["transfer.elapsed", "transfer.throughput"]
    assert [r.format for r in records if isinstance(r, FileReport)] == ["dd"]
    assert not [r for r in records if isinstance(r, Warning) and r.code == "not-read-yet"]


@pytest.mark.parametrize(
    "text",
    [
        "We compared vdbench, dbench and fs_mark on ZFS.\nSee the Vdbench manual.\n",
        "Install sysbench and pgbench first.\n",
        "total 12\n-rw-r--r-- 1 root root 0 Jan 1 a.txt\n",
        "The memory of the host: 16 GiB, 3 procs\n",
    ],
)
def test_a_text_that_only_mentions_a_tool_is_not_its_output(text):
    assert recognise_tool("notes.txt", text) is None


class _Counted(str):
    """A text that counts how many of its characters are taken out of it."""

    taken = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        _Counted.taken += len(part)
        return part


def test_only_the_head_of_a_long_file_is_searched():
    _Counted.taken = 0
    assert recognise_tool("long.txt", _Counted("x y z\n" * 200_000 + OUTPUTS[0][1])) is None
    assert _Counted.taken <= HEAD
