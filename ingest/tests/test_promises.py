"""What holds for every upload: pure, never an exception, nothing depends on order or on unrelated files."""

from __future__ import annotations

import io
import random
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ingest
from ingest.records import FileReport, Measurement, Warning
from ingest.tests.samples import FOLDER, outputs
from ingest.tests.thinning import examples, some

QUIET = settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
SMALL = [path for path in outputs() if path.stat().st_size < 20_000]
TEXTS = [path for path in SMALL if b"\0" not in path.read_bytes()]

ODD = (b"7" * 4500, b"7" * 149, b"1e999", b"-", "\u00b2".encode(), "\u0663".encode(), b"nan", b"1.2.3")
"""In place of a figure: what `int` refuses, what squared is still a float, no float, no digit in ASCII, and none at all."""


def read_bytes(folder: Path, data: bytes, name: str = "file.txt") -> list:
    path = folder / "upload"
    path.write_bytes(data)
    return list(ingest.read([path], names={str(path): name}))


def archive_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@QUIET
@given(data=st.binary(max_size=3000))
def test_any_bytes_give_a_report_and_no_exception(tmp_path, data):
    records = read_bytes(tmp_path, data)
    assert any(isinstance(record, FileReport | Warning) for record in records)


@QUIET
@given(sample=st.sampled_from(SMALL), seed=st.integers(0, 2**32))
def test_damaged_samples_give_no_exception_and_the_same_bytes_the_same_records(tmp_path, sample, seed):
    chance, data = random.Random(seed), bytearray(sample.read_bytes())
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(4)
        if how == 0:
            del data[at : at + chance.randint(1, 40)]
        elif how == 1:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        elif how == 2 and data:
            data[min(at, len(data) - 1)] = chance.randrange(256)
        else:
            data[at:at] = data[at : at + 200]
    first = read_bytes(tmp_path, bytes(data), sample.name)
    assert first == read_bytes(tmp_path, bytes(data), sample.name)
    faults = [r for r in first if isinstance(r, Warning) and r.code == "parser-failed"]
    assert faults == []


@pytest.mark.parametrize("sample", some(SMALL), ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_figure_however_odd_stops_a_parser(tmp_path, sample):
    data = sample.read_bytes()
    figures = list(re.finditer(rb"\d+", data))
    for at, odd in enumerate(ODD * bool(figures)):
        begun, ended = figures[at * len(figures) // len(ODD)].span()
        found = read_bytes(tmp_path, data[:begun] + odd + data[ended:], sample.name)
        assert [(odd[:9], r) for r in found if isinstance(r, Warning) and r.code == "parser-failed"] == []


@pytest.mark.parametrize("sample", some(TEXTS), ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_cut_at_a_line_keeps_what_stands_well_before(tmp_path, sample):
    """Values of lines that are there in full, far from the cut, are those of the intact file."""
    lines = sample.read_bytes().split(b"\n")
    whole = {
        (m.line, m.metric, m.raw, m.value)
        for m in read_bytes(tmp_path, sample.read_bytes(), sample.name)
        if isinstance(m, Measurement)
    }
    cut = len(lines) // 2
    part = read_bytes(tmp_path, b"\n".join(lines[:cut]) + b"\n", sample.name)
    taken = {(m.line, m.metric, m.raw, m.value) for m in part if isinstance(m, Measurement) and m.line < cut - 3}
    assert {value[3] for value in taken} <= {value[3] for value in whole}


ARCHIVE = {
    "run/bench.csv": (FOLDER / "bonnie++" / "csv-198-label-lines.txt").read_bytes(),
    "run/uname-a.txt": b"Linux vm 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux\n",
    "run/free-m.txt": b"               total        used        free\nMem:           24105        1665       20248\n",
    "other/dd.txt": (FOLDER / "dd" / "gnu-with-bash-time.txt").read_bytes(),
}


def measured(records: list) -> list[Measurement]:
    return [record for record in records if isinstance(record, Measurement)]


def test_the_order_of_files_in_an_archive_changes_nothing(tmp_path):
    first = read_bytes(tmp_path, archive_of(ARCHIVE), "a.tar")
    assert first == read_bytes(tmp_path, archive_of(dict(reversed(ARCHIVE.items()))), "a.tar")
    assert measured(first)


def test_an_unrelated_file_changes_no_measurement(tmp_path):
    first = measured(read_bytes(tmp_path, archive_of(ARCHIVE), "a.tar"))
    more = {**ARCHIVE, "notes.md": b"# Notes\nNothing about any machine.\n", "run/plot.png": b"\x89PNG\r\n\x1a\n\x00\x01"}
    assert measured(read_bytes(tmp_path, archive_of(more), "a.tar")) == first


def test_without_its_evidence_a_key_is_absent(tmp_path):
    less = {name: data for name, data in ARCHIVE.items() if name != "run/free-m.txt"}
    before = [m for m in measured(read_bytes(tmp_path, archive_of(ARCHIVE), "a.tar")) if m.file == "run/bench.csv"]
    after = [m for m in measured(read_bytes(tmp_path, archive_of(less), "a.tar")) if m.file == "run/bench.csv"]
    assert all(m.config["memory"] for m in before)
    assert [{k: v for k, v in m.config.items() if k != "memory"} for m in before] == [dict(m.config) for m in after]
