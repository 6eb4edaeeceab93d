"""Every number with a unit of rate, time or size in posts and folders is a record, a table on offer, or a warning.

Counted apart from the readers: by a regular expression over the lines, and a list of what is none, with the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest import open_files, read
from ingest.records import Evidence, FileReport, Measurement, Record, SeriesRecord, Unmeasured, Warning

POSTS = Path(__file__).with_name("posts")
FOLDERS = Path(__file__).parents[2] / "webapp/tests/folders"
UNIT = re.compile(
    r"(?<![\w.,/:-])\d[\d.,]*[ \u00a0]?(?:(?:[kKMGT]i?B?|[kKMGT]?i?[Bb]ytes?|ops|files|requests|seeks)/s(?:ec)?|[kM]?IOPS"
    r"|[kKMGT]i?[bB](?:ytes?)?|[KMGT]iB|[nmu]?s(?:ecs?)?|seconds?|min(?:utes?)?|bytes)(?![\w/])|\b(?:IOPS|BW|bw)=\d",
    re.I,
)
# What no record need hold, by the words of its line, and why.
NONE = {
    r"^\w[\w-]*: \(g=\d+\): rw=": "the head of a job of fio: its block sizes are parameters of the values below it",
    r"^\w[\w-]*: Laying out IO file": "the size of fio's file, which is a parameter",
    r"^\t(?:File size set to|Record Size|Time Resolution|Processor cache)": "settings in the head of iozone",
    r"^\w[\w()]*: +\d+ kB$": "a line of /proc/meminfo: what memory was used for when the system was described",
    r"^L\d[di]? cache: ": "a cache of the CPU (lscpu)",
    r"^ *Local Storage: ": "how full disks are, of which inxi names none",
    r"^ +/dev/\S+\t *[\d.]+[KMGT]iB$": "the space of a btrfs, on a device",
    r"^ +(?:Device |Used:|Free \(|Global reserve:)|^\t(?:Total devices|devid) ": "the space of a btrfs",
    r"^---.* Tests by \w+---$": "the block size in a title of ezFIO, which its rows repeat",
}


def covered(records: list[Record]) -> set[tuple[str, int]]:
    """Files and lines of records and warnings, and the lines that a warning names."""
    lines = set[tuple[str, int]]()
    for record in records:
        if isinstance(record, Measurement | Unmeasured | Evidence | Warning) and isinstance(record.line, int):
            lines.add((record.file, record.line))
        if isinstance(record, Warning) and (named := re.search(r"\blines (\d+) to (\d+)", record.message)):
            lines.update((record.file, line) for line in range(int(named[1]), int(named[2]) + 1))
        if isinstance(record, SeriesRecord):
            lines.update((record.file, line) for line in record.lines)
        if isinstance(record, Measurement | Unmeasured):
            places = [place.rpartition(":") for place in record.params_from.values()]
            lines.update((path, int(line)) for path, _, line in places if line.isdecimal())
    return lines


def silent_lines(upload: Path) -> Iterator[str]:
    records = list(read([upload]))
    known, paths = covered(records), {record.file for record in records if isinstance(record, FileReport)}
    files = (
        {str(path.relative_to(upload)): path.read_bytes() for path in upload.rglob("*") if path.is_file()}
        if upload.is_dir()
        else {path: raw.read() for path, raw in open_files(upload, upload.name, paths)}
    )
    for path, data in files.items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if UNIT.search(line) and (path, number) not in known and not any(re.search(none, line) for none in NONE):
                yield f"{path}:{number}: {line[:120]}"


@pytest.mark.parametrize("upload", [*sorted(POSTS.iterdir()), *sorted(FOLDERS.glob("*.tar.xz"))], ids=lambda path: path.name)
def test_no_number_is_silent(upload: Path) -> None:
    assert list(silent_lines(upload)) == []


def test_a_silent_number_is_counted(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text("write_throughput: 125 MB/s\n")
    (tmp_path / "notes.md").write_text("It sustained 125 MB/s.\n")
    assert list(silent_lines(tmp_path)) == ["limits.yaml:1: write_throughput: 125 MB/s"]
