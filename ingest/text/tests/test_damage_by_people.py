"""What people and their programs do to an output on its way: it reads as before, or what became doubtful is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest

from ingest.records import Measurement, Warning
from ingest.tests.samples import FOLDER
from ingest.tests.whole import read_file_records
from ingest.text.decode import plain_characters

SAMPLES = FOLDER


def figures(found) -> Counter:
    return Counter(
        (one.tool, one.metric, one.stat, one.native, one.raw, one.value) for one in found if isinstance(one, Measurement)
    )


def added(text: str) -> str:
    """As a diff shows a new file."""
    lines = text.split("\n")
    return f"diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,{len(lines)} @@\n" + "\n".join("+" + line for line in lines)


def appended(text: str) -> str:
    """As a diff shows lines that a file got, between those that it had."""
    lines = [" before", *("+" + line for line in text.split("\n")), " behind"]
    return f"--- a/x\n+++ b/x\n@@ -7,2 +7,{len(lines)} @@ results\n" + "\n".join(lines) + "\n"


def ruled(text: str) -> str:
    return "\n".join("| " + line for line in text.split("\n"))


def curly(text: str) -> str:
    text = re.sub(r'(^|[\s(=\[])"', lambda found: found[1] + "\u201c", text, flags=re.M).replace('"', "\u201d")
    return re.sub(r"(^|[\s(=\[])'", lambda found: found[1] + "\u2018", text, flags=re.M).replace("'", "\u2019")


def dashed(text: str) -> str:
    return text.replace("--", "\u2013")


def of_classic_mac(text: str) -> str:
    return text.replace("\n", "\r")


def padded(text: str) -> str:
    return "\n".join(line + "   " for line in text.split("\n"))


@pytest.mark.parametrize(
    ("sample", "damage"),
    [
        *(
            (sample, damage)
            for damage in (added, appended)
            for sample in (
                "fio/read-json.txt",
                "ioping/1.3-json.txt",
                "iozone/auto-table-and-excel-text.txt",
                "bonnie++/file-part-alone.txt",
                "elbencho/1.x-all-phases.txt",
                "time/zsh-timefmt.txt",
            )
        ),
        *((sample, ruled) for sample in ("fio/read-json.txt", "time/bash-time-p.txt", "du/ratios-asked-in-several-ways.txt")),
        *((sample, curly) for sample in ("fio/read-json.txt", "iozone/double-spaced-excel.txt", "time/tcsh-set-time.txt")),
        *(
            (sample, dashed)
            for sample in ("bonnie/labels-between-rows.txt", "elbencho/1.x-all-phases.txt", "time/gnu-time-filtered.txt")
        ),
        *((sample, of_classic_mac) for sample in ("bonnie++/csv-200-with-titles-and-ranges.txt", "zpool-iostat/scripted-rows.txt")),
        ("ioping/1.3-raw.txt", padded),
    ],
)
def test_it_reads_as_before(sample: str, damage: Callable[[str], str]) -> None:
    text = (SAMPLES / sample).read_text()
    assert damage(text) != text
    assert figures(read_file_records("x.txt", damage(text))) == figures(read_file_records("x.txt", text)) != Counter()


def test_progress_written_over_itself_is_no_text_of_a_classic_mac() -> None:
    progress = "".join(f"\r{n} bytes (1,2 kB, 1,2 KiB) copied, 0,{n} s, 1,{n} MB/s" for n in range(1, 9))
    assert plain_characters(progress) == progress
    assert plain_characters("".join(f"{n} 7 8 9 10 11 12\r" for n in range(8))).count("\n") == 8


def test_a_hunk_that_takes_away_keeps_its_signs() -> None:
    old, new = (
        f"{sign}100+0 records in\n{sign}100+0 records out\n{sign}104857600 bytes (105 MB) copied, {took} s, {rate} MB/s\n"
        for sign, took, rate in (("-", "0.5", 210), ("+", "0.4", 262))
    )
    found = read_file_records("x.patch", f"@@ -1,3 +1,3 @@\n{old}{new}")
    assert figures(found) == figures(read_file_records("x.patch", f"{old}{new}"))


CLAT = (
    "fio-3.1\nseq: (groupid=0, jobs=1): err= 0: pid=7: Mon Jan  1 10:00:00 2024\n"
    "  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n"
)
CHILD = """\
\tIozone: Performance Test of File I/O
\tChildren see throughput for  1 initial writers \t=  300002.00 kB/sec
\tChild[0] xfer count =   27008.00 kB, Throughput =  300002.66 kB/sec, wall= 0.110, cpu= 0.079, %= {}
iozone test complete.
"""
PHASE = """\
OPERATION RESULT TYPE         FIRST DONE  LAST DONE
========= ================    ==========  =========
READ      Elapsed time     :     1.001s     1.002s
          IOPS             :        518        501
          Total MiB        :       4096       4096
          IO lat % us      : [ 1%<=1218 50%<=5793 99%<=114"""
SUMMARY = (
    "Filebench Version 1.4.9.1\n44.268: IO Summary: 4194405 ops, 97630.707 ops/s, (0/97631 r/w), 381.4mb/s,     12us cpu/op,\n"
)


@pytest.mark.parametrize(
    ("text", "torn", "code"),
    [
        (f"{CLAT}    clat (usec): min=67, max=8068, avg=394.05, stdev=1", {"1"}, "cut"),
        (f"{CLAT}   bw (  KiB/s): min=25472, max=35160, per=100.00%, avg=30316.00, stdev=6850\n", {"6850"}, "cut"),
        (CHILD.format("71"), {"71"}, "cut"),
        (PHASE, {"114"}, "cut"),
        (SUMMARY, set(), "cut"),
    ],
)
def test_a_figure_that_may_have_lost_digits_is_told_and_not_taken(text: str, torn: set[str], code: str) -> None:
    found = read_file_records("x.txt", text)
    assert not torn & {one.raw for one in found if isinstance(one, Measurement)}
    assert code in {one.code for one in found if isinstance(one, Warning)}


def test_the_whole_figures_of_the_same_texts_are_taken() -> None:
    clat = f"{CLAT}    clat (usec): min=67, max=8068, avg=394.05, stdev=151.38\n"
    for text, raw in ((clat, "151.38"), (CHILD.format("71.82"), "71.82"), (PHASE + "5 ]", "1145"), (PHASE, "5793")):
        assert raw in {one.raw for one in read_file_records("x.txt", text) if isinstance(one, Measurement)}, raw


def test_file_parts_of_other_rows_are_not_given_to_machines() -> None:
    """bon_csv2txt prints all first parts, then all file parts: by their order only those of equally many belong together."""
    lines = (SAMPLES / "bonnie++/bon-csv2txt-200.txt").read_text().split("\n")
    lost = read_file_records("x.txt", "\n".join(lines[:5] + lines[6:]))
    files = [one for one in lost if isinstance(one, Measurement) and one.metric.startswith(("create", "delete", "stat"))]
    assert files and not any("file_size" in one.params for one in files)
    assert "ambiguous" in {one.code for one in lost if isinstance(one, Warning)}
    whole = read_file_records("x.txt", "\n".join(lines))
    assert all("file_size" in one.params for one in whole if isinstance(one, Measurement) and one.metric == "create_seq.rate")


@pytest.mark.parametrize("gone", [0, 2, 5])
def test_rates_of_files_of_2_00_are_known_without_a_title(gone: int) -> None:
    """All are multiples of the number of files."""
    lines = (SAMPLES / "bonnie++/report-198.txt").read_text().split("\n")
    found = read_file_records("x.txt", "\n".join(lines[:gone] + lines[gone + 1 :]))
    assert not {"create_seq.rate", "delete_seq.rate"} & {one.metric for one in found if isinstance(one, Measurement)}
