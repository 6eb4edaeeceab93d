"""rsync, fdtree, hdparm, du: units by the sources that the parsers cite."""

from __future__ import annotations

import pytest

from ingest.parsers.copies import du, fdtree, rsync
from ingest.parsers.disks import hdparm
from ingest.tests.reading import read, values_by_metric

TREE = """fdtree-1.0.2: starting at ./OUT2/LEVEL0.box.13321/
	creating/deleting 2 directory levels with 10 directories at each level
	for a total of 111 directories
	with 30 files of size 256KiB per directory
	for a total of 3330 files and 852480KiB
Sat Nov 21 05:30:20 UTC 2026
DIRECTORY CREATE TIME IN, OUT, TOTAL = 0, 2, 2
	Directory creates per second =  55
FILE CREATE TIME IN, OUT, TOTAL      = 2, 36, 34
	File creates per second      =  97
	KiB per second               =  25072
FILE REMOVE TIME IN, OUT, TOTAL      = 36, 36, 0
	File removals per second     =  0
DIRECTORY REMOVE TIME IN, OUT, TOTAL = 36, 37, 1
	Directory removals per second =  111
"""


@pytest.mark.parametrize(
    ("sent", "rate", "total", "size"),
    [
        (
            "sent 36724421 bytes  received 42 bytes  175295.77 bytes/sec",
            175295.77,
            "total size is 36719829  speedup is 1.00",
            36719829,
        ),
        (
            "sent 72,825,910 bytes  received 61,025 bytes  20,824,838.57 bytes/sec",
            20824838.57,
            "total size is 373,280,233,432  speedup is 5,121.36",
            373280233432,
        ),
        ("sent 43 bytes  received 528 bytes  1.142,00 bytes/sec", 1142.0, "total size is 434  speedup is 0,76", 434),
        (
            "sent 2.98G bytes  received 81.34K bytes  2.83M bytes/sec",
            2.83e6,
            "total size is 2.98G  speedup is 1.00",
            2980000000,
        ),
        (
            "sent 1501k bytes  received 120 bytes  185M bytes/sec",
            185e6,
            "total size is 1500k  speedup is 1.00",
            1500000,
        ),
    ],
)
def test_rsync_notation(sent: str, rate: float, total: str, size: int) -> None:
    values, doubts = read(rsync.PARSER, f"{sent}\n{total}\n")
    assert [(v.metric, v.value, v.params["total_size"]) for v in values] == [("copy.throughput", pytest.approx(rate), size)]
    assert not doubts


def test_rsync_hh_means_powers_of_1024() -> None:
    values, _ = read(
        rsync.PARSER,
        "$ rsync -ahh a b\nsent 2.78G bytes  received 79K bytes  2.70M bytes/sec\ntotal size is 2.78G  speedup is 1.00",
    )
    assert values[0].value == pytest.approx(2.70 * 2**20)


@pytest.mark.parametrize(
    ("text", "values", "codes"),
    [
        ("sent 5 bytes  received 42 bytes  18.80 bytes/sec\ntotal size is 36", 1, ["cut"]),
        ("\t8K bytes  42.41M bytes/sec\ntotal size is 5.45G  speedup is 1.00", 1, ["cut"]),
        (
            "$ rsync -an a b\nsent 5 bytes  received 42 bytes  18.80 bytes/sec\ntotal size is 36  speedup is 0.77 (DRY RUN)",
            1,
            ["unmeasured"],
        ),
        (
            "sent 5 bytes  received 42 bytes  18.80 bytes/sec\ntotal size is 36  speedup is "
            "0.77\nrsync error: x (code 23) at main.c(1385) [receiver=2.6.9]",
            1,
            ["failed-run"],
        ),
        ("sent 5 bytes  received 42 bytes  total size 36", 0, []),
        ("sent 5 byt", 0, ["cut"]),
        ("sent 211,303 bytes  received 0 bytes  0.00 bytes/sec\ntotal size is 5,737  speedup is 0.03", 0, ["unmeasured"]),
        ("sent 5 bytes  received 42 bytes  19.80 bytes/sec\ntotal size is 36  speedup is 0.77", 1, ["disagree"]),
        ("sent 5 bytes  received 42 bytes  18.80 bytes/sec\ntotal size is 36  speedup is 0.97", 1, ["disagree"]),
        ("sent 170 bytes  received 42 bytes  100952 bytes/sec\ntotal size is 28  speedup is 0.13", 1, []),  # openrsync
        ("sent 348 bytes  received 53 bytes  267.33 bytes/sec\ntotal size is 1.89K  speedup is 4.70", 1, []),  # -h rounds
        ("sent 1,23,4567 bytes  received 42 bytes  18.80 bytes/sec\ntotal size is 36  speedup is 0.77", 1, ["bad-number"]),
    ],
)
def test_rsync_doubts(text: str, values: int, codes: list[str]) -> None:
    found, doubts = read(rsync.PARSER, text)
    assert (len(found), [d.code for d in doubts]) == (values, codes)


def test_rsync_stats_and_exact_log_are_parameters() -> None:
    values, _ = read(
        rsync.PARSER,
        "Number of files: 3,709 (reg: 3,060)\nTotal file size: 72,614,809 bytes\n\n"
        "sent 107.22G bytes  received 2.73M bytes  68.23M bytes/sec\ntotal size is 107.20G  speedup is 1.00\n"
        "sent 107220284403 bytes  received 2726685 bytes  total size 107198314475",
    )
    assert len(values) == 1
    assert values[0].params["sent"] == 107220284403
    assert values[0].params["number_of_files"] == 3709


def test_fdtree_phases() -> None:
    values, doubts = read(fdtree.PARSER, TREE)
    assert values_by_metric(values) == {
        "dir_create.elapsed": 2,
        "dir_create.rate": 55,
        "file_create.elapsed": 34,
        "file_create.rate": 97,
        "file_create.throughput": 25072 * 1024,
        "file_remove.elapsed": 0,
        "dir_remove.elapsed": 1,
        "dir_remove.rate": 111,
    }
    assert [d.code for d in doubts] == ["zero-time", "unmeasured"]
    assert values[0].started_at == "2026-11-21T05:30:20+00:00"
    assert {
        k: values[0].params[k] for k in ("levels", "dirs_per_dir", "files_per_dir", "file_size", "files", "dirs", "total_size")
    } == {
        "levels": 2,
        "dirs_per_dir": 10,
        "files_per_dir": 30,
        "file_size": 262144,
        "files": 3330,
        "dirs": 111,
        "total_size": 872939520,
    }


@pytest.mark.parametrize(
    ("old", "new", "code", "values"),
    [
        ("for a total of 111", "for a total of 112", "disagree", 8),
        ("=  97", "=  99", "disagree", 8),
        ("= 2, 36, 34", "= 2, 36, 35", "disagree", 8),
        ("FILE REMOVE TIME IN", "FILE REMO", "cut", 7),
        ("Sat Nov 21 05:30:20 UTC 2026", "mkdir: cannot create directory: No such file", "failed-run", 0),
    ],
)
def test_fdtree_damage(old: str, new: str, code: str, values: int) -> None:
    found, doubts = read(fdtree.PARSER, TREE.replace(old, new, 1))
    assert code in {d.code for d in doubts}
    assert len(found) == values


@pytest.mark.parametrize(
    ("line", "metric", "value"),
    [
        (
            " Timing cached reads:   3012 MB in  2.00 seconds = 1507.62 MB/sec",
            "cached_read.throughput",
            1507.62 * 2**20,
        ),
        (" Timing buffered disk reads: 558 MB in  3.00 seconds = 185.93 MB/sec", "read.throughput", 185.93 * 2**20),
        (" Timing O_DIRECT disk reads: 1502 MB in  3.00 seconds = 500.31 MB/sec", "read.throughput", 500.31 * 2**20),
        (
            " Timing buffer-cache reads:   128 MB in  1.12 seconds =114.29 MB/sec",
            "cached_read.throughput",
            114.29 * 2**20,
        ),
        (" Timing buffered disk reads:   2 MB in  4.10 seconds = 499.51 kB/sec", "read.throughput", 499.51 * 1024),
    ],
)
def test_hdparm(line: str, metric: str, value: float) -> None:
    values, doubts = read(hdparm.PARSER, f"/dev/sda:\n{line}")
    assert [(v.metric, v.value, v.params["path"]) for v in values] == [(metric, pytest.approx(value), "/dev/sda")]
    assert not doubts


@pytest.mark.parametrize(
    ("command", "line", "value"),
    [
        ("du -sBM /tank", "53M\t/tank", 53 * 2**20),
        ("du -sh /tank/src", "3.4G\t/tank/src", 3.4 * 2**30),
        ("du -sk /tank", "1024\t/tank", 2**20),
        ("du -sb /tank", "1024\t/tank", 1024),
        ("du -s --si /tank", "53M\t/tank", 53e6),
    ],
)
def test_du(command: str, line: str, value: float) -> None:
    values, _ = read(du.PARSER, f"$ rsync -a /src/ /tank/src/\n$ {command}\n{line}")
    assert [(v.tool, v.metric, v.value) for v in values] == [("rsync", "copy.size", pytest.approx(value))]


@pytest.mark.parametrize(
    ("lines", "metric", "value", "origin"),
    [
        ("$ zfs get -H compressratio tank\ntank\tcompressratio\t1.54x\t-", "copy.compressratio", 1.54, "measured"),
        ("Kompression: 1,54", "copy.compressratio", 1.54, "derived"),
        ("Dedup ratio = 1.02x", "copy.dedupratio", 1.02, "derived"),
    ],
)
def test_ratios(lines: str, metric: str, value: float, origin: str) -> None:
    values, _ = read(du.PARSER, f"$ cp -a /src /tank/src\n{lines}")
    assert [(v.metric, v.value, v.origin) for v in values] == [(metric, value, origin)]


def test_sizes_without_a_copy_or_a_unit_are_not_taken() -> None:
    assert read(du.PARSER, "$ du -sh /tank\n53M\t/tank") == ([], [])
    values, doubts = read(du.PARSER, "$ cp -a a /tank\n$ du -s /tank\n96256\t/tank")
    assert (values, [d.code for d in doubts]) == ([], ["unknown-unit"])


def test_options_on_continuation_lines() -> None:
    """-h twice means powers of 1024 (rsync.1); the output of --version is no command."""
    values, doubts = read(
        rsync.PARSER,
        "# rsync --version | head -n1\nrsync  version 3.2.7  protocol version 31\n# time rsync \\\n"
        " --progress -h \\\n -h -a \\\n shelf:/a /b\n\nsent 1.25M bytes  received 2.00M bytes  1.00M bytes/sec\n"
        "total size is 3.00M  speedup is 0.92\n",
    )
    assert [(v.value, v.tool_version, v.params["command"]) for v in values] == [
        (1 << 20, "3.2.7", "rsync --progress -h -h -a shelf:/a /b")
    ]
    assert doubts == []
