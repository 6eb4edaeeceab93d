"""What holds of every series: the same bytes give the same points, damage invents none, length costs no memory."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingest
from ingest import points
from ingest.detect.series import series_readers
from ingest.records import FileReport, SeriesRecord, Warning
from ingest.series_catalogue import SERIES_METRICS
from ingest.tests.samples import FOLDER, outputs
from ingest.tests.thinning import examples, some

SAMPLES = [sample for sample in outputs() if '"series"' in sample.with_name(f"{sample.name}.jsonl").read_text()]


def read(folder: Path, content: bytes, name: str) -> list:
    path = folder / "upload"
    path.write_bytes(content)
    return list(ingest.read([path], names={str(path): name}))


def points_of(records: list) -> dict[tuple, list[tuple]]:
    """Tool, metric and subject -> (line, value) of every point."""
    found: dict[tuple, list[tuple]] = {}
    for record in records:
        if isinstance(record, SeriesRecord):
            for _, values, lines in record.chunks():
                found.setdefault((record.tool, record.metric, record.subject), []).extend(zip(lines, values, strict=True))
    return found


def test_every_reader_has_a_sample():
    parsers = {json.loads(line)["format"] for sample in outputs() for line in sample.with_name(f"{sample.name}.jsonl").open()
               if '"type": "file"' in line}  # fmt: skip
    known = {name for formats in parsers for name in formats.split(", ")}
    assert {reader.name for reader in series_readers()} - known <= {"zpool-iostat-series"}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_points_are_ordered_and_of_the_catalogue(sample, tmp_path):
    for record in read(tmp_path, sample.read_bytes(), sample.name):
        if not isinstance(record, SeriesRecord):
            continue
        assert SERIES_METRICS[record.metric].unit == record.unit
        chunks = list(record.chunks())
        times = [time for chunk in chunks for time in chunk[0] or ()]
        lines = [line for chunk in chunks for line in chunk[2]]
        assert times == sorted(times) and (not times or times[0] == 0)
        assert lines[0] == record.line and record.points.count == len(lines)


@pytest.mark.hypothesis
@pytest.mark.parametrize("sample", list(some(SAMPLES)), ids=lambda path: str(path.relative_to(FOLDER)))
def test_damage_invents_no_point(sample, tmp_path):
    """A value that a damaged file gives stood in the intact one on the same line, or on the damaged line."""
    content = sample.read_bytes().split(b"\n")
    rows = [at for at, line in enumerate(content) if not re.match(rb"\S*[#$] |# ", line)]  # a command separates two outputs
    whole = points_of(read(tmp_path, sample.read_bytes(), sample.name))
    known = {(key, value) for key, found in whole.items() for _, value in found}

    @settings(max_examples=examples(8), deadline=None)
    @given(st.sampled_from(rows), st.integers(0, 150), st.booleans())
    def check(at: int, column: int, is_end: bool) -> None:
        damaged = [*content[:at], content[at][:column], *([] if is_end else content[at + 1 :])]
        records = read(tmp_path, b"\n".join(damaged), sample.name)
        assert not [one for one in records if isinstance(one, Warning) and one.code == "parser-failed"]
        invented = {
            (key, value) for key, found in points_of(records).items() for line, value in found if line not in (at + 1, at + 2)
        } - known
        assert not {(key, value) for key, value in invented if key in whole}, (at, column, is_end)

    check()


def sar_log(reports: int, devices: int) -> bytes:
    """A day of sar -d at one second."""
    out = io.StringIO()
    out.write("Linux 6.1.0 (host) \t11/24/2026 \t_x86_64_\t(2 CPU)\n\n")
    for second in range(reports):
        time, before = (f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}" for at in (second + 1, second))
        out.write(f"{before}          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n")
        for device in range(devices):
            value = (second * 7919 + device * 104_729) % 99_991
            out.write(f"{time}        sd{device:02d}  {value / 100:8.2f}      0.00  {value:8.2f} ")
            out.write("    10.80      0.19      0.05      1.20\n")
        out.write("\n")
    return out.getvalue().encode()


@pytest.mark.thorough
def test_a_long_log_is_read_part_by_part(tmp_path, monkeypatch):
    """Every point of a log that is longer than the part of it that is kept, with the lines of the file."""
    monkeypatch.setattr(points, "MAX_PENDING", 3_000)
    log = sar_log(6_000, 6)
    assert len(log) > 3 << 20
    found = points_of(records := read(tmp_path, log, "sar.txt"))
    lines = log.decode().split("\n")
    assert len(found) == 6 * 7
    for device in range(6):
        rows = [(number, line.split()) for number, line in enumerate(lines, 1) if f" sd{device:02d} " in line]
        assert found["sar", "disk.write.throughput", f"sd{device:02d}"] == [(number, float(row[4]) * 1024) for number, row in rows]
    (report,) = [record for record in records if isinstance(record, FileReport)]
    assert (report.status, report.size) == ("parsed", len(log))
    assert not [record for record in records if isinstance(record, Warning)]


_PEAK = """
import re, sys, ingest
from pathlib import Path
from ingest import points
from ingest.pipeline import side_by_side
points.MAX_PENDING = 20_000
with open("/dev/null", "wb", buffering=0) as nowhere:
    side_by_side.RecordWriter().write(ingest.read([sys.argv[1]]), nowhere)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_length(tmp_path):
    peaks = []
    for reports in (8_000, 20_000):
        path = tmp_path / "log"
        path.write_bytes(sar_log(reports, 4))
        peaks.append(int(subprocess.run([sys.executable, "-c", _PEAK, path], capture_output=True, check=True).stdout))
    assert peaks[1] < peaks[0] * 1.1


@given(st.lists(st.integers(-(2**61), 2**61), max_size=60))
def test_columns_come_back(values):
    assert points.decode_column(points.encode_column(values)) == values
    assert points.decode_column(points.encode_column(values, ordered=True)) == values


def test_a_command_of_several_tools_keeps_their_outputs_apart(tmp_path):
    vmstat = (FOLDER / "vmstat" / "t.txt").read_bytes()
    sar = (FOLDER / "sar" / "cpu-memory-queue.txt").read_bytes()
    found = points_of(read(tmp_path, b"# sar -u 1\n" + sar + b"# vmstat 1 -t\n" + vmstat, "log.txt"))
    assert {tool for tool, _, _ in found} == {"sar", "vmstat"}
    alone = points_of(read(tmp_path, sar, "log.txt"))
    assert {key: [value for _, value in values] for key, values in found.items() if key[0] == "sar"} == {
        key: [value for _, value in values] for key, values in alone.items()
    }


def test_two_systems_in_one_file_have_units_of_their_own(tmp_path):
    linux = (FOLDER / "vmstat" / "unit-not-shown.txt").read_bytes()
    header = linux.split(b"\n")[:2]
    freebsd = (FOLDER / "vmstat" / "freebsd.txt").read_bytes()
    records = read(tmp_path, b"\n".join([*header, freebsd]), "log.txt")
    assert not [one for one in records if isinstance(one, Warning) and one.code in ("parser-failed", "unknown-unit")]
    assert points_of(records)["vmstat", "memory.free", ""][-1][1] == 312 * 2**20
