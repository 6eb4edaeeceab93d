"""fio: jobs that ran at once are parts of their group and never repetitions; the total is all bytes over the longest run."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parsers.fio import fio
from ingest.records import MissingValue, Value
from ingest.text.lines import Text

JOBS = st.lists(st.tuples(st.integers(2**20, 2**40), st.integers(100, 10**6)), min_size=1, max_size=6)


def read(body: str) -> list[Value | MissingValue]:
    return [item for item in fio.parse(Text("t", body.split("\n"), body)) if isinstance(item, Value | MissingValue)]


def job(moved: int, milliseconds: int, *, group: int = 0, error: int = 0, host: str = "", name: str = "w", **options: str) -> dict:
    rate = moved * 1000 / milliseconds if milliseconds else 0
    section = {"io_bytes": moved, "io_kbytes": moved >> 10, "bw_bytes": int(rate), "bw": int(rate) >> 10, "iops": rate / 4096}
    section |= {"runtime": milliseconds, "lat_ns": {"min": 1, "max": 3, "mean": 2.0, "stddev": 0.5, "N": 9}}
    return {
        "jobname": name,
        "groupid": group,
        "error": error,
        **({"hostname": host} if host else {}),
        "job options": {"rw": "write", "bs": "4k", "size": "1g", **options},
        "write": section if moved else {"io_bytes": 0, "bw": 0},
        "usr_cpu": 1.5,
    }


def report(*jobs: dict, key: str = "jobs") -> str:
    return json.dumps({"fio version": "fio-3.33", "global options": {}, key: list(jobs)}, indent=1)


def throughputs(items: list[Value | MissingValue]) -> list[tuple[str | None, float]]:
    return [(i.params.get("part"), i.value) for i in items if isinstance(i, Value) and i.metric.endswith("write.throughput")]


@given(JOBS)
def test_no_two_jobs_of_a_group_count_as_repetitions_and_their_total_is_computed(jobs: list[tuple[int, int]]) -> None:
    items = [item for item in read(report(*(job(*each) for each in jobs))) if isinstance(item, Value)]
    workloads = Counter((item.metric, item.stat, item.params.get("part")) for item in items)
    assert set(workloads.values()) == {1}
    wholes = [item for item in items if item.params.get("part") in (None, "group") and item.metric == "write.throughput"]
    [whole] = wholes
    assert whole.value == pytest.approx(sum(moved for moved, _ in jobs) * 1000 / max(time for _, time in jobs), rel=1e-3)
    assert len(jobs) == 1 or (whole.params["processes"] == len(jobs) and "computed" in whole.params)


@pytest.mark.parametrize(
    ("jobs", "parts"),
    [
        # one after the other: runs of their own
        ([job(2**30, 1000), job(2**30, 2000, group=1, stonewall="")], [None, None]),
        # another group of the report that runs at the same time
        ([job(2**30, 1000), job(2**30, 2000, group=1, new_group="")], ["job 1", "job 2", "group"]),
        ([job(2**30, 1000), job(2**30, 2000, group=1, new_group="", stonewall="")], [None, None]),
        ([job(2**30, 1000, name="a"), job(2**30, 2000, wait_for="a")], [None, None]),
        ([job(2**30, 1000, host="n1"), job(2**30, 2000, host="n2")], ["host n1", "host n2", "group"]),
        ([job(2**30, 1000, host="n1")] * 2 + [job(2**30, 1, host="n2")], ["job 1", "job 2", "job 3", "group"]),
        # groups of two jobs each
        (
            [job(2**30, 1000), job(2**30, 1000), job(2**30, 10, group=1, stonewall=""), job(2**30, 10, group=1)],
            ["job 1", "job 2", "group"] * 2,
        ),
    ],
)
def test_what_ran_at_once(jobs: list[dict], parts: list[str | None]) -> None:
    key = "client_stats" if "hostname" in jobs[0] else "jobs"
    assert [part for part, _ in throughputs(read(report(*jobs, key=key)))] == parts


def test_a_total_that_fio_prints_is_not_computed() -> None:
    jobs = [job(2**30, 1000, host="n1"), job(2**30, 1000, host="n2"), job(2**31, 1000, name="All clients")]
    found = throughputs(read(report(*jobs, key="client_stats")))
    assert [part for part, _ in found] == ["host n1", "host n2", None] and found[2][1] == 2**31


@pytest.mark.parametrize(("moved", "kind"), [(2**28, Value), (0, MissingValue)])
def test_a_job_that_failed_leaves_the_group_without_a_complete_total(moved: int, kind: type) -> None:
    items = read(report(job(2**30, 1000), job(moved, 400 if moved else 0, error=28)))
    [whole] = [item for item in items if item.params.get("part") == "group" and item.metric == "write.throughput"]
    assert type(whole) is kind and whole.params["error"] == "no space left"
    assert not any(item.params.get("part") is None for item in items)


OPTIONS = "w: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n"
LINE = "w: (groupid=0, jobs=1): err= 0: pid={pid}: Mon Mar  2 {clock} 2026\n"
LINE += "  write: IOPS=10, BW={rate}MiB/s (9MB/s)({rate}MiB/1000msec)\n"
STATUS = (
    "Run status group 0 (all jobs):\n  WRITE: bw={}MiB/s (9MB/s), 1MiB/s-2MiB/s (1MB/s-2MB/s), io=9MiB (9MB), run=1000-1000msec\n"
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (OPTIONS + LINE.format(pid=1, clock="09:00:00", rate=10) + LINE.format(pid=2, clock="09:00:00", rate=12), [10, 12, 22]),
        (LINE.format(pid=1, clock="09:00:00", rate=10) + LINE.format(pid=2, clock="10:00:00", rate=12), [None, None]),
        ("".join("$ fio --name=w --rw=write\n" + LINE.format(pid=n, clock="09:00:00", rate=10) for n in (1, 2)), [None, None]),
        (
            LINE.format(pid=1, clock="09:00:00", rate=10) + STATUS.format(10) + LINE.format(pid=2, clock="09:00:01", rate=12),
            [None] * 3,
        ),
        (
            OPTIONS + "".join(LINE.format(pid=n, clock="09:00:00", rate=r) for n, r in enumerate((10, 12))) + STATUS.format(21),
            [10, 12, 21],
        ),
    ],
)
def test_jobs_of_normal_output(text: str, parts: list[int | None]) -> None:
    found = throughputs(read(text))
    if None in parts:
        assert {part for part, _ in found} == {None}
    else:
        names = ["job 1", "job 2", "group"]
        assert found == [(name, pytest.approx(rate * 2**20)) for name, rate in zip(names, parts, strict=True)]


TERSE = "3;fio-3.33;w;0;0;" + "0;" * 41 + "{moved};{rate};10;{time};" + "0;" * 37 + "1%;2%;3;0;0;100%;0%;0%;0%;0%;0%;0%"


@pytest.mark.parametrize(
    ("command", "lines", "wholes"),
    [
        ("fio --name=w --rw=write --numjobs=2 --minimal", 4, ["group", "group"]),  # in a loop
        ("fio --name=w --rw=write --numjobs=2 --group_reporting --minimal", 4, [None] * 4),
        ("fio --name=w --rw=write --minimal", 3, [None] * 3),
        ("fio --name=w --rw=write --numjobs=4 --minimal", 3, [None] * 3),  # a line is missing: which is unknown
    ],
)
def test_jobs_of_terse_output(command: str, lines: int, wholes: list[str | None]) -> None:
    rows = "\n".join(TERSE.format(moved=1000, rate=100 + n, time=1000) for n in range(lines))
    found = throughputs(read(f"$ {command}\n{rows}\n"))
    assert [part for part, _ in found if part in (None, "group")] == wholes


def test_a_run_status_whose_jobs_differ_has_what_they_share() -> None:
    options = OPTIONS + OPTIONS.replace("w: (", "v: (").replace("iodepth=1", "iodepth=8")
    [whole] = read(options + "fio-3.33\nStarting 2 processes\n" + STATUS.format(20))
    assert (whole.params["block_size"], whole.params["processes"], whole.params.get("iodepth")) == (4096, 2, None)
