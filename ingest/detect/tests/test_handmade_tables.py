"""Tables, lists and sentences with rates that somebody typed are told of, beside outputs too; what tools print is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.detect import handmade_tables
from ingest.records import FileReport, Measurement, Warning
from ingest.text.lines import Text

MARKDOWN = "# NAS\n\n| FS | write | read |\n|---|---|---|\n| ext4 | 512 MB/s | 601 MB/s |\n| zfs | 401 MB/s | 702 MB/s |\n"
UNIT_ABOVE = "| Test | MB/s |\n|---|---|\n| sequential | 120 |\n| random | 14.5 |\n| mixed | 40 |\n"
BLANKS = "Results\n\next4     512 MB/s   601 MB/s\nxfs      530 MB/s   620 MB/s\nzfs      401 MiB/s  702 MiB/s\n"
ONE_DASH = "| bs | depth | bw (kB/s) | iops |\n| :-: | :-: | :-: | :-: |\n| 4 | 32 | 147857 | 144 |\n| 4 | 64 | 87473 | 85 |\n"
BOXES = (
    "┌────────────┬───────────────┬──────┐\n│ Phase      │ Score         │ Time │\n├────────────┼───────────────┼──────┤\n"
    "│ easy write │ 8.61408 GiB/s │ 30 s │\n│ hard stat  │ 48.607 kIOPS  │ 47 s │\n└────────────┴───────────────┴──────┘\n"
)
JSON = '{\n  "fs": "zfs",\n  "seqwrite_mbps": 165.6957,\n  "randread_iops": 5425.614703,\n  "ndev": 4\n}\n'
LIMITS = '{"read_iops": 3000, "write_iops": 1500.5, "bandwidth": 125}\n'
SINGLE_DASHES = "|Operation|Max IOPS|Mean IOPS|\n|-|-|-|\n|File creation|83807.678|83389.259|\n|File stat|548966.3|548179.785|\n"
BARS_ALONE = "BS | THREADS | IOP/s (R) | IOP/s (W)\n--- | --- | --- | ---\n4K | 1 | 4426 | 1909\n8K | 1 | 4348 | 1869\n"
PROSE = "It may reach  up to 100 MB/s here.\nThe link  has 10 Gbps.\n$ fio --rate=100m --name=x\n"
WORDS = "| Disk | Cache |\n|---|---|\n| WD | 64 MB |\n| ST | 128 MB |\n"

CSV = "disk,read_bw,write_bw\nsda,120.5,99\nsdb,130,101.25\n"
TSV = "name\tbw\tiops\tguest_cpu\nxen\t2.27\t206\t0.89\nkvm\t1.537\t139\t0.41\n"
PHASES = ",nodes,ior-easy-write,mdtest-hard-stat\n0,1,1.184695,3.883948\n1,2,1.995671,10.148446\n"
OWN_SCRIPT = "Test: write | Block Size: 1M\nWrite Bandwidth: 0.01 MB/s\nRead IOPS: 0.000000\nWrite IOPS: 6.628898\n"
OWN_LIST = "  Max write bandwidth: 282 MiB/s\n  Max read throughput: 93520 IOPS\n  Write I/O latency: 0.034 ms\n"
SENTENCE = "We looked at throughput, latency, and IOPS.\nIt took 3 runs, 4 hosts, and 5 days.\nOr 4 runs, 5 hosts, and 6 days.\n"
SETTINGS = "read_iops_limit: 3000\nwrite throughput: 125 MB/s\nread throughput: 250 MB/s\n"


def warnings_of(folder: Path, text: str, name: str = "notes.md") -> list[tuple[str, object]]:
    (folder / name).write_text(text)
    records = list(read([folder / name]))
    assert not [r for r in records if isinstance(r, Measurement)]
    assert [r.status for r in records if isinstance(r, FileReport)] == ["unrecognised"]
    return [(r.code, r.line) for r in records if isinstance(r, Warning)]


@pytest.mark.parametrize(
    ("text", "line"), [(MARKDOWN, 5), (UNIT_ABOVE, 3), (BLANKS, 3), (ONE_DASH, 3), (BOXES, 4), (SINGLE_DASHES, 3), (BARS_ALONE, 3)]
)
def test_a_table_by_hand_is_told_of_once(tmp_path: Path, text: str, line: int) -> None:
    assert warnings_of(tmp_path, text) == [("by-hand", line)]
    assert warnings_of(tmp_path, f"{text}\nThen:\n\n{text}") == [("by-hand", line), ("by-hand", line + text.count("\n") + 3)]


@pytest.mark.parametrize("text", [PROSE, WORDS])
def test_prose_and_other_tables_are_not(tmp_path: Path, text: str) -> None:
    assert warnings_of(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (CSV, "derived.csv", 2),
        (CSV.replace(",", ";"), "derived.csv", 2),
        (TSV, "hdd.tsv", 2),
        (PHASES, "all-results.csv", 2),
        (OWN_SCRIPT, "summary.txt", 2),
        (OWN_LIST, "pod", 1),
        (JSON, "result-zfs.json", 3),
    ],
)
def test_what_a_script_of_somebodys_own_wrote_is_told_of(tmp_path: Path, text: str, name: str, line: int) -> None:
    assert warnings_of(tmp_path, text, name) == [("by-hand", line)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SENTENCE, "notes.md"),
        (SETTINGS, "volume.yaml"),
        (LIMITS, "volume.json"),
    ],
)
def test_sentences_and_settings_are_not(tmp_path: Path, text: str, name: str) -> None:
    assert warnings_of(tmp_path, text, name) == []


@pytest.mark.parametrize("again", ("-", "| - ", ": "))
def test_a_long_line_of_rules_is_looked_at_once(again: str) -> None:
    """A pattern that looks at the line once for each part of it takes an hour here."""
    assert not handmade_tables.TABLE_RULE.match(again * 200_000 + "x")


FIO = """x: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.16
x: (groupid=0, jobs=1): err= 0: pid=8843: Sat Jan  8 17:06:40 2022
  read: IOPS=396, BW=397MiB/s (416MB/s)(4188MiB/10559msec)
"""
KBENCH = """FIO Benchmark Summary
IOPS (Read/Write)
   Random:   28,832 / 5,730

Bandwidth in KiB/sec (Read/Write)
   Random:   1,034,002 / 278,604
"""
EZFIO = """---Sustained 4KB Random Read Tests by Threads---
Sustained 4KB Random Read Tests by Threads, Threads=1    95.92    24,554     51.5
"""
CDM = "               Read [MB/s]     Read [IOPS]\n SEQ1M-Q8T1           1466            1465\n"
HTML = "<table><tr><th>FS</th><th>write MB/s</th></tr>\n<tr><td>ext4</td><td>512</td></tr></table>\n"


@pytest.mark.parametrize(
    ("beside", "rows"),  # rows: titles of the columns with figures, and the cells
    [
        (MARKDOWN, [(("write", "read"), ("ext4", "512 MB/s", "601 MB/s")), (("write", "read"), ("zfs", "401 MB/s", "702 MB/s"))]),
        ("fs;MB/s\next4;135,4\n", [(("MB/s",), ("ext4", "135,4"))]),
        ("FS      write MB/s   read MB/s\n------  -----------  ---------\next4    512.3        601.0\n",
         [(("write MB/s", "read MB/s"), ("ext4", "512.3", "601.0"))]),
        ("\tRead\tWrite\nseq\t510 MB/s\t480 MB/s\n", [(("Read", "Write"), ("seq", "510 MB/s", "480 MB/s"))]),
        (HTML, [(("write MB/s",), ("ext4", "512"))]),
        ("## Bandwidth (MB/s)\n\n| threads | xfs |\n|---|---|\n| 1 | 130 |\n", [(("xfs",), ("1", "130"))]),
        ("Test | Result\nSequential | 1234\n(all in MB/s)\n", [(("Result",), ("Sequential", "1234"))]),
        ("| op | p99 latency (ms) |\n|---|---|\n| read | 1.2 |\n", [(("p99 latency (ms)",), ("read", "1.2"))]),
        ("| step | time |\n|---|---|\n| rm -rf | 4m12s |\n", [(("time",), ("rm -rf", "4m12s"))]),
        ("f2fs: IOPS=41.2k\next4: IOPS=38.9k\n", [(("IOPS",), ("f2fs", "41.2k")), (("IOPS",), ("ext4", "38.9k"))]),
        ("w=108MB/s, r=204MB/s\n", [(("", "r"), ("w", "108MB/s", "204MB/s"))]),
        ("- lz4: 1.1 GB/s write, 2.3 GB/s read\n", [(("write", "read"), ("lz4", "1.1 GB/s", "2.3 GB/s"))]),
        ("Random Read/Write IOPS: 235k/189k\n", [(("", "Random Write IOPS"), ("Random Read IOPS", "235k", "189k"))]),
        ("Schreiben: 135,4 MB/s\n", [(("",), ("Schreiben", "135,4 MB/s"))]),
        ("Débit en lecture : 203 Mo/s\n", [(("",), ("Débit en lecture", "203 Mo/s"))]),
        ("The pool sustained 1.2 GiB/s for an hour.\n", [(("",), ("The pool sustained", "1.2 GiB/s"))]),
        ("rsync of the home took 4m12s.\n", [(("",), ("rsync of the home took", "4m12s"))]),
        ("4k random read - 41200 iops\n", [(("",), ("4k random read", "41200 iops"))]),
        ("created at 1532.4 files/s\n", [(("",), ("created at", "1532.4 files/s"))]),
        (KBENCH, [(("Read", "Write"), ("Random:", "28,832", "5,730")), (("Read", "Write"), ("Random:", "1,034,002", "278,604"))]),
        (EZFIO, [(("MB/s", "IOPS", "us"), ("Sustained 4KB Random Read Tests by Threads, Threads=1", "95.92", "24,554", "51.5"))]),
        ("Latency in ns (Read/Write)\n   Random:   160,387 / 65,962\n", [(("Read", "Write"), ("Random:", "160,387", "65,962"))]),
        ("Latency (us)\n\n4k read:    51.5\n", [(("",), ("4k read:", "51.5"))]),
        ("f2fs: w=108MB/s, r=204MB/s\next4: w=98MB/s, r=214MB/s\n",
         [(("w", "r"), ("f2fs", "108MB/s", "204MB/s")), (("w", "r"), ("ext4", "98MB/s", "214MB/s"))]),
        ("put n=10, size=1(bytes), eplapsed=1.8985\nget n=10, size=1(bytes), eplapsed=2.0987\n",
         [(("",), ("put n=10, size=1(bytes), eplapsed", "1.8985")), (("",), ("get n=10, size=1(bytes), eplapsed", "2.0987"))]),
        ("Pool:   r-PCIe4x4\nA:   BW (all):   99 MiB/s\nA:   IOPS (all):   34179\n",
         [(("Pool:", "r-PCIe4x4"), ("A:", "BW (all):", "99 MiB/s")), (("Pool:", "r-PCIe4x4"), ("A:", "IOPS (all):", "34179"))]),
        ("| Linode 4GB | 3900 MB/s |\n| Surface 8GB | 1900 MB/s |\n",
         [(("",), ("Linode 4GB", "3900 MB/s")), (("",), ("Surface 8GB", "1900 MB/s"))]),
        ("|Read IO|MiB/s|AvgLat|LatStdDev|\n|-|-|-|-|\n|0|1859.76|0.025|0.016|\n",
         [(("MiB/s", "AvgLat", "LatStdDev"), ("0", "1859.76", "0.025", "0.016"))]),
        ("write speed = 123.4 MByte/s\n", [(("",), ("write speed", "123.4 MByte/s"))]),
        ("read 1.2 GBytes/sec\n", [(("",), ("read", "1.2 GBytes/sec"))]),
        ("write 480 mb/s\n", [(("",), ("write", "480 mb/s"))]),
        ("stat: 12.3 kops/s\n", [(("",), ("stat", "12.3 kops/s"))]),
        ("Files/sec: 2341\nfsyncs per second: 1876\n",
         [(("",), ("Files/sec", "2341")), (("",), ("fsyncs per second", "1876"))]),
        ("sequential read 3.2 GB/s (PCIe 4.0 x4)\n", [(("",), ("sequential read", "3.2 GB/s"))]),
        (CDM, [(("Read [MB/s]", "Read [IOPS]"), ("SEQ1M-Q8T1", "1466", "1465"))]),
        ("- `cp` is at 74.9% of the stripe (1.499GB/s)\n", [(("",), ("`cp` is at 74.9% of the stripe", "1.499GB/s"))]),
        ("[root@nas ~]# ./old.sh\nThe old one: 81 MB/s\n", [(("",), ("The old one", "81 MB/s"))]),
        ("[1] The old one: 81 MB/s\n", [(("",), ("[1] The old one", "81 MB/s"))]),
        ("The rate was 20+MB/sec....!\n", [(("",), ("The rate was", "20+MB/sec"))]),
        ("scp: 61 MB/s (CPU bound)\n", [(("",), ("scp", "61 MB/s"))]),
        ("# the old disk, hdparm -t=77 MB/sec\n", [(("",), ("the old disk, hdparm -t", "77 MB/sec"))]),
        ("rados bench -p b 30 seq\n#  Bandwidth (MB/sec):     205.3\n", [(("",), ("Bandwidth (MB/sec):", "205.3"))]),
        ("|Total|  bytes  | MiB/s | LatStdDev |\n|-----|---------|-------|-----------|\n|   0 | 1755087 | 18.76 |     0.016 |\n",
         [(("bytes", "MiB/s", "LatStdDev"), ("0", "1755087", "18.76", "0.016"))]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["{beside}", "{beside}\n{FIO}", "{FIO}\n{beside}"])
def test_what_stands_beside_an_output_is_found(tmp_path: Path, text: str, beside: str, rows: list[tuple[object, object]]) -> None:
    """As without the output, and the output is read as without it."""
    whole = text.format(beside=beside, FIO=FIO)
    (tmp_path / "post.md").write_text(whole)
    records = list(read([tmp_path]))
    assert [r.value for r in records if isinstance(r, Measurement)] == ([396.0, 397 * 2**20] if "FIO" in text else [])
    lines = whole.splitlines()
    output = {number for number, line in enumerate(lines, 1) if line in FIO.splitlines()}
    tables = handmade_tables.find_handmade_tables(Text("post.md", lines, whole), lambda: output)
    assert [(table.titles[1:], cells) for table in tables for _, cells in table.rows] == rows
    assert [r.line for r in records if isinstance(r, Warning) and r.code == "by-hand"] == [table.line for table in tables]


@pytest.mark.parametrize(
    "line",
    [
        "Jobs: 1 (f=1): [R(1)][100.0%][r=397MiB/s][r=396 IOPS][eta 00m:00s]",
        "   bw (  KiB/s): min= 1024, max= 4096, per=100.00%, avg=2048.00, stdev=12.00, samples=20",
        "     1,073,741,824 100%  112.34MB/s    0:00:09 (xfr#1, to-chk=0/1)",
        "fedora.iso        45% [=====>        ] 1.20G  10.4MB/s",
        "disk.img                           100%   10GB  98.1MB/s   01:44",
        "  scan: scrub repaired 0B in 00:12:34, 1.2T scanned at 1.1G/s",
        "[    3.123456] raid6: avx2x4 gen() 25123 MB/s",
        "The drive is specified with 3500 MB/s.",
        "NIC: 10 Gbps, disks: SATA 6 Gb/s, 8 TB",
        "Speed 8GT/s, Width x4, read cache, 31.5 Gb/s",
        "$ fio --rate_iops=500 --rate=100M",
        "64 bytes from store1: icmp_seq=1 ttl=64 time=0.231 ms",
        "Fetched 12.3 MB in 2s (5,123 kB/s)",
        "    Leaseweb (NL):        7.86 MiB/s",
        "    average:    463.49 MiB/s",
        "2016-06-17 17:53:12.902448 min lat: 0.00265256 max lat: 0.247408 avg lat: 0.00959977",
        "  sec Cur ops   started  finished  avg MB/s  cur MB/s  last lat\n    1       1        84        83  0.3  0.3  0.02",
        "#rd=fill,sd=sd*,elapsed=100h,interval=10,iorate=max",
        "PCIe 3.0 x4: 3.9 GB/s",
    ],
)
def test_what_tools_print_and_devices_may_do_is_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "post.md").write_text(f"{FIO}\n{line}\n")
    assert [r for r in read([tmp_path]) if isinstance(r, Warning) and r.code == "by-hand"] == []
