"""A run has one configuration: what is known of one of its duplicates holds for all."""

from __future__ import annotations

import pytest

from ingest import spill as spill_values
from ingest.records import Measurement, Warning
from ingest.tests.whole import read_measurements, read_upload

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 268 MB/s\n"
LONG = "".join(DD.format(f"{n}.12345") for n in range(4, 9))
GET = "NAME  PROPERTY  VALUE  SOURCE\n"
LZ4, GZIP = GET + "tank  compression  lz4  local\n", GET + "tank  compression  gzip-6  local\n"
RECORDSIZE = GET + "tank  recordsize  16K  local\n"


def _configs(files, *keys):
    return {m.file: tuple(m.config.get(key) for key in keys) for m in read_measurements(files)}


def _contradictions(records):
    return [record for record in records if isinstance(record, Warning) and "each copy keeps its own" in record.message]


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("log", [LONG, DD.format(4)])
def test_each_copy_has_what_stands_beside_the_others(log, in_memory, monkeypatch):
    if not in_memory:
        monkeypatch.setattr(spill_values, "MAX_IN_MEMORY", 0)
    files = {"a/log.txt": log, "b/log.txt": log, "c/log.txt": log, "a/zfs.txt": RECORDSIZE, "c/zfs.txt": LZ4}
    assert set(_configs(files, "pool.recordsize", "pool.compression").values()) == {(16384, "lz4")}
    sources = {m.file: (m.config_from["pool.recordsize"], m.config_from["pool.compression"]) for m in read_measurements(files)}
    assert set(sources.values()) == {("a/zfs.txt:2", "c/zfs.txt:2")}


def test_runs_that_are_no_duplicates_share_nothing():
    files = {"a/log.txt": LONG, "b/log.txt": LONG.replace("12345", "12346"), "a/zfs.txt": RECORDSIZE}
    assert _configs(files, "pool.recordsize") == {"a/log.txt": (16384,), "b/log.txt": (None,)}


def test_one_warning_shows_a_contradiction_and_each_keeps_its_own():
    files = {"a/log.txt": LONG, "b/log.txt": LONG, "a/zfs.txt": LZ4 + "tank  recordsize  16K  local\n", "b/zfs.txt": GZIP}
    records = read_upload(files)
    assert {
        r.file: (r.config["pool.compression"], r.config.get("pool.recordsize")) for r in records if isinstance(r, Measurement)
    } == {
        "a/log.txt": ("lz4", 16384),
        "b/log.txt": ("gzip-6", None),
    }
    (warning,) = _contradictions(records)
    assert warning.code == "disagree" and warning.file == "b/log.txt"
    assert "lz4 (a/zfs.txt:2)" in warning.message and "gzip-6 (b/zfs.txt:2)" in warning.message


def test_a_third_copy_beside_contradictory_ones_stays_unknown():
    files = {"a/log.txt": LONG, "b/log.txt": LONG, "c/log.txt": LONG, "a/zfs.txt": LZ4, "b/zfs.txt": GZIP}
    assert _configs(files, "pool.compression") == {"a/log.txt": ("lz4",), "b/log.txt": ("gzip-6",), "c/log.txt": (None,)}


def test_two_hosts_share_no_system_and_give_no_warning():
    files = {
        "a/log.txt": LONG,
        "b/log.txt": LONG,
        "a/uname.txt": "Linux node1 6.1.0 #1 SMP x86_64\n",
        "b/info.txt": "hostname: node2\n",
    }
    assert _configs(files, "kernel") == {"a/log.txt": ("6.1.0",), "b/log.txt": (None,)}
    assert not _contradictions(read_upload(files))


def test_the_report_beside_the_line_of_csv_in_another_folder():
    csv = "1.98,1.98,host1,1,1700000000,4G,,8192,5,1234,99,104857,45,54321,23,2345,98,209715,34,432.1,12" + "," * 29 + "\n"
    files = {"all.csv": csv + csv.replace("104857", "104999"), "lz4/one.csv": csv, "lz4/zfs.txt": LZ4}
    found = {(m.file, m.line): m.config.get("pool.compression") for m in read_measurements(files)}
    assert found == {("all.csv", 1): "lz4", ("all.csv", 2): None, ("lz4/one.csv", 1): "lz4"}
