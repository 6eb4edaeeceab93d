"""A long log is thinned while it is read: what it tells, and on which line, stays."""

from __future__ import annotations

import gzip
import hashlib
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import read
from ingest.containers import archive, skip_noise
from ingest.containers.skip_noise import NoiseSkipper
from ingest.detect.detect import NoiseDetector, parsers
from ingest.records import FileReport, Measurement
from ingest.tests.samples import FOLDER
from ingest.text import decode
from ingest.text.lines import LazyLines, LinesWithGaps

DD = "16384+0 records in\n16384+0 records out\n17179869184 bytes (17 GB, 16 GiB) copied, {} s, {} MB/s\n"
NOISE = "".join(f"data/set{at % 97:05d}/part {at:06d} of many.bin\n" for at in range(150_000))  # about 5 MB
LOG = (
    "$ dd if=/dev/zero of=/tank/a bs=1M count=16384\n"
    + DD.format("41.2345", "417")
    + NOISE
    + "$ dd if=/dev/zero of=/tank/b bs=1M count=16384\n"
    + DD.format("39.8765", "431")
    + NOISE
)


def _told(path) -> list[tuple]:
    return [(r.line, r.metric, r.value, r.params, r.config, r.repetition) for r in read([path]) if isinstance(r, Measurement)]


@pytest.mark.thorough
def it_tells_what_the_whole_log_tells(tmp_path, monkeypatch):
    path = tmp_path / "log.txt"
    path.write_text(LOG)
    [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
    assert len(entry.data) < len(LOG) / 2 and len(entry.gaps) == 2
    thin = _told(path)
    assert len(thin) == 4 and thin[2][0] == 150_000 + 8
    report = next(r for r in read([path]) if isinstance(r, FileReport))
    assert (report.sha256, report.size) == (hashlib.sha256(LOG.encode()).hexdigest(), len(LOG))
    monkeypatch.setattr(archive, "HEAD_SIZE", 1 << 40)
    assert _told(path) == thin


BRIEF = [parser.name for parser in parsers() if parser.brief]


@pytest.mark.thorough
@pytest.mark.parametrize("most", [3, pytest.param(None, marks=pytest.mark.slow)], ids=["some samples", "all samples"])
@pytest.mark.parametrize("tool", BRIEF)
def it_tells_the_same_of_every_tool_whose_output_is_brief(tmp_path, monkeypatch, tool, most):
    path, noise, gaps = tmp_path / "log.txt", NOISE[:150_000].encode(), 0
    for sample in sorted(FOLDER.joinpath(tool).glob("*.txt"))[:most]:
        path.write_bytes(b"\n".join([sample.read_bytes(), noise, sample.read_bytes(), noise]))
        whole = _told(path)
        with monkeypatch.context() as patch:
            for module, name in ((archive, "HEAD_SIZE"), (archive, "_BLOCK"), (skip_noise, "HEAD_SIZE"), (skip_noise, "_PART")):
                patch.setattr(module, name, 1 << 14)
            [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
            assert _told(path) == whole, sample.name
        gaps += len(entry.gaps)
    assert gaps > 1


def it_thins_a_compressed_log_and_leaves_containers_and_the_bytes_for_readers_alone(tmp_path):
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(LOG.encode(), 1))
    [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
    assert entry.gaps and entry.size == len(LOG)
    assert archive.open_file(path, "log.gz", "log").read().decode() == LOG


def it_keeps_everything_where_a_tool_writes_long_reports(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(FOLDER.joinpath("elbencho/1.x-all-phases.txt").read_text() + NOISE)
    [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
    assert not entry.gaps and len(entry.data) == path.stat().st_size


FAR = {  # what stands far below the line that tells the tool, and a line of it
    "fio": ('{\n  "fio version" : "fio-3.28",\n  "jobs" : [\n', '    "bins" : 1234,\n'),
    "mdtest": (
        "mdtest-3.3.0 was launched with 4 total task(s) on 1 node(s)\n",
        "File creation     :      1.234 sec,  810.400 ops/sec\n",
    ),
    "zpool-iostat": (FOLDER.joinpath("zpool-iostat/exact-numbers.txt").read_text(), "tank  1234  5678   12  34  4096  8192\n"),
    "results-table": ("tool,metric,value\n", "dd,write.throughput,12.5\n"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("tool", FAR)
def it_keeps_what_follows_far_below(tmp_path, tool):
    begin, line = FAR[tool]
    path, noise = tmp_path / "log.txt", "file of many\n" * 500_000
    path.write_text(begin + noise + line + noise)
    [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
    assert len(entry.gaps) == 2 and line.encode() in entry.data
    path.write_text(noise + line + noise)
    [entry] = archive.iter_files(path, make_noise_test=NoiseDetector)
    assert len(entry.gaps) == 1 and line.encode() not in entry.data


PARTS = st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=14)


@given(PARTS)
def it_counts_every_line_and_keeps_the_neighbours_of_what_is_no_noise(parts):
    before = skip_noise.HEAD_SIZE, skip_noise._PART
    skip_noise.HEAD_SIZE = skip_noise._PART = 1
    try:
        thinner, whole = NoiseSkipper(lambda part: part.startswith(b"n")), []
        for number, (count, noise) in enumerate(parts):
            lines = [f"{'n' if noise else 'v'}{number}.{at}" for at in range(count)]
            whole += lines
            thinner.add(("\n".join(lines) + "\n").encode())
        kept = thinner.finish().bytes().decode()
    finally:
        skip_noise.HEAD_SIZE, skip_noise._PART = before
    lines = LinesWithGaps(kept, thinner.gaps)
    shown = list(lines)
    assert len(shown) == len(lines) == len(whole) + 1
    assert [lines[at] for at in range(len(lines))] == shown and lines[-2:] == shown[-2:]
    assert all(line in ("", original) for line, original in zip(shown, whole, strict=False))
    told = {int(line[1:].split(".")[0]) for line in shown if line}
    for number, (_, noise) in enumerate(parts):
        near = range(max(0, number - 1), min(len(parts), number + 2))
        far = noise and 0 < number < len(parts) - 1 and number > 1 and all(parts[at][1] for at in near)
        assert (number in told) == (not far)
    for at in range(len(kept)):
        line = lines.number(at)
        assert shown[line - 1] == LazyLines(kept)[kept.count("\n", 0, at)]


ODD = st.sampled_from(["a", "\n", "\0", "é", "€", "😀", "\ufeff", "x" * 30, "\x1b[0m", "\r\n"])
BYTES = st.one_of(
    st.binary(max_size=60),
    st.lists(ODD, max_size=20).map(lambda parts: "".join(parts).encode()),
    st.lists(ODD, max_size=20).map(lambda parts: "".join(parts).encode("utf-16")),
)


@given(BYTES)
def it_reads_a_long_file_from_a_stream_as_from_its_bytes(data):
    before = decode._PROBE, decode._BLOCK
    decode._PROBE, decode._BLOCK = 16, 7
    try:
        (text, doubts), (other, others) = decode.read_text("", io.BytesIO(data)), decode.read_text("", data)
    finally:
        decode._PROBE, decode._BLOCK = before
    assert doubts == others and (text and text.body) == (other and other.body)


def it_never_holds_bytes_and_text_of_a_long_file_together(tmp_path, monkeypatch):
    for module, name, size in ((skip_noise, "_SHORT", 1 << 20), (decode, "_BLOCK", 1 << 17), (decode, "_FIRST_BLOCKS", 2)):
        monkeypatch.setattr(module, name, size)
    path = tmp_path / "log.txt"
    path.write_bytes((b"x" * 79 + b"\n") * 100_000)
    tracemalloc.start()
    [entry] = archive.iter_files(path, make_noise_test=lambda path: lambda part: None)
    assert entry.stream is not None and not entry.data
    with entry.stream:
        assert len(decode._decode_stream(entry.stream, []) or "") == 8_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 13_000_000
