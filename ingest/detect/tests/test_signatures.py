"""Outputs of tools that are not read yet are recognised by their head, with the version that they print."""

from __future__ import annotations

import pytest

from ingest import read
from ingest.detect.file_kinds import HEAD, TAIL, recognise_tool, signatures
from ingest.records import FileReport, Measurement, Warning

# (file name, head of an output as the tool's documentation or source has it, label)
OUTPUTS = [
    ("wr.log", "wrstat 1.4 started Mon Nov  5 10:00:00 2012\ninterval 5\n", "wrstat"),
    ("job_clat_hist.1.log", "1000, 0, 4096" + ", 0, 3, 1, 0" * 40 + "\n", "fio latency histogram log"),
    ("p1.txt", "sda1          reads   read sectors  writes    requested writes\n  17736  566920  6587  52696\n", "vmstat"),
    ("vs.txt", "      8123456 K total memory\n      1234567 pages paged in\n      7654321 pages paged out\n", "vmstat"),
    ("ppc.txt", "host\t1\t2026-11-24 23:59:59 UTC\tall\t%user\t1.00\n", "sadf"),
    ("zpool-iostat.txt", "tank\t1.00K\t2.00T\t1\t2\t3K\t4K\ntank\t1.00K\t2.00T\t2\t2\t3K\t4K\n", "zpool iostat"),
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
    ("pm.txt", "PostMark v1.51 : 8/14/01\npm>set number 5000\nTime:\n\t10 seconds total\n", "PostMark 1.51"),
    ("cb.txt", "intial create total runs 20 avg 30.25 MB/s (user 0.74s sys 2.40s)\nno runs for create\n", "compilebench"),
    ("sf.txt", "host = h1,thr = 00,elapsed = 0.020,files = 10,records = 10,status = ok\ntotal threads = 2\n", "smallfile"),
    ("w.txt", 'warp: Benchmark data written to "warp-remote-2024-06-16.csv.zst"\nMixed operations.\n', "warp"),
    ("w2.txt", "Operation: PUT, 15%, Concurrency: 60, Ran 9m59s.\n * Throughput: 2558.81 MiB/s, 255.88 obj/s\n", "warp"),
    ("s3.txt", "Results Summary for Write Operation(s)\nTotal Transferred: 0.250 MB\nTotal Throughput:  0.18 MB/s\n", "s3bench"),
    ("cos.csv", "Op-Name,Op-Type,Op-Count,Byte-Count,Avg-ResTime\n", "COSBench"),
    (
        "pg.txt",
        "pgbench (14.5)\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\n",
        "pgbench 14.5",
    ),
    ("sb.txt", "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nSQL statistics:\n", "sysbench 1.0.20"),
    ("y.txt", "[OVERALL], RunTime(ms), 10110\n[OVERALL], Throughput(ops/sec), 98.9\n", "YCSB"),
    ("a.txt", "ATTO Disk Benchmark 4.01\nI/O Size,Write,Read\n", "ATTO Disk Benchmark"),
    ("sfs.txt", "SPEC SFS(R)2014_vda Result\n", "SPEC SFS 2014"),
    ("sfs8.txt", "SPECsfs2008_nfs.v3 = 40137 Ops/Sec\n", "SPEC SFS 2008"),
    ("io.csv", "'Test Type,Test Description\n0,\n'Version\n1.1.0\n", "Iometer"),
    ("t.txt", "Unit information\n================\nFile size = megabytes\nBlk Size  = bytes\n", "tiobench"),
    ("st.txt", "stress-ng: info:  [1234] dispatching hogs: 4 hdd\n", "stress-ng"),
    (
        "i.txt",
        "            extended device statistics\ndevice     r/i    w/i   kr/i   kw/i qlen   tsvc_t/i      sb/i\n",
        "iostat",
    ),
    ("sol.txt", "                    extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv\n", "iostat"),
    (
        "m.txt",
        "CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n  0   10   0    0   340  140\n",
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
    (
        "n.txt",
        "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to h2 () port 0 AF_INET\nRecv   Send    Send\n",
        "netperf",
    ),
    (
        "l.txt",
        "8192.0000 MB in 68.7264 secs, 119.1973 MB/sec\n",
        "lmdd",
    ),
    (
        "lm.txt",
        "[lmbench3.0 results for Linux h1 5.10]\n[LMBENCH_VER: ]\n",
        "lmbench 3.0",
    ),
    (
        "ub.txt",
        "   #    #  #    #\n   BYTE UNIX Benchmarks (Version 5.1.3)\n\n   System: h1: GNU/Linux\n",
        "UnixBench 5.1.3",
    ),
    (
        "gb.txt",
        "Geekbench 6.2.1 : https://www.geekbench.com/\n\nSystem Information\n",
        "Geekbench 6.2.1",
    ),
    (
        "stream.txt",
        "-------------------------------------------------------------\nSTREAM version $Revision: 5.10 $\n",
        "STREAM 5.10",
    ),
    (
        "mbw.txt",
        "Long uses 8 bytes. Allocating 2*33554432 elements = 536870912 bytes of memory.\nGetting down to business...\n",
        "mbw",
    ),
    (
        "di.txt",
        "ada0\n\t512         \t# sectorsize\n\t2000398934016\t# mediasize in bytes (1.8T)\n",
        "diskinfo",
    ),
    (
        "di2.txt",
        "Seek times:\n\tFull stroke:\t  250 iter in   5.676 sec =   22.703 msec\n",
        "diskinfo",
    ),
    (
        "sk.txt",
        "Seeker v2.0, 2007-01-15, http://www.linuxinsight.com/how_fast_is_your_disk.html\n"
        "Benchmarking /dev/sda [238475MB], wait 30 seconds\n",
        "seeker 2.0",
    ),
    (
        "orion_summary.txt",
        "ORION VERSION 11.1.0.7.0\n\nCommandline:\n-run simple -testname a -num_disks 8\n",
        "ORION 11.1.0.7.0",
    ),
    (
        "slob.txt",
        "NOTIFY : 2021.03.01-10:00:00 : For security purposes all file and directory creation and deletions\n"
        "NOTIFY : 2021.03.01-10:00:00 : performed by ./runit.sh are logged in: slob.log.\n"
        "SLOB TEMPDIR\n"
        "UPDATE_PCT == 25\n",
        "SLOB",
    ),
    (
        "hdb.log",
        "HammerDB CLI v4.8\nCopyright (C) 2003-2023 Steve Shaw\n",
        "HammerDB 4.8",
    ),
    (
        "sw.txt",
        "Application :  Swingbench\nAuthor      :  Dominic Giles\nVersion     :  2.7.0.1313\n",
        "Swingbench 2.7.0.1313",
    ),
    (
        "sqlio.txt",
        "sqlio v1.5.SG\nusing system counter for latency timings, 2343750 counts per second\n",
        "SQLIO 1.5",
    ),
    (
        "j.html",
        "<html><head><title>Microsoft Exchange Jetstress 2013 Performance Test Result Report</title></head>\n",
        "Jetstress",
    ),
    (
        "ws.txt",
        "Windows System Assessment Tool\n> Running: Feature Enumeration ''\n",
        "WinSAT",
    ),
    (
        "as.txt",
        "AS SSD Benchmark 2.0.7316.34247\n------------------------------\nName: Samsung SSD\n",
        "AS SSD Benchmark 2.0.7316.34247",
    ),
    (
        "hd.txt",
        "HD Tune Pro: ST2000DM001 Benchmark\n\nTest capacity: full\n\nRead transfer rate\n",
        "HD Tune",
    ),
    (
        "kdm.txt",
        "                     KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark\n         Flexible I/O Tester (fio-3.33)\n",
        "KDiskMark 3.1.4",
    ),
    (
        "x.txt",
        "IOIOIOIOIOIOIOIOIOIOI XDD version 7.0.0.rc26 Linux IOIOIOIOIOIOIOIOIOIOIOI\n",
        "XDD 7.0.0",
    ),
    (
        "aio.txt",
        "adding stage write\n"
        "file size 1024MB, record size 64KB, depth 64, ios per iteration 8\n"
        "aio-stress: max io_submit 8, buffer alignment set to 4KB\n",
        "aio-stress",
    ),
    (
        "bb.txt",
        "Frequency = 10 secs\nScratch dir = [/mnt/a]\n  Nb blogs   R articles    W articles    R pictures\n",
        "Blogbench",
    ),
    (
        "bb2.txt",
        "Final score for writes:            63\nFinal score for reads :        116545\n",
        "Blogbench",
    ),
    (
        "rb.txt",
        "====== SET ======\n  100000 requests completed in 0.88 seconds\n  50 parallel clients\n",
        "redis-benchmark",
    ),
    (
        "mt.txt",
        "Writing results to stdout\n[RUN #1] Preparing benchmark client...\n",
        "memtier_benchmark",
    ),
    (
        "rdb.txt",
        "RocksDB:    version 6.29.5\nDate:       Tue Mar  1 10:00:00 2022\n",
        "RocksDB db_bench 6.29.5",
    ),
    (
        "rdb2.txt",
        "fillseq      :       2.353 micros/op 425000 ops/sec;   47.0 MB/s\n",
        "RocksDB db_bench",
    ),
    (
        "cs.txt",
        "Results:\nOp rate                   :   12,345 op/s  [WRITE: 12,345 op/s]\nPartition rate            :   12,345 pk/s\n",
        "cassandra-stress",
    ),
    (
        "tp.txt",
        "***************************************\n"
        "*** ###easy### TPC-C Load Generator ***\n"
        "***************************************\n"
        "<Parameters>\n"
        "<TpmC>\n",
        "tpcc-mysql",
    ),
    (
        "dlio.log",
        "[OUTPUT] 2023-06-01T10:00:00 Running DLIO with 8 process(es) [/a/main.py:101]\n",
        "DLIO / MLPerf Storage",
    ),
    (
        "dlio2.log",
        "[METRIC] ==========================================================\n"
        "[METRIC] Training Accelerator Utilization [AU] (%): 97.8 (0.1)\n",
        "DLIO / MLPerf Storage",
    ),
    (
        "h5.txt",
        "==================  Performance Results  ==================\n"
        "Total emulated compute time: 4.000 s\n"
        "Total write size: 2.500 GB\n",
        "h5bench",
    ),
    (
        "macsio-log.log",
        "    MACSIO_MAIN\nSummed  BW: 900.0 Mi/sec\nTotal Bytes: 1.0000 Gi; Last finisher time: 0.9000 secs; BW: 1.1000 Gi/sec\n",
        "MACSio",
    ),
    (
        "imb.txt",
        "#------------------------------------------------------------\n#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-IO part\n",
        "Intel MPI Benchmarks, IO",
    ),
    (
        "be.txt",
        "b_eff_io.c, Revision 2.1 from Mon Jul  2 2004\n\n b_eff_io of these measurements = 100.1 MB/s\n",
        "b_eff_io",
    ),
    (
        "bt.txt",
        " BTIO -- statistics:\n   I/O timing in seconds   :        12.34\n   I/O timing percentage   :        45.6\n",
        "NPB BT-IO",
    ),
    (
        "spdk.txt",
        "Initializing NVMe Controllers\nAttached to NVMe Controller at 0000:01:00.0 [8086:0a54]\n",
        "SPDK perf",
    ),
    (
        "gds.txt",
        "IoType: WRITE XferType: GPUD Threads: 8 DataSetSize: 32768/8388608(KiB) IOSize: 1024(KiB) Throughput: 3.1 GiB/sec\n",
        "gdsio",
    ),
    (
        "obd.summary",
        "Wed Feb  3 10:00:00 UTC 2021 Obdfilter-survey for case=disk from oss1\n"
        "ost  1 sz 16777216K rsz 1024K obj    1 thr    1 write   52.23 [  49.00,  53.00]\n",
        "obdfilter-survey",
    ),
    (
        "sgp.summary",
        "total_size  8388608K rsz 1024 crg     1 thr     1 write  180.12 MB/s     1 x 180.15 =  180.15 MB/s\n",
        "sgpdd-survey",
    ),
    (
        "ost.txt",
        "Average read speed:                  2.83\n"
        "Average write speed:                 2.05\n"
        "Ost#  Read(MB/s)  Write(MB/s)  Read-time  Write-time\n",
        "ost-survey",
    ),
    (
        "mds.txt",
        "mdt 1 file  100000 dir    4 thr    4 create 5652.05 [ 999.01,46940.48] lookup 34020.16\n",
        "mds-survey",
    ),
    (
        "lst.txt",
        "[LNet Rates of servers]\n[R] Avg: 1105     RPC/s Min: 1105     RPC/s Max: 1105     RPC/s\n",
        "LNet selftest",
    ),
    (
        "gp.txt",
        "/usr/lpp/mmfs/samples/perf/gpfsperf create seq /gpfs/a -n 100g -r 1m -th 8 -fsync\n"
        "  recSize 1M nBytes 100G fileSize 100G\n",
        "gpfsperf",
    ),
    (
        "osd.json",
        "{\n"
        '    "bytes_written": 1073741824,\n'
        '    "blocksize": 4194304,\n'
        '    "elapsed_sec": 4.1,\n'
        '    "bytes_per_sec": 261123456.0\n'
        "}\n",
        "Ceph OSD bench",
    ),
    (
        "rbd.txt",
        "bench  type write io_size 4096 io_threads 16 bytes 1073741824 pattern sequential\n  SEC       OPS   OPS/SEC   BYTES/SEC\n",
        "rbd bench",
    ),
    (
        "gl.txt",
        "Brick: h1:/bricks/a\n------------------\nCumulative Stats:\n   Block Size:               4096b+\n",
        "Gluster volume profile",
    ),
    (
        "ffsb.txt",
        "FFSB Version 6.0-RC2 started\n\nbenchmark time = 300\n",
        "FFSB 6.0-RC2",
    ),
    (
        "dt.txt",
        "Total Statistics:\n"
        "      Output device/file name: /mnt/a/x (device type=regular)\n"
        "      Type of I/O's performed: sequential\n",
        "dt (Data Test Program)",
    ),
    (
        "nfso.txt",
        "nfsometer workload: dd_100m_1k on h1:/export\n",
        "NFSometer",
    ),
    (
        "fo.txt",
        "Fileop:  Working in ., File size is 1,  Output is in Ops/sec. (A=Avg, B=Best, W=Worst)\n .       mkdir   chdir   rmdir\n",
        "fileop",
    ),
    (
        "jfs.txt",
        "|       ITEM       |     VALUE     |     COST     |\n|   Write big file |  965.64 MiB/s |  1.06 s/file |\n",
        "JuiceFS bench",
    ),
    (
        "perfdiag.txt",
        "==============================================================================\n"
        "                         DIAGNOSTIC RESULTS\n"
        "==============================================================================\n",
        "gsutil perfdiag",
    ),
    (
        "was.txt",
        "Wasabi benchmark program v2.0\nParameters: url=http://s3, bucket=b, duration=60, threads=1, loops=1, size=1M\n",
        "Wasabi s3-benchmark 2.0",
    ),
    (
        "ft.txt",
        "Test parameters:   -w hd -n1800 -t4\nAveraged details:\n          Open       I/O       Frame     Data rate  Frame rate\n",
        "frametest",
    ),
    (
        "blk.txt",
        "Total (8,0):\n"
        " Reads Queued:           1,        4KiB\t Writes Queued:         100,      400KiB\n"
        "\n"
        "Throughput (R/W): 0KiB/s / 1,024KiB/s\n",
        "blkparse",
    ),
    (
        "bio.txt",
        "Tracing block device I/O... Hit Ctrl-C to end.\n"
        "     usecs           : count     distribution\n"
        "       0 -> 1        : 0        |      |\n",
        "biolatency",
    ),
    (
        "h1.nmon",
        "AAA,progname,nmon\nAAA,command,nmon -f -s 10 -c 360\nAAA,version,16g\n",
        "nmon 16g",
    ),
    (
        "at.txt",
        "ATOP - h1       2021/03/01  10:00:00       ------       10s elapsed\nPRC | sys 1.2s | user 2.3s |\n",
        "atop",
    ),
    (
        "anvil.txt",
        "Anvil's Storage Utilities 1.1.0 (2014-January-1)\nSSD Benchmark\n",
        "Anvil's Storage Utilities 1.1.0",
    ),
    (
        "pm2.txt",
        "PassMark(TM) PerformanceTest V10.2 (http://www.passmark.com)\nResults generated on: Monday\n",
        "PassMark PerformanceTest 10.2",
    ),
    ("ip.txt", "[ ID] Interval           Transfer     Bandwidth\n[  3]  0.0-10.0 sec  1.10 GBytes\n", "iperf"),
]


def test_a_mark_at_the_end_of_a_long_output_is_found():
    """pgbench prints its totals after a row for each interval."""
    rows = "".join(f"progress: {second}.0 s, {second * 9}.1 tps, lat 1.2 ms stddev 0.3\n" for second in range(2000))
    found = recognise_tool("r.txt", rows + "number of transactions actually processed: 180000\n")
    assert found is not None and found.label == "pgbench"


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
    assert len(signatures()) >= 60
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


def test_only_head_and_tail_of_a_long_file_are_searched():
    _Counted.taken = 0
    assert recognise_tool("long.txt", _Counted("x y z\n" * 100_000 + OUTPUTS[0][1] + "x y z\n" * 100_000)) is None
    assert _Counted.taken <= HEAD + TAIL
