"""Tables of rates that somebody typed are told of, never taken; prose and what tools print are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.detect import handmade_tables
from ingest.records import FileReport, Measurement, Warning

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
PROSE = "It reaches  about 100 MB/s here.\nAnd then  some 200 MB/s there.\nOne | 100 MB/s\n"
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
    ("text", "line"), [(MARKDOWN, 5), (UNIT_ABOVE, 2), (BLANKS, 3), (ONE_DASH, 2), (BOXES, 4), (SINGLE_DASHES, 2), (BARS_ALONE, 2)]
)
def test_a_table_by_hand_is_told_of_once(tmp_path: Path, text: str, line: int) -> None:
    assert warnings_of(tmp_path, text) == [("by-hand", line)]
    assert warnings_of(tmp_path, f"{text}\nThen:\n\n{text}") == [("by-hand", line), ("by-hand", line + text.count("\n") + 3)]


@pytest.mark.parametrize("text", [PROSE, WORDS, MARKDOWN.rsplit("|\n|", 1)[0]])
def test_prose_and_other_tables_are_not(tmp_path: Path, text: str) -> None:
    assert warnings_of(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (CSV, "derived.csv", 1),
        (CSV.replace(",", ";"), "derived.csv", 1),
        (TSV, "hdd.tsv", 1),
        (PHASES, "all-results.csv", 1),
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
        (CSV.rsplit("sdb", 1)[0], "derived.csv"),
        (LIMITS, "volume.json"),
    ],
)
def test_sentences_and_settings_are_not(tmp_path: Path, text: str, name: str) -> None:
    assert warnings_of(tmp_path, text, name) == []


@pytest.mark.parametrize("again", ("-", "| - ", ": "))
def test_a_long_line_of_rules_is_looked_at_once(again: str) -> None:
    """A pattern that looks at the line once for each part of it takes an hour here."""
    assert not handmade_tables.TABLE_RULE.match(again * 200_000 + "x")
