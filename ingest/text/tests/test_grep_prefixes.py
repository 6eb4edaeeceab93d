"""Lines that grep found in several files, the name of each in front: the names are no hosts, machines nor part of a line."""

from __future__ import annotations

import pytest

from ingest import read
from ingest.records import Measurement

ROW = "srv,8G,36239,64,38955,8,18130,3,37040,60,36300,2,141.2,0,16,1083,82,900,5,28930,83,1258,91,901,5,3121,78"
SEES = "\tChildren see throughput for {} initial writers \t=  10{}345.50 kB/sec"
MAXIMA = ("Max Write: 1030.54 MiB/sec (1080.60 MB/sec)", "Max Read:  968.99 MiB/sec (1016.06 MB/sec)")


def measurements(tmp_path, lines):
    (tmp_path / "file.txt").write_text("\n".join(lines) + "\n")
    return [one for one in read([tmp_path / "file.txt"]) if isinstance(one, Measurement)]


@pytest.mark.parametrize(("prefix", "count"), [("run_{}.log:", 1), ("run_{}.log:", 2), ("run_{}.log:", 3), ("out/t{}.txt:17:", 3)])
def test_a_line_of_each_file(tmp_path, prefix, count):
    sees = measurements(tmp_path, [prefix.format(n) + SEES.format(n, n) for n in range(1, count + 1)])
    assert [one.value for one in sees] == [(100345.5 + 1000 * n) * 1024 for n in range(1, count + 1)]
    assert not any("host" in one.config for one in sees)
    rows = measurements(tmp_path, [prefix.format(n) + ROW for n in range(1, count + 1)])
    assert len(rows) == 24 * count and {one.params["machine"] for one in rows} == {"srv"}


@pytest.mark.parametrize("name", ["result.157667{}180", "results.2012030{}0405", "out/run.20120{}0405", "log.20120{}0405"])
def test_files_with_a_time_for_a_suffix(tmp_path, name):
    times = [f"{name.format(n)}:{line}" for n in (1, 2) for line in ("real\t43m15.902s", f"user\t14{n}m1.034s", "sys\t21m22.244s")]
    found = measurements(tmp_path, times)
    assert [(one.metric, one.value) for one in found if one.metric != "run.sys"] == [
        ("run.elapsed", 2595.902), ("run.user", 8461.034), ("run.elapsed", 2595.902), ("run.user", 8521.034),
    ]  # fmt: skip


def test_two_lines_of_each_file_are_of_one_run(tmp_path):
    found = measurements(tmp_path, [f"ior_{n}.out:{line}" for n in (1, 2) for line in MAXIMA])
    assert [one.metric for one in found] == ["write.throughput", "read.throughput"] * 2
    assert len({one.run for one in found}) == 2


def test_names_of_files_tell_the_jobs_of_fio(tmp_path):
    lines = [f"job-{n}.out:  write: io=12288KB, bw=42667KB/s, iops=1{n}, runt=   288msec" for n in range(3)]
    assert {one.params["job"] for one in measurements(tmp_path, lines)} == {"job-0.out", "job-1.out", "job-2.out"}
