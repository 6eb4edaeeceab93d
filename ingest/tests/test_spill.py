"""Values put aside: the records are those of values that stay in memory, to the byte, and nothing stays on the disk."""

from __future__ import annotations

import gc
import io
import os
import tarfile
from pathlib import Path

import pytest

import ingest
from ingest import spill as shelf
from ingest.detect import detect, findings
from ingest.pipeline.side_by_side import RecordWriter
from ingest.records import Value
from ingest.tests.samples import FOLDER, outputs

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Path:
    """Each second short sample beside its contexts; some twice, and some as a part of a longer file."""
    path = tmp_path_factory.mktemp("shelf") / "all.tar"
    with tarfile.open(path, "w") as tar:
        samples = [one for one in outputs() if one.stat().st_size < 40_000][::2]
        for at, sample in enumerate(samples):
            data, name = sample.read_bytes(), sample.relative_to(FOLDER).as_posix()
            _add(tar, f"a/{name}", data)
            if at % 3 == 0:
                _add(tar, f"b/{name}.copy", data)
            if at % 5 == 0:
                _add(tar, f"c/{name}", b"\n" + data + b"\n")
    return path


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _lines(path: Path) -> bytes:
    out = io.BytesIO()
    RecordWriter().write(ingest.read([path]), out)
    return out.getvalue()


@pytest.mark.parametrize(("held", "together", "looked"), [(0, 10**4, 10**6), (0, 3, 30), (3000, 20, 1000)])
def test_the_records_are_the_same(collected, monkeypatch, held, together, looked):
    loaded = []
    for room in (shelf, detect, findings):
        monkeypatch.setattr(room, "CHUNK_SIZE", together)
    monkeypatch.setattr(shelf, "MAX_COMPARED", looked)
    monkeypatch.setattr(shelf, "MAX_IN_MEMORY", 10**9)
    in_memory = _lines(collected)
    monkeypatch.setattr(shelf, "MAX_IN_MEMORY", held)
    load = shelf.ValueSpill.load
    monkeypatch.setattr(shelf.ValueSpill, "load", lambda self, one: loaded.append(one) or load(self, one))
    assert _lines(collected) == in_memory
    assert len({id(one) for one in loaded}) > 50
    assert in_memory.count(b'"duplicate_of": "') + in_memory.count(b'"duplicate_of":"') > 500


def test_no_file_stays_open_when_somebody_stops_reading(collected, monkeypatch):
    monkeypatch.setattr(shelf, "MAX_IN_MEMORY", 0)
    before = _open_files()
    records = ingest.read([collected])
    next(records)
    records.close()
    assert _open_files() == before


def _open_files() -> int:
    """How many are open; 0 where the system does not tell. What others have left for the garbage collector is closed first."""
    gc.collect()
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def _values(count: int) -> list[Value]:
    shared = {"threads": 1}
    return [Value(at, "dd", "write.throughput", "MB/s", at * 1e6, "B/s", str(at), "MB/s", at, params=shared) for at in range(count)]


def test_what_is_shared_is_shared_again_and_names_are_unique(monkeypatch):
    monkeypatch.setattr(shelf, "MAX_IN_MEMORY", 4)
    rack = shelf.ValueSpill()
    first, second, third = (rack.put(_values(4)) for _ in range(3))
    assert isinstance(first, list) and isinstance(second, shelf.SpilledValues) and isinstance(third, shelf.SpilledValues)
    assert second[:] == _values(4) == list(third) and second[1].params is second[3].params
    assert len({*shelf.value_ids(first), *shelf.value_ids(second), *shelf.value_ids(third)}) == 12
    rack.close()


@pytest.mark.parametrize("broken", ["unwritable", "full"])
def test_what_cannot_be_put_aside_stays_in_memory(monkeypatch, broken):
    monkeypatch.setattr(shelf, "MAX_IN_MEMORY", 0)
    values = _values(3)
    if broken == "unwritable":
        values[1].run = lambda: None
    else:
        monkeypatch.setattr(shelf, "_SCHEMA", "PRAGMA max_page_count = 1; " + shelf._SCHEMA)
    assert shelf.ValueSpill().put(values) is values


def test_hosts_that_tools_print_are_known_without_reading_values_back():
    spill = shelf.ValueSpill()
    printed = {"host": ("node01", 3)}
    values = [Value(n, "ior", "write.throughput", "write", 1.0, "B/s", "1", "B/s", 1, printed_config=printed) for n in range(3)]
    values.append(
        Value(9, "dd", "write.throughput", "write", 1.0, "B/s", "1", "B/s", 2, printed_config={"os.family": ("Linux", 1)})
    )
    spilled = spill.new_values()
    spilled.add(values)
    assert shelf.find_printed_hosts(values) == shelf.find_printed_hosts(spilled) == {("ior", "node01")}
    spill.close()
