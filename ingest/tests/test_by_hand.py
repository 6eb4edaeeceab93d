"""Tables of rates that somebody typed are told of, never taken; prose and what tools print are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.records import FileReport, Measurement, Warning

MARKDOWN = "# NAS\n\n| FS | write | read |\n|---|---|---|\n| ext4 | 512 MB/s | 601 MB/s |\n| zfs | 401 MB/s | 702 MB/s |\n"
UNIT_ABOVE = "| Test | MB/s |\n|---|---|\n| sequential | 120 |\n| random | 14.5 |\n| mixed | 40 |\n"
BLANKS = "Results\n\next4     512 MB/s   601 MB/s\nxfs      530 MB/s   620 MB/s\nzfs      401 MiB/s  702 MiB/s\n"
ONE_DASH = "| bs | depth | bw (kB/s) | iops |\n| :-: | :-: | :-: | :-: |\n| 4 | 32 | 147857 | 144 |\n| 4 | 64 | 87473 | 85 |\n"
BOXES = ("┌────────────┬───────────────┬──────┐\n│ Phase      │ Score         │ Time │\n├────────────┼───────────────┼──────┤\n"
         "│ easy write │ 8.61408 GiB/s │ 30 s │\n│ hard stat  │ 48.607 kIOPS  │ 47 s │\n└────────────┴───────────────┴──────┘\n")
PROSE = "It reaches  about 100 MB/s here.\nAnd then  some 200 MB/s there.\nOne | 100 MB/s\n"
WORDS = "| Disk | Cache |\n|---|---|\n| WD | 64 MB |\n| ST | 128 MB |\n"


def warnings_of(folder: Path, text: str) -> list[tuple[str, object]]:
    (folder / "notes.md").write_text(text)
    records = list(read([folder / "notes.md"]))
    assert not [r for r in records if isinstance(r, Measurement)]
    assert [r.status for r in records if isinstance(r, FileReport)] == ["unrecognised"]
    return [(r.code, r.line) for r in records if isinstance(r, Warning)]


@pytest.mark.parametrize(("text", "line"), [(MARKDOWN, 5), (UNIT_ABOVE, 2), (BLANKS, 3), (ONE_DASH, 2), (BOXES, 4)])
def test_a_table_by_hand_is_told_of_once(tmp_path: Path, text: str, line: int) -> None:
    assert warnings_of(tmp_path, text) == [("by-hand", line)]
    assert warnings_of(tmp_path, f"{text}\nThen:\n\n{text}") == [("by-hand", line), ("by-hand", line + text.count("\n") + 3)]


@pytest.mark.parametrize("text", [PROSE, WORDS, MARKDOWN.rsplit("|\n|", 1)[0]])
def test_prose_and_other_tables_are_not(tmp_path: Path, text: str) -> None:
    assert warnings_of(tmp_path, text) == []
