"""One truth in the layouts of zpool iostat -l, vmstat and fio's logs of many versions gives the same points."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ingest
from ingest.records import SeriesRecord
from ingest.tests.thinning import examples

START = datetime.datetime(2026, 11, 24, 23, 59, 58)
Rows = list[tuple[int, ...]]


def read(folder, text: str, name: str = "log.txt") -> list[SeriesRecord]:
    path = folder / name
    path.write_text(text)
    return [record for record in ingest.read([path]) if isinstance(record, SeriesRecord)]


def columns(record: SeriesRecord) -> tuple[list[float], list[float]]:
    """Seconds since the first point and values."""
    times, values = list[float](), list[float]()
    for seconds, found, _ in record.chunks():
        assert seconds is not None
        times += seconds
        values += found
    return times, values


def rows(least: int, count: int, most: int) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(*[st.integers(least, most)] * count), min_size=1, max_size=6)


# --- zpool iostat -l: read and write operations, bandwidth (bytes), total_wait (ns)
WAITS = {"0.7": ("scrub",), "0.8": ("scrub", "trim"), "2.2": ("scrub", "trim", "rebuild")}
DATES = {
    "-T d": lambda t: f"{t:%a %b %d %H:%M:%S} UTC {t:%Y}",
    "-T d in English of America": lambda t: f"{t:%a %d %b %Y %I:%M:%S %p} UTC",
    "-T u": lambda t: str(int(t.replace(tzinfo=datetime.UTC).timestamp())),
}


def pool_cells(row: tuple[int, ...], extra: int, *, exact: bool) -> list[str]:
    reads, writes, rate, waits = row
    bandwidth, wait = (str(rate * 1024), str(waits * 1000)) if exact else (f"{rate}K", f"{waits}us")
    return ["1024", "2048", str(reads), str(writes), bandwidth, bandwidth, wait, wait, *["-"] * (6 + extra)]


def zpool_iostat(truth: Rows, version: str, date: Callable[[datetime.datetime], str], options: str) -> str:
    """As `zpool iostat -y` prints it; with H tabs and no titles, with p exact numbers."""
    waits = WAITS[version]
    is_scripted = "H" in options
    out = [f"# zpool iostat -y{options} -T d tank 1\n"]
    titles = (
        "              capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  "
        + "  ".join(waits)
        + "\npool        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write"
        + "   wait" * len(waits)
        + "\n"
        + "----------  " + "  ".join(["-----"] * (14 + len(waits))) + "\n"
    )  # fmt: skip
    for at, row in enumerate(truth):
        out.append(date(START + datetime.timedelta(seconds=at)) + "\n")
        if at == 0 and not is_scripted:
            out.append(titles)
        cells = pool_cells(row, len(waits), exact="p" in options)
        out.append(("\t" if is_scripted else "  ").join(["tank", *cells]) + "\n")
    return "".join(out)


@pytest.mark.hypothesis
@pytest.mark.parametrize("version", WAITS)
@pytest.mark.parametrize("date", DATES.values(), ids=DATES)
@pytest.mark.parametrize("options", ["l", "lp", "lHp"])
def test_zpool_iostat(version, date, options, tmp_path):
    @settings(max_examples=examples(6), deadline=None)
    @given(rows(1, 4, 999))
    def check(truth: Rows) -> None:
        records = read(tmp_path, zpool_iostat(truth, version, date, options))
        found = {record.metric: record for record in records}
        assert {record.subject for record in records} == {"tank"}
        for metric, column, factor in (
            ("disk.read.rate", 0, 1),
            ("disk.write.rate", 1, 1),
            ("disk.read.throughput", 2, 1024),
            ("disk.read.latency", 3, 1e-6),
            ("disk.write.latency", 3, 1e-6),
        ):
            assert found[metric].started_at == "2026-11-24T23:59:58+00:00"
            values = [pytest.approx(row[column] * factor) for row in truth]
            assert columns(found[metric]) == ([float(at) for at in range(len(truth))], values)
        assert not [
            metric for metric in found if metric.startswith("pool.") and metric.partition(".")[2] not in ("allocated", "free")
        ]

    check()


# --- vmstat: r, free KiB, bi KiB/s, us %
VMSTAT = {
    "procps 3.2": ("r b swpd free buff cache si so bi bo in cs us sy id wa", False),
    "procps 3.3": ("r b swpd free buff cache si so bi bo in cs us sy id wa st", False),
    "procps 3.3 -a -t": ("r b swpd free inact active si so bi bo in cs us sy id wa st", True),
    "procps 4 -w -t": ("r b swpd free buff cache si so bi bo in cs us sy id wa st gu", True),
}


@pytest.mark.hypothesis
@pytest.mark.parametrize(("names", "is_stamped"), VMSTAT.values(), ids=VMSTAT)
@pytest.mark.parametrize("every", [1, 3])
def test_vmstat(names, is_stamped, every, tmp_path):
    @settings(max_examples=examples(8), deadline=None)
    @given(rows(0, 4, 100))
    def check(truth: Rows) -> None:
        out = [f"$ vmstat {'-t ' if is_stamped else ''}1\n"]
        for at, (running, free, blocks, user) in enumerate([(9, 9, 9, 9), *truth]):
            if at % every == 0:
                out.append(
                    f"procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----\n {names.replace(' ', '  ')}"
                )
                out.append("                 UTC\n" if is_stamped else "\n")
            known = {"r": running, "free": 200_000 + free, "bi": blocks, "us": user}
            out.append("  ".join(str(known.get(name, 0)) for name in names.split()))
            out.append(f" {START + datetime.timedelta(seconds=at)}\n" if is_stamped else "\n")
        found = {record.metric: record for record in read(tmp_path, "".join(out))}
        for metric, column, shift, factor in (
            ("process.running", 0, 0, 1),
            ("memory.free", 1, 200_000, 1024),
            ("paging.in.throughput", 2, 0, 1024),
            ("cpu.user", 3, 0, 1),
        ):
            assert found[metric].started_at == ("2026-11-24T23:59:59+00:00" if is_stamped else None)
            values = [(row[column] + shift) * factor for row in truth]
            assert columns(found[metric]) == ([float(at) for at in range(len(truth))], values)

    check()


# --- fio: time ms, value, direction
FIO = {
    "2": ("", 1000, "fio-2.16"),
    "2, with offset": (", 8192", 1000, "fio-2.16"),
    "3": ("", 1, "fio-3.1"),
    "3, with offset": (", 8192", 1, "fio-3.16"),
    "3.30, with priority": (", 0", 1, ""),
    "3.35, with offset and priority": (", 8192, 0x4001", 1, ""),
    "3.38, with time of issue": (", 8192, 0, 123456789", 1, ""),
}
_READ = {"io_bytes": 4_096_000, "bw": 400, "iops": 100.0, "runtime": 10_000, "total_ios": 1000}


@pytest.mark.hypothesis
@pytest.mark.parametrize(("more", "factor", "version"), FIO.values(), ids=FIO)
@pytest.mark.parametrize("comma", [", ", ","])
def test_fio_logs(more, factor, version, comma, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    if version:
        job = {"jobname": "j", "groupid": 0, "error": 0, "job options": {"rw": "read", "bs": "4k"}, "read": _READ}
        (folder / "fio.json").write_text(json.dumps({"fio version": version, "timestamp": 1, "jobs": [job]}, indent=1))

    @settings(max_examples=examples(6), deadline=None)
    @given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 1)), min_size=1, max_size=8))
    def check(truth: list[tuple[int, int]]) -> None:
        lines = [
            f"{at * 500}, {value}, {direction}, 4096{more}\n".replace(", ", comma) for at, (value, direction) in enumerate(truth)
        ]
        (folder / "j_clat.1.log").write_text("".join(lines))
        found = {record.metric: record for record in ingest.read([folder]) if isinstance(record, SeriesRecord)}
        for direction, name in enumerate(("read", "write")):
            points = [(at * 0.5, value) for at, (value, one) in enumerate(truth) if one == direction]
            record = found.pop(f"io.{name}.completion.latency", None)
            assert (record is None) == (not points)
            if record is not None:
                times, values = columns(record)
                assert [time + (record.offset or 0) for time in times] == [time for time, _ in points]
                assert values == [pytest.approx(value * factor / 1e9) for _, value in points]
        assert not found

    check()
