"""What columns are proposed to mean, and what is read where their owner agrees, or says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import read
from ingest.detect.handmade_tables import find_handmade_tables
from ingest.detect.handmade_values import propose, read_taken
from ingest.records import RUNS, TAKE, Measurement, StatedFact, Value, Warning
from ingest.text.lines import Text

CDM = "            Read [MB/s]     Read [IOPS]\n SEQ1M-Q8T1        1466            1465\n RND4K-Q32T1         19            5096\n"
KBENCH = "Bandwidth in KiB/sec (Read/Write)\n  Random:   1,034,002 / 278,604\n"
EZFIO = "---Sustained 4KB Random Read Tests by Threads---\nThreads=1    95.92    24,554     51.5\n"


def tables_of(text: str):
    return find_handmade_tables(Text("post.md", text.splitlines(), text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| FS | write | read |\n|--|--|--|\n| xfs | 512 MB/s | 1.2 GiB/s |\n",
         "xfs write.throughput 512000000, xfs read.throughput 1288490188.8"),
        ("| Benchmark | Result |\n|--|--|\n| iozone 4K random read | 14.77MB/s |\n", "iozone random_read.throughput 14770000"),
        ("fs;test;MB/s;stddev\next4;bonnie write;135,4;12,1\n", "ext4 bonnie++ write.throughput 135400000"),
        (CDM, "fio read.throughput 1466000000, fio read.rate 1465, fio random_read.throughput 19000000, fio random_read.rate 5096"),
        (KBENCH, "fio random_read.throughput 1058818048, fio random_write.throughput 285290496"),
        (EZFIO, "fio random_read.throughput 95920000, fio random_read.rate 24554, fio random_read.latency 5.15e-05"),
        ("Random Read/Write IOPS: 235k/189k\n", "random_read.rate 235000, random_write.rate 189000"),
        ("w=108MB/s, r=204MB/s\n", "write.throughput 108000000, read.throughput 204000000"),
        ("- lz4: 1.1 GB/s write, 2.3 GB/s read\n", "write.throughput 1100000000, read.throughput 2300000000"),
        ("Débit en écriture : 135,4 Mo/s\n", "write.throughput 135400000"),
        ("| op | p99 latency (ms) |\n|--|--|\n| read | 1.2 |\n", "read.latency 0.0012 p99"),
        ("| step | time |\n|--|--|\n| rm -rf | 4m12s |\n", "remove.elapsed 252"),
        ("rsync of the home took 34 seconds\n", "rsync copy.elapsed 34"),
        ("| threads | write MB/s |\n|--|--|\n| 4 | 120 |\n", "4 write.throughput 120000000"),
        ("I get 110 MB/s over NFS\n", "bad-manifest"),
        ("ext4 Schreiben 135,4 MB/s, Lesen 402,1 MB/s\nxfs Schreiben 141,0 MB/s, Lesen 398,7 MB/s\n",
         "ext4 write.throughput 135400000, ext4 read.throughput 402100000, xfs write.throughput 141000000,"
         " xfs read.throughput 398700000"),
        ("fio with 4k random writes:\next4: IOPS=41.2k\nf2fs: IOPS=44.9k\n",
         "ext4 fio random_write.rate 41200, f2fs fio random_write.rate 44900"),
        ("| test | ext4 | xfs |\n|--|--|--|\n| seq write MB/s | 1812 | 1940 |\n| seq read MB/s | 3120 | 3105 |\n",
         "ext4 write.throughput 1812000000, xfs write.throughput 1940000000,"
         " ext4 read.throughput 3120000000, xfs read.throughput 3105000000"),
        ("| Tool | Files | Time (s) |\n|--|--|--|\n| cp -a | 9 | 412.5 |\n| rsync -a | 9 | 530.1 |\n",
         "cp copy.elapsed 412.5, rsync copy.elapsed 530.1"),
        ("## read latency (us)\n\nHost | avg | p99\n--|--|--\nbox-17 | 83.1 | 412\n",
         "read.latency 8.31e-05 mean, read.latency 0.000412 p99"),
        ("fio:\n  randread  4k  qd32: 412k IOPS\n  seqread   1M  qd8 : 6.7 GB/s\n",
         "fio random_read.rate 412000, fio read.throughput 6700000000"),
        ("Test;Durchsatz [MB/s]\nbonnie++ Schreiben ext4;135,4\nbonnie++ Lesen xfs;398,7\n",
         "ext4 bonnie++ write.throughput 135400000, xfs bonnie++ read.throughput 398700000"),
        ("## ioping latency (us)\n\nHost | avg\n--|--\nbox-17 | 83.1\n", "bad-manifest"),
    ],
)  # fmt: skip
def test_words_and_units_propose_a_meaning(text: str, expected: str) -> None:
    """A value: file system or threads, tool, metric, value, statistic, as far as they are known."""
    found = []
    for table in tables_of(text):
        for item in read_taken(table, propose(table)):
            if not isinstance(item, Value):
                found.append(item.code)
                continue
            assert item.raw in text.splitlines()[item.line - 1] and item.origin == "reported"
            known = [item.printed_config.get("fs.type", (None,))[0], item.params.get("threads"), item.tool]
            words = [str(one) for one in known if one not in (None, "table")] + [item.metric, f"{item.value:.12g}"]
            found.append(" ".join(words + [item.stat] * (item.stat != "sample")))
    assert ", ".join(found) == expected


TABLE = "# NAS\n\n| FS | A | B |\n|----|---|---|\n| ext4 | 512 | 601 |\n| xfs | 401 | 702 |\n(MB/s)\n"


def test_a_table_is_read_as_its_owner_says(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TABLE)
    meaning = {"tool": "dd", "columns": ["config.fs.type", "write.throughput MiB/s", ""]}
    for line, taken in ((5, True), (6, False)):
        records = list(read([tmp_path], [StatedFact(TAKE, meaning, RUNS, "a.md", frozenset([line]))]))
        values = [
            (r.line, r.tool, r.metric, r.value, r.raw, r.config["fs.type"], r.origin) for r in records if isinstance(r, Measurement)
        ]
        expected = [
            (5, "dd", "write.throughput", 512 * 2**20, "512", "ext4", "reported"),
            (6, "dd", "write.throughput", 401 * 2**20, "401", "xfs", "reported"),
        ]
        assert values == (expected if taken else [])
        assert [r.code for r in records if isinstance(r, Warning)] == ([] if taken else ["by-hand"])


def test_columns_that_mean_the_same_are_told_apart() -> None:
    (table,) = tables_of(TABLE)
    values = list(read_taken(table, {"tool": "", "columns": ["config.fs.type", "read.throughput MB/s", "read.throughput MB/s"]}))
    assert [(v.value, v.params) for v in values if isinstance(v, Value)] == [
        (512e6, {"part": "A"}), (601e6, {"part": "B"}), (401e6, {"part": "A"}), (702e6, {"part": "B"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("| Drive | write |\n|--|--|\n| Samsung 980 | 1.2 GB/s |\n| WD SN850 | 1.5 GB/s |\n", "disk.model"),
        ("| Node | write |\n|--|--|\n| alpha | 1.2 GB/s |\n| beta | 1.5 GB/s |\n", "host"),
        ("| Kernel | write MB/s |\n|--|--|\n| 5.10.0-28 | 12 |\n| 6.1.0-18 | 14 |\n", "kernel"),
        ("recordsize  write MB/s\n16K         112\n1M          310\n", "pool.recordsize"),
        ("| Disk | write MB/s |\n|--|--|\n| sda | 12 |\n| sdb | 14 |\n", "x.disk"),
        ("| Cable | write |\n|--|--|\n| old | 1.2 GB/s |\n| new | 1.5 GB/s |\n", "x.cable"),
        ("write MB/s\nlz4    512\nzstd-3  401\n", "pool.compression"),
        ("| dataset | write MB/s | read MB/s |\n|--|--|--|\n| home+old | 12 | 13 |\n| home | 14 | 15 |\n", "x.dataset"),
        ("| test | MB/s |\n|--|--|\n| seq write 1M | 12 |\n| seq write 4k | 14 |\n", "part"),
        ("| fs | MB/s |\n|--|--|\n| ext4 4k write | 12 |\n| xfs 4k write | 14 |\n", "part"),
    ],
)
def test_rows_of_unlike_things_are_no_repetitions(text: str, apart: str) -> None:
    """`apart`: the key or parameter in which the values of a metric differ."""
    (table,) = tables_of(text)
    told: dict[str, list[object]] = {}
    for value in read_taken(table, propose(table)):
        assert isinstance(value, Value)
        told.setdefault(value.metric, []).append(value.printed_config.get(apart, value.params.get(apart)))
    assert all(len(set(map(str, cells))) == len(cells) == 2 and None not in cells for cells in told.values()), told


@pytest.mark.parametrize(
    "text",
    ["| fs | run 1 | run 2 |\n|--|--|--|\n| ext4 write MB/s | 12 | 13 |\n",
     "| Run | write MB/s |\n|--|--|\n| 1 | 12 |\n| 2 | 13 |\n", "| | write MB/s |\n|--|--|\n| run 1 | 12 |\n| run 2 | 13 |\n"],
)  # fmt: skip
def test_numbered_runs_are_repetitions(text: str) -> None:
    (table,) = tables_of(text)
    values = [value for value in read_taken(table, propose(table)) if isinstance(value, Value)]
    assert [(value.value, value.params.get("part")) for value in values] == [(12e6, None), (13e6, None)]
    assert not any(key.startswith("x.") for value in values for key in value.printed_config)


@pytest.mark.parametrize(
    "columns", [None, [], ["x"], [1, 2, 3, 4, 5], ["config.nothing", "write.throughput parsec", "no.metric MB/s"]]
)
def test_a_meaning_that_does_not_fit_reads_nothing(columns: object) -> None:
    (table,) = tables_of(TABLE)
    assert not [item for item in read_taken(table, {"columns": columns}) if isinstance(item, Value)]


OUTPUT = "=== ext4 ===\n$ dd if=/dev/zero of=/mnt/x bs=1M count=1000 conv=fsync\n1000+0 records in\n1000+0 records out\n{}\n"
DD = "1048576000 bytes (1.0 GB, 1000 MiB) copied, {} MB/s"


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ("96.1 MB/s", "1 of 1 figures are averages"),
        ("96,1 MB/s", "1 of 1"),
        ("97 MB/s", "0 of 1"),
        ("91.7 MiB/s", "1 of 1"),
        ("104.9 MB/s", "0 of 1 figures are averages of outputs in this upload, 1 the value of one output."),
    ],
)
def test_averages_are_checked_against_the_outputs_beside_them(tmp_path: Path, figure: str, said: str) -> None:
    (tmp_path / "out.txt").write_text(OUTPUT.format(DD.format("10 s, 105")) + OUTPUT.format(DD.format("12 s, 87.4")))
    (tmp_path / "table.md").write_text(f"| fs | dd write |\n|--|--|\n| ext4 | {figure} |\n| xfs | 3 MB/s |\n")
    records = list(read([tmp_path]))
    assert sum(isinstance(r, Measurement) for r in records) == 4
    (warning,) = [r for r in records if isinstance(r, Warning) and r.code == "by-hand"]
    assert said in warning.message
    if said == "0 of 1":
        assert "is 97, the nearest mean of 2 here 96.12" in warning.message


_PARTS = (
    "|", "\t", "  ", ";", ",", ":", "/", "=", "(", ")", "\n", "\n\n", "---", "```", "<tr><td>", "</td>", "<table>", "[td]",
    "MB/s", "IOPS", "KiB/sec", "s", "ms",
    "read", "write", "Read/Write", "random", "took", "latency", "time", "135,4", "28,832", "1.2", "41.2k",
    "4m12s", "12:34", "ext4", "\r", "\0", '"', "é", "读", "МБ/с", "avg", "#", "{", "[",
)  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=60).map("".join))
def test_any_text_gives_tables_of_its_own_lines(text: str) -> None:
    lines = text.split("\n")
    tables = find_handmade_tables(Text("post.md", lines, text))
    for table in tables:
        assert all(1 <= line <= len(lines) for line, _ in table.rows)
        meaning = propose(table)
        assert len(meaning["columns"]) == len(table.titles) >= max(len(cells) for _, cells in table.rows)
        for item in read_taken(table, meaning):
            assert not isinstance(item, Value) or item.raw in " ".join(" ".join(cells) for _, cells in table.rows)


@pytest.mark.parametrize(
    "again", ["1 MB/s | ", "took 3 s, ", "<tr><td>1", "latency 1 ", "a: ", "1,", "1/1 ", "(a/a", "read ", "| time "]
)
def test_long_lines_are_looked_at_once(again: str) -> None:
    """A pattern that looks at a line once for each part of it takes minutes here."""
    for text in (again * 100_000, f"{again * 200}\n" * 500):
        find_handmade_tables(Text("post.md", text.split("\n"), text))
